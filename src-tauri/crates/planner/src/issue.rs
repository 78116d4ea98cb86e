//! What a try found: which errors a correction of the draft can mend, and which it cannot (P-09…P-13, T-15, K-47).

use crate::finding::short;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_model::path::Missing;
use signalbox_model::{ErrorPayload, ErrorType};
use std::collections::BTreeSet;

/// Names that are listed.
const NAMES: usize = 20;
/// Longest structure sample, bytes of JSON (K-51).
const SAMPLE: usize = 2_000;
/// How deep the envelopes of an answer are looked into for an error.
const BODY_DEPTH: usize = 3;

/// What kind of trouble it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A path into an answer leads nowhere.
    MissingPath,
    /// An expression names a field that does not exist.
    MissingReference,
    /// An expression does not fit the data.
    Expression,
    /// A service or a tool does not take the arguments.
    Arguments,
    /// An answer with a good status tells of an error.
    ErrorInBody,
    /// Credentials, limits, the network, the service itself.
    Service,
    /// The step did not end in time.
    Timeout,
    /// Anything else.
    Other,
}

/// One thing that a try found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// The step.
    pub step: String,
    /// What kind of trouble it is.
    pub category: Category,
    /// `details.code` of the error.
    pub code: String,
    /// Plain words.
    pub message: String,
    /// A correction of the draft can mend it.
    pub fixable: bool,
    /// Paths that were tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempted: Vec<String>,
    /// Names at the deepest parent that exists, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub available: Vec<String>,
    /// The path of that parent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub available_at: String,
    /// Names at the top, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub top_level: Vec<String>,
    /// The structure: types only, no values.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub sample: Value,
}

impl Issue {
    /// An issue without paths.
    pub fn new(step: &str, category: Category, code: &str, message: &str, fixable: bool) -> Self {
        Self {
            step: step.to_owned(),
            category,
            code: code.to_owned(),
            message: short(message),
            fixable,
            attempted: Vec::new(),
            available: Vec::new(),
            available_at: String::new(),
            top_level: Vec::new(),
            sample: Value::Null,
        }
    }

    /// A reference that leads nowhere in what was recorded (K-51, K-52).
    pub fn of_missing(step: &str, missing: &Missing) -> Self {
        let names = if missing.available.is_empty() { "nothing".to_owned() } else { missing.available.join(", ") };
        let message = format!("Field '{}' not found. Available: {names}", missing.path);
        let mut issue = Self::new(step, Category::MissingReference, "BAD_PATH", &message, true);
        issue.attempted = vec![missing.path.clone()];
        issue.available.clone_from(&missing.available);
        issue.available_at.clone_from(&missing.available_at);
        issue.top_level.clone_from(&missing.top_level);
        issue.sample = missing.sample.clone();
        issue
    }
}

/// An error of a step as an issue.
pub fn issue_of_error(step: &str, error: &ErrorPayload) -> Issue {
    let empty = Map::new();
    let details = error.details.as_ref().unwrap_or(&empty);
    let status = details.get("status").and_then(Value::as_u64);
    let code = error.code();
    let (category, fixable) = match (error.error_type, code) {
        (_, "BAD_PATH") => (Category::MissingPath, true),
        (_, "MISSING_FIELD") => (Category::MissingReference, true),
        (ErrorType::ValidationError, "EVAL") => (Category::Expression, true),
        (_, "INPUT_INVALID") => (Category::Arguments, true),
        // The service understood the request and does not take what it holds.
        (_, "HTTP_STATUS") if matches!(status, Some(400 | 422)) => (Category::Arguments, true),
        (ErrorType::Timeout, _) => (Category::Timeout, false),
        (ErrorType::ToolError | ErrorType::NetworkError | ErrorType::LLMError, _) => (Category::Service, false),
        _ => (Category::Other, false),
    };
    let mut issue = Issue::new(step, category, code, &error.message, fixable);
    let texts = |name: &str| -> Vec<String> {
        let list = details.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(Value::as_str).take(NAMES).map(short).collect()
    };
    issue.attempted = texts("attempted");
    for name in ["path", "field", "expression"] {
        if issue.attempted.is_empty() {
            issue.attempted = details.get(name).and_then(Value::as_str).map(short).into_iter().collect();
        }
    }
    issue.available = texts("available");
    issue.available_at = details.get("availableAt").and_then(Value::as_str).map(short).unwrap_or_default();
    issue.top_level = texts("topLevel");
    let sample = details.get("sample").or_else(|| details.get("structure")).cloned().unwrap_or_default();
    issue.sample = if sample.to_string().len() > SAMPLE { Value::Null } else { sample };
    issue
}

