//! Tables become an xlsx file.

use super::date::{Serial, serial};
use super::{MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROWS, column_name};
use crate::Error;
use rust_xlsxwriter::{Color, DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// From so many rows on a sheet is long.
const LONG: usize = 2_000;

/// Widths of columns that are measured: so many rows are looked at.
const MEASURED: usize = 1_000;
/// Narrowest and widest measured column, in characters.
const WIDTHS: (usize, usize) = (8, 60);
/// The widest column of the format, in characters.
const MAX_WIDTH: f64 = 255.0;
/// Largest whole number that a cell keeps exactly.
const MAX_WHOLE: u64 = 1 << 53;
/// Most characters of the name of a sheet.
const MAX_NAME: usize = 31;

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CellType {
    /// By the value: numbers, true and false, dates in ISO 8601, text.
    #[default]
    Auto,
    /// Text, whatever it looks like.
    Text,
    /// A number; a text that is written like one becomes one.
    Number,
    /// A date; a text that is no date in ISO 8601 is an error.
    Date,
}

/// A column that was named.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// The field of the rows.
    pub field: String,
    /// What the header says instead of the field.
    pub title: Option<String>,
    /// In characters; `None` = measured.
    pub width: Option<f64>,
    /// What its cells are.
    pub kind: CellType,
    /// A number format of spreadsheets, like `#,##0.00`.
    pub format: Option<String>,
}

/// How the first row looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeaderStyle {
    /// Bold.
    #[default]
    Bold,
    /// Bold on grey.
    Filled,
    /// As the other rows.
    Plain,
}

/// How a workbook is written.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteOptions {
    /// The columns and their order; empty = all fields, in order of first appearance.
    pub columns: Vec<Column>,
    /// The first row names the columns.
    pub header: bool,
    /// How that row looks.
    pub header_style: HeaderStyle,
    /// Texts that are dates in ISO 8601 become dates.
    pub dates: bool,
    /// Texts that begin with `=` become formulas. Else nothing is ever a formula.
    pub formulas: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        let header_style = HeaderStyle::default();
        Self { columns: Vec::new(), header: true, header_style, dates: true, formulas: false }
    }
}

/// The rows of one sheet.
#[derive(Debug)]
pub struct SheetRows<'a> {
    /// Its name.
    pub name: String,
    /// Objects.
    pub rows: Rows<'a>,
}

/// Rows that are there, or that are made when they are written, one after the other: values of many take ten times their text.
pub enum Rows<'a> {
    /// They are there.
    Values(Vec<&'a Value>),
    /// So many, and each by its place.
    Made(usize, Box<dyn Fn(usize) -> Arc<Value> + 'a>),
}

/// Looks at a row: its place, and its fields where it is an object.
type Look<'a> = dyn FnMut(usize, Option<&Map<String, Value>>) -> Result<(), Error> + 'a;

impl Rows<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Values(rows) => rows.len(),
            Self::Made(count, _) => *count,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Looks at each object in order; nothing where there is none.
    fn each(&self, most: usize, look: &mut Look<'_>) -> Result<(), Error> {
        match self {
            Self::Values(rows) => {
                rows.iter().take(most).enumerate().try_for_each(|(index, row)| look(index, row.as_object()))
            }
            Self::Made(count, row) => (0..most.min(*count)).try_for_each(|index| look(index, row(index).as_object())),
        }
    }
}

impl fmt::Debug for Rows<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} rows", self.len())
    }
}

impl<'a> FromIterator<&'a Value> for Rows<'a> {
    fn from_iter<T: IntoIterator<Item = &'a Value>>(rows: T) -> Self {
        Self::Values(rows.into_iter().collect())
    }
}

