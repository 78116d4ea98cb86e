//! JSON as it is stored: compact text, with values above 8 KB taken out and kept once by content hash.
//!
//! What was taken out is listed beside the text as `[[pointer, hash], …]`; a value of a user that looks like a
//! reference is therefore never taken for one. The smallest value above the limit is taken out, not the largest around
//! it, so that the same answer inside different envelopes is stored once.

pub(crate) mod lists;
mod long_texts;
mod split;

use crate::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use signalbox_model::blob::BLOB_LIMIT;
use signalbox_model::data::{self, Detached, TEXT_FROM, Text, as_text, detached, mark, put_back, with_texts};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::event::{EventBody, InputItem};
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Data, Items};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

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
    data: Source,
}

/// Where the text of a large value stands.
#[derive(Debug)]
enum Source {
    Own(String),
    /// In the text that it was taken out of: a large table is not copied.
    Part(Arc<String>, Range<usize>),
    /// In a text that others hold, too.
    Shared(Text, Range<usize>),
    /// Items of a list: their text is made when it is written.
    Slice(Arc<Items>, Range<usize>),
    /// Items that a call began with: their text is made when it is written.
    Input(Arc<[InputItem]>, Range<usize>),
    /// In an earlier document of the same transaction.
    Earlier,
}

impl Source {
    fn text(&self) -> Result<Option<Cow<'_, str>>> {
        Ok(match self {
            Self::Own(data) => Some(Cow::Borrowed(data)),
            Self::Part(whole, part) => whole.get(part.clone()).map(Cow::Borrowed),
            Self::Shared(text, part) => text.text().get(part.clone()).map(Cow::Borrowed),
            Self::Slice(items, range) => {
                let text = items.slice_text(range.clone());
                Some(Cow::Owned(text.map_err(|error| Error::Invalid { reason: error.to_string() })?))
            }
            Self::Input(items, range) => {
                let text = data::write(items.get(range.clone()).unwrap_or_default());
                Some(Cow::Owned(text.map_err(|error| Error::Invalid { reason: error.to_string() })?))
            }
            Self::Earlier => None,
        })
    }
}

impl Blob {
    pub(crate) fn new(hash: String, data: String) -> Self {
        Self { hash, data: Source::Own(data) }
    }

    /// Its text; none when an earlier document of the same transaction has it.
    pub(crate) fn data(&self) -> Result<Option<Cow<'_, str>>> {
        self.data.text()
    }
}

impl Document {
    /// Drops the texts of large values that an earlier document of the same transaction has: they are written with that one.
    pub(crate) fn forget_known(&mut self, known: &mut HashSet<String>) {
        for blob in &mut self.blobs {
            if !known.insert(blob.hash.clone()) {
                blob.data = Source::Earlier;
            }
        }
    }

    /// Text first: a small document, and that is nearly every one, is never walked.
    pub(crate) fn of<T: Serialize>(value: &T) -> Result<Self> {
        let invalid = |e: serde_json::Error| Error::Invalid { reason: e.to_string() };
        let Detached { written, texts } = detached(|| serde_json::to_string(value));
        let text = put_back(written.map_err(invalid)?, &texts, BLOB_LIMIT);
        if texts.iter().all(|text| text.length() < BLOB_LIMIT) {
            return Self::of_text(text);
        }
        check_depth(&text)?;
        texts.iter().try_for_each(|text| check_depth(text.text()))?;
        Ok(split::split_marked(text, mark(), &texts))
    }

    /// The same of compact JSON text.
    pub(crate) fn of_text(text: String) -> Result<Self> {
        if text.len() <= BLOB_LIMIT {
            check_depth(&text)?;
            return Ok(Self { text, references: None, blobs: Vec::new() });
        }
        let (document, deepest) = split::split(text, &mut |_| true);
        deep_enough(deepest)?;
        Ok(document)
    }

    /// Takes out of a compact JSON text those large values that `wanted` says yes to.
    pub(crate) fn split(text: String, wanted: &mut dyn FnMut(&str) -> bool) -> Self {
        split::split(text, wanted).0
    }
}

/// The whole text again, with the large values back in their places, behind `before`.
pub(crate) fn filled(
    before: String,
    text: &str,
    references: &str,
    fetch: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
) -> Result<String> {
    filled_around(before, text, references, fetch, None)
}

/// Long values that are not put into the text: a mark stands there, and they are read once for all who hold them (ADR 194).
pub(crate) struct Apart<'a> {
    /// Whether a value at this pointer may stay apart.
    pub(crate) is_apart: &'a dyn Fn(&str) -> bool,
    /// In the order of their marks.
    pub(crate) texts: Vec<Text>,
    /// Bytes of those that were not fetched, because somebody has them.
    pub(crate) known: usize,
}

