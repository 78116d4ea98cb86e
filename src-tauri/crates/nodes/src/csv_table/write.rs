//! A list of objects becomes a CSV text that reads back as the same table.

use super::records::Records;
use super::{Layout, row_text};
use crate::formats::{MAX_BYTES, too_large};
use crate::support::kind_of;
use serde_json::Value;
use signalbox_model::data::{Piece, Read, Text};
use signalbox_model::{Data, NodeFailure};
use signalbox_ports::databases::Cell;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Deref;
use std::sync::Arc;

/// Writes a list of objects (or one object) as CSV; columns in order of first appearance. Null is an empty value, lists and objects
/// are JSON, numbers have a decimal point. Values are written as they are, also those that a spreadsheet would take for a formula.
pub(crate) fn format(value: &Value, layout: Layout, what: &str) -> Result<String, NodeFailure> {
    match value {
        Value::Array(list) => format_rows(|| list.iter(), layout, what),
        Value::Object(_) => format_rows(|| std::iter::once(value), layout, what),
        other => Err(not_rows(what, &format!("it is {}", kind_of(other)))),
    }
}

/// The same of a list or an object that is text; one row at a time is made into values.
pub(crate) fn format_text(text: &Text, layout: Layout, what: &str) -> Result<String, NodeFailure> {
    match text.read() {
        Read::List(list) => format_rows(|| list.entries().map(|(_, row)| Arc::new(row.value())), layout, what),
        _ => format(&text.value(), layout, what),
    }
}

/// The same of a list, whose text is given to `sink` piece by piece: it is not there as a whole.
pub(crate) fn write_text(
    list: &Piece<'_>,
    layout: Layout,
    what: &str,
    sink: &mut dyn FnMut(&str),
) -> Result<(), NodeFailure> {
    write_rows(|| list.entries().map(|(_, row)| Arc::new(row.value())), layout, what, sink)
}

/// The same of rows, which are gone through twice.
fn format_rows<R, I>(rows: impl Fn() -> I, layout: Layout, what: &str) -> Result<String, NodeFailure>
where
    R: Deref<Target = Value>,
    I: Iterator<Item = R>,
{
    let mut all = String::new();
    write_rows(rows, layout, what, &mut |piece| all.push_str(piece))?;
    Ok(all)
}

/// Text that is written before it is given on.
const PIECE: usize = 64 * 1024;

/// The same, piece by piece.
pub(crate) fn write_rows<R, I>(
    rows: impl Fn() -> I,
    layout: Layout,
    what: &str,
    sink: &mut dyn FnMut(&str),
) -> Result<(), NodeFailure>
where
    R: Deref<Target = Value>,
    I: Iterator<Item = R>,
{
    let (mut columns, mut count): (Vec<String>, usize) = (Vec::new(), 0);
    let mut seen = HashSet::new();
    for row in rows() {
        let Value::Object(map) = &*row else {
            return Err(not_rows(what, &format!("element [{count}] is {}", kind_of(&row))));
        };
        count += 1;
        for name in map.keys().filter(|name| !seen.contains(*name)).collect::<Vec<_>>() {
            seen.insert(name.clone());
            columns.push(name.clone());
        }
    }
    if columns.is_empty() {
        return Ok(());
    }
    if layout.header && columns.iter().any(|name| name.is_empty()) {
        return Err(not_rows(what, "a field has an empty name, which no header can hold"));
    }
    // Rows that have nothing in common make a table of mostly empty cells, each of them at least a separator.
    let cells = columns.len().saturating_mul(count);
    if cells > MAX_BYTES {
        return Err(too_large(&format!("{what} as a table of {} columns", columns.len()), cells as u64));
    }
    let mut out = Writer::new(layout);
    if layout.header {
        out.record(columns.iter().map(|name| Cow::Borrowed(name.as_str())), what)?;
    }
    for row in rows() {
        out.row(&columns, &row, what)?;
        if out.text.len() >= PIECE {
            sink(&out.text);
            out.text.clear();
        }
    }
    sink(&out.text);
    Ok(())
}

/// A table that is written piece by piece, with the columns of all rows.
pub(crate) struct TableText {
    columns: Vec<String>,
    /// The same as JSON writes them before a value.
    heads: Vec<String>,
    seen: HashSet<String>,
    layout: Layout,
    out: Writer,
    what: &'static str,
    begun: bool,
    /// Of the row that is written cell by cell: how many there are, and where it began.
    cells: usize,
    row_began: usize,
}

