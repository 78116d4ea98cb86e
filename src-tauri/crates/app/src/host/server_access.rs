//! Tokens of programs and sessions of people, as they are kept: by hashes, each change with its audit entry (ADR 211). The
//! server that lets them in hears at once of what this process changes, and looks every few seconds for what others do.

use crate::App;
use crate::caller::{Caller, workspace_name, workspace_role};
use crate::dto::{AccessToken, CallerRole, TokenAdd, TokenAdded, UserSession, WorkspaceRole};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::access::{AccessEnd, SignedInPerson, principal};
use crate::host::workspaces::{kept_quota, shown_quota, shown_starts};
use serde_json::json;
use signalbox_model::{AuditEvent, hash::sha256_hex, time};
use signalbox_store as store;
use signalbox_store::audit::Level;
use std::sync::Arc;

/// Before every token, so that programs which look for secrets in files know one.
pub const TOKEN_PREFIX: &str = "sbx_";
/// Tokens at once.
const MOST: usize = 1_000;
const LONGEST_NAME: usize = 100;
const LONGEST_DAYS: u32 = 3_650;
const DAY_MS: i64 = 24 * 3_600_000;

/// A session as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSession {
    /// SHA-256 of its token, in hex.
    pub hash: String,
    /// By which others name it.
    pub id: String,
    /// Whose it is.
    pub person: SignedInPerson,
    /// Milliseconds since 1970.
    pub since_ms: i64,
    /// Milliseconds since 1970.
    pub used_ms: i64,
    /// When the provider is asked about it next, milliseconds since 1970.
    pub renew_ms: Option<i64>,
    /// What renews it, sealed.
    pub sealed: Option<String>,
}

impl KeptSession {
    fn row(&self) -> store::UserSession {
        store::UserSession {
            hash: self.hash.clone(),
            id: self.id.clone(),
            person: serde_json::to_string(&self.person).unwrap_or_default(),
            since_ms: self.since_ms,
            used_ms: self.used_ms,
            renew_ms: self.renew_ms,
            sealed: self.sealed.clone(),
        }
    }

    /// `None`: another release wrote it.
    fn of(row: store::UserSession) -> Option<Self> {
        Some(Self {
            person: serde_json::from_str(&row.person).ok()?,
            hash: row.hash,
            id: row.id,
            since_ms: row.since_ms,
            used_ms: row.used_ms,
            renew_ms: row.renew_ms,
            sealed: row.sealed,
        })
    }
}

/// A token as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptToken {
    /// SHA-256 of it, in hex.
    pub hash: String,
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: CallerRole,
    /// In whose name, without `user:`.
    pub person: String,
    /// Milliseconds since 1970.
    pub expires_ms: Option<i64>,
    /// Milliseconds since 1970.
    pub used_ms: Option<i64>,
    /// The workspaces that it is limited to; `None`: it is not.
    pub workspaces: Option<Vec<String>>,
}

fn shown(app: &App, row: store::AccessToken, now_ms: i64) -> Option<AccessToken> {
    let started = shown_starts(app.store.token_started(&row.name, now_ms).unwrap_or_default());
    Some(AccessToken {
        started,
        quota: shown_quota(row.quota),
        workspaces: row.workspaces,
        role: CallerRole::parse(&row.role)?,
        name: row.name,
        person: row.person,
        made_at: time::format(row.made_ms),
        expires_at: row.expires_ms.map(time::format),
        expired: row.expires_ms.is_some_and(|at| at <= now_ms),
        used_at: row.used_ms.map(time::format),
    })
}

fn checked_name(text: &str) -> ApiResult<String> {
    let name = text.trim();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
    if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(plain) {
        let message =
            format!("'{}' cannot be the name of a token.", name.chars().take(LONGEST_NAME).collect::<String>());
        let hint =
            format!("Use 1 to {LONGEST_NAME} letters, digits, '.', '_', '-' and '@', for example nightly-import.");
        return Err(ApiError::bad_request(message, hint));
    }
    Ok(name.to_owned())
}

/// Access is given and taken by people: a token that leaked must not make one that outlives it.
fn by_a_person(caller: &Caller) -> ApiResult<()> {
    if caller.token.is_none() {
        return Ok(());
    }
    let message = "A token of this list cannot make or end access.";
    Err(ApiError::forbidden(message, "Sign in, use a token of the token file, or run the command on the server."))
}

impl App {
    /// All tokens, the newest first.
    pub(crate) fn tokens(&self) -> ApiResult<Vec<AccessToken>> {
        let now_ms = self.now_ms();
        Ok(self.store.access_tokens()?.into_iter().filter_map(|row| shown(self, row, now_ms)).collect())
    }

