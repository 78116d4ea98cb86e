//! What values take in memory, estimated from their text before they are built: a text that is made of small parts takes many times
//! its size (ADR 85). The figures are those by which the engine measures what a step hands on.

use serde_json::Value;
use signalbox_model::NodeFailure;

/// What the values of one text may take.
pub(crate) const MOST: usize = 256 * 1024 * 1024;
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

/// Refuses what would take too much.
pub(crate) fn fits(bytes: usize, what: &str) -> Result<(), NodeFailure> {
    if bytes <= MOST {
        return Ok(());
    }
    let message = format!(
        "{what} would take more than {} MiB of memory as values, which is the limit. Split it, or leave out columns or fields",
        MOST / (1024 * 1024)
    );
    Err(NodeFailure::validation("TOO_LARGE", message).detail("limit", MOST))
}

/// About what the values of a JSON text take. The text is not checked: whatever is no JSON is found when it is read.
pub(crate) fn of_json(text: &str) -> usize {
    if text.len().saturating_mul(MOST_A_BYTE) <= MOST {
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

#[cfg(test)]
mod tests {
    use super::{MOST, fits, of_json};

    #[test]
    fn small_parts_are_counted_and_texts_are_not() {
        let numbers = format!("[{}0]", "0,".repeat(9_000_000));
        assert!(of_json(&numbers) > 9_000_000 * size_of::<serde_json::Value>());
        let failure = fits(of_json(&numbers), "The text").expect_err("too many values");
        assert_eq!((failure.code.as_str(), failure.details["limit"].as_u64()), ("TOO_LARGE", Some(MOST as u64)));
        let text = format!("[\"{}\\\",[{{\"]", ",".repeat(8_000_000));
        assert!(of_json(&text) < text.len() + 1_000, "what stands in a text is no value");
    }
}
