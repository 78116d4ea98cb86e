//! The compact form in which a model writes a workflow: a flat list of nodes and a list of edges, nothing else.

mod existing;
mod layout;

use crate::finding::Finding;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use signalbox_engine::Catalog;

/// Most steps of a draft.
pub const MAX_NODES: usize = 100;
/// Most edges of a draft.
pub const MAX_EDGES: usize = 400;
/// Longest id.
const MAX_ID: usize = 60;
/// Fields of a node.
const NODE_FIELDS: [&str; 10] = ["id", "kind", "title", "description", "config", "in", "out", "if", "parent", "mode"];
/// Fields of a draft.
const FIELDS: [&str; 4] = ["nodes", "edges", "params", "context"];

/// One step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DraftNode {
    /// Node kind.
    pub kind: String,
    /// All other fields, as they stand in the file.
    pub fields: Map<String, Value>,
}

/// A workflow as the planner holds it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// Id → step, in the order of the answer.
    pub nodes: IndexMap<String, DraftNode>,
    /// `node.port` → node.
    pub edges: Vec<(String, String)>,
    /// JSON Schema of the run's input.
    pub params: Option<Value>,
    /// Variables of the run: `{schema, initial}`.
    pub context: Option<Value>,
}

fn bad(at: impl Into<String>, message: impl Into<String>) -> Finding {
    Finding::new("BAD_DRAFT", at, message)
}

impl DraftNode {
    /// Reads a step; its id comes with it or from the map that it stands in.
    pub(crate) fn read(id: Option<&str>, value: &Value, at: &str) -> Result<(String, Self), Finding> {
        let Value::Object(map) = value else {
            return Err(bad(at, "A node is an object").expected("{\"id\": …, \"kind\": …, \"config\": {…}}"));
        };
        let mut fields = map.clone();
        let id = id.map(str::to_owned).or_else(|| map.get("id").and_then(Value::as_str).map(str::to_owned));
        fields.shift_remove("id");
        let id = id.ok_or_else(|| bad(at, "The node has no id").expected("\"id\": \"short_name\""))?;
        let first = id.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        if !first || id.len() > MAX_ID || !id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')) {
            return Err(bad(at, "The id of a node has letters, digits and _, and begins with a letter").got(&id));
        }
        let kind = fields.shift_remove("kind").or_else(|| fields.shift_remove("type"));
        let kind = kind.as_ref().and_then(Value::as_str).map(str::to_owned);
        let kind =
            kind.ok_or_else(|| bad(at, format!("The node '{id}' has no kind")).expected("\"kind\": \"http.request\""))?;
        if let Some(name) = fields.keys().find(|name| !NODE_FIELDS.contains(&name.as_str())) {
            let message = format!("A node has no field '{}'; settings of the kind stand in config", name);
            return Err(Finding::new("UNKNOWN_FIELD", at, message).got(name).names(name, NODE_FIELDS));
        }
        fields.retain(|_, value| !value.is_null());
        Ok((id, Self { kind, fields }))
    }
}

