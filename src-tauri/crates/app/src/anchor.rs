//! Anchors: checkpoints of the audit chain that are kept where its writer cannot change them, in a file or behind an
//! address. Without one, whoever owns this machine can rewrite everything; with one, a cut or rewritten chain shows.
//! Nothing waits for an anchor: one that fails is told, and tried again.

mod address;
pub(crate) mod file;

use crate::app::App;
use crate::dto::{AnchorKind, AuditAnchor, AuditAnchorLine};
use crate::error::{ApiError, ApiResult, Class};
use crate::files::io_error;
use crate::outgoing::{self, Message};
use crate::people::signed;
use crate::router::Caller;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_adapters::vault::{Entry, Trouble, VaultError};
use signalbox_model::secret_ref::SCHEME;
use signalbox_model::{AuditEvent, time};
use signalbox_ports::Credential;
use signalbox_store::audit::{Actor, Anchor, Level, SignedCheckpoint};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often a host that stays looks whether an anchor is due.
const LOOK: Duration = Duration::from_secs(20);
const USUAL_MINUTES: u32 = 60;
const MINUTE: i64 = 60_000;
const LONGEST_MINUTES: u32 = 7 * 24 * 60;
/// Places of one store.
const PLACES: usize = 16;
/// The chain's own notes about anchoring; they alone are no reason to anchor again.
const EVENTS: [AuditEvent; 2] = [AuditEvent::AuditAnchored, AuditEvent::AuditAnchorFailed];

/// A place, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    id: String,
    kind: AnchorKind,
    place: String,
    every_minutes: u32,
    /// A person on this machine named it: loopback addresses are theirs to name.
    here: bool,
    /// The name of the secret that goes along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    credential: Option<String>,
}

/// How it stands with a place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Standing {
    size: u64,
    at: Option<String>,
    tried_ms: i64,
    failures: u32,
    error: Option<String>,
}

impl Standing {
    /// When the next attempt is due: as often as the person said, after a failure sooner, but ever more seldom.
    fn due_ms(&self, every_minutes: u32) -> i64 {
        let every = i64::from(every_minutes) * MINUTE;
        let wait = match self.failures {
            0 => every,
            failures => every.min(MINUTE << failures.min(10).saturating_sub(1)),
        };
        self.tried_ms.saturating_add(wait)
    }
}

/// A place without what may be secret in it.
fn shown(kind: AnchorKind, place: &str) -> String {
    if kind == AnchorKind::File { place.to_owned() } else { outgoing::shown(place) }
}

/// The note that lists the places.
const TARGETS: &str = "anchors";

