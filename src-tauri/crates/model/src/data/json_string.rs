//! A string of JSON that is written piece by piece: a long text is never there a second time, without its escapes.

use super::{Data, Text};
use serde_json::Value;
use std::borrow::Cow;

/// Bytes that are escaped at once.
const PIECE: usize = 256 * 1024;

/// A string of JSON that grows.
#[derive(Debug)]
pub struct JsonString(String);

impl JsonString {
    /// With room for so many bytes.
    pub fn new(room: usize) -> Self {
        let mut text = String::with_capacity(room);
        text.push('"');
        Self(text)
    }

    /// With the values of `parts`, one after the other. A string of the data that is all of it is not copied.
    pub fn of(parts: &[Data]) -> Data {
        if let [Data::Text(text)] = parts
            && text.is_string()
        {
            return Data::Text(text.clone());
        }
        let letters: usize = parts.iter().map(Data::letters).sum();
        // Room that is not used takes no memory; a text that grows is there twice now and then.
        let mut json = Self::new(letters / 2 * 3);
        parts.iter().for_each(|part| part.each_stretch(&mut |stretch| json.push(stretch)));
        json.data()
    }

    /// Adds text, escaped.
    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.floor_char_boundary(PIECE));
            let json = Value::from(piece).to_string();
            self.0.push_str(json.get(1..json.len() - 1).unwrap_or_default());
            rest = behind;
        }
    }

    /// The string.
    pub fn data(mut self) -> Data {
        self.0.push('"');
        Data::written(self.0)
    }
}

impl Data {
    /// What is written into a text for it, piece by piece: the letters of a string, of anything else its JSON.
    pub fn each_stretch(&self, with: &mut dyn FnMut(&str)) {
        match self {
            Self::Text(text) if text.is_string() => text.stretches().for_each(|stretch| with(&stretch)),
            Self::Text(text) => text.pieces().for_each(with),
            Self::Value(value) => with(&words(value)),
        }
    }

    /// About how many bytes [`Self::each_stretch`] gives: exactly of values that are strings, with its escapes of a text.
    pub fn letters(&self) -> usize {
        match self {
            Self::Text(text) => Text::length(text),
            Self::Value(value) => value.as_str().map_or(0, str::len),
        }
    }
}

/// What is written into a text for a value.
pub fn words(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(words) => Cow::Borrowed(words),
        other => Cow::Owned(other.to_string()),
    }
}
