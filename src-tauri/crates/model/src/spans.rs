//! The parts of compact JSON text, found without reading it into values.

use std::ops::Range;

/// A member of an object or an element of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    /// The name of a member as it is written, with its quotes; none of an element.
    pub name: Option<&'a str>,
    /// The text of the value.
    pub value: &'a str,
}

impl Part<'_> {
    /// The name of a member.
    pub fn read_name(&self) -> Option<String> {
        serde_json::from_str(self.name?).ok()
    }
}

/// Whether the text is that of an object or a list.
pub fn is_container(text: &str) -> bool {
    text.starts_with(['{', '['])
}

/// The parts of an object or a list, in order; none of anything else. `text` is compact JSON, as serde writes it.
pub fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let bytes = text.as_bytes();
    let object = bytes.first() == Some(&b'{');
    let mut at = if is_container(text) { 1 } else { bytes.len() };
    std::iter::from_fn(move || {
        if matches!(bytes.get(at)?, b'}' | b']') {
            return None;
        }
        let name = object.then(|| at..end_of_text(bytes, at));
        if let Some(name) = &name {
            at = name.end + 1;
        }
        let value = at..end_of_value(bytes, at);
        // Behind the comma; at the end of the container there is none.
        at = value.end + usize::from(bytes.get(value.end) == Some(&b','));
        let part = |range: Range<usize>| text.get(range).unwrap_or_default();
        Some(Part { name: name.map(part), value: part(value) })
    })
}

/// Behind the closing quote of a text that begins at `at`.
pub fn end_of_text(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Behind the value that begins at `at`.
pub fn end_of_value(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = end_of_text(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{Part, parts};

    #[test]
    fn parts_are_found_by_their_text() {
        let list: Vec<_> = parts(r#"[1,"a,\"]",{"x":[2,3]},[]]"#).map(|part| (part.name, part.value)).collect();
        assert_eq!(list, [(None, "1"), (None, r#""a,\"]""#), (None, r#"{"x":[2,3]}"#), (None, "[]")]);
        let object: Vec<_> = parts(r#"{"a\":":null,"é":{"b":"}"}}"#).collect();
        assert_eq!(object[0], Part { name: Some(r#""a\":""#), value: "null" });
        assert_eq!((object[1].read_name().as_deref(), object[1].value), (Some("é"), r#"{"b":"}"}"#));
        for none in ["{}", "[]", "12", "\"[1]\"", ""] {
            assert_eq!(parts(none).count(), 0, "{none}");
        }
    }
}
