//! How deep and how large a JSON value is: what is foreign is measured before it is walked.

use serde_json::Value;

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
