//! Writes the rows of a worksheet: those of the template, and repeated ones for each element.

use super::cell_xml::{close_cell, fill, in_quotes, open_cell, push_content, set_no_value, several_sheets};
use super::cells::{RawCell, RawFormula, RawRow, each_row};
use super::data::{Found, Source, Spot};
use super::formula::moved;
use super::plan::SheetPlan;
use super::refs::{Book, Place, moved_cell};
use super::rows::{Block, RowMap};
use super::strings::CellText;
use super::value::{content, is_too_long};
use super::xml::{Edits, Kind, Tokens, bad, escaped, text_of};
use crate::Error;
use crate::sheet::column_name;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

/// So many bytes are handed on together.
const CHUNK: usize = 256 * 1024;
/// Most bytes of a worksheet that is made.
const MAX_MADE: u64 = 1024 * 1024 * 1024;

/// Writes one worksheet.
pub(super) struct SheetWriter<'a> {
    pub(super) plan: &'a SheetPlan,
    pub(super) index: usize,
    pub(super) book: &'a Book,
    pub(super) map: &'a RowMap,
    pub(super) source: &'a Source<'a>,
}

/// What was written of a worksheet.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Written {
    /// Cells that were filled.
    pub(super) cells: u64,
}

/// A cell and what becomes of it.
struct CellPlan<'a> {
    cell: RawCell<'a>,
    change: Change<'a>,
}

enum Change<'a> {
    /// It has what it had.
    None,
    Text(&'a CellText),
    Set(&'a Value),
    Formula(RawFormula<'a>, Option<String>),
    /// A value that a formula of another cell gave it.
    Stale,
}

struct RowPlan<'a> {
    row: RawRow<'a>,
    cells: Vec<CellPlan<'a>>,
    is_changed: bool,
}

/// Where a row goes.
#[derive(Clone, Copy)]
struct Copy<'a> {
    block: Option<&'a Block>,
    number: u32,
}

/// Text on its way into the file.
struct Out<'w> {
    text: String,
    done: u64,
    file: &'w mut dyn io::Write,
}

impl Out<'_> {
    fn flush(&mut self, part: &str, least: usize) -> Result<(), Error> {
        if self.text.len() < least {
            return Ok(());
        }
        self.done += self.text.len() as u64;
        if self.done > MAX_MADE {
            let words = format!("The part '{part}' would have more than {} MiB", MAX_MADE >> 20);
            return Err(Error::too_large(words, MAX_MADE));
        }
        self.file.write_all(self.text.as_bytes()).map_err(|error| bad(part, &error.to_string()))?;
        self.text.clear();
        Ok(())
    }
}

impl<'a> SheetWriter<'a> {
    /// Writes the part. `edits` are those outside of the rows, `data` is where the rows are.
    pub(super) fn write(
        &self,
        text: &'a str,
        edits: Edits,
        data: Option<&Range<usize>>,
        file: &mut dyn io::Write,
    ) -> Result<Written, Error> {
        let part = self.plan.part.as_str();
        let mut out = Out { text: String::new(), done: 0, file };
        let Some(data) = data else {
            out.text = edits.apply(text);
            out.flush(part, 0)?;
            return Ok(Written::default());
        };
        let (before, after) = edits.apply_around(text, data);
        out.text = before;
        let mut written = Written::default();
        let mut tokens = Tokens::new(text, part);
        while tokens.at() < data.end {
            let Some(token) = tokens.next()? else { break };
            let Kind::Open(tag, is_empty) = token.kind else { continue };
            if tag.local_name() != "sheetData" {
                continue;
            }
            out.text.push_str(&format!("<{}{}>", tag.name(), tag.after_name()));
            let columns = column_styles(text, part)?;
            let mut rows = Rows {
                writer: self,
                out: &mut out,
                written: &mut written,
                waiting: Vec::new(),
                next_set: 0,
                columns,
                prefix: tag.prefix(),
            };
            if !is_empty {
                each_row(&mut tokens, part, &mut |row| rows.take(row))?;
            }
            rows.end()?;
            out.text.push_str(&format!("</{}>", tag.name()));
        }
        out.text.push_str(&after);
        out.flush(part, 0)?;
        Ok(written)
    }

