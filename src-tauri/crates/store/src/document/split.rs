//! Large values are taken out of the text in which they stand, in one pass: as values in memory they would take ten times
//! as much as their text (ADR 62).

use super::{Blob, Document, Source};
use serde_json::Value;
use signalbox_model::blob::BLOB_LIMIT;
use signalbox_model::data::Text;
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
    /// What it stands in is another text; this is its place there.
    Around(String),
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
    /// What strings begin with that stand for a text, and those that were found.
    mark: Option<&'a str>,
    marks: Vec<Marked>,
    deepest: usize,
}

/// A string that stands for a text.
struct Marked {
    place: Range<usize>,
    number: usize,
    pointer: String,
}

fn scan<'a>(
    text: &'a str,
    levels: Vec<Level>,
    mark: Option<&'a str>,
    wanted: &'a mut dyn FnMut(&str) -> bool,
) -> Splitting<'a> {
    let (holes, references, taken, marks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    Splitting { text, levels, holes, references, taken, wanted, mark, marks, deepest: 0 }
}

/// `text` is compact JSON, as serde writes it. How deep it is nested is returned with it.
pub(super) fn split(text: String, wanted: &mut dyn FnMut(&str) -> bool) -> (Document, usize) {
    let Splitting { holes, references, taken, deepest, .. } = scan(&text, Vec::new(), None, wanted).read();
    if references.is_empty() {
        return (Document { text, references: None, blobs: Vec::new() }, deepest);
    }
    let references = Some(Value::Array(references).to_string());
    let left = without(&text, 0..text.len(), &holes);
    let whole = Arc::new(text);
    let blob = |(hash, taken)| match taken {
        Taken::Own(data) => Blob::new(hash, data),
        Taken::Part(part) => Blob { hash, data: Source::Part(Arc::clone(&whole), part) },
    };
    (Document { text: left, references, blobs: taken.into_iter().map(blob).collect() }, deepest)
}

/// The same of a text in which strings that begin with `mark` stand for others, by their numbers. These are not copied.
pub(super) fn split_marked(text: String, mark: &str, texts: &[Text]) -> Document {
    let marks = scan(&text, Vec::new(), Some(mark), &mut |_| false).read().marks;
    let (mut spliced, mut from) = (String::with_capacity(text.len()), 0);
    let (mut references, mut blobs) = (Vec::new(), Vec::new());
    for Marked { place, number, pointer } in marks {
        let Some(inner) = texts.get(number) else { continue };
        spliced.push_str(&text[from..place.start]);
        from = place.end;
        // The value as a whole may be the one that is taken out: it stands in something.
        let around = vec![Level { start: 0, less: 0, mixed: false, place: Place::Around(pointer) }];
        let Splitting { holes, references: found, taken, .. } = scan(inner.text(), around, None, &mut |_| true).read();
        references.extend(found);
        spliced.push_str(&without(inner.text(), 0..inner.text().len(), &holes));
        blobs.extend(taken.into_iter().map(|(hash, taken)| match taken {
            Taken::Own(data) => Blob::new(hash, data),
            Taken::Part(part) => Blob { hash, data: Source::Shared(inner.clone(), part) },
        }));
    }
    spliced.push_str(&text[from..]);
    drop(text);
    let (rest, _) = split(spliced, &mut |_| true);
    blobs.extend(rest.blobs);
    if let Some(known) = &rest.references {
        let known: Vec<Value> = serde_json::from_str(known).unwrap_or_default();
        references.extend(known);
    }
    let references = (!references.is_empty()).then(|| Value::Array(references).to_string());
    Document { text: rest.text, references, blobs }
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
                    self.deepest = self.deepest.max(self.levels.len());
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
                        Some(_) | None => {
                            self.found(at..end);
                            self.ended(at..end, 0, false);
                        }
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

    /// A string is a value.
    fn found(&mut self, place: Range<usize>) {
        let Some(mark) = self.mark else { return };
        let number = self.text[place.start + 1..place.end - 1].strip_prefix(mark);
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            self.marks.push(Marked { place, number, pointer: self.pointer() });
        }
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
            if let Place::Around(place) = &level.place {
                pointer.push_str(place);
                continue;
            }
            pointer.push('/');
            match &level.place {
                Place::Around(_) => {}
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