fn read_targets(kept: Option<Value>) -> Vec<Target> {
    kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

impl App {
    fn targets(&self) -> ApiResult<Vec<Target>> {
        Ok(read_targets(self.store.audit_note(TARGETS)?))
    }

    /// Changes the places, with the entry that says so.
    fn change_targets(
        &self,
        caller: &Caller,
        level: Level,
        facts: Value,
        change: impl FnOnce(&mut Vec<Target>) -> ApiResult<()> + Send + 'static,
    ) -> ApiResult<()> {
        let record = self.fact(AuditEvent::AuditAnchorChanged, level, caller.actor(), signed(caller, facts));
        self.store.change_audit_note(TARGETS, record, move |kept| {
            let mut targets = read_targets(kept);
            change(&mut targets)?;
            Ok(serde_json::to_value(targets).unwrap_or_default())
        })?
    }

    fn standing(&self, id: &str) -> ApiResult<Standing> {
        let kept = self.store.audit_note(&format!("anchor.{id}"))?;
        Ok(kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    fn stand(&self, id: &str, standing: &Standing) -> ApiResult<()> {
        let value = serde_json::to_value(standing).unwrap_or_default();
        Ok(self.store.set_audit_note(&format!("anchor.{id}"), &value)?)
    }

    /// The places, and how it stands with each.
    pub(crate) fn anchors_now(&self) -> ApiResult<Vec<AuditAnchor>> {
        let tell = |target: Target| {
            let standing = self.standing(&target.id)?;
            Ok(AuditAnchor {
                place: shown(target.kind, &target.place),
                warning: (target.kind == AnchorKind::Webhook && outgoing::is_telling(&target.place))
                    .then(|| address::STILL_PLAIN.to_owned()),
                credential: target.credential.map(|name| format!("{SCHEME}{name}")),
                id: target.id,
                kind: target.kind,
                every_minutes: target.every_minutes,
                size: standing.size,
                at: standing.at,
                error: standing.error,
            })
        };
        self.targets()?.into_iter().map(tell).collect()
    }

    /// Adds a place and anchors there at once. A place that cannot be reached is kept and tried again.
    pub(crate) fn anchor_add(
        &self,
        caller: &Caller,
        kind: AnchorKind,
        place: String,
        credential: Option<String>,
        every_minutes: Option<u32>,
    ) -> ApiResult<Vec<AuditAnchor>> {
        let every_minutes = every_minutes.unwrap_or(USUAL_MINUTES);
        if !(1..=LONGEST_MINUTES).contains(&every_minutes) {
            let message = format!("{every_minutes} minutes is not between 1 and {LONGEST_MINUTES}.");
            return Err(ApiError::bad_request(message, "Anchor between every minute and once a week."));
        }
        if kind == AnchorKind::Webhook {
            outgoing::address(&place)?;
        } else if credential.is_some() {
            return Err(ApiError::bad_request("A file takes no credential.", "Leave it out."));
        }
        let credential = credential.map(|given| self.known_secret(given.trim())).transpose()?.map(|(name, _)| name);
        let id = uuid::Uuid::now_v7().to_string();
        let target = Target { id, kind, place, every_minutes, here: caller.here, credential };
        let mut facts = json!({ "added": shown(kind, &target.place), "everyMinutes": every_minutes });
        if let Some(name) = &target.credential {
            facts["credential"] = format!("{SCHEME}{name}").into();
        }
        let new = target.clone();
        self.change_targets(caller, Level::Info, facts, move |targets| {
            if targets.iter().any(|target| target.kind == new.kind && target.place == new.place) {
                let message = format!("Checkpoints go to {} already.", shown(new.kind, &new.place));
                return Err(ApiError::new(Class::Conflict, "ANCHOR_EXISTS", message, "Remove it first to change it."));
            }
            if targets.len() >= PLACES {
                let message = format!("There are {PLACES} places already.");
                return Err(ApiError::new(Class::Conflict, "TOO_MANY_ANCHORS", message, "Remove one first."));
            }
            targets.push(new);
            Ok(())
        })?;
        self.anchor_at(&target)?;
        self.anchors_now()
    }

    /// Places of before that hold a credential in their address: it becomes a secret as soon as the secrets can be
    /// written. Until then the place says so and goes on.
    fn without_plain(&self, target: &Target) -> ApiResult<Target> {
        let (Some(found), None) = (address::movable(target), &target.credential) else { return Ok(target.clone()) };
        let now = time::format(self.now_ms());
        let name = format!("anchor-{}", target.id.chars().rev().take(12).collect::<String>());
        let entry = Entry {
            name: name.clone(),
            kind: found.kind,
            hosts: vec![found.host],
            created_at: now.clone(),
            updated_at: now,
        };
        let place = shown(target.kind, &found.place);
        let facts = json!({ "name": name, "hosts": [entry.hosts[0].to_string()], "replaced": false, "place": place });
        let record = self.fact(AuditEvent::SecretSet, Level::Info, Actor::system(), facts);
        let set = self.secrets.vault.set(entry, found.value, |_| {
            self.store.audit_append(record, None, true).map(drop).map_err(|error| {
                let told = ApiError::from(error);
                VaultError { trouble: Trouble::Unavailable, message: told.message, hint: told.hint }
            })
        });
        if set.is_err() {
            return Ok(target.clone());
        }
        let moved = Target { place: found.place, credential: Some(name.clone()), ..target.clone() };
        let facts = json!({ "moved": place, "credential": format!("{SCHEME}{name}") });
        let record = self.fact(AuditEvent::AuditAnchorChanged, Level::Warn, Actor::system(), facts);
        let new = moved.clone();
        self.store.change_audit_note(TARGETS, record, move |kept| {
            let mut targets = read_targets(kept);
            targets.iter_mut().filter(|known| known.id == new.id).for_each(|known| known.clone_from(&new));
            ApiResult::Ok(serde_json::to_value(targets).unwrap_or_default())
        })??;
        Ok(moved)
    }

    /// Removes a place; what it holds stays there.
    pub(crate) fn anchor_remove(&self, caller: &Caller, id: &str) -> ApiResult<Vec<AuditAnchor>> {
        let unknown = format!("No place has the id {id}; `signalbox audit anchor list` shows all.");
        let found = self.targets()?.into_iter().find(|target| target.id == id);
        let target = found.ok_or_else(|| ApiError::not_found(unknown.as_str()))?;
        let facts = json!({ "removed": shown(target.kind, &target.place) });
        self.change_targets(caller, Level::Warn, facts, move |targets| {
            let at = targets.iter().position(|known| known.id == target.id);
            // Somebody else was faster.
            targets.remove(at.ok_or_else(|| ApiError::not_found(unknown))?);
            Ok(())
        })?;
        self.store.set_audit_note(&format!("anchor.{id}"), &Value::Null)?;
        self.anchors_now()
    }

    /// Anchors at every place now.
    pub(crate) fn anchor_all(&self) -> ApiResult<Vec<AuditAnchor>> {
        for target in self.targets()? {
            self.anchor_at(&target)?;
        }
        self.anchors_now()
    }

    /// Anchors where it is due.
    fn anchor_due(&self) -> ApiResult<()> {
        let now = self.now_ms();
        for target in self.targets()? {
            let standing = self.standing(&target.id)?;
            // A clock that was set back does not stop the anchors.
            if now >= standing.due_ms(target.every_minutes) || now < standing.tried_ms {
                self.anchor_at(&target)?;
            }
        }
        Ok(())
    }

    /// Whether something happened since an anchor that is not anchoring itself.
    fn news_since(&self, size: u64) -> ApiResult<bool> {
        let mut news = false;
        self.store.audit_rows(None, size, |row| {
            let entry: Value = serde_json::from_str(&row.text).unwrap_or_default();
            news = !entry["event"].as_str().is_some_and(|event| EVENTS.iter().any(|own| own.as_str() == event));
            !news
        })?;
        Ok(news)
    }

    /// Seals the chain and takes the checkpoint to one place. What fails there is remembered and recorded, not returned.
    fn anchor_at(&self, target: &Target) -> ApiResult<()> {
        let target = &self.without_plain(target)?;
        let before = self.standing(&target.id)?;
        let now = self.now_ms();
        if before.failures == 0 && before.at.is_some() && !self.news_since(before.size)? {
            return self.stand(&target.id, &Standing { tried_ms: now, ..before });
        }
        self.store.audit_checkpoint(&time::format(now))?;
        let Some(sealed) = self.store.audit_state()?.checkpoint else { return Ok(()) };
        let place = shown(target.kind, &target.place);
        match self.take_to(target, &sealed) {
            Ok(()) => {
                let checkpoint = &sealed.checkpoint;
                let facts = json!({
                    "place": place, "size": checkpoint.size, "cpSeq": checkpoint.cp_seq,
                    "rootHash": checkpoint.root_hash.to_hex(),
                });
                let record = self.fact(AuditEvent::AuditAnchored, Level::Info, Actor::system(), facts);
                self.store.audit_append(record, None, true)?;
                let at = Some(time::format(now));
                self.stand(&target.id, &Standing { size: checkpoint.size, at, tried_ms: now, failures: 0, error: None })
            }
            Err(why) => {
                if before.failures == 0 {
                    // Once until it works again: the chain is no place for the attempts of a night.
                    let facts = json!({ "place": place, "code": why.code });
                    let record = self.fact(AuditEvent::AuditAnchorFailed, Level::Error, Actor::system(), facts);
                    self.store.audit_append(record, None, true)?;
                }
                let failures = before.failures.saturating_add(1);
                self.stand(&target.id, &Standing { tried_ms: now, failures, error: Some(why.message), ..before })
            }
        }
    }

    fn take_to(&self, target: &Target, sealed: &SignedCheckpoint) -> ApiResult<()> {
        let line = sealed.to_line();
        if target.kind == AnchorKind::File {
            return file::add(Path::new(&target.place), &line);
        }
        let place = shown(target.kind, &target.place);
        let refused = |why: String| {
            let message = format!("{place} did not take the checkpoint: {why}.");
            ApiError::unavailable("ANCHOR_FAILED", message, "Check the address; it is tried again.")
        };
        let credential = target.credential.as_deref().map(|name| self.secrets.credential_unasked(name)).transpose();
        let credential: Option<Arc<Credential>> =
            credential.map_err(|error| refused(error.message.trim_end_matches('.').to_owned()))?;
        let (url, here, body) = (target.place.clone(), target.here, line.into_bytes());
        self.post(Message { url, here, headers: Vec::new(), body, credential })?.map_err(|not| refused(not.why))?;
        Ok(())
    }

    /// Checkpoints that stand in the files outside, for a verification, and lines that do not count. A file that cannot be
    /// read, and a damaged line, are told in its place.
    pub(crate) fn kept_anchors(&self) -> ApiResult<(Vec<Anchor>, Vec<AuditAnchorLine>)> {
        let (mut found, mut passed_over) = (Vec::new(), Vec::new());
        for target in self.targets()?.into_iter().filter(|target| target.kind == AnchorKind::File) {
            let standing = self.standing(&target.id)?;
            if standing.at.is_none() {
                continue;
            }
            let path = Path::new(&target.place);
            let error = match file::read(path) {
                Ok(kept) => {
                    passed_over.extend(kept.passed_over(path));
                    let error = kept.damage(path).map(|error| error.message);
                    found.extend(kept.anchors);
                    error
                }
                Err(why) => Some(why.message),
            };
            // What failed there last is told until it works.
            if error.is_some() || (standing.failures == 0 && standing.error.is_some()) {
                self.stand(&target.id, &Standing { error, ..standing })?;
            }
        }
        Ok((found, passed_over))
    }

    /// A host that stays anchors by itself.
    pub(crate) fn anchor_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        let app = Arc::downgrade(self);
        threads.spawn(async move {
            loop {
                tokio::time::sleep(LOOK).await;
                let Some(app) = app.upgrade() else { return };
                // A store that cannot be written now is told about elsewhere; the next look tries again.
                drop(app.blocking(|app| app.anchor_due()).await);
            }
        });
    }

    /// [`App::anchor_add`] of a file that the person at the terminal names.
    pub async fn anchor_file(
        self: &Arc<Self>,
        caller: &Caller,
        file: PathBuf,
        every_minutes: Option<u32>,
    ) -> ApiResult<Vec<AuditAnchor>> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let path = std::path::absolute(&file).map_err(|error| io_error(&error, &file, "found"))?;
            app.anchor_add(&caller, AnchorKind::File, path.display().to_string(), None, every_minutes)
        })
        .await
    }
}

#[cfg(test)]
mod tests;
