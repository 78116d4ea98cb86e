//! Strict JSON: duplicate keys are an error, depth is bounded, errors say line and column.

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use signalbox_model::digits;
use std::fmt;

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
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    T::deserialize(&mut reader)
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
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    let value = value.map_err(|error| {
        let full = error.to_string();
        let message = full.rsplit_once(" at line ").map_or(full.as_str(), |(head, _)| head);
        JsonError { line: error.line(), column: error.column(), message: plain(message) }
    })?;
    match digits::lost(text) {
        Some(lost) => Err(JsonError { line: lost.line, column: lost.column, message: lost.told() }),
        None => Ok(value),
    }
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
        Ok(Value::Bool(v))
    }
    fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
        Ok(Value::Number(v.into()))
    }
    fn visit_u64<E>(self, v: u64) -> Result<Value, E> {
        Ok(Value::Number(v.into()))
    }
    fn visit_f64<E>(self, v: f64) -> Result<Value, E> {
        Ok(Number::from_f64(v).map_or(Value::Null, Value::Number))
    }
    fn visit_str<E>(self, v: &str) -> Result<Value, E> {
        Ok(Value::String(v.to_owned()))
    }
    fn visit_string<E>(self, v: String) -> Result<Value, E> {
        Ok(Value::String(v))
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = access.next_element_seed(Strict)? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key \"{key}\" stands twice in one object")));
            }
            let value = access.next_value_seed(Strict)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests;
