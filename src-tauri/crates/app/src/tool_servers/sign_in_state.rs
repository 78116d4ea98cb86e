//! Who is signed in at a server: what the store keeps of it for people to see. Tokens are in the vault alone; both name the
//! same sign-in by its id, and one without the other is none.

use super::registry::{ToolBook, unreadable};
use crate::audit::facts::STORE_LEVEL;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_adapters::Vault;
use signalbox_adapters::mcp::ToolServerDefinition;
use signalbox_adapters::oauth::{Challenge, SignedIn};
use signalbox_adapters::vault::{Trouble, VaultError};
use signalbox_model::{AuditEvent, time};
use signalbox_ports::tools::{ToolFailure, ToolFault};
use signalbox_store::audit::{Actor, Level, RUN_LEVEL, Record};
use signalbox_store::{Store, ToolServerRow};
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

/// How long a renewal of another process is waited for: longer than one takes whose server does not answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is known of signing in at a server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Standing {
    /// What the server said with its last refusal.
    pub(super) challenge: Option<Challenge>,
    /// Who signed in last.
    pub(super) signed: Option<Signed>,
    /// Why that holds no more, without a full stop.
    pub(super) ended: Option<Notice>,
    /// Why the last attempt came to nothing, without a full stop.
    pub(super) failed: Option<Notice>,
    /// Rights for which somebody signed in once more, and how often in a row.
    pub(super) stepped: Option<Stepped>,
    /// The attempt that waits for a person, or for its tokens. One that does not stand here any more signs nobody in: somebody
    /// signed out, or began again.
    pub(super) attempt: Option<String>,
}

/// Words and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Notice {
    pub(super) why: String,
    pub(super) at_ms: i64,
}

/// Further rights that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stepped {
    pub(super) scopes: Vec<String>,
    pub(super) times: u32,
}

/// A sign-in, without its tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Signed {
    pub(super) id: String,
    pub(super) by: String,
    pub(super) at_ms: i64,
    pub(super) issuer: String,
    /// The rights that it has.
    pub(super) scopes: Vec<String>,
    /// The rights that were asked for.
    pub(super) asked: Vec<String>,
    #[serde(default)]
    pub(super) expires_ms: Option<i64>,
    /// It is renewed without a person.
    #[serde(default)]
    pub(super) renews: bool,
}

impl Standing {
    pub(super) fn of(row: &ToolServerRow) -> Self {
        // What cannot be read says that nobody signed in.
        row.sign_in.clone().and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
    }
    pub(super) fn kept(&self) -> Option<Value> {
        (*self != Self::default()).then(|| json!(self))
    }
    /// Hears what the server wants. That it wanted further rights of who is signed in is not forgotten over an ordinary
    /// refusal, which a token that ran out has, too.
    pub(super) fn hear(&mut self, heard: Challenge) {
        let kept = self.challenge.take().filter(|kept| kept.more && !heard.more && self.holding().is_some());
        self.challenge = Some(match kept {
            Some(kept) => Challenge { resource_metadata: heard.resource_metadata, ..kept },
            None => heard,
        });
    }
    /// A sign-in that holds.
    pub(super) fn holding(&self) -> Option<&Signed> {
        self.signed.as_ref().filter(|_| self.ended.is_none())
    }
}

/// Whether somebody's sign-in goes along with calls.
pub(super) fn is_signed_in(row: &ToolServerRow) -> bool {
    Standing::of(row).holding().is_some()
}

pub(super) fn words(error: &VaultError) -> String {
    format!("{} {}", error.message, error.hint).trim_end_matches('.').to_owned()
}

fn unavailable(error: VaultError) -> ToolFailure {
    ToolFailure::new(ToolFault::Secret, words(&error))
}

/// Takes out the tokens at a server that the store does not name any more. Gives them.
pub(super) fn swept(vault: &Vault, store: &Store, server: &str) -> Result<Vec<Arc<SignedIn>>, VaultError> {
    vault.sign_ins_swept(server, || {
        let row = store.tool_server(server).map_err(|error| VaultError {
            trouble: Trouble::Unavailable,
            message: format!("The tool servers of this machine cannot be read: {error}."),
            hint: "Try again.".into(),
        })?;
        Ok(row.as_ref().map(Standing::of).and_then(|standing| standing.holding().map(|signed| signed.id.clone())))
    })
}

impl ToolBook {
    /// The sign-in for how a server is reached now.
    pub(super) fn signed_in(
        &self,
        name: &str,
        definition: &ToolServerDefinition,
    ) -> Result<Option<Arc<SignedIn>>, ToolFailure> {
        let ToolServerDefinition::Http { url, .. } = definition else { return Ok(None) };
        // Somebody may sign in anew between the two looks; then the second finds it.
        for _ in 0..2 {
            let Some(id) = self.signed_in_as(name, definition)? else { return Ok(None) };
            let kept = self.secrets.vault.sign_in(name, &id, true).map_err(unavailable)?;
            if let Some(kept) = kept.filter(|kept| kept.kept.server == *url) {
                return Ok(Some(kept));
            }
            // A vault that was given up, or came from a backup: nobody is told to be signed in who is not.
            self.sign_in_over(name, &id, "Its tokens are not among the secrets of this machine any more");
        }
        // Says that it is over.
        self.signed_in_as(name, definition).map(|_| None)
    }

