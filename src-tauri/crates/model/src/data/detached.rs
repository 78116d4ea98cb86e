//! Texts are written as they stand. Serde has no way to take one over, and would read and write each of them anew, so while something is
//! written a mark stands in the place of each text; afterwards the short ones are put there. Large ones are stored on their own: a copy
//! of them in the text of an event would be made to be taken out again (ADR 158).

use super::Text;
use serde::Serialize;
use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// What replaces a text begins with this. It is random, so no value of a person is taken for it.
static MARK: LazyLock<String> = LazyLock::new(|| {
    // Short: it is written for each row of a list.
    format!("sb{:016x}-", RandomState::new().build_hasher().finish())
});

thread_local! {
    // Serialize has no other way to be told something by the one who asks.
    static TEXTS: RefCell<Option<Vec<Text>>> = const { RefCell::new(None) };
}

/// What was written, and the texts that were left out.
#[derive(Debug)]
pub struct Detached<R> {
    /// What `write` gave.
    pub written: R,
    /// The texts, in the order in which they stand.
    pub texts: Vec<Text>,
}

/// Compact JSON of a value. The texts of data in it are copied as they stand.
///
/// # Errors
/// Those of serde.
pub fn write<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    let Detached { written, texts } = detached(|| serde_json::to_string(value));
    written.map(|text| put_back(text, &texts, usize::MAX))
}

/// Puts the texts that are shorter than `below` into their places; the marks of the others stay.
pub fn put_back(written: String, texts: &[Text], below: usize) -> String {
    let lengths = texts.iter().map(Text::length).filter(|length| *length < below);
    let (mut count, mut bytes) = (0, 0_usize);
    for length in lengths {
        count += 1;
        bytes += length;
    }
    if count == 0 {
        return written;
    }
    let begin = format!("\"{}", *MARK);
    let (mut out, mut rest) = (String::with_capacity(written.len() + bytes), written.as_str());
    while let Some((before, after)) = rest.split_once(&*begin) {
        out.push_str(before);
        let (number, behind) = after.split_once('"').unwrap_or((after, ""));
        match number.parse().ok().and_then(|number: usize| texts.get(number)) {
            Some(text) if text.length() < below => out.push_str(text.text()),
            Some(_) | None => out.extend([&*begin, number, "\""]),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Carries out `write`; data that is serialized in it and is text becomes the string [`mark`] and its number.
pub fn detached<R>(write: impl FnOnce() -> R) -> Detached<R> {
    /// Also when `write` panics.
    struct Before(Option<Vec<Text>>);
    impl Drop for Before {
        fn drop(&mut self) {
            TEXTS.set(self.0.take());
        }
    }
    let before = Before(TEXTS.replace(Some(Vec::new())));
    let written = write();
    let texts = TEXTS.take().unwrap_or_default();
    drop(before);
    Detached { written, texts }
}

/// What stands before the number of a text that was left out.
pub fn mark() -> &'static str {
    &MARK
}

/// What is written in the place of a text, when somebody asked for that.
pub(super) fn marked(text: &Text) -> Option<String> {
    TEXTS.with_borrow_mut(|texts| {
        let texts = texts.as_mut()?;
        texts.push(text.clone());
        Some(format!("{}{}", *MARK, texts.len() - 1))
    })
}