    /// Makes a token that acts in the name of who makes it.
    pub(crate) fn token_add(&self, caller: &Caller, request: TokenAdd) -> ApiResult<TokenAdded> {
        by_a_person(caller)?;
        caller.require(request.role)?;
        let name = checked_name(&request.name)?;
        let workspaces = request.workspaces.map(|names| self.known_workspaces(&names)).transpose()?;
        if workspaces.is_some() {
            workspace_role(request.role)?;
        }
        let quota = kept_quota(request.quota)?;
        if quota.at_once.is_some() {
            let hint = "Give the workspace one: Settings, Access, or `signalbox workspace set`.";
            return Err(ApiError::bad_request("A token has no quota of runs at the same time.", hint));
        }
        if quota.person_per_minute.or(quota.person_per_day).is_some() {
            let hint = "Give the workspace one, or the token perMinute and perDay.";
            return Err(ApiError::bad_request("A token has no quota for each person.", hint));
        }
        let days = request.expires_days;
        if days.is_some_and(|days| days == 0 || days > LONGEST_DAYS) {
            let hint = format!("Give 1 to {LONGEST_DAYS} days, or none for a token that lasts until it is revoked.");
            return Err(ApiError::bad_request("A token cannot last so many days.", hint));
        }
        if self.store.access_tokens()?.len() >= MOST {
            let message = format!("There are {MOST} tokens already.");
            return Err(ApiError::new(Class::Conflict, "TOO_MANY_TOKENS", message, "Revoke tokens that nobody uses."));
        }
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(|error| {
            let message = format!("The system provides no random numbers: {error}.");
            ApiError::unavailable("NO_RANDOM", message, "Try again.")
        })?;
        let token = format!("{TOKEN_PREFIX}{}", sha256_hex(&bytes));
        let made_ms = self.now_ms();
        let row = store::AccessToken {
            hash: sha256_hex(token.as_bytes()),
            name: name.clone(),
            role: request.role.as_str().to_owned(),
            person: caller.principal.clone(),
            made_ms,
            expires_ms: days.map(|days| made_ms + i64::from(days) * DAY_MS),
            used_ms: None,
            workspaces,
            quota,
        };
        let facts = json!({
            "name": name, "role": row.role, "expiresAt": row.expires_ms.map(time::format), "workspaces": row.workspaces,
            "perMinute": quota.per_minute, "perDay": quota.per_day,
        });
        let record = self.fact(AuditEvent::TokenCreated, Level::Warn, caller.actor(), caller.signed(facts));
        if !self.store.access_token_add(row.clone(), record)? {
            let message = format!("There is a token with the name '{name}'.");
            return Err(ApiError::new(
                Class::Conflict,
                "NAME_TAKEN",
                message,
                "Choose another name, or revoke it first.",
            ));
        }
        self.access_changed();
        let entry = shown(self, row, made_ms).ok_or_else(|| ApiError::not_found("The token has no role."))?;
        Ok(TokenAdded { token, entry })
    }

    /// Names of workspaces that there are, each once.
    fn known_workspaces(&self, names: &[String]) -> ApiResult<Vec<String>> {
        let mut known = Vec::new();
        for name in names {
            let name = workspace_name(name)?;
            if self.store.workspace(&name)?.is_none() {
                let hint = "Make it first: Settings, Access, or `signalbox workspace set NAME`.";
                return Err(ApiError::bad_request(format!("There is no workspace {name}."), hint));
            }
            if !known.contains(&name) {
                known.push(name);
            }
        }
        if known.is_empty() {
            let hint = "Name workspaces, or leave the field out for a token that is not limited.";
            return Err(ApiError::bad_request("A token without any workspace can do nothing.", hint));
        }
        Ok(known)
    }

    /// Ends a token now.
    pub(crate) fn token_revoke(&self, caller: &Caller, name: &str) -> ApiResult<()> {
        by_a_person(caller)?;
        let unknown =
            || ApiError::not_found(format!("There is no token with the name '{name}'; it may be revoked already."));
        let row = self.store.access_token_named(name.trim())?.ok_or_else(unknown)?;
        let facts = json!({ "name": row.name, "role": row.role, "person": row.person, "workspaces": row.workspaces });
        let record = self.fact(AuditEvent::TokenRevoked, Level::Warn, caller.actor(), caller.signed(facts));
        if !self.store.access_token_delete(&row.hash, record)? {
            return Err(unknown());
        }
        self.access_changed();
        Ok(())
    }

    /// Ends the sessions and tokens of a person whose name somebody else may get.
    pub(super) fn end_access_of(&self, caller: &Caller, person: &str) -> ApiResult<()> {
        let is_theirs = |name: &str| name.to_lowercase() == person.to_lowercase();
        for token in self.tokens()?.into_iter().filter(|token| is_theirs(&token.person)) {
            self.token_revoke(caller, &token.name)?;
        }
        for kept in self.kept_sessions()?.into_iter().filter(|kept| is_theirs(&principal(&kept.person.name))) {
            self.user_session_end(caller, &kept.id)?;
        }
        Ok(())
    }

