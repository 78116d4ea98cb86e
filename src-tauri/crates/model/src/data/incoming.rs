//! Data that is read from a long text stays text, too: an event that holds a table is read again by whoever follows the run.

use super::copied::text;
use super::{Data, parsed};
use serde::{Deserialize, Deserializer};
use std::cell::Cell;
use std::sync::Arc;

/// What is shorter is smaller as a value.
const SHORT: usize = 64;

thread_local! {
    // Deserialize has no other way to be told something by the one who asks.
    static AS_TEXT: Cell<bool> = const { Cell::new(false) };
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
        Ok(if text.len() < SHORT { Self::Value(Arc::new(parsed(&text))) } else { Self::written(text) })
    }
}
