//! Requests of the protocol and what their answers mean.

use crate::formats;
use serde_json::{Value, json};
use signalbox_model::{NodeFailure, SuggestedAction};

/// One message of a person or a workflow to an agent.
pub(crate) fn message(id: &str, parts: Vec<Value>, task_id: Option<&str>, context_id: Option<&str>) -> Value {
    let mut message = json!({ "messageId": id, "role": "ROLE_USER", "parts": parts });
    if let Some(task_id) = task_id {
        message["taskId"] = task_id.into();
    }
    if let Some(context_id) = context_id {
        message["contextId"] = context_id.into();
    }
    message
}

/// A request; `tenant` goes into every one where the interface names it.
pub(crate) fn request(method: &str, mut params: Value, tenant: Option<&str>) -> Value {
    if let Some(tenant) = tenant {
        params["tenant"] = tenant.into();
    }
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// The result in an answer, or what its error means.
pub(crate) fn result(body: &[u8]) -> Result<Value, NodeFailure> {
    let bad = |why: &str| {
        let words = format!("The agent's answer is not valid: {why}");
        NodeFailure::tool("AGENT_ANSWER", words).maybe_happened()
    };
    let text = std::str::from_utf8(body).map_err(|_| bad("it is not text in UTF-8"))?;
    let mut answer = formats::parse_json(text, "The agent's answer").map_err(NodeFailure::maybe_happened)?;
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(of_error(error));
    }
    match answer.get_mut("result").map(Value::take) {
        Some(result) if result.is_object() => Ok(result),
        _ => Err(bad("it has neither 'result' nor 'error'")),
    }
}

fn of_error(error: &Value) -> NodeFailure {
    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
    let said: String = error.get("message").and_then(Value::as_str).unwrap_or_default().chars().take(500).collect();
    let said = said.trim().trim_end_matches('.').to_owned();
    let words = |what: &str| if said.is_empty() { what.to_owned() } else { format!("{what}: {said}") };
    let failure = match code {
        -32001 => NodeFailure::tool("AGENT_TASK_GONE", words("The agent no longer knows the task")),
        -32601 | -32004 | -32009 => {
            NodeFailure::tool("UNSUPPORTED_OPERATION", words("The agent does not support the request"))
        }
        -32602 | -32005 => NodeFailure::validation("INPUT_INVALID", words("The agent refused the message"))
            .suggest(SuggestedAction::AutoFix),
        -32603 => {
            NodeFailure::tool("INTERNAL", words("The agent reported an internal error")).retryable().maybe_happened()
        }
        _ => NodeFailure::tool("AGENT_ERROR", words("The agent refused the request")),
    };
    failure.detail("rpcCode", code)
}
