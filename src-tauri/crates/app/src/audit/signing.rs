//! Who signs the audit chain: the key at the start, what happens to it while the program runs, and what a person chooses.

use crate::app::App;
use crate::audit::facts::{self};
use crate::audit::signing_key::{AuditKeys, Change, Opened, Place, Unusable};
use crate::caller::Caller;
use crate::dto::{AuditKey, AuditKeyChoose, AuditStatus, AuditUnsigned, Host, KeyPlace};
use crate::error::{ApiError, ApiResult, Class};
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, time};
use signalbox_store::audit::{Actor, Level, PublicKey, RUN_LEVEL, Record};
use signalbox_store::{Store, StoreError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A host that stays looks so often whether a locked key store was opened.
const LOOK: Duration = Duration::from_secs(20);

/// The key of this data folder, and why nothing is signed.
pub(crate) struct Signing {
    keys: AuditKeys,
    unsigned: Mutex<Option<Unusable>>,
}

impl Signing {
    /// Has the store sign, when there is a key.
    pub(crate) fn start(keys: AuditKeys, store: &Store, now_ms: i64) -> ApiResult<Self> {
        let known = facts::keys(&store.audit_state()?);
        if !store.is_file() && !known.is_empty() && keys.place().is_none() {
            // Else one would be made.
            return Err(foreign_key(&keys, store, &known));
        }
        let unsigned = match keys.open(&known) {
            Ok(opened) => {
                if !store.is_file() {
                    signs_for_all(store, opened, &keys)?;
                    return Ok(Self { keys, unsigned: Mutex::new(None) });
                }
                // A store that cannot be written now is told about in its own words.
                let _ = signs(store, opened, &known, now_ms);
                None
            }
            Err(why) => Some(why),
        };
        Ok(Self { keys, unsigned: Mutex::new(unsigned) })
    }

    fn unsigned(&self) -> MutexGuard<'_, Option<Unusable>> {
        self.unsigned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a host says at its start.
    pub(crate) fn alarm(&self) -> Option<String> {
        let unsigned = self.unsigned();
        unsigned.as_ref().map(|why| format!("The audit chain is not signed: {} {}", why.message, why.hint))
    }
}

/// Hosts on one history sign with one key, the first that signed there: a host with another one does not start.
fn signs_for_all(store: &Store, opened: Opened, keys: &AuditKeys) -> ApiResult<()> {
    if store.set_audit_signer_of_all(opened.signer)? {
        return Ok(());
    }
    Err(foreign_key(keys, store, &facts::keys(&store.audit_state()?)))
}

fn foreign_key(keys: &AuditKeys, store: &Store, known: &[PublicKey]) -> ApiError {
    let wanted = known.last().map(|key| key.key_id().to_string()).unwrap_or_default();
    let has = if keys.place().is_some() { "another key" } else { "no key" };
    let message = format!(
        "The audit chain in {} is signed with the key {wanted}, and {} holds {has}.",
        store.history().unwrap_or_default(),
        keys.at()
    );
    let hint = "All hosts on one history sign with the same key: copy the file audit.key from the data folder of a host that uses \
                it (there `signalbox audit key file` puts it into the file), readable for this account only.";
    ApiError::new(Class::Unavailable, "AUDIT_KEY_DIFFERS", message, hint)
}

/// Has the store sign with a key that was found. One that was made where others signed before is on record.
fn signs(store: &Store, opened: Opened, known: &[PublicKey], now_ms: i64) -> Result<(), StoreError> {
    let change = Change { key: opened.signer.public_key(), from: None, to: Place::File, made: opened.made };
    store.set_audit_signer(opened.signer)?;
    if change.made && !known.is_empty() {
        store.audit_append(changed(now_ms, Actor::system(), &change, json!({})), None, true)?;
    }
    Ok(())
}

/// The entry that says where a key went, or that another one signs.
fn changed(now_ms: i64, actor: Actor, change: &Change, mut facts: Value) -> Record {
    facts["keyId"] = change.key.key_id().to_string().into();
    facts["fingerprint"] = change.key.fingerprint().to_hex().into();
    facts["to"] = change.to.as_str().into();
    facts["new"] = change.made.into();
    if let Some(from) = change.from {
        facts["from"] = from.as_str().into();
    }
    let at = time::format(now_ms);
    // A key that only moved is no news for whoever verifies.
    let level = if change.made { Level::Warn } else { Level::Info };
    Record::new(at, facts::STORE_LEVEL, RUN_LEVEL, AuditEvent::AuditKeyChanged, level, actor)
        .with_metadata(facts.as_object().cloned().unwrap_or_default())
}

impl From<Place> for KeyPlace {
    fn from(place: Place) -> Self {
        match place {
            Place::File => Self::File,
            Place::System => Self::System,
        }
    }
}

impl App {
    /// Who signs now, or why nobody does.
    pub(crate) fn signer_now(&self) -> (Option<AuditKey>, Option<AuditUnsigned>) {
        let key = self.store.audit_key().map(|key| {
            // Another process may have moved it.
            let (place, at) = self.signing.keys.place().unwrap_or((Place::File, String::new()));
            AuditKey {
                key_id: key.key_id().to_string(),
                fingerprint: key.fingerprint().to_hex(),
                place: place.into(),
                at,
            }
        });
        let unsigned = self.signing.unsigned().clone().filter(|_| key.is_none()).map(|why| AuditUnsigned {
            place: why.place.map(Into::into),
            message: why.message,
            hint: why.hint,
            locked: why.locked,
            lost: why.lost,
        });
        (key, unsigned)
    }

    fn record_change(&self, actor: Actor, change: &Change, facts: Value) -> Result<(), Unusable> {
        let record = changed(self.now_ms(), actor, change, facts);
        self.store.audit_append(record, None, true).map(drop).map_err(|error| Unusable {
            place: change.from,
            message: format!("That the key changes cannot be recorded: {error}."),
            hint: "Nothing was changed. Try again when the store can be written.".into(),
            locked: false,
            lost: false,
        })
    }

    /// Keeps the key where a person wants it. Asks a locked key store, which may ask the person.
    pub(crate) fn audit_key_choose(&self, caller: &Caller, asked: &AuditKeyChoose) -> ApiResult<AuditStatus> {
        if !self.store.is_file() && asked.new && self.store.other_processes() > 0 {
            let message = "Other hosts use this history and sign with the key of now.";
            let hint =
                "Stop them, begin with the new key here, and copy audit.key to each of them before it starts again.";
            return Err(ApiError::new(Class::Conflict, "HISTORY_IN_USE", message, hint));
        }
        let to = match asked.place {
            KeyPlace::File => Place::File,
            KeyPlace::System => Place::System,
        };
        let record = |change: &Change| self.record_change(caller.actor(), change, caller.signed(json!({})));
        let signer = self.signing.keys.choose(to, asked.new, record).map_err(|why| {
            let code = if why.locked { "KEY_LOCKED" } else { "KEY_UNAVAILABLE" };
            ApiError::new(Class::Unavailable, code, why.message, why.hint)
        })?;
        self.store.set_audit_signer(signer)?;
        *self.signing.unsigned() = None;
        self.audit_status_now()
    }

    /// One look at a key store that may have been opened. `true` = worth another one later.
    pub(crate) fn look_for_key(&self) -> bool {
        if self.store.audit_key().is_none() {
            if let Ok(known) = self.store.audit_state().map(|state| facts::keys(&state)) {
                match self.signing.keys.open(&known) {
                    Ok(opened) => {
                        let signed = if self.store.is_file() {
                            signs(&self.store, opened, &known, self.now_ms()).map_err(ApiError::from)
                        } else {
                            signs_for_all(&self.store, opened, &self.signing.keys)
                        };
                        if signed.is_ok() {
                            *self.signing.unsigned() = None;
                        }
                    }
                    Err(why) => *self.signing.unsigned() = Some(why),
                }
            }
            if self.store.audit_key().is_none() {
                return true;
            }
        }
        // Only a desktop moves a key automatically: a service that cannot reach the key store would sign nothing.
        self.host == Host::Desktop
            && self
                .signing
                .keys
                .settle(|change| self.record_change(Actor::system(), change, json!({})))
                .unwrap_or(false)
    }

    /// Never keeps a start waiting.
    pub(crate) fn look_for_key_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        self.again_and_again(threads, Duration::ZERO, |app| async move {
            let waits = app.blocking(|app| Ok(app.look_for_key())).await.unwrap_or(false);
            waits.then_some(LOOK)
        });
    }
}

#[cfg(test)]
mod tests;
