//! What references to cells become when rows are repeated.

use super::formula::{Axis, Corner, Part, Reference, corner, parse};
use super::rows::{Block, RowMap};
use crate::sheet::MAX_ROWS;
use std::borrow::Cow;

/// The sheets of a workbook, and where their rows are afterwards.
#[derive(Debug, Default)]
pub(super) struct Book {
    /// In the order of the workbook.
    pub(super) sheets: Vec<(String, RowMap)>,
}

/// Where a formula is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place<'a> {
    /// Its sheet; `None` = references without a sheet stay as they are.
    pub(super) sheet: Option<usize>,
    /// The list whose rows it is repeated with, and which copy it is.
    pub(super) copy: Option<(&'a str, u32)>,
    /// A reference without `$` is relative to no cell of its sheet and stays.
    pub(super) only_fixed: bool,
    /// A single cell of a repeated row becomes all of its copies, as in the data of a chart.
    pub(super) cells_grow: bool,
}

impl<'a> Place<'a> {
    pub(super) fn of(sheet: usize) -> Self {
        Self { sheet: Some(sheet), ..Self::default() }
    }

    pub(super) fn copy(self, list: &'a str, copy: u32) -> Self {
        Self { copy: Some((list, copy)), ..self }
    }
}

/// A reference over several sheets whose rows move differently.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SeveralSheets(pub(super) String);

impl Book {
    /// Nothing moves.
    pub(super) fn is_plain(&self) -> bool {
        self.sheets.iter().all(|(_, map)| map.is_plain())
    }

    fn named(&self, name: &str) -> Option<usize> {
        let folded = name.to_lowercase();
        self.sheets.iter().position(|(known, _)| known.to_lowercase() == folded)
    }

    /// The formula afterwards.
    pub(super) fn rewrite<'f>(&self, formula: &'f str, place: Place<'_>) -> Result<Cow<'f, str>, SeveralSheets> {
        if self.is_plain() {
            return Ok(Cow::Borrowed(formula));
        }
        let mut out = String::with_capacity(formula.len() + 8);
        let mut is_changed = false;
        for part in parse(formula) {
            match part {
                Part::Other(text) | Part::Text(text) => out.push_str(text),
                Part::Reference(text, reference) => match self.moved(&reference, place)? {
                    Some(moved) => {
                        is_changed = true;
                        moved.write(&mut out);
                    }
                    None => out.push_str(text),
                },
            }
        }
        Ok(if is_changed { Cow::Owned(out) } else { Cow::Borrowed(formula) })
    }

    /// The reference afterwards; nothing when it stays.
    fn moved<'r>(&self, reference: &Reference<'r>, place: Place<'_>) -> Result<Option<Reference<'r>>, SeveralSheets> {
        let Some((first, last)) = self.sheets_of(reference.qualifier, place) else { return Ok(None) };
        let mut found = None;
        for sheet in first..=last {
            let Some((_, map)) = self.sheets.get(sheet) else { return Ok(None) };
            let moved = moved_in(map, reference, place, place.sheet == Some(sheet));
            if *found.get_or_insert_with(|| moved.clone()) != moved {
                let mut text = String::new();
                reference.write(&mut text);
                return Err(SeveralSheets(text));
            }
        }
        Ok(found.filter(|moved| moved != reference))
    }

    /// The first and the last sheet of a reference.
    fn sheets_of(&self, qualifier: &str, place: Place<'_>) -> Option<(usize, usize)> {
        let Some(written) = qualifier.strip_suffix('!') else { return place.sheet.map(|sheet| (sheet, sheet)) };
        let plain = match written.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            Some(quoted) => quoted.replace("''", "'"),
            None => written.to_owned(),
        };
        if let Some(sheet) = self.named(&plain) {
            return Some((sheet, sheet));
        }
        let (first, last) = plain.split_once(':')?;
        let (first, last) = (self.named(first.trim_matches('\''))?, self.named(last.trim_matches('\''))?);
        Some((first.min(last), first.max(last)))
    }
}

/// How the copies of a formula see a row.
enum Seen<'m> {
    /// In rows that are repeated with the formula.
    Own,
    /// In the rows directly above them: the rows before in the list, from the second copy on.
    Before(&'m Block),
    Other,
}

fn seen<'m>(map: &'m RowMap, axis: Axis, place: Place<'_>, is_own_sheet: bool) -> Seen<'m> {
    let Some((list, _)) = place.copy else { return Seen::Other };
    if let Some(block) = map.block_of(axis.at) {
        return if *block.list == *list { Seen::Own } else { Seen::Other };
    }
    let below = map.blocks().iter().find(|block| block.first > axis.at);
    match below.filter(|block| *block.list == *list && block.first - axis.at <= block.height()) {
        Some(block) if is_own_sheet && !axis.is_fixed => Seen::Before(block),
        _ => Seen::Other,
    }
}

