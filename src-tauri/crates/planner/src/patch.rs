//! Changes of a draft by the ids of its steps: a correction says what it changes and leaves the rest alone.

use crate::draft::{Draft, DraftNode, MAX_EDGES, MAX_NODES, edge_of};
use crate::finding::Finding;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Most changes of one answer.
const MAX_CHANGES: usize = 50;
const OPERATIONS: [&str; 6] = ["set", "unset", "add", "remove", "connect", "disconnect"];

/// One change that was made, for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// JSON Pointer into the workflow.
    pub at: String,
    /// What was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// What is there now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

fn bad(at: String, message: impl Into<String>) -> Finding {
    Finding::new("BAD_PATCH", at, message)
}

/// A draft with the changes of an answer; all of them or none.
pub fn apply(draft: &Draft, patch: &[Value]) -> Result<(Draft, Vec<Change>), Vec<Finding>> {
    if patch.len() > MAX_CHANGES {
        let message = format!("The patch has {} changes; a patch has at most {MAX_CHANGES}", patch.len());
        return Err(vec![Finding::new("TOO_LARGE", "/patch", message)]);
    }
    let mut next = draft.clone();
    let (mut changes, mut findings) = (Vec::new(), Vec::new());
    for (index, operation) in patch.iter().enumerate() {
        match one(&mut next, operation, &format!("/patch/{index}")) {
            Ok(change) => changes.extend(change.filter(|change| change.before != change.after)),
            Err(finding) => findings.push(finding),
        }
    }
    // A workflow that people have drawn may be larger; a patch may still add to it.
    let most_nodes = MAX_NODES.max(draft.nodes.len() + MAX_CHANGES);
    let most_edges = MAX_EDGES.max(draft.edges.len() + MAX_CHANGES);
    if next.nodes.len() > most_nodes || next.edges.len() > most_edges {
        let message = format!("The draft may have at most {most_nodes} nodes and {most_edges} edges");
        findings.push(Finding::new("TOO_LARGE", "/patch", message));
    }
    if findings.is_empty() { Ok((next, changes)) } else { Err(findings) }
}

/// A draft with those changes of an answer that can be made so far; the others are told when it is whole.
pub(crate) fn apply_so_far(draft: &Draft, patch: &[Value]) -> Draft {
    let mut next = draft.clone();
    for operation in patch.iter().take(MAX_CHANGES) {
        drop(one(&mut next, operation, ""));
    }
    next
}

fn one(draft: &mut Draft, operation: &Value, at: &str) -> Result<Option<Change>, Finding> {
    let at = at.to_owned();
    let op = operation["op"].as_str().unwrap_or_default();
    match op {
        "set" | "unset" => {
            let (id, node) = node_of(draft, operation, &at)?;
            let path = operation["path"].as_str().unwrap_or_default();
            let value = if op == "set" { operation.get("value").cloned() } else { None };
            if op == "set" && value.is_none() {
                return Err(bad(at, "'set' needs a value"));
            }
            let before = set(node, path, value.clone())
                .ok_or_else(|| bad(at, "The path leads nowhere").got(path).expected("/config/NAME, /title, /if …"))?;
            Ok(Some(Change { at: format!("/nodes/{id}{path}"), before, after: value }))
        }
        "add" => {
            let (id, node) = DraftNode::read(None, &operation["node"], &at)?;
            if draft.nodes.contains_key(&id) {
                return Err(bad(at, format!("There is a node '{id}' already; use 'set' to change it")));
            }
            let after = Some(Value::from(node.kind.as_str()));
            draft.nodes.insert(id.clone(), node);
            Ok(Some(Change { at: format!("/nodes/{id}"), before: None, after }))
        }
        "remove" => {
            let (id, node) = node_of(draft, operation, &at)?;
            let before = Some(Value::from(node.kind.as_str()));
            draft.nodes.shift_remove(&id);
            draft.edges.retain(|(from, to)| *to != id && from.rsplit_once('.').is_none_or(|(node, _)| node != id));
            Ok(Some(Change { at: format!("/nodes/{id}"), before, after: None }))
        }
        "connect" => {
            let edge = Value::from(edge_text(operation));
            draft.connect(&edge).ok_or_else(|| bad(at, "'connect' needs from and to"))?;
            Ok(Some(Change { at: "/edges".into(), before: None, after: Some(edge) }))
        }
        "disconnect" => {
            let text = edge_text(operation);
            let wanted = edge_of(&Value::from(text.clone()));
            let before = draft.edges.len();
            let with_port = wanted.as_ref().map(|(from, to)| (format!("{from}.success"), to.clone()));
            draft.edges.retain(|edge| Some(edge) != wanted.as_ref() && Some(edge) != with_port.as_ref());
            if draft.edges.len() == before {
                return Err(bad(at, "There is no such edge").got(text));
            }
            Ok(Some(Change { at: "/edges".into(), before: Some(text.into()), after: None }))
        }
        other => Err(bad(at, "The operation of a patch is not known").got(other).names(other, OPERATIONS)),
    }
}

