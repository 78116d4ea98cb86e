//! Exports of the chain: evidence packs, tables and lines. Rows go from the store to the file while they are read, so that
//! the size of an export does not matter.

use crate::app::App;
use crate::audit::export_profile::Hiding;
use crate::audit::facts::keys;
use crate::audit::missing_end;
use crate::audit::query;
use crate::caller::Caller;
use crate::dto::{AuditExport, AuditProfile, ExportFormat};
use crate::error::{ApiError, ApiResult};
use crate::host::files::{Fresh, io_error, io_words};
use serde_json::{Value, json};
use signalbox_model::text::{one_line, seen_json};
use signalbox_model::{AuditEvent, time};
use signalbox_store::audit::line::Line;
use signalbox_store::audit::verify::Row;
use signalbox_store::audit::{Level, Tree, pack, pack::MissingEnd};
use signalbox_store::{AuditQuery, StoreError};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// Rows on their way from the store to a file.
const AHEAD: usize = 512;

/// An export that was written.
pub(crate) struct Exported {
    pub(crate) entries: u64,
    /// How the name of its file ends.
    pub(crate) ending: &'static str,
    /// The entry that tells of it.
    pub(crate) seq: u64,
    /// Ends of the chain that were found missing.
    pub(crate) missing: Vec<MissingEnd>,
}

/// Which entries a pack holds.
struct Chosen {
    /// All of the log.
    whole: bool,
    /// What chose them, in words, where they are neither that nor whole runs.
    query: Option<String>,
}

/// The thread that reads them, and whether it could.
type Reading = JoinHandle<Result<(), StoreError>>;

