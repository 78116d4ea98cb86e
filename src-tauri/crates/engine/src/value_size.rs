//! How deep and how large a JSON value is: what is foreign is measured before it is walked.

use serde_json::Value;
use signalbox_model::{ErrorPayload, Item};

/// What the tables of an object take beside its members.
const OBJECT: usize = 64;
/// What one piece of memory takes beside what is in it.
const PIECE: usize = 16;
/// An error without its details.
const ERROR: usize = 4_000;

/// Depth of a value, at most `max`; does not recurse deeper than that.
pub(crate) fn depth(value: &Value, max: usize) -> usize {
    if max == 0 {
        return 0;
    }
    match value {
        Value::Array(list) => 1 + list.iter().map(|one| depth(one, max - 1)).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(|one| depth(one, max - 1)).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// How many values there are in a value, itself counted.
pub(crate) fn size(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(size).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(size).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// About how many bytes of memory a value takes: several times its text when it is made of small parts.
pub(crate) fn memory(value: &Value) -> usize {
    size_of::<Value>() + behind(value)
}

fn behind(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => PIECE + text.len(),
        Value::Array(list) => PIECE + list.iter().map(memory).sum::<usize>(),
        Value::Object(map) => {
            let member = size_of::<String>() + size_of::<usize>() + 2 * PIECE;
            OBJECT + map.iter().map(|(name, value)| member + name.len() + memory(value)).sum::<usize>()
        }
    }
}

/// The same of the values that a compact JSON text becomes, from its bytes.
pub(crate) fn of_text(text: &str) -> usize {
    let member = size_of::<String>() + size_of::<usize>() + 2 * PIECE;
    let (mut bytes, mut in_string, mut escaped) = (size_of::<Value>() + text.len(), false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            // One more value follows. The first of a list or an object is counted with its bracket.
            b',' => bytes += size_of::<Value>(),
            b':' => bytes += member,
            b'[' => bytes += size_of::<Value>() + PIECE,
            b'{' => bytes += size_of::<Value>() + OBJECT,
            _ => {}
        }
    }
    bytes
}

/// An item with this data.
pub(crate) fn of_item(data: &Value) -> usize {
    size_of::<Item>() + 2 * PIECE + memory(data)
}

/// An error that is kept.
pub(crate) fn of_error(error: &ErrorPayload) -> usize {
    ERROR + error.message.len() + error.details.iter().flat_map(|details| details.values()).map(memory).sum::<usize>()
}