    fn plan_row(&self, row: RawRow<'a>) -> RowPlan<'a> {
        let set = self.plan.set.get(&row.number);
        let expands = !self.book.is_plain() || !self.plan.set.is_empty();
        let mut is_changed = false;
        let mut cells = Vec::with_capacity(row.cells.len());
        for cell in &row.cells {
            let at = (row.number, cell.column);
            let change = if let Some(value) = set.and_then(|set| set.get(&cell.column)) {
                Change::Set(value)
            } else if let Some(text) = self.plan.texts.get(&at) {
                Change::Text(text)
            } else if let Some(formula) = cell.formula {
                Change::Formula(formula, if expands { self.formula_text(&formula, at) } else { None })
            } else if self.plan.results.iter().any(|(rows, columns)| contains(*rows, at.0) && contains(*columns, at.1))
            {
                Change::Stale
            } else {
                Change::None
            };
            is_changed |= !matches!(change, Change::None);
            cells.push(CellPlan { cell: cell.clone(), change });
        }
        is_changed |=
            set.is_some_and(|set| !set.keys().all(|column| row.cells.iter().any(|cell| cell.column == *column)));
        RowPlan { row, cells, is_changed }
    }

    /// The text of a formula for its cell in the template, also of a shared one.
    fn formula_text(&self, formula: &RawFormula<'_>, at: (u32, u32)) -> Option<String> {
        let text = text_of(formula.raw);
        if !text.is_empty() || formula.tag.raw("t") != Some("shared") {
            return Some(text);
        }
        let ((row, column), text) = self.plan.shared.get(&formula.tag.attribute("si")?)?;
        Some(moved(text, i64::from(at.0) - i64::from(*row), i64::from(at.1) - i64::from(*column)))
    }

    fn cell(
        &self,
        plan: &CellPlan<'_>,
        row: u32,
        copy: Copy<'_>,
        element: u32,
        out: &mut String,
    ) -> Result<bool, Error> {
        let tag = plan.cell.tag;
        let prefix = tag.prefix();
        open_cell(tag, plan.cell.column, copy.number, out);
        let spot = self.plan.spot((row, plan.cell.column));
        if copy.block.is_some_and(|block| block.is_empty) {
            out.push_str("/>");
            return Ok(matches!(plan.change, Change::Text(_)));
        }
        match &plan.change {
            Change::None => {
                if let Some(kind) = tag.raw("t") {
                    out.push_str(&format!(" t=\"{kind}\""));
                }
                close_cell(tag, plan.cell.inner, out);
                Ok(false)
            }
            Change::Stale => {
                out.push_str("/>");
                Ok(false)
            }
            Change::Set(value) => {
                let content = content(value, self.source.styles.of(tag.raw("s")), self.source.is_1904);
                let content = content.ok_or_else(|| set_no_value(spot, value))?;
                push_content(prefix, tag.name(), &content, spot, None, out)?;
                Ok(true)
            }
            Change::Text(text) => self.text(plan, text, spot, element, out),
            Change::Formula(formula, text) => {
                match text {
                    None => {
                        out.push('>');
                        out.push_str(formula.source);
                    }
                    Some(text) => {
                        let place = Place::of(self.index);
                        let place = match copy.block {
                            Some(block) => place.copy(&block.list, element),
                            None => place,
                        };
                        let text =
                            self.book.rewrite(text, place).map_err(|several| several_sheets(spot, &several.0))?;
                        out.push('>');
                        self.formula(*formula, &text, copy, element, out);
                    }
                }
                out.push_str(&format!("</{}>", tag.name()));
                Ok(false)
            }
        }
    }

    /// `<f>` without what makes it a shared one, its ranges where they are now.
    fn formula(&self, formula: RawFormula<'_>, text: &str, copy: Copy<'_>, element: u32, out: &mut String) {
        let tag = formula.tag;
        let is_shared = tag.raw("t") == Some("shared");
        out.push('<');
        out.push_str(tag.name());
        for (name, value) in tag.attributes() {
            let value = match name {
                "t" | "ref" | "si" if is_shared => continue,
                "ref" => self.area(value, copy, element),
                "r1" | "r2" => moved_cell(self.map, value).unwrap_or_else(|| value.to_owned()),
                _ => value.to_owned(),
            };
            out.push_str(&format!(" {name}=\"{value}\""));
        }
        if text.is_empty() {
            out.push_str("/>");
        } else {
            out.push('>');
            out.push_str(&escaped(text));
            out.push_str(&format!("</{}>", tag.name()));
        }
    }

    /// The area of an array formula, which is in repeated rows or outside of them.
    fn area(&self, text: &str, copy: Copy<'_>, element: u32) -> String {
        let Some(range) = super::refs::CellRange::parse(text) else { return text.to_owned() };
        let Some((first, last)) = range.rows() else { return text.to_owned() };
        let element = if copy.block.is_some() { element } else { 0 };
        range.write(self.map.copy(first, element), self.map.copy(last, element))
    }

    fn text(
        &self,
        plan: &CellPlan<'_>,
        text: &CellText,
        spot: Spot<'_>,
        element: u32,
        out: &mut String,
    ) -> Result<bool, Error> {
        let tag = plan.cell.tag;
        let prefix = tag.prefix();
        let element = element as usize;
        if let Some(path) = text.whole() {
            let found = self.source.find(path, element, spot)?;
            let value = match found {
                Found::Value(value) => value.clone(),
                Found::Number(number) => Value::from(number),
                Found::Empty => Value::Null,
                Found::Keep => {
                    if let Some(kind) = tag.raw("t") {
                        out.push_str(&format!(" t=\"{kind}\""));
                    }
                    close_cell(tag, plan.cell.inner, out);
                    return Ok(false);
                }
            };
            let made = content(&value, self.source.styles.of(tag.raw("s")), self.source.is_1904);
            let made = made.ok_or_else(|| set_no_value(spot, &value))?;
            push_content(prefix, tag.name(), &made, spot, Some(text), out)?;
            return Ok(true);
        }
        let texts = fill(text, self.source, element, spot)?;
        if is_too_long(&texts.iter().map(|(_, text)| text.as_str()).collect::<String>()) {
            return Err(spot.too_long());
        }
        out.push_str(" t=\"inlineStr\">");
        out.push_str(&format!("<{prefix}is>"));
        text.write(prefix, &texts, out);
        out.push_str(&format!("</{prefix}is></{}>", tag.name()));
        Ok(true)
    }
}

/// The rows of a worksheet on their way.
struct Rows<'s, 'a, 'w> {
    writer: &'s SheetWriter<'a>,
    out: &'s mut Out<'w>,
    written: &'s mut Written,
    /// Repeated rows, until all of them are there.
    waiting: Vec<RowPlan<'a>>,
    /// Rows from here on may have cells that the template has not.
    next_set: u32,
    columns: Vec<(Range<u32>, String)>,
    prefix: &'a str,
}

