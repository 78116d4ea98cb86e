//! Values as contents of cells.

use super::styles::Shows;
use crate::sheet::MAX_CELL_CHARS;
use crate::sheet::date::{Serial, serial};
use crate::sheet::write::{exact, written_number};
use serde_json::{Number, Value};
use std::fmt::Write as _;

/// Days between 1 January 1900 and 1904 as workbooks count them.
const DAYS_TO_1904: f64 = 1_462.0;

/// What a cell holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Empty,
    /// As it is written in the file.
    Number(String),
    Bool(bool),
    Text(String),
}

/// The content for a cell whose format shows this. `None` = an object or a list, which is no value of a cell.
pub(super) fn content(value: &Value, shows: Shows, is_1904: bool) -> Option<Content> {
    Some(match value {
        Value::Null => Content::Empty,
        Value::Bool(flag) => Content::Bool(*flag),
        Value::Number(number) => match exact(number) {
            Some(exact) => number_of(exact).unwrap_or_else(|| Content::Text(number.to_string())),
            None => Content::Text(number.to_string()),
        },
        Value::String(text) => {
            let number = match shows {
                Shows::Date => days(text, is_1904),
                Shows::Number => written_number(text),
                Shows::Anything => None,
            };
            number.and_then(number_of).unwrap_or_else(|| Content::Text(text.clone()))
        }
        Value::Array(_) | Value::Object(_) => return None,
    })
}

fn number_of(number: f64) -> Option<Content> {
    Number::from_f64(number).map(|number| {
        let text = number.to_string();
        Content::Number(text.strip_suffix(".0").map_or(text.clone(), str::to_owned))
    })
}

/// The days of a date, a date with a time, a time, or a duration like `PT26H30M`, all without a time zone.
fn days(text: &str, is_1904: bool) -> Option<f64> {
    if let Some(Serial::Day(days) | Serial::Moment(days)) = serial(text) {
        let days = if is_1904 { days - DAYS_TO_1904 } else { days };
        return (days >= 0.0).then_some(days);
    }
    if text.starts_with("PT") && text.len() < 40 {
        let span: jiff::Span = text.parse().ok()?;
        return Some(span.total(jiff::Unit::Second).ok()? / 86_400.0);
    }
    let is_time = text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
    let time: jiff::civil::Time = if is_time { text.parse().ok()? } else { return None };
    let since = time - jiff::civil::Time::midnight();
    Some(since.total(jiff::Unit::Second).ok()? / 86_400.0)
}

/// A value within a text.
pub(super) fn words(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Whether a text is longer than a cell can hold.
pub(super) fn is_too_long(text: &str) -> bool {
    // A byte is at most one unit, so most texts need no count.
    text.len() > MAX_CELL_CHARS && text.encode_utf16().count() > MAX_CELL_CHARS
}

/// Appends a text of a cell as XML. Signs that XML has no place for are written as spreadsheets do it, `_x0007_`, and a text that
/// looks like that keeps its meaning.
pub(super) fn push_text(text: &str, out: &mut String) {
    for (index, sign) in text.char_indices() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\t' | '\n' => out.push(sign),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                // Writing to a string does not fail.
                let _ = write!(out, "_x{:04X}_", u32::from(sign));
            }
            '_' if looks_escaped(text.get(index..).unwrap_or_default()) => out.push_str("_x005F_"),
            _ => out.push(sign),
        }
    }
}

fn looks_escaped(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 7
        && bytes.starts_with(b"_x")
        && bytes.get(6) == Some(&b'_')
        && bytes.get(2..6).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// Spaces at the ends are kept only when the element says so.
pub(super) fn space_attribute(text: &str) -> &'static str {
    let is_space = |sign: Option<char>| sign.is_some_and(char::is_whitespace);
    if is_space(text.chars().next()) || is_space(text.chars().next_back()) || text.contains('\n') {
        " xml:space=\"preserve\""
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::{Content, content, push_text, space_attribute};
    use crate::sheet::fill::styles::Shows;
    use serde_json::json;

    #[test]
    fn the_format_of_a_cell_says_what_a_text_becomes() {
        let date = |text: &str, is_1904| content(&json!(text), Shows::Date, is_1904);
        let number = |text: &str| Some(Content::Number(text.into()));
        let kept = |text: &str| Some(Content::Text(text.into()));
        assert_eq!((date("2026-11-28", false), date("2026-11-28", true)), (number("46354"), number("44892")));
        assert_eq!((date("2026-11-28T12:00", false), date("18:00", false)), (number("46354.5"), number("0.75")));
        assert_eq!((date("PT36H", false), date("1903-01-01", true)), (number("1.5"), kept("1903-01-01")));
        for text in ["2026-11-28T12:00:00Z", "soon", "12", ""] {
            assert_eq!(date(text, false), kept(text));
        }
        assert_eq!(content(&json!("12.50"), Shows::Number, false), number("12.5"));
        assert_eq!(content(&json!("12.50"), Shows::Anything, false), kept("12.50"));
        assert_eq!(content(&json!("=1+1"), Shows::Number, false), kept("=1+1"));
        assert_eq!(content(&json!(9_007_199_254_740_993_i64), Shows::Number, false), kept("9007199254740993"));
        assert_eq!(content(&json!(12.5), Shows::Anything, false), number("12.5"));
        assert_eq!(content(&json!(-3), Shows::Date, false), number("-3"));
        assert_eq!(content(&json!(1e300), Shows::Number, false), number("1e+300"));
        assert_eq!(
            (content(&json!(null), Shows::Date, false), content(&json!([1]), Shows::Date, false)),
            (Some(Content::Empty), None)
        );
    }

    #[test]
    fn texts_are_escaped_for_the_file() {
        let mut out = String::new();
        push_text("a<b>&\"\u{7}\r\n_x0041_ _x00_", &mut out);
        assert_eq!(out, "a&lt;b&gt;&amp;\"_x0007__x000D_\n_x005F_x0041_ _x00_");
        assert_eq!((space_attribute(" a"), space_attribute("a b")), (" xml:space=\"preserve\"", ""));
    }
}
