//! `flow.fail`: fails with an error of the author's words. Its one port is `error`.

use crate::support::{kind_of, wrong_setting};
use crate::{Kind, Outcome};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction};

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let null = Value::Null;
    let error = slot.config.get("error").unwrap_or(&null);
    if !error.is_object() {
        return Err(wrong_setting("error", "an object", error));
    }
    let message = match error.get("message") {
        Some(Value::String(text)) => text.clone(),
        Some(other) if !other.is_null() => other.to_string(),
        _ => return Err(wrong_setting("error.message", "text", &Value::Null)),
    };
    let error_type = match error.get("type") {
        None | Some(Value::Null) => ErrorType::UnknownError,
        Some(name) => serde_json::from_value(name.clone()).map_err(|_| {
            NodeFailure::validation(
                "INPUT_INVALID",
                format!(
                    "The setting 'error.type' must be ToolError, LLMError, NetworkError, ValidationError, Timeout or \
                     UnknownError, but it is {}",
                    name.as_str().unwrap_or(kind_of(name))
                ),
            )
        })?,
    };
    let mut failure = NodeFailure::new(error_type, "FAILED", message);
    if let Some(details) = error.get("details").and_then(Value::as_object) {
        failure.details.clone_from(details);
        if let Some(Value::String(code)) = failure.details.shift_remove("code") {
            failure.code = code;
        }
        // The engine's own count: an approval of more money begins there.
        failure.details.shift_remove("runSpentMicros");
    }
    failure.retryable = error.get("retryable").and_then(Value::as_bool).unwrap_or(false);
    failure.suggested_action = failure.retryable.then_some(SuggestedAction::Retry);
    Err(failure)
}
