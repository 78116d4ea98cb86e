//! The envelope that passes between steps, checked against its schema at each step (D-12, K-61): in debug builds and tests.

use crate::schema::Schema;
use crate::schemas::Schemas;
use crate::state::RunState;
use serde_json::{Map, Value, json};
use signalbox_model::{ErrorType, Item, Items, NodeFailure, time};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The nil UUID.
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";
/// Items of one step that are looked at.
const MOST: usize = 1_000;

static SCHEMA: LazyLock<Option<Arc<Schema>>> = LazyLock::new(|| {
    let schema = Schemas::default();
    Schema::compile(schema.get("/schemas/execution-payload.schema.json")?).ok()
});

/// Shapes that fit: which fields its items have. What a field holds is given by its type.
static FITTING: Mutex<BTreeSet<u8>> = Mutex::new(BTreeSet::new());

/// One item of each shape that was not checked yet.
fn new_shapes<'a>(lists: impl Iterator<Item = &'a Items>) -> BTreeMap<u8, Item> {
    let fitting = FITTING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut found = BTreeMap::new();
    for items in lists {
        for index in 0..items.len().min(MOST) {
            let (binary, error) = (items.binary(index).is_some(), items.error(index).is_some());
            let shape = u8::from(binary) | (u8::from(error) << 1);
            if !fitting.contains(&shape) && !found.contains_key(&shape) {
                found.extend(items.bare(index).map(|item| (shape, item)));
            }
        }
    }
    found
}

/// What is wrong with the envelope of these items; nothing in a release build. Any JSON fits `data` and the variables, so their
/// values are left out. Each shape is checked where it first occurs: the others differ in ids only.
pub(crate) fn violation<'a>(state: &RunState, lists: impl Iterator<Item = &'a Items>) -> Option<NodeFailure> {
    if !cfg!(debug_assertions) {
        return None;
    }
    let shapes = new_shapes(lists);
    if shapes.is_empty() {
        return None;
    }
    let items: Vec<&Item> = shapes.values().collect();
    let schema = SCHEMA.as_ref()?;
    let context: Map<String, Value> = state.context.keys().map(|name| (name.clone(), Value::Null)).collect();
    // Runs of the store have UUIDs; one that a test drives alone has any id.
    let run = if state.run_id.len() == NOBODY.len() { &*state.run_id } else { NOBODY };
    let payload = json!({
        "runId": run, "items": items, "context": context,
        "meta": { "startTime": time::format(state.started_ms), "lastNode": state.last_node() },
    });
    let Err(found) = schema.validate(&payload) else {
        FITTING.lock().unwrap_or_else(PoisonError::into_inner).extend(shapes.keys());
        return None;
    };
    let told: Vec<Value> = found.iter().map(|one| json!({ "path": one.path, "message": one.message })).collect();
    let first = found.first().map(crate::schema::Violation::told).unwrap_or_default();
    let message = format!("The data between two steps is no ExecutionPayload: {first}. This is a fault of the program");
    Some(NodeFailure::new(ErrorType::UnknownError, "INTERNAL", message).detail("violations", told))
}
