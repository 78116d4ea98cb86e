//! A workflow file of n8n as data. Every JSON object with a list of nodes is read; what is odd in it is told.

use crate::report::{Findings, Level};
use serde_json::Value;
use signalbox_model::Map;
use std::collections::{HashMap, HashSet};

/// Most nodes of a file.
pub(super) const MOST_NODES: usize = 5_000;

/// One node.
pub(super) struct Node<'a> {
    pub(super) name: String,
    /// Its id here.
    pub(super) id: String,
    /// Its type without the name of the package.
    pub(super) kind: String,
    /// Its type as written.
    pub(super) full: &'a str,
    pub(super) version: f64,
    pub(super) params: &'a Map,
    pub(super) raw: &'a Map,
    pub(super) path: String,
    pub(super) at: Option<(f64, f64)>,
}

impl Node<'_> {
    pub(super) fn flag(&self, field: &str) -> bool {
        self.raw.get(field) == Some(&Value::Bool(true))
    }
}

/// A wire between two nodes, by their places in the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wire {
    pub(super) from: usize,
    pub(super) output: usize,
    pub(super) to: usize,
    pub(super) input: usize,
}

/// A file that was read.
pub(super) struct File<'a> {
    pub(super) top: &'a Map,
    pub(super) name: String,
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) notes: Vec<Note>,
    pub(super) wires: Vec<Wire>,
    /// Nodes that serve another one: (which, how, whom).
    pub(super) parts: Vec<(usize, String, usize)>,
    pub(super) by_name: HashMap<String, usize>,
}

/// A sticky note.
pub(super) struct Note {
    pub(super) text: String,
    pub(super) color: Option<i64>,
    pub(super) area: (f64, f64, f64, f64),
}

static EMPTY: std::sync::LazyLock<Map> = std::sync::LazyLock::new(Map::new);

/// The workflow in a file: alone, in what the API answers, or the first of a list.
pub(super) fn workflow(value: &Value) -> Option<(&Map, usize)> {
    let one = |value: &Value| {
        value.as_object().is_some_and(|top| {
            top.get("nodes").is_some_and(Value::is_array)
                && !top.contains_key("signalbox")
                && !top.contains_key("StartAt")
        })
    };
    // The page of a template lists its nodes for show, in addition to the workflow.
    let inside = || ["data", "workflow", "workflowData"].iter().any(|field| value.get(field).is_some_and(one));
    if one(value) && (value.get("connections").is_some() || !inside()) {
        return value.as_object().map(|top| (top, 1));
    }
    for field in ["data", "workflow", "workflowData"] {
        if let Some(inner) = value.get(field).filter(|inner| one(inner)) {
            return inner.as_object().map(|top| (top, 1));
        }
        if let Some(inner) = value.get(field).and_then(|inner| inner.get("workflow")).filter(|inner| one(inner)) {
            return inner.as_object().map(|top| (top, 1));
        }
    }
    let list = value.as_array()?;
    list.iter().find(|value| one(value)).and_then(Value::as_object).map(|top| (top, list.len()))
}

/// Whether nodes look like those of n8n: a type with the name of a package.
pub(super) fn is_one(value: &Value) -> bool {
    workflow(value).is_some_and(|(top, _)| {
        let nodes = top.get("nodes").and_then(Value::as_array);
        top.get("connections").is_some_and(|all| all.is_object() || all.is_array())
            || nodes.is_some_and(|nodes| {
                nodes.iter().any(|node| {
                    node["type"].as_str().is_some_and(|kind| kind.contains('.') || kind.contains('/'))
                        && node.get("parameters").is_some()
                })
            })
    })
}

