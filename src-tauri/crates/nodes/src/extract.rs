//! `extract`: name → path over an answer (K-44, K-51, K-52). One resolver and one error for every kind that offers it.

use crate::support::{setting, wrong_setting};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;
use signalbox_model::path::{self, Missing};

/// The setting; nothing when no path is given.
pub(crate) fn paths(slot: &CallSlot) -> Result<Option<&Map<String, Value>>, NodeFailure> {
    match setting(slot, "extract") {
        None => Ok(None),
        Some(Value::Object(paths)) if paths.is_empty() => Ok(None),
        Some(Value::Object(paths)) => Ok(Some(paths)),
        Some(other) => Err(wrong_setting("extract", "an object of name and path", other)),
    }
}

/// Follows every path. All paths that lead nowhere are reported together, so one correction can mend all of them.
pub fn extract(value: &Value, paths: &Map<String, Value>) -> Result<Map<String, Value>, NodeFailure> {
    let mut found = Map::new();
    let mut missing: Vec<(&str, Missing)> = Vec::new();
    for (name, text) in paths {
        let Some(text) = text.as_str() else {
            return Err(bad_path(name, &format!("the path of '{name}' must be text")));
        };
        let segments = path::parse(text).map_err(|bad| bad_path(name, &bad.to_string()))?;
        match path::resolve(value, text, &segments) {
            Ok(part) => {
                found.insert(name.clone(), part.clone());
            }
            Err(nowhere) => missing.push((name, nowhere)),
        }
    }
    match missing.first() {
        None => Ok(found),
        Some((_, first)) => Err(not_found(first, &missing)),
    }
}

fn bad_path(name: &str, why: &str) -> NodeFailure {
    NodeFailure::validation("BAD_PATH", format!("Extract '{name}': {why}. Write it like $.user.name or $.rows[0].id"))
        .detail("field", name)
}

fn not_found(first: &Missing, all: &[(&str, Missing)]) -> NodeFailure {
    let available = if first.available.is_empty() {
        "nothing".to_owned()
    } else {
        let more = if first.available.len() == 20 { "…" } else { "" };
        format!("{}{more}", first.available.join(", "))
    };
    let mut message = format!("Field '{}' not found. Available: {available}", first.path);
    if first.available_at != "$" {
        message.push_str(&format!(" (at {})", first.available_at));
    }
    if all.len() > 1 {
        let others: Vec<String> = all[1..].iter().take(20).map(|(_, m)| format!("'{}'", m.path)).collect();
        message.push_str(&format!(". Also not found: {}", others.join(", ")));
    }
    let attempted: Vec<&str> = all.iter().map(|(_, m)| m.path.as_str()).collect();
    let each: Vec<Value> = all
        .iter()
        .map(|(name, m)| json!({"name": name, "path": m.path, "available": m.available, "availableAt": m.available_at}))
        .collect();
    let failure = NodeFailure::validation("BAD_PATH", message)
        .detail("attempted", attempted)
        .detail("available", first.available.clone())
        .detail("availableAt", first.available_at.clone())
        .detail("topLevel", first.top_level.clone())
        .detail("sample", first.sample.clone());
    if all.len() > 1 { failure.detail("missing", each) } else { failure }
}

#[cfg(test)]
mod tests;
