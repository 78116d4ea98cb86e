//! Values of databases as JSON text, without loss: how a value is written is the same for databases and files of tables (`value_text`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
pub(super) use signalbox_model::value_text::{
    date, decimal, double, embedded, in_quotes, interval, padded, plain, single, text, time, timestamp, uuid,
};
use signalbox_ports::databases::{DatabaseError, DatabaseFault, RowSink};
use std::collections::HashSet;

/// Bytes, as text in base64.
pub(super) fn bytes(out: &mut Vec<u8>, value: &[u8]) {
    text(out, &STANDARD.encode(value));
}

/// Writes rows as objects, and counts them.
pub(super) struct RowWriter {
    /// `{"name":` and `,"name":`.
    heads: Vec<Vec<u8>>,
    buffer: Vec<u8>,
    rows: u64,
    max_rows: u32,
}

impl RowWriter {
    /// Tells the sink the columns; a statement that gives no rows has none.
    pub(super) fn new(names: &[String], max_rows: u32, sink: &mut dyn RowSink) -> Result<Self, DatabaseError> {
        let (mut seen, mut heads) = (HashSet::new(), Vec::new());
        for name in names {
            if !seen.insert(name) {
                let words = format!(
                    "Two columns of the result are named '{name}', and an item has each name once. Give one of them another name with AS"
                );
                return Err(DatabaseError::new(DatabaseFault::DuplicateColumn, words).detail("column", name.as_str()));
            }
            let mut head = vec![if heads.is_empty() { b'{' } else { b',' }];
            text(&mut head, name);
            head.push(b':');
            heads.push(head);
        }
        if !names.is_empty() {
            sink.columns(names)?;
        }
        Ok(Self { heads, buffer: Vec::new(), rows: 0, max_rows })
    }

    /// Where the value of a column goes; columns are asked for in their order.
    pub(super) fn column(&mut self, at: usize) -> &mut Vec<u8> {
        if let Some(head) = self.heads.get(at) {
            self.buffer.extend_from_slice(head);
        }
        &mut self.buffer
    }

    /// One more row, whose cells are given elsewhere.
    pub(super) fn count(&mut self) -> Result<(), DatabaseError> {
        self.rows += 1;
        if self.rows > u64::from(self.max_rows) {
            let words = format!(
                "The result has more than {} rows. Ask for fewer rows with a condition or LIMIT, or raise 'maxRows'",
                self.max_rows
            );
            return Err(DatabaseError::new(DatabaseFault::TooManyRows, words).detail("maxRows", self.max_rows));
        }
        Ok(())
    }

    /// Hands the row on. Then [`room`] is waited for.
    pub(super) fn end(&mut self, sink: &mut dyn RowSink) -> Result<(), DatabaseError> {
        if self.heads.is_empty() {
            self.buffer.push(b'{');
        }
        self.buffer.push(b'}');
        self.count()?;
        // Only texts and what prints were written.
        let done = match std::str::from_utf8(&self.buffer) {
            Ok(row) => sink.row(row),
            Err(_) => Err(DatabaseError::new(DatabaseFault::Other, "A value is no text in UTF-8")),
        };
        self.buffer.clear();
        done
    }
}

/// Waits until whoever takes the rows has room for the next one; meanwhile the database sends no more than fits into the connection.
pub(super) async fn room(sink: &mut dyn RowSink) {
    std::future::poll_fn(|context| sink.poll_room(context)).await;
}

#[cfg(test)]
mod tests;
