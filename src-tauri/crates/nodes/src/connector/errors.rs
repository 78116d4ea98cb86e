//! What a response means: its status, and the rules of the connector.

use super::graphql;
use crate::http_answer;
use crate::http_header::header;
use serde_json::Value;
use signalbox_model::connector::{ErrorClass, ErrorRule};
use signalbox_model::{Connector, ErrorType, NodeFailure, Operation, SuggestedAction};
use signalbox_ports::HttpResponse;

/// Longest message of a service that is repeated, in characters.
const LONGEST: usize = 500;

/// What a service that does not let the caller in does, by whether the step has a credential.
pub(super) fn refusal(has_credential: bool) -> &'static str {
    if has_credential { "refuses the credential" } else { "wants a credential, and this step has none" }
}

/// Why a response is an error; nothing when it is a success.
pub(crate) fn failure(
    connector: &Connector,
    operation: &Operation,
    (answer, has_credential): (&HttpResponse, bool),
    body: &Value,
    now_ms: i64,
) -> Option<NodeFailure> {
    let rule = operation.errors.iter().chain(&connector.errors).find(|rule| matches(rule, answer, body));
    if operation.graphql.is_some()
        && rule.is_none()
        && let Some(mut failure) = graphql::failure(connector, operation, (answer.status, has_credential), body)
    {
        let status = http_answer::status_failure(answer, now_ms);
        failure.retry_after_ms = status.retry_after_ms.filter(|_| failure.retryable);
        return Some(failure);
    }
    let expected = operation.response.as_ref().map(|response| &response.status).filter(|list| !list.is_empty());
    let is_success = match expected {
        Some(list) => list.contains(&answer.status) || (200..300).contains(&answer.status),
        None => answer.status < 400,
    };
    let class = match rule {
        Some(rule) => rule.is,
        None if is_success => return None,
        None => class_of(answer.status),
    };
    let status = http_answer::status_failure(answer, now_ms);
    let (error_type, code) = match class {
        ErrorClass::Success => return None,
        // Timeouts and refusals keep what the status says about whether the request was carried out.
        ErrorClass::Retryable if status.retryable => (status.error_type, status.code.clone()),
        ErrorClass::Retryable => (ErrorType::NetworkError, "SERVICE_UNAVAILABLE".to_owned()),
        ErrorClass::RateLimit => (ErrorType::ToolError, "RATE_LIMIT".to_owned()),
        ErrorClass::Authentication => (ErrorType::ToolError, "AUTH".to_owned()),
        ErrorClass::Validation => (ErrorType::ValidationError, "INPUT_INVALID".to_owned()),
        ErrorClass::NotFound => (ErrorType::ToolError, "NOT_FOUND".to_owned()),
        ErrorClass::Failed => (ErrorType::ToolError, "HTTP_STATUS".to_owned()),
    };
    let said = rule.and_then(|rule| rule.message.clone()).or_else(|| said(connector, body));
    let what = match class {
        ErrorClass::Authentication => refusal(has_credential),
        ErrorClass::Validation => "does not accept the request",
        ErrorClass::NotFound => "does not have what the request names",
        ErrorClass::RateLimit => "received too many requests",
        ErrorClass::Retryable => "cannot answer now",
        ErrorClass::Failed | ErrorClass::Success => "refuses the request",
    };
    let message = match said {
        Some(said) => format!("{} {what}: {said}", connector.title),
        None => format!("{} {what} (status {})", connector.title, answer.status),
    };
    let mut failure = NodeFailure::new(error_type, &code, message).detail("status", answer.status);
    failure.may_have_happened = class == ErrorClass::Retryable && status.may_have_happened;
    if matches!(class, ErrorClass::Retryable | ErrorClass::RateLimit) {
        failure = failure.retryable();
    }
    failure.retry_after_ms = status.retry_after_ms;
    for name in ["retryAfterMs", "response"] {
        if let Some(value) = status.details.get(name) {
            failure = failure.detail(name, value.clone());
        }
    }
    // A service that asks for a pause longer than a step waits: the same reason as for any request.
    if failure.retryable && status.details.contains_key("retryAfterMs") && status.retry_after_ms.is_none() {
        failure.retryable = false;
        failure.suggested_action = None;
        failure.message.push_str(", and asks to wait longer than 10 minutes");
    }
    Some(match class {
        ErrorClass::Authentication => failure.suggest(SuggestedAction::HumanReview),
        ErrorClass::Validation => failure.suggest(SuggestedAction::AutoFix),
        _ => failure,
    })
}

fn class_of(status: u16) -> ErrorClass {
    match status {
        401 | 403 => ErrorClass::Authentication,
        404 | 410 => ErrorClass::NotFound,
        429 | 529 => ErrorClass::RateLimit,
        400 | 422 => ErrorClass::Validation,
        408 | 500.. => ErrorClass::Retryable,
        _ => ErrorClass::Failed,
    }
}

fn matches(rule: &ErrorRule, answer: &HttpResponse, body: &Value) -> bool {
    let status = answer.status.to_string();
    let by_status = rule.status.is_empty()
        || rule
            .status
            .iter()
            .any(|wanted| *wanted == status || wanted.strip_suffix("xx").is_some_and(|d| status.starts_with(d)));
    let by_field = rule.field.as_ref().is_none_or(|pointer| match body.pointer(pointer) {
        None | Some(Value::Null) => false,
        Some(value) => rule.equals.is_empty() || rule.equals.contains(value),
    });
    let by_header = rule.header.as_ref().is_none_or(|name| match header(answer, &name.to_ascii_lowercase()) {
        None => false,
        Some(value) => rule.header_equals.as_ref().is_none_or(|wanted| wanted == value),
    });
    by_status && by_field && by_header
}

/// What the service says about its error.
fn said(connector: &Connector, body: &Value) -> Option<String> {
    let found = connector.error_message.iter().find_map(|pointer| match body.pointer(pointer)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        number @ Value::Number(_) => Some(number.to_string()),
        _ => None,
    })?;
    Some(found.trim().chars().take(LONGEST).collect())
}
