//! Ranges as spreadsheets write them: `B2:D20`, `B2`, `B:D`.

use super::{MAX_COLUMNS, MAX_ROWS};
use crate::Error;

/// A part of a sheet; rows and columns count from 0, both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    /// First and last row.
    pub rows: (u32, u32),
    /// First and last column.
    pub columns: (u32, u32),
    /// The columns were written down, so all of them are read, also empty ones.
    pub has_columns: bool,
}

impl Area {
    /// Reads `B2:D20` (cells), `B2` (from that cell on), `B:D` (columns) or `2:20` (rows); `$` is ignored.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = || {
            let words = format!(
                "'{}' is no range. Write it like B2:D20, B:D (whole columns), 2:20 (rows), or B2 (from this cell on)",
                text.chars().take(40).collect::<String>()
            );
            Error::new("INPUT_INVALID", words).detail("field", "range")
        };
        let plain: String = text.chars().filter(|c| *c != '$' && *c != ' ').collect();
        let (first, last) = match plain.split_once(':') {
            Some((first, last)) => (first, Some(last)),
            None => (plain.as_str(), None),
        };
        let (first_column, first_row) = corner(first).ok_or_else(wrong)?;
        let (last_column, last_row) = match last {
            None if first_column.is_none() || first_row.is_none() => return Err(wrong()),
            None => (None, None),
            Some(last) => {
                let (column, row) = corner(last).ok_or_else(wrong)?;
                if (column.is_some(), row.is_some()) != (first_column.is_some(), first_row.is_some()) {
                    return Err(wrong());
                }
                (column, row)
            }
        };
        let ordered = |one: u32, other: u32| (one.min(other), one.max(other));
        Ok(Self {
            rows: ordered(first_row.unwrap_or(0), last_row.unwrap_or(MAX_ROWS - 1)),
            columns: ordered(first_column.unwrap_or(0), last_column.unwrap_or(MAX_COLUMNS - 1)),
            has_columns: last_column.is_some(),
        })
    }

    /// Whether a cell is in it.
    pub fn contains(&self, row: u32, column: u32) -> bool {
        (self.rows.0..=self.rows.1).contains(&row) && (self.columns.0..=self.columns.1).contains(&column)
    }
}

/// `B2` as column and row from 0; each may be missing, not both.
fn corner(text: &str) -> Option<(Option<u32>, Option<u32>)> {
    let digits = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let (letters, digits) = text.split_at(digits);
    if letters.is_empty() && digits.is_empty() || letters.len() > 3 || digits.len() > 7 {
        return None;
    }
    let mut column = 0;
    for letter in letters.chars() {
        let letter = letter.to_ascii_uppercase();
        if !letter.is_ascii_uppercase() {
            return None;
        }
        column = column * 26 + (u32::from(letter) - u32::from('A') + 1);
    }
    let column = (!letters.is_empty()).then(|| column - 1);
    let row = if digits.is_empty() { None } else { Some(digits.parse::<u32>().ok()?.checked_sub(1)?) };
    let fits = column.is_none_or(|column| column < MAX_COLUMNS) && row.is_none_or(|row| row < MAX_ROWS);
    fits.then_some((column, row))
}

/// The letters of a column, counted from 0.
pub fn column_name(column: u32) -> String {
    let (mut letters, mut rest) = (Vec::new(), column + 1);
    while rest > 0 {
        let digit = u8::try_from((rest - 1) % 26).unwrap_or_default();
        letters.push(char::from(b'A' + digit));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}
