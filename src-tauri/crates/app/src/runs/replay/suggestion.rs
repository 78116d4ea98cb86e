//! What several corrections of one kind suggest to the author: the rule as a step before the failed one.

use super::correction::Rule;
use serde_json::{Map, Value, json};
use signalbox_engine::patch::Operation;
use signalbox_engine::patch::pointer;

/// So many replays with one rule make a suggestion.
pub(crate) const TIMES: u64 = 3;

/// Kind and settings of a step that does what a rule does; none where no step can.
pub(crate) fn step_of(rule: &Rule) -> Option<(&'static str, Value)> {
    match rule {
        Rule::Recorded => None,
        Rule::Expression(expression) => Some(("data.transform", json!({ "expression": expression.text() }))),
        Rule::Patch { operations, literal } => {
            let mut assign = Map::new();
            for operation in operations {
                match operation {
                    Operation::Test { .. } => {}
                    Operation::Add { path, value } | Operation::Replace { path, value } => {
                        // A text that a person typed is no expression.
                        let is_text = value.as_str().is_some_and(|text| text.starts_with('=') || text.contains("{{"));
                        if *literal && is_text {
                            return None;
                        }
                        assign.insert(field(path)?, value.clone());
                    }
                    Operation::Remove { .. } | Operation::Move { .. } | Operation::Copy { .. } => return None,
                }
            }
            (!assign.is_empty()).then(|| ("data.set", json!({ "assign": assign })))
        }
    }
}

/// A JSON pointer as the path of a field: `/rows/0/id` is `rows[0].id`.
fn field(path: &str) -> Option<String> {
    let mut field = String::new();
    for token in pointer::split(path)? {
        match pointer::index(&token) {
            Some(index) if !field.is_empty() => field.push_str(&format!("[{index}]")),
            _ => {
                let plain = !token.is_empty() && token.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
                if !plain {
                    return None;
                }
                if !field.is_empty() {
                    field.push('.');
                }
                field.push_str(&token);
            }
        }
    }
    (!field.is_empty()).then_some(field)
}

/// Puts a step on every connection that leads to another one, as operations of a draft. None where the step is not at the top,
/// or begins the workflow.
pub(crate) fn patch_before(
    document: &Value,
    step: &str,
    title: &str,
    kind: &str,
    config: &Value,
) -> Option<(String, Vec<Value>)> {
    let nodes = document.get("nodes")?.as_object()?;
    let node = nodes.get(step)?;
    let id = (1..)
        .map(|n| if n == 1 { format!("{step}_input") } else { format!("{step}_input_{n}") })
        .find(|id| !nodes.contains_key(id))?;
    let edges: Vec<(&str, &str)> = document
        .get("edges")?
        .as_array()?
        .iter()
        .filter_map(|edge| Some((edge.get("from")?.as_str()?, edge.get("to")?.as_str()?)))
        .filter(|(_, to)| *to == step || to.strip_prefix(step).is_some_and(|rest| rest.starts_with('.')))
        .collect();
    if edges.is_empty() {
        return None;
    }
    let mut new = json!({ "id": id, "kind": kind, "title": title, "config": config });
    if let Some(parent) = node.get("parent") {
        new["parent"] = parent.clone();
    }
    let mut patch = vec![json!({ "op": "add", "node": new })];
    for (from, to) in &edges {
        patch.push(json!({ "op": "disconnect", "from": from, "to": to }));
        patch.push(json!({ "op": "connect", "from": from, "to": id }));
    }
    patch.push(json!({ "op": "connect", "from": format!("{id}.success"), "to": step }));
    Some((id, patch))
}

#[cfg(test)]
mod tests;
