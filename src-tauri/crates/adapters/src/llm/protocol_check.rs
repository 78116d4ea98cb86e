//! Which of the three kinds an answer is written in: a provider that is registered as another one answers well, and nothing of it is understood.

use super::fault::{self, Who};
use super::response_stream::{Reader, Written};
use serde_json::Value;
use signalbox_ports::llm::{DeltaSink, LlmAnswer, LlmFailure, ProviderKind};

/// Types of the pieces of an Anthropic stream.
const ANTHROPIC: [&str; 8] = [
    "content_block_delta",
    "content_block_start",
    "content_block_stop",
    "message",
    "message_delta",
    "message_start",
    "message_stop",
    "ping",
];

/// The kind of a piece or of a whole answer, where it tells one.
fn kind_of(event: &Value) -> Option<ProviderKind> {
    if event["type"].as_str().is_some_and(|kind| ANTHROPIC.contains(&kind)) {
        return Some(ProviderKind::Anthropic);
    }
    let object = event["object"].as_str().unwrap_or_default();
    if event["choices"].is_array() || object.starts_with("chat.completion") {
        return Some(ProviderKind::Openai);
    }
    event["done"].is_boolean().then_some(ProviderKind::Ollama)
}

fn words(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Anthropic => "Anthropic",
        ProviderKind::Openai => "OpenAI",
        ProviderKind::Ollama => "Ollama",
    }
}

/// Who writes lines of JSON like the first of these, where it tells.
pub(super) fn of_lines(body: &[u8]) -> Option<&'static str> {
    let first = body.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty())?;
    kind_of(&serde_json::from_slice(first).ok()?).map(words)
}

/// A reader, and what was read by whom it may have been written.
pub(super) struct Heard {
    reader: Box<dyn Reader>,
    kind: ProviderKind,
    /// Something came that is written as it was expected.
    own: bool,
    /// Something else came.
    any: bool,
    other: Option<ProviderKind>,
}

impl Heard {
    pub(super) fn by(kind: ProviderKind, reader: Box<dyn Reader>) -> Self {
        Self { reader, kind, own: false, any: false, other: None }
    }

    fn note(&mut self, event: &Value) {
        match kind_of(event) {
            Some(kind) if kind == self.kind => self.own = true,
            other => {
                self.any = true;
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
        !self.own && !self.any
    }

    /// The answer. One that ended in order without a piece of its kind was not cut off: asked again it says the same.
    pub(super) fn end(self, who: &Who, written: Written) -> Result<LlmAnswer, LlmFailure> {
        let Self { reader, kind, own, any, other } = self;
        reader.end().ok_or_else(|| match (other, written) {
            (Some(other), _) if !own => {
                fault::bad_answer(who, &format!("it speaks like {}, not like {}", words(other), words(kind)))
            }
            // It came as a whole: nothing was cut off.
            (_, Written::Whole) => fault::bad_answer(who, "it is JSON without an answer in it"),
            (None, Written::Events | Written::Lines) if any && !own => {
                fault::bad_answer(who, &format!("nothing of it is as {} writes it", words(kind)))
            }
            (_, Written::Events | Written::Lines) => fault::cut(who),
        })
    }
}
