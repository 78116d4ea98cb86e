//! What an answer of a tool means: its payload, its envelope, and which error a failure is (PLATFORM, error mapping). A tool's
//! own wishes about retries and routes go to `details.toolSuggested` (TRUST, "Holes"): they decide nothing.

mod refusal;

use crate::formats;
use serde_json::{Map, Value, json};
use signalbox_engine::effect::Call;
use signalbox_engine::schema::Schema;
use signalbox_model::{ErrorPayload, ErrorType, NodeFailure, SuggestedAction, lossless, text::without_bom, time};
use signalbox_ports::Scrubber;
use signalbox_ports::llm::Part;
use signalbox_ports::tools::{ToolAnswer, ToolFailure, ToolFault, ToolInfo};
use std::sync::Arc;

/// Longest wait that a server may ask for (PLATFORM).
const LONGEST_WAIT_MS: u64 = 600_000;
/// Longest line of a summary.
const LINE: usize = 160;
/// Longest words of a tool in a message.
const WORDS: usize = 2_000;
/// In the details: what the arguments should have been. As `schema` it would be what the step's input should have been.
pub(crate) const ARGUMENTS_SCHEMA: &str = "argumentsSchema";

/// Largest schema that an error shows, bytes of compact JSON: an error stands in events, tasks and copies of both.
const LARGEST_SCHEMA: usize = 64 * 1024;

/// The failure with the arguments that the tool takes, unless they are too many to be shown.
pub(crate) fn with_arguments(failure: NodeFailure, info: &ToolInfo) -> NodeFailure {
    with_schema(failure, ARGUMENTS_SCHEMA, &info.input_schema)
}

fn with_schema(failure: NodeFailure, name: &str, schema: &Value) -> NodeFailure {
    if schema.to_string().len() > LARGEST_SCHEMA { failure } else { failure.detail(name, schema.clone()) }
}

/// An answer that can be used.
#[derive(Debug)]
pub(crate) struct Told {
    /// The normalised payload, `_result` (T-08, T-09).
    pub(crate) result: Value,
    /// The answer as it came, `_toolResult` (T-01).
    pub(crate) envelope: Value,
    /// Pictures that were taken out of it for a model.
    pub(crate) shown: Vec<Part>,
}

/// A value in one line.
pub(crate) fn summary(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut line: String = text.chars().take(LINE).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LINE).is_some() {
        line.push('…');
    }
    line
}

pub(crate) fn without_secrets(mut answer: ToolAnswer, scrubber: &Scrubber) -> ToolAnswer {
    answer.content.iter_mut().chain(answer.structured.as_mut()).for_each(|value| scrubber.value(value));
    answer
}

/// The tool's text parts, if it has no others.
fn words(content: &[Value]) -> Option<String> {
    let texts = content.iter().map(|part| part["text"].as_str().filter(|_| part["type"] == "text"));
    texts.collect::<Option<Vec<_>>>().map(|texts| texts.join("\n"))
}

/// The payload: structured where there is some, else JSON that stands in the text, else the text, else all parts.
fn payload_of(answer: &ToolAnswer) -> Value {
    if let Some(structured) = &answer.structured {
        return structured.clone();
    }
    match words(&answer.content) {
        // What a value cannot hold stays in the text.
        Some(text) => match serde_json::from_str::<Value>(without_bom(&text)) {
            Ok(value @ (Value::Object(_) | Value::Array(_))) if lossless::loss(&text).is_none() => value,
            _ => Value::String(text),
        },
        None => json!({ "content": answer.content }),
    }
}

/// What came, with what the protocol says about it beside it.
fn envelope(info: &ToolInfo, request: &str, answer: &ToolAnswer, raw: &Value, error: Value) -> Value {
    // A payload that is an envelope already keeps what it has beside its result.
    let mut all = match raw {
        Value::Object(fields) if fields.contains_key("result") => fields.clone(),
        other => Map::from_iter([("result".to_owned(), other.clone())]),
    };
    all.insert("requestId".into(), request.into());
    all.insert("status".into(), if answer.is_error { "error" } else { "ok" }.into());
    all.insert("error".into(), error);
    all.insert("provider".into(), format!("mcp://{}/{}", info.server, info.name).into());
    let (start, end) = (time::format(answer.started_ms), time::format(answer.ended_ms));
    all.insert("timings".into(), json!({ "start": start, "end": end }));
    all.insert("content".into(), answer.content.clone().into());
    Value::Object(all)
}

