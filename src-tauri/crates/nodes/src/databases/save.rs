//! Rows of a statement as a file: they go into a granted folder while they come, and the file is there when it is whole (ADR 200).

use crate::csv_table::{Layout, TableText};
use crate::file_error::file_failure;
use crate::file_rows::{RowFormat, WRITE};
use crate::support::{text_or, wrong_choice};
use crate::written_file::told;
use async_trait::async_trait;
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::databases::{Access, Cell, CellSink, DatabaseError, DatabaseFault, Queried, Query, RowSink};
use signalbox_ports::{CallLog, PieceStream, Scrubber, World, WriteMode};
use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::mem::take;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Where the rows are saved, and how.
pub(crate) struct SaveTo<'a> {
    path: &'a str,
    format: RowFormat,
}

impl<'a> SaveTo<'a> {
    /// `None`: the rows become items.
    pub(crate) fn of(slot: &'a CallSlot, access: Access) -> Result<Option<Self>, NodeFailure> {
        let path = text_or(slot, "saveTo", "")?.trim();
        if path.is_empty() {
            return Ok(None);
        }
        if access == Access::Write {
            let words = "Rows are saved with read access only: a change would be confirmed before the file is whole. \
                         Set 'access' to read, or empty 'saveTo'";
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "saveTo"));
        }
        let ends = |ending: &str| path.to_ascii_lowercase().ends_with(ending);
        let format = match text_or(slot, "saveAs", "auto")? {
            "csv" => RowFormat::Csv(Layout::of(slot)?),
            "jsonLines" => RowFormat::JsonLines,
            "auto" if ends(".jsonl") || ends(".ndjson") => RowFormat::JsonLines,
            "auto" => RowFormat::Csv(Layout::of(slot)?),
            _ => return Err(wrong_choice("saveAs", "auto, csv or jsonLines", &slot.config["saveAs"])),
        };
        Ok(Some(Self { path, format }))
    }

    /// Writes the rows of a statement; gives what the item says of the file.
    pub(crate) async fn write(
        &self,
        call: &Call,
        world: &World,
        log: &dyn CallLog,
        query: Query,
    ) -> Result<Value, NodeFailure> {
        let ready = Arc::new(Mutex::new(Ready::default()));
        let mut rows = Rows::new(self.format, Arc::clone(&ready), world.secrets.scrubber());
        let asking = Box::pin(async move {
            let done = world.databases.query(query, &mut rows).await;
            (done, rows)
        });
        let mut pieces = Pieces { asking, ended: None, ready };
        let written = world.files.write_stream(&call.workflow_id, self.path, &mut pieces, WriteMode::Overwrite).await;
        let failed = |failure: NodeFailure| Err(failure.detail("path", self.path));
        let rows = match pieces.ended {
            Some((Ok(done), _)) if !done.has_rows => {
                let words = "The statement gives no rows that could be saved. Write a SELECT, or empty 'saveTo'";
                return failed(NodeFailure::validation("INPUT_INVALID", words).detail("field", "sql"));
            }
            Some((Ok(_), rows)) => rows.count,
            // The rows cannot be written; the statement was ended because of this.
            Some((Err(_), Rows { failed: Some(refused), .. })) => return failed(refused),
            Some((Err(error), _)) => return failed(super::failure(error)),
            // The file failed first.
            None => 0,
        };
        let written = written.map_err(|error| file_failure(error, self.path))?;
        let size = written.size;
        told(call, log, self.path, written);
        Ok(json!({ "path": self.path, "size": size, "rows": rows }))
    }
}

/// A piece that waits for the file, and who waits until it is taken.
#[derive(Default)]
struct Ready {
    piece: Vec<u8>,
    waiting: Option<Waker>,
}

fn lock(ready: &Mutex<Ready>) -> std::sync::MutexGuard<'_, Ready> {
    ready.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes text of the rows.
struct Rows {
    table: Option<TableText>,
    lines: String,
    count: u64,
    ready: Arc<Mutex<Ready>>,
    /// Secrets of this machine are hidden in files as they are in items.
    scrubber: Arc<Scrubber>,
    /// Why no more is taken.
    failed: Option<NodeFailure>,
}

impl Rows {
    fn new(format: RowFormat, ready: Arc<Mutex<Ready>>, scrubber: Arc<Scrubber>) -> Self {
        let table = match format {
            RowFormat::Csv(layout) => Some(TableText::new(layout, "The result")),
            RowFormat::JsonLines => None,
        };
        Self { table, lines: String::new(), count: 0, ready, scrubber, failed: None }
    }

    fn len(&self) -> usize {
        self.table.as_ref().map_or(self.lines.len(), TableText::len)
    }

    /// What was written since, without secrets.
    fn take(&mut self) -> Vec<u8> {
        let Some(table) = &mut self.table else { return take(&mut self.lines).into_bytes() };
        let text = table.take();
        // All cells at once: most tables have none, and looking at each costs more than writing it.
        if !self.scrubber.finds(text.as_bytes()) {
            return text.into_bytes();
        }
        let clean = table.changed(&text, |cell| self.scrubber.text(cell));
        clean.unwrap_or_else(|| self.scrubber.text(&text).into_owned()).into_bytes()
    }

