//! An event is written with its large texts beside it: they are stored on their own, so a copy of them in the text of the event would be
//! made to be taken out again (ADR 158).

use super::Text;
use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// What stands in the place of a text begins with this. It is random, so no value of a person is taken for it.
static MARK: LazyLock<String> = LazyLock::new(|| {
    let random = || RandomState::new().build_hasher().finish();
    format!("signalbox-text-{:016x}{:016x}-", random(), random())
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

/// Carries out `write`; data that is serialized in it and is long text becomes the string [`mark`] and its number.
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

/// What is written in the place of a long text, when somebody asked for that.
pub(super) fn marked(text: &Text, from: usize) -> Option<String> {
    if text.text().len() < from {
        return None;
    }
    TEXTS.with_borrow_mut(|texts| {
        let texts = texts.as_mut()?;
        texts.push(text.clone());
        Some(format!("{}{}", *MARK, texts.len() - 1))
    })
}
