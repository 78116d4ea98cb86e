//! A fault that a person puts into a step for one run in the builder (ADR 144).

use crate::error::{ErrorType, NodeFailure};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What happens to the calls of a step instead of, or before, its code: at most one of `error` and `output`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepFault {
    /// The calls fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<FaultError>,
    /// The calls have this result: port → data of the items that leave there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<IndexMap<String, Vec<Value>>>,
    /// How long a call takes at least, milliseconds. The time limit of the step ends it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay_ms: u64,
    /// Only the first attempt has it, so that a retry gets through.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_call_only: bool,
}

/// How a call fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FaultError {
    /// The type of the error.
    #[serde(rename = "type")]
    pub error_type: ErrorType,
    /// Its code.
    pub code: String,
    /// For people.
    pub message: String,
    /// Whether the same call may succeed later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retryable: bool,
    /// The call may have reached the other side although no answer came.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_have_happened: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl FaultError {
    /// As a step would fail.
    #[must_use]
    pub fn failure(&self) -> NodeFailure {
        let mut failure = NodeFailure::new(self.error_type, &self.code, self.message.clone()).detail("faulted", true);
        if self.retryable {
            failure = failure.retryable();
        }
        failure.may_have_happened = self.may_have_happened;
        failure
    }
}
