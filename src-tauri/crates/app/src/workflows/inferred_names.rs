//! What a step is likely to see, as far as the file itself says: names for completion before the first run.
//!
//! Every value here is an example made from a schema or from settings of the steps before, never data of a run.

use crate::workflows::check;
use crate::workflows::node_scope;
use serde_json::{Map, Value, json};
use signalbox_engine::connector::{KnownConnectors, inlined, step_output_schema};
use signalbox_engine::kept_input;
use signalbox_engine::schemas::Schemas;
use signalbox_engine::scope::{NodeView, Scope};
use signalbox_model::{Data, ErrorPayload, ErrorType, Node, NodeDescriptor, Role, Workflow};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Levels of a schema that an example follows; expressions rarely reach deeper, and a schema may refer to itself.
const DEPTH: usize = 6;
/// Steps that an item is followed back: who types an expression means something near, and a chain may have 10,000 steps.
const FAR: usize = 64;

/// The names that a node's expressions will find.
pub(crate) fn scope(workflow: &Workflow, node: &str, connectors: &KnownConnectors) -> Scope {
    let mut likely = Likely::new(workflow, connectors);
    let (data, error) = match likely.reached_by_errors(node) {
        true => (likely.failed_input(node), error_payload()),
        false => (Value::Null, Value::Null),
    };
    let item = likely.item(node);
    let nodes = likely.before(node).into_iter().map(|id| {
        let output = Data::from(likely.output(id, "success"));
        (id.to_owned(), NodeView { items: Arc::new(vec![output.clone()]), output })
    });
    let nodes = Arc::new(nodes.collect());
    let in_loop =
        node_scope::around(workflow, node).iter().any(|id| node_scope::role(workflow, id) == Some(Role::Loop));
    let locals = match in_loop {
        true => vec![("_item", Data::default()), ("_index", Value::from(0).into())],
        false => Vec::new(),
    };
    let item = Data::from(item);
    Scope {
        params: Arc::new(params(workflow)),
        run: json!({ "id": "", "startedAt": "", "lastNode": "" }).into(),
        workflow: Arc::new(json!({ "id": workflow.id })),
        context: Arc::new(context(workflow).into_iter().map(|(name, value)| (name, Arc::new(value))).collect()),
        items: Arc::new(vec![item.clone()]),
        data: if error.is_null() { item.clone() } else { data.into() },
        item,
        nodes,
        paired: None,
        error: Arc::new(error),
        locals,
        schemas: Schemas::of(workflow),
        allowance: None,
    }
}

/// The run's input: what the schema declares, with its defaults.
fn params(workflow: &Workflow) -> Value {
    merged(
        workflow.params.as_ref().map_or(Value::Null, |schema| example(schema, 0)),
        signalbox_engine::params::complete(workflow, &json!({})),
    )
}

