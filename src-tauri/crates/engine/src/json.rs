//! Strict JSON: duplicate keys are an error, depth is bounded, errors say line and column.

use serde::de::DeserializeOwned;
use serde_json::Value;
use signalbox_model::data::{TEXT_FROM, as_text};
use signalbox_model::{digits, strict_json};

/// Text that is not acceptable JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column})")]
pub struct JsonError {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What is wrong, without the place.
    pub message: String,
}

impl JsonError {
    /// The text stops before everything that was opened is closed.
    pub fn ends_early(&self) -> bool {
        self.message.starts_with("it ends ")
    }
}

/// Reads what this program has written, however deep it is: it was within the limits when it came.
pub(crate) fn unbounded<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    let read = || {
        let mut reader = serde_json::Deserializer::from_str(text);
        reader.disable_recursion_limit();
        T::deserialize(&mut reader)
    };
    if text.len() < TEXT_FROM { read() } else { as_text(read) }
}

/// The parser's words, for people.
fn plain(message: &str) -> String {
    match message {
        "EOF while parsing an object" => "it ends in the middle of an object".into(),
        "EOF while parsing a list" => "it ends in the middle of a list".into(),
        "EOF while parsing a string" => "it ends in the middle of a text".into(),
        "EOF while parsing a value" => "it ends where a value should stand".into(),
        "expected value" => "a value should stand here".into(),
        "trailing characters" => "there is more text after its end".into(),
        "trailing comma" => "there is a comma after the last entry".into(),
        "key must be a string" => "the name of a field must stand in double quotes".into(),
        "recursion limit exceeded" => "it is nested more than 128 levels deep".into(),
        other => other.into(),
    }
}

/// Parses one JSON text. Depth is at most 128 (serde_json's own bound).
pub fn parse(text: &str) -> Result<Value, JsonError> {
    let value = strict_json::read(text).map_err(|error| {
        let full = error.to_string();
        let message = full.rsplit_once(" at line ").map_or(full.as_str(), |(head, _)| head);
        JsonError { line: error.line(), column: error.column(), message: plain(message) }
    })?;
    match digits::lost(text) {
        Some(lost) => Err(JsonError { line: lost.line, column: lost.column, message: lost.told() }),
        None => Ok(value),
    }
}

#[cfg(test)]
mod tests;
