//! What of a worksheet is filled and which of its rows are repeated, found before anything is written.

use super::cells::{RawRow, each_row};
use super::data::{Source, Spot};
use super::formula::{Part, parse};
use super::placeholder::{Path, Piece, has_any, pieces};
use super::refs::CellRange;
use super::rows::{Block, RowMap};
use super::strings::{CellText, Strings};
use super::xml::{Kind, Tokens, text_of};
use crate::Error;
use crate::sheet::MAX_ROWS;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Rows and columns, first and last, from 1.
pub(super) type CellArea = ((u32, u32), (u32, u32));

/// A worksheet.
#[derive(Debug, Default)]
pub(super) struct SheetPlan {
    pub(super) name: String,
    pub(super) part: String,
    /// Cells with placeholders, by row and column.
    pub(super) texts: HashMap<(u32, u32), CellText>,
    /// The formula of a shared one, by its number, and its cell.
    pub(super) shared: HashMap<String, ((u32, u32), String)>,
    /// Areas of array formulas and data tables.
    pub(super) arrays: Vec<CellArea>,
    /// Those of several cells: their other cells have values of the formula.
    pub(super) results: Vec<CellArea>,
    /// Merged cells.
    pub(super) merged: Vec<CellArea>,
    /// Values of single cells, by row and column.
    pub(super) set: BTreeMap<u32, BTreeMap<u32, Value>>,
    pub(super) has_formulas: bool,
    /// Placeholders in headers and footers.
    pub(super) has_page_texts: bool,
    pub(super) last_row: u32,
}

/// The list that a row is repeated for, its length, and the cell that says so.
type ListOfRow = (Arc<str>, usize, (u32, u32));

/// A table of a worksheet.
pub(super) struct TableArea {
    pub(super) name: String,
    pub(super) area: CellArea,
    pub(super) has_header: bool,
    pub(super) has_totals: bool,
}

