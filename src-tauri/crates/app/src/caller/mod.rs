//! Who calls, through which door, and what they may do.

mod workspace_roles;

use crate::dto::{CallerRole, Host, Via};
use crate::error::{ApiError, ApiResult, Class};
use serde_json::Value;
use signalbox_model::run_origin::{BY_REST, RunOrigin};
use signalbox_store::audit::{Actor, ActorType};
use std::sync::Arc;

pub use workspace_roles::{WorkspaceRoles, workspace_name, workspace_role};

/// Who calls.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Through which host.
    pub host: Host,
    /// With which role. Of somebody who has roles in workspaces: the role for what is about everything at once.
    pub role: CallerRole,
    /// A person on this machine: runs that they start may reach loopback addresses (TRUST, SSRF).
    pub here: bool,
    /// Who: `user:…`.
    pub principal: String,
    /// Through which door.
    pub via: Via,
    /// The token of the list that was used, by its name.
    pub token: Option<String>,
    /// The session of the person who signed in, by its id.
    pub session: Option<String>,
    /// Roles in workspaces; `None`: `role` holds for everything.
    pub workspaces: Option<Arc<WorkspaceRoles>>,
}

/// The account of the system under which this process runs, as `user:…`.
pub fn os_user() -> String {
    let name = ["USER", "LOGNAME", "USERNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    format!("user:{}", name.filter(|name| !name.is_empty()).map(|name| word(&name)).next().unwrap_or("local".into()))
}

/// A name as it stands in ids: no spaces, no control characters.
fn word(text: &str) -> String {
    text.chars().take(100).map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

impl Caller {
    /// The window, or a person at the terminal: everything a person may do.
    pub fn here() -> Self {
        Self {
            host: Host::Desktop,
            role: CallerRole::Builder,
            here: true,
            principal: os_user(),
            via: Via::App,
            token: None,
            session: None,
            workspaces: None,
        }
    }
    /// A person at the terminal who may say in whose name they act.
    pub fn terminal(name: Option<&str>) -> ApiResult<Self> {
        let principal = match name {
            None => os_user(),
            Some(name) => person(name)?,
        };
        Ok(Self { principal, via: Via::Cli, ..Self::here() })
    }
    /// A request with a token of this name.
    pub fn http(role: CallerRole, here: bool, name: &str) -> Self {
        let principal = format!("user:{}", word(name));
        Self { host: Host::Http, role, here, principal, via: Via::Rest, token: None, session: None, workspaces: None }
    }
    /// With a token of the list, by its name.
    #[must_use]
    pub fn with_token(self, token: Option<String>) -> Self {
        Self { token, ..self }
    }
    /// In the session of a person who signed in, by its id.
    #[must_use]
    pub fn in_session(self, session: Option<String>) -> Self {
        Self { session, ..self }
    }
    /// With roles in workspaces. Who is limited to them is no person at this machine: runs that they start reach public addresses.
    #[must_use]
    pub fn with_workspaces(self, workspaces: Option<Arc<WorkspaceRoles>>) -> Self {
        let Some(roles) = workspaces else { return self };
        let here = self.here && roles.everywhere.is_some();
        Self { role: roles.at_large(), here, workspaces: Some(roles), ..self }
    }
    /// Access ends at the border of some workspaces.
    pub fn is_limited(&self) -> bool {
        self.workspaces.as_ref().is_some_and(|roles| roles.everywhere.is_none())
    }
    /// The workspaces that lists show; `None`: everything.
    pub(crate) fn listed_workspaces(&self) -> Option<Vec<String>> {
        let roles = self.workspaces.as_ref().filter(|_| self.is_limited())?;
        Some(roles.roles.keys().cloned().collect())
    }
    /// Something that is limited acts in the name of a person who is not: what that person keeps is not for it.
    pub(crate) fn is_limited_token(&self) -> bool {
        self.is_limited() && self.token.is_some()
    }
    /// The caller with the role in a workspace, or for what belongs to none. `None`: for them it does not exist.
    pub(crate) fn within(&self, workspace: Option<&str>) -> Option<Self> {
        let Some(roles) = &self.workspaces else { return Some(self.clone()) };
        Some(Self { role: roles.within(workspace)?, ..self.clone() })
    }
    /// Refuses whoever has this role nowhere. What is asked for is then looked at with the role that holds there.
    pub fn require_somewhere(&self, least: CallerRole) -> ApiResult<()> {
        match &self.workspaces {
            Some(roles) if roles.largest() >= Some(least) => Ok(()),
            _ => self.require(least),
        }
    }
    /// Refuses access that is limited to workspaces. `what` begins a sentence.
    pub fn require_everywhere(&self, what: &str) -> ApiResult<()> {
        let Some(names) = self.listed_workspaces() else { return Ok(()) };
        let message = format!("{what} is about the whole server, and this access is limited to: {}.", names.join(", "));
        let hint = "Use access without workspaces. Help, Workspaces and quotas, lists what limited access can do.";
        Err(ApiError::new(Class::Forbidden, "WORKSPACE_ONLY", message, hint))
    }
    /// Refuses a smaller role.
    pub fn require(&self, least: CallerRole) -> ApiResult<()> {
        if self.role >= least {
            return Ok(());
        }
        Err(ApiError::forbidden(format!("This needs the role {}.", least.as_str()), "Use a token with that role."))
    }
    /// Who and what a run is started by when this caller starts it.
    pub fn origin(&self, client_run_token: Option<String>) -> RunOrigin {
        let started_by = (!self.here).then(|| BY_REST.to_owned());
        RunOrigin {
            started_by,
            person: Some(self.principal.clone()),
            client_run_token,
            token: self.token.clone(),
            workspace: None,
            trace: None,
            trial: false,
        }
    }
    /// The caller as an actor of the audit chain.
    pub fn actor(&self) -> Actor {
        let role = self.role.as_str().to_owned();
        Actor { kind: ActorType::Human, id: Some(self.principal.clone()), role: Some(role) }
    }
    /// Facts of an audit entry, with the way by which the caller came.
    pub(crate) fn signed(&self, facts: Value) -> Value {
        let Value::Object(mut facts) = facts else { return facts };
        facts.insert("via".into(), self.via.as_str().into());
        if let Some(token) = &self.token {
            facts.insert("tokenName".into(), token.as_str().into());
        }
        if self.via == Via::Cli {
            // `--as` only says in whose name.
            facts.insert("osUser".into(), os_user().into());
        }
        facts.retain(|_, value| !value.is_null());
        facts.into()
    }
    /// The caller as one who answers tasks (K-21).
    pub fn operator(&self) -> Actor {
        Actor::operator(&self.principal)
    }
}

/// `user:NAME` of a text that is one.
fn person(text: &str) -> ApiResult<String> {
    let name = text.strip_prefix("user:").unwrap_or_default();
    if name.is_empty() || name != word(name) {
        return Err(ApiError::bad_request(
            format!("'{text}' is not a person."),
            "Write user:NAME, without spaces, for example user:anna.",
        ));
    }
    Ok(text.to_owned())
}
