//! Where a sign-in is kept once it is made: its tokens in the vault, who did it in the store and in the audit chain. Nobody is
//! signed in by an attempt that is none any more.

use super::sign_in_state::{Notice, Signed, Standing, Stepped, words};
use super::{meanwhile, unknown};
use crate::caller::Caller;
use crate::error::ApiResult;
use crate::host::sign_in::Keeper;
use async_trait::async_trait;
use serde_json::{Value, json};
use signalbox_adapters::mcp::{McpTools, ToolSignIn};
use signalbox_adapters::oauth::{self, CallbackParams, Pending, SignedIn};
use signalbox_adapters::vault::VaultError;
use signalbox_model::{AuditEvent, time};
use signalbox_ports::Secrets;
use signalbox_store::Store;
use signalbox_store::audit::Level;
use std::sync::Arc;

/// What a sign-in is kept with once it is made: without the app, which the page must not hold open.
#[derive(Clone)]
pub(super) struct SignInStore {
    pub(super) name: String,
    /// How the server was reached when somebody began.
    pub(super) definition: Value,
    pub(super) caller: Caller,
    pub(super) store: Store,
    pub(super) vault: Arc<signalbox_adapters::Vault>,
    pub(super) secrets: Arc<dyn Secrets>,
    pub(super) tools: Arc<McpTools>,
    /// What it was begun for.
    pub(super) step: Option<Vec<String>>,
    pub(super) settings: ToolSignIn,
    /// Its own id, in the store while it may sign somebody in.
    pub(super) attempt: String,
}

#[async_trait]
impl Keeper for SignInStore {
    async fn finish(&self, pending: Pending, params: CallbackParams) -> Result<(), String> {
        self.finished(pending, params).await
    }
    async fn note(&self, why: String) {
        self.noted(why).await;
    }
}

impl SignInStore {
    /// Gets the tokens for what the browser brought, and keeps them.
    async fn finished(&self, pending: Pending, params: CallbackParams) -> Result<(), String> {
        let made = pending.finish(params, &self.secrets).await;
        let kept = match made {
            Ok(signed) => self.keep(signed).await,
            Err(fault) => Err(fault.message),
        };
        if let Err(why) = &kept {
            self.noted(why.clone()).await;
        }
        kept
    }

    /// From here on this is the attempt at the server; another one, here or in another process, is none any more.
    pub(super) fn begins(&self) -> ApiResult<()> {
        let (definition, attempt, gone) = (self.definition.clone(), self.attempt.clone(), unknown(&self.name));
        let changed = meanwhile(&self.name);
        self.store.tool_server_change(&self.name, move |row| {
            let mut row = row.ok_or(gone)?;
            if row.definition != definition {
                return Err(changed);
            }
            let mut standing = Standing::of(&row);
            standing.attempt = Some(attempt);
            row.sign_in = standing.kept();
            Ok((row, None))
        })??;
        Ok(())
    }

    /// Keeps a sign-in: its tokens in the vault, who did it in the store and in the audit chain. What cannot be kept is given
    /// back.
    pub(super) async fn keep(&self, made: SignedIn) -> Result<(), String> {
        let (sign_in_store, made) = (self.clone(), Arc::new(made));
        let kept = tokio::task::spawn_blocking({
            let made = Arc::clone(&made);
            move || sign_in_store.kept(&made)
        });
        if let Err(why) = kept.await.unwrap_or_else(|_| Err("Signalbox is closing".into())) {
            // As far as that is offered; nobody has them any more.
            drop(oauth::revoke(&made, &self.settings, &self.secrets).await);
            return Err(why);
        }
        self.tools.forget(&self.name).await;
        Ok(())
    }

    fn kept(&self, made: &Arc<SignedIn>) -> Result<(), String> {
        let now = crate::host::clock::now_ms();
        let facts = Signed {
            id: made.kept.id.clone(),
            by: self.caller.principal.clone(),
            at_ms: now,
            issuer: made.kept.issuer.clone(),
            scopes: made.scopes.clone(),
            asked: made.kept.asked.clone(),
            expires_ms: made.expires_ms,
            renews: made.renews() || self.settings.unattended,
        };
        let kept = self.vault.sign_in_add(&self.name, made, || self.recorded(facts, now));
        kept.map_err(|error| words(&error))
    }

    fn recorded(&self, facts: Signed, now: i64) -> Result<(), VaultError> {
        let metadata = json!({
            "name": self.name, "issuer": facts.issuer, "scopes": facts.scopes,
            "expires": facts.expires_ms.map(time::format), "unattended": self.settings.unattended.then_some(true),
        });
        let record = crate::audit::facts::fact_at(
            now,
            AuditEvent::ToolServerSignedIn,
            Level::Info,
            self.caller.actor(),
            self.caller.signed(metadata),
        );
        let (definition, step, attempt) = (self.definition.clone(), self.step.clone(), self.attempt.clone());
        let written = self.store.tool_server_change(&self.name, move |row| {
            let row = row.filter(|row| row.definition == definition);
            let mut row = row.ok_or("The server was changed or deleted meanwhile.")?;
            let mut standing = Standing::of(&row);
            if standing.attempt.take() != Some(attempt) {
                return Err("Somebody signed out meanwhile, or began again.");
            }
            let before = standing.stepped.take();
            standing.stepped = step.map(|scopes| {
                let times = before.filter(|before| before.scopes == scopes).map_or(0, |before| before.times);
                Stepped { scopes, times: times + 1 }
            });
            if let Some(challenge) = &mut standing.challenge {
                challenge.more = false;
            }
            (standing.signed, standing.ended, standing.failed) = (Some(facts), None, None);
            row.sign_in = standing.kept();
            row.trouble = None;
            Ok((row, Some(record)))
        });
        let trouble = |message: String, hint: &str| VaultError {
            trouble: signalbox_adapters::vault::Trouble::Unavailable,
            message,
            hint: hint.into(),
        };
        match written {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(why)) => Err(trouble(why.into(), "Begin again.")),
            Err(error) => {
                Err(trouble(format!("The store cannot be written: {error}."), "Free the disk, then begin again."))
            }
        }
    }

    /// Keeps why nothing came of it, for the card.
    async fn noted(&self, why: String) {
        let sign_in_store = self.clone();
        let noted = tokio::task::spawn_blocking(move || {
            let told = Notice {
                why: sign_in_store.vault.scrubber().text(&why).into_owned(),
                at_ms: crate::host::clock::now_ms(),
            };
            let (definition, attempt) = (sign_in_store.definition.clone(), sign_in_store.attempt.clone());
            // For people only: whoever waits is told besides. Another attempt is not spoken of.
            drop(sign_in_store.store.tool_server_change(&sign_in_store.name, move |row| {
                let mut row = row.filter(|row| row.definition == definition).ok_or(())?;
                let mut standing = Standing::of(&row);
                if standing.attempt.take() != Some(attempt) {
                    return Err(());
                }
                standing.failed = Some(told);
                row.sign_in = standing.kept();
                Ok((row, None))
            }));
        });
        drop(noted.await);
    }
}
