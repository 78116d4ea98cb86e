//! A CSV table that is read piece by piece: a row is there at a time, and the text of it that was not looked at yet.

use super::read::{Columns, append_row, bad_csv, check_width, foreign, foreign_sign, header, numbered};
use super::records::{Malformed, Records};
use super::{Layout, separator};
use crate::formats::{MAX_BYTES, too_large, without_bom};
use serde_json::Value;
use signalbox_model::NodeFailure;

/// Reads the rows of a table. What [`super::read`] accepts it accepts, and with the same rows.
pub(crate) struct RowReader {
    layout: Layout,
    what: String,
    /// Text that was not read yet.
    pending: String,
    table: Option<Table>,
    line: u64,
    /// So much of it is needed to find out how it is written.
    pub(super) first: usize,
}

/// Bytes behind its place that an error shows at most.
const SHOWN: usize = 80;
/// [`RowReader::first`].
const FIRST: usize = 64 * 1024;

/// What is known when the first record was seen.
struct Table {
    separator: u8,
    quote: u8,
    columns: Columns,
    /// The names as JSON.
    names: Vec<String>,
    first: u64,
    foreign: Option<(char, usize)>,
    count: usize,
}

impl RowReader {
    /// `what` names the text in messages.
    pub(crate) fn new(layout: Layout, what: &str) -> Self {
        Self { layout, what: what.to_owned(), pending: String::new(), table: None, line: 1, first: FIRST }
    }

    /// Reads on; `is_last` says that nothing follows. Each row is given as compact JSON.
    pub(crate) fn take(&mut self, text: &str, is_last: bool, row: &mut dyn FnMut(String)) -> Result<(), NodeFailure> {
        let begins = self.pending.is_empty() && self.table.is_none();
        self.pending.push_str(if begins { without_bom(text) } else { text });
        let pending = std::mem::take(&mut self.pending);
        let read = self.read(&pending, is_last, row).map_err(|bad| bad_csv(&bad, &self.what))?;
        // A record that is not complete; what is longer than a whole text may be is none.
        if pending.len() - read > MAX_BYTES {
            return Err(too_large(&format!("One row of {}", self.what), (pending.len() - read) as u64));
        }
        pending.get(read..).unwrap_or_default().clone_into(&mut self.pending);
        Ok(())
    }

    /// How many bytes were read.
    fn read(&mut self, text: &str, is_last: bool, row: &mut dyn FnMut(String)) -> Result<usize, Malformed> {
        let mut fields = Vec::new();
        let mut skipped = 0;
        if self.table.is_none() {
            if !is_last && text.len() < self.first {
                return Ok(0);
            }
            let found = separator::find(text, self.layout.separator, self.layout.quote)?;
            let mut records = Records::new(&text[found.skip..], found.line, found.separator, found.quote);
            let first = records.next(&mut fields);
            if !is_last && (records.is_at_end() || first.is_err() && records.left() < SHOWN) {
                return Ok(0);
            }
            let Some(first) = first? else { return Ok(text.len()) };
            let columns =
                if self.layout.header { header(&fields, first, found.separator)? } else { numbered(fields.len()) };
            let names = columns.names.iter().map(|name| Value::from(name.as_str()).to_string()).collect();
            (skipped, self.line) = (found.skip, found.line);
            if self.layout.header {
                (skipped, self.line) = (found.skip + records.at(), records.line());
            }
            let foreign = foreign(&fields);
            let (separator, quote) = (found.separator, found.quote);
            self.table = Some(Table { separator, quote, columns, names, first, foreign, count: 0 });
        }
        let Some(table) = &mut self.table else { return Ok(0) };
        let mut records = Records::new(&text[skipped..], self.line, table.separator, table.quote);
        let mut read = (0, self.line);
        loop {
            let next = records.next(&mut fields);
            // What comes may belong to it, or to what an error shows of the text.
            if !is_last && (records.is_at_end() || next.is_err() && records.left() < SHOWN) {
                break;
            }
            let Some(line) = next? else {
                read = (records.at(), records.line());
                break;
            };
            check_width(&fields, line, &table.columns, table.separator)?;
            table.foreign = table.foreign.filter(|(sign, times)| fields[0].value.matches(*sign).count() == *times);
            table.count += 1;
            let mut out = String::new();
            append_row(&table.names, &fields, &mut out);
            row(out);
            read = (records.at(), records.line());
        }
        self.line = read.1;
        if is_last && let Some((sign, _)) = table.foreign.filter(|_| table.count > 0) {
            return Err(foreign_sign(sign, table.first));
        }
        Ok(skipped + read.0)
    }
}
