//! The JSON object in what a model says. Words around it are left out; half an object is refused, never guessed.

use crate::finding::Finding;
use serde_json::{Map, Value};
use signalbox_engine::json;

/// Longest answer that is read, bytes.
pub const MAX_ANSWER: usize = 256 * 1024;
/// Deepest nesting.
const MAX_DEPTH: usize = 32;
/// Characters of the answer that a finding shows.
const SHOWN: usize = 80;

/// The one JSON object of an answer.
pub fn object_in(text: &str) -> Result<Map<String, Value>, Finding> {
    let refused = |why: &str| {
        let begins: String = text.trim().chars().take(SHOWN).collect();
        Finding::new("NOT_JSON", "", why).expected("One JSON object and no other text").got(begins)
    };
    if text.len() > MAX_ANSWER {
        return Err(refused(&format!("The answer is longer than {MAX_ANSWER} bytes")));
    }
    let Some(start) = text.find('{') else { return Err(refused("The answer holds no JSON object")) };
    let rest = &text[start..];
    let Some(end) = end_of_object(rest) else { return Err(refused("The JSON object is not complete")) };
    let value = json::parse(&rest[..end]).map_err(|error| refused(&format!("The JSON is not valid: {error}")))?;
    if depth(&value) > MAX_DEPTH {
        return Err(refused(&format!("The JSON is nested deeper than {MAX_DEPTH} levels")));
    }
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(refused("The answer holds no JSON object")),
    }
}

/// Where the object that a text begins with is closed.
fn end_of_object(text: &str) -> Option<usize> {
    let (mut open, mut in_text, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => open += 1,
            b'}' | b']' if !in_text => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

#[cfg(test)]
mod tests;