/// What an answer gives; an error comes with its envelope. `request` names the call; `told` completes a failure to the error
/// that the envelope has (T-01).
pub(crate) fn read(
    info: &ToolInfo,
    request: &str,
    answer: ToolAnswer,
    told: impl FnOnce(&NodeFailure, i64) -> ErrorPayload,
) -> Result<Told, (NodeFailure, Option<Value>)> {
    let raw = payload_of(&answer);
    if answer.is_error {
        let failure = tool_failure(info, &answer, &raw);
        let error = serde_json::to_value(told(&failure, answer.ended_ms)).unwrap_or_default();
        return Err((failure, Some(envelope(info, request, &answer, &raw, error))));
    }
    let changed = changed(info, &answer);
    let envelope = envelope(info, request, &answer, &raw, Value::Null);
    if let Some(failure) = changed {
        return Err((failure, Some(envelope)));
    }
    if let Err(failure) = keeps_promise(info, &raw) {
        return Err((failure, Some(envelope)));
    }
    let result = match raw {
        Value::Object(mut fields) if fields.contains_key("result") => fields.shift_remove("result").unwrap_or_default(),
        other => other,
    };
    Ok(Told { result, envelope, shown: Vec::new() })
}

/// A part of the structured answer that is another one than the server wrote: many servers write the same answer as text, too,
/// and there it is unchanged.
fn changed(info: &ToolInfo, answer: &ToolAnswer) -> Option<NodeFailure> {
    answer.structured.as_ref()?;
    let text = words(&answer.content).filter(|text| serde_json::from_str::<Value>(text).is_ok())?;
    let loss = lossless::loss(&text)?;
    let failure = formats::would_change(&loss, &format!("The answer of '{}'", info.name));
    Some(failure.detail("tool", info.name.clone()).maybe_happened())
}

/// The structured answer against the schema that was approved. That schema is none of the step's input, and the tool has done
/// its work: nothing is repaired and called again.
fn keeps_promise(info: &ToolInfo, raw: &Value) -> Result<(), NodeFailure> {
    let Some(schema) = &info.output_schema else { return Ok(()) };
    let mismatch = |message: String| {
        let failure = NodeFailure::validation("SCHEMA_MISMATCH", message).detail("tool", info.name.clone());
        with_schema(failure, "answerSchema", schema).maybe_happened()
    };
    let compiled = Schema::compile(schema)
        .map_err(|why| mismatch(format!("The answer of '{}' cannot be checked: {why}", info.name)))?;
    compiled.validate(raw).map_err(|found| {
        let told: Vec<Value> = found.iter().map(|one| json!({ "path": one.path, "message": one.message })).collect();
        let first = found.first().map_or_else(String::new, |one| format!(": {}", one.told()));
        mismatch(format!("The answer of '{}' is not what it promises{first}", info.name)).detail("violations", told)
    })
}

/// Codes by which the engine and the inbox decide something: a tool's word for them is none.
const OF_THE_ENGINE: [&str; 6] =
    ["BUDGET_EXCEEDED", "GUARDRAIL_BLOCKED", "INPUT_REQUIRED", "INTERRUPTED", "TOOL_APPROVAL", "TOOL_REFUSED"];

