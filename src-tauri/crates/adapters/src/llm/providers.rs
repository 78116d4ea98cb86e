//! The kinds of providers.

use super::anthropic::Anthropic;
use super::ollama::Ollama;
use super::openai::Openai;
use super::protocol::Protocol;
use serde_json::Value;
use signalbox_ports::llm::ProviderKind;

/// In the order in which an answer is compared with them.
const ALL: [&dyn Protocol; 3] = [&Anthropic, &Openai, &Ollama];

/// How a kind of provider is spoken to.
pub(super) fn of(kind: ProviderKind) -> &'static dyn Protocol {
    match kind {
        ProviderKind::Anthropic => &Anthropic,
        ProviderKind::Openai => &Openai,
        ProviderKind::Ollama => &Ollama,
    }
}

/// The protocol in which a piece of a stream, or a whole answer, is written, where it can be told.
pub(super) fn of_answer(event: &Value) -> Option<&'static dyn Protocol> {
    ALL.into_iter().find(|protocol| protocol.recognizes(event))
}

#[cfg(test)]
mod tests {
    use super::{ALL, of, of_answer};
    use serde_json::json;

    #[test]
    fn every_kind_has_its_protocol_and_recognizes_only_its_own_answers() {
        let answers = [
            json!({ "type": "message_start" }),
            json!({ "object": "chat.completion.chunk", "choices": [] }),
            json!({ "done": false, "message": {} }),
        ];
        for (protocol, answer) in ALL.into_iter().zip(&answers) {
            assert_eq!(of(protocol.kind()).kind(), protocol.kind());
            let recognized = of_answer(answer).map(|found| found.kind());
            assert_eq!(recognized, Some(protocol.kind()), "{}", protocol.name());
            let others = answers.iter().filter(|other| *other != answer);
            assert!(!others.into_iter().any(|other| protocol.recognizes(other)), "{}", protocol.name());
        }
        assert!(of_answer(&json!({ "error": "no" })).is_none());
    }
}
