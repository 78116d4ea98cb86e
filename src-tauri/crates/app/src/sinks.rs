//! Copies of the audit chain outside (K-22, ADR 69): every entry, in order, as a line of an export. The chain of record is
//! always the store's; nothing waits for a sink. One that fails is told, and goes on where it ended: each entry comes at
//! least once, and an entry is known by its log and its number.

use crate::app::App;
use crate::dto::AuditSinkView;
use crate::error::{ApiError, ApiResult, Class};
use crate::people::signed;
use crate::router::Caller;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_adapters::sinks::{JsonlSink, StdoutSink};
use signalbox_model::{AuditEvent, time};
use signalbox_ports::AuditSink;
use signalbox_store::audit::verify::Row;
use signalbox_store::audit::{Actor, Level, line};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often a host that stays looks for new entries.
const LOOK: Duration = Duration::from_secs(1);
/// Lines that a sink gets at once.
const PART: usize = 500;
const MINUTE: i64 = 60_000;
/// Files of one store.
const FILES: usize = 16;
/// The note that lists the files.
const TARGETS: &str = "sinks";
/// How it stands with the standard output.
const STDOUT: &str = "stdout";

/// A file, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Target {
    id: String,
    place: String,
}

/// How it stands with a sink.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Standing {
    next: u64,
    at: Option<String>,
    tried_ms: i64,
    failures: u32,
    error: Option<String>,
}

impl Standing {
    /// A sink that failed is tried again after a minute, then ever more seldom, at last every quarter of an hour.
    fn is_due(&self, now: i64) -> bool {
        let wait = if self.failures == 0 { 0 } else { MINUTE << (self.failures - 1).min(4) };
        // A clock that was set back does not stop it.
        now >= self.tried_ms.saturating_add(wait) || now < self.tried_ms
    }
}

