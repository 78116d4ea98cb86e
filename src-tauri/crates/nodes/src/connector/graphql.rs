//! What an answer of a GraphQL service says about errors: it has them in its body, also with status 200 and together with data.

use super::errors::refusal;
use serde_json::{Value, json};
use signalbox_model::{Connector, Effects, ErrorType, NodeFailure, Operation, SuggestedAction};

/// Longest message that is repeated, in characters.
const LONGEST: usize = 500;
/// Errors that are passed on.
const MOST: usize = 20;

/// The failure that the errors of an answer are; nothing when it has none.
pub(super) fn failure(
    connector: &Connector,
    operation: &Operation,
    (status, has_credential): (u16, bool),
    body: &Value,
) -> Option<NodeFailure> {
    let errors = body.get("errors")?.as_array().filter(|errors| !errors.is_empty())?;
    let code = errors.iter().find_map(code_of).unwrap_or_default();
    // Without `data`, nothing was carried out (GraphQL, 7.1), unless something before the service answers.
    let data = body.get("data");
    let is_before = status >= 500 && status != 503;
    let carried_out = (data.is_some() || is_before) && operation.effect() == Effects::Write;
    let class = Class::of(code, status);
    let mut message = format!("{} {}: {}", connector.title, class.what(has_credential), said(&errors[0]));
    if let Some(place) = place(&errors[0]) {
        message.push_str(&format!(" (at {place})"));
    }
    if errors.len() > 1 {
        message.push_str(&format!(", and {} more", errors.len() - 1));
    }
    let partial = data.is_some_and(|data| has_value(data, 0));
    if partial {
        message.push_str(". The answer has a part of the data, which is not used");
    }
    let (error_type, failure_code) = class.error();
    let mut failure = NodeFailure::new(error_type, failure_code, message)
        .detail("status", status)
        .detail("errors", errors.iter().take(MOST).map(shown).collect::<Vec<_>>())
        .detail("partialData", partial);
    if !code.is_empty() {
        failure = failure.detail("serviceCode", code);
    }
    failure = match class {
        Class::RateLimit | Class::Unavailable => failure.retryable(),
        Class::Authentication => failure.suggest(SuggestedAction::HumanReview),
        Class::Invalid => failure.suggest(SuggestedAction::AutoFix),
        Class::NotFound | Class::Other => failure,
    };
    failure.may_have_happened =
        carried_out && !matches!(class, Class::Authentication | Class::Invalid | Class::RateLimit);
    Some(failure)
}

#[derive(Clone, Copy)]
enum Class {
    Authentication,
    Invalid,
    NotFound,
    RateLimit,
    Unavailable,
    Other,
}

impl Class {
    /// By the codes that servers in use have; the status decides where there is none.
    fn of(code: &str, status: u16) -> Self {
        match code.to_ascii_uppercase().as_str() {
            "UNAUTHENTICATED"
            | "UNAUTHORIZED"
            | "FORBIDDEN"
            | "ACCESS_DENIED"
            | "INSUFFICIENT_SCOPES"
            | "AUTHENTICATION_ERROR" => Self::Authentication,
            "GRAPHQL_PARSE_FAILED"
            | "GRAPHQL_VALIDATION_FAILED"
            | "BAD_USER_INPUT"
            | "BAD_REQUEST"
            | "INPUT_ERROR"
            | "VALIDATION-FAILED"
            | "ARGUMENTNOTACCEPTED"
            | "UNPROCESSABLE" => Self::Invalid,
            "NOT_FOUND" => Self::NotFound,
            "RATE_LIMITED" | "RATELIMITED" | "RATE_LIMIT" | "THROTTLED" | "MAX_COST_EXCEEDED" | "TOO_MANY_REQUESTS" => {
                Self::RateLimit
            }
            "SERVICE_UNAVAILABLE" | "INTERNAL_SERVER_ERROR" | "TIMEOUT" => Self::Unavailable,
            _ => match status {
                401 | 403 => Self::Authentication,
                400 | 422 => Self::Invalid,
                404 => Self::NotFound,
                429 => Self::RateLimit,
                500.. => Self::Unavailable,
                _ => Self::Other,
            },
        }
    }

    fn error(self) -> (ErrorType, &'static str) {
        match self {
            Self::Authentication => (ErrorType::ToolError, "AUTH"),
            Self::Invalid => (ErrorType::ValidationError, "INPUT_INVALID"),
            Self::NotFound => (ErrorType::ToolError, "NOT_FOUND"),
            Self::RateLimit => (ErrorType::ToolError, "RATE_LIMIT"),
            Self::Unavailable => (ErrorType::NetworkError, "SERVICE_UNAVAILABLE"),
            Self::Other => (ErrorType::ToolError, "GRAPHQL_ERRORS"),
        }
    }

    fn what(self, has_credential: bool) -> &'static str {
        match self {
            Self::Authentication => refusal(has_credential),
            Self::Invalid => "does not accept the request",
            Self::NotFound => "does not have what the request names",
            Self::RateLimit => "received too many requests",
            Self::Unavailable => "cannot answer now",
            Self::Other => "answered with an error",
        }
    }
}

/// `extensions.code` is usual; GitHub has `type`.
fn code_of(error: &Value) -> Option<&str> {
    let code = error.pointer("/extensions/code").or_else(|| error.get("type")).and_then(Value::as_str);
    code.filter(|code| !code.is_empty() && code.len() <= 100)
}

fn said(error: &Value) -> String {
    let text = error["message"].as_str().or_else(|| error.as_str()).map(str::trim).filter(|text| !text.is_empty());
    text.unwrap_or("no reason is given").chars().take(LONGEST).collect()
}

fn place(error: &Value) -> Option<String> {
    let parts = error["path"].as_array().filter(|parts| !parts.is_empty())?;
    let part = |part: &Value| part.as_str().map_or_else(|| part.to_string(), str::to_owned);
    let whole: String = parts.iter().map(part).collect::<Vec<_>>().join(".");
    Some(whole.chars().take(200).collect())
}

fn shown(error: &Value) -> Value {
    let mut shown = json!({ "message": said(error) });
    if let Some(place) = place(error) {
        shown["path"] = place.into();
    }
    if let Some(code) = code_of(error) {
        shown["code"] = code.into();
    }
    shown
}

/// Whether there is anything but null in the data.
fn has_value(data: &Value, depth: usize) -> bool {
    match data {
        Value::Null => false,
        Value::Object(fields) if depth < 32 => fields.values().any(|value| has_value(value, depth + 1)),
        Value::Array(list) if depth < 32 => list.iter().any(|value| has_value(value, depth + 1)),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
