//! Text from outside on its way to a person.

use std::borrow::Cow;

/// Letters that nobody sees and that change what is seen: controls move the cursor of a terminal, others turn the direction
/// of text or end its lines.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        )
}

/// A text without the byte order mark that some programs put before it (RFC 8259, 8.1: a reader of JSON may pass over it).
pub fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// [`without_bom`] for UTF-8 that is not read yet.
pub fn bytes_without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The text in one line, without such letters.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if is_unseen(c) { ' ' } else { c }).collect()
}

/// JSON text in which such letters are written as `\uXXXX`: the same value, and nothing in it can disturb its reader.
pub fn seen_json(json: &str) -> Cow<'_, str> {
    // Outside of strings JSON has no such letter but the line ends of pretty text.
    let unseen = |c: char| is_unseen(c) && c != '\n';
    if !json.contains(unseen) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if unseen(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::{bytes_without_bom, one_line, seen_json, without_bom};

    #[test]
    fn a_byte_order_mark_is_passed_over_once() {
        assert_eq!((without_bom("\u{feff}{}"), without_bom("{}")), ("{}", "{}"));
        assert_eq!(without_bom("\u{feff}\u{feff}{}"), "\u{feff}{}");
        assert_eq!(bytes_without_bom("\u{feff}{}".as_bytes()), b"{}");
        assert_eq!(bytes_without_bom(b"\xef\xbb"), b"\xef\xbb");
    }

    #[test]
    fn nothing_unseen_is_left() {
        assert_eq!(one_line("a\u{1b}[31m\nb\u{9b}2J\u{202e}c é😀"), "a [31m b 2J c é😀");
        let json = "{\n  \"a\": \"\u{9b}2J\u{202e}é\"\n}";
        let seen = seen_json(json);
        assert_eq!(seen, "{\n  \"a\": \"\\u009b2J\\u202eé\"\n}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        assert_eq!(value(&seen), value(json));
    }
}
