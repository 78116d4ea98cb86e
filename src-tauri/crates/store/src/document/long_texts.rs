//! Long values that somebody holds, by their hashes: a table that several events of a run have is read once, and is there once.

use signalbox_model::data::{TEXT_FROM, Text, WeakText};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// From so many on those that nobody holds any more are dropped.
const MANY: usize = 64;

static KNOWN: LazyLock<Mutex<HashMap<String, WeakText>>> = LazyLock::new(Mutex::default);

fn all() -> MutexGuard<'static, HashMap<String, WeakText>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The value with this hash, when somebody holds it.
pub(super) fn known(hash: &str) -> Option<Text> {
    all().get(hash)?.upgrade()
}

/// A value whose hash was verified. Of many short ones none is looked up again.
pub(super) fn keep(hash: &str, text: &Text) {
    if text.length() < TEXT_FROM {
        return;
    }
    let mut all = all();
    if all.len() >= MANY {
        all.retain(|_, known| known.upgrade().is_some());
    }
    all.insert(hash.to_owned(), text.downgrade());
}