/// The error that a tool step passed on instead of failing (`allowError`): classed as if it had failed. `None` for what is no
/// such result, and for an error that says nothing about its type.
pub fn issue_of_result(step: &str, value: &Value) -> Option<Issue> {
    let error =
        value.get("error").filter(|_| value.get("ok") == Some(&Value::Bool(false)) && value.get("tool").is_some())?;
    let told = serde_json::from_value::<ErrorType>(error["type"].clone()).ok()?;
    let payload = ErrorPayload {
        error_type: told,
        message: error["message"].as_str().unwrap_or_default().to_owned(),
        retryable: false,
        origin_node: step.to_owned(),
        origin_run_id: None,
        attempt: None,
        max_attempts: None,
        timestamp: String::new(),
        suggested_action: None,
        provenance_ref: None,
        trace_id: None,
        details: error["details"].as_object().cloned(),
    };
    Some(issue_of_error(step, &payload))
}

/// The error that an answer with a good status tells of: `{ok: false, error: …}`, also inside `data` or as text. A field
/// `error` that is null or empty is none.
pub fn body_error(value: &Value) -> Option<String> {
    inside(value, BODY_DEPTH)
}

fn inside(value: &Value, depth: usize) -> Option<String> {
    let parsed: Option<Value> = value
        .as_str()
        .filter(|text| text.trim_start().starts_with('{'))
        .and_then(|text| serde_json::from_str(text).ok());
    let map = parsed.as_ref().unwrap_or(value).as_object()?;
    let is_false = |name: &str| map.get(name) == Some(&Value::Bool(false));
    let failed = ["ok", "success", "successful"].into_iter().any(is_false);
    let error = map.get("error").or_else(|| map.get("errors")).filter(|error| !is_empty(error));
    // Beside data, a field of this name may be data itself. Data that is null is none: so GraphQL answers what it refused.
    let names = ["error", "errors", "message", "code", "status", "details"];
    let alone = map.iter().all(|(key, value)| names.contains(&key.as_str()) || (key == "data" && value.is_null()));
    match error {
        Some(error) if failed || alone => Some(words(error)),
        None if failed => Some(map.get("message").map_or_else(|| "The answer says that it failed".into(), words)),
        _ if depth == 0 => None,
        _ => ["data", "response", "result"].into_iter().find_map(|name| inside(map.get(name)?, depth - 1)),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

fn words(error: &Value) -> String {
    let text = error.as_str().or_else(|| error["message"].as_str()).or_else(|| error[0]["message"].as_str());
    short(&text.map_or_else(|| error.to_string(), str::to_owned))
}

/// What follows a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// The draft is corrected and tried again (P-10).
    RuntimeFix,
    /// It cannot be mended by the planner (P-11).
    FailedRuntime,
    /// Nothing was found (P-12).
    Default,
}

/// Where the planner goes from here. A fatal issue of a step ends it for that step; fatal issues of other branches do not
/// keep a mendable one from being mended (K-47).
pub fn route(issues: &[Issue], corrections: usize, most: usize) -> Route {
    let fatal: BTreeSet<&str> = issues.iter().filter(|issue| !issue.fixable).map(|issue| issue.step.as_str()).collect();
    match issues {
        [] => Route::Default,
        _ if corrections >= most => Route::FailedRuntime,
        _ if issues.iter().any(|issue| issue.fixable && !fatal.contains(issue.step.as_str())) => Route::RuntimeFix,
        _ => Route::FailedRuntime,
    }
}

/// The same for the same trouble: steps, codes and paths, without numbers and case of the words.
pub fn signature(issues: &[Issue]) -> String {
    let mut parts: Vec<String> = issues
        .iter()
        .map(|issue| {
            let mut attempted = issue.attempted.clone();
            attempted.sort();
            let words = if attempted.is_empty() { normalised(&issue.message) } else { attempted.join(",") };
            format!("{}|{}|{words}", issue.step, issue.code)
        })
        .collect();
    parts.sort();
    parts.join("\n")
}

fn normalised(message: &str) -> String {
    message.chars().map(|c| if c.is_ascii_digit() { '#' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests;
