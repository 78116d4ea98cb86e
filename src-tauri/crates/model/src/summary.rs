//! States and the summary of a run (INTERFACES 1, K-26).

use crate::base::ImportedFrom;
use crate::debug::Stopped;
use crate::{ErrorPayload, Map};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are the definition (K-26)")]
pub enum RunStatus {
    Created,
    Queued,
    Running,
    Paused,
    Completed,
    Failed,
    Cancelled,
}

impl RunStatus {
    /// Nothing can happen any more.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Cancelled => true,
            Self::Created | Self::Queued | Self::Running | Self::Paused => false,
        }
    }
    /// As written in JSON and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
    /// Reads [`Self::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "created" => Self::Created,
            "queued" => Self::Queued,
            "running" => Self::Running,
            "paused" => Self::Paused,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "cancelled" => Self::Cancelled,
            _ => return None,
        })
    }
}

/// State of a node (R-02 and K-26). The order is from best to worst, for the summary over several paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "the names are the definition")]
pub enum NodeState {
    Skipped,
    Succeeded,
    ErrorHandled,
    Pending,
    Running,
    Retrying,
    AwaitingHitl,
    Cancelled,
    Failed,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    /// UUID v7.
    pub run_id: String,
    /// Id of the workflow.
    pub workflow_id: String,
    /// Where it stands.
    pub status: RunStatus,
    /// The run it was re-run from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
    /// The checkpoint of another program that it began at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<ImportedFrom>,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Milliseconds from start to end, or to the last event.
    pub duration_ms: i64,
    /// The final context.
    pub context: Map,
    /// Data of the items that entered a Stop or left through an unwired `success` port.
    pub output: Vec<Value>,
    /// The error that failed the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorPayload>,
    /// The step that failed the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_step_id: Option<String>,
    /// Where it stands stopped, until somebody lets it go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Ids of open tasks.
    pub open_tasks: Vec<String>,
    /// Node id → state and counts.
    pub steps: IndexMap<String, StepSummary>,
}

/// One node in a [`RunSummary`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepSummary {
    /// Worst over paths.
    pub state: NodeState,
    /// Opened visits, summed over slots and paths.
    pub visits: u32,
    /// Calls, summed over slots and paths.
    pub attempts: u32,
    /// Its output was pinned: it was not called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// A person put a fault into it for this run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub faulted: bool,
}
