//! Copies of the audit chain outside (K-22, ADR 69): every entry, in order, as a line of an export. The chain of record is
//! always the store's; nothing waits for a sink. One that fails is told, and goes on where it ended: each entry comes at
//! least once, and an entry is known by its log and its number.

mod target;
mod waiting;

pub(crate) use target::SinkTurns;
pub(crate) use waiting::SinksOfApp;

use crate::app::App;
use crate::audit::destinations::{self, MINUTE, Place as _, Standing};
use crate::caller::Caller;
use crate::dto::{AuditSinkView, SinkAdd, SinkKind, SinkTest};
use crate::error::{ApiError, ApiResult};
use crate::host::files::io_words;
use crate::host::outgoing;
use serde_json::{Value, json};
use signalbox_adapters::sinks::{self, JsonlSink, Remote, StdoutSink};
use signalbox_model::secret_ref::SCHEME;
use signalbox_ports::{AuditLine, AuditSink, NotTaken};
use signalbox_store::audit::Level;
use signalbox_store::audit::line;
use signalbox_store::audit::sink::read_rows;
use signalbox_store::audit::verify::Row;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use target::{Target, kind, new_name};

/// How often a host that stays looks for new entries.
const LOOK: Duration = Duration::from_secs(1);
/// Lines that a sink gets at once.
const PART: usize = 500;
/// Bytes of lines after which a batch is full.
const BYTES: usize = 4 << 20;
/// How long it takes at most until a sink that failed is tried again.
const LONGEST: i64 = 15 * MINUTE;
/// How it stands with the standard output.
const STDOUT: &str = "stdout";

impl App {
    /// The files, and how it stands with each.
    pub(crate) fn sinks_now(&self) -> ApiResult<Vec<AuditSinkView>> {
        let size = self.store.audit_state()?.head.size;
        let tell = |target: Target| {
            let standing = self.standing::<Target>(&target.id)?;
            Ok(AuditSinkView {
                waiting: size.saturating_sub(standing.upto),
                begins: if target.kind == SinkKind::File { begins(&target.place) } else { None },
                name: target.name().to_owned(),
                id: target.id,
                kind: target.kind,
                place: target.place,
                credential: target.credential.map(|name| format!("{SCHEME}{name}")),
                paused: target.paused,
                next: standing.upto,
                at: standing.at,
                error: standing.error,
            })
        };
        self.places::<Target>()?.into_iter().map(tell).collect()
    }

    /// Adds a file and copies to it at once, from the first entry on. A file of something else is refused.
    pub(crate) fn sink_add(&self, caller: &Caller, place: String, name: Option<&str>) -> ApiResult<Vec<AuditSinkView>> {
        let known = self.places::<Target>()?;
        let target = Target::file(place, Some(new_name(&known, name, SinkKind::File)?));
        destinations::may_add(&known, &target)?;
        let mut sink = open(&target.place)?;
        self.behind(&mut sink, 0).map_err(|why| refused(&target.place, &why))?;
        if sink.has_holes() {
            let why = other("it has bytes that are not in the chain; choose another file");
            return Err(refused(&target.place, &why));
        }
        drop(sink);
        self.add_place(caller, json!({}), &target)?;
        self.copy_to(&target)?;
        self.sinks_now()
    }

    /// Adds a server and copies to it at once, from the first entry on. One that cannot be reached is kept and tried again.
    pub(crate) fn sink_add_remote(&self, caller: &Caller, request: SinkAdd) -> ApiResult<Vec<AuditSinkView>> {
        let SinkAdd { name, kind: of, url, credential, ca, allow_local, .. } = request;
        let (Some(kind), Some(url)) = (kind(of), url) else {
            return Err(ApiError::bad_request("The sink has no address.", "Send `kind` and `url`."));
        };
        let address = sinks::Place::address(kind, &url).map_err(|why| {
            ApiError::bad_request(format!("{why}."), "Correct the address; secrets are named by `credential`.")
        })?;
        let host = address.host_str().unwrap_or_default();
        let is_local = outgoing::local(caller, &format!("https://{host}/"), allow_local)?;
        let credential = credential.map(|given| self.known_secret(given.trim())).transpose()?.map(|(name, _)| name);
        let id = uuid::Uuid::now_v7().to_string();
        // Who sits here may name a host of the own network; who asks from elsewhere may not.
        let here = is_local || caller.here;
        let name = Some(new_name(&self.places::<Target>()?, name.as_deref(), of)?);
        let target = Target { id, name, place: address.to_string(), kind: of, here, credential, ca, paused: false };
        let mut facts = json!({ "kind": of });
        if let Some(name) = &target.credential {
            facts["credential"] = format!("{SCHEME}{name}").into();
        }
        self.add_place(caller, facts, &target)?;
        self.copy_to(&target)?;
        self.sinks_now()
    }