fn read_targets(kept: Option<Value>) -> Vec<Target> {
    kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

impl App {
    fn sink_targets(&self) -> ApiResult<Vec<Target>> {
        Ok(read_targets(self.store.audit_note(TARGETS)?))
    }

    fn sink_standing(&self, id: &str) -> ApiResult<Standing> {
        let kept = self.store.audit_note(&format!("sink.{id}"))?;
        Ok(kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    fn sink_stands(&self, id: &str, standing: &Standing) -> ApiResult<()> {
        let value = serde_json::to_value(standing).unwrap_or_default();
        Ok(self.store.set_audit_note(&format!("sink.{id}"), &value)?)
    }

    fn change_sinks(
        &self,
        caller: &Caller,
        level: Level,
        facts: Value,
        change: impl FnOnce(&mut Vec<Target>) -> ApiResult<()> + Send + 'static,
    ) -> ApiResult<()> {
        let record = self.fact(AuditEvent::AuditSinkChanged, level, caller.actor(), signed(caller, facts));
        self.store.change_audit_note(TARGETS, record, move |kept| {
            let mut targets = read_targets(kept);
            change(&mut targets)?;
            Ok(serde_json::to_value(targets).unwrap_or_default())
        })?
    }

    /// The files, and how it stands with each.
    pub(crate) fn sinks_now(&self) -> ApiResult<Vec<AuditSinkView>> {
        let size = self.store.audit_state()?.head.size;
        let tell = |target: Target| {
            let standing = self.sink_standing(&target.id)?;
            Ok(AuditSinkView {
                waiting: size.saturating_sub(standing.next),
                id: target.id,
                place: target.place,
                next: standing.next,
                at: standing.at,
                error: standing.error,
            })
        };
        self.sink_targets()?.into_iter().map(tell).collect()
    }

    /// Adds a file and copies to it at once, from the first entry on. A file of something else is refused.
    pub(crate) fn sink_add(&self, caller: &Caller, place: String) -> ApiResult<Vec<AuditSinkView>> {
        let known = |targets: &[Target], place: &str| {
            if targets.iter().any(|target| target.place == place) {
                let message = format!("Entries are copied to {place} already.");
                return Err(ApiError::new(Class::Conflict, "SINK_EXISTS", message, "Remove it first to begin anew."));
            }
            if targets.len() >= FILES {
                let message = format!("Entries are copied to {FILES} files already.");
                return Err(ApiError::new(Class::Conflict, "TOO_MANY_SINKS", message, "Remove one first."));
            }
            Ok(())
        };
        known(&self.sink_targets()?, &place)?;
        let mut sink = open(&place)?;
        self.behind(&mut sink).map_err(|why| refused(&place, &why))?;
        drop(sink);
        let target = Target { id: uuid::Uuid::now_v7().to_string(), place };
        let new = target.clone();
        self.change_sinks(caller, Level::Info, json!({ "added": target.place }), move |targets| {
            known(targets, &new.place)?;
            targets.push(new);
            Ok(())
        })?;
        self.copy_to_file(&target)?;
        self.sinks_now()
    }

    /// [`App::sink_add`] of a file that the person at the terminal names.
    pub async fn sink_file(self: &Arc<Self>, caller: &Caller, file: PathBuf) -> ApiResult<Vec<AuditSinkView>> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let path = std::path::absolute(&file).map_err(|error| refused(&file.display().to_string(), &error))?;
            app.sink_add(&caller, path.display().to_string())
        })
        .await
    }

    /// Copies to a file no more; what it holds stays.
    pub(crate) fn sink_remove(&self, caller: &Caller, id: &str) -> ApiResult<Vec<AuditSinkView>> {
        let unknown = format!("No sink has the id {id}; `signalbox audit sink list` shows all.");
        let found = self.sink_targets()?.into_iter().find(|target| target.id == id);
        let target = found.ok_or_else(|| ApiError::not_found(unknown.as_str()))?;
        self.change_sinks(caller, Level::Warn, json!({ "removed": target.place }), move |targets| {
            let at = targets.iter().position(|known| known.id == target.id);
            // Somebody else was faster.
            targets.remove(at.ok_or_else(|| ApiError::not_found(unknown))?);
            Ok(())
        })?;
        self.store.set_audit_note(&format!("sink.{id}"), &Value::Null)?;
        self.sinks_now()
    }

    /// Copies what waits, everywhere.
    pub(crate) fn sink_all(&self) -> ApiResult<Vec<AuditSinkView>> {
        for target in self.sink_targets()? {
            self.copy_to_file(&target)?;
        }
        self.sinks_now()
    }

    fn copy_to_file(&self, target: &Target) -> ApiResult<()> {
        let file = || JsonlSink::open(Path::new(&target.place));
        self.copy(&target.id, &target.place, || Ok(Box::new(file()?) as Box<dyn AuditSink>))
    }

    /// Behind which entry a sink goes on, when it can tell: its last line must be an entry of this chain.
    fn behind(&self, sink: &mut dyn AuditSink) -> std::io::Result<Option<u64>> {
        let other = |what: &str| std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_owned());
        let Some(text) = sink.last()? else { return Ok(None) };
        let last = line::Line::read(&text).map_err(|why| other(&format!("its last line is no entry ({why})")))?;
        let told: Value = serde_json::from_str(&last.row.text).unwrap_or_default();
        let of = told["logId"].as_str().unwrap_or_default();
        if *of != *self.store.audit_state().map_err(|why| other(&why.to_string()))?.log_id {
            return Err(other("its last entry is not of this chain: it belongs to another installation"));
        }
        let mut ours: Option<Row> = None;
        let found = self.store.audit_rows(None, last.row.seq, |row| {
            ours = Some(row);
            false
        });
        found.map_err(|why| other(&why.to_string()))?;
        match ours {
            Some(row) if row.seq == last.row.seq && row.hash == last.row.hash => Ok(Some(row.seq + 1)),
            // A retention took it away here; whoever compares finds the signed entry that stands for it.
            Some(row) if row.seq > last.row.seq => Ok(Some(row.seq)),
            _ => Err(other("its last entry is not of this chain: one of them was changed")),
        }
    }

    /// Gives a sink what it has not got. What fails is remembered and recorded, not returned.
    fn copy(&self, id: &str, place: &str, open: impl FnOnce() -> std::io::Result<Box<dyn AuditSink>>) -> ApiResult<()> {
        let before = self.sink_standing(id)?;
        let now = self.now_ms();
        let mut next = before.next;
        let done = open().and_then(|mut sink| {
            next = self.behind(sink.as_mut())?.unwrap_or(next);
            loop {
                let (mut lines, mut upto, mut count) = (String::new(), next, 0);
                let read = self.store.audit_rows(None, next, |row| {
                    lines.push_str(&line::of_row(&row));
                    upto = row.seq + 1;
                    count += 1;
                    count < PART
                });
                read.map_err(std::io::Error::other)?;
                if count == 0 {
                    return Ok(());
                }
                sink.take(&lines)?;
                next = upto;
            }
        });
        match done {
            Ok(()) if next == before.next && before.failures == 0 => Ok(()),
            Ok(()) => {
                let at = Some(time::format(now));
                self.sink_stands(id, &Standing { next, at, tried_ms: now, failures: 0, error: None })
            }
            Err(why) => {
                if before.failures == 0 {
                    // Once until it works again: the chain is no place for the attempts of a night.
                    let facts = json!({ "place": place });
                    let record = self.fact(AuditEvent::AuditSinkFailed, Level::Error, Actor::system(), facts);
                    self.store.audit_append(record, None, true)?;
                }
                let (failures, error) = (before.failures.saturating_add(1), Some(refused(place, &why).message));
                self.sink_stands(id, &Standing { next, tried_ms: now, failures, error, ..before })
            }
        }
    }

    /// Files that have not got everything and are due.
    fn copy_due(&self) -> ApiResult<()> {
        let (now, size) = (self.now_ms(), self.store.audit_state()?.head.size);
        for target in self.sink_targets()? {
            let standing = self.sink_standing(&target.id)?;
            if (standing.next < size || standing.failures > 0) && standing.is_due(now) {
                self.copy_to_file(&target)?;
            }
        }
        Ok(())
    }

    fn copy_to_stdout(&self) -> ApiResult<()> {
        let standing = self.sink_standing(STDOUT)?;
        if standing.next < self.store.audit_state()?.head.size && standing.is_due(self.now_ms()) {
            self.copy(STDOUT, "the standard output", || Ok(Box::new(StdoutSink)))?;
        }
        Ok(())
    }

    /// A host that stays copies to the files by itself.
    pub(crate) fn copy_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        self.again_and_again(threads, Self::copy_due);
    }

    /// Writes every entry to the standard output from now on, behind the last that was written there.
    pub fn audit_to_stdout(self: &Arc<Self>) {
        if let Some(threads) = &self.threads {
            self.again_and_again(threads.handle(), Self::copy_to_stdout);
        }
    }

    fn again_and_again(self: &Arc<Self>, threads: &tokio::runtime::Handle, work: fn(&Self) -> ApiResult<()>) {
        let app = Arc::downgrade(self);
        threads.spawn(async move {
            loop {
                let Some(app) = app.upgrade() else { return };
                // A store that cannot be read now is told about elsewhere; the next look tries again.
                drop(app.blocking(work).await);
                drop(app);
                tokio::time::sleep(LOOK).await;
            }
        });
    }
}

fn open(place: &str) -> ApiResult<JsonlSink> {
    JsonlSink::open(Path::new(place)).map_err(|error| refused(place, &error))
}

fn refused(place: &str, why: &std::io::Error) -> ApiError {
    let message = format!("{place} does not take entries: {why}.");
    let hint = "Name another file, or mend this one: copying goes on by itself where it ended, and the chain here has everything.";
    ApiError::unavailable("SINK_FAILED", message, hint)
}