impl App {
    /// Writes an export to a file, as what its ending says: `{file, entries, missing?}`.
    pub async fn export_audit_to(
        self: &Arc<Self>,
        caller: &Caller,
        run_id: Option<String>,
        query: Option<String>,
        profile: Option<AuditProfile>,
        hide: Vec<String>,
        file: PathBuf,
    ) -> ApiResult<Value> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let format = match file.extension().and_then(|ending| ending.to_str()) {
                Some("zip") => ExportFormat::Pack,
                Some("csv") => ExportFormat::Csv,
                Some("jsonl") => ExportFormat::Jsonl,
                _ => {
                    return Err(ApiError::bad_request(
                        format!("{} does not say what to write.", file.display()),
                        "Let its name end with .zip (evidence pack), .csv or .jsonl.",
                    ));
                }
            };
            // Beside it first: a file that was there stays whole until the new one is.
            let fresh = Fresh::beside(&file).map_err(|error| io_error(&error, &file, "written"))?;
            let what = AuditExport { run_id, query, format, profile, hide };
            let done = app.export_audit(&caller, &what, &file, std::io::BufWriter::new(fresh.file()))?;
            let kept = fresh.keep().map_err(|error| io_error(&error, &file, "written"));
            kept.inspect_err(|why| app.export_failed(&caller, done.seq, why))?;
            let mut told = json!({ "file": file, "entries": done.entries });
            if !done.missing.is_empty() {
                let missing: Vec<_> = done.missing.into_iter().map(missing_end::told).collect();
                told["missing"] = serde_json::to_value(missing).unwrap_or_default();
            }
            Ok(told)
        })
        .await
    }

    /// What the name of an export says about its profile.
    pub(crate) fn export_mark(&self, what: &AuditExport) -> ApiResult<String> {
        let hiding = Hiding::new(what.profile.unwrap_or(AuditProfile::Full), &what.hide)?;
        Ok(if hiding.is_full() { String::new() } else { format!("-{}", hiding.name()) })
    }

    /// Writes an export. `file` is what errors name. It is recorded before anything leaves and a checkpoint is
    /// sealed, so that the file ends with its own record; one that then fails is recorded as that (ADR 73).
    pub(crate) fn export_audit(
        &self,
        caller: &Caller,
        what: &AuditExport,
        file: &Path,
        out: impl Write + Seek,
    ) -> ApiResult<Exported> {
        if let Some(run) = &what.run_id {
            let known = AuditQuery { run: Some(run.clone()), limit: 1, ..AuditQuery::default() };
            if self.store.audit_page(&known)?.rows.is_empty() {
                return Err(ApiError::not_found(format!("The audit chain has no entry of run {run}.")));
            }
        }
        let hiding = Hiding::new(what.profile.unwrap_or(AuditProfile::Full), &what.hide)?;
        let query = query::read(self, what.query.as_deref())?;
        let (ending, format) = match what.format {
            ExportFormat::Pack => ("zip", "pack"),
            ExportFormat::Csv => ("csv", "csv"),
            ExportFormat::Jsonl => ("jsonl", "jsonl"),
        };
        let facts = caller.signed(json!({
            "format": format, "run": what.run_id, "query": what.query, "profile": hiding.name(), "hide": what.hide,
        }));
        let exported = self.fact(AuditEvent::AuditExported, Level::Info, caller.actor(), facts);
        let seq = self.store.audit_append(exported, None, true)?.seq;
        // After the record of the export, which may be the entry that finds an end missing.
        let done = self.missing_ends().and_then(|missing| {
            let entries = self.exported(what, query, hiding, &missing, file, out)?;
            Ok(Exported { entries, ending, seq, missing })
        });
        done.inspect_err(|why| self.export_failed(caller, seq, why))
    }

    /// The record of an export stands already: another says what became of it. What cannot be recorded leaves the first one, and the
    /// person knows from the error.
    pub(crate) fn export_failed(&self, caller: &Caller, seq: u64, why: &ApiError) {
        let facts = caller.signed(json!({ "of": seq, "code": why.code }));
        let failed = self.fact(AuditEvent::AuditExportFailed, Level::Warn, caller.actor(), facts);
        drop(self.store.audit_append(failed, None, true));
    }

    fn exported(
        &self,
        what: &AuditExport,
        mut query: AuditQuery,
        hiding: Hiding,
        missing: &[MissingEnd],
        file: &Path,
        out: impl Write + Seek,
    ) -> ApiResult<u64> {
        self.store.audit_checkpoint(&time::format(self.now_ms()))?;
        if what.run_id.is_some() {
            query.run.clone_from(&what.run_id);
        }
        let whole = query == AuditQuery::default();
        let of_runs = AuditQuery { run: query.run.clone(), ..AuditQuery::default() };
        // The words of a query name people and texts: an export that hides those hides it, too.
        let chosen = what.query.as_deref().map(str::trim).filter(|_| query != of_runs);
        let chosen = chosen
            .map(|text| if hiding.is_full() { one_line(text) } else { "a query that the profile hides".to_owned() });
        let (rows, reading) = self.stream(query)?;
        let rows = rows.into_iter();
        let count = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let counter = Arc::clone(&count);
        let rows = rows.inspect(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        match what.format {
            ExportFormat::Pack => {
                self.pack(file, out, rows, Chosen { whole, query: chosen }, hiding, missing.to_vec())?
            }
            ExportFormat::Csv => {
                let unread = Unread::default();
                csv(out, shown(rows, hiding, &unread)).map_err(cannot_write(file))?;
                unread.told()?;
            }
            ExportFormat::Jsonl => {
                let (mut out, unread) = (out, Unread::default());
                for line in shown(rows, hiding, &unread) {
                    out.write_all(line.to_text().as_bytes()).map_err(cannot_write(file))?;
                }
                out.flush().map_err(cannot_write(file))?;
                unread.told()?;
            }
        }
        // A row that could not be read must not end the export as if it were the last one.
        if let Ok(read) = reading.join() {
            read?;
        }
        Ok(count.load(Ordering::Relaxed))
    }

    /// Rows that match, oldest first, while they are read.
    fn stream(&self, query: AuditQuery) -> ApiResult<(Receiver<Row>, Reading)> {
        let (sender, receiver) = sync_channel(AHEAD);
        let store = self.store.clone();
        let reading = std::thread::Builder::new()
            .name("audit-export".into())
            .spawn(move || store.audit_matching(&query, |row| sender.send(row).is_ok()));
        let reading = reading.map_err(|error| ApiError::no_thread(&error))?;
        Ok((receiver, reading))
    }

    fn pack(
        &self,
        file: &Path,
        out: impl Write + Seek,
        rows: impl Iterator<Item = Row>,
        chosen: Chosen,
        hiding: Hiding,
        missing: Vec<MissingEnd>,
    ) -> ApiResult<()> {
        let Chosen { whole, query } = chosen;
        let checkpoints = self.store.audit_checkpoints()?;
        let size = checkpoints.last().map_or(0, |sealed| sealed.checkpoint.size);
        let keys = keys(&self.store.audit_state()?);
        let own = self.store.audit_key();
        let keys = own.into_iter().chain(keys.into_iter().filter(|key| Some(*key) != own)).collect();
        let damaged = |why: String| {
            ApiError::unavailable("AUDIT_DAMAGED", format!("No proof can be made: {why}."), "Verify the audit chain.")
        };
        // Entries that were written since the checkpoint stay out: nothing proves them yet.
        let rows = rows.take_while(move |row| row.seq < size);
        let write = |error: pack::WriteError| match error {
            pack::WriteError::Io(error) => cannot_write(file)(error),
            other => {
                ApiError::unavailable("NOT_WRITTEN", format!("{}: {other}.", file.display()), "Report this fault.")
            }
        };
        let profile = hiding.stated();
        // The place of an entry that is shown in part stands on its proof.
        if whole && hiding.is_full() {
            let contents = pack::Contents { rows, checkpoints, proofs: Vec::new(), profile, query, missing, keys };
            let mut out = pack::write(out, contents).map_err(write)?;
            return out.flush().map_err(cannot_write(file));
        }
        let gone = self.store.audit_tombstone()?;
        let mut tree = match gone.as_ref().map(|(_, tombstone)| tombstone.frontier()) {
            None => Tree::default(),
            Some(Some(frontier)) => Tree::after(&frontier),
            Some(None) => return Err(damaged("the record of the retention does not fit".into())),
        };
        let mut wrong = None;
        self.store.audit_rows(None, 0, |row| {
            match row.hash.parse() {
                Ok(hash) => tree.push(&hash),
                Err(_) => wrong = Some(row.seq),
            }
            wrong.is_none() && row.seq + 1 < size
        })?;
        if let Some(seq) = wrong {
            return Err(damaged(format!("the hash of entry {seq} cannot be read")));
        }
        // Where a run lost a part to a retention, the record of that goes along: without it the part would be missing.
        let extra = match &gone {
            Some((seq, tombstone)) if !tombstone.cut_runs.is_empty() && *seq < size => self.store.audit_row(*seq)?,
            _ => None,
        };
        let rows = with(rows, extra);
        // The proofs are written after the rows, and made one by one: nothing but the numbers is kept between.
        let seqs = Rc::new(RefCell::new(VecDeque::new()));
        let seen = Rc::clone(&seqs);
        let rows = rows.inspect(move |row| seen.borrow_mut().push_back(row.seq));
        let failed = Rc::new(RefCell::new(None));
        let noted = Rc::clone(&failed);
        let proofs = std::iter::from_fn(move || {
            let seq = seqs.borrow_mut().pop_front()?;
            tree.inclusion(seq, size).map_err(|why| *noted.borrow_mut() = Some(why.to_string())).ok()
        });
        let unread = Unread::default();
        let rows = shown(rows, hiding, &unread);
        let contents = pack::Contents { rows, checkpoints, proofs, profile, query, missing, keys };
        let mut out = pack::write(out, contents).map_err(write)?;
        out.flush().map_err(cannot_write(file))?;
        if let Some(why) = failed.take() {
            return Err(damaged(why));
        }
        unread.told()
    }
}

