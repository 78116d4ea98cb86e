//! Compiled expressions by text. Bounded: when it is full it is emptied, which costs a compile of a few microseconds
//! per expression. It only saves time; nothing depends on what it holds.

use super::Expr;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

const MAX: usize = 1024;

fn store() -> &'static Mutex<HashMap<String, Expr>> {
    static STORE: OnceLock<Mutex<HashMap<String, Expr>>> = OnceLock::new();
    STORE.get_or_init(Mutex::default)
}

pub(super) fn get(text: &str) -> Option<Expr> {
    store().lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned()
}

pub(super) fn put(expr: &Expr) {
    let mut held = store().lock().unwrap_or_else(PoisonError::into_inner);
    if held.len() >= MAX {
        held.clear();
    }
    held.insert(expr.text().to_owned(), expr.clone());
}