impl<'a> Rows<'_, 'a, '_> {
    fn take(&mut self, row: RawRow<'a>) -> Result<(), Error> {
        let number = row.number;
        if self
            .waiting
            .last()
            .is_some_and(|waits| self.writer.map.block_of(waits.row.number) != self.writer.map.block_of(number))
        {
            self.repeat()?;
        }
        self.add_rows(number)?;
        let plan = self.writer.plan_row(row);
        self.next_set = number + 1;
        if self.writer.map.block_of(number).is_some() {
            self.waiting.push(plan);
            return Ok(());
        }
        let copy = Copy { block: None, number: self.writer.map.first(number) };
        self.put(&plan, copy, 0)
    }

    fn end(&mut self) -> Result<(), Error> {
        self.repeat()?;
        self.add_rows(u32::MAX)
    }

    fn repeat(&mut self) -> Result<(), Error> {
        let rows = std::mem::take(&mut self.waiting);
        let map = self.writer.map;
        let Some(block) = rows.first().and_then(|plan| map.block_of(plan.row.number)) else { return Ok(()) };
        for element in 0..block.copies {
            for plan in &rows {
                let copy = Copy { block: Some(block), number: map.copy(plan.row.number, element) };
                self.put(plan, copy, element)?;
            }
        }
        Ok(())
    }

