//! Tokens of an exchange whose endpoint tells none: rather too many than too few, so that budgets end (ADR 56).

use signalbox_ports::llm::{AnswerForm, LlmAnswer, LlmRequest, Part};

/// Bytes of text that are a token: English has about four, other scripts and numbers two to three.
const BYTES: u64 = 2;
/// Tokens around a message, a tool or a call of one.
const AROUND: u64 = 8;
/// Tokens of a picture: no provider counts more for one.
const PICTURE: u64 = 5_000;

/// Puts estimates where the provider left out what it counted. No question has no tokens, and no answer of some words.
pub(super) fn complete(request: &LlmRequest, answer: &mut LlmAnswer) {
    if answer.usage.input_tokens == 0 {
        answer.usage.input_tokens = question(request);
        answer.usage.estimated = true;
    }
    if answer.usage.output_tokens == 0 && !answer.parts.is_empty() {
        answer.usage.output_tokens = AROUND + answer.parts.iter().map(part).sum::<u64>();
        answer.usage.estimated = true;
    }
}

fn text(text: &str) -> u64 {
    (text.len() as u64).div_ceil(BYTES)
}

fn question(request: &LlmRequest) -> u64 {
    let system = request.system.as_deref().map_or(0, text);
    let messages = request.messages.iter().map(|one| AROUND + one.parts.iter().map(part).sum::<u64>());
    let tools = request
        .tools
        .iter()
        .map(|tool| AROUND + text(&tool.name) + text(&tool.description) + text(&tool.schema.to_string()));
    let form = match &request.form {
        Some(AnswerForm::JsonSchema(schema)) => text(&schema.to_string()),
        Some(AnswerForm::JsonObject) | None => 0,
    };
    AROUND + system + form + messages.sum::<u64>() + tools.sum::<u64>()
}

fn part(part: &Part) -> u64 {
    match part {
        Part::Text(words) => text(words),
        Part::Image { .. } => PICTURE,
        Part::Thinking { text: words, .. } => text(words),
        Part::ToolUse(used) => AROUND + text(&used.name) + text(&used.input.to_string()),
        Part::ToolResult(result) => AROUND + text(&result.content),
    }
}