/// A table has no more columns.
const MOST_COLUMNS: usize = 16_384;

impl TableText {
    pub(crate) fn new(layout: Layout, what: &'static str) -> Self {
        let (columns, heads, seen, out) = (Vec::new(), Vec::new(), HashSet::new(), Writer::new(layout));
        Self { columns, heads, seen, layout, out, what, begun: false, cells: 0, row_began: 0 }
    }

    /// Looks at a row; all are looked at before the first one is written. Columns stand in the order of first appearance.
    pub(crate) fn look(&mut self, index: usize, row: &Data) -> Result<(), NodeFailure> {
        if let Data::Text(text) = row
            && row_text::has_no_other(text.text(), &self.heads)
        {
            return Ok(());
        }
        let row = row.value();
        let Value::Object(map) = &*row else {
            return Err(not_rows(self.what, &format!("item {} is {}", index + 1, kind_of(&row))));
        };
        map.keys().try_for_each(|name| self.column(name))
    }

    /// A column; one that is known already is left where it is.
    pub(crate) fn column(&mut self, name: &str) -> Result<(), NodeFailure> {
        if self.seen.contains(name) {
            return Ok(());
        }
        if self.layout.header && name.is_empty() {
            return Err(not_rows(self.what, "a field has an empty name, which no header can hold"));
        }
        self.seen.insert(name.to_owned());
        self.heads.push(row_text::head(name));
        self.columns.push(name.to_owned());
        if self.columns.len() > MOST_COLUMNS {
            let words = format!("{} would have more than {MOST_COLUMNS} columns", self.what);
            return Err(NodeFailure::validation("TOO_LARGE", words).detail("limit", MOST_COLUMNS));
        }
        Ok(())
    }

    /// Writes the header line, when it is wanted and not there yet.
    pub(crate) fn begin(&mut self) -> Result<(), NodeFailure> {
        if !self.begun && self.layout.header && !self.columns.is_empty() {
            self.out.record(self.columns.iter().map(|name| Cow::Borrowed(name.as_str())), self.what)?;
        }
        self.begun = true;
        Ok(())
    }

    /// Writes a row.
    pub(crate) fn row(&mut self, row: &Data) -> Result<(), NodeFailure> {
        match row {
            Data::Text(text) => self.written(text.text(), || text.value()),
            Data::Value(row) => {
                self.begin()?;
                self.out.row(&self.columns, row, self.what)
            }
        }
    }

    /// The same of compact JSON.
    pub(crate) fn row_text(&mut self, json: &str) -> Result<(), NodeFailure> {
        self.written(json, || Data::written(json.to_owned()).value())
    }

    fn written(&mut self, json: &str, values: impl FnOnce() -> Arc<Value>) -> Result<(), NodeFailure> {
        self.begin()?;
        let began = self.out.text.len();
        if let Some(done) = row_text::write(json, &self.heads, &mut self.out, self.what) {
            return done;
        }
        // It has other fields, or has them in another order.
        self.out.text.truncate(began);
        self.out.row(&self.columns, &values(), self.what)
    }

    /// The next cell of a row, in the order of the columns. [`Self::end_row`] ends the row.
    pub(crate) fn cell(&mut self, cell: Cell<'_>) -> Result<(), NodeFailure> {
        if self.cells == 0 {
            self.begin()?;
            self.row_began = self.out.text.len();
        }
        self.out.between(self.cells);
        self.cells += 1;
        match cell {
            Cell::Null => Ok(()),
            Cell::Text(text) => self.out.cell(text, self.what),
            Cell::Plain(text) => {
                self.out.plain(text);
                Ok(())
            }
            Cell::Json(json) => row_text::cell(json, &mut self.out, self.what)
                .unwrap_or_else(|| Err(not_rows(self.what, "a value is no JSON"))),
        }
    }

    /// Ends a row of cells; one without cells is no record.
    pub(crate) fn end_row(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        if cells > 0 {
            self.out.end(self.row_began, cells);
        }
    }

    /// Written records once more, with each cell changed. `None` when they cannot be read.
    pub(crate) fn changed(&self, text: &str, change: impl Fn(&str) -> Cow<'_, str>) -> Option<String> {
        let separator = self.layout.separator.unwrap_or(b',');
        let mut records = Records::new(text, 1, separator, b'"');
        let (mut fields, mut out) = (Vec::new(), Writer::new(self.layout));
        while records.next(&mut fields).ok()?.is_some() {
            let cells = fields.iter().map(|field| Cow::Owned(change(&field.value).into_owned()));
            out.record(cells, self.what).ok()?;
        }
        Some(out.text)
    }

