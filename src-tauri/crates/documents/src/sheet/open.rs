//! Which file it is, and its cells.

use super::date::iso;
use super::grid::{CellValue, Grid};
use super::guard::{damaged, repeated_cells, sizes};
use super::{Choice, MAX_TEXT, ReadOptions, table};
use crate::Error;
use crate::sheet::grid::{quote, too_much_text};
use calamine::{
    Data, DataRef, Dimensions, Ods, OdsError, Range, Reader, Sheet, SheetType, SheetVisible, Xls, XlsError, Xlsx,
    XlsxError,
};
use std::io::Cursor;
use zip::ZipArchive;

/// How a compound file begins: xls, and everything that Office encrypts.
pub(super) const COMPOUND_FILE: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

pub(super) fn read(bytes: Vec<u8>, options: &ReadOptions) -> Result<String, Error> {
    if bytes.starts_with(&COMPOUND_FILE) {
        if is_encrypted(&bytes) {
            return Err(encrypted());
        }
        return read_book(Book::Xls(Box::new(Xls::new(Cursor::new(bytes)).map_err(xls_failure)?)), options);
    }
    if !bytes.starts_with(b"PK") {
        let words = "This is no xlsx, xls or ods file. Is it another file with the name of a spreadsheet?";
        return Err(Error::new("UNKNOWN_FORMAT", words));
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes.as_slice())).map_err(|error| damaged(&error.to_string()))?;
    sizes(&archive)?;
    let has = |name: &str| archive.index_for_name(name).is_some();
    if has("xl/workbook.xml") || (has("[Content_Types].xml") && has("_rels/.rels") && !has("word/document.xml")) {
        return read_book(Book::Xlsx(Box::new(Xlsx::new(Cursor::new(bytes)).map_err(xlsx_failure)?)), options);
    }
    if has("content.xml") && has("mimetype") {
        repeated_cells(&mut archive)?;
        return read_book(Book::Ods(Box::new(Ods::new(Cursor::new(bytes)).map_err(ods_failure)?)), options);
    }
    let words =
        "This is a ZIP file without a workbook of xlsx or ods in it. Unpack it first if the spreadsheet is inside";
    Err(Error::new("UNKNOWN_FORMAT", words))
}

enum Book {
    Xlsx(Box<Xlsx<Cursor<Vec<u8>>>>),
    Xls(Box<Xls<Cursor<Vec<u8>>>>),
    Ods(Box<Ods<Cursor<Vec<u8>>>>),
}

impl Book {
    fn format(&self) -> &'static str {
        match self {
            Self::Xlsx(_) => "xlsx",
            Self::Xls(_) => "xls",
            Self::Ods(_) => "ods",
        }
    }

    /// Sheets with cells: no charts, no dialogs.
    fn sheets(&self) -> Vec<Sheet> {
        let all = match self {
            Self::Xlsx(book) => book.sheets_metadata(),
            Self::Xls(book) => book.sheets_metadata(),
            Self::Ods(book) => book.sheets_metadata(),
        };
        all.iter().filter(|sheet| sheet.typ == SheetType::WorkSheet).cloned().collect()
    }

    fn grid(&mut self, name: &str, options: &ReadOptions) -> Result<Grid, Error> {
        let mut grid = Grid::default();
        let merged: Vec<Dimensions> = match self {
            Self::Xlsx(book) => {
                let merged = if options.repeat_merged {
                    book.merge_cells_by_sheet_name(name).map_err(xlsx_failure)?
                } else {
                    Vec::new()
                };
                let is_1904 = book.has_1904_epoch();
                let mut cells = book.worksheet_cells_reader(name).map_err(xlsx_failure)?;
                while let Some(cell) = cells.next_cell().map_err(xlsx_failure)? {
                    let (row, column) = cell.get_position();
                    put_ref(&mut grid, row, column, cell.get_value(), is_1904)?;
                }
                merged
            }
            Self::Xls(book) => {
                let range = book.worksheet_range(name).map_err(xls_failure)?;
                put_range(&mut grid, &range, book.has_1904_epoch())?;
                if options.repeat_merged {
                    book.merge_cells_by_sheet_name(name).map_err(xls_failure)?
                } else {
                    Vec::new()
                }
            }
            Self::Ods(book) => {
                let range = book.worksheet_range(name).map_err(ods_failure)?;
                put_range(&mut grid, &range, false)?;
                Vec::new()
            }
        };
        grid.repeat(merged.iter().map(|region| ((region.start.0, region.end.0), (region.start.1, region.end.1))))?;
        Ok(grid)
    }
}

