//! Formulas as text and references to cells. Nothing is calculated, and what is no reference to cells stays as it is written.

use crate::sheet::{MAX_COLUMNS, MAX_ROWS, column_name};
use std::fmt::Write as _;

/// A row or a column of a reference, counted from 1, and whether a `$` holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) at: u32,
    pub(super) is_fixed: bool,
}

/// One end of a reference: a cell, a whole column or a whole row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Corner {
    pub(super) column: Option<Axis>,
    pub(super) row: Option<Axis>,
}

impl Corner {
    fn write(self, out: &mut String) {
        // Writing to a string does not fail.
        if let Some(column) = self.column {
            let _ = write!(out, "{}{}", if column.is_fixed { "$" } else { "" }, column_name(column.at - 1));
        }
        if let Some(row) = self.row {
            let _ = write!(out, "{}{}", if row.is_fixed { "$" } else { "" }, row.at);
        }
    }
}

/// A reference to cells of a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference<'a> {
    /// Sheet, as written, with the `!`; empty: the sheet of the formula.
    pub(super) qualifier: &'a str,
    pub(super) start: Corner,
    /// The other end of a range.
    pub(super) end: Option<Corner>,
    /// It is one whole argument of a function that takes ranges of values, like `SUM(D5)`.
    pub(super) is_values: bool,
}

impl Reference<'_> {
    pub(super) fn write(&self, out: &mut String) {
        out.push_str(self.qualifier);
        self.start.write(out);
        if let Some(end) = self.end {
            out.push(':');
            end.write(out);
        }
    }
}

/// A part of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// Stays as it is.
    Other(&'a str),
    /// A text in quotes, with the quotes.
    Text(&'a str),
    Reference(&'a str, Reference<'a>),
}

/// Functions for which a single cell is a range of one cell: people write `SUM(D5)` and mean all rows.
const TAKE_RANGES: &[&str] = &[
    "AVERAGE",
    "AVERAGEA",
    "COUNT",
    "COUNTA",
    "COUNTBLANK",
    "MAX",
    "MAXA",
    "MEDIAN",
    "MIN",
    "MINA",
    "PRODUCT",
    "STDEV",
    "STDEV.P",
    "STDEV.S",
    "STDEVA",
    "STDEVP",
    "SUBTOTAL",
    "SUM",
    "SUMPRODUCT",
    "SUMSQ",
    "VAR",
    "VAR.P",
    "VAR.S",
    "VARA",
    "VARP",
];

/// Takes a formula apart; the parts, one after the other, are the formula.
pub(super) fn parse(formula: &str) -> Vec<Part<'_>> {
    Parser { text: formula, at: 0, other: 0, parts: Vec::new(), functions: Vec::new(), before: '(' }.parse()
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// Where the text begins that is in no part yet.
    other: usize,
    parts: Vec<Part<'a>>,
    /// For each open parenthesis: whether it is of a function that takes ranges.
    functions: Vec<bool>,
    /// The last character that is no space.
    before: char,
}

