//! What expressions see while they are tried.

use serde_json::{Value, json};
use signalbox_engine::scope::Scope;
use signalbox_model::Data;
use std::sync::Arc;

/// A scope with values of all types.
pub(crate) fn scope(item: Value) -> Scope {
    let item = Data::Value(Arc::new(item));
    Scope {
        params: Arc::new(json!({ "base": "http://127.0.0.1", "n": 3, "list": [1, 2.5, "x", null, true] })),
        workflow: Arc::new(json!({ "id": "tried" })),
        items: Arc::new(vec![item.clone(), Data::Value(Arc::new(json!({ "a": [1, 2], "s": "é" })))]),
        data: item.clone(),
        item,
        ..Scope::empty()
    }
}

/// An item as expressions of the corpus use it.
pub(crate) fn item() -> Value {
    json!({ "a": 1, "b": "two", "c": [3, { "d": 4.5 }], "when": "2026-11-29T08:30:00Z", "empty": "", "none": null, "big": 9007199254740991_i64 })
}