/// A tool says that it failed: its own code where it has one, else `TOOL_FAILED`. Trying again is for tools that say that twice
/// is as once.
fn tool_failure(info: &ToolInfo, answer: &ToolAnswer, raw: &Value) -> NodeFailure {
    let said = words(&answer.content).filter(|text| !text.trim().is_empty());
    let told = match raw.get("error") {
        Some(error @ Value::Object(_)) => error,
        _ => raw,
    };
    let own = |key: &str| told.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let message = own("message").map(str::to_owned).or(said).unwrap_or_else(|| "It did not say why".into());
    let message: String = message.chars().take(WORDS).collect();
    let good = |code: &&str| {
        code.len() <= 64 && code.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    let code = own("code").filter(good).filter(|code| !OF_THE_ENGINE.contains(code)).unwrap_or("TOOL_FAILED");
    let arguments = refusal::is_of_arguments(info, told, &message);
    if arguments {
        let words = format!("The tool '{}' refuses its arguments: {message}", info.name);
        let mut failure = NodeFailure::validation("INPUT_INVALID", words).detail("tool", info.name.clone());
        if let Some(code) = own("code") {
            failure = failure.detail("toolCode", code);
        }
        return with_arguments(failure, info);
    }
    let mut failure = NodeFailure::tool(code, message).detail("tool", info.name.clone());
    let wishes: Map<String, Value> = ["retryable", "suggestedAction", "attempt", "maxAttempts"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), told.get(key)?.clone())))
        .collect();
    if !wishes.is_empty() {
        failure = failure.detail("toolSuggested", Value::Object(wishes));
    }
    if info.idempotent || info.read_only { failure.retryable() } else { failure }
}

/// The approved server has no such tool.
pub(crate) fn unknown(server: &str, tool: &str) -> NodeFailure {
    NodeFailure::tool("TOOL_NOT_FOUND", format!("The server '{server}' has no tool '{tool}'")).detail("tool", tool)
}

/// The tool is there and was approved, and cannot be called all the same: nothing that a step says would help.
pub(crate) fn unusable(info: &ToolInfo, why: &str) -> NodeFailure {
    let words = format!("The tool '{}/{}' cannot be used: {}", info.server, info.name, why.trim_end_matches('.'));
    NodeFailure::tool("TOOL_UNUSABLE", words)
        .suggest(SuggestedAction::HumanReview)
        .detail("tool", info.name.clone())
        .detail("server", info.server.clone())
}

/// Why nothing could be checked of a tool with these schemas, a sentence without a full stop. Without the one of its answers it would
/// do its work, and the step would fail all the same.
pub fn unchecked(input: &Value, output: Option<&Value>) -> Option<String> {
    let told = |what: &str, schema: &Value| {
        let why = Schema::refusal(schema)?;
        Some(format!("{what} cannot be checked: {}", why.trim_end_matches('.')))
    };
    told("Its arguments", input).or_else(|| told("Its answer", output?))
}

/// What the arguments of a tool are checked against; it is not called, and not offered, without.
pub(crate) fn schema_of(info: &ToolInfo) -> Result<Arc<Schema>, NodeFailure> {
    if let Some(why) = &info.unusable {
        return Err(unusable(info, why));
    }
    if let Some(why) = unchecked(&info.input_schema, info.output_schema.as_ref()) {
        return Err(unusable(info, &why));
    }
    // One with very many patterns is compiled here first.
    Schema::compile(&info.input_schema)
        .map_err(|why| unusable(info, &format!("Its arguments cannot be checked: {why}")))
}

/// Whether a call that was under way may have done its work.
fn leaves_open(fault: ToolFault) -> bool {
    use ToolFault as F;
    matches!(
        fault,
        F::Broken | F::Cut | F::Timeout | F::BadAnswer | F::Digits | F::DuplicateMember | F::TooLarge | F::QuestionGone
    )
}

