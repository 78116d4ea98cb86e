//! A setting or a field whose value is long: it is written piece by piece, and is not there once more (ADR 186, 194).

use serde_json::Value;
use signalbox_model::Data;
use signalbox_model::data::{JsonString, Text, words};
use signalbox_ports::PartSource;
use std::collections::VecDeque;

/// Bytes of a piece.
const PIECE: usize = 256 * 1024;

/// A long value.
#[derive(Debug, Clone)]
pub(crate) enum LongValue {
    /// A list or an object, as JSON.
    Json(Text),
    /// A text: what stands in it one after the other. JSON strings give their letters, other JSON stands as it is written.
    Words(Vec<Data>),
}

impl LongValue {
    /// What an expression gave.
    pub(crate) fn of(data: Data) -> Self {
        match data {
            Data::Text(text) if !text.is_string() => Self::Json(text),
            data => Self::Words(vec![data]),
        }
    }

    /// Whether it is a list or an object.
    pub(crate) fn is_json(&self) -> bool {
        matches!(self, Self::Json(_))
    }

    /// Bytes of its text, with its escapes where it has any.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Json(text) => text.length(),
            Self::Words(parts) => parts.iter().map(Data::letters).sum(),
        }
    }

    /// What a file or a request gets: JSON, or the letters of a text.
    pub(crate) fn into_text(self) -> String {
        let mut all = String::with_capacity(self.length());
        match self {
            Self::Json(text) => text.pieces().for_each(|piece| all.push_str(piece)),
            Self::Words(parts) => {
                parts.iter().for_each(|part| part.each_stretch(&mut |stretch| all.push_str(stretch)));
            }
        }
        all
    }

    /// As values.
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Json(text) => (*text.value()).clone(),
            Self::Words(_) => Value::String(self.clone().into_text()),
        }
    }

    /// As JSON. A string of the data that is the whole text is not copied.
    pub(crate) fn data(&self) -> Data {
        match self {
            Self::Json(text) => Data::Text(text.clone()),
            Self::Words(parts) => JsonString::of(parts),
        }
    }

    /// Its bytes as a file or a request gets them, one piece after the other.
    pub(crate) fn pieces(self) -> PartSource {
        let mut parts = match self {
            Self::Json(text) => VecDeque::from([Part { data: Data::Text(text), is_json: true, at: 0 }]),
            Self::Words(parts) => parts.into_iter().map(|data| Part { data, is_json: false, at: 0 }).collect(),
        };
        Box::new(move || {
            while let Some(part) = parts.front_mut() {
                let piece = part.next();
                if !piece.is_empty() {
                    return Some(Ok(piece));
                }
                parts.pop_front();
            }
            None
        })
    }
}

/// A part that is being written, and how far.
struct Part {
    data: Data,
    is_json: bool,
    at: usize,
}

impl Part {
    /// The next bytes; none at the end.
    fn next(&mut self) -> Vec<u8> {
        let piece = match &self.data {
            Data::Text(text) if text.is_string() && !self.is_json => {
                let (stretch, next) = text.stretch_at(self.at);
                self.at = next;
                return stretch.into_owned().into_bytes();
            }
            Data::Text(text) => text.bytes_at(self.at, PIECE),
            Data::Value(value) => {
                let words = words(value);
                let bytes = words.as_bytes().get(self.at..).unwrap_or_default();
                bytes.get(..bytes.len().min(PIECE)).unwrap_or_default().to_vec()
            }
        };
        self.at += piece.len();
        piece
    }
}

#[cfg(test)]
mod tests;