impl<'a> Parser<'a> {
    fn parse(mut self) -> Vec<Part<'a>> {
        while let Some(sign) = self.rest().chars().next() {
            match sign {
                '"' => self.quoted(),
                '[' => {
                    self.brackets();
                    self.before = ']';
                    // A workbook in brackets and the sheet: cells of another file.
                    self.skip_outside();
                }
                '#' => {
                    // #REF!, #N/A, #DIV/0!
                    self.at += 1;
                    while self
                        .rest()
                        .starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '!' | '?' | '_'))
                    {
                        self.at += 1;
                    }
                    self.before = '#';
                }
                '\'' | '$' | '_' | '\\' => self.word(),
                _ if sign.is_alphanumeric() || sign == '.' => self.word(),
                _ => {
                    self.at += sign.len_utf8();
                    match sign {
                        '(' => self.functions.push(false),
                        ')' => drop(self.functions.pop()),
                        _ => {}
                    }
                    if !sign.is_whitespace() {
                        self.before = sign;
                    }
                }
            }
        }
        self.flush(self.at);
        self.parts
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn flush(&mut self, until: usize) {
        if let Some(text) = self.text.get(self.other..until).filter(|text| !text.is_empty()) {
            self.parts.push(Part::Other(text));
        }
        self.other = until;
    }

    fn quoted(&mut self) {
        self.flush(self.at);
        let length = quoted_length(self.rest(), '"');
        if let Some(text) = self.rest().get(..length) {
            self.parts.push(Part::Text(text));
        }
        self.at += length;
        self.other = self.at;
        self.before = '"';
    }

    /// `[…]` with all that is in it; an apostrophe takes the meaning from the sign after it.
    fn brackets(&mut self) {
        let (mut depth, mut is_escaped) = (0_u32, false);
        for (index, sign) in self.rest().char_indices() {
            match sign {
                _ if is_escaped => is_escaped = false,
                '\'' => is_escaped = true,
                '[' => depth += 1,
                ']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += index + 1;
                        return;
                    }
                }
                _ => {}
            }
        }
        self.at = self.text.len();
    }

    /// After `[1]`: `Sheet1!A1:B2` or `!name`.
    fn skip_outside(&mut self) {
        let sheet = word_length(self.rest());
        if self.rest().get(sheet..).is_some_and(|rest| rest.starts_with('!')) {
            self.at += sheet + 1;
            self.skip_reference();
        }
    }

    fn skip_reference(&mut self) {
        self.at += word_length(self.rest());
        if let Some(rest) = self.rest().strip_prefix(':')
            && corner(rest.get(..word_length(rest)).unwrap_or_default()).is_some()
        {
            self.at += 1 + word_length(rest);
        }
        self.before = 'x';
    }

    /// A number, a name, a function, or a reference with or without a sheet.
    fn word(&mut self) {
        let start = self.at;
        let length =
            if self.rest().starts_with('\'') { quoted_length(self.rest(), '\'') } else { word_length(self.rest()) };
        let mut qualifier_end = start;
        let mut after = start + length.max(1);
        let is_cell = |word: &str| corner(word).is_some_and(|corner| corner.row.is_some() && corner.column.is_some());
        // `Sheet1:Sheet3!` names several sheets; a sheet whose name is that of a cell is in quotes.
        let more = self.text.get(after..).and_then(|rest| rest.strip_prefix(':')).map_or(0, word_length);
        if self.text.get(after..).is_some_and(|rest| rest.starts_with('!')) {
            qualifier_end = after + 1;
        } else if more > 0
            && !is_cell(self.text.get(start..after).unwrap_or_default())
            && self.text.get(after + 1 + more..).is_some_and(|rest| rest.starts_with('!'))
        {
            qualifier_end = after + more + 2;
        }
        if qualifier_end > start {
            self.at = qualifier_end;
            let qualifier = self.text.get(start..qualifier_end).unwrap_or_default();
            if qualifier.contains('[') {
                return self.skip_reference();
            }
            if self.rest().starts_with('#') {
                return;
            }
            after = qualifier_end + word_length(self.rest());
        }
        let word = self.text.get(qualifier_end..after).unwrap_or_default();
        let next = self.text.get(after..).unwrap_or_default();
        if next.starts_with('(') {
            let name = word.rsplit("_xlfn.").next().unwrap_or_default();
            let takes = TAKE_RANGES.iter().any(|known| known.eq_ignore_ascii_case(name));
            self.functions.push(takes);
            self.at = after + 1;
            self.before = '(';
            return;
        }
        let first = if next.starts_with('[') { None } else { corner(word) };
        let Some(first) = first else {
            self.at = after;
            self.before = 'x';
            return;
        };
        let spaces = next.len() - next.trim_start_matches(' ').len();
        let other = next.get(spaces..).and_then(|rest| rest.strip_prefix(':'));
        let other = other.and_then(|rest| {
            let spaces_after = rest.len() - rest.trim_start_matches(' ').len();
            let rest = rest.get(spaces_after..)?;
            let length = word_length(rest);
            let follows = rest.get(length..).unwrap_or_default();
            let end = corner(rest.get(..length)?).filter(|_| !follows.starts_with(['(', '!', '[']))?;
            let fits = end.row.is_some() == first.row.is_some() && end.column.is_some() == first.column.is_some();
            fits.then_some((end, after + spaces + 1 + spaces_after + length))
        });
        let end_at = match other {
            Some((_, end_at)) => end_at,
            // A column or a row alone is a name or a number.
            None if first.row.is_none() || first.column.is_none() => {
                self.at = after;
                self.before = 'x';
                return;
            }
            None => after,
        };
        self.flush(start);
        let follows = self.text.get(end_at..).unwrap_or_default().trim_start().chars().next();
        let is_values = self.functions.last() == Some(&true)
            && matches!(self.before, '(' | ',')
            && matches!(follows, Some(')' | ','));
        let reference = Reference {
            qualifier: self.text.get(start..qualifier_end).unwrap_or_default(),
            start: first,
            end: other.map(|(end, _)| end),
            is_values,
        };
        self.parts.push(Part::Reference(self.text.get(start..end_at).unwrap_or_default(), reference));
        self.at = end_at;
        self.other = end_at;
        self.before = 'x';
    }
}

