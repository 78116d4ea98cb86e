//! Large values are taken out of the text in which they stand, in one pass: as values in memory they would take ten times
//! as much as their text (ADR 62).

use super::{Blob, Document, Source};
use serde_json::Value;
use signalbox_model::blob::BLOB_LIMIT;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::hash::sha256_hex;
use signalbox_model::spans::end_of_text;
use std::ops::Range;
use std::sync::Arc;

/// Stands where a value was taken out.
const NULL: &str = "null";

/// A list or an object that has begun and not ended.
struct Level {
    start: usize,
    /// How much shorter it is without what was taken out of it.
    less: usize,
    /// A value above the limit is in it that stays: what was stored as large holds none, so this is not one of them.
    mixed: bool,
    place: Place,
}

/// Which element of a level is being read.
enum Place {
    Element(usize),
    /// The text of the member's name, with its quotes; none before the first.
    Member(Option<Range<usize>>),
}

enum Taken {
    Own(String),
    Part(Range<usize>),
}

struct Splitting<'a> {
    text: &'a str,
    levels: Vec<Level>,
    /// What was taken out, in order, and not with something around it.
    holes: Vec<Range<usize>>,
    references: Vec<Value>,
    /// Hash and text; what nothing was taken out of stays where it stands.
    taken: Vec<(String, Taken)>,
    wanted: &'a mut dyn FnMut(&str) -> bool,
}

/// `text` is compact JSON, as serde writes it.
pub(super) fn split(text: String, wanted: &mut dyn FnMut(&str) -> bool) -> Document {
    let splitting = Splitting {
        text: &text,
        levels: Vec::new(),
        holes: Vec::new(),
        references: Vec::new(),
        taken: Vec::new(),
        wanted,
    };
    let Splitting { holes, references, taken, .. } = splitting.read();
    if references.is_empty() {
        return Document { text, references: None, blobs: Vec::new() };
    }
    let references = Some(Value::Array(references).to_string());
    let left = without(&text, 0..text.len(), &holes);
    let whole = Arc::new(text);
    let blob = |(hash, taken)| match taken {
        Taken::Own(data) => Blob::new(hash, data),
        Taken::Part(part) => Blob { hash, data: Source::Part(Arc::clone(&whole), part) },
    };
    Document { text: left, references, blobs: taken.into_iter().map(blob).collect() }
}

/// A part of the text without the holes in it.
fn without(text: &str, part: Range<usize>, holes: &[Range<usize>]) -> String {
    let less: usize = holes.iter().map(|hole| hole.len() - NULL.len()).sum();
    let mut left = String::with_capacity(part.len() - less);
    let mut from = part.start;
    for hole in holes {
        left.push_str(&text[from..hole.start]);
        left.push_str(NULL);
        from = hole.end;
    }
    left.push_str(&text[from..part.end]);
    left
}

impl Splitting<'_> {
    fn read(mut self) -> Self {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'{' | b'[' => {
                    let place = if *byte == b'{' { Place::Member(None) } else { Place::Element(0) };
                    self.levels.push(Level { start: at, less: 0, mixed: false, place });
                    at += 1;
                }
                b'}' | b']' => {
                    at += 1;
                    if let Some(level) = self.levels.pop() {
                        self.ended(level.start..at, level.less, level.mixed);
                    }
                }
                b'"' => {
                    let end = end_of_text(bytes, at);
                    match self.levels.last_mut().map(|level| &mut level.place) {
                        Some(Place::Member(name)) if bytes.get(end) == Some(&b':') => *name = Some(at..end),
                        Some(_) | None => self.ended(at..end, 0, false),
                    }
                    at = end;
                }
                b',' => {
                    if let Some(Place::Element(index)) = self.levels.last_mut().map(|level| &mut level.place) {
                        *index += 1;
                    }
                    at += 1;
                }
                _ => at += 1,
            }
        }
        self
    }

    /// A value ends: a large one is taken out of what is around it. The whole text never is.
    fn ended(&mut self, span: Range<usize>, less: usize, mixed: bool) {
        if self.levels.is_empty() {
            return;
        }
        let large = span.len() - less > BLOB_LIMIT;
        let taken = large && !mixed && self.take(&span);
        let Some(around) = self.levels.last_mut() else { return };
        if taken {
            around.less += span.len() - NULL.len();
        } else {
            around.less += less;
            around.mixed |= large;
        }
    }

    fn take(&mut self, span: &Range<usize>) -> bool {
        let inside = self.holes.partition_point(|hole| hole.start < span.start);
        let taken = if inside == self.holes.len() {
            Taken::Part(span.clone())
        } else {
            Taken::Own(without(self.text, span.clone(), &self.holes[inside..]))
        };
        let hash = match &taken {
            Taken::Own(data) => sha256_hex(data.as_bytes()),
            Taken::Part(part) => sha256_hex(&self.text.as_bytes()[part.clone()]),
        };
        if !(self.wanted)(&hash) {
            return false;
        }
        self.references.push(Value::Array(vec![Value::String(self.pointer()), Value::String(hash.clone())]));
        self.taken.push((hash, taken));
        self.holes.truncate(inside);
        self.holes.push(span.clone());
        true
    }

    /// Where the value stands that is being read.
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for level in &self.levels {
            pointer.push('/');
            match &level.place {
                Place::Element(index) => pointer.push_str(&index.to_string()),
                Place::Member(name) => {
                    let name = name.clone().and_then(|name| serde_json::from_str::<String>(&self.text[name]).ok());
                    pointer.push_str(&pointer_token(&name.unwrap_or_default()));
                }
            }
        }
        pointer
    }
}
