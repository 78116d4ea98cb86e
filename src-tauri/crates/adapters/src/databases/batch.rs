//! Rows of a write in batches: each has the same columns, no key twice, and fits into one statement.

use serde_json::Value;
use signalbox_ports::databases::{DatabaseError, RowSource, SqlValue, WriteRow};
use std::borrow::Cow;
use std::collections::HashSet;

/// Placeholders of one statement; PostgreSQL and MySQL take 65,535, SQLite 32,766.
const MOST_VALUES: usize = 30_000;
/// Text of the values of one statement, bytes. A server of MySQL takes packets of 16 MiB and more.
const MOST_BYTES: usize = 1 << 20;

/// Reads batches.
pub(super) struct Batches<'a> {
    rows: &'a mut dyn RowSource,
    /// The row that did not fit into the last one.
    next: Option<WriteRow>,
    most: usize,
    /// Columns of which two rows of a batch must differ.
    distinct: Vec<String>,
}

/// A rough size of a value.
fn size(value: &SqlValue) -> usize {
    match value {
        SqlValue::Bytes(bytes) => bytes.len() * 2,
        SqlValue::Json(Value::String(text)) => text.len(),
        SqlValue::Json(Value::Array(_) | Value::Object(_)) => 256,
        SqlValue::Json(_) => 8,
    }
}

impl<'a> Batches<'a> {
    pub(super) fn new(rows: &'a mut dyn RowSource, most: usize, distinct: &[String]) -> Self {
        Self { rows, next: None, most: most.max(1), distinct: distinct.to_vec() }
    }

    /// The next batch; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Vec<WriteRow>>, DatabaseError> {
        let mut batch: Vec<WriteRow> = Vec::new();
        let (mut values, mut bytes, mut seen) = (0, 0, HashSet::new());
        while batch.len() < self.most {
            let Some(row) = self.next.take().map_or_else(|| self.rows.next(), |row| Ok(Some(row)))? else { break };
            let same = batch.first().is_none_or(|first| first.columns == row.columns);
            bytes += row.values.iter().map(size).sum::<usize>();
            values += row.values.len();
            let fits = same && (batch.is_empty() || (values <= MOST_VALUES && bytes <= MOST_BYTES));
            if !fits || (!self.distinct.is_empty() && !seen.insert(self.key(&row))) {
                self.next = Some(row);
                break;
            }
            batch.push(row);
        }
        Ok((!batch.is_empty()).then_some(batch))
    }

    /// The same for the same values only: each begins with its kind and its length.
    fn key(&self, row: &WriteRow) -> Vec<u8> {
        let mut key = Vec::new();
        for name in &self.distinct {
            let value = row.columns.iter().position(|column| column == name).and_then(|at| row.values.get(at));
            let (kind, text) = match value {
                None => (0_u8, Cow::default()),
                Some(SqlValue::Json(Value::String(text))) => (1, Cow::Borrowed(text.as_bytes())),
                Some(SqlValue::Json(value)) => (2, Cow::Owned(value.to_string().into_bytes())),
                Some(SqlValue::Bytes(bytes)) => (3, Cow::Borrowed(bytes.as_slice())),
            };
            key.push(kind);
            key.extend_from_slice(&text.len().to_le_bytes());
            key.extend_from_slice(&text);
        }
        key
    }
}

#[cfg(test)]
mod tests;
