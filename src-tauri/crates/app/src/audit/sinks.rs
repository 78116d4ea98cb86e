//! Copies of the audit chain outside (K-22, ADR 69): every entry, in order, as a line of an export. The chain of record is
//! always the store's; nothing waits for a sink. One that fails is told, and goes on where it ended: each entry comes at
//! least once, and an entry is known by its log and its number.

use crate::app::App;
use crate::audit::destinations::{self, Kind, MINUTE, Place, Standing};
use crate::caller::Caller;
use crate::dto::AuditSinkView;
use crate::error::{ApiError, ApiResult};
use crate::host::files::io_words;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_adapters::sinks::{JsonlSink, StdoutSink};
use signalbox_model::AuditEvent;
use signalbox_ports::AuditSink;
use signalbox_store::audit::line;
use signalbox_store::audit::sink::read_rows;
use signalbox_store::audit::verify::Row;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often a host that stays looks for new entries.
const LOOK: Duration = Duration::from_secs(1);
/// Lines that a sink gets at once.
const PART: usize = 500;
/// How long it takes at most until a sink that failed is tried again.
const LONGEST: i64 = 15 * MINUTE;
/// How it stands with the standard output.
const STDOUT: &str = "stdout";

/// A file, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Target {
    id: String,
    place: String,
}

impl Place for Target {
    const KIND: Kind = Kind {
        list: "sinks",
        standing: "sink",
        changed: AuditEvent::AuditSinkChanged,
        failed: AuditEvent::AuditSinkFailed,
        goes_to: "Entries are copied to",
        exists: "SINK_EXISTS",
        too_many: "TOO_MANY_SINKS",
        command: "signalbox audit sink list",
    };

    fn id(&self) -> &str {
        &self.id
    }

