//! JSON as it is stored: compact text, with values above 8 KB taken out and kept once by content hash.
//!
//! What was taken out is listed beside the text as `[[pointer, hash], …]`; a value of a user that looks like a
//! reference is therefore never taken for one. The smallest value above the limit is taken out, not the largest around
//! it, so that the same answer inside different envelopes is stored once.

mod split;

use crate::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use signalbox_model::blob::BLOB_LIMIT;
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
        Ok(split::split(text, &mut |_| true))
    }

    /// The same of compact JSON text.
    pub(crate) fn of_text(text: &str) -> Result<Self> {
        check_depth(text)?;
        if text.len() <= BLOB_LIMIT {
            return Ok(Self { text: text.to_owned(), references: None, blobs: Vec::new() });
        }
        Ok(split::split(text.to_owned(), &mut |_| true))
    }

    /// Takes out of a compact JSON text those large values that `wanted` says yes to.
    pub(crate) fn split(text: String, wanted: &mut dyn FnMut(&str) -> bool) -> Self {
        split::split(text, wanted)
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

#[cfg(test)]
mod tests;
