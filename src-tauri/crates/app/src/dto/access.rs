//! Who may reach a server: tokens of programs, and people who are signed in.

use super::{CallerRole, StartQuota, StartsMade, WorkspaceRole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A token by which a program reaches a server. The token itself is shown once, when it is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessToken {
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: CallerRole,
    /// Who made it, and in whose name it acts: `user:…`.
    pub person: String,
    /// RFC 3339.
    pub made_at: String,
    /// RFC 3339; absent: it lasts until it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// It has expired: nobody gets in with it.
    pub expired: bool,
    /// When it was used last, to the minute, RFC 3339; absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_at: Option<String>,
    /// The workspaces that it is limited to; absent: it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspaces: Option<Vec<String>>,
    /// How many runs it may start.
    pub quota: StartQuota,
    /// How many it has started.
    pub started: StartsMade,
}

/// Makes a token.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TokenAdd {
    /// What people call it: 1 to 100 letters, digits, `.`, `_`, `-` and `@`; no other token has it.
    pub name: String,
    /// What it may do.
    pub role: CallerRole,
    /// How many days it lasts, 1 to 3,650; absent: until it is revoked.
    #[serde(default)]
    pub expires_days: Option<u32>,
    /// The workspaces that it is limited to; absent: it is not. The role is then viewer or operator.
    #[serde(default)]
    pub workspaces: Option<Vec<String>>,
    /// How many runs it may start.
    #[serde(default)]
    pub quota: StartQuota,
}

/// A token that was made.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenAdded {
    /// The token. It is not shown again.
    pub token: String,
    /// What is known of it.
    pub entry: AccessToken,
}

/// Names a token.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TokenName {
    /// Its name.
    pub name: String,
}

/// A person who is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserSession {
    /// Names the session.
    pub id: String,
    /// The name under which the person acts: `user:…`.
    pub person: String,
    /// As the identity provider shows the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown_name: Option<String>,
    /// The person's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// What the person may do.
    pub role: CallerRole,
    /// The identity provider.
    pub issuer: String,
    /// When the person signed in, RFC 3339.
    pub since: String,
    /// When the session was used last, to the minute, RFC 3339.
    pub used_at: String,
    /// It is the session of this request.
    pub own: bool,
    /// Roles in workspaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<WorkspaceRole>,
    /// The person sees nothing outside of them.
    pub limited: bool,
}

/// Names a session.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionRef {
    /// Its id.
    pub id: String,
}