    /// All tokens, for the server that lets them in.
    pub fn kept_tokens(&self) -> ApiResult<Vec<KeptToken>> {
        let token = |row: store::AccessToken| {
            Some(KeptToken {
                role: CallerRole::parse(&row.role)?,
                hash: row.hash,
                name: row.name,
                person: row.person.trim_start_matches("user:").to_owned(),
                expires_ms: row.expires_ms,
                used_ms: row.used_ms,
                workspaces: row.workspaces,
            })
        };
        Ok(self.store.access_tokens()?.into_iter().filter_map(token).collect())
    }

    /// Says that a token was used.
    pub fn token_used(&self, hash: &str, now_ms: i64) -> ApiResult<()> {
        Ok(self.store.access_token_used(hash, now_ms)?)
    }

    /// Who is signed in, the newest first.
    pub(crate) fn user_sessions(&self, caller: &Caller) -> ApiResult<Vec<UserSession>> {
        let shown = |kept: KeptSession| UserSession {
            own: caller.session.as_deref() == Some(kept.id.as_str()),
            limited: kept.person.is_limited(),
            workspaces: kept
                .person
                .workspaces
                .into_iter()
                .map(|one| WorkspaceRole { name: one.name, role: one.role })
                .collect(),
            id: kept.id,
            person: principal(&kept.person.name),
            shown_name: kept.person.shown,
            email: kept.person.email,
            role: kept.person.role,
            issuer: kept.person.issuer,
            since: time::format(kept.since_ms),
            used_at: time::format(kept.used_ms),
        };
        Ok(self.kept_sessions()?.into_iter().map(shown).collect())
    }

    /// Ends the session of a person now.
    pub(crate) fn user_session_end(&self, caller: &Caller, id: &str) -> ApiResult<()> {
        by_a_person(caller)?;
        let gone = || ApiError::not_found("This session has ended already.");
        let kept = self.kept_sessions()?.into_iter().find(|kept| kept.id == id).ok_or_else(gone)?;
        let facts = json!({
            "person": principal(&kept.person.name), "issuer": kept.person.issuer, "subject": kept.person.subject,
            "reason": "ended",
        });
        let record = self.fact(AuditEvent::UserSignedOut, Level::Warn, caller.actor(), caller.signed(facts));
        if !self.store.session_end(&kept.hash, record)? {
            return Err(gone());
        }
        self.access_changed();
        Ok(())
    }

    /// All sessions, for the server that keeps them.
    pub fn kept_sessions(&self) -> ApiResult<Vec<KeptSession>> {
        Ok(self.store.sessions()?.into_iter().filter_map(KeptSession::of).collect())
    }

    /// A person signed in: the session and its entry are on the disk before anybody gets in with it.
    pub async fn session_began(self: &Arc<Self>, session: &KeptSession) -> ApiResult<()> {
        let session = session.clone();
        self.blocking(move |app| {
            let person = &session.person;
            let record = app.fact(AuditEvent::UserSignedIn, Level::Info, person.actor(), person.facts());
            Ok(app.store.session_begin(session.row(), record)?)
        })
        .await
    }

    /// Keeps what has changed of a session. False: it has ended.
    pub async fn session_changed(self: &Arc<Self>, session: KeptSession) -> ApiResult<bool> {
        self.blocking(move |app| Ok(app.store.session_update(session.row())?)).await
    }

    /// A session ended. False, and nothing is recorded, when it had ended before.
    pub async fn session_ended(
        self: &Arc<Self>,
        hash: &str,
        person: &SignedInPerson,
        why: AccessEnd,
    ) -> ApiResult<bool> {
        let (hash, person) = (hash.to_owned(), person.clone());
        self.blocking(move |app| {
            let record = app.sign_out_record(&person, why);
            Ok(app.store.session_end(&hash, record)?)
        })
        .await
    }

    /// Ends all sessions: nobody signs in at the server any more.
    pub async fn end_all_sessions(self: &Arc<Self>) -> ApiResult<()> {
        for kept in self.blocking(|app| app.kept_sessions()).await? {
            let why = "The server is run without an identity provider now";
            self.session_ended(&kept.hash, &kept.person, AccessEnd::Refused(why.to_owned())).await?;
        }
        Ok(())
    }

    /// Says who lets people and programs in, so that it hears at once of tokens and sessions that this process changes.
    pub fn on_access_change(&self, hear: impl Fn() + Send + Sync + 'static) {
        // A host says so once.
        drop(self.access_listener.set(Box::new(hear)));
    }

    fn access_changed(&self) {
        if let Some(hear) = self.access_listener.get() {
            hear();
        }
    }
}