    /// Pauses a sink, or resumes it at its position.
    pub(crate) fn sink_pause(&self, caller: &Caller, id: &str, paused: bool) -> ApiResult<Vec<AuditSinkView>> {
        let target = self.sink(id)?;
        if target.paused != paused {
            let done = if paused { "paused" } else { "continued" };
            let facts = caller.signed(json!({ done: target.place }));
            let level = if paused { Level::Warn } else { Level::Info };
            self.change_places(level, caller.actor(), facts, move |targets: &mut Vec<Target>| {
                targets.iter_mut().filter(|known| known.id == target.id).for_each(|known| known.paused = paused);
                Ok(())
            })?;
        }
        self.sinks_now()
    }

    /// Connects to a sink and looks at what it holds, as a copy does before it sends something.
    pub(crate) fn sink_test(&self, id: &str) -> ApiResult<SinkTest> {
        let target = self.sink(id)?;
        let turn = self.sink_turns.of(&target.id);
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        let upto = self.standing::<Target>(&target.id)?.upto;
        let done = self.open_sink(&target).and_then(|mut sink| self.behind(sink.as_mut(), upto));
        let error = done.err().map(|why| refused(&target.place, &why).message);
        Ok(SinkTest { ok: error.is_none(), error })
    }

    fn sink(&self, id: &str) -> ApiResult<Target> {
        let found = self.places::<Target>()?.into_iter().find(|target| target.id == id);
        found.ok_or_else(|| {
            ApiError::not_found(format!("No sink has the id {id}; `{}` shows all.", Target::KIND.command))
        })
    }

    /// [`App::sink_add`] of a file that the person at the terminal names.
    pub async fn sink_file(
        self: &Arc<Self>,
        caller: &Caller,
        file: PathBuf,
        name: Option<String>,
    ) -> ApiResult<Vec<AuditSinkView>> {
        let caller = caller.clone();
        self.blocking(move |app| app.sink_add(&caller, destinations::named(&file)?, name.as_deref())).await
    }

    /// Copies to a file no more; what it holds stays.
    pub(crate) fn sink_remove(&self, caller: &Caller, id: &str) -> ApiResult<Vec<AuditSinkView>> {
        self.remove_place::<Target>(caller, id)?;
        self.sinks_now()
    }

    /// Copies what waits, everywhere.
    pub(crate) fn sink_all(&self) -> ApiResult<Vec<AuditSinkView>> {
        for target in self.places::<Target>()?.into_iter().filter(|target| !target.paused) {
            self.copy_to(&target)?;
        }
        self.sinks_now()
    }

    fn open_sink(&self, target: &Target) -> std::io::Result<Box<dyn AuditSink>> {
        let Some(kind) = kind(target.kind) else { return Ok(Box::new(JsonlSink::open(Path::new(&target.place))?)) };
        let credential = target.credential.as_deref().map(|name| self.secrets.credential_unasked(name)).transpose();
        let state = self.store.audit_state().map_err(std::io::Error::other)?;
        let place = sinks::Place {
            kind,
            url: sinks::Place::address(kind, &target.place).map_err(std::io::Error::other)?,
            here: target.here,
            ca: target.ca.clone(),
            credential: credential.map_err(|error| other(error.message.trim_end_matches('.')))?,
            log_id: state.log_id.to_string(),
            time_limit: sinks::Place::TIME_LIMIT,
        };
        let threads = self.threads.as_ref().ok_or_else(|| other("Signalbox is closing"))?;
        Remote::open(place, threads.handle().clone())
    }

    fn copy_to(&self, target: &Target) -> ApiResult<()> {
        let turn = self.sink_turns.of(&target.id);
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.store.try_exclusive(&work_of(&target.id))? {
            // Another host does, automatically.
            return Ok(());
        }
        self.copy(&target.id, &target.place, || self.open_sink(target))
    }