fn moved_in<'r>(map: &RowMap, reference: &Reference<'r>, place: Place<'_>, is_own_sheet: bool) -> Reference<'r> {
    let Reference { qualifier, start, end, is_values } = *reference;
    let Some(first) = start.row else { return reference.clone() };
    let keeps = |axis: Axis| place.only_fixed && !axis.is_fixed;
    let copy = place.copy.map_or(0, |(_, copy)| copy);
    let at = |axis: Axis, row: u32| Some(Axis { at: row.min(MAX_ROWS), ..axis });
    let follows = |axis: Axis| match seen(map, axis, place, is_own_sheet) {
        Seen::Own if !axis.is_fixed => Some(map.copy(axis.at, copy)),
        Seen::Before(block) if copy > 0 => Some(map.copy(axis.at + block.height(), copy - 1)),
        _ => None,
    };
    let Some((other, last)) = end.and_then(|end| Some((end, end.row?))) else {
        if keeps(first) {
            return reference.clone();
        }
        let followed = follows(first);
        let row = followed.unwrap_or_else(|| map.first(first.at));
        let is_own = matches!(seen(map, first, place, is_own_sheet), Seen::Own) && !first.is_fixed;
        let grows = (is_values || place.cells_grow) && !is_own && followed.is_none();
        let bottom = map.last(first.at);
        let start = Corner { row: at(first, row), ..start };
        let end = (grows && bottom > row).then_some(Corner { row: at(first, bottom), ..start });
        return Reference { qualifier, start, end, is_values };
    };
    if keeps(first) || keeps(last) {
        return reference.clone();
    }
    let (top, bottom) = if first.at <= last.at { (first, last) } else { (last, first) };
    let top_follows = follows(top);
    // `SUM(F$4:F4)` above the row grows with each copy; `SUM(B1:B4)` names cells that stay.
    let is_window = top.is_fixed || !matches!(seen(map, top, place, is_own_sheet), Seen::Other);
    let bottom_follows =
        follows(bottom).filter(|_| is_window || matches!(seen(map, bottom, place, is_own_sheet), Seen::Own));
    let top_follows = top_follows
        .filter(|_| bottom_follows.is_some() || !matches!(seen(map, top, place, is_own_sheet), Seen::Before(_)));
    let top_row = top_follows.unwrap_or_else(|| map.first(top.at));
    let bottom_row = bottom_follows.unwrap_or_else(|| map.last(bottom.at));
    let (first_row, last_row) = if first.at <= last.at { (top_row, bottom_row) } else { (bottom_row, top_row) };
    Reference {
        qualifier,
        start: Corner { row: at(first, first_row), ..start },
        end: Some(Corner { row: at(last, last_row), ..other }),
        is_values,
    }
}

/// A place without a sheet, like `B2` or `A1:C3`: first and last row, and how it is written with other rows.
pub(super) struct CellRange {
    start: Corner,
    end: Option<Corner>,
}

impl CellRange {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (first, last) = match text.split_once(':') {
            Some((first, last)) => (first, Some(last)),
            None => (text, None),
        };
        let start = corner(first)?;
        let end = last.map(corner);
        (end != Some(None)).then_some(Self { start, end: end.flatten() })
    }

    /// First and last row; whole columns have none.
    pub(super) fn rows(&self) -> Option<(u32, u32)> {
        let first = self.start.row?.at;
        let last = self.end.map_or(Some(first), |end| end.row.map(|row| row.at))?;
        Some((first.min(last), first.max(last)))
    }

    /// First and last column, from 1; whole rows have none.
    pub(super) fn columns(&self) -> Option<(u32, u32)> {
        let first = self.start.column?.at;
        let last = self.end.map_or(Some(first), |end| end.column.map(|column| column.at))?;
        Some((first.min(last), first.max(last)))
    }

    pub(super) fn write(&self, first: u32, last: u32) -> String {
        let row = |corner: Corner, at| Corner { row: corner.row.map(|axis| Axis { at, ..axis }), ..corner };
        let end = self.end.or((last > first).then_some(self.start));
        let mut out = String::new();
        let (start, end) = (row(self.start, first), end.map(|end| row(end, last)));
        Reference { qualifier: "", start, end, is_values: false }.write(&mut out);
        out
    }
}

/// Ranges apart by spaces, each where it is afterwards; `None` = they stay.
pub(super) fn moved_ranges(map: &RowMap, text: &str) -> Option<String> {
    if map.is_plain() {
        return None;
    }
    let mut all = Vec::new();
    for one in text.split_ascii_whitespace() {
        match CellRange::parse(one).and_then(|range| range.rows().map(|rows| (range, rows))) {
            Some((range, (first, last))) => {
                all.extend(map.ranges(first, last).into_iter().map(|(first, last)| range.write(first, last)));
            }
            None => all.push(one.to_owned()),
        }
    }
    let moved = all.join(" ");
    (moved != text).then_some(moved)
}

/// One range, which stays one: a table, the area of a chart's data.
pub(super) fn moved_range(map: &RowMap, text: &str) -> Option<String> {
    let range = CellRange::parse(text)?;
    let (first, last) = range.rows()?;
    let (first, last) = map.grown(first, last);
    let moved = range.write(first, last);
    (moved != text).then_some(moved)
}

/// One cell, which stays one cell: of a repeated row the first copy.
pub(super) fn moved_cell(map: &RowMap, text: &str) -> Option<String> {
    let range = CellRange::parse(text)?;
    let (first, last) = range.rows()?;
    let moved = range.write(map.first(first), map.first(last));
    (moved != text).then_some(moved)
}

#[cfg(test)]
mod tests;