pub(super) fn read<'a>(top: &'a Map, name: &str, found: &mut Findings) -> File<'a> {
    let list: &[Value] = top.get("nodes").and_then(Value::as_array).map_or(&[], Vec::as_slice);
    let mut file = File {
        top,
        name: top.get("name").and_then(Value::as_str).filter(|name| !name.trim().is_empty()).unwrap_or(name).to_owned(),
        nodes: Vec::new(),
        notes: Vec::new(),
        wires: Vec::new(),
        parts: Vec::new(),
        by_name: HashMap::new(),
    };
    let mut taken: HashSet<String> = HashSet::new();
    for (at, raw) in list.iter().enumerate().take(MOST_NODES) {
        let path = format!("/nodes/{at}");
        let Some(raw) = raw.as_object() else {
            found.add(
                Level::Warning,
                "NOT_A_NODE",
                None,
                path,
                "An entry of the nodes is no object; it is left out.",
                "Nothing.",
            );
            continue;
        };
        let full = raw.get("type").and_then(Value::as_str).unwrap_or("unknown");
        let kind = full.rsplit(['.', '/']).next().unwrap_or(full).to_owned();
        let params = raw.get("parameters").and_then(Value::as_object).unwrap_or(&EMPTY);
        let place = raw.get("position");
        let coordinate = |n: usize, name: &str| {
            place
                .and_then(|place| place.get(n).or_else(|| place.get(name)))
                .and_then(Value::as_f64)
                .filter(|v| v.abs() < 1e7)
        };
        let spot = coordinate(0, "x").zip(coordinate(1, "y"));
        if kind == "stickyNote" {
            let side = |field: &str, default: f64| params.get(field).and_then(Value::as_f64).unwrap_or(default);
            let (x, y) = spot.unwrap_or_default();
            file.notes.push(Note {
                text: params.get("content").and_then(Value::as_str).unwrap_or_default().to_owned(),
                color: params.get("color").and_then(Value::as_i64),
                area: (x, y, x + side("width", 240.0), y + side("height", 160.0)),
            });
            continue;
        }
        let written = raw.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()).unwrap_or(&kind);
        let mut name = written.to_owned();
        if file.by_name.contains_key(&name) {
            let mut number = 2;
            while file.by_name.contains_key(&format!("{written} {number}")) {
                number += 1;
            }
            name = format!("{written} {number}");
            let message = format!("Two nodes are called \"{written}\"; the second one is \"{name}\" here.");
            let hint = "Wires and expressions mean the first one; correct those of the second.";
            found.add(Level::Warning, "DUPLICATE_NAME", Some(&name), path.clone(), message, hint);
        }
        let id = free(&name, &kind, &mut taken);
        file.by_name.insert(name.clone(), file.nodes.len());
        let version = raw.get("typeVersion").and_then(Value::as_f64).unwrap_or(1.0);
        file.nodes.push(Node { name, id, kind, full, version, params, raw, path, at: spot });
    }
    if list.len() > MOST_NODES {
        let message = format!("The file has {} nodes; the first {MOST_NODES} are read.", list.len());
        found.add(Level::Problem, "TOO_MANY_NODES", None, "/nodes", message, "Split the workflow.");
    }
    wires(top, &mut file, found);
    file
}

/// A free id like the name.
fn free(name: &str, kind: &str, taken: &mut HashSet<String>) -> String {
    let plain = |text: &str| {
        let mut out = String::new();
        for c in text.chars() {
            if c.is_ascii_alphanumeric() {
                out.push(c);
            } else if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            if out.len() >= 48 {
                break;
            }
        }
        out.trim_end_matches('_').to_owned()
    };
    let mut base = plain(name);
    if base.len() < 2 {
        base = plain(kind);
    }
    if !base.starts_with(|c: char| c.is_ascii_alphabetic()) {
        base = format!("step_{base}");
    }
    let mut id = base.clone();
    let mut number = 1;
    while !taken.insert(id.clone()) {
        number += 1;
        id = format!("{base}_{number}");
    }
    id
}

fn wires(top: &Map, file: &mut File<'_>, found: &mut Findings) {
    let Some(all) = top.get("connections").and_then(Value::as_object) else { return };
    let mut seen = HashSet::new();
    // Some tools name nodes by their ids here.
    let by_id: HashMap<&str, usize> =
        file.nodes.iter().enumerate().filter_map(|(at, node)| Some((node.raw.get("id")?.as_str()?, at))).collect();
    for (source, by_type) in all {
        let path = || format!("/connections/{}", signalbox_model::diagnostic::pointer_token(source));
        let Some(&from) = file.by_name.get(source).or_else(|| by_id.get(source.as_str())) else {
            let message = format!("A wire begins at \"{source}\", which the file does not have.");
            found.add(Level::Warning, "NO_SUCH_NODE", None, path(), message, "Nothing, if the node was deleted.");
            continue;
        };
        for (kind, outputs) in by_type.as_object().into_iter().flatten() {
            for (output, targets) in outputs.as_array().into_iter().flatten().enumerate() {
                for target in targets.as_array().into_iter().flatten() {
                    let name = target["node"].as_str().unwrap_or_default();
                    let Some(&to) = file.by_name.get(name).or_else(|| by_id.get(name)) else {
                        let message =
                            format!("A wire from \"{source}\" leads to \"{name}\", which the file does not have.");
                        found.add(
                            Level::Warning,
                            "NO_SUCH_NODE",
                            Some(source),
                            path(),
                            message,
                            "Nothing, if the node was deleted.",
                        );
                        continue;
                    };
                    let input = target["index"].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(0).min(100);
                    if !seen.insert((from, kind.clone(), output, to, input)) {
                        continue;
                    }
                    if kind == "main" {
                        file.wires.push(Wire { from, output, to, input });
                    } else {
                        file.parts.push((from, kind.clone(), to));
                    }
                }
            }
        }
    }
}