impl SheetPlan {
    /// Looks through a worksheet.
    pub(super) fn scan(name: &str, part: &str, text: &str, strings: &Strings) -> Result<Self, Error> {
        let mut plan = Self { name: name.to_owned(), part: part.to_owned(), ..Self::default() };
        let mut tokens = Tokens::new(text, part);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, is_empty) = token.kind else { continue };
            match tag.local_name() {
                "sheetData" if !is_empty => {
                    each_row(&mut tokens, part, &mut |row| plan.row(&row, strings))?;
                }
                "mergeCell" => plan.merged.extend(tag.raw("ref").and_then(area)),
                "oddHeader" | "oddFooter" | "evenHeader" | "evenFooter" | "firstHeader" | "firstFooter"
                    if !is_empty =>
                {
                    let inner = tokens.inner()?;
                    plan.has_page_texts |= has_any(&text_of(tokens.source(inner)));
                }
                _ => {}
            }
        }
        Ok(plan)
    }

    fn row(&mut self, row: &RawRow<'_>, strings: &Strings) -> Result<(), Error> {
        self.last_row = row.number;
        for cell in &row.cells {
            let at = (row.number, cell.column);
            if let Some(formula) = cell.formula {
                self.has_formulas = true;
                let kind = formula.tag.raw("t");
                let text = text_of(formula.raw);
                if has_placeholder(&text) {
                    let words = "a formula cannot have a placeholder. Put the placeholder into another cell, and let the formula refer to that cell";
                    return Err(self.spot(at).refuse("BAD_TEMPLATE", words));
                }
                match (kind, formula.tag.attribute("si")) {
                    (Some("shared"), Some(number)) if !text.is_empty() => {
                        self.shared.insert(number, (at, text));
                    }
                    (Some("array" | "dataTable"), _) => {
                        if let Some(area) = formula.tag.raw("ref").and_then(area) {
                            self.arrays.push(area);
                            if area.0.0 != area.0.1 || area.1.0 != area.1.1 {
                                self.results.push(area);
                            }
                        }
                    }
                    _ => {}
                }
            } else if let Some(text) = cell.text(strings, &self.part)? {
                self.texts.insert(at, text);
            }
        }
        Ok(())
    }

    pub(super) fn spot(&self, cell: (u32, u32)) -> Spot<'_> {
        Spot { sheet: &self.name, cell: Some(cell) }
    }

    /// The rows that are repeated. Neighbouring rows of one list are repeated together.
    pub(super) fn rows(&self, source: &Source<'_>, tables: &[TableArea]) -> Result<RowMap, Error> {
        let mut of_row: BTreeMap<u32, ListOfRow> = BTreeMap::new();
        let mut cells: Vec<&(u32, u32)> = self.texts.keys().collect();
        cells.sort();
        for cell in cells {
            if self.set.get(&cell.0).is_some_and(|row| row.contains_key(&cell.1)) {
                continue;
            }
            for path in self.texts.get(cell).into_iter().flat_map(paths) {
                let path = path.map_err(|why| self.spot(*cell).refuse("BAD_TEMPLATE", why))?;
                let Some((list, length)) = source.list(path) else { continue };
                let known = of_row.entry(cell.0).or_insert_with(|| (Arc::clone(&list), length, *cell));
                if known.0 != list {
                    let words = format!(
                        "'{{{{{path}}}}}' goes into the list '{list}', and another cell of the row into '{}'. A row is repeated for one list: use two rows, or one list",
                        known.0
                    );
                    return Err(self.spot(*cell).refuse("BAD_TEMPLATE", &words));
                }
            }
        }
        let mut blocks: Vec<Block> = Vec::new();
        for (row, (list, length, cell)) in of_row {
            match blocks.last_mut() {
                Some(block) if block.list == list && block.last + 1 >= row => block.last = block.last.max(row),
                Some(block) if block.last >= row => {
                    let words =
                        format!("the row is merged with rows of the list '{}', and goes into '{list}'", block.list);
                    return Err(self.spot(cell).refuse("BAD_TEMPLATE", &words));
                }
                _ => {
                    let copies = u32::try_from(length.max(1)).unwrap_or(u32::MAX);
                    blocks.push(Block { first: row, last: row, copies, is_empty: length == 0, list });
                }
            }
            // A cell that is merged with cells below belongs to the rows down to its end.
            if let Some(block) = blocks.last_mut() {
                while let Some((rows, _)) =
                    self.merged.iter().find(|((first, last), _)| block.contains(*first) && *last > block.last)
                {
                    block.last = rows.1;
                }
            }
        }
        let map = RowMap::new(blocks);
        self.check(&map, tables)?;
        Ok(map)
    }

    fn check(&self, map: &RowMap, tables: &[TableArea]) -> Result<(), Error> {
        let last = map.blocks().iter().map(|block| map.last(block.last)).max().unwrap_or(0);
        let last = last.max(if map.is_plain() { 0 } else { map.last(self.last_row) });
        if last > MAX_ROWS {
            let words = format!("The sheet '{}' would have {last} rows, more than {MAX_ROWS}", self.name);
            return Err(Error::too_large(words, u64::from(MAX_ROWS)).detail("sheet", self.name.as_str()));
        }
        for ((first, last), (column, _)) in &self.arrays {
            if let Some(block) =
                map.blocks().iter().find(|block| block.copies > 1 && *first <= block.last && *last >= block.first)
                && !(block.contains(*first) && block.contains(*last))
            {
                let words = "an array formula or a data table of several rows cannot have repeated rows in it. Move it, or write a formula for each row";
                return Err(self.spot((*first, *column)).refuse("BAD_TEMPLATE", words));
            }
        }
        for block in map.blocks() {
            if let Some((row, column)) = self.set_in(block) {
                let words = format!(
                    "the row is repeated for '{}', so it has no single cell of this address. Use a placeholder",
                    block.list
                );
                return Err(self.spot((row, column)).refuse("INPUT_INVALID", &words).detail("field", "cells"));
            }
        }
        for table in tables {
            self.check_table(map, table)?;
        }
        Ok(())
    }

    fn set_in(&self, block: &Block) -> Option<(u32, u32)> {
        let (row, cells) = self.set.range(block.first..=block.last).next()?;
        Some((*row, *cells.keys().next()?))
    }

    /// The titles of a table are in its part as well, and the row of its totals is one.
    fn check_table(&self, map: &RowMap, table: &TableArea) -> Result<(), Error> {
        let ((first, last), (left, right)) = table.area;
        let is_title = |row: u32, column: u32| table.has_header && row == first && (left..=right).contains(&column);
        let filled = self.texts.keys().copied();
        let set = self.set.iter().flat_map(|(row, cells)| cells.keys().map(|column| (*row, *column)));
        if let Some(cell) = filled.chain(set).filter(|(row, column)| is_title(*row, *column)).min() {
            let words = format!(
                "the titles of the columns of the table '{}' cannot be filled. Put the text above the table",
                table.name
            );
            return Err(self.spot(cell).refuse("BAD_TEMPLATE", &words));
        }
        let totals = if table.has_totals { last } else { 0 };
        let is_part = |block: &&Block| block.contains(totals) || (table.has_header && block.contains(first));
        if let Some(block) = map.blocks().iter().filter(|block| block.copies > 1).find(is_part) {
            let words = format!(
                "the title or totals row of the table '{}' would be repeated for '{}'. Repeat a row between them",
                table.name, block.list
            );
            return Err(self.spot((block.first, left)).refuse("BAD_TEMPLATE", &words));
        }
        Ok(())
    }
}

/// The paths of a text, or why one is none.
pub(super) fn paths(text: &CellText) -> impl Iterator<Item = Result<&Path, &str>> {
    text.pieces.iter().filter_map(|(_, piece)| match piece {
        Piece::Path(path) => Some(path.as_ref().map_err(String::as_str)),
        Piece::Text(_) => None,
    })
}

/// A placeholder in a text of a formula. `{{` without quotes is none.
fn has_placeholder(formula: &str) -> bool {
    has_any(formula)
        && parse(formula).iter().any(|part| match part {
            Part::Text(text) => pieces(text).iter().any(|(piece, _)| matches!(piece, Piece::Path(Ok(_)))),
            Part::Other(_) | Part::Reference(..) => false,
        })
}

/// A range of cells.
pub(super) fn area(text: &str) -> Option<CellArea> {
    let range = CellRange::parse(text)?;
    Some((range.rows()?, range.columns()?))
}
