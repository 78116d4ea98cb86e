//! What somebody may do in which workspace of a server (ADR 229).

use crate::dto::CallerRole;
use crate::error::{ApiError, ApiResult};
use std::collections::BTreeMap;

/// Longest name of a workspace.
const LONGEST: usize = 60;

/// Roles by workspace, in addition to the one for everything, or instead of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceRoles {
    /// The role for everything; `None`: access is limited to the workspaces.
    pub everywhere: Option<CallerRole>,
    /// Workspace → role.
    pub roles: BTreeMap<String, CallerRole>,
}

impl WorkspaceRoles {
    /// The same role in some workspaces, and nothing elsewhere.
    pub fn limited(names: &[String], role: CallerRole) -> Self {
        Self { everywhere: None, roles: names.iter().map(|name| (name.clone(), role)).collect() }
    }

    /// The role in a workspace, or for what belongs to none. `None`: it is as if it did not exist.
    pub(crate) fn within(&self, workspace: Option<&str>) -> Option<CallerRole> {
        self.everywhere.max(workspace.and_then(|name| self.roles.get(name).copied()))
    }

    /// The role for what is about everything at once.
    pub(crate) fn at_large(&self) -> CallerRole {
        self.everywhere.or_else(|| self.roles.values().min().copied()).unwrap_or(CallerRole::Viewer)
    }

    /// The largest role anywhere.
    pub fn largest(&self) -> Option<CallerRole> {
        self.everywhere.max(self.roles.values().max().copied())
    }
}

/// A name that a workspace may have.
pub fn workspace_name(text: &str) -> ApiResult<String> {
    let name = text.trim();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_name = (1..=LONGEST).contains(&name.len()) && name.chars().all(plain) && !name.starts_with('-');
    if is_name {
        return Ok(name.to_owned());
    }
    let message = format!("'{}' cannot be the name of a workspace.", text.chars().take(LONGEST).collect::<String>());
    let hint = format!("Use 1 to {LONGEST} small letters, digits and hyphens, for example sales-emea.");
    Err(ApiError::bad_request(message, hint))
}

/// Refuses a role that nobody has in a workspace: a workflow that its builder writes may use every secret, model and tool server of
/// the machine.
pub fn workspace_role(role: CallerRole) -> ApiResult<CallerRole> {
    if role < CallerRole::Builder {
        return Ok(role);
    }
    let message =
        "A builder cannot be limited to workspaces: the workflows that builders write use what the whole server has.";
    Err(ApiError::bad_request(message, "Give the role operator or viewer, or access without workspaces."))
}
