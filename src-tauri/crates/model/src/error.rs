//! Errors as data (requirements 2.E): what travels a red wire.

use crate::Map;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// The closed set of error types (K-02). Finer causes go to `details.code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the definition")]
pub enum ErrorType {
    ToolError,
    LLMError,
    NetworkError,
    ValidationError,
    Timeout,
    UnknownError,
}

impl ErrorType {
    /// Every type.
    pub const ALL: [Self; 6] =
        [Self::ToolError, Self::LLMError, Self::NetworkError, Self::ValidationError, Self::Timeout, Self::UnknownError];
}

/// Advice of the failing side; used only by a rule that names it (K-05).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the definition")]
pub enum SuggestedAction {
    Retry,
    Fallback,
    Escalate,
    HumanReview,
    Abort,
    AutoFix,
}

/// The one error object of all components (E-04…E-17). The engine fills its own fields; a tool's claims go to
/// `details.toolSuggested`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorPayload {
    /// One of six.
    #[serde(rename = "type")]
    pub error_type: ErrorType,
    /// Plain words for a person.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Node that failed.
    pub origin_node: String,
    /// Run that failed; always filled by the engine (K-03).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin_run_id: Option<String>,
    /// Automatic re-executions already made in this visit (K-04).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub attempt: Option<u32>,
    /// Bound of retries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub max_attempts: Option<u32>,
    /// When, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub timestamp: String,
    /// Advice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_action: Option<SuggestedAction>,
    /// Audit entry of this error: `audit:RUN:EVENT`. The query `ref:audit:RUN:EVENT` finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance_ref: Option<String>,
    /// Trace of the run, 32 hexadecimal digits (O-10): in a tracing program it leads to the spans of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Free; `code` is the finer cause, `input` the input that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Map>,
}

impl ErrorPayload {
    /// `details.code`, or the empty string.
    pub fn code(&self) -> &str {
        self.details.as_ref().and_then(|d| d.get("code")).and_then(Value::as_str).unwrap_or_default()
    }
}

/// What a node kind reports when it fails; the engine completes it to an [`ErrorPayload`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeFailure {
    /// One of six.
    #[serde(rename = "type")]
    pub error_type: ErrorType,
    /// Plain words: what happened.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Finer cause, `details.code`.
    pub code: String,
    /// Advice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_action: Option<SuggestedAction>,
    /// Further details besides `code`.
    #[serde(default)]
    pub details: Map,
    /// The call may have reached the other side although no answer came: the engine makes a `write` + `ask` call
    /// `retryable: false`, `effect: "unknown"` of it (K-43).
    #[serde(default)]
    pub may_have_happened: bool,
    /// Wait told by the other side (`Retry-After`) in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The call waits for a person instead of having failed; this is what it goes on with (ADR 51).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Arc<Value>>,
}

impl NodeFailure {
    /// A failure with a code and words; not retryable.
    pub fn new(error_type: ErrorType, code: &str, message: impl Into<String>) -> Self {
        Self {
            error_type,
            message: message.into(),
            retryable: false,
            code: code.to_owned(),
            suggested_action: None,
            details: Map::new(),
            may_have_happened: false,
            retry_after_ms: None,
            held: None,
        }
    }
    /// A ValidationError.
    pub fn validation(code: &str, message: impl Into<String>) -> Self {
        Self::new(ErrorType::ValidationError, code, message)
    }
    /// A ToolError.
    pub fn tool(code: &str, message: impl Into<String>) -> Self {
        Self::new(ErrorType::ToolError, code, message)
    }
    /// Marks it retryable with the advice to retry.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self.suggested_action = Some(SuggestedAction::Retry);
        self
    }
    /// Sets the advice.
    #[must_use]
    pub fn suggest(mut self, action: SuggestedAction) -> Self {
        self.suggested_action = Some(action);
        self
    }
    /// Adds one detail.
    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }
    /// Marks that the other side may have acted.
    #[must_use]
    pub fn maybe_happened(mut self) -> Self {
        self.may_have_happened = true;
        self
    }
    /// `{code, …details}`.
    pub fn details_with_code(&self) -> Map {
        let mut map = Map::new();
        map.insert("code".into(), json!(self.code));
        for (key, value) in &self.details {
            map.insert(key.clone(), value.clone());
        }
        map
    }
}
