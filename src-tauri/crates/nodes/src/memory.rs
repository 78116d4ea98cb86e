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
    if text.len().saturating_mul(MOST_A_BYTE) <= ALWAYS { text.len() } else { of_text(text) }
}

/// The same, also of a short one.
pub(crate) fn of_text(text: &str) -> usize {
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
mod tests;