    fn shown(&self) -> String {
        self.place.clone()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

impl App {
    /// The files, and how it stands with each.
    pub(crate) fn sinks_now(&self) -> ApiResult<Vec<AuditSinkView>> {
        let size = self.store.audit_state()?.head.size;
        let tell = |target: Target| {
            let standing = self.standing::<Target>(&target.id)?;
            Ok(AuditSinkView {
                waiting: size.saturating_sub(standing.upto),
                begins: begins(&target.place),
                id: target.id,
                place: target.place,
                next: standing.upto,
                at: standing.at,
                error: standing.error,
            })
        };
        self.places::<Target>()?.into_iter().map(tell).collect()
    }

    /// Adds a file and copies to it at once, from the first entry on. A file of something else is refused.
    pub(crate) fn sink_add(&self, caller: &Caller, place: String) -> ApiResult<Vec<AuditSinkView>> {
        let target = Target { id: uuid::Uuid::now_v7().to_string(), place };
        destinations::may_add(&self.places::<Target>()?, &target)?;
        let mut sink = open(&target.place)?;
        self.behind(&mut sink, 0).map_err(|why| refused(&target.place, &why))?;
        if sink.has_holes() {
            let why = other("it has bytes that no entry has; name a file of its own");
            return Err(refused(&target.place, &why));
        }
        drop(sink);
        self.add_place(caller, json!({}), &target)?;
        self.copy_to_file(&target)?;
        self.sinks_now()
    }

    /// [`App::sink_add`] of a file that the person at the terminal names.
    pub async fn sink_file(self: &Arc<Self>, caller: &Caller, file: PathBuf) -> ApiResult<Vec<AuditSinkView>> {
        let caller = caller.clone();
        self.blocking(move |app| app.sink_add(&caller, destinations::named(&file)?)).await
    }

    /// Copies to a file no more; what it holds stays.
    pub(crate) fn sink_remove(&self, caller: &Caller, id: &str) -> ApiResult<Vec<AuditSinkView>> {
        self.remove_place::<Target>(caller, id)?;
        self.sinks_now()
    }

    /// Copies what waits, everywhere.
    pub(crate) fn sink_all(&self) -> ApiResult<Vec<AuditSinkView>> {
        for target in self.places::<Target>()? {
            self.copy_to_file(&target)?;
        }
        self.sinks_now()
    }

    fn copy_to_file(&self, target: &Target) -> ApiResult<()> {
        let file = || JsonlSink::open(Path::new(&target.place));
        self.copy(&target.id, &target.place, || Ok(Box::new(file()?) as Box<dyn AuditSink>))
    }

    /// Behind which entry a sink goes on, when it can tell: its last line must be an entry of this chain. Entries before
    /// `upto` were delivered: what stands where they were is left as it is found.
    fn behind(&self, sink: &mut dyn AuditSink, upto: u64) -> std::io::Result<Option<u64>> {
        let damaged = || Err(other("an entry that was copied before is damaged in it; keep it, and name another file"));
        let Some(text) = sink.last()? else {
            return if sink.has_holes() && upto > 0 { damaged() } else { Ok(None) };
        };
        let last = line::Line::read(&text).map_err(|why| other(&format!("its last line is no entry ({why})")))?;
        let told: Value = serde_json::from_str(&last.row.text).unwrap_or_default();
        let of = told["logId"].as_str().unwrap_or_default();
        if *of != *self.store.audit_state().map_err(|why| other(&why.to_string()))?.log_id {
            return Err(other("its last entry is not of this chain: it belongs to another installation"));
        }
        if sink.has_holes() && last.row.seq + 1 < upto {
            return damaged();
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
        let before = self.standing::<Target>(id)?;
        let now = self.now_ms();
        let mut next = before.upto;
        let done = open().and_then(|mut sink| {
            next = self.behind(sink.as_mut(), next)?.unwrap_or(next);
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
                // What is outside must not be lost here.
                self.store.audit_sync(upto).map_err(std::io::Error::other)?;
                sink.take(&lines)?;
                next = upto;
            }
        });
        match done {
            Ok(()) if next == before.upto && before.failures == 0 => Ok(()),
            Ok(()) => self.arrived::<Target>(id, now, next),
            Err(why) => {
                let before = Standing { upto: next, ..before };
                self.failed_at::<Target>(id, now, before, json!({ "place": place }), refused(place, &why).message)
            }
        }
    }

    /// Files that have not got everything and are due.
    fn copy_due(&self) -> ApiResult<()> {
        let (now, size) = (self.now_ms(), self.store.audit_state()?.head.size);
        for target in self.places::<Target>()? {
            let standing = self.standing::<Target>(&target.id)?;
            if (standing.upto < size || standing.failures > 0) && standing.is_due(now, 0, LONGEST) {
                self.copy_to_file(&target)?;
            }
        }
        Ok(())
    }

    fn copy_to_stdout(&self) -> ApiResult<()> {
        let standing = self.standing::<Target>(STDOUT)?;
        if standing.upto < self.store.audit_state()?.head.size && standing.is_due(self.now_ms(), 0, LONGEST) {
            self.copy(STDOUT, "the standard output", || Ok(Box::new(StdoutSink)))?;
        }
        Ok(())
    }

    /// A host that keeps running copies to the files automatically.
    pub(crate) fn copy_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        self.every(threads, LOOK, Self::copy_due);
    }

    /// Writes every entry to the standard output from now on, behind the last that was written there.
    pub fn audit_to_stdout(self: &Arc<Self>) {
        if let Some(threads) = &self.threads {
            self.every(threads.handle(), LOOK, Self::copy_to_stdout);
        }
    }
}

/// The entry that a file begins with, when it is not the first of a chain. What cannot be read is told when something is copied.
fn begins(place: &str) -> Option<u64> {
    let first = read_rows(BufReader::new(File::open(place).ok()?)).next()?.ok()?;
    Some(first.seq).filter(|seq| *seq > 0)
}

fn open(place: &str) -> ApiResult<JsonlSink> {
    JsonlSink::open(Path::new(place)).map_err(|error| refused(place, &error))
}

fn other(what: &str) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_owned())
}

fn refused(place: &str, why: &std::io::Error) -> ApiError {
    let message = format!("{place} does not take entries: {}.", io_words(why));
    let hint = "Name another file, or repair this one: copying continues automatically where it stopped, and the chain here is complete.";
    ApiError::unavailable("SINK_FAILED", message, hint)
}
