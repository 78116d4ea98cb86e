//! A text that holds the object or the list that is wanted.

use super::lenient;
use crate::json;
use serde_json::Value;

/// Longest text that is looked into.
pub(super) const MAX_TEXT: usize = 256 * 1024;
/// Brackets in prose from which a value is read.
const STARTS: usize = 32;
/// Texts in texts.
const NESTED: usize = 4;

/// What one rung made of a text.
pub(super) enum Found {
    /// The value itself.
    Value(Value, String),
    /// A shorter text, for the next rung.
    Text(String),
    /// The rung has nothing to do here.
    Nothing,
    /// The rung would apply, but is not sure.
    Refused(String),
}

/// Which containers are wanted.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) object: bool,
    pub(super) list: bool,
}

impl Wanted {
    /// A container that is wanted, or a list of one object, which `unwrap_single` opens.
    fn takes(self, value: &Value) -> bool {
        match value {
            Value::Object(_) => self.object,
            Value::Array(list) => self.list || matches!(list.as_slice(), [Value::Object(_)]),
            _ => false,
        }
    }
}

/// ```` ```json … ``` ````
pub(super) fn fences(text: &str, wanted: Wanted) -> Found {
    if json::parse(text.trim()).is_ok() || lenient::read(text).is_ok() {
        return Found::Nothing;
    }
    let parts: Vec<&str> = text.split("```").collect();
    let inner = match parts.as_slice() {
        [_] => return Found::Nothing,
        [before, open] if before.trim().is_empty() => open,
        [_, inner, _] => inner,
        [_, _] => return Found::Refused("a code fence opens and does not close".into()),
        _ => return Found::Refused("there are several code fences".into()),
    };
    // The language: a word behind the fence.
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
    let inner = inner.get(end..).unwrap_or_default().trim();
    done(inner, wanted)
}

fn done(text: &str, wanted: Wanted) -> Found {
    match json::parse(text) {
        Ok(value) if wanted.takes(&value) => Found::Value(value, String::new()),
        Ok(Value::String(_)) | Err(_) => Found::Text(text.to_owned()),
        Ok(_) => Found::Refused("what it holds is not what is wanted".into()),
    }
}

/// One value in the middle of sentences.
pub(super) fn prose(text: &str, wanted: Wanted) -> Found {
    let trimmed = text.trim();
    if json::parse(trimmed).is_ok() || lenient::read(trimmed).is_ok() {
        return Found::Nothing;
    }
    let mut found: Option<&str> = None;
    let mut from = 0;
    for _ in 0..STARTS {
        let rest = trimmed.get(from..).unwrap_or_default();
        let next = rest.find(|c| (c == '{' && wanted.object) || (c == '[' && wanted.list));
        let Some(start) = next.map(|at| from + at) else {
            return match found {
                Some(part) => done(part, wanted),
                None => Found::Nothing,
            };
        };
        let part = balanced(trimmed.get(start..).unwrap_or_default());
        match part.filter(|part| json::parse(part).is_ok() || lenient::read(part).is_ok()) {
            Some(_) if found.is_some() => return Found::Refused("the text holds several values".into()),
            Some(part) => {
                found = Some(part);
                from = start + part.len();
            }
            None => from = start + 1,
        }
    }
    Found::Refused("the text has too many brackets".into())
}

/// From a bracket to the one that closes it; brackets in double quotes do not count.
fn balanced(text: &str) -> Option<&str> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Slips in the JSON itself.
pub(super) fn mend(text: &str, wanted: Wanted) -> Found {
    let text = text.trim();
    // A sentence is no broken JSON, and strict JSON needs no mending.
    if !text.trim_start_matches('\u{feff}').starts_with(['{', '[', '/', '#']) || json::parse(text).is_ok() {
        return Found::Nothing;
    }
    match lenient::read(text) {
        Ok((value, how)) if wanted.takes(&value) => Found::Value(value, how),
        Ok(_) => Found::Nothing,
        Err(reason) => Found::Refused(reason),
    }
}

/// JSON that was written into a text.
pub(super) fn decode(text: &str, wanted: Wanted) -> Found {
    let mut text = text.trim().to_owned();
    for _ in 0..NESTED {
        match json::parse(&text) {
            Ok(Value::String(inner)) => text = inner.trim().to_owned(),
            Ok(value) if wanted.takes(&value) => return Found::Value(value, String::new()),
            _ => return Found::Nothing,
        }
    }
    Found::Nothing
}
