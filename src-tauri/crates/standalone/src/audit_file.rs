//! The audit chain as a file of JSON lines beside the database, for programs that were exported with `--audit jsonl`. The chain of
//! record is the database's; the file gets its entries in order, each once, also after a crash.

use crate::failure::Failure;
use signalbox_adapters::sinks::JsonlSink;
use signalbox_ports::{AuditLine, AuditSink, NotTaken};
use signalbox_store::Store;
use signalbox_store::audit::line;
use signalbox_store::audit::verify::Row;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Its name in the data folder.
pub(crate) const NAME: &str = "audit.jsonl";
/// Entries that are written at once.
const PART: usize = 500;

/// Writes what the file does not have yet.
pub(crate) fn copy(store: &Store) -> Result<(), Failure> {
    let path = store.folder().join(NAME);
    copy_to(store, &path).map_err(|error| {
        Failure::invalid(
            "AUDIT_FILE",
            format!("The audit chain cannot be copied to {}: {error}.", path.display()),
            "The chain itself is complete in the data folder. Correct what is said, then run any command: the copy goes on.",
        )
    })
}

fn copy_to(store: &Store, path: &Path) -> io::Result<()> {
    let log_id: Arc<str> = store.audit_state().map_err(io::Error::other)?.log_id.into();
    let mut sink = JsonlSink::open(path)?;
    let mut next = match sink.last(0)? {
        None => 0,
        Some(text) => behind(store, &text)?,
    };
    loop {
        let mut lines = Vec::new();
        let read = store.audit_rows(None, next, |row| {
            lines.push(audit_line(&row, &log_id));
            lines.len() < PART
        });
        read.map_err(io::Error::other)?;
        let Some(last) = lines.last() else { return Ok(()) };
        next = last.seq + 1;
        // What is in the file must not be lost in the chain.
        store.audit_sync(next).map_err(io::Error::other)?;
        sink.take(&lines).map_err(|NotTaken { why, .. }| why)?;
    }
}

/// The entry that follows the last line of the file, which must be one of this chain.
fn behind(store: &Store, text: &str) -> io::Result<u64> {
    let last = line::Line::read(text).map_err(|why| io::Error::other(format!("its last line is no entry ({why})")))?;
    let ours = store.audit_row(last.row.seq).map_err(io::Error::other)?;
    match ours {
        Some(row) if row.hash == last.row.hash => Ok(last.row.seq + 1),
        _ => Err(io::Error::other("its last entry is not of this chain; move the file away")),
    }
}

fn audit_line(row: &Row, log_id: &Arc<str>) -> AuditLine {
    let entry: serde_json::Value = serde_json::from_str(&row.text).unwrap_or_default();
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
