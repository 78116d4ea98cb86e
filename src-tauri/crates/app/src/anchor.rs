//! Anchors: checkpoints of the audit chain that are kept where its writer cannot change them, in a file or behind an
//! address. Without one, whoever owns this machine can rewrite everything; with one, a cut or rewritten chain shows.
//! Nothing waits for an anchor: one that fails is told, and tried again.

use crate::app::App;
use crate::dto::{AnchorKind, AuditAnchor};
use crate::error::{ApiError, ApiResult, Class};
use crate::files::io_error;
use crate::people::signed;
use crate::router::Caller;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, time};
use signalbox_ports::{HttpError, HttpRequest};
use signalbox_store::audit::{Actor, Anchor, Level, SignedCheckpoint};
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often a host that stays looks whether an anchor is due.
const LOOK: Duration = Duration::from_secs(20);
const USUAL_MINUTES: u32 = 60;
const MINUTE: i64 = 60_000;
const LONGEST_MINUTES: u32 = 7 * 24 * 60;
/// Time that a webhook has to answer.
const ANSWER: Duration = Duration::from_secs(15);
/// Places of one store.
const PLACES: usize = 16;
/// Largest anchor file that is read.
const LARGEST: u64 = 64 * 1024 * 1024;
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

/// An address without what may be secret in it.
fn shown(kind: AnchorKind, place: &str) -> String {
    if kind == AnchorKind::File {
        return place.to_owned();
    }
    let plain = place.split(['?', '#']).next().unwrap_or_default();
    match plain.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            format!("{scheme}://{}{path}", host.rsplit('@').next().unwrap_or_default())
        }
        None => plain.to_owned(),
    }
}

fn why(error: HttpError) -> String {
    match error {
        HttpError::Refused { message }
        | HttpError::CredentialRefused { message }
        | HttpError::BadUrl { message }
        | HttpError::Connect { message }
        | HttpError::Cut { message } => message.trim_end_matches('.').to_owned(),
        HttpError::Timeout { .. } => format!("no answer in {} s", ANSWER.as_secs()),
        HttpError::TooLarge { limit } => format!("its answer is larger than {limit} bytes"),
    }
}

/// The note that lists the places.
const TARGETS: &str = "anchors";

fn read_targets(kept: Option<Value>) -> Vec<Target> {
    kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

/// The checkpoints of an anchor file, one line each.
pub(crate) fn read_file(path: &Path) -> ApiResult<Vec<Anchor>> {
    let size = std::fs::metadata(path).map_err(|error| io_error(&error, path, "read"))?.len();
    if size > LARGEST {
        let message = format!("{} is larger than {LARGEST} bytes.", path.display());
        return Err(ApiError::bad_request(message, "Name a file that holds checkpoints only."));
    }
    let text = std::fs::read_to_string(path).map_err(|error| io_error(&error, path, "read"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(number, line): (usize, &str)| {
        SignedCheckpoint::from_line(line).map_err(|why| {
            let message = format!("{}, line {}: no checkpoint ({why}).", path.display(), number + 1);
            ApiError::new(Class::Invalid, "NOT_AN_ANCHOR", message, "Name a file that `signalbox audit anchor` wrote.")
        })
    };
    lines.map(read).collect()
}

/// Adds a checkpoint to a file and waits for the disk; one that stands there last is not written again.
fn add_to_file(path: &Path, line: &str) -> ApiResult<()> {
    let failed = |error: std::io::Error| io_error(&error, path, "written");
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(size.saturating_sub(line.len() as u64))).map_err(failed)?;
    file.read_to_end(&mut tail).map_err(failed)?;
    if tail == line.as_bytes() {
        return Ok(());
    }
    // A line that a crash cut off stays what it is; this one begins anew.
    let start = if tail.is_empty() || tail.ends_with(b"\n") { "" } else { "\n" };
    file.write_all(format!("{start}{line}").as_bytes()).map_err(failed)?;
    file.sync_all().map_err(failed)
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
        every_minutes: Option<u32>,
    ) -> ApiResult<Vec<AuditAnchor>> {
        let every_minutes = every_minutes.unwrap_or(USUAL_MINUTES);
        if !(1..=LONGEST_MINUTES).contains(&every_minutes) {
            let message = format!("{every_minutes} minutes is not between 1 and {LONGEST_MINUTES}.");
            return Err(ApiError::bad_request(message, "Anchor between every minute and once a week."));
        }
        if kind == AnchorKind::Webhook && !(place.starts_with("https://") || place.starts_with("http://")) {
            let message = format!("'{}' is no http or https address.", shown(kind, &place));
            return Err(ApiError::bad_request(message, "Write https://host/path."));
        }
        let id = uuid::Uuid::now_v7().to_string();
        let target = Target { id, kind, place, every_minutes, here: caller.here };
        let facts = json!({ "added": shown(kind, &target.place), "everyMinutes": every_minutes });
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
            return add_to_file(Path::new(&target.place), &line);
        }
        let request = HttpRequest {
            method: "POST".into(),
            url: target.place.clone(),
            headers: vec![("content-type".into(), "application/json".into())],
            body: Some(line.into_bytes()),
            timeout: ANSWER,
            loopback_allowed: target.here,
            max_body: 64 * 1024,
            credential: None,
        };
        let place = shown(target.kind, &target.place);
        let refused = |why: String| {
            let message = format!("{place} did not take the checkpoint: {why}.");
            ApiError::unavailable("ANCHOR_FAILED", message, "Check the address; it is tried again.")
        };
        let answer = self.wait_for(self.http.send(request))?.map_err(|error| refused(why(error)))?;
        if (200..300).contains(&answer.status) {
            return Ok(());
        }
        Err(refused(format!("it answered {}", answer.status)))
    }

    /// Checkpoints that stand in the files outside, for a verification. A file that cannot be read is told in its place.
    pub(crate) fn kept_anchors(&self) -> ApiResult<Vec<Anchor>> {
        let mut found = Vec::new();
        for target in self.targets()?.into_iter().filter(|target| target.kind == AnchorKind::File) {
            let standing = self.standing(&target.id)?;
            if standing.at.is_none() {
                continue;
            }
            match read_file(Path::new(&target.place)) {
                Ok(anchors) => {
                    found.extend(anchors);
                    if standing.failures == 0 && standing.error.is_some() {
                        self.stand(&target.id, &Standing { error: None, ..standing })?;
                    }
                }
                Err(why) => {
                    self.stand(&target.id, &Standing { error: Some(why.message), ..standing })?;
                }
            }
        }
        Ok(found)
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
            app.anchor_add(&caller, AnchorKind::File, path.display().to_string(), every_minutes)
        })
        .await
    }
}

#[cfg(test)]
mod tests;