/// The first entry that could not be read, so that nothing in it could be hidden.
#[derive(Clone, Default)]
struct Unread(Rc<Cell<Option<u64>>>);

impl Unread {
    fn told(&self) -> ApiResult<()> {
        let Some(seq) = self.0.get() else { return Ok(()) };
        Err(ApiError::unavailable(
            "AUDIT_DAMAGED",
            format!("Entry {seq} cannot be read, so nothing in it can be hidden; nothing was exported."),
            "Verify the audit chain. The profile `full` exports what is there.",
        ))
    }
}

/// Rows as a profile shows them; ends at one that cannot be read.
fn shown(rows: impl Iterator<Item = Row>, mut hiding: Hiding, unread: &Unread) -> impl Iterator<Item = Line> {
    let unread = unread.clone();
    rows.map_while(move |row| {
        let seq = row.seq;
        let line = hiding.show(row);
        if line.is_none() {
            unread.0.set(Some(seq));
        }
        line
    })
}

/// Rows with one more in its place, unless it is there.
fn with(rows: impl Iterator<Item = Row>, extra: Option<Row>) -> impl Iterator<Item = Row> {
    let (mut rows, mut extra) = (rows.peekable(), extra);
    std::iter::from_fn(move || {
        let next = rows.peek().map(|row| row.seq);
        if extra.as_ref().is_some_and(|extra| next.is_none_or(|next| extra.seq <= next)) {
            if next == extra.as_ref().map(|extra| extra.seq) {
                rows.next();
            }
            return extra.take();
        }
        rows.next()
    })
}