fn edge_text(operation: &Value) -> String {
    let text = |name: &str| operation[name].as_str().unwrap_or_default();
    format!("{} -> {}", text("from"), text("to"))
}

fn node_of<'d>(draft: &'d mut Draft, operation: &Value, at: &str) -> Result<(String, &'d mut DraftNode), Finding> {
    let id = operation["node"].as_str().unwrap_or_default().to_owned();
    if !draft.nodes.contains_key(&id) {
        let message = format!("There is no node '{id}'");
        return Err(bad(at.to_owned(), message).got(&id).names(&id, draft.nodes.keys().map(String::as_str)));
    }
    match draft.nodes.get_mut(&id) {
        Some(node) => Ok((id, node)),
        None => Err(bad(at.to_owned(), "There is no such node")),
    }
}

/// Sets or removes what a pointer names, and gives what was there; `None` when it leads nowhere.
fn set(node: &mut DraftNode, path: &str, value: Option<Value>) -> Option<Option<Value>> {
    if path == "/kind" || path == "/type" {
        let before = Value::from(node.kind.as_str());
        value?.as_str()?.clone_into(&mut node.kind);
        return Some(Some(before));
    }
    let mut parts: Vec<String> =
        path.strip_prefix('/')?.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    let last = parts.pop()?;
    let root = parts.first().unwrap_or(&last);
    if !["title", "description", "config", "in", "out", "if", "parent", "mode"].contains(&root.as_str()) {
        return None;
    }
    let Some((first, inner)) = parts.split_first() else {
        return Some(match value {
            Some(value) => node.fields.insert(last, value),
            None => node.fields.shift_remove(&last),
        });
    };
    let mut here = node.fields.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
    for part in inner {
        here = match here {
            Value::Object(map) => map.entry(part.clone()).or_insert_with(|| Value::Object(Map::new())),
            Value::Array(list) => list.get_mut(part.parse::<usize>().ok()?)?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
    }
    match (here, value) {
        (Value::Object(map), Some(value)) => Some(map.insert(last, value)),
        (Value::Object(map), None) => Some(map.shift_remove(&last)),
        (Value::Array(list), Some(value)) => {
            Some(Some(std::mem::replace(list.get_mut(last.parse::<usize>().ok()?)?, value)))
        }
        (Value::Array(list), None) => {
            let index = last.parse::<usize>().ok().filter(|index| *index < list.len())?;
            Some(Some(list.remove(index)))
        }
        _ => None,
    }
}

/// What two drafts differ in, setting by setting.
pub fn between(before: &Draft, after: &Draft) -> Vec<Change> {
    let mut changes = Vec::new();
    for (id, node) in &after.nodes {
        let at = format!("/nodes/{id}");
        match before.nodes.get(id) {
            None => changes.push(Change { at, before: None, after: Some(node.kind.as_str().into()) }),
            Some(old) => {
                if old.kind != node.kind {
                    let (before, after) = (old.kind.as_str().into(), node.kind.as_str().into());
                    changes.push(Change { at: format!("{at}/kind"), before: Some(before), after: Some(after) });
                }
                let (old, new) = (Value::Object(old.fields.clone()), Value::Object(node.fields.clone()));
                values(&old, &new, &at, &mut changes);
            }
        }
    }
    for (id, node) in before.nodes.iter().filter(|(id, _)| !after.nodes.contains_key(*id)) {
        let before = Some(node.kind.as_str().into());
        changes.push(Change { at: format!("/nodes/{id}"), before, after: None });
    }
    let text = |(from, to): &(String, String)| Value::from(format!("{from} -> {to}"));
    let gone = before.edges.iter().filter(|edge| !after.edges.contains(edge));
    changes.extend(gone.map(|edge| Change { at: "/edges".into(), before: Some(text(edge)), after: None }));
    let new = after.edges.iter().filter(|edge| !before.edges.contains(edge));
    changes.extend(new.map(|edge| Change { at: "/edges".into(), before: None, after: Some(text(edge)) }));
    changes
}

fn values(before: &Value, after: &Value, at: &str, changes: &mut Vec<Change>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in new {
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                match old.get(name) {
                    Some(old) => values(old, value, &at, changes),
                    None => changes.push(Change { at, before: None, after: Some(value.clone()) }),
                }
            }
            for (name, value) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                changes.push(Change { at, before: Some(value.clone()), after: None });
            }
        }
        (old, new) if old == new => {}
        (old, new) => changes.push(Change { at: at.to_owned(), before: Some(old.clone()), after: Some(new.clone()) }),
    }
}
