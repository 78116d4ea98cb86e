//! Runs in the shapes of the VL workflow format (source 003), field by field as it names them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_model::Map;
use std::collections::BTreeMap;

/// Where a run stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowSnapshot {
    /// The run.
    #[serde(rename = "runID")]
    pub run_id: String,
    /// `running`, `completed`, `failed`, `stopped` or `paused`. A run that waits in the queue is `running`, a cancelled one
    /// `stopped`.
    #[schemars(extend("enum" = ["running", "completed", "failed", "stopped", "paused"]))]
    pub status: String,
    /// The first step that is to run or is running, without its place in containers; of a failed run the one that failed; null
    /// when there is none.
    #[serde(rename = "currentStepID")]
    pub current_step_id: Option<String>,
    /// From the start to the end, or until now, milliseconds.
    pub elapsed_ms: u64,
    /// The run's input.
    pub params: Map,
    /// Variables, as `$name`.
    pub variables: Map,
    /// Variables whose names begin with `_`, and `_result`: what the next step is handed.
    pub local_vars: Map,
    /// Paths of files that the run has written, the newest 1,000.
    pub artifacts: Vec<String>,
    /// The step that waits for a person; null when none does.
    pub paused: Option<PausedAt>,
    /// Number of the newest event.
    pub event_seq: u64,
    /// Version of the workflow format.
    pub version: String,
}

/// A step that waits for a person (H-30).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PausedAt {
    /// The step.
    #[serde(rename = "nodeID")]
    pub node_id: String,
    /// What `POST /workflow/{id}/resume` takes; counts once. Empty when the caller may not answer.
    pub token: String,
}

/// A checkpoint from which a run can start (C-01, C-02).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowCheckpoint {
    /// `vl_workflow_checkpoint`.
    #[serde(rename = "_type")]
    #[schemars(extend("const" = "vl_workflow_checkpoint"))]
    pub kind: String,
    /// 2.
    #[serde(rename = "_version")]
    #[schemars(extend("const" = 2))]
    pub format: u32,
    /// The run that it was taken of.
    #[serde(rename = "workflowID")]
    pub workflow_id: String,
    /// The step where a run begins; of a run that has completed the step that ended last; null when no step has run.
    #[serde(rename = "currentStepID")]
    pub current_step_id: Option<String>,
    /// As in `WorkflowSnapshot`.
    #[schemars(extend("enum" = ["running", "completed", "failed", "stopped", "paused"]))]
    pub status: String,
    /// The run's input.
    pub params: Map,
    /// `STRING`, `INT`, `FLOAT`, `BOOL`, `OBJECT`, and lists of these such as `[STRING]`.
    pub param_types: BTreeMap<String, String>,
    /// Variables, as `$name`.
    pub variables: Map,
    /// Their types.
    pub var_types: BTreeMap<String, String>,
    /// Variables whose names begin with `_`, and `_result`: what the step is handed, several items as a list.
    pub local_vars: Map,
    /// Paths of files that the run has written, each with the address of its content on this server.
    pub artifacts: BTreeMap<String, String>,
    /// Steps at the top that have ended and do not run again, in the order in which they ended.
    pub completed_steps: Vec<String>,
    /// First steps of branches that have ended, by the step that they begin at.
    pub completed_branches: BTreeMap<String, Vec<String>>,
    /// How many iterations of a loop have ended; of a parallel loop all or none.
    pub loop_progress: BTreeMap<String, u64>,
    /// Number of the event it is taken after.
    pub event_seq: u64,
    /// Version of the workflow format.
    pub version: String,
    /// Time of that event, RFC 3339.
    pub created_at: String,
}
