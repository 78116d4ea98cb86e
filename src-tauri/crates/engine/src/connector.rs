//! Connectors as steps see them: which operation a step calls, the schema of its parameters, and what it does outside. The
//! files are data beside the catalog; a run is pinned to the operations that it uses (ADR 141).

pub mod file;
pub mod graphql;
mod inline;
pub mod tasks;

pub use inline::inlined;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use signalbox_model::connector::{self, BODY, KIND, Parameter};
use signalbox_model::descriptor::ByConfig;
use signalbox_model::{Connector, Node, NodeDescriptor, Operation, Workflow};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Connectors that the steps of some workflows name, and the names of the others.
#[derive(Debug, Clone, Default)]
pub struct KnownConnectors {
    /// Those that could be read, by name.
    pub used: BTreeMap<String, Arc<Connector>>,
    /// Why others cannot be used, by name.
    pub problems: BTreeMap<String, String>,
    /// Every name of this machine.
    pub names: Vec<String>,
}

impl KnownConnectors {
    /// The operation that a step calls, when it is known.
    pub fn of(&self, node: &Node) -> Option<(&Arc<Connector>, &Operation)> {
        let (name, operation) = called(node)?;
        let connector = self.used.get(name)?;
        Some((connector, connector.operations.get(operation)?))
    }

    /// The operations that some workflows call, and nothing else.
    pub fn pinned<'a>(&self, workflows: impl Iterator<Item = &'a Workflow>) -> BTreeMap<String, Connector> {
        let mut operations: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let nodes = workflows.flat_map(|workflow| workflow.nodes.values());
        let called: Vec<_> = nodes.filter_map(|node| Some((node, called(node)?))).collect();
        for (_, (connector, operation)) in &called {
            operations.entry(connector).or_default().push(operation);
        }
        let used = self.used.iter().filter_map(|(name, connector)| {
            let operations = operations.get(name.as_str())?;
            Some((name.clone(), connector.only(operations)))
        });
        let mut used: BTreeMap<String, Connector> = used.collect();
        for (node, (connector, operation)) in called {
            if let (Some(fields), Some(kept)) = (graphql::own_fields(node), used.get_mut(connector)) {
                let types = self.used.get(connector).map(|connector| &connector.graphql_types);
                let of = kept.operations.get(operation).and_then(|operation| operation.graphql.as_ref());
                if let (Some(types), Some(of)) = (types, of) {
                    graphql::keep_types(fields, &of.of, types, &mut kept.graphql_types);
                }
            }
        }
        used
    }
}

/// Connector and operation of a step, as they are written.
pub fn called(node: &Node) -> Option<(&str, &str)> {
    let config = node.config.as_ref().filter(|_| node.kind == KIND)?;
    let text = |field: &str| config.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    Some((text("connector")?, text("operation").unwrap_or_default()))
}

/// Names of connectors that the steps of a workflow call, each once.
pub fn names(workflow: &Workflow) -> Vec<&str> {
    let mut names: Vec<&str> = workflow.nodes.values().filter_map(called).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The JSON Schema of an operation's parameters, complete in itself.
pub fn params_schema(connector: &Connector, operation: &Operation) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let body = operation.body.as_ref().filter(|body| !body.schema.is_null());
    for parameter in &operation.parameters {
        if parameter.required {
            required.push(Value::from(parameter.name.as_str()));
        }
        properties.insert(parameter.name.clone(), described(&parameter.schema, &parameter.description));
    }
    if let Some(body) = body {
        if body.required {
            required.push(BODY.into());
        }
        properties.insert(BODY.into(), described(&body.schema, &body.description));
    }
    let schemas: Vec<Value> = properties.values().cloned().collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    with_defs(schema, connector.shared(schemas.iter()))
}

/// The JSON Schema of what a step gets from its operation, which may select other fields than usual; null when it is not known.
pub fn step_output_schema(node: &Node, connector: &Connector, operation: &Operation) -> Value {
    match (graphql::own_fields(node), &operation.graphql) {
        (Some(fields), Some(of)) => graphql::schema(fields, &of.of, &connector.graphql_types),
        _ => output_schema(connector, operation),
    }
}

/// The JSON Schema of what an operation passes on, complete in itself; null when it is not known.
pub fn output_schema(connector: &Connector, operation: &Operation) -> Value {
    let Some(response) = operation.response.as_ref().filter(|response| !response.schema.is_null()) else {
        return Value::Null;
    };
    with_defs(response.schema.clone(), connector.shared(std::iter::once(&response.schema)))
}

fn with_defs(mut schema: Value, defs: IndexMap<String, Value>) -> Value {
    if let Value::Object(map) = &mut schema
        && !defs.is_empty()
    {
        map.insert("$defs".into(), Value::Object(defs.into_iter().collect()));
    }
    schema
}

/// A parameter's schema with its own words; words beside `$ref` say nothing in older drafts, so that they go around it.
fn described(schema: &Value, description: &str) -> Value {
    let mut schema = if schema.is_null() { json!({}) } else { schema.clone() };
    if let Value::Object(map) = &mut schema
        && !description.is_empty()
        && !map.contains_key("description")
    {
        map.insert("description".into(), description.into());
    }
    schema
}

/// The descriptor of the kind with what this operation does outside and passes on.
pub(crate) fn narrowed(
    base: &NodeDescriptor,
    node: &Node,
    connector: &Connector,
    operation: &Operation,
) -> Arc<NodeDescriptor> {
    let mut descriptor = base.clone();
    descriptor.effects = ByConfig::Same(operation.effect());
    descriptor.replay = ByConfig::Same(operation.replay());
    let schema = step_output_schema(node, connector, operation);
    if !schema.is_null()
        && let Some(port) = descriptor.ports.iter_mut().find(|port| port.id == "success")
    {
        port.schema = Some(schema);
    }
    Arc::new(descriptor)
}

/// Names of the variables in an address or a path: what stands between `{` and `}`.
pub fn placeholders(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('{') {
        let Some((name, next)) = after.split_once('}') else { break };
        if !found.contains(&name) {
            found.push(name);
        }
        rest = next;
    }
    found
}

/// Parameters in the order in which people fill them in: the required ones first.
pub fn in_order(operation: &Operation) -> Vec<&Parameter> {
    let (needed, rest): (Vec<&Parameter>, Vec<&Parameter>) =
        operation.parameters.iter().partition(|parameter| parameter.required);
    needed.into_iter().chain(rest).collect()
}

/// Whether a text can name a connector.
pub fn valid_name(name: &str) -> bool {
    let start = name.chars().next().is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let rest = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'));
    start && rest && name.len() <= 64
}

/// The field of a pinned definition with the connectors of its steps: name → those operations that they call.
pub const PINNED: &str = "pinnedConnectors";

/// The connectors in a pinned definition; nothing is left of them in it.
///
/// # Errors
/// The field cannot be read.
pub fn unpin(workflow: &mut Workflow) -> Result<KnownConnectors, String> {
    let mut known = KnownConnectors::default();
    let Some(pinned) = workflow.extra.shift_remove(PINNED) else { return Ok(known) };
    let pinned: BTreeMap<String, Arc<connector::Connector>> =
        serde_json::from_value(pinned).map_err(|error| error.to_string())?;
    known.names = pinned.keys().cloned().collect();
    known.used = pinned;
    Ok(known)
}