/// A text in quotes, where two quotes are one of the text.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut signs = text.char_indices().skip(1).peekable();
    while let Some((index, sign)) = signs.next() {
        if sign == quote && signs.next_if(|(_, next)| *next == quote).is_none() {
            return index + sign.len_utf8();
        }
    }
    text.len()
}

fn word_length(text: &str) -> usize {
    if text.starts_with('\'') {
        return quoted_length(text, '\'');
    }
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '\\' | '?');
    let end = text.find(|c| !is_of_word(c)).unwrap_or(text.len());
    // The exponent of a number has a sign: 1E+5.
    let word = text.get(..end).unwrap_or_default();
    let is_number = word
        .strip_suffix(['e', 'E'])
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    match text.get(end..) {
        Some(rest) if is_number && rest.starts_with(['+', '-']) => {
            let digits = rest.get(1..).unwrap_or_default();
            end + 1 + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())
        }
        _ => end,
    }
}

/// `$B$2`, `B`, `2`; none of more than a sheet has.
pub(super) fn corner(word: &str) -> Option<Corner> {
    let (column_fixed, rest) = fixed(word);
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (letters, rest) = rest.split_at(letters);
    if letters.is_empty() {
        let row = row(rest)?;
        return Some(Corner { column: None, row: Some(Axis { at: row, is_fixed: column_fixed }) });
    }
    if letters.len() > 3 {
        return None;
    }
    let column = letters.bytes().fold(0, |sum, byte| sum * 26 + u32::from(byte.to_ascii_uppercase() - b'A') + 1);
    let column = Some(Axis { at: column, is_fixed: column_fixed }).filter(|_| column <= MAX_COLUMNS)?;
    if rest.is_empty() {
        return Some(Corner { column: Some(column), row: None });
    }
    let (is_fixed, digits) = fixed(rest);
    Some(Corner { column: Some(column), row: Some(Axis { at: row(digits)?, is_fixed }) })
}

fn fixed(word: &str) -> (bool, &str) {
    word.strip_prefix('$').map_or((false, word), |rest| (true, rest))
}

fn row(digits: &str) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.len() <= 7 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let row = is_number.then(|| digits.parse::<u32>().ok())??;
    (1..=MAX_ROWS).contains(&row).then_some(row)
}

/// A formula of a shared one: what is not held by `$` moves along.
pub(super) fn moved(formula: &str, rows: i64, columns: i64) -> String {
    let mut out = String::with_capacity(formula.len());
    for part in parse(formula) {
        match part {
            Part::Other(text) | Part::Text(text) => out.push_str(text),
            Part::Reference(_, reference) => {
                let corner = |corner: Corner| {
                    let row = corner.row.map(|axis| along(axis, rows, MAX_ROWS));
                    let column = corner.column.map(|axis| along(axis, columns, MAX_COLUMNS));
                    (row != Some(None) && column != Some(None))
                        .then_some(Corner { row: row.flatten(), column: column.flatten() })
                };
                let end = reference.end.map(corner);
                match corner(reference.start) {
                    Some(start) if end != Some(None) => {
                        Reference { start, end: end.flatten(), ..reference }.write(&mut out);
                    }
                    _ => out.push_str("#REF!"),
                }
            }
        }
    }
    out
}

fn along(axis: Axis, by: i64, most: u32) -> Option<Axis> {
    if axis.is_fixed {
        return Some(axis);
    }
    let at = u32::try_from(i64::from(axis.at) + by).ok().filter(|at| (1..=most).contains(at))?;
    Some(Axis { at, ..axis })
}

#[cfg(test)]
mod tests;