    /// Behind which entry a sink goes on, when it can tell: its last line must be an entry of this chain. Entries before
    /// `upto` were delivered: what stands where they were is left as it is found.
    fn behind(&self, sink: &mut dyn AuditSink, upto: u64) -> std::io::Result<Option<u64>> {
        let damaged = || Err(other("an entry that was copied before is damaged in it; keep it, and name another file"));
        let Some(text) = sink.last(upto)? else {
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

    /// The next entries for a sink, and which follows them.
    fn batch(&self, from: u64, log_id: &Arc<str>) -> std::io::Result<(Vec<AuditLine>, u64)> {
        let (mut lines, mut upto, mut bytes) = (Vec::new(), from, 0);
        let read = self.store.audit_rows(None, from, |row| {
            upto = row.seq + 1;
            let line = audit_line(&row, log_id);
            bytes += line.line.len();
            lines.push(line);
            lines.len() < PART && bytes < BYTES
        });
        read.map_err(std::io::Error::other)?;
        Ok((lines, upto))
    }

    /// Gives a sink what it has not got. What fails is remembered and recorded, not returned.
    fn copy(&self, id: &str, place: &str, open: impl FnOnce() -> std::io::Result<Box<dyn AuditSink>>) -> ApiResult<()> {
        let before = self.standing::<Target>(id)?;
        let log_id: Arc<str> = Arc::from(&*self.store.audit_state()?.log_id);
        let mut next = before.upto;
        let done = open().and_then(|mut sink| {
            next = self.behind(sink.as_mut(), next)?.unwrap_or(next);
            loop {
                let (lines, upto) = self.batch(next, &log_id)?;
                if lines.is_empty() {
                    return Ok(());
                }
                // What is outside must not be lost here.
                self.store.audit_sync(upto).map_err(std::io::Error::other)?;
                if let Err(NotTaken { taken, why }) = sink.take(&lines) {
                    next = lines.get(taken).map_or(next, |line| line.seq);
                    return Err(why);
                }
                next = upto;
                // A long way is not gone twice after a crash.
                if lines.len() == PART {
                    self.arrived::<Target>(id, self.now_ms(), next).map_err(|error| other(&error.message))?;
                }
            }
        });
        let now = self.now_ms();
        match done {
            Ok(()) if next == before.upto && before.failures == 0 => Ok(()),
            Ok(()) => self.arrived::<Target>(id, now, next),
            Err(why) => {
                let before = Standing { upto: next, ..before };
                self.failed_at::<Target>(id, now, before, json!({ "place": place }), refused(place, &why).message)
            }
        }
    }

    /// Sinks that have not got everything and are due.
    fn sinks_due(&self) -> ApiResult<Vec<Target>> {
        let (now, size) = (self.now_ms(), self.store.audit_state()?.head.size);
        let mut due = Vec::new();
        for target in self.places::<Target>()?.into_iter().filter(|target| !target.paused) {
            let standing = self.standing::<Target>(&target.id)?;
            if (standing.upto < size || standing.failures > 0) && standing.is_due(now, target.gathers(), LONGEST) {
                due.push(target);
            }
        }
        Ok(due)
    }

    /// Copies to one sink, unless somebody does.
    fn copy_unless_busy(&self, target: &Target) -> ApiResult<()> {
        let turn = self.sink_turns.of(&target.id);
        let Ok(_turn) = turn.try_lock() else { return Ok(()) };
        if !self.store.try_exclusive(&work_of(&target.id))? {
            return Ok(());
        }
        self.copy(&target.id, &target.place, || self.open_sink(target))
    }

    fn copy_to_stdout(&self) -> ApiResult<()> {
        if !self.store.try_exclusive(&work_of(STDOUT))? {
            return Ok(());
        }
        let standing = self.standing::<Target>(STDOUT)?;
        if standing.upto < self.store.audit_state()?.head.size && standing.is_due(self.now_ms(), 0, LONGEST) {
            self.copy(STDOUT, "the standard output", || Ok(Box::new(StdoutSink)))?;
        }
        Ok(())
    }

    /// A host that keeps running copies automatically. A slow sink holds up no other.
    pub(crate) fn copy_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        self.again_and_again(threads, LOOK, |app| async move {
            for target in app.blocking(Self::sinks_due).await.unwrap_or_default() {
                let app = Arc::clone(&app);
                tokio::spawn(async move { app.blocking(move |app| app.copy_unless_busy(&target)).await });
            }
            Some(LOOK)
        });
    }

    /// Writes every entry to the standard output from now on, behind the last that was written there.
    pub fn audit_to_stdout(self: &Arc<Self>) {
        if let Some(threads) = &self.threads {
            self.every(threads.handle(), LOOK, Self::copy_to_stdout);
        }
    }
}

/// The name of the lock of a sink: of several hosts on one history one copies to it.
fn work_of(sink: &str) -> String {
    format!("audit-sink:{sink}")
}

/// A row on its way out.
fn audit_line(row: &Row, log_id: &Arc<str>) -> AuditLine {
    let entry: Value = serde_json::from_str(&row.text).unwrap_or_default();
    let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    AuditLine {
        log_id: Arc::clone(log_id),
        seq: row.seq,
        hash: row.hash.clone(),
        run_id: text("runId"),
        node_id: text("nodeId"),
        event: text("event"),
        level: text("level"),
        timestamp: text("timestamp"),
        line: line::of_row(row),
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
    let hint = "Repair it, or remove it and add another one: copying continues automatically where it stopped, and the chain here is complete.";
    ApiError::unavailable("SINK_FAILED", message, hint)
}
