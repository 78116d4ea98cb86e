//! What a person keeps about their inbox: views of their own, and who answers for them.

use crate::dto::{TaskScope, TaskSort, TaskView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a saved view shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskFilter {
    /// Which half, `open` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<TaskScope>,
    /// Which view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<TaskView>,
    /// Id of a workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Failures of the same step for the same cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Part of title, error, step, workflow or run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// In which order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<TaskSort>,
}

/// A view of a person's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskViewSave {
    /// Its name; a view of the same name is replaced.
    pub name: String,
    /// What it shows.
    pub filter: TaskFilter,
}

/// Names a view of the caller's own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskViewForget {
    /// Its name.
    pub name: String,
}

/// A view of the caller's own and how many tasks it shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedViewCount {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub filter: TaskFilter,
    /// How many.
    pub count: u64,
}

/// Who answers tasks that are assigned to somebody else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delegation {
    /// Its id.
    pub id: String,
    /// Whose tasks: `user:…`.
    pub from: String,
    /// Who answers them, too: `user:…`.
    pub to: String,
    /// RFC 3339.
    pub starts_at: String,
    /// RFC 3339.
    pub ends_at: String,
    /// It holds now.
    pub active: bool,
    /// Only tasks of this workflow (id); all when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Who made it.
    pub made_by: String,
}

/// Lets somebody answer in one's name for a time.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DelegationCreate {
    /// Who answers, too: `user:…`.
    pub to: String,
    /// Whose tasks: the caller's when absent. Those of others need the role builder.
    #[serde(default)]
    pub from: Option<String>,
    /// RFC 3339; now when absent.
    #[serde(default)]
    pub starts_at: Option<String>,
    /// RFC 3339, at most a year after the start.
    pub ends_at: String,
    /// Only tasks of this workflow (id).
    #[serde(default)]
    pub workflow: Option<String>,
    /// Why.
    #[serde(default)]
    pub notes: Option<String>,
}

/// Names a delegation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DelegationEnd {
    /// Its id.
    pub id: String,
}
