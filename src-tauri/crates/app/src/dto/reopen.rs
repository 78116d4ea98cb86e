//! Re-opening an ended task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_model::RunStatus;

/// Has an ended task asked again, by a new run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskReopen {
    /// The task.
    pub task_id: String,
    /// Why; it is recorded.
    pub reason: String,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskReopened {
    /// The ended task.
    pub task_id: String,
    /// The new run.
    pub run_id: String,
    /// Where it stands.
    pub status: RunStatus,
    /// The new task; absent when the new run has not asked yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_task_id: Option<String>,
}

/// A task and its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskLink {
    /// The run.
    pub run_id: String,
    /// The task; absent when the run has not asked yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}
