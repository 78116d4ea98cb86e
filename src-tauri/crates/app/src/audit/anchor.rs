//! Anchors: checkpoints of the audit chain that are kept where its writer cannot change them, in a file or behind an
//! address. Without one, whoever owns this machine can rewrite everything; with one, a cut or rewritten chain shows.
//! Nothing waits for an anchor: one that fails is told, and tried again.

pub(crate) mod file;
mod url;

use crate::app::App;
use crate::audit::destinations::{self, Kind, MINUTE, Place, Standing};
use crate::caller::Caller;
use crate::dto::{AnchorKind, AuditAnchor, AuditAnchorLine};
use crate::error::{ApiError, ApiResult};
use crate::host::outgoing::{self, Message};
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
const LONGEST_MINUTES: u32 = 7 * 24 * 60;
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
    /// It is an address of this machine, and a person on this machine consented.
    here: bool,
    /// The name of the secret that goes along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    credential: Option<String>,
}

impl Place for Target {
    const KIND: Kind = Kind {
        list: "anchors",
        standing: "anchor",
        changed: AuditEvent::AuditAnchorChanged,
        failed: AuditEvent::AuditAnchorFailed,
        goes_to: "Checkpoints go to",
        exists: "ANCHOR_EXISTS",
        too_many: "TOO_MANY_ANCHORS",
        command: "signalbox audit anchor list",
    };

    fn id(&self) -> &str {
        &self.id
    }

    fn shown(&self) -> String {
        shown(self.kind, &self.place)
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.kind, &self.place) == (other.kind, &other.place)
    }
}

/// A place without what may be secret in it.
fn shown(kind: AnchorKind, place: &str) -> String {
    if kind == AnchorKind::File { place.to_owned() } else { outgoing::shown(place) }
}

impl App {
    /// The places, and how it stands with each.
    pub(crate) fn anchors_now(&self) -> ApiResult<Vec<AuditAnchor>> {
        let tell = |target: Target| {
            let standing = self.standing::<Target>(&target.id)?;
            Ok(AuditAnchor {
                place: target.shown(),
                warning: (target.kind == AnchorKind::Webhook && outgoing::is_telling(&target.place))
                    .then(|| url::STILL_PLAIN.to_owned()),
                credential: target.credential.map(|name| format!("{SCHEME}{name}")),
                id: target.id,
                kind: target.kind,
                every_minutes: target.every_minutes,
                size: standing.upto,
                at: standing.at,
                error: standing.error,
            })
        };
        self.places::<Target>()?.into_iter().map(tell).collect()
    }

    /// Adds a place and anchors there at once. A place that cannot be reached is kept and tried again.
    pub(crate) fn anchor_add(
        &self,
        caller: &Caller,
        kind: AnchorKind,
        place: String,
        credential: Option<String>,
        every_minutes: Option<u32>,
        allow_local: bool,
    ) -> ApiResult<Vec<AuditAnchor>> {
        let every_minutes = every_minutes.unwrap_or(USUAL_MINUTES);
        if !(1..=LONGEST_MINUTES).contains(&every_minutes) {
            let message = format!("{every_minutes} minutes is not between 1 and {LONGEST_MINUTES}.");
            return Err(ApiError::bad_request(message, "Anchor between every minute and once a week."));
        }
        let mut here = false;
        if kind == AnchorKind::Webhook {
            outgoing::address(&place)?;
            here = outgoing::local(caller, &place, allow_local)?;
        } else if credential.is_some() {
            return Err(ApiError::bad_request("A file takes no credential.", "Leave it out."));
        }
        let credential = credential.map(|given| self.known_secret(given.trim())).transpose()?.map(|(name, _)| name);
        let id = uuid::Uuid::now_v7().to_string();
        let target = Target { id, kind, place, every_minutes, here, credential };
        let mut facts = json!({ "everyMinutes": every_minutes });
        if let Some(name) = &target.credential {
            facts["credential"] = format!("{SCHEME}{name}").into();
        }
        self.add_place(caller, facts, &target)?;
        self.anchor_at(&target)?;
        self.anchors_now()
    }

