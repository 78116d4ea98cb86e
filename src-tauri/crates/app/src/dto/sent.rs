//! Sending a failed run to the inbox.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_model::RunStatus;

/// Has a person asked about the call that failed a run, by a new run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunSend {
    /// The failed run.
    pub run_id: String,
    /// Why, for who answers; it is recorded.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Where the question stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunSent {
    /// The failed run.
    pub run_id: String,
    /// The run that asks; it goes on with the answer.
    pub sent_run_id: String,
    /// Where that run stands.
    pub status: RunStatus,
    /// Its task; absent when it has not asked yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// It was there already; nothing was begun.
    pub already: bool,
}
