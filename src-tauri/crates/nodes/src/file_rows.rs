//! Rows of a file as items, and items as rows of a file: one piece of the file and a few rows are there at a time (ADR 157).

use crate::Outcome;
use crate::csv_table::{Layout, RowReader, TableText};
use crate::file_error::file_failure;
use crate::json_lines::JsonLines;
use crate::listing::{Listing, MOST_ITEMS};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{Items, NodeFailure};
use signalbox_ports::{PartSource, World, WriteMode, Written};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a file that are read at once.
const PIECE: usize = 1024 * 1024;
/// Bytes that are written at once.
pub(crate) const WRITE: usize = 256 * 1024;

/// How rows stand in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowFormat {
    Csv(Layout),
    /// A JSON value in each line.
    JsonLines,
}

enum Reader {
    Csv(RowReader),
    Lines(JsonLines),
}

impl Reader {
    fn take(&mut self, text: &str, is_last: bool, row: &mut dyn FnMut(String)) -> Result<(), NodeFailure> {
        match self {
            Self::Csv(reader) => reader.take(text, is_last, row),
            Self::Lines(lines) => {
                let mut one = |json| {
                    row(json);
                    Ok(true)
                };
                lines.take(text.as_bytes(), is_last, &mut one).map(|_| ())
            }
        }
    }
}

/// Each row of a file as an item.
pub(crate) async fn read(call: &Call, slot: &CallSlot, world: &World, path: &str, format: RowFormat) -> Outcome {
    let mut reader = match format {
        RowFormat::Csv(layout) => Reader::Csv(RowReader::new(layout, &format!("The file '{path}'"))),
        RowFormat::JsonLines => Reader::Lines(JsonLines::new(&format!("the file '{path}'"))),
    };
    let mut items = Listing::of(slot);
    let (mut at, mut rest, mut known) = (0, Vec::new(), None);
    loop {
        let part = world.files.read_part(&call.workflow_id, path, at, PIECE).await;
        let part = part.map_err(|error| file_failure(error, path))?;
        let about = (part.size, part.modified_ms);
        if *known.get_or_insert(about) != about {
            let words = format!("The file '{path}' was changed while it was read. Read it again when it is complete");
            return Err(NodeFailure::tool("IO", words).detail("path", path));
        }
        let begin = at - rest.len() as u64;
        at += part.bytes.len() as u64;
        let is_last = part.bytes.is_empty() || at >= part.size;
        rest.extend(part.bytes);
        let (text, behind) = match std::str::from_utf8(&rest) {
            Ok(text) => (text, rest.len()),
            // A sign of several bytes that is not complete yet.
            Err(error) if error.error_len().is_none() && !is_last => {
                let end = error.valid_up_to();
                (std::str::from_utf8(&rest[..end]).unwrap_or_default(), end)
            }
            Err(error) => {
                let byte = begin + error.valid_up_to() as u64 + 1;
                let words = format!(
                    "The file '{path}' is not UTF-8 text (byte {byte}). Save it as UTF-8, or read it as binary"
                );
                return Err(NodeFailure::validation("NOT_TEXT", words).detail("byte", byte));
            }
        };
        let mut refused = None;
        reader.take(text, is_last, &mut |row| {
            if refused.is_none() {
                refused = items.push_row(&row).err();
            }
        })?;
        if let Some(refused) = refused {
            return Err(refused.detail("path", path));
        }
        rest.drain(..behind);
        if items.len() as u64 > MOST_ITEMS {
            let words = format!("The file '{path}' has more than {MOST_ITEMS} rows. Split it");
            return Err(NodeFailure::validation("TOO_LARGE", words).detail("limit", MOST_ITEMS));
        }
        if is_last {
            return Ok(items.done());
        }
    }
}

/// What is written at once.
pub(crate) fn once(bytes: Vec<u8>) -> PartSource {
    let mut bytes = Some(bytes);
    Box::new(move || bytes.take().map(Ok))
}

/// Stops a write whose call was dropped.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Writes each item of a slot as a row.
pub(crate) async fn write(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    path: &str,
    format: RowFormat,
    mode: WriteMode,
) -> Result<Written, NodeFailure> {
    let (failed, stopped) = (Arc::new(Mutex::new(None)), Arc::new(AtomicBool::new(false)));
    let _stop = Stop(Arc::clone(&stopped));
    let source = source(Arc::clone(&slot.input), format, Arc::clone(&failed), stopped);
    let written = world.files.write_parts(&call.workflow_id, path, source, mode).await;
    written.map_err(|error| {
        let own = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        own.unwrap_or_else(|| file_failure(error, path))
    })
}

/// The rows, piece by piece; `failed` gets what is wrong with one of them.
fn source(
    items: Arc<Items>,
    format: RowFormat,
    failed: Arc<Mutex<Option<NodeFailure>>>,
    stopped: Arc<AtomicBool>,
) -> PartSource {
    let mut at = 0;
    let mut table = match format {
        RowFormat::Csv(layout) => Some(TableText::new(layout, "The list of items")),
        RowFormat::JsonLines => None,
    };
    let mut looked = false;
    Box::new(move || {
        let mut piece = || -> Result<Vec<u8>, NodeFailure> {
            let Some(table) = &mut table else {
                let mut text = String::new();
                while at < items.len() && text.len() < WRITE {
                    items.kept(at).unwrap_or_default().append(&mut text);
                    text.push('\n');
                    at += 1;
                }
                return Ok(text.into_bytes());
            };
            if !looked {
                looked = true;
                for index in 0..items.len() {
                    if index % 1_000 == 0 && stopped.load(Ordering::Relaxed) {
                        break;
                    }
                    table.look(index, &items.kept(index).unwrap_or_default())?;
                }
            }
            while at < items.len() && table.len() < WRITE {
                table.row(&items.kept(at).unwrap_or_default())?;
                at += 1;
            }
            Ok(table.take().into_bytes())
        };
        if stopped.load(Ordering::Relaxed) {
            return Some(Err("the step was stopped".into()));
        }
        match piece() {
            Ok(bytes) if bytes.is_empty() => None,
            Ok(bytes) => Some(Ok(bytes)),
            Err(failure) => {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                Some(Err("an item cannot be written".into()))
            }
        }
    })
}
