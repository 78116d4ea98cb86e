//! A tool of a list as it is looked at, approved and kept: what nobody could use of it is left out, so that one server cannot make
//! every look at the tools of this machine slow.

use serde_json::{Map, Value};

/// What of a tool is looked at, shown and approved.
const TOLD: &[&str] = &["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
/// Largest of them that is kept, bytes of compact JSON: no larger schema is checked against (`MAX_SIZE` of the engine's schemas).
pub(super) const LARGEST: usize = 256 * 1024;
/// What was left out: the sizes in bytes, by the names of [`TOLD`]. Part of what is approved.
const LEFT_OUT: &str = "leftOut";

/// What is kept of a tool.
pub(super) fn kept(tool: &Value) -> Value {
    let (mut kept, mut left_out) = (Map::new(), Map::new());
    for name in TOLD {
        let Some(value) = tool.get(*name) else { continue };
        let size = value.to_string().len();
        if size > LARGEST && *name != "name" {
            left_out.insert((*name).to_owned(), size.into());
        } else {
            kept.insert((*name).to_owned(), value.clone());
        }
    }
    if !left_out.is_empty() {
        kept.insert(LEFT_OUT.to_owned(), Value::Object(left_out));
    }
    Value::Object(kept)
}

/// Why a kept tool is never called: a part of it was left out.
pub(super) fn unusable(kept: &Value) -> Option<String> {
    let (part, size) = kept.get(LEFT_OUT)?.as_object()?.iter().next()?;
    let what = match part.as_str() {
        "inputSchema" => "schema of its arguments",
        "outputSchema" => "schema of its answer",
        "description" => "description",
        "title" => "title",
        _ => "list of hints",
    };
    let kib = |bytes: u64| bytes.div_ceil(1024);
    let size = kib(size.as_u64().unwrap_or_default());
    Some(format!("The {what} has {size} KiB, and at most {} KiB are looked at", kib(LARGEST as u64)))
}

#[cfg(test)]
mod tests;