/// A file that is begun.
fn cannot_write(file: &Path) -> impl Fn(std::io::Error) -> ApiError {
    move |error| {
        let message = format!("{} could not be written: {}.", file.display(), io_words(&error));
        let general = io_error(&error, file, "written");
        // What was there before is not what an export is about, nor is an editor.
        let hint = if general.code == "DISK_FULL" {
            "Free some space, then try again.".to_owned()
        } else {
            general.hint.clone()
        };
        ApiError { message, hint, ..general }
    }
}

/// A cell in quotes. Letters that nobody sees, and that would turn what stands after them, are written as in the other formats.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    format!("\"{}{}\"", if formula { "'" } else { "" }, seen_json(text).replace('"', "\"\""))
}

/// A table for spreadsheets. A cell that would be a formula there is kept from being one.
fn csv(mut out: impl Write, rows: impl Iterator<Item = Line>) -> std::io::Result<()> {
    let head = "seq,timestamp,level,event,actorType,actorId,actorRole,runId,nodeId,metadata,hash,signature\r\n";
    out.write_all(head.as_bytes())?;
    for Line { row, .. } in rows {
        let entry: Value = serde_json::from_str(&row.text).unwrap_or_default();
        let text = |pointer: &str| entry.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let metadata = entry.get("metadata").map(Value::to_string).unwrap_or_default();
        let cells = [
            text("/timestamp"),
            text("/level"),
            text("/event"),
            text("/actor/type"),
            text("/actor/id"),
            text("/actor/role"),
            text("/runId"),
            text("/nodeId"),
            metadata,
            row.hash,
            row.signature.unwrap_or_default(),
        ];
        let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
        out.write_all(format!("{},{}\r\n", row.seq, cells.join(",")).as_bytes())?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_cell_holds_no_formula_and_nothing_that_turns_its_letters() {
        assert_eq!(cell("=1+1"), "\"'=1+1\"");
        assert_eq!(cell("{\"file\":\"a\u{202e}gpj.exe\"}"), "\"{\"\"file\"\":\"\"a\\u202egpj.exe\"\"}\"");
        assert_eq!(cell("plain é"), "\"plain é\"");
    }
}
