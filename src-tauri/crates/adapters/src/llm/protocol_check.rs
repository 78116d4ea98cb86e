//! Which protocol an answer is written in: a provider that is registered as another kind answers well, and nothing of it is
//! understood.

use super::fault::{self, Who};
use super::protocol::Protocol;
use super::providers;
use super::response_stream::{Reader, Written};
use serde_json::Value;
use signalbox_ports::llm::{DeltaSink, LlmAnswer, LlmFailure};

/// Who writes lines of JSON like the first of these, where it tells.
pub(super) fn of_lines(body: &[u8]) -> Option<&'static str> {
    let first = body.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty())?;
    providers::of_answer(&serde_json::from_slice(first).ok()?).map(Protocol::name)
}

/// Reads an answer and notes which protocol its pieces are written in.
pub(super) struct CheckedReader {
    reader: Box<dyn Reader>,
    protocol: &'static dyn Protocol,
    /// A piece came that is written in the expected protocol.
    is_expected: bool,
    /// Another piece came.
    has_others: bool,
    /// The protocol of the first piece that is known to be written in another one.
    other: Option<&'static dyn Protocol>,
}

impl CheckedReader {
    pub(super) fn new(protocol: &'static dyn Protocol, reader: Box<dyn Reader>) -> Self {
        Self { reader, protocol, is_expected: false, has_others: false, other: None }
    }

    fn note(&mut self, event: &Value) {
        match providers::of_answer(event) {
            Some(found) if found.kind() == self.protocol.kind() => self.is_expected = true,
            other => {
                self.has_others = true;
                self.other = self.other.or(other);
            }
        }
    }

    pub(super) fn event(&mut self, event: &Value, hearer: &dyn DeltaSink) -> bool {
        self.note(event);
        self.reader.event(event, hearer)
    }

    pub(super) fn whole(&mut self, body: &Value, hearer: &dyn DeltaSink) {
        self.note(body);
        self.reader.whole(body, hearer);
    }

    /// Nothing came at all.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_expected && !self.has_others
    }

    /// The answer. One that ended in order without a piece of its protocol was not cut off: asked again it says the same.
    pub(super) fn end(self, who: &Who, written: Written) -> Result<LlmAnswer, LlmFailure> {
        let Self { reader, protocol, is_expected, has_others, other } = self;
        let name = protocol.name();
        reader.end().ok_or_else(|| match (other, written) {
            (Some(other), _) if !is_expected => {
                fault::bad_answer(who, &format!("it is written in the format of {}, not of {name}", other.name()))
            }
            // It came as a whole: nothing was cut off.
            (_, Written::Whole) => fault::bad_answer(who, "it is JSON without an answer in it"),
            (None, Written::Events | Written::Lines) if has_others && !is_expected => {
                fault::bad_answer(who, &format!("none of it is in the format of {name}"))
            }
            (_, Written::Events | Written::Lines) => fault::cut(who),
        })
    }
}
