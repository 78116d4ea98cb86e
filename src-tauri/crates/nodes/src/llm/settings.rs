//! Settings that the kinds which ask models have in common.

use crate::support::{flag, kind_of, setting, whole, whole_of, wrong_setting};
use serde_json::Value;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::llm::{EmbedRequest, LlmRequest, Message, ProviderChoice, ProviderKind};
use std::time::Duration;

/// Of an answer, where the step says nothing.
const MAX_TOKENS: u32 = 16_384;
/// Of a question, where the step has no time limit.
const LONGEST: Duration = Duration::from_mins(10);

/// A whole number in a range.
pub(crate) fn number(slot: &CallSlot, field: &str, least: u64, most: u64) -> Result<Option<u32>, NodeFailure> {
    Ok(whole(slot, field, least, most)?.map(short))
}

/// The same of a value that is there.
pub(crate) fn number_of(field: &str, value: &Value, least: u64, most: u64) -> Result<u32, NodeFailure> {
    whole_of(field, value, least, most).map(short)
}

fn short(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn words(value: Option<&Value>) -> Option<&str> {
    value?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// Who is asked: the step's own setting, then the workflow's (K-41). What is empty is completed by the machine's default.
fn who(call: &Call, slot: &CallSlot) -> Result<(ProviderChoice, String), NodeFailure> {
    let workflow = call.model.as_deref();
    let of_workflow = |field: &str| words(workflow.and_then(|model| model.get(field)));
    let model = words(slot.config.get("model")).or_else(|| of_workflow("model")).or_else(|| words(workflow));
    let provider = match setting(slot, "provider") {
        None => ProviderChoice::Named(of_workflow("provider").unwrap_or_default().to_owned()),
        Some(Value::String(name)) if name.trim().is_empty() => {
            ProviderChoice::Named(of_workflow("provider").unwrap_or_default().to_owned())
        }
        Some(Value::String(name)) => ProviderChoice::Named(name.trim().to_owned()),
        Some(value) => named_or_inline("provider", value)?,
    };
    Ok((provider, model.unwrap_or_default().to_owned()))
}

/// A provider as a setting says it.
fn named_or_inline(field: &str, value: &Value) -> Result<ProviderChoice, NodeFailure> {
    match value {
        Value::String(name) => Ok(ProviderChoice::Named(name.trim().to_owned())),
        Value::Object(inline) => {
            let kind = match words(inline.get("kind")) {
                Some("openai") => ProviderKind::Openai,
                Some("anthropic") => ProviderKind::Anthropic,
                Some("ollama") => ProviderKind::Ollama,
                _ => {
                    let words = format!("'{field}.kind' is openai, anthropic or ollama");
                    return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", field));
                }
            };
            let Some(base_url) = words(inline.get("baseUrl")) else {
                let words = format!("'{field}.baseUrl' is missing: the address without the path of the call");
                return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", field));
            };
            Ok(ProviderChoice::Inline { kind, base_url: base_url.to_owned() })
        }
        other => {
            let wanted = "the name of a provider of this machine, or {kind, baseUrl} of one on this machine";
            Err(wrong_setting(field, wanted, other))
        }
    }
}

/// Vectors of texts by the settings of a step; `None` where it names no embedding model.
pub(crate) fn embedding(call: &Call, slot: &CallSlot) -> Result<Option<EmbedRequest>, NodeFailure> {
    let Some(model) = words(slot.config.get("embeddingModel")) else { return Ok(None) };
    let provider = match setting(slot, "embeddingProvider") {
        None => ProviderChoice::Named(String::new()),
        Some(value) => named_or_inline("embeddingProvider", value)?,
    };
    Ok(Some(EmbedRequest {
        provider,
        model: model.to_owned(),
        texts: Vec::new(),
        loopback_allowed: call.loopback_allowed,
        timeout: call.timeout_ms.map_or(LONGEST, Duration::from_millis),
        budget: Some(call.budget.clone()),
    }))
}

/// A question to who is named, else to who answers the steps of the workflow.
pub(crate) fn question(
    call: &Call,
    (provider, model): (Option<&str>, Option<&str>),
    system: String,
    messages: Vec<Message>,
) -> Result<LlmRequest, NodeFailure> {
    let workflow = call.model.as_deref();
    let of_workflow = |field: &str| words(workflow.and_then(|model| model.get(field))).map(str::to_owned);
    let given = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let provider = given(provider).or_else(|| of_workflow("provider")).unwrap_or_default();
    let model = given(model).or_else(|| of_workflow("model")).or_else(|| words(workflow).map(str::to_owned));
    Ok(LlmRequest {
        provider: ProviderChoice::Named(provider),
        model: model.unwrap_or_default(),
        system: Some(system),
        messages,
        tools: Vec::new(),
        form: None,
        temperature: Some(0.0),
        max_tokens: MAX_TOKENS,
        thinking_budget: None,
        stream: false,
        loopback_allowed: call.loopback_allowed,
        timeout: call.timeout_ms.map_or(LONGEST, Duration::from_millis),
        budget: Some(call.budget.clone()),
    })
}

/// A question by the settings of a step.
pub(crate) fn request(
    call: &Call,
    slot: &CallSlot,
    system: Option<String>,
    messages: Vec<Message>,
) -> Result<LlmRequest, NodeFailure> {
    let (provider, model) = who(call, slot)?;
    let temperature = match setting(slot, "temperature") {
        None => None,
        Some(value) => {
            let number = value.as_f64().filter(|number| (0.0..=2.0).contains(number));
            Some(number.ok_or_else(|| wrong_setting("temperature", "a number from 0 to 2", value))?)
        }
    };
    Ok(LlmRequest {
        provider,
        model,
        system,
        messages,
        tools: Vec::new(),
        form: None,
        temperature,
        max_tokens: number(slot, "maxTokens", 1, 1_000_000)?.unwrap_or(MAX_TOKENS),
        thinking_budget: number(slot, "thinking", 0, 1_000_000)?.filter(|budget| *budget > 0),
        stream: flag(slot, "stream", true)?,
        loopback_allowed: call.loopback_allowed,
        timeout: call.timeout_ms.map_or(LONGEST, Duration::from_millis),
        budget: Some(call.budget.clone()),
    })
}

/// Texts of a list; numbers are taken as texts (K-42).
pub(crate) fn texts(slot: &CallSlot, field: &str) -> Result<Vec<String>, NodeFailure> {
    let list = match setting(slot, field) {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(wrong_setting(field, "a list of texts", other)),
    };
    let one = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(NodeFailure::validation(
            "INPUT_INVALID",
            format!("The list '{field}' holds {}, but only texts fit", kind_of(other)),
        )
        .detail("field", field)),
    };
    list.iter().map(one).collect()
}

/// A tool that is both added and taken away.
pub(crate) fn both(name: String) -> NodeFailure {
    NodeFailure::validation("INPUT_INVALID", format!("The tool '{name}' is both added and taken away"))
        .detail("field", "tools")
}