    /// What was written since.
    pub(crate) fn take(&mut self) -> String {
        std::mem::take(&mut self.out.text)
    }

    /// How long that is.
    pub(crate) fn len(&self) -> usize {
        self.out.text.len()
    }
}

pub(super) struct Writer {
    text: String,
    separator: char,
}

impl Writer {
    fn new(layout: Layout) -> Self {
        Self { text: String::new(), separator: char::from(layout.separator.unwrap_or(b',')) }
    }

    fn row(&mut self, columns: &[String], row: &Value, what: &str) -> Result<(), NodeFailure> {
        if columns.is_empty() {
            return Ok(());
        }
        let cells = columns.iter().map(|name| match row.get(name) {
            None | Some(Value::Null) => Cow::Borrowed(""),
            Some(Value::String(text)) => Cow::Borrowed(text.as_str()),
            Some(other) => Cow::Owned(other.to_string()),
        });
        self.record(cells, what)
    }

    fn record<'a>(&mut self, cells: impl Iterator<Item = Cow<'a, str>>, what: &str) -> Result<(), NodeFailure> {
        let began = self.text.len();
        let mut count = 0;
        for cell in cells {
            self.between(count);
            count += 1;
            self.cell(&cell, what)?;
        }
        self.end(began, count);
        Ok(())
    }

    /// Before the cell with this place, from 0.
    pub(super) fn between(&mut self, place: usize) {
        if place > 0 {
            self.text.push(self.separator);
        }
    }

    pub(super) fn cell(&mut self, cell: &str, what: &str) -> Result<(), NodeFailure> {
        let marks = cell.bytes().fold(0, |marks, byte| marks | mark(byte));
        if marks & NUL != 0 {
            return Err(not_rows(what, "a value holds a NUL character, which no CSV text may hold"));
        }
        if marks & QUOTES == 0 && !needs_quotes_at_ends(cell) {
            self.text.push_str(cell);
            return Ok(());
        }
        self.text.push('"');
        for (at, part) in cell.split('"').enumerate() {
            if at > 0 {
                self.text.push_str("\"\"");
            }
            self.text.push_str(part);
        }
        self.text.push('"');
        Ok(())
    }

    /// A cell that needs no quotes, whatever stands in it.
    pub(super) fn plain(&mut self, cell: &str) {
        self.text.push_str(cell);
    }

    /// Behind the last cell of a record that began there.
    pub(super) fn end(&mut self, began: usize, count: usize) {
        if count == 1 && self.text.len() == began {
            // A blank line is no record.
            self.text.push_str("\"\"");
        }
        self.text.push('\n');
    }

    pub(super) fn length(&self) -> usize {
        self.text.len()
    }
}

const QUOTES: u8 = 1;
const NUL: u8 = 2;

/// What a byte means for its cell. Any separator, not only the one of this table, so that a reader that finds the separator out
/// finds this one.
fn mark(byte: u8) -> u8 {
    const MARKS: [u8; 256] = {
        let mut marks = [0; 256];
        marks[0] = NUL;
        let (mut at, quoted) = (0, b"\"\r\n,;\t|");
        while at < quoted.len() {
            marks[quoted[at] as usize] = QUOTES;
            at += 1;
        }
        marks
    };
    MARKS[usize::from(byte)]
}

/// Blanks at the ends, which readers take away; and what means something at the beginning of a text.
fn needs_quotes_at_ends(cell: &str) -> bool {
    let is_plain = |byte: Option<&u8>| byte.is_none_or(|byte| byte.is_ascii_graphic());
    let bytes = cell.as_bytes();
    if is_plain(bytes.first()) && is_plain(bytes.last()) {
        return cell.starts_with("sep=");
    }
    cell.starts_with("sep=")
        || cell.starts_with(char::is_whitespace)
        || cell.ends_with(char::is_whitespace)
        || cell.starts_with('\u{feff}')
}

fn not_rows(what: &str, why: &str) -> NodeFailure {
    NodeFailure::validation("SCHEMA_MISMATCH", format!("{what} cannot become CSV: {why}; a list of objects is needed"))
}