/// Writes a workbook.
pub fn write(sheets: &[SheetRows<'_>], options: &WriteOptions) -> Result<Vec<u8>, Error> {
    check_names(sheets)?;
    let mut book = Workbook::new();
    // The same rows give the same file.
    let made = ExcelDateTime::from_ymd(2000, 1, 1).map_err(failure)?;
    book.set_properties(&DocProperties::new().set_creation_datetime(&made));
    for sheet in sheets {
        // Of a long sheet the cells lie in a file without a name: in memory each takes some hundred bytes.
        let mut worksheet = if sheet.rows.len() < LONG {
            Worksheet::new()
        } else {
            book.new_worksheet_with_constant_memory().map_err(failure)?
        };
        worksheet.set_name(&sheet.name).map_err(failure)?;
        Writer::new(sheet, options)?.write(&mut worksheet)?;
        book.push_worksheet(worksheet);
    }
    book.save_to_buffer().map_err(failure)
}

fn check_names(sheets: &[SheetRows<'_>]) -> Result<(), Error> {
    let mut known = HashSet::new();
    for SheetRows { name, .. } in sheets {
        let why = if name.trim().is_empty() {
            "it is empty"
        } else if name.encode_utf16().count() > MAX_NAME {
            "it has more than 31 characters"
        } else if name.contains(['[', ']', ':', '*', '?', '/', '\\']) {
            "it has one of the characters [ ] : * ? / \\"
        } else if name.starts_with('\'') || name.ends_with('\'') {
            "it begins or ends with an apostrophe"
        } else if !known.insert(name.to_lowercase()) {
            "another sheet has it (capital and small letters do not differ)"
        } else {
            continue;
        };
        let shown: String = name.chars().take(60).collect();
        return Err(
            Error::new("SHEET_NAME", format!("'{shown}' cannot be the name of a sheet: {why}")).detail("sheet", shown)
        );
    }
    Ok(())
}

struct Writer<'a> {
    sheet: &'a SheetRows<'a>,
    options: &'a WriteOptions,
    columns: Vec<Column>,
    /// By column: for days, for moments, for other values.
    formats: Vec<[Format; 3]>,
}

impl<'a> Writer<'a> {
    fn new(sheet: &'a SheetRows<'a>, options: &'a WriteOptions) -> Result<Self, Error> {
        let most = MAX_ROWS as usize - usize::from(options.header);
        let (mut fields, mut seen) = (Vec::new(), HashSet::new());
        sheet.rows.each(usize::MAX, &mut |index, row| {
            let Some(row) = row else {
                let words =
                    format!("Row {} of the sheet '{}' is no object with the columns as fields", index + 1, sheet.name);
                return Err(Error::new("SCHEMA_MISMATCH", words).detail("index", index));
            };
            if options.columns.is_empty() {
                for name in row.keys().filter(|name| !seen.contains(*name)).collect::<Vec<_>>() {
                    seen.insert(name.clone());
                    fields.push(name.clone());
                }
            }
            Ok(())
        })?;
        if sheet.rows.len() > most {
            let words = format!(
                "The sheet '{}' would have {} rows, and a sheet holds {MAX_ROWS} with its header. Divide the rows among several sheets",
                sheet.name,
                sheet.rows.len()
            );
            return Err(Error::too_large(words, u64::from(MAX_ROWS)).detail("rows", sheet.rows.len()));
        }
        let mut columns = options.columns.clone();
        if columns.is_empty() {
            columns = fields.into_iter().map(|field| Column { field, ..Column::default() }).collect();
        }
        if columns.len() > MAX_COLUMNS as usize {
            let words = format!(
                "The sheet '{}' would have {} columns, and a sheet holds {MAX_COLUMNS}",
                sheet.name,
                columns.len()
            );
            return Err(Error::too_large(words, u64::from(MAX_COLUMNS)));
        }
        let formats = columns.iter().map(|column| {
            let of = |default: &str| Format::new().set_num_format(column.format.as_deref().unwrap_or(default));
            [of("yyyy-mm-dd"), of("yyyy-mm-dd hh:mm:ss"), of("General")]
        });
        Ok(Self { sheet, options, formats: formats.collect(), columns })
    }

    fn write(&self, out: &mut Worksheet) -> Result<(), Error> {
        let mut first = 0;
        if self.options.header {
            let style = match self.options.header_style {
                HeaderStyle::Bold => Format::new().set_bold(),
                HeaderStyle::Filled => Format::new().set_bold().set_background_color(Color::RGB(0x00D9_D9D9)),
                HeaderStyle::Plain => Format::new(),
            };
            for (index, column) in self.columns.iter().enumerate() {
                let title = column.title.as_deref().unwrap_or(&column.field);
                self.check_length(title, 0, index)?;
                out.write_string_with_format(0, place(index), title, &style).map_err(failure)?;
            }
            if self.options.header_style != HeaderStyle::Plain && !self.columns.is_empty() {
                out.set_freeze_panes(1, 0).map_err(failure)?;
            }
            first = 1;
        }
        self.sheet.rows.each(usize::MAX, &mut |place, row| {
            let number = u32::try_from(place).unwrap_or(u32::MAX).saturating_add(first);
            for (index, column) in self.columns.iter().enumerate() {
                if let Some(value) = row.and_then(|row| row.get(&column.field)) {
                    self.cell(out, number, index, value)?;
                }
            }
            Ok(())
        })?;
        let measured = self.measured()?;
        for (index, (column, measured)) in self.columns.iter().zip(measured).enumerate() {
            let width = column.width.unwrap_or(measured).clamp(0.0, MAX_WIDTH);
            out.set_column_width(place(index), width).map_err(failure)?;
        }
        Ok(())
    }

    fn cell(&self, out: &mut Worksheet, row: u32, index: usize, value: &Value) -> Result<(), Error> {
        let column = place(index);
        let Some([day, moment, other]) = self.formats.get(index) else { return Ok(()) };
        let kind = self.columns.get(index).map_or(CellType::Auto, |column| column.kind);
        let text = match value {
            Value::Null => return Ok(()),
            Value::Bool(flag) if kind != CellType::Text => {
                out.write_boolean(row, column, *flag).map_err(failure)?;
                return Ok(());
            }
            Value::Number(number) if kind != CellType::Text => match exact(number) {
                Some(number) => {
                    out.write_number_with_format(row, column, number, other).map_err(failure)?;
                    return Ok(());
                }
                None => number.to_string(),
            },
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let date =
            if kind == CellType::Date || (kind == CellType::Auto && self.options.dates) { serial(&text) } else { None };
        let done = match date {
            Some(Serial::Day(days)) => out.write_number_with_format(row, column, days, day),
            Some(Serial::Moment(days)) => out.write_number_with_format(row, column, days, moment),
            None if kind == CellType::Date && !text.is_empty() => {
                return Err(self.misfit(row, index, "a date like 2026-11-28 or 2026-11-28T10:30", &text));
            }
            None if kind == CellType::Number && !text.is_empty() => match written_number(&text) {
                Some(number) => out.write_number_with_format(row, column, number, other),
                None => return Err(self.misfit(row, index, "a number like 1234.5", &text)),
            },
            None if self.options.formulas && kind != CellType::Text && text.len() > 1 && text.starts_with('=') => {
                out.write_formula_with_format(row, column, text.as_str(), other)
            }
            None => {
                self.check_length(&text, row, index)?;
                out.write_string_with_format(row, column, text, other)
            }
        };
        done.map(drop).map_err(failure)
    }

    fn misfit(&self, row: u32, index: usize, wanted: &str, text: &str) -> Error {
        let field = self.columns.get(index).map_or("", |column| &column.field);
        let shown: String = text.chars().take(60).collect();
        let row = row + u32::from(!self.options.header);
        let words = format!(
            "'{field}' of row {row} must be {wanted}, but it is '{shown}'. Change the value, or the type of the column"
        );
        Error::new("SCHEMA_MISMATCH", words).detail("field", field).detail("row", row)
    }

    fn check_length(&self, text: &str, row: u32, index: usize) -> Result<(), Error> {
        // A byte is at most one unit, so most texts need no count.
        if text.len() <= MAX_CELL_CHARS || text.encode_utf16().count() <= MAX_CELL_CHARS {
            return Ok(());
        }
        let cell = format!("{}{}", column_name(u32::from(place(index))), row + 1);
        let words = format!(
            "The text for the cell {cell} of the sheet '{}' has more than {MAX_CELL_CHARS} characters, which is the limit of a cell. Shorten it, or write a text file",
            self.sheet.name
        );
        Err(Error::too_large(words, MAX_CELL_CHARS as u64).detail("cell", cell))
    }

    /// Widths of the columns by their titles and first values.
    fn measured(&self) -> Result<Vec<f64>, Error> {
        let title = |column: &Column| column.title.as_deref().unwrap_or(&column.field).chars().count();
        let mut widest: Vec<usize> = self.columns.iter().map(title).collect();
        self.sheet.rows.each(MEASURED, &mut |_, row| {
            for (column, widest) in self.columns.iter().zip(&mut widest) {
                let length = match row.and_then(|row| row.get(&column.field)) {
                    Some(Value::String(text)) => {
                        text.lines().map(|line| line.chars().count()).max().unwrap_or_default()
                    }
                    None | Some(Value::Null) => 0,
                    Some(other) => other.to_string().len(),
                };
                *widest = length.max(*widest);
            }
            Ok(())
        })?;
        let width =
            |widest: usize| f64::from(u32::try_from(widest.clamp(WIDTHS.0, WIDTHS.1 - 2) + 2).unwrap_or_default());
        Ok(widest.into_iter().map(width).collect())
    }
}

/// A column by its place; there are at most 16,384.
fn place(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(u16::MAX)
}

/// A number that a cell holds without a change.
pub(super) fn exact(number: &serde_json::Number) -> Option<f64> {
    let whole = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
    match whole {
        Some(whole) if whole > MAX_WHOLE => None,
        _ => number.as_f64().filter(|number| number.is_finite()),
    }
}

/// A text that is a number in JSON, without losing digits.
pub(super) fn written_number(text: &str) -> Option<f64> {
    let number: serde_json::Number = text.trim().parse().ok()?;
    exact(&number)
}

fn failure(error: XlsxError) -> Error {
    match error {
        XlsxError::MaxStringLengthExceeded => Error::too_large(error.to_string(), MAX_CELL_CHARS as u64),
        XlsxError::RowColumnLimitError => Error::too_large(error.to_string(), u64::from(MAX_ROWS)),
        other => Error::new("SCHEMA_MISMATCH", format!("The spreadsheet cannot be written: {other}")),
    }
}
