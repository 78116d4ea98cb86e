//! Rows of record batches as lines of JSON.

use crate::cells::Cells;
use crate::failure::{Trouble, too_large};
use crate::form::Form;
use crate::names::heads;
use crate::{MAX_ROW, ReadOptions, RowSink};
use arrow_array::{Array as _, ArrayRef};
use signalbox_documents::Error;

/// Text that is handed on at once.
const PIECE: usize = 256 * 1024;

/// Columns that become members of a row.
pub(crate) struct Columns {
    /// Where each of them is in a batch.
    places: Vec<usize>,
    names: Vec<String>,
    /// `{"name":` and `,"name":`.
    heads: Vec<Vec<u8>>,
    forms: Vec<Form>,
}

impl Columns {
    /// `places` and `forms` have an entry for each name.
    pub(crate) fn new(names: Vec<String>, places: Vec<usize>, forms: Vec<Form>) -> Self {
        let heads = heads(&names);
        Self { places, names, heads, forms }
    }
}

/// Writes rows, without those before the offset and after the limit.
pub(crate) struct RowWriter<'a, 'b> {
    sink: &'a mut RowSink<'b>,
    text: Vec<u8>,
    pending: u64,
    /// The row that comes next, from 0.
    at: u64,
    first: u64,
    end: u64,
}

impl<'a, 'b> RowWriter<'a, 'b> {
    pub(crate) fn new(options: &ReadOptions, sink: &'a mut RowSink<'b>) -> Self {
        let end = options.limit.map_or(u64::MAX, |limit| options.offset.saturating_add(limit));
        Self { sink, text: Vec::new(), pending: 0, at: 0, first: options.offset, end }
    }

    /// Whether none of so many rows that come next is wanted.
    pub(crate) fn passes(&self, rows: u64) -> bool {
        self.at.saturating_add(rows) <= self.first || self.is_done()
    }

    /// Passes over rows that are not read.
    pub(crate) fn pass(&mut self, rows: u64) {
        self.at = self.at.saturating_add(rows);
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at >= self.end
    }

    /// How many rows there were so far.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Writes the rows of a batch.
    pub(crate) fn batch(&mut self, columns: &Columns, arrays: &[ArrayRef], rows: usize) -> Result<(), Error> {
        let mut cells = Vec::with_capacity(columns.places.len());
        for ((place, form), name) in columns.places.iter().zip(&columns.forms).zip(&columns.names) {
            let array = arrays.get(*place).filter(|array| array.len() >= rows);
            let made = array.ok_or_else(|| Trouble::new("UNSUPPORTED_TYPE", "is missing in a part of the file"));
            cells.push(made.and_then(|array| Cells::of(array, form)).map_err(|trouble| trouble.of_column(name, None))?);
        }
        let skipped = usize::try_from(self.first.saturating_sub(self.at)).unwrap_or(usize::MAX).min(rows);
        self.at += skipped as u64;
        for row in skipped..rows {
            if self.is_done() {
                break;
            }
            self.row(columns, &cells, row)?;
        }
        Ok(())
    }

    fn row(&mut self, columns: &Columns, cells: &[Cells], row: usize) -> Result<(), Error> {
        let before = self.text.len();
        if cells.is_empty() {
            self.text.push(b'{');
        }
        for ((head, cells), name) in columns.heads.iter().zip(cells).zip(&columns.names) {
            self.text.extend_from_slice(head);
            cells.append(row, &mut self.text).map_err(|trouble| trouble.of_column(name, Some(self.at + 1)))?;
            if self.text.len() - before > MAX_ROW {
                let words = format!(
                    "Row {} has more than {} MiB of text with the column '{name}'. Choose fewer columns",
                    self.at + 1,
                    MAX_ROW >> 20
                );
                return Err(too_large(words, MAX_ROW as u64)
                    .detail("row", self.at + 1)
                    .detail("column", name.as_str()));
            }
        }
        self.text.extend_from_slice(b"}\n");
        self.at += 1;
        self.pending += 1;
        if self.text.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        if self.pending == 0 {
            return Ok(());
        }
        // Texts of arrays are checked, and all else is digits and signs.
        let text =
            std::str::from_utf8(&self.text).map_err(|_| Error::new("BAD_PARQUET", "A value is no text in UTF-8"))?;
        (self.sink)(text, self.pending)?;
        self.text.clear();
        self.pending = 0;
        Ok(())
    }

    /// Hands on what is left.
    pub(crate) fn end(mut self) -> Result<(), Error> {
        self.flush()
    }
}
