//! Made-up answers for steps of which nothing is recorded: of the shape that their kind declares, with the fields that later
//! steps read.

use crate::simulation::CallInfo;
use serde_json::{Map, Value};
use signalbox_model::{NodeDescriptor, Workflow};
use signalbox_planner::sample_of;

/// What a made-up text is.
const TEXT: &str = "sample";

/// The answer of a step that succeeds.
pub fn answer(workflow: &Workflow, step: &str, kind: &NodeDescriptor, call: &CallInfo<'_>) -> (String, Value) {
    let config = &call.slot.config;
    let mut data = Value::Object(sample_of(kind, Some(config)));
    for path in read_paths(workflow, step) {
        put(&mut data, &path);
    }
    if config.get("keepInput") == Some(&Value::Bool(true)) {
        let field = config.get("resultField").and_then(Value::as_str).unwrap_or("result");
        let mut kept = match call.slot.input.data(0).as_deref() {
            Some(Value::Object(kept)) => kept.clone(),
            _ => Map::new(),
        };
        kept.insert(field.to_owned(), data);
        data = Value::Object(kept);
    }
    let port = kind.ports.iter().find(|port| port.id == "success").or_else(|| kind.ports.first());
    (port.map_or("success", |port| port.id.as_str()).to_owned(), data)
}

/// Paths into the output of a step that expressions of the workflow read: `nodes.STEP.output.…` anywhere, `item.…` in the steps
/// right behind it.
fn read_paths(workflow: &Workflow, step: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let behind: Vec<&str> = workflow
        .edges
        .iter()
        .filter(|edge| edge.from.node() == step && edge.from.port() != "error")
        .map(|edge| edge.to.as_str())
        .collect();
    let all = format!("nodes.{step}.output.");
    for (id, node) in &workflow.nodes {
        let text = serde_json::to_string(node).unwrap_or_default();
        paths_after(&text, &all, &mut found);
        if behind.contains(&id.as_str()) {
            paths_after(&text, "item.", &mut found);
        }
    }
    found
}

fn paths_after(text: &str, prefix: &str, found: &mut Vec<Vec<String>>) {
    for (at, _) in text.match_indices(prefix) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == '.') {
            continue;
        }
        let rest = &text[at + prefix.len()..];
        let end = rest
            .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == '.'))
            .unwrap_or(rest.len());
        let is_call = rest[end..].starts_with('(');
        let mut path: Vec<String> = rest[..end].split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        // `item.name.size()` reads `name`.
        if is_call {
            path.pop();
        }
        if !path.is_empty() && !found.contains(&path) {
            found.push(path);
        }
    }
}

/// Puts a text where nothing is.
fn put(data: &mut Value, path: &[String]) {
    let Some((name, rest)) = path.split_first() else { return };
    if data.is_null() {
        *data = Value::Object(Map::new());
    }
    let Some(fields) = data.as_object_mut() else { return };
    if rest.is_empty() {
        let field = fields.entry(name.clone()).or_insert(Value::Null);
        if field.is_null() {
            *field = TEXT.into();
        }
    } else {
        put(fields.entry(name.clone()).or_insert(Value::Null), rest);
    }
}
