//! `trigger.file_watch`: a file in a folder starts a run. What is there is found by looking into the folder, through the same
//! port as the file steps, so that grants, links and the closed data folder hold (ADR 92). Nothing depends on
//! events of the system, which get lost on shared folders and when there are many.

use super::error::{Class, TriggerError, TriggerResult};
use super::fire::{AT_LIMIT, Occurrence};
use super::host::TriggerHost;
use super::scheduler::Scheduler;
use super::seen::Forgetting;
use super::settle::{Look, Settling};
use serde_json::{Value, json};
use signalbox_engine::BY_TRIGGER;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Map, time};
use signalbox_ports::{FileEntry, FileError};
use signalbox_store::{BEGUN, Taken, TriggerRow};
use std::collections::BTreeMap;
use std::time::Duration;

/// The kind of step that watches a folder.
pub const KIND: &str = "trigger.file_watch";
/// How often a folder is looked into; a millisecond later for each file that is in it.
const LOOK_MS: i64 = 2_000;
/// After a failure.
const AGAIN_MS: i64 = 10_000;
/// The longest time after which a file whose run cannot start is tried again.
const LATEST_MS: i64 = 3_600_000;
/// A folder that does not answer by then is looked into again after [`SILENT_MS`].
const PATIENCE: Duration = Duration::from_secs(5);
const SILENT_MS: i64 = 60_000;
/// Runs that one look starts; the others follow with the next.
const MOST: usize = 100;
/// A larger file is known by its path, size and time only.
const MAX_HASHED: u64 = 16 * 1024 * 1024;

/// The settings of a trigger that watches a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct FileWatch {
    path: String,
    glob: String,
    created: bool,
    changed: bool,
    settle_ms: i64,
    takes_existing: bool,
}

impl FileWatch {
    pub fn read(config: &Value) -> Self {
        let text = |name: &str, default: &str| config.get(name).and_then(Value::as_str).unwrap_or(default).to_owned();
        let events = text("events", "all");
        let wants = |event: &str| events == "all" || events == event;
        Self {
            path: text("path", ""),
            glob: text("glob", "*"),
            created: wants("created"),
            changed: wants("changed"),
            settle_ms: config.get("settleMs").and_then(Value::as_i64).unwrap_or(2_000),
            takes_existing: text("existing", "skip") == "process",
        }
    }

    fn event(&self, trigger: &str, file: &FileEntry, event: &str, manual: bool) -> Map {
        let event = json!({
            "path": file.path, "name": file.name, "size": file.size, "modified": time::format(file.modified_ms),
            "event": event, "triggerId": trigger, "manual": manual,
        });
        event.as_object().cloned().unwrap_or_default()
    }

    /// The event of a firing by hand. `trigger.file_watch` hands on the same shape when a person starts the run.
    pub(crate) fn sample(&self, trigger: &str, now_ms: i64) -> Map {
        let name = self.glob.replace(['*', '?'], "sample");
        let path = format!("{}/{name}", self.path.trim_end_matches('/'));
        self.event(trigger, &FileEntry { path, name, size: 1_024, modified_ms: now_ms }, "created", true)
    }
}

/// How a file that was taken looked, as it is kept.
fn kept(file: &FileEntry) -> String {
    format!("{} {}", file.size, file.modified_ms)
}

