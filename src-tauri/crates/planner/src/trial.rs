//! What a try of a draft would really call, and the workflow that is run for it: reads for real, writes as samples unless a
//! person allows them one by one (K-46, TRUST).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use signalbox_engine::Catalog;
use signalbox_model::{Effects, NodeDescriptor, Role, Workflow};
use std::collections::{BTreeMap, BTreeSet};

/// How a step is treated in a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallMode {
    /// It is called.
    Real,
    /// It is not called; a sample stands for its output.
    Sample,
}

/// A step that reaches out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The step.
    pub step: String,
    /// Its title, or its id.
    pub title: String,
    /// Its kind.
    pub kind: String,
    /// `read` or `write`.
    pub effect: String,
    /// Where to: method and host, tool, or path.
    pub target: String,
    /// How it is treated.
    pub mode: CallMode,
}

/// What a step does outside; settings that are known only in the run count as the worst they may be.
fn effect_of(kind: &NodeDescriptor, config: &Value) -> Effects {
    // What is inside another file is not looked at here.
    if kind.role == Role::Subworkflow {
        return Effects::Write;
    }
    let is_open = |field: &str| {
        let value = config.get(field).and_then(Value::as_str);
        value.is_some_and(|text| text.starts_with('=') || text.contains("{{"))
    };
    match &kind.effects {
        signalbox_model::descriptor::ByConfig::Table { field, .. } if is_open(field) => {
            if kind.effects.may_be(Effects::Write) { Effects::Write } else { Effects::Read }
        }
        effects => effects.of(config),
    }
}

fn target_of(kind: &str, config: &Value) -> String {
    let text = |name: &str| config.get(name).and_then(Value::as_str).unwrap_or_default();
    let host = |name: &str| {
        let url = text(name);
        let after = url.find("://").map_or(0, |at| at + 3);
        let end = url[after..].find(['/', '?', '#']).map_or(url.len(), |at| after + at);
        url[..end].to_owned()
    };
    match kind {
        "http.request" => {
            let method = if text("method").is_empty() { "GET" } else { text("method") };
            format!("{method} {}", host("url"))
        }
        "a2a.agent" if !text("endpoint").is_empty() => format!("{} {}", host("url"), host("endpoint")),
        "a2a.agent" => host("url"),
        "mcp.tool" => format!("{}/{}", text("server"), text("tool")),
        "mail.read" => format!("{} {}", text("host"), text("mailbox")).trim_end().to_owned(),
        "mail.send" => {
            let of = |field: &str| match config.get(field) {
                None | Some(Value::Null) => None,
                Some(Value::String(text)) => Some(text.clone()),
                Some(other) => Some(other.to_string()),
            };
            let to: Vec<String> = ["to", "cc", "bcc"].into_iter().filter_map(of).collect();
            format!("{} {}", text("host"), to.join(", ")).trim_end().to_owned()
        }
        _ => ["path", "workflow", "model", "server"]
            .into_iter()
            .map(text)
            .find(|text| !text.is_empty())
            .unwrap_or_default()
            .to_owned(),
    }
}

/// The steps of a draft that reach out; those in `allowed` are called although they write.
pub fn calls(workflow: &Workflow, catalog: &Catalog, allowed: &BTreeSet<String>) -> Vec<Call> {
    let null = Value::Null;
    let found = workflow.nodes.iter().filter_map(|(id, node)| {
        let kind = catalog.get(&node.kind)?;
        let config = node.config.as_ref().unwrap_or(&null);
        let effect = effect_of(kind, config);
        let (word, real) = match effect {
            Effects::None => return None,
            Effects::Read => ("read", true),
            Effects::Write => ("write", allowed.contains(id)),
        };
        Some(Call {
            step: id.clone(),
            title: node.title.clone().unwrap_or_else(|| id.clone()),
            kind: node.kind.clone(),
            effect: word.into(),
            target: target_of(&node.kind, config),
            mode: if real { CallMode::Real } else { CallMode::Sample },
        })
    });
    found.collect()
}

/// Calls that would be made and that were not in the list a person agreed to: another target, or a read that became a write.
pub fn not_consented<'c>(agreed: &[Call], now: &'c [Call]) -> Vec<&'c Call> {
    let known = |call: &&Call| {
        agreed.iter().any(|one| {
            let same = one.kind == call.kind && one.target == call.target && one.mode == CallMode::Real;
            same && (call.effect == "read" || (one.step == call.step && one.effect == "write"))
        })
    };
    now.iter().filter(|call| call.mode == CallMode::Real).filter(|call| !known(call)).collect()
}

