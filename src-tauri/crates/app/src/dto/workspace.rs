//! Workspaces: workflows of a server that belong together, with their runs.

use super::CallerRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many runs may be started. A number that is absent is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartQuota {
    /// In a minute of the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_minute: Option<u32>,
    /// In a day of UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_day: Option<u32>,
    /// Runs that have not ended; not for tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_once: Option<u32>,
    /// In a minute of the clock by one person; not for tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_per_minute: Option<u32>,
    /// In a day of UTC by one person; not for tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_per_day: Option<u32>,
}

/// What a workspace or a token has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StartsMade {
    /// In this minute of the clock.
    pub minute: u64,
    /// In this day of UTC.
    pub day: u64,
    /// Runs that have not ended; 0 for a token.
    pub open: u64,
}

/// A workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Workspace {
    /// Its name.
    pub name: String,
    /// Ids of its workflows.
    pub workflows: Vec<String>,
    /// How many runs it may start.
    pub quota: StartQuota,
    /// How many it has started.
    pub started: StartsMade,
    /// RFC 3339.
    pub made_at: String,
}

/// Makes a workspace, or gives it another quota.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkspacePut {
    /// Its name: 1 to 60 small letters, digits and hyphens.
    pub name: String,
    /// How many runs it may start.
    #[serde(default)]
    pub quota: StartQuota,
}

/// Names a workspace.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkspaceName {
    /// Its name.
    pub name: String,
}

/// Puts a workflow into a workspace. Its earlier runs stay where they are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkspaceAssign {
    /// Id of the workflow.
    pub workflow_id: String,
    /// The workspace; absent: none.
    #[serde(default)]
    pub workspace: Option<String>,
}

/// A role in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkspaceRole {
    /// The workspace.
    pub name: String,
    /// What the caller may do there.
    pub role: CallerRole,
}

/// Roles in workspaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WhoWorkspaces {
    /// The caller sees nothing outside of them.
    pub limited: bool,
    /// The roles, by workspace.
    pub roles: Vec<WorkspaceRole>,
}
