//! Members that an object of a JSON text has twice, with different values. Which of them a reader keeps is not defined (RFC 8259,
//! section 4); I-JSON (RFC 7493, section 2.3) forbids them.

use crate::digits;
use crate::spans::{end_of_text, end_of_value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// So many names of an object are compared one by one.
const FEW: usize = 16;

/// A member that occurs twice in one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeated {
    /// Where it stands, like `rows[0].ref`.
    pub path: String,
    /// Of the second one, from 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl Repeated {
    /// What is wrong: a sentence that begins in small letters and has no full stop.
    pub fn told(&self) -> String {
        format!("the member {} occurs twice in one object, with different values", self.path)
    }
}

/// The first of a valid JSON text. A member that is repeated with the same value is none: nothing of it can be lost.
pub fn repeated(text: &str) -> Option<Repeated> {
    names(text).next().map(|range| described(text, range))
}

/// The first one below `path`, in a message of which other parts do not matter. Only the first few of all are looked at,
/// because the path of each is found from the beginning of the text.
pub fn repeated_below(text: &str, path: &str) -> Option<Repeated> {
    names(text).take(16).map(|range| described(text, range)).find(|repeated| repeated.path.starts_with(path))
}

fn described(text: &str, range: Range<usize>) -> Repeated {
    let (line, column) = digits::place(text, range.start);
    Repeated { path: digits::path(&text[..range.end]), line, column }
}

/// Where the names stand that their object has had before, with another value.
fn names(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    // Names of the objects that are open; none for a list.
    let mut open: Vec<Option<Names<'_>>> = Vec::new();
    let (mut at, mut is_name) = (0, false);
    std::iter::from_fn(move || {
        while let Some(byte) = bytes.get(at) {
            let start = at;
            at += 1;
            match byte {
                b'{' | b'[' => {
                    is_name = *byte == b'{';
                    open.push(is_name.then(Names::default));
                }
                b'}' | b']' => {
                    open.pop();
                    is_name = false;
                }
                b',' => is_name = matches!(open.last(), Some(Some(_))),
                b'"' => {
                    at = end_of_text(bytes, start);
                    if !std::mem::take(&mut is_name) {
                        continue;
                    }
                    let Some(Some(names)) = open.last_mut() else { continue };
                    let earlier = names.add(name(&text[start..at]), at);
                    if earlier.is_some_and(|earlier| value(text, earlier) != value(text, at)) {
                        return Some(start..at);
                    }
                }
                _ => {}
            }
        }
        None
    })
}

/// Names of one object, each with the place behind it.
#[derive(Default)]
struct Names<'t> {
    few: Vec<(Cow<'t, str>, usize)>,
    many: HashMap<Cow<'t, str>, usize>,
}

impl<'t> Names<'t> {
    /// The place behind the same name, when it is known.
    fn add(&mut self, name: Cow<'t, str>, end: usize) -> Option<usize> {
        if self.many.is_empty() {
            if let Some((_, earlier)) = self.few.iter().find(|(known, _)| *known == name) {
                return Some(*earlier);
            }
            if self.few.len() < FEW {
                self.few.push((name, end));
                return None;
            }
            self.many.extend(self.few.drain(..));
        }
        match self.many.get(&name) {
            Some(earlier) => Some(*earlier),
            None => self.many.insert(name, end),
        }
    }
}

/// A name as it is meant: two spellings of one name are the same.
fn name(written: &str) -> Cow<'_, str> {
    if written.contains('\\') {
        return Cow::Owned(serde_json::from_str(written).unwrap_or_default());
    }
    Cow::Borrowed(written.trim_matches('"'))
}

/// The value behind a name, as it is written.
fn value(text: &str, behind_name: usize) -> &str {
    let end = end_of_value(text.as_bytes(), behind_name);
    text[behind_name..end].trim_start().trim_start_matches(':').trim()
}

#[cfg(test)]
mod tests;