/// Variables: initial ones, declared ones, and those that a step writes.
fn context(workflow: &Workflow) -> Map<String, Value> {
    let declared = workflow.context.as_ref().and_then(|context| context.schema.as_ref());
    let mut found = declared.map_or(Value::Null, |schema| example(schema, 0));
    let written = workflow.nodes.values().flat_map(|node| node.out.iter().flat_map(Map::keys));
    for name in written.filter_map(|name| name.strip_prefix('$')) {
        found = merged(found, at_path(name, Value::Null));
    }
    match merged(found, Value::Object(workflow.initial_context())) {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// A wire by where it begins: node and port.
type Wire<'a> = (&'a str, &'a str);

struct Likely<'a> {
    workflow: &'a Workflow,
    connectors: &'a KnownConnectors,
    wires: HashMap<&'a str, Vec<Wire<'a>>>,
    /// Examples of items by node; null while one is being worked out, so that a circle ends.
    items: HashMap<&'a str, Value>,
    /// Steps back from the node that was asked for.
    back: usize,
}

impl<'a> Likely<'a> {
    fn new(workflow: &'a Workflow, connectors: &'a KnownConnectors) -> Self {
        let mut wires: HashMap<&str, Vec<Wire<'_>>> = HashMap::new();
        for edge in &workflow.edges {
            wires.entry(edge.to.as_str()).or_default().push((edge.from.node(), edge.from.port()));
        }
        Self { workflow, connectors, wires, items: HashMap::new(), back: 0 }
    }

    fn wires_to(&self, node: &str) -> Vec<Wire<'a>> {
        self.wires.get(node).cloned().unwrap_or_default()
    }

    /// Nodes from which a node can be reached, in the order of the file.
    fn before(&self, node: &str) -> Vec<&'a str> {
        let mut open: Vec<&str> = node_scope::around(self.workflow, node);
        open.push(node);
        let mut found: HashSet<&str> = HashSet::new();
        while let Some(next) = open.pop() {
            open.extend(self.wires_to(next).into_iter().map(|(from, _)| from).filter(|from| found.insert(from)));
        }
        self.workflow.nodes.keys().map(String::as_str).filter(|id| found.contains(id)).collect()
    }

    fn reached_by_errors(&self, node: &str) -> bool {
        self.wires_to(node).iter().any(|(_, port)| *port == "error")
            || self.kind(node).is_some_and(|(_, descriptor)| descriptor.kind == "builtin.error_handler")
    }

    fn failed_input(&mut self, node: &str) -> Value {
        let failed = self.wires_to(node).into_iter().filter(|(_, port)| *port == "error");
        failed.fold(Value::Null, |all, (from, _)| merged(all, self.item(from)))
    }

    fn kind(&self, node: &str) -> Option<(&'a Node, &'static NodeDescriptor)> {
        let node = self.workflow.nodes.get(node)?;
        Some((node, check::catalog().get(&node.kind)?))
    }

    /// An item as the node gets it.
    fn item(&mut self, node: &str) -> Value {
        if let Some(known) = self.items.get(node) {
            return known.clone();
        }
        let Some((id, own)) = self.workflow.nodes.get_key_value(node) else { return Value::Null };
        if self.back == FAR {
            return Value::Null;
        }
        self.items.insert(id, Value::Null);
        self.back += 1;
        let found = match &own.input {
            Some(map) => literals(map),
            None => self.arriving(node),
        };
        self.back -= 1;
        self.items.insert(id, found.clone());
        found
    }

    fn arriving(&mut self, node: &str) -> Value {
        let wires = self.wires_to(node);
        if wires.is_empty() {
            // An entry gets the run's input; in a branch, what its container got; in an iteration an element of a list.
            return match node_scope::around(self.workflow, node).last() {
                None => params(self.workflow),
                Some(container) if node_scope::role(self.workflow, container) == Some(Role::Parallel) => {
                    self.item(container)
                }
                Some(_) => Value::Null,
            };
        }
        wires.into_iter().fold(Value::Null, |all, (from, port)| merged(all, self.output(from, port)))
    }

    /// An item as it leaves a port.
    fn output(&mut self, node: &str, port: &str) -> Value {
        if port == "error" {
            return error_payload();
        }
        let Some((own, _)) = self.kind(node) else { return Value::Null };
        let made = self.made(node, port);
        match &own.config {
            Some(config) if config.get("keepInput").is_some() => {
                let item = self.item(node);
                kept_input::example(config, &item, made.clone()).unwrap_or(made)
            }
            Some(_) | None => made,
        }
    }

    /// What the step makes of an item.
    fn made(&mut self, node: &str, port: &str) -> Value {
        let Some((own, descriptor)) = self.kind(node) else { return Value::Null };
        if descriptor.role == Role::Trigger {
            return params(self.workflow);
        }
        if let Some((connector, operation)) = self.connectors.of(own).filter(|_| port == "success") {
            return example(&inlined(&step_output_schema(own, connector, operation), DEPTH), 0);
        }
        let declared = descriptor.ports.iter().find(|known| known.id == port).and_then(|known| known.schema.as_ref());
        let schema = declared.unwrap_or(&Value::Null);
        let config = own.config.as_ref().unwrap_or(&Value::Null);
        let defaulted = |field: &str| {
            config.get(field).or_else(|| descriptor.config.pointer(&format!("/properties/{field}/default")))
        };
        if schema.get("properties").is_some() {
            return example(schema, 0);
        }
        if let Some(field) = schema["x-like"].as_str() {
            return config.get(field).map_or(Value::Null, |schema| example(schema, 0));
        }
        let keeps = schema["x-keeps"].as_str().map(|field| field.is_empty() || defaulted(field) != Some(&json!(false)));
        // A kind that hands items on unchanged leaves their error on them.
        let kept = if keeps.unwrap_or(descriptor.keeps_error) { self.item(node) } else { Value::Null };
        match schema["x-adds"].as_str().and_then(defaulted) {
            Some(Value::Object(fields)) => merged(kept, literals(fields)),
            Some(Value::String(name)) => merged(kept, json!({ name.as_str(): Value::Null })),
            _ => kept,
        }
    }
}