    /// Places of before that hold a credential in their address: it becomes a secret as soon as the secrets can be
    /// written. Until then the place says so and goes on.
    fn without_plain(&self, target: &Target) -> ApiResult<Target> {
        let (Some(found), None) = (url::movable(target), &target.credential) else { return Ok(target.clone()) };
        let now = time::format(self.now_ms());
        let name = format!("anchor-{}", target.id.chars().rev().take(12).collect::<String>());
        let entry = Entry {
            name: name.clone(),
            kind: found.kind,
            hosts: vec![found.host],
            created_at: now.clone(),
            updated_at: now,
            oauth: None,
            session: None,
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
        let new = moved.clone();
        self.change_places(Level::Warn, Actor::system(), facts, move |targets: &mut Vec<Target>| {
            targets.iter_mut().filter(|known| known.id == new.id).for_each(|known| known.clone_from(&new));
            Ok(())
        })?;
        Ok(moved)
    }

    pub(crate) fn anchor_remove(&self, caller: &Caller, id: &str) -> ApiResult<Vec<AuditAnchor>> {
        self.remove_place::<Target>(caller, id)?;
        self.anchors_now()
    }

    /// Anchors at every place now.
    pub(crate) fn anchor_all(&self) -> ApiResult<Vec<AuditAnchor>> {
        for target in self.places::<Target>()? {
            self.anchor_at(&target)?;
        }
        self.anchors_now()
    }

    /// Anchors where it is due.
    fn anchor_due(&self) -> ApiResult<()> {
        if !self.store.try_exclusive("anchors")? {
            return Ok(());
        }
        let now = self.now_ms();
        for target in self.places::<Target>()? {
            let standing = self.standing::<Target>(&target.id)?;
            // After a failure it is tried sooner, never more seldom than the person said.
            let every = i64::from(target.every_minutes) * MINUTE;
            if standing.is_due(now, every, every) {
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
        let before = self.standing::<Target>(&target.id)?;
        let now = self.now_ms();
        if before.failures == 0 && before.at.is_some() && !self.news_since(before.upto)? {
            return self.stand::<Target>(&target.id, &Standing { tried_ms: now, ..before });
        }
        self.store.audit_checkpoint(&time::format(now))?;
        let Some(sealed) = self.store.audit_state()?.checkpoint else { return Ok(()) };
        let place = target.shown();
        match self.take_to(target, &sealed) {
            Ok(()) => {
                let checkpoint = &sealed.checkpoint;
                let facts = json!({
                    "place": place, "size": checkpoint.size, "cpSeq": checkpoint.cp_seq,
                    "rootHash": checkpoint.root_hash.to_hex(),
                });
                let record = self.fact(AuditEvent::AuditAnchored, Level::Info, Actor::system(), facts);
                self.store.audit_append(record, None, true)?;
                self.arrived::<Target>(&target.id, now, checkpoint.size)
            }
            Err(why) => {
                let facts = json!({ "place": place, "code": why.code });
                self.failed_at::<Target>(&target.id, now, before, facts, why.message)
            }
        }
    }

    fn take_to(&self, target: &Target, sealed: &SignedCheckpoint) -> ApiResult<()> {
        let line = sealed.to_line();
        if target.kind == AnchorKind::File {
            return file::add(Path::new(&target.place), &line);
        }
        let place = target.shown();
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
        for target in self.places::<Target>()?.into_iter().filter(|target| target.kind == AnchorKind::File) {
            let standing = self.standing::<Target>(&target.id)?;
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
                self.stand::<Target>(&target.id, &Standing { error, ..standing })?;
            }
        }
        Ok((found, passed_over))
    }

    /// A host that keeps running anchors automatically.
    pub(crate) fn anchor_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        self.every(threads, LOOK, Self::anchor_due);
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
            app.anchor_add(&caller, AnchorKind::File, destinations::named(&file)?, None, every_minutes, false)
        })
        .await
    }
}

#[cfg(test)]
mod tests;