    /// Rows before this one that only have cells which are set.
    fn add_rows(&mut self, before: u32) -> Result<(), Error> {
        let writer = self.writer;
        for (row, cells) in writer.plan.set.range(self.next_set..before) {
            let (prefix, number) = (self.prefix, writer.map.first(*row));
            self.out.text.push_str(&format!("<{prefix}row r=\"{number}\">"));
            for (column, value) in cells {
                self.new_cell(*row, number, *column, value, None)?;
            }
            self.out.text.push_str(&format!("</{prefix}row>"));
        }
        self.next_set = before;
        Ok(())
    }

    /// A cell that the template has not looks like its row or its column.
    fn new_cell(
        &mut self,
        row: u32,
        number: u32,
        column: u32,
        value: &Value,
        row_style: Option<&str>,
    ) -> Result<(), Error> {
        let writer = self.writer;
        let of_column =
            || self.columns.iter().find(|(range, _)| range.contains(&column)).map(|(_, style)| style.as_str());
        let style = row_style.or_else(of_column);
        let spot = writer.plan.spot((row, column));
        let made = content(value, writer.source.styles.of(style), writer.source.is_1904);
        let made = made.ok_or_else(|| set_no_value(spot, value))?;
        let prefix = self.prefix;
        let name = format!("{prefix}c");
        let style = style.map_or(String::new(), |style| format!(" s=\"{style}\""));
        self.out.text.push_str(&format!("<{name} r=\"{}{number}\"{style}", column_name(column - 1)));
        self.written.cells += 1;
        push_content(prefix, &name, &made, spot, None, &mut self.out.text)
    }

    fn put(&mut self, plan: &RowPlan<'a>, copy: Copy<'_>, element: u32) -> Result<(), Error> {
        let row = &plan.row;
        let part = self.writer.plan.part.as_str();
        let is_hidden = copy.block.is_some_and(|block| block.is_empty);
        if !plan.is_changed && copy.number == row.number && !is_hidden {
            self.out.text.push_str(row.source);
            return self.out.flush(part, CHUNK);
        }
        let tag = row.tag;
        self.out.text.push_str(&format!("<{} r=\"{}\"", tag.name(), copy.number));
        for (name, value) in tag.attributes() {
            if name != "r" && !(is_hidden && name == "hidden") {
                self.out.text.push_str(&format!(" {name}={}", in_quotes(value)));
            }
        }
        self.out.text.push_str(if is_hidden { " hidden=\"1\">" } else { ">" });
        let set = self.writer.plan.set.get(&row.number).filter(|_| copy.block.is_none());
        let mut missing: BTreeMap<u32, &Value> =
            set.into_iter().flatten().map(|(column, value)| (*column, value)).collect();
        for cell in &plan.cells {
            missing.remove(&cell.cell.column);
        }
        let row_style =
            tag.raw("customFormat").filter(|custom| matches!(*custom, "1" | "true")).and_then(|_| tag.raw("s"));
        for cell in &plan.cells {
            while let Some((column, value)) = missing
                .first_key_value()
                .filter(|(column, _)| **column < cell.cell.column)
                .map(|(column, value)| (*column, *value))
            {
                missing.remove(&column);
                self.new_cell(row.number, copy.number, column, value, row_style)?;
            }
            if self.writer.cell(cell, row.number, copy, element, &mut self.out.text)? {
                self.written.cells += 1;
            }
        }
        for (column, value) in missing {
            self.new_cell(row.number, copy.number, column, value, row_style)?;
        }
        self.out.text.push_str(row.rest);
        self.out.text.push_str(&format!("</{}>", tag.name()));
        self.out.flush(part, CHUNK)
    }
}

fn contains((first, last): (u32, u32), at: u32) -> bool {
    (first..=last).contains(&at)
}

/// The styles of columns, from 1.
fn column_styles(text: &str, part: &str) -> Result<Vec<(Range<u32>, String)>, Error> {
    let mut styles = Vec::new();
    let mut tokens = Tokens::new(text, part);
    while let Some(token) = tokens.next()? {
        let Kind::Open(tag, _) = token.kind else { continue };
        match tag.local_name() {
            "sheetData" => break,
            "col" => {
                let number = |name: &str| tag.raw(name).and_then(|number| number.parse::<u32>().ok());
                if let (Some(min), Some(max), Some(style)) = (number("min"), number("max"), tag.raw("style")) {
                    styles.push((min..max.saturating_add(1), style.to_owned()));
                }
            }
            _ => {}
        }
    }
    Ok(styles)
}
