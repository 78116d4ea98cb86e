//! The cells of one sheet as JSON, kept in one text: 16 bytes a cell beside its value.

use super::{MAX_CELLS, MAX_TEXT};
use crate::Error;
use serde_json::Value;

/// A cell with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) row: u32,
    pub(super) column: u32,
    start: u32,
    end: u32,
}

/// An error in a cell: row, column, its text.
pub(super) type CellError = (u32, u32, String);

/// First and last row, first and last column.
pub(super) type Region = ((u32, u32), (u32, u32));

/// The cells that have a value.
#[derive(Debug, Default)]
pub(super) struct Grid {
    text: String,
    cells: Vec<Cell>,
    /// Cells whose value is an error.
    pub(super) errors: Vec<CellError>,
    /// Whether a cell is before one that came earlier.
    unordered: bool,
}

/// A value of a cell.
pub(super) enum CellValue<'a> {
    Text(&'a str),
    Number(f64),
    Whole(i64),
    Bool(bool),
}

impl Grid {
    pub(super) fn push(&mut self, row: u32, column: u32, value: &CellValue<'_>) -> Result<(), Error> {
        let start = self.text.len();
        match value {
            CellValue::Text(text) => quote(text, &mut self.text),
            CellValue::Number(number) => append_number(*number, &mut self.text),
            CellValue::Whole(number) => self.text.push_str(&number.to_string()),
            CellValue::Bool(flag) => self.text.push_str(if *flag { "true" } else { "false" }),
        }
        self.add(row, column, start)
    }

    fn add(&mut self, row: u32, column: u32, start: usize) -> Result<(), Error> {
        self.check_count()?;
        if self.text.len() > MAX_TEXT {
            return Err(too_much_text());
        }
        if let Some(last) = self.cells.last() {
            self.unordered |= (row, column) <= (last.row, last.column);
        }
        // Below 4 GiB, as was just checked.
        let (start, end) =
            (u32::try_from(start).unwrap_or_default(), u32::try_from(self.text.len()).unwrap_or_default());
        self.cells.push(Cell { row, column, start, end });
        Ok(())
    }

    /// Gives the value of the first cell of each region, as its rows and columns, to all others in it; those are empty.
    pub(super) fn repeat(&mut self, regions: impl Iterator<Item = Region>) -> Result<(), Error> {
        self.sort();
        let value = |(rows, columns): Region| {
            let at = self.cells.binary_search_by_key(&(rows.0, columns.0), |cell| (cell.row, cell.column)).ok()?;
            Some((*self.cells.get(at)?, rows, columns))
        };
        let found: Vec<_> = regions.filter_map(value).collect();
        for (first, rows, columns) in found {
            for row in rows.0..=rows.1 {
                for column in columns.0..=columns.1 {
                    if (row, column) == (first.row, first.column) {
                        continue;
                    }
                    self.check_count()?;
                    self.unordered = true;
                    self.cells.push(Cell { row, column, ..first });
                }
            }
        }
        Ok(())
    }

    fn check_count(&self) -> Result<(), Error> {
        if self.cells.len() < MAX_CELLS {
            return Ok(());
        }
        let words = format!("The sheet has more than {MAX_CELLS} cells with a value. Set a range, or split the sheet");
        Err(Error::too_large(words, MAX_CELLS as u64))
    }

    /// Puts the cells in order. Of two at one place the last one counts.
    pub(super) fn sort(&mut self) {
        if !self.unordered {
            return;
        }
        self.cells.sort_by_key(|cell| (cell.row, cell.column));
        let mut kept: Vec<Cell> = Vec::with_capacity(self.cells.len());
        for cell in &self.cells {
            match kept.last_mut() {
                Some(last) if (last.row, last.column) == (cell.row, cell.column) => *last = *cell,
                _ => kept.push(*cell),
            }
        }
        self.cells = kept;
        self.unordered = false;
    }

    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The JSON of a cell.
    pub(super) fn json(&self, cell: &Cell) -> &str {
        self.text.get(cell.start as usize..cell.end as usize).unwrap_or("null")
    }

    /// The value of a cell as text.
    pub(super) fn plain(&self, cell: &Cell) -> String {
        match serde_json::from_str(self.json(cell)) {
            Ok(Value::String(text)) => text,
            _ => self.json(cell).to_owned(),
        }
    }
}

pub(super) fn too_much_text() -> Error {
    let words =
        format!("The cells would take more than {} MiB as text. Set a range, or split the sheet", MAX_TEXT >> 20);
    Error::too_large(words, MAX_TEXT as u64)
}

/// A whole number without a point; others with the fewest digits that are the same number.
fn append_number(number: f64, out: &mut String) {
    if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number that 53 bits hold")]
        let whole = number as i64;
        out.push_str(&whole.to_string());
    } else {
        // What is no number in JSON is null.
        out.push_str(&serde_json::to_string(&number).unwrap_or_else(|_| "null".into()));
    }
}

/// A text as JSON writes it.
pub(super) fn quote(text: &str, out: &mut String) {
    if text.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)) {
        out.push_str(&Value::from(text).to_string());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}