    /// The id of the sign-in for how a server is reached now.
    pub(super) fn signed_in_as(
        &self,
        name: &str,
        definition: &ToolServerDefinition,
    ) -> Result<Option<String>, ToolFailure> {
        let ToolServerDefinition::Http { .. } = definition else { return Ok(None) };
        let row = self.store.tool_server(name).map_err(|error| unreadable(&error))?;
        let Some(row) = row.filter(|row| row.definition == json!(definition)) else { return Ok(None) };
        let standing = Standing::of(&row);
        if let (Some(_), Some(ended)) = (&standing.signed, &standing.ended) {
            let words = format!(
                "{}. Sign in again in Settings, Tool servers, or with `signalbox tools sign-in {name}`",
                ended.why
            );
            return Err(ToolFailure::new(ToolFault::Auth, words));
        }
        Ok(standing.signed.map(|signed| signed.id))
    }

    /// While what this gives lives, nobody else renews a sign-in at this server.
    pub(super) fn renewing(&self, name: &str) -> Result<File, ToolFailure> {
        // Never without: a token that is used for two renewals ends the sign-in at many servers.
        let held = self.secrets.vault.renewing(name, PATIENCE);
        held.map_err(|error| {
            let words = format!("The sign-in could not be renewed: {}", words(&error));
            ToolFailure::new(ToolFault::Connect, words)
        })
    }

    /// Keeps new tokens of a sign-in that is still there.
    pub(super) fn sign_in_renewed(&self, name: &str, signed: SignedIn) -> Result<Arc<SignedIn>, ToolFailure> {
        let kept = self.secrets.vault.sign_in_renewed(name, signed).map_err(unavailable)?;
        let gone = || ToolFailure::new(ToolFault::Auth, "Somebody signed out of the server in this moment");
        let kept = kept.ok_or_else(gone)?;
        let (id, scopes, expires_ms) = (kept.kept.id.clone(), kept.scopes.clone(), kept.expires_ms);
        // For people only: the tokens are kept.
        self.standing_change(name, move |standing| {
            let signed = standing.signed.as_mut().filter(|signed| signed.id == id)?;
            (signed.scopes, signed.expires_ms) = (scopes, expires_ms);
            Some(None)
        });
        Ok(kept)
    }

    /// Hears what a server wants.
    pub(super) fn sign_in_wanted(&self, name: &str, definition: &ToolServerDefinition, challenge: Challenge) {
        let Ok(Some(row)) = self.store.tool_server(name) else { return };
        let (before, mut after) = (Standing::of(&row), Standing::of(&row));
        after.hear(challenge.clone());
        if row.definition != json!(definition) || before == after {
            return;
        }
        // It is heard again at the next call.
        self.standing_change(name, move |standing| {
            standing.hear(challenge);
            Some(None)
        });
    }

    /// Hears that a sign-in holds no more.
    pub(super) fn sign_in_over(&self, name: &str, id: &str, why: &str) {
        let scrubber = self.secrets.vault.scrubber();
        let (now, why, own, wanted) =
            (self.clock.now_ms(), scrubber.text(why).into_owned(), name.to_owned(), id.to_owned());
        let written = self.standing_change(name, move |standing| {
            let signed = standing.signed.as_ref().filter(|signed| signed.id == wanted)?;
            if standing.ended.is_some() {
                return None;
            }
            let facts = json!({ "name": own, "issuer": signed.issuer, "signedInBy": signed.by, "why": why });
            standing.ended = Some(Notice { why, at_ms: now });
            let event = AuditEvent::ToolServerSignInEnded;
            let record = Record::new(time::format(now), STORE_LEVEL, RUN_LEVEL, event, Level::Warn, Actor::system())
                .with_metadata(facts.as_object().cloned().unwrap_or_default());
            Some(Some(record))
        });
        // Its tokens are of no use to anybody. When they cannot be taken out now, they are bound to a sign-in that is over.
        if written {
            drop(swept(&self.secrets.vault, &self.store, name));
        }
    }

    /// Changes what is known of signing in; `None` of `change` leaves it as it is. Whether it was changed.
    fn standing_change(
        &self,
        name: &str,
        change: impl FnOnce(&mut Standing) -> Option<Option<Record>> + Send + 'static,
    ) -> bool {
        let written = self.store.tool_server_change(name, move |row| {
            let mut row = row.ok_or(())?;
            let mut standing = Standing::of(&row);
            let record = change(&mut standing).ok_or(())?;
            row.sign_in = standing.kept();
            Ok::<_, ()>((row, record))
        });
        matches!(written, Ok(Ok(_)))
    }
}
