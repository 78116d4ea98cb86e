//! How a workflow file is written: one stable order, two spaces, short values on one line. Printing what was printed
//! gives the same bytes; unknown fields keep their place after the known ones.

use serde_json::{Map, Value};

const WIDTH: usize = 110;

const FILE: &[&str] =
    &["signalbox", "id", "name", "description", "params", "context", "schemas", "settings", "nodes", "edges"];
const CONTEXT: &[&str] = &["schema", "initial"];
const SETTINGS: &[&str] = &["errorPolicy", "model", "onAbort", "auditRules"];
const NODE: &[&str] = &[
    "type",
    "typeVersion",
    "title",
    "description",
    "disabled",
    "if",
    "print",
    "in",
    "config",
    "out",
    "writes",
    "errorHandling",
    "timeoutMs",
    "idempotencyKey",
    "guardrails",
    "parent",
    "pinned",
    "mode",
];
const ERROR_HANDLING: &[&str] = &["retryPolicy", "fallbackNodeId", "autoFix", "humanReviewThreshold"];
const RETRY: &[&str] = &["maxAttempts", "backoff", "initialDelayMs", "maxDelayMs", "jitter"];
const EDGE: &[&str] = &["from", "to"];

/// The text of a workflow file, with a newline at the end.
pub fn print(document: &Value) -> String {
    let mut out = String::new();
    write(&mut out, &ordered(document), 0, 0, Spread::File);
    out.push('\n');
    out
}

/// The same to the byte: the order of steps and wires decides ties, so unlike `==` it counts.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    let (one, other) = (one.to_string(), other.to_string());
    one == other
}

/// Known fields in the order of the model, then unknown ones as they came, the view state last.
fn ordered(document: &Value) -> Value {
    let Value::Object(file) = document else { return document.clone() };
    let mut out = sorted(file, FILE);
    if let Some(layout) = out.shift_remove("layout") {
        out.insert("layout".into(), layout);
    }
    inside(&mut out, "context", |v| sort(v, CONTEXT));
    inside(&mut out, "settings", |v| sort(v, SETTINGS));
    if let Some(Value::Object(nodes)) = out.get_mut("nodes") {
        for node in nodes.values_mut() {
            sort(node, NODE);
            if let Value::Object(fields) = node {
                inside(fields, "errorHandling", |handling| {
                    sort(handling, ERROR_HANDLING);
                    if let Value::Object(fields) = handling {
                        inside(fields, "retryPolicy", |policy| sort(policy, RETRY));
                    }
                });
            }
        }
    }
    if let Some(Value::Array(edges)) = out.get_mut("edges") {
        edges.iter_mut().for_each(|edge| sort(edge, EDGE));
    }
    Value::Object(out)
}

fn inside(map: &mut Map<String, Value>, key: &str, change: impl FnOnce(&mut Value)) {
    if let Some(value) = map.get_mut(key) {
        change(value);
    }
}

fn sort(value: &mut Value, order: &[&str]) {
    if let Value::Object(map) = value {
        *map = sorted(map, order);
    }
}

fn sorted(map: &Map<String, Value>, order: &[&str]) -> Map<String, Value> {
    let known = order.iter().filter_map(|key| map.get_key_value(*key));
    let unknown = map.iter().filter(|(key, _)| !order.contains(&key.as_str()));
    known.chain(unknown).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Which values are always written over several lines.
#[derive(Clone, Copy, PartialEq)]
enum Spread {
    /// The file itself.
    File,
    /// `nodes`, `edges`, `layout`: one element per line, so that a change of one is a change of one line.
    List,
    /// Whatever fits.
    Fit,
}

fn write(out: &mut String, value: &Value, indent: usize, used: usize, spread: Spread) {
    let empty = match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    };
    let mut line = String::new();
    if empty || (spread == Spread::Fit && one_line(&mut line, value, WIDTH.saturating_sub(used))) {
        out.push_str(if empty { line_of(value, &mut line) } else { &line });
        return;
    }
    let inner = indent + 2;
    match value {
        Value::Object(map) => {
            out.push('{');
            for (index, (key, child)) in map.iter().enumerate() {
                out.push_str(if index == 0 { "\n" } else { ",\n" });
                let head = format!("{}{}: ", " ".repeat(inner), Value::String(key.clone()));
                out.push_str(&head);
                let listed = spread == Spread::File && matches!(key.as_str(), "nodes" | "edges" | "layout");
                let child_spread = if listed { Spread::List } else { Spread::Fit };
                write(out, child, inner, head.chars().count(), child_spread);
            }
            close(out, indent, '}');
        }
        Value::Array(list) => {
            out.push('[');
            for (index, child) in list.iter().enumerate() {
                out.push_str(if index == 0 { "\n" } else { ",\n" });
                out.push_str(&" ".repeat(inner));
                write(out, child, inner, inner, Spread::Fit);
            }
            close(out, indent, ']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => out.push_str(&value.to_string()),
    }
}

fn close(out: &mut String, indent: usize, bracket: char) {
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    out.push(bracket);
}

fn line_of<'a>(value: &Value, line: &'a mut String) -> &'a str {
    *line = value.to_string();
    line
}

/// Writes a value on one line; false when it does not fit (one character is kept for a comma).
fn one_line(out: &mut String, value: &Value, room: usize) -> bool {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push_str("{ ");
            for (index, (key, child)) in map.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push_str(": ");
                if !one_line(out, child, room) {
                    return false;
                }
            }
            out.push_str(" }");
        }
        Value::Array(list) if !list.is_empty() => {
            out.push('[');
            for (index, child) in list.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                if !one_line(out, child, room) {
                    return false;
                }
            }
            out.push(']');
        }
        Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string());
        }
    }
    // A long text of few characters may be over in bytes only; counting is dear, so bytes are looked at first.
    out.len() < room || out.chars().count() < room
}

#[cfg(test)]
mod tests;
