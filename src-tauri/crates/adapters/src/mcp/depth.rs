//! Messages that the library does not read as they are. What is nested too deep it passes over in silence, and whoever waits for
//! the answer would wait until his time is over (TRUST, 18). Numbers that do not fit become others (ADR 84), and of a
//! member that occurs twice one value is lost.

use rmcp::model::RequestId;
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_model::lossless;

/// Deepest nesting of one message.
pub(super) const DEEPEST: usize = 127;

/// How deep the JSON is that comes byte by byte. What begins otherwise than an object is no message, and has no depth.
#[derive(Debug, Default)]
pub(super) struct Depth {
    level: usize,
    begun: bool,
    no_message: bool,
    in_text: bool,
    escaped: bool,
}

impl Depth {
    /// Takes the next byte; true when this is deeper than [`DEEPEST`].
    pub(super) fn take(&mut self, byte: u8) -> bool {
        if !self.begun {
            self.begun = !byte.is_ascii_whitespace();
            self.no_message = self.begun && byte != b'{';
        }
        if self.no_message {
            return false;
        }
        if self.in_text {
            self.in_text = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            return false;
        }
        match byte {
            b'"' => self.in_text = true,
            b'{' | b'[' => self.level += 1,
            b'}' | b']' => self.level = self.level.saturating_sub(1),
            _ => {}
        }
        self.level > DEEPEST
    }
}

/// What stands in the place of an answer that is too deep: an error for whoever asked, in the words of [`is_told`].
pub(super) fn instead(message: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        id: Option<Value>,
    }
    let mut depth = Depth::default();
    let words = if message.bytes().any(|byte| depth.take(byte)) {
        WORDS.to_owned()
    } else {
        format!("{CHANGED}{}", lossless::loss_below(message, "result.structuredContent")?.told())
    };
    // What is not read of it may be as deep as it likes.
    let Head { id } = serde_json::from_str(message).ok()?;
    Some(json!({ "jsonrpc": "2.0", "id": id?, "error": { "code": CODE, "message": words } }).to_string())
}

/// An error response that replaces an event that is too large. It begins with an empty line, which ends the incomplete event.
pub(super) fn too_large_event(asked: &RequestId, limit: usize) -> String {
    let words = format!("{CHANGED}more than {} MiB{TOO_LARGE}", limit / (1024 * 1024));
    let error = json!({ "jsonrpc": "2.0", "id": asked, "error": { "code": CODE, "message": words } });
    format!("\n\ndata: {error}\n\n")
}

pub(super) const CODE: i32 = -32_700;
const WORDS: &str = "signalbox: deeper than a message may be";
const TOO_LARGE: &str = " in one message";

/// The beginning of the words about a part of an answer that would change.
const CHANGED: &str = "signalbox: ";

/// How words about a member begin.
pub(super) const MEMBER: &str = "the member ";

/// What an error of [`instead`] says about a number, or about a member that occurs twice.
pub(super) fn change_told(code: i32, words: &str) -> Option<&str> {
    let is_change = |words: &&str| words.starts_with("the number ") || words.starts_with(MEMBER);
    words.strip_prefix(CHANGED).filter(|words| code == CODE && is_change(words))
}

/// What an error of [`too_large_event`] says.
pub(super) fn too_large_told(code: i32, words: &str) -> Option<&str> {
    words
        .strip_prefix(CHANGED)
        .filter(|words| code == CODE && words.starts_with("more than ") && words.ends_with(TOO_LARGE))
}

/// Whether an error is what [`instead`] wrote.
pub(super) fn is_told(code: i32, words: &str) -> bool {
    code == CODE && words == WORDS
}

#[cfg(test)]
mod tests;