/// Which error a failure is.
pub(crate) fn failed(failure: ToolFailure, info: Option<&ToolInfo>) -> NodeFailure {
    let ToolFailure { fault, message, stderr, retry_after_ms, sent, asks: _ } = failure;
    let tool = |code: &str| NodeFailure::tool(code, message.clone());
    let of = |kind: ErrorType, code: &str| NodeFailure::new(kind, code, message.clone());
    let wait = retry_after_ms.filter(|wait| *wait <= LONGEST_WAIT_MS);
    let person = SuggestedAction::HumanReview;
    let mut told = match fault {
        ToolFault::NotConfigured => tool("TOOL_SERVER_MISSING").suggest(person),
        ToolFault::NotApproved => tool("TOOL_NOT_APPROVED").suggest(person),
        ToolFault::NotFound => tool("TOOL_NOT_FOUND"),
        ToolFault::Secret => tool("SECRET_UNAVAILABLE").suggest(person),
        ToolFault::Auth => tool("AUTH").suggest(person),
        // A server that wants to rest longer than this is not asked again.
        ToolFault::RateLimit if retry_after_ms.is_some() && wait.is_none() => tool("RATE_LIMIT"),
        ToolFault::RateLimit => tool("RATE_LIMIT").retryable(),
        ToolFault::Unavailable => tool("SERVICE_UNAVAILABLE").retryable(),
        ToolFault::Broken => tool("SERVICE_UNAVAILABLE").retryable(),
        ToolFault::HttpStatus => tool("HTTP_STATUS"),
        ToolFault::BadArguments => of(ErrorType::ValidationError, "INPUT_INVALID"),
        ToolFault::Unsupported => tool("UNSUPPORTED_OPERATION"),
        ToolFault::Internal => tool("INTERNAL").retryable(),
        ToolFault::Connect => of(ErrorType::NetworkError, "CONNECTION").retryable(),
        ToolFault::Cut => of(ErrorType::NetworkError, "CONNECTION").retryable(),
        ToolFault::Timeout => of(ErrorType::Timeout, "TIMEOUT").retryable(),
        // A question is none; whoever can ask nobody has got an answer that it cannot use.
        ToolFault::BadAnswer | ToolFault::Asks => tool("INTERNAL"),
        ToolFault::QuestionGone => tool("INPUT_LOST").retryable(),
        ToolFault::Digits => of(ErrorType::ValidationError, "NUMBER_TOO_LONG"),
        ToolFault::DuplicateMember => of(ErrorType::ValidationError, "DUPLICATE_MEMBER"),
        ToolFault::TooLarge => of(ErrorType::ValidationError, "TOO_LARGE"),
    };
    // Before the tool was asked nothing happened, whatever went wrong.
    if sent && leaves_open(fault) {
        told = told.maybe_happened();
    }
    told.retry_after_ms = wait;
    if let Some(info) = info {
        told = told.detail("tool", info.name.clone()).detail("server", info.server.clone());
        if fault == ToolFault::BadArguments {
            told = with_arguments(told, info);
        }
    }
    match stderr {
        Some(stderr) => told.detail("stderr", stderr),
        None => told,
    }
}

/// The error of a step that hands its item on as the arguments: what they should have been is what the item should have been,
/// so that it can be repaired and corrected.
pub(crate) fn of_item(failure: NodeFailure) -> NodeFailure {
    match failure.details.get(ARGUMENTS_SCHEMA).cloned() {
        Some(schema) => failure.detail("schema", schema),
        None => failure,
    }
}

/// `_result` of a tool that may fail (T-07).
pub(crate) fn allowed(tool: &str, failure: &NodeFailure) -> Value {
    json!({
        "ok": false,
        "tool": tool,
        "error": { "type": failure.error_type, "message": failure.message, "details": failure.details_with_code() },
    })
}

/// The error as `tool_error` shows it; the engine makes the one that routes.
pub(crate) fn payload(call: &Call, failure: &NodeFailure, now_ms: i64) -> ErrorPayload {
    let mut details = failure.details_with_code();
    if failure.may_have_happened {
        details.insert("effect".into(), "unknown".into());
    }
    ErrorPayload {
        error_type: failure.error_type,
        message: failure.message.clone(),
        // Every call of a tool is `write` and `ask` (K-43).
        retryable: failure.retryable && !failure.may_have_happened,
        origin_node: call.node_id.to_string(),
        origin_run_id: Some(call.run_id.to_string()),
        attempt: None,
        max_attempts: None,
        timestamp: time::format(now_ms),
        suggested_action: if failure.may_have_happened {
            Some(SuggestedAction::HumanReview)
        } else {
            failure.suggested_action
        },
        provenance_ref: None,
        // Only the engine knows whether the caller of the run sent one.
        trace_id: None,
        details: Some(details),
    }
}

#[cfg(test)]
mod tests;
