//! Workbooks: xlsx, xls and ods are read as tables, xlsx is written.

mod area;
mod date;
mod fill;
mod grid;
mod guard;
mod open;
mod table;
mod write;

pub use area::{Area, column_name};
pub use fill::{FillOptions, Filled, OnMissing, fill};
pub use write::{CellType, Column, HeaderStyle, Rows, SheetRows, WriteOptions, write};

use crate::Error;
use serde_json::Value;

/// Most rows of a sheet, in the file format itself.
pub const MAX_ROWS: u32 = 1_048_576;
/// Most columns of a sheet.
pub const MAX_COLUMNS: u32 = 16_384;
/// Most characters of a cell, in UTF-16 units.
pub const MAX_CELL_CHARS: usize = 32_767;
/// Most cells with a value that are read from one workbook.
pub const MAX_CELLS: usize = 10_000_000;
/// Most bytes that the parts of a workbook may have when they are unpacked.
pub const MAX_UNPACKED: u64 = 1024 * 1024 * 1024;
/// Most bytes of the text that is made of a workbook.
pub const MAX_TEXT: usize = 512 * 1024 * 1024;

/// Which sheets are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The first one that is visible.
    First,
    /// Every one, also hidden ones.
    All,
    /// By name; by number from 1 when none has the name.
    Named(String),
}

/// How a workbook is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// The sheets.
    pub sheets: Choice,
    /// The part of the sheet; `None` = from its first to its last cell with a value.
    pub area: Option<Area>,
    /// The first row with a value names the columns.
    pub header: bool,
    /// Every cell of a merged region has its value, not only the first one.
    pub repeat_merged: bool,
}

impl ReadOptions {
    /// From `{sheet, all, range, header, repeatMerged}`.
    pub fn of(options: &Value) -> Result<Self, Error> {
        let text = |name: &str| options.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let flag = |name: &str, default| options.get(name).and_then(Value::as_bool).unwrap_or(default);
        let sheets = match text("sheet") {
            Some(name) => Choice::Named(name.to_owned()),
            None if flag("all", false) => Choice::All,
            None => Choice::First,
        };
        let area = text("range").map(Area::parse).transpose()?;
        Ok(Self { sheets, area, header: flag("header", true), repeat_merged: flag("repeatMerged", false) })
    }
}

/// Whether these are the first bytes of a workbook, readable or not: a ZIP or a compound file.
pub fn is_workbook(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK") || bytes.starts_with(&open::COMPOUND_FILE)
}

/// Reads a workbook: `{"format", "sheets": [names], "tables": [{"sheet", "columns", "rowCount", "errorCells", "rows"}]}` as compact JSON.
pub fn read(bytes: Vec<u8>, options: &ReadOptions) -> Result<String, Error> {
    open::read(bytes, options)
}

#[cfg(test)]
mod tests;