fn look(kept: &str) -> Option<Look> {
    let mut parts = kept.split(' ');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

type Listing = tokio::sync::oneshot::Receiver<Result<Vec<FileEntry>, FileError>>;

/// A folder that is watched.
pub(crate) struct Watched {
    row: TriggerRow,
    settings: FileWatch,
    settling: Settling,
    /// What was taken, by path.
    seen: BTreeMap<String, String>,
    next_ms: i64,
    /// Files whose run could not start, by path.
    refused: BTreeMap<String, Refused>,
    forgetting: Forgetting,
    /// A look that has not ended yet: a folder that does not answer gets no second one.
    listing: Option<Listing>,
}

/// Why the run of a file could not start, and when it is tried again.
struct Refused {
    why: String,
    times: u32,
    next_ms: i64,
}

impl Refused {
    /// A file that waits for room is tried at the same distance; others less and less often.
    fn new(before: Option<Self>, why: Refusal, now: i64) -> Self {
        let times = before.map_or(1, |before| before.times.saturating_add(1));
        let doublings = if why.is_limit { 0 } else { times.saturating_sub(1).min(16) };
        let next_ms = now.saturating_add(AGAIN_MS.saturating_mul(1_i64 << doublings).min(LATEST_MS));
        Self { why: why.message, times, next_ms }
    }

    fn waits(&self, now: i64) -> bool {
        now < self.next_ms && self.next_ms.saturating_sub(now) <= LATEST_MS
    }
}

/// A run that cannot start now.
struct Refusal {
    message: String,
    is_limit: bool,
}

/// Files and why not all are taken.
enum Outcome {
    Next(i64),
    Problem(String, i64),
}

impl Watched {
    /// `before` is the same trigger in the plan before.
    pub(crate) fn new(
        host: &dyn TriggerHost,
        row: TriggerRow,
        settings: FileWatch,
        before: Option<Self>,
    ) -> TriggerResult<Self> {
        let seen = host.store().trigger_seen(&row.id)?;
        let before = before.filter(|before| before.settings == settings);
        let (settling, listing) = before.map(|before| (before.settling, before.listing)).unwrap_or_default();
        let (refused, forgetting) = (BTreeMap::new(), Forgetting::default());
        Ok(Self { row, settings, settling, seen, next_ms: i64::MIN, refused, forgetting, listing })
    }

    pub(crate) fn id(&self) -> &str {
        &self.row.id
    }

    fn takes(&mut self, host: &dyn TriggerHost, files: &[FileEntry], begins: bool, now: i64) -> TriggerResult<()> {
        let mut taken: Vec<Taken> =
            files.iter().map(|file| Taken { key: file.path.clone(), value: kept(file), once: false }).collect();
        if begins {
            taken.push(Taken { key: BEGUN.to_owned(), value: String::new(), once: false });
        }
        if !taken.is_empty() {
            host.store().trigger_take(&self.row.id, taken.clone(), now)?;
            self.seen.extend(taken.into_iter().map(|one| (one.key, one.value)));
        }
        Ok(())
    }

    /// Why files are not taken, for a person.
    fn refusals(&self) -> Option<String> {
        let first = self.refused.values().next()?;
        let count = self.refused.len();
        Some(if count == 1 { first.why.clone() } else { format!("{} {count} files wait.", first.why) })
    }

    /// What was in the folder before the activation is known, unless it is to be taken, too.
    fn begin(&mut self, host: &dyn TriggerHost, entries: &[FileEntry], now: i64) -> TriggerResult<()> {
        let activated = host.store().activation(&self.row.workflow)?.map_or(now, |activation| activation.at_ms);
        let existing: Vec<FileEntry> = if self.settings.takes_existing {
            Vec::new()
        } else {
            entries.iter().filter(|file| file.modified_ms <= activated).cloned().collect()
        };
        self.takes(host, &existing, true, now)
    }
}

impl Scheduler {
    /// Looks into the folders whose time has come.
    pub(crate) fn look_into_folders(&mut self, host: &dyn TriggerHost, now: i64) -> TriggerResult<()> {
        let mut folders = std::mem::take(&mut self.folders);
        let mut failed = None;
        for watched in &mut folders {
            // A clock that was put back must not silence it.
            if now < watched.next_ms && watched.next_ms.saturating_sub(now) <= SILENT_MS {
                continue;
            }
            let outcome = self.look_into(host, watched, now);
            let (next, problem) = match outcome {
                Ok(Outcome::Next(next)) => (next, None),
                Ok(Outcome::Problem(problem, next)) => (next, Some(problem)),
                Err(error) => {
                    watched.next_ms = now + LOOK_MS;
                    failed = Some(error);
                    continue;
                }
            };
            watched.next_ms = next;
            if watched.row.problem != problem {
                match host.store().trigger_problem(&watched.row.id, problem.clone()) {
                    Ok(()) => watched.row.problem = problem,
                    Err(error) => failed = Some(error.into()),
                }
            }
        }
        self.folders = folders;
        failed.map_or(Ok(()), Err)
    }

    fn look_into(&mut self, host: &dyn TriggerHost, watched: &mut Watched, now: i64) -> TriggerResult<Outcome> {
        let settings = watched.settings.clone();
        let mut listing = match watched.listing.take() {
            Some(listing) => listing,
            None => {
                let (files, workflow) = (host.world().files.clone(), watched.row.workflow.clone());
                let (path, glob) = (settings.path.clone(), settings.glob.clone());
                let (send, listing) = tokio::sync::oneshot::channel();
                host.in_background(async move {
                    // Nobody waits any more when the trigger is gone.
                    send.send(files.list(&workflow, &path, &glob).await).ok();
                })?;
                listing
            }
        };
        let entries = match host.wait_for(async { tokio::time::timeout(PATIENCE, &mut listing).await })? {
            Ok(Ok(Ok(entries))) => entries,
            Ok(Ok(Err(error))) => {
                watched.settling = Settling::default();
                return Ok(Outcome::Problem(cannot_look(&settings.path, &error), now + AGAIN_MS));
            }
            Ok(Err(broken)) => {
                let problem = format!("{} cannot be looked at: {broken}.", settings.path);
                return Ok(Outcome::Problem(problem, now + AGAIN_MS));
            }
            Err(_) => {
                watched.listing = Some(listing);
                let problem = format!("The folder {} does not answer.", settings.path);
                return Ok(Outcome::Problem(problem, now + SILENT_MS));
            }
        };
        let pause = LOOK_MS.max(i64::try_from(entries.len()).unwrap_or(SILENT_MS)).min(SILENT_MS);
        if !watched.seen.contains_key(BEGUN) {
            watched.begin(host, &entries, now)?;
        }
        if watched.forgetting.is_due(now) {
            let there = entries.iter().map(|file| file.path.clone()).chain([BEGUN.to_owned()]).collect();
            watched.forgetting.forget(host, &watched.row.id, there, &mut watched.seen, now)?;
        }
        let seen = &watched.seen;
        let known = |path: &str| seen.get(path).and_then(|kept| look(kept));
        let ready = watched.settling.observe(entries, known, now, settings.settle_ms);
        let is_new = |file: &FileEntry| !watched.seen.contains_key(&file.path);
        let wanted = |file: &FileEntry| if is_new(file) { settings.created } else { settings.changed };
        let (wanted, others): (Vec<FileEntry>, Vec<FileEntry>) = ready.into_iter().partition(wanted);
        watched.takes(host, &others, false, now)?;
        watched.refused.retain(|path, _| wanted.iter().any(|file| file.path == *path));
        let waits = |file: &FileEntry| watched.refused.get(&file.path).is_some_and(|refused| refused.waits(now));
        let wanted: Vec<FileEntry> = wanted.into_iter().filter(|file| !waits(file)).collect();
        let more = wanted.len() > MOST;
        for file in wanted.into_iter().take(MOST) {
            let path = file.path.clone();
            // One that cannot be taken does not hold up the others.
            let why = self.take(host, watched, file, now)?;
            let before = watched.refused.remove(&path);
            if let Some(why) = why {
                watched.refused.insert(path, Refused::new(before, why, now));
            }
        }
        if let Some(problem) = watched.refusals() {
            return Ok(Outcome::Problem(problem, if more { now } else { now + pause }));
        }
        let next = if more { Some(now) } else { watched.settling.next(settings.settle_ms) };
        Ok(Outcome::Next(next.map_or(now + pause, |next| next.clamp(now, now + pause))))
    }

    /// Starts the run of a file. Says why it cannot: the file then stays for a later look.
    fn take(
        &mut self,
        host: &dyn TriggerHost,
        watched: &mut Watched,
        file: FileEntry,
        now: i64,
    ) -> TriggerResult<Option<Refusal>> {
        let (files, workflow) = (host.world().files.clone(), watched.row.workflow.clone());
        let reading = async {
            if file.size > MAX_HASHED { None } else { Some(files.read(&workflow, &file.path, MAX_HASHED).await) }
        };
        let hash = match host.wait_for(reading)? {
            Some(Ok(bytes)) if bytes.len() as u64 == file.size => sha256_hex(&bytes),
            // It changes again, or is gone.
            Some(Ok(_) | Err(FileError::NotFound { .. } | FileError::TooLarge { .. })) => {
                watched.settling.again(&file.path, now);
                return Ok(None);
            }
            Some(Err(error)) => {
                let message = cannot_look(&file.path, &error);
                return Ok(Some(Refusal { message, is_limit: false }));
            }
            None => "unread".to_owned(),
        };
        let event = if watched.seen.contains_key(&file.path) { "changed" } else { "created" };
        let taken = Taken { key: file.path.clone(), value: format!("{} {hash}", kept(&file)), once: false };
        let occurrence = Occurrence {
            key: format!("{} {} {} {hash}", file.path, file.size, time::format(file.modified_ms)),
            at_ms: now,
            is_tick: false,
            event: watched.settings.event(&watched.row.id, &file, event, false),
            started_by: BY_TRIGGER,
            trace: None,
        };
        let started = self
            .version(host, &watched.row.version)
            .and_then(|version| host.fire_taking(&watched.row, version, occurrence, vec![taken.clone()], now));
        match started {
            Ok(_) => {
                watched.seen.insert(taken.key, taken.value);
                Ok(None)
            }
            Err(error) if error.code == "FIRED_BEFORE" => watched.takes(host, &[file], false, now).map(|()| None),
            Err(error) if error.code == "TRIGGER_CHANGED" || error.class == Class::Unavailable => Err(error),
            Err(TriggerError { message, code, .. }) => {
                Ok(Some(Refusal { message, is_limit: AT_LIMIT.contains(&code.as_str()) }))
            }
        }
    }
}

impl Scheduler {
    /// How often runs of files were tried in vain.
    pub fn folder_tries(&self) -> u32 {
        self.folders.iter().flat_map(|watched| watched.refused.values()).map(|refused| refused.times).sum()
    }
}

/// Why a folder cannot be looked into, for a person.
pub fn cannot_look(path: &str, error: &FileError) -> String {
    match error {
        FileError::NotFound { .. } => format!("The folder {path} is not there. It is taken up again when it is back."),
        FileError::Refused { message } | FileError::Io { message, .. } => {
            format!("{path} cannot be looked at: {message}.")
        }
        other => format!("{path} cannot be looked at: {other:?}."),
    }
}
