//! What a workbook would become, found out before it is unpacked.

use super::{MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_UNPACKED};
use crate::Error;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::io::{BufReader, Cursor};
use zip::ZipArchive;

/// Most parts of a workbook.
const MAX_PARTS: usize = 10_000;

/// Refuses a ZIP that says of itself that it is too large.
pub(super) fn sizes(archive: &ZipArchive<Cursor<&[u8]>>) -> Result<(), Error> {
    if archive.len() > MAX_PARTS {
        let words = format!("The spreadsheet has {} parts, more than {MAX_PARTS}", archive.len());
        return Err(Error::too_large(words, MAX_PARTS as u64));
    }
    let mut total = 0_u64;
    for index in 0..archive.len() {
        let entry = archive.by_index_data(index).map_err(|error| damaged(&error.to_string()))?;
        total = total.saturating_add(entry.size());
    }
    if total > MAX_UNPACKED {
        let words = format!(
            "The spreadsheet would have {total} bytes when it is unpacked, more than the limit of {} MiB",
            MAX_UNPACKED >> 20
        );
        return Err(Error::too_large(words, MAX_UNPACKED).detail("size", total));
    }
    Ok(())
}

pub(super) fn damaged(why: &str) -> Error {
    let why: String = why.chars().take(200).collect();
    Error::new("BAD_SPREADSHEET", format!("The spreadsheet cannot be read: {why}"))
}

/// An ods file may repeat a cell a million times. Refuses what would become more cells than are read; the library
/// makes them all.
pub(super) fn repeated_cells(archive: &mut ZipArchive<Cursor<&[u8]>>) -> Result<(), Error> {
    let content = archive.by_name("content.xml").map_err(|error| damaged(&error.to_string()))?;
    let mut reader = Reader::from_reader(BufReader::new(content.take_at_most()));
    reader.config_mut().check_end_names = false;
    let mut buffer = Vec::new();
    let mut sheet = Sheet::default();
    let mut total = 0_u64;
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(|error| damaged(&error.to_string()))? {
            Event::Start(start) | Event::Empty(start) => sheet.tag(&start),
            Event::End(end) if end.name().as_ref() == "table:table" => {
                total = total.saturating_add(std::mem::take(&mut sheet).cells());
            }
            Event::Eof => break,
            _ => {}
        }
        if total.saturating_add(sheet.cells()) > MAX_CELLS as u64 {
            let words = format!(
                "The sheets would have more than {MAX_CELLS} cells, with those that are said to be repeated. Remove cells far from the table"
            );
            return Err(Error::too_large(words, MAX_CELLS as u64));
        }
    }
    Ok(())
}

/// The size of one sheet so far.
#[derive(Default)]
struct Sheet {
    /// Cells that the library keeps before it repeats rows.
    kept: u64,
    /// Rows down to the last one with a value.
    rows: u64,
    /// Columns up to the last one with a value.
    width: u64,
    /// Rows so far.
    all_rows: u64,
    row_repeats: u64,
    column: u64,
}

impl Sheet {
    fn tag(&mut self, start: &BytesStart<'_>) {
        let count = |name: &str, most: u32| {
            let said = start.try_get_attribute(name).ok().flatten().and_then(|value| value.value.parse::<u64>().ok());
            said.unwrap_or(1).clamp(1, u64::from(most))
        };
        match start.name().as_ref() {
            "table:table-row" => {
                self.row_repeats = count("table:number-rows-repeated", MAX_ROWS);
                self.all_rows = self.all_rows.saturating_add(self.row_repeats).min(u64::from(MAX_ROWS));
                self.column = 0;
            }
            "table:table-cell" | "table:covered-table-cell" => {
                self.column =
                    (self.column + count("table:number-columns-repeated", MAX_COLUMNS)).min(MAX_COLUMNS.into());
                let has_value =
                    start.attributes().flatten().any(|attribute| attribute.key.as_ref().ends_with("value-type"));
                if has_value {
                    self.kept = self.kept.saturating_add(self.column);
                    self.width = self.width.max(self.column);
                    self.rows = self.all_rows;
                }
            }
            _ => {}
        }
    }

    fn cells(&self) -> u64 {
        self.rows.saturating_mul(self.width).max(self.kept / 2)
    }
}

/// A part is read to its limit, whatever the file says of its size.
trait TakeAtMost: std::io::Read + Sized {
    fn take_at_most(self) -> std::io::Take<Self> {
        self.take(MAX_UNPACKED)
    }
}

impl<R: std::io::Read> TakeAtMost for R {}
