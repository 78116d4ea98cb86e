//! What expressions see and steps work on while they are tried.

use serde_json::{Value, json};
use signalbox_engine::Compiled;
use signalbox_engine::effect::CallSlot;
use signalbox_engine::scope::Scope;
use signalbox_engine::validate;
use signalbox_model::{Data, Item, Items};
use std::sync::{Arc, LazyLock};

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

/// A slot of a step without effects whose item is a text.
pub(crate) fn slot(config: Value, text: &str) -> CallSlot {
    let scope = scope(json!(text));
    let mut input = Items::new();
    input.push_data(Item { id: "1".into(), ..Item::default() }, scope.item.clone());
    CallSlot { item: 0, config: Arc::new(config), input: Arc::new(input), scope, sources: Vec::new() }
}

/// The workflow that recorded events are applied to.
pub(crate) static WORKFLOW: LazyLock<Compiled> = LazyLock::new(|| {
    let checked =
        validate::read(include_bytes!("../../../src-tauri/crates/app/samples/one-loop-two-branches.signalbox.json"));
    let workflow = checked.workflow.expect("the sample can be read");
    Compiled::new(Arc::new(workflow), "0", signalbox_nodes::built_in()).expect("the sample is valid")
});
