//! What the commands about triggers take and give.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::{Diagnostic, Map, RunStatus, Workflow};

/// Activates a version of a workflow: its triggers start runs with it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowActivate {
    /// The file, as `workflow_list` names it.
    #[serde(default, rename = "ref")]
    pub reference: Option<String>,
    /// Or the id of a workflow of the library.
    #[serde(default)]
    pub workflow_id: Option<String>,
    /// The workflow as the editor shows it; `ref` then says where it stands.
    #[serde(default)]
    #[schemars(with = "Option<Workflow>")]
    pub document: Option<Value>,
    /// A version that was active before, instead of what the file holds now.
    #[serde(default)]
    pub version: Option<String>,
}

/// Names a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowNamed {
    /// Its id.
    pub workflow_id: String,
}

/// Which version of a workflow is active.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Activation {
    /// Id of the workflow.
    pub workflow_id: String,
    /// Its name.
    pub workflow_name: String,
    /// It is active: its triggers start runs.
    pub active: bool,
    /// Content hash of the version that is active, or was last.
    pub version: String,
    /// RFC 3339.
    pub activated_at: String,
    /// Who activated it.
    pub activated_by: String,
    /// Ids of its triggers.
    pub triggers: Vec<String>,
}

/// A version of a workflow that is active, or was.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowVersion {
    /// Content hash.
    pub version: String,
    /// It is the active one.
    pub active: bool,
    /// When it was activated last, RFC 3339.
    pub activated_at: String,
    /// Who activated it last.
    pub activated_by: String,
    /// The workflow; null when it is lost.
    #[schemars(with = "Option<Workflow>")]
    pub document: Value,
}

/// Which triggers to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TriggerList {
    /// Only of this workflow.
    #[serde(default)]
    pub workflow_id: Option<String>,
}

/// Names a trigger.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TriggerRef {
    /// `<workflow>.<step>`.
    pub trigger_id: String,
}

/// Fires a trigger now.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TriggerFire {
    /// `<workflow>.<step>`.
    pub trigger_id: String,
    /// Replaces fields of the event.
    #[serde(default)]
    pub payload: Map,
}

/// A moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScheduledTime {
    /// RFC 3339.
    pub utc: String,
    /// As the clocks of the time zone show it: `2026-11-30T08:00:00+01:00[Europe/Berlin]`.
    pub local: String,
}

/// Whether a firing started a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FiringOutcome {
    /// It started a run.
    Fired,
    /// It started none.
    Skipped,
}

/// What became of a tick of a trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Firing {
    /// When it was due, RFC 3339; of several that were skipped together the last one.
    pub scheduled_at: String,
    /// When it fired or was skipped, RFC 3339.
    pub fired_at: String,
    /// Whether it started a run.
    pub outcome: FiringOutcome,
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Where the run stands; absent when it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_status: Option<RunStatus>,
    /// Why it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many ticks it stands for.
    pub count: u64,
}

/// A trigger of an active workflow.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trigger {
    /// `<workflow>.<step>`.
    pub trigger_id: String,
    /// Id of the workflow.
    pub workflow_id: String,
    /// Its name.
    pub workflow_name: String,
    /// The step.
    pub node_id: String,
    /// Kind of the step.
    pub kind: String,
    /// Title of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The active version.
    pub version: String,
    /// Settings of the step.
    pub config: Value,
    /// The address of a webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// When it fires next.
    pub next: Vec<ScheduledTime>,
    /// What it came to last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Firing>,
    /// Why it could not fire last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What the runs of its workflow came to, whatever started them.
    pub activity: WorkflowActivity,
}

/// A failure of an active workflow that people are told of: one in an hour for each workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowFailure {
    /// Id of the workflow.
    pub workflow_id: String,
    /// Its name.
    pub workflow_name: String,
    /// The run that failed; none when the source of a trigger did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// RFC 3339.
    pub failed_at: String,
}

/// What the runs of a workflow came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowActivity {
    /// Runs that started in the last 24 hours.
    pub runs: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// The newest of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failed_run_id: Option<String>,
    /// Runs that wait for their turn now.
    pub waiting: u64,
}

/// A trigger with its history.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TriggerDetails {
    /// The trigger.
    #[serde(flatten)]
    pub trigger: Trigger,
    /// The last firings, the newest first.
    pub firings: Vec<Firing>,
}

/// Asks when a schedule would fire.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SchedulePreviewRequest {
    /// Settings of a schedule step.
    pub config: Value,
    /// So many times, 5 when absent, at most 100.
    #[serde(default)]
    pub count: Option<u32>,
    /// After this moment (RFC 3339); now when absent.
    #[serde(default)]
    pub from: Option<String>,
}

/// When a schedule would fire.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SchedulePreview {
    /// The next times.
    pub next: Vec<ScheduledTime>,
    /// What is wrong with the settings; `path` points into them.
    pub diagnostics: Vec<Diagnostic>,
}
