//! Pictures that a model or its provider does not take. They say so in many ways, and some servers for words alone say only
//! that a message must be a text.

use super::fault::{self, Who};
use signalbox_ports::llm::{LlmFailure, LlmFault, LlmRequest, Part};

/// Whether a question has pictures.
pub(super) fn has(request: &LlmRequest) -> bool {
    request.messages.iter().flat_map(|message| &message.parts).any(|part| matches!(part, Part::Image { .. }))
}

/// No pictures can go there.
pub(super) fn none(who: &Who, why: &str) -> LlmFailure {
    let words = format!("{who} takes no pictures: {why}. Choose a model that sees, or leave 'images' empty");
    fault::new(LlmFault::NoImages, words)
}

/// A refused question with pictures: whether it was refused for having any.
pub(super) fn meant(who: &Who, failure: LlmFailure) -> LlmFailure {
    let may_mean = matches!(failure.fault, LlmFault::BadRequest | LlmFault::HttpStatus | LlmFault::Unavailable);
    let said = failure.message.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let about = has(&["image", "picture", "vision", "multimodal", "multi-modal", "mmproj"]);
    let never = has(&[
        "not support",
        "unsupported",
        "n't support",
        "not a multimodal",
        "not multimodal",
        "not a vision",
        "no vision",
        "not accept",
        "unknown variant",
        "only text",
        "text only",
        "text-only",
        "mmproj",
        "not allowed",
        "not enabled",
        "no endpoint",
    ]);
    // A picture that is wrong, or too large, is another matter.
    let this_one = has(&["media type", "media_type", "mime", "format", "too large", "exceed", "too many", "decode"]);
    let as_text =
        said.contains("content") && has(&["must be a string", "expected a string", "expected string", "valid string"]);
    if may_mean && ((about && never && !this_one) || as_text) {
        let said: String = failure.message.chars().take(300).collect();
        return LlmFailure { status: failure.status, ..none(who, &said) };
    }
    failure
}