/// [`filled`], but for values that stay apart.
pub(crate) fn filled_around(
    mut before: String,
    text: &str,
    references: &str,
    fetch: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
    apart: Option<&mut Apart<'_>>,
) -> Result<String> {
    let damaged = || Error::Damaged { reason: "a list of large values cannot be read".into() };
    let list: Vec<(String, String)> = parse(references).map_err(|_| damaged())?;
    let mut filling =
        Filling { hashes: list.iter().map(|(pointer, hash)| (&**pointer, &**hash)).collect(), filled: 0, fetch, apart };
    let (count, text) = (filling.hashes.len(), parse(text).map_err(|_| damaged())?);
    filling.write(&text, &mut String::new(), &mut before)?;
    // What has no place is damage, too.
    if filling.filled == count { Ok(before) } else { Err(damaged()) }
}

struct Filling<'a, 'b> {
    /// Pointer → hash, in the order of the pointers: what is inside of a value follows it.
    hashes: BTreeMap<&'a str, &'a str>,
    filled: usize,
    fetch: &'a mut dyn FnMut(&str) -> Result<Vec<u8>>,
    apart: Option<&'a mut Apart<'b>>,
}

impl Filling<'_, '_> {
    fn write(&mut self, value: &Value, at: &mut String, out: &mut String) -> Result<()> {
        let Some(hash) = self.hashes.get(&**at).copied() else { return self.parts(value, at, out) };
        let is_apart = self.apart.as_ref().is_some_and(|apart| (apart.is_apart)(at)) && !self.is_around(at);
        if is_apart && let Some(text) = long_texts::known(hash) {
            self.filled += 1;
            if let Some(apart) = &mut self.apart {
                apart.known += text.length();
            }
            self.put_apart(text, out);
            return Ok(());
        }
        let data = (self.fetch)(hash)?;
        if sha256_hex(&data) != *hash {
            return Err(Error::Damaged { reason: format!("the large value {hash} does not match its hash") });
        }
        self.filled += 1;
        let damaged = |_| Error::Damaged { reason: format!("the large value {hash} is no JSON") };
        if is_apart {
            match Data::written(String::from_utf8(data).map_err(|_| damaged(()))?) {
                Data::Text(text) => {
                    long_texts::keep(hash, &text);
                    self.put_apart(text, out);
                }
                Data::Value(value) => out.push_str(&value.to_string()),
            }
            return Ok(());
        }
        let text = std::str::from_utf8(&data).map_err(|_| damaged(()))?;
        if self.is_around(at) {
            return self.parts(&parse(text).map_err(|_| damaged(()))?, at, out);
        }
        out.push_str(text);
        Ok(())
    }

    /// A mark stands for a value.
    fn put_apart(&mut self, text: Text, out: &mut String) {
        if let Some(apart) = &mut self.apart {
            out.push_str(&format!("\"{}{}\"", mark(), apart.texts.len()));
            apart.texts.push(text);
        }
    }

    /// A large value stands somewhere in the value at this place.
    fn is_around(&self, at: &str) -> bool {
        let inside = format!("{at}/");
        self.hashes.range::<&str, _>(&*inside..).next().is_some_and(|(pointer, _)| pointer.starts_with(&inside))
    }

    fn parts(&mut self, value: &Value, at: &mut String, out: &mut String) -> Result<()> {
        if !self.is_around(at) {
            out.push_str(&value.to_string());
            return Ok(());
        }
        let length = at.len();
        let mut first = true;
        let mut next = |out: &mut String, open| {
            out.push(if first { open } else { ',' });
            first = false;
        };
        match value {
            Value::Array(list) => {
                for (index, value) in list.iter().enumerate() {
                    next(out, '[');
                    at.push_str(&format!("/{index}"));
                    self.write(value, at, out)?;
                    at.truncate(length);
                }
                out.push(']');
            }
            Value::Object(map) => {
                for (name, value) in map {
                    next(out, '{');
                    out.push_str(&Value::from(name.as_str()).to_string());
                    out.push(':');
                    at.push_str(&format!("/{}", pointer_token(name)));
                    self.write(value, at, out)?;
                    at.truncate(length);
                }
                out.push('}');
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err(Error::Damaged { reason: "a large value has no place".into() });
            }
        }
        Ok(())
    }
}

/// Reads JSON without serde's depth limit: what was written was within ours.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    // A table in an event takes ten times its text as values, and a follower hands it on as it is.
    if text.len() < TEXT_FROM { read(text) } else { as_text(|| read(text)) }
}

/// The same for the payload of an event, where marks stand for these texts.
pub(crate) fn body_around(kind: &str, payload: &str, texts: Vec<Text>) -> serde_json::Result<EventBody> {
    let read = || EventBody::of_text(kind, payload);
    match texts.is_empty() {
        true if payload.len() < TEXT_FROM => read(),
        true => as_text(read),
        false => with_texts(texts, read),
    }
}

fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
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
    deep_enough(deepest)
}

fn deep_enough(deepest: usize) -> Result<()> {
    if deepest <= DEEPEST {
        return Ok(());
    }
    Err(Error::Invalid { reason: format!("it is nested {deepest} levels deep, at most {DEEPEST} are kept") })
}

#[cfg(test)]
mod tests;
