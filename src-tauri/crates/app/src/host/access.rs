//! Who gets in to a server: its start, people who sign in by an identity provider, what ends it. Everything is recorded. A person
//! keeps the name of the first sign-in, and nobody else gets it: approvals by several people count names (ADR 204).

use crate::App;
use crate::caller::WorkspaceRoles;
use crate::dto::CallerRole;
use crate::error::{ApiError, ApiResult, Class};
use crate::host::stored::stored_setting;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, time};
use signalbox_store::audit::{Actor, ActorType, Level, Record};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where the names of people are kept.
const NAME: &str = "people";

/// Names and whose they are. Capitals make no other name.
type Names = BTreeMap<String, NamedPerson>;

/// Whose a name is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedPerson {
    /// The name, without `user:`.
    pub name: String,
    /// The identity provider.
    pub issuer: String,
    /// The person's id there.
    pub subject: String,
    /// The first sign-in, RFC 3339.
    pub since: String,
}

/// A person who is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedInPerson {
    /// The name under which the person acts, without `user:`.
    pub name: String,
    /// The identity provider.
    pub issuer: String,
    /// The person's id there.
    pub subject: String,
    /// As the provider shows the person.
    pub shown: Option<String>,
    /// The person's address.
    pub email: Option<String>,
    /// What the person may do.
    pub role: CallerRole,
    /// The claim that gives the role, and its value.
    pub role_by: (String, String),
    /// Roles in workspaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<GivenWorkspace>,
    /// The role is the largest of those in workspaces: the person has none for everything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub limited: bool,
}

/// A role in a workspace, and the value of the claim that gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenWorkspace {
    /// The workspace.
    pub name: String,
    /// What the person may do there.
    pub role: CallerRole,
    /// The value.
    pub by: String,
}

impl SignedInPerson {
    /// The person sees nothing outside of the workspaces.
    pub fn is_limited(&self) -> bool {
        self.limited
    }

    /// What the person may do where; `None`: the role holds for everything.
    pub fn workspace_roles(&self) -> Option<WorkspaceRoles> {
        if self.workspaces.is_empty() && !self.limited {
            return None;
        }
        let roles = self.workspaces.iter().map(|one| (one.name.clone(), one.role)).collect();
        Some(WorkspaceRoles { everywhere: (!self.limited).then_some(self.role), roles })
    }

    pub(super) fn actor(&self) -> Actor {
        let id = Some(principal(&self.name));
        Actor { kind: ActorType::Human, id, role: Some(self.role.as_str().to_owned()) }
    }

    pub(super) fn facts(&self) -> Value {
        let (claim, value) = &self.role_by;
        let inside: Vec<String> =
            self.workspaces.iter().map(|one| format!("{}@{}={}", one.role.as_str(), one.name, one.by)).collect();
        recorded(json!({
            "person": principal(&self.name), "issuer": self.issuer, "subject": self.subject, "role": self.role.as_str(), "roleClaim": claim, "roleValue": value,
            "workspaces": (!inside.is_empty()).then_some(inside), "limited": self.limited.then_some(true),
        }))
    }
}

/// Why somebody is not signed in, or not any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessEnd {
    /// The person signed out.
    SignedOut,
    /// Too long ago, or not used for too long.
    Expired,
    /// The provider does not vouch for the person any more. Plain words without a full stop.
    Refused(String),
}

/// A person as the audit chain names people. Shown names and addresses stay out of it: it cannot forget them.
pub(super) fn principal(name: &str) -> String {
    format!("user:{name}")
}

fn recorded(facts: Value) -> Value {
    let Value::Object(mut facts) = facts else { return facts };
    facts.retain(|_, value| !value.is_null());
    facts.into()
}

impl App {
    /// The name under which a person of a provider acts: that of the first sign-in, or `wanted` when this is the first.
    /// `reserved`: names that tokens of the server have.
    pub async fn name_person(
        self: &Arc<Self>,
        issuer: String,
        subject: String,
        wanted: String,
        reserved: Vec<String>,
    ) -> ApiResult<String> {
        self.blocking(move |app| {
            let since = time::format(app.now_ms());
            let (sender, receiver) = std::sync::mpsc::channel();
            let changed = app.store.setting_change(NAME, move |kept| {
                let mut names: Names = kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
                let own = names.values().find(|person| person.issuer == issuer && person.subject == subject);
                let name = match own {
                    Some(own) => own.name.clone(),
                    None => {
                        let key = wanted.to_lowercase();
                        if reserved.iter().any(|name| name.to_lowercase() == key) {
                            return Err(taken(&wanted, "a token of this server"));
                        }
                        if names.contains_key(&key) {
                            return Err(taken(&wanted, "another person of the identity provider"));
                        }
                        names.insert(key, NamedPerson { name: wanted.clone(), issuer, subject, since });
                        wanted
                    }
                };
                // Nobody waits for it when the store has gone.
                drop(sender.send(name));
                Ok(Some(serde_json::to_value(&names).unwrap_or_default()))
            })?;
            changed?;
            receiver.recv().map_err(|_| ApiError::unavailable("STORE", "The name could not be kept.", "Try again."))
        })
        .await
    }

