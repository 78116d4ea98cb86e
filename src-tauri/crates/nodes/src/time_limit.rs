//! How long a call may take where its settings say nothing: calls that carry files take longer than others.

use crate::support::setting;
use serde_json::Value;
use signalbox_engine::effect::CallSlot;

/// A request or a statement, milliseconds.
const USUAL_MS: u64 = 30_000;
/// A request to an object store.
const OBJECTS_MS: u64 = 60_000;
/// What goes to a file or comes from one: there is more of it than anybody makes items of.
const FILE_MS: u64 = 600_000;

fn names_something(slot: &CallSlot, field: &str) -> bool {
    setting(slot, field).is_some_and(|value| value.as_str().is_none_or(|text| !text.trim().is_empty()))
}

/// A request or a statement whose answer may be saved to a file.
pub(crate) fn of_saved(slot: &CallSlot) -> u64 {
    if names_something(slot, "saveTo") { FILE_MS } else { USUAL_MS }
}

/// A request to an object store.
pub(crate) fn of_object(slot: &CallSlot) -> u64 {
    let is_file = setting(slot, "as").is_some_and(|kind| kind == "file") || names_something(slot, "file");
    if is_file { FILE_MS } else { OBJECTS_MS }
}

/// The time limit of a kind, milliseconds; none where calls of the kind have none.
pub fn usual_time_limit(kind: &str, slot: &CallSlot) -> Option<u64> {
    match kind {
        "http.request" | "db.query" => Some(of_saved(slot)),
        "object.read" | "object.write" => Some(of_object(slot)),
        _ => crate::built_in().get(kind)?.config.pointer("/properties/timeoutMs/default").and_then(Value::as_u64),
    }
}
