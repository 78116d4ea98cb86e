//! Compiled expressions by text. Bounded by the bytes of the texts: when it is full it is emptied, which costs a compile
//! of a few microseconds per expression. It only saves time; nothing depends on what it holds.

use super::Expr;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Bytes of all texts; a tree takes up to a hundred times as much.
const MAX: usize = 256 * 1024;

#[derive(Default)]
struct Kept {
    by_text: HashMap<String, Expr>,
    bytes: usize,
}

fn store() -> &'static Mutex<Kept> {
    static STORE: OnceLock<Mutex<Kept>> = OnceLock::new();
    STORE.get_or_init(Mutex::default)
}

pub(super) fn get(text: &str) -> Option<Expr> {
    store().lock().unwrap_or_else(PoisonError::into_inner).by_text.get(text).cloned()
}

pub(super) fn put(expr: &Expr) {
    let size = expr.text().len() + 64;
    let mut kept = store().lock().unwrap_or_else(PoisonError::into_inner);
    if kept.bytes + size > MAX {
        *kept = Kept::default();
    }
    if kept.by_text.insert(expr.text().to_owned(), expr.clone()).is_none() {
        kept.bytes += size;
    }
}
