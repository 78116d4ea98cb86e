//! Who calls, through which door, and what they may do.

use crate::dto::{CallerRole, Host, Via};
use crate::error::{ApiError, ApiResult};
use serde_json::Value;
use signalbox_model::run_origin::{BY_REST, RunOrigin};
use signalbox_store::audit::{Actor, ActorType};

/// Who calls.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Through which host.
    pub host: Host,
    /// With which role.
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
        Self { host: Host::Http, role, here, principal, via: Via::Rest, token: None, session: None }
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
