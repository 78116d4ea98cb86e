//! Data that is read from a long text stays text, too: an event that holds a table is read again by whoever follows the run. What was
//! stored on its own is taken over as it is: a mark stands in its place (see `detached`), and no copy of it is made (ADR 194).

use super::copied::text;
use super::{Data, Text, mark, parsed, put_back};
use crate::spans::parts;
use serde::{Deserialize, Deserializer};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// What is shorter is smaller as a value.
const SHORT: usize = 64;

thread_local! {
    // Deserialize has no other way to be told something by the one who asks.
    static AS_TEXT: Cell<bool> = const { Cell::new(false) };
    static MARKED: RefCell<Vec<Text>> = const { RefCell::new(Vec::new()) };
}

/// [`as_text`]; where data, or a member of it, is the string [`mark`] and a number, it is this text.
pub fn with_texts<R>(texts: Vec<Text>, read: impl FnOnce() -> R) -> R {
    /// Also when `read` panics.
    struct Before(Vec<Text>);
    impl Drop for Before {
        fn drop(&mut self) {
            MARKED.set(std::mem::take(&mut self.0));
        }
    }
    let _before = Before(MARKED.replace(texts));
    as_text(read)
}

/// The text that a string stands for.
fn marked(string: &str, texts: &[Text]) -> Option<Text> {
    let number = string.strip_prefix('"')?.strip_suffix('"')?.strip_prefix(mark())?;
    texts.get(number.parse::<usize>().ok()?).cloned()
}

/// Data in which texts stand that were taken over.
fn taken_over(text: &str) -> Option<Data> {
    MARKED.with_borrow(|texts| {
        if texts.is_empty() || !text.contains(mark()) {
            return None;
        }
        let member = |value: &str| match marked(value, texts) {
            Some(text) => Data::Text(text),
            // In a list, or further in, it is put where it stands.
            None => Data::written(put_back(value.to_owned(), texts, usize::MAX)),
        };
        if !text.starts_with('{') {
            return Some(member(text));
        }
        Some(Data::object(
            parts(text).map(|part| (part.name.unwrap_or("\"\"").to_owned(), member(part.value))).collect(),
        ))
    })
}

/// Carries out `read`; data that is deserialized in it stays text.
pub fn as_text<R>(read: impl FnOnce() -> R) -> R {
    /// Also when `read` panics.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            AS_TEXT.set(self.0);
        }
    }
    let _before = Before(AS_TEXT.replace(true));
    read()
}

/// Whether data stays text.
pub(crate) fn stays_text() -> bool {
    AS_TEXT.get()
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !stays_text() {
            return Arc::deserialize(deserializer).map(Self::Value);
        }
        let text = text(deserializer)?;
        if let Some(data) = taken_over(&text) {
            return Ok(data);
        }
        Ok(if text.len() < SHORT { Self::Value(Arc::new(parsed(&text))) } else { Self::written(text) })
    }
}