    /// The names of people who have signed in.
    pub fn named_people(&self) -> ApiResult<Vec<NamedPerson>> {
        Ok(stored_setting::<Names>(self, NAME)?.into_values().collect())
    }

    /// Frees the name of a person, for the next one who signs in with it.
    pub fn forget_person(&self, caller: &crate::Caller, name: &str) -> ApiResult<NamedPerson> {
        let key = name.trim_start_matches("user:").to_lowercase();
        let unknown = || {
            let hint = "signalbox people list shows the names.";
            ApiError::new(Class::NotFound, "NOT_FOUND", format!("Nobody named '{name}' has signed in."), hint)
        };
        let person = stored_setting::<Names>(self, NAME)?.remove(&key).ok_or_else(unknown)?;
        // Nobody acts under the name for whoever had it.
        self.end_access_of(caller, &principal(&person.name))?;
        let facts = json!({ "person": principal(&person.name), "issuer": person.issuer, "subject": person.subject });
        let record = self.fact(AuditEvent::PersonForgotten, Level::Warn, caller.actor(), caller.signed(facts));
        let missing = unknown();
        self.store.setting_change_recorded(NAME, record, move |kept| {
            let mut names: Names = kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
            names.remove(&key).ok_or(missing)?;
            Ok::<_, ApiError>(Some(serde_json::to_value(&names).unwrap_or_default()))
        })??;
        Ok(person)
    }

    async fn record_access(
        self: &Arc<Self>,
        event: AuditEvent,
        level: Level,
        actor: Actor,
        facts: Value,
    ) -> ApiResult<()> {
        self.blocking(move |app| {
            let record = app.fact(event, level, actor, recorded(facts));
            app.store.audit_append(record, None, true)?;
            Ok(())
        })
        .await
    }

    /// Somebody was not let in. `facts`: what the provider told, when it vouched for who it was.
    pub async fn sign_in_refused(
        self: &Arc<Self>,
        issuer: &str,
        reason: &str,
        facts: Value,
        omitted: u64,
    ) -> ApiResult<()> {
        let mut all = json!({ "issuer": issuer, "reason": reason, "omitted": (omitted > 0).then_some(omitted) });
        if let (Some(all), Value::Object(facts)) = (all.as_object_mut(), facts) {
            all.extend(facts);
        }
        // Who has no role is who the provider says; whoever asks for the name of somebody else is not.
        let actor = match all["person"].as_str().filter(|_| reason == "noRole") {
            Some(person) => Actor { kind: ActorType::Human, id: Some(person.to_owned()), role: None },
            None => Actor::system(),
        };
        self.record_access(AuditEvent::UserSignInRefused, Level::Warn, actor, all).await
    }

    /// The entry about the end of a session.
    pub(super) fn sign_out_record(&self, person: &SignedInPerson, why: AccessEnd) -> Record {
        let (reason, message) = match why {
            AccessEnd::SignedOut => ("signedOut", None),
            AccessEnd::Expired => ("expired", None),
            AccessEnd::Refused(message) => ("refused", Some(message)),
        };
        let facts = json!({ "person": principal(&person.name), "issuer": person.issuer, "subject": person.subject, "reason": reason, "message": message });
        let actor = if reason == "signedOut" { person.actor() } else { Actor::system() };
        self.fact(AuditEvent::UserSignedOut, Level::Info, actor, recorded(facts))
    }

    /// The provider gives a person who is signed in another role.
    pub async fn person_role_changed(self: &Arc<Self>, person: &SignedInPerson, before: CallerRole) -> ApiResult<()> {
        let mut facts = person.facts();
        facts["before"] = before.as_str().into();
        self.record_access(AuditEvent::UserRoleChanged, Level::Info, Actor::system(), facts).await
    }

    /// A server begins: where, and who may get in.
    pub async fn server_started(self: &Arc<Self>, facts: Value) -> ApiResult<()> {
        let account = Actor { kind: ActorType::Human, id: Some(crate::os_user()), role: None };
        self.record_access(AuditEvent::ServerStarted, Level::Info, account, facts).await
    }

    /// A server uses another certificate.
    pub async fn certificate_changed(self: &Arc<Self>, facts: Value) -> ApiResult<()> {
        self.record_access(AuditEvent::ServerCertificateChanged, Level::Info, Actor::system(), facts).await
    }
}

fn taken(name: &str, by: &str) -> ApiError {
    ApiError::new(
        Class::Forbidden,
        "NAME_TAKEN",
        format!("The name '{name}' belongs to {by}."),
        "Ask the person who runs this server: signalbox people list shows whose it is, signalbox people forget frees it.",
    )
}