    /// A cell that is not written as it is may hide a secret from whoever looks at the file.
    fn clean<'a>(&self, cell: Cell<'a>) -> Option<Cow<'a, str>> {
        let hidden = |text: &str| self.scrubber.finds(text.as_bytes());
        match cell {
            Cell::Text(text) if text.contains('"') && hidden(text) => Some(self.scrubber.text(text)),
            Cell::Json(json) if json.starts_with(['"', '[', '{']) && hidden(json) => {
                let mut value = serde_json::from_str(json).unwrap_or_default();
                self.scrubber.value(&mut value);
                Some(Cow::Owned(value.to_string()))
            }
            _ => None,
        }
    }

    fn refuse(&mut self, done: Result<(), NodeFailure>) -> Result<(), DatabaseError> {
        done.map_err(|failure| {
            self.failed = Some(failure);
            DatabaseError::new(DatabaseFault::Stopped, "A row cannot be written")
        })
    }
}

impl RowSink for Rows {
    fn columns(&mut self, names: &[String]) -> Result<(), DatabaseError> {
        let Some(table) = &mut self.table else { return Ok(()) };
        let mut columns = names.iter().map(|name| self.scrubber.text(name));
        let done = columns.try_for_each(|name| table.column(&name)).and_then(|()| table.begin());
        self.refuse(done)
    }

    fn row(&mut self, json: &str) -> Result<(), DatabaseError> {
        self.count += 1;
        let hidden = self.scrubber.finds(json.as_bytes()).then(|| {
            let mut row = serde_json::from_str(json).unwrap_or_default();
            self.scrubber.value(&mut row);
            row.to_string()
        });
        let json = hidden.as_deref().unwrap_or(json);
        if let Some(table) = &mut self.table {
            let done = table.row_text(json);
            return if done.is_ok() { Ok(()) } else { self.refuse(done) };
        }
        self.lines.push_str(json);
        self.lines.push('\n');
        Ok(())
    }

    fn cells(&mut self) -> Option<&mut dyn CellSink> {
        if self.table.is_some() { Some(self) } else { None }
    }

    fn poll_room(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.len() < WRITE {
            return Poll::Ready(());
        }
        let piece = {
            let mut ready = lock(&self.ready);
            if !ready.piece.is_empty() {
                ready.waiting = Some(context.waker().clone());
                return Poll::Pending;
            }
            drop(ready);
            self.take()
        };
        lock(&self.ready).piece = piece;
        Poll::Ready(())
    }
}

impl CellSink for Rows {
    fn cell(&mut self, cell: Cell<'_>) -> Result<(), DatabaseError> {
        let clean = self.clean(cell);
        let cell = match (cell, clean.as_deref()) {
            (Cell::Text(_), Some(clean)) => Cell::Text(clean),
            (Cell::Json(_), Some(clean)) => Cell::Json(clean),
            _ => cell,
        };
        let done = self.table.as_mut().map_or(Ok(()), |table| table.cell(cell));
        if done.is_ok() { Ok(()) } else { self.refuse(done) }
    }

    fn end(&mut self) -> Result<(), DatabaseError> {
        self.count += 1;
        if let Some(table) = &mut self.table {
            table.end_row();
        }
        Ok(())
    }
}

type Ended = (Result<Queried, DatabaseError>, Rows);

/// The text of the rows, while the statement gives them. Who drops it ends the statement.
struct Pieces<'a> {
    asking: Pin<Box<dyn Future<Output = Ended> + Send + 'a>>,
    ended: Option<Ended>,
    ready: Arc<Mutex<Ready>>,
}

impl Pieces<'_> {
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Vec<u8>, String>>> {
        if self.ended.is_none()
            && let Poll::Ready(ended) = self.asking.as_mut().poll(context)
        {
            self.ended = Some(ended);
        }
        let (piece, waiting) = {
            let mut ready = lock(&self.ready);
            (take(&mut ready.piece), ready.waiting.take())
        };
        if let Some(waiting) = waiting {
            waiting.wake();
        }
        match &mut self.ended {
            Some((Ok(Queried { has_rows: true, .. }), rows)) => {
                let piece = if piece.is_empty() { rows.take() } else { piece };
                Poll::Ready((!piece.is_empty()).then_some(Ok(piece)))
            }
            Some(_) => Poll::Ready(Some(Err("the rows did not come as a whole".into()))),
            None if piece.is_empty() => Poll::Pending,
            None => Poll::Ready(Some(Ok(piece))),
        }
    }
}

#[async_trait]
impl PieceStream for Pieces<'_> {
    async fn next(&mut self) -> Option<Result<Vec<u8>, String>> {
        poll_fn(|context| self.poll_piece(context)).await
    }
}

#[cfg(test)]
mod tests;