fn read_book(mut book: Book, options: &ReadOptions) -> Result<String, Error> {
    let sheets = book.sheets();
    let wanted: Vec<String> = match &options.sheets {
        Choice::All => sheets.iter().map(|sheet| sheet.name.clone()).collect(),
        Choice::First => {
            let first = sheets.iter().find(|sheet| sheet.visible == SheetVisible::Visible).or(sheets.first());
            vec![first.ok_or_else(|| missing("The spreadsheet has no sheet with cells", &sheets))?.name.clone()]
        }
        Choice::Named(name) => vec![named(name, &sheets)?],
    };
    let mut out = format!("{{\"format\":\"{}\",\"sheets\":[", book.format());
    for (index, sheet) in sheets.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        quote(&sheet.name, &mut out);
    }
    out.push_str("],\"tables\":[");
    for (index, name) in wanted.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        let mut grid = book.grid(name, options)?;
        table::append(name, &mut grid, options, &mut out)?;
        if out.len() > MAX_TEXT {
            return Err(too_much_text());
        }
    }
    out.push_str("]}");
    Ok(out)
}

/// The sheet of a name, by its case or not; else of a number from 1.
fn named(wanted: &str, sheets: &[Sheet]) -> Result<String, Error> {
    let exact = sheets.iter().find(|sheet| sheet.name == wanted);
    let folded = || sheets.iter().find(|sheet| sheet.name.to_lowercase() == wanted.to_lowercase());
    let number = || wanted.trim().parse::<usize>().ok()?.checked_sub(1).and_then(|index| sheets.get(index));
    match exact.or_else(folded).or_else(number) {
        Some(sheet) => Ok(sheet.name.clone()),
        None => Err(missing(&format!("There is no sheet '{}'", wanted.chars().take(60).collect::<String>()), sheets)),
    }
}

fn missing(words: &str, sheets: &[Sheet]) -> Error {
    let names: Vec<&str> = sheets.iter().take(20).map(|sheet| sheet.name.as_str()).collect();
    let there = if names.is_empty() { String::new() } else { format!(". There are: {}", names.join(", ")) };
    Error::new("SHEET_MISSING", format!("{words}{there}")).detail("sheets", names)
}

fn put_range(grid: &mut Grid, range: &Range<Data>, is_1904: bool) -> Result<(), Error> {
    let Some((first_row, first_column)) = range.start() else { return Ok(()) };
    for (row, column, value) in range.used_cells() {
        let place = |index: usize, first: u32| u32::try_from(index).unwrap_or(u32::MAX).saturating_add(first);
        let (row, column) = (place(row, first_row), place(column, first_column));
        put_ref(grid, row, column, &borrowed(value), is_1904)?;
    }
    Ok(())
}

fn borrowed(value: &Data) -> DataRef<'_> {
    match value {
        Data::Empty => DataRef::Empty,
        Data::Int(number) => DataRef::Int(*number),
        Data::Float(number) => DataRef::Float(*number),
        Data::Bool(flag) => DataRef::Bool(*flag),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => DataRef::SharedString(text),
        Data::DateTime(date) => DataRef::DateTime(*date),
        Data::Error(error) => DataRef::Error(error.clone()),
    }
}

fn put_ref(grid: &mut Grid, row: u32, column: u32, value: &DataRef<'_>, is_1904: bool) -> Result<(), Error> {
    let value = match value {
        DataRef::Empty => return Ok(()),
        DataRef::String(text) if text.is_empty() => return Ok(()),
        DataRef::SharedString("") => return Ok(()),
        DataRef::Int(number) => CellValue::Whole(*number),
        DataRef::Float(number) => CellValue::Number(*number),
        DataRef::Bool(flag) => CellValue::Bool(*flag),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => CellValue::Text(text),
        DataRef::SharedString(text) => CellValue::Text(text),
        DataRef::DateTime(date) => match iso(date, is_1904) {
            Some(text) => return grid.push(row, column, &CellValue::Text(&text)),
            None => CellValue::Number(date.as_f64()),
        },
        DataRef::Error(error) => {
            let text = error.to_string();
            grid.push(row, column, &CellValue::Text(&text))?;
            grid.errors.push((row, column, text));
            return Ok(());
        }
    };
    grid.push(row, column, &value)
}

/// A compound file that holds an encrypted package instead of a workbook: its folder names that stream in UTF-16.
pub(super) fn is_encrypted(bytes: &[u8]) -> bool {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.windows(name.len()).any(|window| window == name)
}

pub(super) fn encrypted() -> Error {
    Error::new(
        "ENCRYPTED",
        "The spreadsheet is protected by a password. Save it without a password, and read that file",
    )
}

fn xlsx_failure(error: XlsxError) -> Error {
    match error {
        XlsxError::Password => encrypted(),
        other => damaged(&other.to_string()),
    }
}

fn xls_failure(error: XlsError) -> Error {
    match error {
        XlsError::Password => encrypted(),
        other => damaged(&other.to_string()),
    }
}

fn ods_failure(error: OdsError) -> Error {
    match error {
        OdsError::Password => encrypted(),
        OdsError::CellLimitExceeded { requested, max } => {
            Error::too_large(format!("The sheet would have {requested} cells"), max as u64)
        }
        other => damaged(&other.to_string()),
    }
}