/// The workflow of a try: writes that are not allowed are replaced by samples, waits by nothing, and an error ends the run
/// instead of asking a person. Also gives the steps that are samples.
pub fn trial_document(
    document: &Value,
    workflow: &Workflow,
    catalog: &Catalog,
    allowed: &BTreeSet<String>,
) -> (Value, BTreeSet<String>) {
    let mut trial = document.clone();
    if let Some(settings) = trial.get_mut("settings").and_then(Value::as_object_mut) {
        settings.insert("errorPolicy".into(), "fail".into());
    }
    let samples = calls(workflow, catalog, allowed).into_iter().filter(|call| call.mode == CallMode::Sample);
    let samples: BTreeSet<String> = samples.map(|call| call.step).collect();
    for (id, node) in &workflow.nodes {
        let Some(kind) = catalog.get(&node.kind) else { continue };
        if kind.role == Role::Wait {
            replace(&mut trial, id, "flow.noop", None);
        } else if samples.contains(id) {
            let sample = sample_of(kind, node.config.as_ref());
            let keep = sample.is_empty();
            replace(&mut trial, id, "data.set", Some(json!({ "assign": sample, "keep": keep })));
        }
        let handling = trial["nodes"].get_mut(id).and_then(|node| node.get_mut("errorHandling"));
        if let Some(handling) = handling.and_then(Value::as_object_mut) {
            handling.shift_remove("retryPolicy");
        }
    }
    for edge in trial.get_mut("edges").and_then(Value::as_array_mut).into_iter().flatten() {
        let from = edge["from"].as_str().unwrap_or_default().to_owned();
        if let Some((node, port)) = from.rsplit_once('.')
            && samples.contains(node)
            && port != "error"
        {
            edge["from"] = format!("{node}.success").into();
        }
    }
    (trial, samples)
}

fn replace(trial: &mut Value, id: &str, kind: &str, config: Option<Value>) {
    let Some(node) = trial["nodes"].get_mut(id).and_then(Value::as_object_mut) else { return };
    node.retain(|name, _| matches!(name.as_str(), "title" | "parent" | "if" | "in" | "disabled"));
    node.insert("type".into(), kind.into());
    if let Some(config) = config {
        node.insert("config".into(), config);
    }
}

/// An output of the right shape, made from the schema of the port.
pub fn sample_of(kind: &NodeDescriptor, config: Option<&Value>) -> Map<String, Value> {
    let port = kind.ports.iter().find(|port| port.id == "success").or_else(|| kind.ports.first());
    let schema = port.and_then(|port| port.schema.as_ref());
    let mut sample = match schema.map(|schema| example(schema, 4)) {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    };
    if sample.contains_key("status") {
        sample.insert("status".into(), 200.into());
    }
    if sample.get("response").is_some_and(Value::is_null) {
        sample.insert("response".into(), json!({}));
    }
    if let Some(names) = config.and_then(|config| config["extract"].as_object()) {
        let named: Map<String, Value> = names.keys().map(|name| (name.clone(), "sample".into())).collect();
        sample.insert("extracted".into(), named.into());
    }
    sample
}

/// A value that fits a schema, down to so many levels.
pub fn example(schema: &Value, depth: usize) -> Value {
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or_default();
    match kind {
        "object" if depth > 0 => {
            let required: Vec<&str> =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let all = schema["properties"].as_object().into_iter().flatten();
            let kept = all.filter(|(name, _)| required.contains(&name.as_str()));
            Value::Object(kept.map(|(name, schema)| (name.clone(), example(schema, depth - 1))).collect())
        }
        "object" => json!({}),
        "array" => json!([]),
        "string" => json!("sample"),
        "integer" | "number" => json!(1),
        "boolean" => json!(true),
        _ => Value::Null,
    }
}

/// From which step a corrected draft goes on, so that no step before it is called again: the last one that everything that
/// changed or failed follows from. `None` when there is none: then all of it runs.
pub fn resume_from(before: &Workflow, now: &Workflow, failed: &BTreeSet<String>) -> Option<String> {
    let top = |id: &str| -> String {
        let mut id = id;
        for _ in 0..64 {
            match now.nodes.get(id).and_then(|node| node.parent.as_deref()) {
                Some(parent) => id = parent,
                None => break,
            }
        }
        id.to_owned()
    };
    let incoming = |workflow: &Workflow, id: &str| -> BTreeSet<String> {
        workflow.edges.iter().filter(|edge| edge.to == id).map(|edge| edge.from.as_str().to_owned()).collect()
    };
    let mut needed: BTreeSet<String> =
        failed.iter().filter(|id| now.nodes.contains_key(*id)).map(|id| top(id)).collect();
    for (id, node) in &now.nodes {
        let bare =
            |node: &signalbox_model::Node| signalbox_model::Node { title: None, description: None, ..node.clone() };
        let same = before.nodes.get(id).is_some_and(|old| bare(old) == bare(node));
        if !same || incoming(before, id) != incoming(now, id) {
            needed.insert(top(id));
        }
    }
    if before.params != now.params || before.context != now.context || needed.is_empty() {
        return None;
    }
    let mut following: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in &now.edges {
        following.entry(edge.from.node()).or_default().push(&edge.to);
    }
    let reach = |id: &str| -> BTreeSet<String> {
        let mut found = BTreeSet::from([id.to_owned()]);
        let mut open = vec![id.to_owned()];
        while let Some(next) = open.pop() {
            for to in following.get(next.as_str()).into_iter().flatten() {
                if found.insert((*to).to_owned()) {
                    open.push((*to).to_owned());
                }
            }
        }
        found
    };
    let tops = now.nodes.iter().filter(|(id, node)| node.parent.is_none() && before.nodes.contains_key(*id));
    let fitting = tops.map(|(id, _)| (id, reach(id))).filter(|(_, reach)| needed.is_subset(reach));
    fitting.min_by_key(|(_, reach)| reach.len()).map(|(id, _)| id.clone())
}

#[cfg(test)]
mod tests;
