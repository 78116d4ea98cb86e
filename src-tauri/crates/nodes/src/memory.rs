//! What values take in memory, estimated from their text before they are built: a text that is made of small parts takes many times
//! its size (ADR 85). A large one is kept as text until a step looks at it, so this is what it takes then. The figures are those by
//! which the engine measures what a step hands on.

use serde_json::Value;
use signalbox_model::NodeFailure;

/// What the values of a text may take, whatever its length.
const ALWAYS: usize = 256 * 1024 * 1024;
/// What those of a longer one may take is so many times the text: a table of short values takes twenty times its text, and what
/// takes more is made of next to nothing, such as empty cells. Texts have a limit of their own, so this is 1.5 GiB at most.
const TIMES: usize = 24;
/// What the tables of an object take beside its members.
const OBJECT: usize = 64;
/// What one piece of memory takes beside what is in it.
const PIECE: usize = 16;
/// A member of an object beside its name and its value.
const MEMBER: usize = size_of::<String>() + size_of::<usize>() + PIECE;
/// The most that a byte of JSON text can take: `[[[`, `[0,0`.
const MOST_A_BYTE: usize = size_of::<Value>() + PIECE;

/// A value that is text.
pub(crate) fn text(length: usize) -> usize {
    size_of::<Value>() + if length == 0 { 0 } else { PIECE + length }
}

/// An object with members of these names, without their values.
pub(crate) fn object(names: impl Iterator<Item = usize>) -> usize {
    size_of::<Value>() + OBJECT + names.map(|length| MEMBER + length).sum::<usize>()
}

/// What the values of a text of this length may take.
pub(crate) fn most(length: usize) -> usize {
    length.saturating_mul(TIMES).max(ALWAYS)
}

/// Refuses what would take too much for a text of this length.
pub(crate) fn fits(bytes: usize, length: usize, what: &str) -> Result<(), NodeFailure> {
    let most = most(length);
    if bytes <= most {
        return Ok(());
    }
    let message = format!(
        "{what} would take more than {} MiB of memory as values, which is the limit for {} MB of text. Split it, or leave out columns or fields",
        most / (1024 * 1024),
        length.div_ceil(1_000_000)
    );
    Err(NodeFailure::validation("TOO_LARGE", message).detail("limit", most))
}

/// About what the values of a JSON text take. The text is not checked: whatever is no JSON is found when it is read.
pub(crate) fn of_json(text: &str) -> usize {
    if text.len().saturating_mul(MOST_A_BYTE) <= ALWAYS {
        return text.len();
    }
    let (mut bytes, mut in_string, mut escaped) = (text.len() + size_of::<Value>(), false, false);
    for byte in text.bytes() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        bytes += match byte {
            b'"' => {
                in_string = true;
                PIECE
            }
            // Each is followed by one more value. The first value of a list or an object is counted with its bracket, also where there
            // is none.
            b',' => size_of::<Value>(),
            b':' => MEMBER,
            b'[' => size_of::<Value>() + PIECE,
            b'{' => size_of::<Value>() + OBJECT,
            _ => 0,
        };
    }
    bytes
}

/// About what the values of a text in XML or TOML take, from above: every sign that can begin a value begins one.
pub(crate) fn of_markup(text: &str, signs: &[u8]) -> usize {
    text.len() + text.bytes().filter(|byte| signs.contains(byte)).count() * (size_of::<Value>() + MEMBER + PIECE)
}

#[cfg(test)]
mod tests {
    use super::{ALWAYS, fits, most, object, of_json, text};

    #[test]
    fn small_parts_are_counted_and_texts_are_not() {
        let numbers = format!("[{}0]", "0,".repeat(9_000_000));
        assert!(of_json(&numbers) > 9_000_000 * size_of::<serde_json::Value>());
        let failure = fits(of_json(&numbers), numbers.len(), "The text").expect_err("too many values");
        let limit = most(numbers.len()) as u64;
        assert_eq!((failure.code.as_str(), failure.details["limit"].as_u64()), ("TOO_LARGE", Some(limit)));
        let text = format!("[\"{}\\\",[{{\"]", ",".repeat(8_000_000));
        assert!(of_json(&text) < text.len() + 1_000, "what stands in a text is no value");
    }

    /// Rows of five short values, 49 bytes each, fit whatever the length of the table; rows of empty cells do not.
    #[test]
    fn a_longer_text_may_take_more() {
        assert_eq!((most(0), most(4_000_000), most(20_000_000)), (ALWAYS, ALWAYS, 480_000_000));
        let ordinary = object([2, 4, 4, 6, 3].into_iter()) + [7, 12, 7, 6, 10].into_iter().map(text).sum::<usize>();
        let empty = object([5; 2_000].into_iter()) + 2_000 * text(0);
        for length in [1_000_000, 20_000_000, 60_000_000] {
            assert!(fits(length / 49 * ordinary, length, "The table").is_ok(), "{length}");
        }
        assert!(fits(2_000 * empty, 2_000 * 2_000, "The table").is_err());
        assert!(fits(15_000 * empty, 15_000 * 2_000, "The table").is_err());
    }
}