impl Draft {
    /// Reads the answer of a model.
    pub fn read(answer: &Map<String, Value>) -> Result<Self, Vec<Finding>> {
        let mut findings = Vec::new();
        if let Some(name) = answer.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            let message = format!("A draft has no field '{name}'");
            findings.push(Finding::new("UNKNOWN_FIELD", "", message).got(name).names(name, FIELDS));
        }
        let mut draft = Self {
            params: answer.get("params").filter(|value| !value.is_null()).cloned(),
            context: answer.get("context").filter(|value| !value.is_null()).cloned(),
            ..Self::default()
        };
        let nodes: Vec<(Option<&str>, &Value)> = match answer.get("nodes") {
            Some(Value::Array(list)) => list.iter().map(|node| (None, node)).collect(),
            Some(Value::Object(map)) => map.iter().map(|(id, node)| (Some(id.as_str()), node)).collect(),
            _ => Vec::new(),
        };
        let edges = answer.get("edges").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if nodes.is_empty() {
            findings.push(bad("/nodes", "The draft has no nodes").expected("\"nodes\": [{…}, …]"));
        }
        for (what, count, most) in [("nodes", nodes.len(), MAX_NODES), ("edges", edges.len(), MAX_EDGES)] {
            if count > most {
                let message = format!("The draft has {count} {what}; a draft has at most {most}");
                // Nothing of it is looked at: the rest of the answer would be as much.
                return Err(vec![Finding::new("TOO_LARGE", format!("/{what}"), message)]);
            }
        }
        for (index, (id, node)) in nodes.into_iter().enumerate() {
            match DraftNode::read(id, node, &format!("/nodes/{index}")) {
                Ok((id, _)) if draft.nodes.contains_key(&id) => {
                    findings.push(bad(format!("/nodes/{index}"), format!("Two nodes have the id '{id}'")));
                }
                Ok((id, node)) => _ = draft.nodes.insert(id, node),
                Err(finding) => findings.push(finding),
            }
        }
        for (index, edge) in edges.iter().enumerate() {
            match edge_of(edge) {
                Some(edge) => draft.edges.push(edge),
                None => findings.push(
                    bad(format!("/edges/{index}"), "An edge is a pair of texts")
                        .expected("[\"fetch.success\", \"keep\"]"),
                ),
            }
        }
        draft.add_ports();
        if findings.is_empty() { Ok(draft) } else { Err(findings) }
    }

    /// A port that an edge does not name is `success`.
    fn add_ports(&mut self) {
        for (from, _) in &mut self.edges {
            if self.nodes.contains_key(from.as_str()) {
                from.push_str(".success");
            }
        }
    }

    /// Adds an edge, or says what is wrong with it.
    pub(crate) fn connect(&mut self, edge: &Value) -> Option<()> {
        let edge = edge_of(edge)?;
        if !self.edges.contains(&edge) {
            self.edges.push(edge);
        }
        self.add_ports();
        self.edges.dedup();
        Some(())
    }

    /// The same in the form in which the model writes it.
    pub fn compact(&self) -> Value {
        let node = |(id, node): (&String, &DraftNode)| {
            let mut map = Map::new();
            map.insert("id".into(), id.as_str().into());
            map.insert("kind".into(), node.kind.as_str().into());
            map.extend(node.fields.clone());
            Value::Object(map)
        };
        let mut all = json!({
            "nodes": self.nodes.iter().map(node).collect::<Vec<_>>(),
            "edges": self.edges.iter().map(|(from, to)| json!([from, to])).collect::<Vec<_>>(),
        });
        for (name, value) in [("params", &self.params), ("context", &self.context)] {
            if let Some(value) = value {
                all[name] = value.clone();
            }
        }
        all
    }

    /// The workflow file: safe by default, every step with a title, laid out from left to right.
    pub fn document(&self, id: &str, name: &str, description: &str, catalog: &Catalog) -> Value {
        let mut nodes = Map::new();
        for (id, node) in &self.nodes {
            let mut fields = Map::new();
            fields.insert("type".into(), node.kind.as_str().into());
            if !node.fields.contains_key("title") {
                let title = catalog.get(&node.kind).map_or(id.as_str(), |kind| kind.title.as_str());
                fields.insert("title".into(), title.into());
            }
            fields.extend(node.fields.clone());
            nodes.insert(id.clone(), Value::Object(fields));
        }
        let edges: Vec<Value> = self.edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
        let mut document = json!({ "signalbox": 1, "id": id, "name": name, "description": description });
        for (name, value) in [("params", &self.params), ("context", &self.context)] {
            if let Some(value) = value {
                document[name] = value.clone();
            }
        }
        document["settings"] = json!({ "errorPolicy": "safe" });
        document["nodes"] = nodes.into();
        document["edges"] = edges.into();
        document["layout"] = layout::of(self);
        document
    }
}

/// `["a.port", "b"]`, `{"from": …, "to": …}` or `"a.port -> b"`.
pub(crate) fn edge_of(edge: &Value) -> Option<(String, String)> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(|text| text.trim().to_owned());
    let pair = match edge {
        Value::Array(pair) if pair.len() == 2 => (text(pair.first())?, text(pair.get(1))?),
        Value::Object(map) => (text(map.get("from"))?, text(map.get("to"))?),
        Value::String(both) => {
            let (from, to) = both.split_once("->")?;
            (from.trim().to_owned(), to.trim().to_owned())
        }
        _ => return None,
    };
    Some(pair)
}
