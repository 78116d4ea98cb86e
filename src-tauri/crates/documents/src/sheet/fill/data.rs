//! What the placeholders of a template become.

use super::placeholder::{Missing, Path, Target, short};
use super::styles::Styles;
use crate::Error;
use crate::sheet::{MAX_CELL_CHARS, column_name};
use serde_json::Value;
use std::sync::Arc;

/// What a placeholder without a value becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnMissing {
    /// An error.
    #[default]
    Error,
    /// An empty cell, or nothing within a text.
    Empty,
    /// The placeholder stays, to be filled later.
    Keep,
}

/// Where a placeholder is, for messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    pub(super) sheet: &'a str,
    /// Row and column in the template, from 1; none of a header, a text box or a chart.
    pub(super) cell: Option<(u32, u32)>,
}

impl Spot<'_> {
    pub(super) fn address(self) -> Option<String> {
        self.cell.map(|(row, column)| format!("{}{row}", column_name(column - 1)))
    }

    /// A refusal that names the place.
    pub(super) fn refuse(self, code: &str, words: &str) -> Error {
        let sheet = self.sheet;
        match self.address() {
            Some(cell) => Error::new(code, format!("Cell {cell} of the sheet '{sheet}': {words}"))
                .detail("sheet", sheet)
                .detail("cell", cell),
            None if sheet.is_empty() => Error::new(code, words.to_owned()),
            None => Error::new(code, format!("The sheet '{sheet}': {words}")).detail("sheet", sheet),
        }
    }

    pub(super) fn too_long(self) -> Error {
        let words =
            format!("the text has more than {MAX_CELL_CHARS} characters, which is the limit of a cell. Shorten it");
        self.refuse("TOO_LARGE", &words).detail("limit", MAX_CELL_CHARS)
    }
}

/// What was found for a placeholder.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Found<'v> {
    Value(&'v Value),
    /// The number of the element, from 1.
    Number(usize),
    Empty,
    /// The placeholder stays as it is written.
    Keep,
}

/// The data, and how it is put into cells.
pub(super) struct Source<'v> {
    pub(super) data: &'v Value,
    pub(super) on_missing: OnMissing,
    pub(super) styles: Styles,
    pub(super) is_1904: bool,
}

impl<'v> Source<'v> {
    /// The list that a placeholder goes into: its path and how many elements it has.
    pub(super) fn list(&self, path: &Path) -> Option<(Arc<str>, usize)> {
        match path.follow(self.data) {
            Target::List(list, elements, _) => Some((list.into(), elements.len())),
            Target::Value(_) | Target::Nothing(_) => None,
        }
    }

    /// What a placeholder becomes; `element` is the number of the element, from 0, in the rows of a list.
    pub(super) fn find(&self, path: &Path, element: usize, spot: Spot<'_>) -> Result<Found<'v>, Error> {
        let (target, place) = match path.follow(self.data) {
            Target::List(list, elements, from) => {
                let Some(one) = elements.get(element) else { return Ok(Found::Empty) };
                match path.in_element(from, one) {
                    None => return Ok(Found::Number(element + 1)),
                    Some(target) => (target, format!(" (element {} of '{}')", element + 1, short(&list))),
                }
            }
            target => (target, String::new()),
        };
        match target {
            Target::Value(value @ Value::Object(map)) => {
                let names: Vec<&str> = map.keys().take(20).map(String::as_str).collect();
                let words =
                    format!("'{{{{{path}}}}}' gives an object{place}. Name one of its fields: {}", names.join(", "));
                let _ = value;
                Err(spot.refuse("SCHEMA_MISMATCH", &words).detail("field", path.to_string()))
            }
            Target::Value(value) => Ok(Found::Value(value)),
            Target::List(..) => {
                let words = format!(
                    "'{{{{{path}}}}}' goes into a list within a list{place}. A row is repeated for one list: make one list of it before this step"
                );
                Err(spot.refuse("BAD_TEMPLATE", &words).detail("field", path.to_string()))
            }
            Target::Nothing(missing) => self.nothing(path, &missing, &place, spot),
        }
    }

    fn nothing(&self, path: &Path, missing: &Missing, place: &str, spot: Spot<'_>) -> Result<Found<'v>, Error> {
        match self.on_missing {
            OnMissing::Empty => Ok(Found::Empty),
            OnMissing::Keep => Ok(Found::Keep),
            OnMissing::Error => {
                let there = if missing.available.is_empty() {
                    String::new()
                } else {
                    format!(" There are: {}.", missing.available.join(", "))
                };
                let words = format!(
                    "'{{{{{path}}}}}' has no value: {}{place}.{there} Correct the placeholder or the data, or leave such cells empty",
                    missing.found
                );
                Err(spot
                    .refuse("MISSING_FIELD", &words)
                    .detail("field", path.to_string())
                    .detail("available", missing.available.clone()))
            }
        }
    }
}