/// Fields by path, with the values that stand in the file; what an expression will give is not known.
fn literals(fields: &Map<String, Value>) -> Value {
    let known = |value: &Value| match value.as_str() {
        Some(text) if text.starts_with('=') => Value::Null,
        _ => value.clone(),
    };
    fields.iter().fold(json!({}), |all, (path, value)| merged(all, at_path(path, known(value))))
}

/// `a.b` as `{a: {b: value}}`; of `a[0].b` only that `a` is a list.
fn at_path(path: &str, value: Value) -> Value {
    if let Some((name, _)) = path.split_once('[') {
        return at_path(name, json!([]));
    }
    path.rsplit('.').fold(value, |inner, name| json!({ name: inner }))
}

/// Both together; of two values at one place the second, unless it says nothing.
fn merged(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Object(mut all), Value::Object(more)) => {
            for (name, value) in more {
                let before = all.remove(&name).unwrap_or(Value::Null);
                all.insert(name, merged(before, value));
            }
            Value::Object(all)
        }
        (first, Value::Null) => first,
        (_, second) => second,
    }
}

/// A value as a schema describes it; null where it does not say.
fn example(schema: &Value, depth: usize) -> Value {
    if let Some(told) = schema.get("const").or_else(|| schema.get("default")) {
        return told.clone();
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.as_str(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or_default(),
        _ if schema.get("properties").is_some() => "object",
        _ => "",
    };
    match kind {
        "object" if depth < DEPTH => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            Value::Object(fields.map(|(name, field)| (name.clone(), example(field, depth + 1))).collect())
        }
        "array" if depth < DEPTH && schema.get("items").is_some() => json!([example(&schema["items"], depth + 1)]),
        "object" => json!({}),
        "array" => json!([]),
        "string" => json!(""),
        "integer" => json!(0),
        "number" => json!(0.0),
        "boolean" => json!(false),
        _ => Value::Null,
    }
}

/// An error as every red port gives it.
fn error_payload() -> Value {
    let known = ErrorPayload {
        error_type: ErrorType::ToolError,
        message: String::new(),
        retryable: false,
        origin_node: String::new(),
        origin_run_id: Some(String::new()),
        attempt: Some(0),
        max_attempts: Some(0),
        timestamp: String::new(),
        suggested_action: None,
        provenance_ref: None,
        trace_id: Some(String::new()),
        details: [("code".to_owned(), json!("")), ("input".to_owned(), Value::Null)]
            .into_iter()
            .collect::<Map<_, _>>()
            .into(),
    };
    serde_json::to_value(known).unwrap_or_default()
}

#[cfg(test)]
mod tests;
