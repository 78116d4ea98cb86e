//! Names for people: a step goes by its title, a setting by the title of its field. Keys and ids stay in the pointer.

use crate::{catalog::Catalog, patch::pointer};
use serde_json::Value;
use signalbox_model::{Node, NodeDescriptor, Workflow};

/// The step's title, else the title of its kind, in quotes.
pub(crate) fn step(node: &Node, descriptor: Option<&NodeDescriptor>) -> String {
    let title = node.title.as_deref().filter(|title| !title.trim().is_empty());
    let title = title.or_else(|| descriptor.map(|kind| kind.title.as_str()));
    format!("“{}”", title.unwrap_or(&node.kind))
}

/// [`step`] by id.
pub(super) fn step_of(workflow: &Workflow, catalog: &Catalog, id: &str) -> String {
    match workflow.nodes.get(id) {
        Some(node) => step(node, catalog.get(&node.kind).map(AsRef::as_ref)),
        None => format!("'{id}'"),
    }
}

/// `“Cases” 2 “When”`: the fields on the way to a value of the config.
pub(super) fn setting(schema: &Value, pointer: &str) -> String {
    let mut here = Some(schema);
    let mut parts = Vec::new();
    for name in pointer::split(pointer).unwrap_or_default() {
        let property = here.and_then(|schema| schema.get("properties")?.get(&name));
        let item = here.and_then(|schema| schema.get("items"));
        match (property, item, name.parse::<usize>()) {
            (None, Some(item), Ok(index)) => {
                parts.push((index + 1).to_string());
                here = Some(item);
            }
            _ => {
                let title = property.and_then(|schema| schema.get("title")?.as_str());
                parts.push(format!("“{}”", title.unwrap_or(&name)));
                here = property.or_else(|| here.and_then(|schema| schema.get("additionalProperties")));
            }
        }
    }
    if parts.is_empty() { "Its settings".into() } else { parts.join(" ") }
}

/// What a value has to be, where the schema's keyword would speak of types and formats.
pub(super) fn expected(schema: &Value, pointer: &str, keyword: &str) -> Option<String> {
    let field = at(schema, pointer)?;
    if keyword == "format" && field.get("format")? == "date-time" {
        return Some("a time like 2026-12-24T18:00:00Z".into());
    }
    if keyword != "type" {
        return None;
    }
    let names = match field.get("type")? {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        one => vec![one.as_str()?],
    };
    let words = names.into_iter().map(|name| match name {
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a text",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        _ => "nothing",
    });
    Some(words.collect::<Vec<_>>().join(" or "))
}

fn at<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    let mut here = schema;
    for name in pointer::split(pointer)? {
        here = here.get("properties").and_then(|all| all.get(&name)).or_else(|| here.get("items"))?;
    }
    Some(here)
}

/// What the field itself says about its values.
pub(super) fn description<'a>(schema: &'a Value, pointer: &str) -> Option<&'a str> {
    at(schema, pointer)?.get("description")?.as_str()
}

/// `“A”, “B” or “C”`: the titles of all fields.
pub(super) fn either(schema: &Value) -> String {
    let fields = schema.get("properties").and_then(Value::as_object);
    let titles: Vec<String> = fields
        .into_iter()
        .flatten()
        .map(|(name, field)| format!("“{}”", field.get("title").and_then(Value::as_str).unwrap_or(name)))
        .collect();
    match titles.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => titles.concat(),
    }
}
