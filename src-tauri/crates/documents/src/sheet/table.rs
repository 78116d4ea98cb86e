//! Cells become a table: a list of objects with the names of the columns.

use super::area::{Area, column_name};
use super::grid::{Cell, Grid, quote, too_much_text};
use super::{MAX_TEXT, ReadOptions};
use crate::Error;
use std::collections::HashSet;

/// So many cells with an error are named.
const ERRORS_NAMED: usize = 20;

/// Appends `{"sheet", "columns", "rowCount", "errorCells", "rows"}`.
pub(super) fn append(name: &str, grid: &mut Grid, options: &ReadOptions, out: &mut String) -> Result<(), Error> {
    grid.sort();
    let area = options.area;
    let inside = |cell: &&Cell| area.is_none_or(|area| area.contains(cell.row, cell.column));
    let columns = columns(grid, area.as_ref());
    let mut rows = Rows { cells: grid.cells(), area };
    let header = if options.header { rows.next() } else { None };
    let names = names(grid, header.unwrap_or_default(), columns, area.as_ref());
    let count = Rows { cells: rows.cells, area }.count();
    let keys: Vec<String> = names.iter().map(|name| format!("{}:", json(name))).collect();
    // What the rows take when all of their cells are empty.
    let empty = keys.iter().map(|key| key.len() + 5).sum::<usize>() + 2;
    if count.saturating_mul(empty) > MAX_TEXT {
        return Err(too_much_text());
    }
    out.push_str("{\"sheet\":");
    quote(name, out);
    let listed: Vec<String> = names.iter().map(|name| json(name)).collect();
    out.push_str(&format!(",\"columns\":[{}],\"rowCount\":{count},\"errorCells\":[", listed.join(",")));
    let errors = grid.errors.iter().filter(|(row, column, _)| area.is_none_or(|area| area.contains(*row, *column)));
    for (index, (row, column, error)) in errors.take(ERRORS_NAMED).enumerate() {
        let comma = if index > 0 { "," } else { "" };
        out.push_str(&format!("{comma}{{\"cell\":\"{}{}\",\"error\":{}}}", column_name(*column), row + 1, json(error)));
    }
    out.push_str("],\"rows\":[");
    for (index, row) in rows.enumerate() {
        out.push_str(if index > 0 { ",{" } else { "{" });
        let mut cells = row.iter().filter(inside).peekable();
        for (place, (key, column)) in keys.iter().zip(columns.0..).enumerate() {
            if place > 0 {
                out.push(',');
            }
            out.push_str(key);
            match cells.next_if(|cell| cell.column == column) {
                Some(cell) => out.push_str(grid.json(cell)),
                None => out.push_str("null"),
            }
        }
        out.push('}');
        if out.len() > MAX_TEXT {
            return Err(too_much_text());
        }
    }
    out.push_str("]}");
    Ok(())
}

fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote(text, &mut out);
    out
}

/// First and last column of the table.
fn columns(grid: &Grid, area: Option<&Area>) -> (u32, u32) {
    if let Some(area) = area.filter(|area| area.has_columns) {
        return area.columns;
    }
    let inside = grid.cells().iter().filter(|cell| area.is_none_or(|area| area.contains(cell.row, cell.column)));
    let (first, last) =
        inside.fold((u32::MAX, 0), |(first, last), cell| (first.min(cell.column), last.max(cell.column)));
    // A range that begins at a cell begins there, also when its first column is empty.
    (area.map_or(first, |area| area.columns.0), last)
}

/// A name for each column: that of the header, else `column1` and so on; a name that was there already gets a number.
fn names(grid: &Grid, header: &[Cell], (first, last): (u32, u32), area: Option<&Area>) -> Vec<String> {
    let mut known = HashSet::new();
    let mut names = Vec::new();
    for column in first..=last {
        let cell = header.iter().find(|cell| cell.column == column);
        let cell = cell.filter(|cell| area.is_none_or(|area| area.contains(cell.row, cell.column)));
        let said = cell.map(|cell| grid.plain(cell).trim().to_owned()).filter(|name| !name.is_empty());
        let base = said.unwrap_or_else(|| format!("column{}", column - first + 1));
        let mut name = base.clone();
        let mut number = 2;
        while known.contains(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        known.insert(name.clone());
        names.push(name);
    }
    names
}

/// The rows that have a value in the area, as their cells.
struct Rows<'a> {
    cells: &'a [Cell],
    area: Option<Area>,
}

impl<'a> Iterator for Rows<'a> {
    type Item = &'a [Cell];

    fn next(&mut self) -> Option<&'a [Cell]> {
        loop {
            let row = self.cells.first()?.row;
            let length = self.cells.iter().take_while(|cell| cell.row == row).count();
            let (cells, rest) = self.cells.split_at(length);
            self.cells = rest;
            if self.area.is_none_or(|area| cells.iter().any(|cell| area.contains(cell.row, cell.column))) {
                return Some(cells);
            }
        }
    }
}
