//! What a PDF is made of: the author's text, and values in it.

use crate::Error;
use serde_json::Value;

/// A part of the text.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Written by the author.
    Text(String),
    /// A value.
    Value(Value),
}

/// The text with its values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Content {
    /// Its parts in order.
    pub pieces: Vec<Piece>,
    /// Texts of values are read as Markdown.
    pub is_markdown: bool,
}

impl Content {
    /// From `[{"text": "…"}, {"value": …}]`.
    pub fn of(value: Value, is_markdown: bool) -> Result<Self, Error> {
        let Value::Array(list) = value else { return Err(bad()) };
        let piece = |one: Value| {
            let Value::Object(mut map) = one else { return Err(bad()) };
            match (map.shift_remove("text"), map.shift_remove("value")) {
                (Some(Value::String(text)), None) => Ok(Piece::Text(text)),
                (None, Some(value)) => Ok(Piece::Value(value)),
                _ => Err(bad()),
            }
        };
        Ok(Self { pieces: list.into_iter().map(piece).collect::<Result<_, _>>()?, is_markdown })
    }
}

fn bad() -> Error {
    Error::new("INPUT_INVALID", "The text of the PDF must be a list of texts and values")
}

/// Numbers with this many digits and more have an exponent in JSON.
const PLAIN_BELOW: f64 = 1e21;

/// A value in a line of text.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(double) if double.fract() == 0.0 && double.abs() < PLAIN_BELOW => double.to_string(),
            _ => number.to_string(),
        },
        Value::Array(list) if list.iter().all(|one| !one.is_array() && !one.is_object()) => {
            list.iter().map(shown).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
