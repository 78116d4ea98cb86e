//! What the tasks of a time say together, and the rules that decisions suggest.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_model::TaskAction;

/// Of which tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskStatsRequest {
    /// Those that are open, or came or were decided since then (RFC 3339); of the last 30 days when absent.
    #[serde(default)]
    pub since: Option<String>,
    /// Of this workflow (id).
    #[serde(default)]
    pub workflow: Option<String>,
}

/// How many, how old, how long, about what, and who.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskStats {
    /// Since when, RFC 3339.
    pub since: String,
    /// That came.
    pub created: u64,
    /// That are open.
    pub open: u64,
    /// That people decided.
    pub decided: u64,
    /// That nobody decided in time.
    pub expired: u64,
    /// How long it took people for one of two, milliseconds; time on hold does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<i64>,
    /// How old one of two open ones is, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_age_ms: Option<i64>,
    /// How old the oldest open one is, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_ms: Option<i64>,
    /// What people decided, most often first.
    pub actions: Vec<ActionCount>,
    /// By workflow, most first.
    pub workflows: Vec<WorkflowTasks>,
    /// By cause, most first, at most 50.
    pub causes: Vec<TaskCause>,
    /// Who decided, most first.
    pub people: Vec<TaskPerson>,
    /// There are more than were looked at.
    pub part: bool,
}

/// The tasks of one workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowTasks {
    /// Its id.
    pub workflow_id: String,
    /// Its name.
    pub workflow_name: String,
    /// That came.
    pub created: u64,
    /// That are open.
    pub open: u64,
    /// That people decided.
    pub decided: u64,
    /// How long it took them for one of two, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<i64>,
}

/// Failures of the same step for the same cause, or the same question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskCause {
    /// The same for all of them.
    pub fingerprint: String,
    /// The title of the newest.
    pub title: String,
    /// Id of its workflow.
    pub workflow_id: String,
    /// Its name.
    pub workflow_name: String,
    /// The step.
    pub node_id: String,
    /// Its title.
    pub node_title: String,
    /// That came.
    pub created: u64,
    /// That are open.
    pub open: u64,
    /// That people decided.
    pub decided: u64,
    /// How long it took them for one of two, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<i64>,
    /// What they decided.
    pub actions: Vec<ActionCount>,
    /// A rule that would have decided the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<RuleSuggestion>,
}

/// How often something was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ActionCount {
    /// What.
    pub action: TaskAction,
    /// How often.
    pub count: u64,
}

/// What one person decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskPerson {
    /// Who: `user:…`.
    pub person: String,
    /// How many.
    pub decided: u64,
    /// How long it took for one of two, milliseconds.
    pub median_ms: i64,
}

/// A rule of error handling that the last decisions suggest (UX D2.14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleSuggestion {
    /// How many decisions in a row were the same.
    pub decisions: u64,
    /// Its name.
    pub name: String,
    /// Its condition, CEL.
    pub when: String,
    /// What it does.
    pub action: String,
}
