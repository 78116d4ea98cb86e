//! JSON as it is stored: compact text, with values above 8 KB taken out and kept once by content hash.
//!
//! What was taken out is listed beside the text as `[[pointer, hash], …]`; a value of a user that looks like a
//! reference is therefore never taken for one. The smallest value above the limit is taken out, not the largest around
//! it, so that the same answer inside different envelopes is stored once.

use crate::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use signalbox_model::blob::BLOB_LIMIT;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::hash::sha256_hex;

/// SQLite refuses JSON that is nested deeper than 1,000.
const DEEPEST: usize = 900;

/// A stored document.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// Compact JSON; `null` stands where a value was taken out.
    pub(crate) text: String,
    /// `[[pointer, hash], …]`, inner ones first; absent when nothing was taken out.
    pub(crate) references: Option<String>,
    /// What was taken out.
    pub(crate) blobs: Vec<Blob>,
}

/// A large value.
#[derive(Debug)]
pub(crate) struct Blob {
    pub(crate) hash: String,
    pub(crate) data: String,
}

impl Document {
    /// Text first: a small document, and that is nearly every one, is never walked.
    pub(crate) fn of<T: Serialize>(value: &T) -> Result<Self> {
        let invalid = |e: serde_json::Error| Error::Invalid { reason: e.to_string() };
        let text = serde_json::to_string(value).map_err(invalid)?;
        check_depth(&text)?;
        if text.len() <= BLOB_LIMIT {
            return Ok(Self { text, references: None, blobs: Vec::new() });
        }
        Ok(Self::split(serde_json::to_value(value).map_err(invalid)?, &mut |_| true))
    }

    /// Takes out those large values that `wanted` says yes to.
    pub(crate) fn split(mut value: Value, wanted: &mut dyn FnMut(&str) -> bool) -> Self {
        let mut taken = Vec::new();
        take_out(&mut value, true, &mut taken, wanted);
        let references = if taken.is_empty() {
            None
        } else {
            let list: Vec<Value> = taken
                .iter()
                .map(|t| {
                    let pointer: String =
                        t.tokens.iter().rev().map(|token| format!("/{}", pointer_token(token))).collect();
                    Value::Array(vec![Value::String(pointer), Value::String(t.blob.hash.clone())])
                })
                .collect();
            Some(Value::Array(list).to_string())
        };
        Self { text: compact(&value), references, blobs: taken.into_iter().map(|t| t.blob).collect() }
    }
}

/// Puts large values back.
pub(crate) fn fill(value: &mut Value, references: &str, fetch: &mut dyn FnMut(&str) -> Result<Vec<u8>>) -> Result<()> {
    let damaged = || Error::Damaged { reason: "a list of large values cannot be read".into() };
    let list: Vec<(String, String)> = parse(references).map_err(|_| damaged())?;
    for (pointer, hash) in list.iter().rev() {
        let place = value.pointer_mut(pointer).ok_or_else(damaged)?;
        let data = fetch(hash)?;
        if sha256_hex(&data) != *hash {
            return Err(Error::Damaged { reason: format!("the large value {hash} does not match its hash") });
        }
        let text = std::str::from_utf8(&data).map_err(|_| damaged())?;
        *place = parse(text).map_err(|_| damaged())?;
    }
    Ok(())
}

/// Reads JSON without serde's depth limit: what was written was within ours.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Compact text. Not by `Display`, which goes through the formatter piece by piece.
fn compact(value: &Value) -> String {
    // A value with string keys always has a text.
    serde_json::to_string(value).unwrap_or_else(|_| value.to_string())
}

fn check_depth(text: &str) -> Result<()> {
    // Nearly every text has fewer brackets than may be nested; counting them is many times as fast as reading it.
    if text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count() <= DEEPEST {
        return Ok(());
    }
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if deepest > DEEPEST {
        return Err(Error::Invalid {
            reason: format!("it is nested {deepest} levels deep, at most {DEEPEST} are kept"),
        });
    }
    Ok(())
}

struct Taken {
    /// Innermost first: each level on the way out adds its own.
    tokens: Vec<String>,
    blob: Blob,
}

/// Compact length of what is left of `value`; of a string above the limit, at least so much.
fn take_out(value: &mut Value, root: bool, taken: &mut Vec<Taken>, wanted: &mut dyn FnMut(&str) -> bool) -> usize {
    let length = match value {
        Value::Null => 4,
        Value::Bool(yes) => 5 - usize::from(*yes),
        Value::Number(number) => number_length(number),
        Value::String(text) => string_length(text),
        Value::Array(list) => {
            let mut length = 1 + list.len().max(1);
            for (index, child) in list.iter_mut().enumerate() {
                let before = taken.len();
                length += take_out(child, false, taken, wanted);
                for entry in &mut taken[before..] {
                    entry.tokens.push(index.to_string());
                }
            }
            length
        }
        Value::Object(map) => {
            let mut length = 1 + map.len().max(1);
            for (key, child) in map.iter_mut() {
                let before = taken.len();
                length += string_length(key) + 1 + take_out(child, false, taken, wanted);
                for entry in &mut taken[before..] {
                    entry.tokens.push(key.clone());
                }
            }
            length
        }
    };
    if root || length <= BLOB_LIMIT {
        return length;
    }
    let data = compact(value);
    let hash = sha256_hex(data.as_bytes());
    if !wanted(&hash) {
        return length;
    }
    *value = Value::Null;
    taken.push(Taken { tokens: Vec::new(), blob: Blob { hash, data } });
    4
}

fn number_length(number: &serde_json::Number) -> usize {
    match number.as_u64() {
        Some(n) => n.checked_ilog10().map_or(1, |digits| digits as usize + 1),
        None => number.to_string().len(),
    }
}

fn string_length(text: &str) -> usize {
    // Above the limit already: how much longer it gets does not matter.
    if text.len() > BLOB_LIMIT {
        return 2 + text.len();
    }
    let extra = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
        0..0x20 => 5,
        _ => 0,
    };
    2 + text.len() + text.bytes().map(extra).sum::<usize>()
}

#[cfg(test)]
mod tests;
