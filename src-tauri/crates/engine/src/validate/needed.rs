//! Settings that are needed for what other settings say (`x-needed`): the file of a step that writes one, the host of a database
//! that is a server. They are found before a run, like those that are always needed.

use super::words;
use crate::config;
use serde_json::Value;
use signalbox_model::descriptor::NodeDescriptor;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Diagnostic, Map, Node};

pub(super) fn check(at: &str, node: &Node, descriptor: &NodeDescriptor, settings: &Map, found: &mut Vec<Diagnostic>) {
    let properties = descriptor.config.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let Some(needed) = schema.get("x-needed").filter(|needed| **needed != Value::Bool(false)) else { continue };
        let shown = schema.pointer("/x-ui/when");
        if !holds(shown, descriptor, settings) || !holds(needed.get("when"), descriptor, settings) {
            continue;
        }
        let others = needed.get("or").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let names: Vec<&str> = std::iter::once(name.as_str()).chain(others).collect();
        if names.iter().any(|name| is_given(settings.get(*name))) {
            continue;
        }
        let pointer = |name: &str| format!("/{}", pointer_token(name));
        let fields: Vec<String> = names.iter().map(|name| words::setting(&descriptor.config, &pointer(name))).collect();
        let fields = fields.join(" or ");
        found.push(Diagnostic::error(
            Code::MissingConfig,
            format!("{at}{}", pointer(name)),
            format!("{} needs {fields}", words::step(node, Some(descriptor))),
            format!("Fill in {fields}"),
        ));
    }
}

/// Whether the settings that `when` names have one of its values; `pages.kind` is a field of a setting. What an expression gives is known in
/// the run only: then no.
fn holds(when: Option<&Value>, descriptor: &NodeDescriptor, settings: &Map) -> bool {
    when.and_then(Value::as_object).into_iter().flatten().all(|(path, values)| {
        let mut schema = Some(&descriptor.config);
        let mut value = None;
        for (depth, name) in path.split('.').enumerate() {
            schema = schema.and_then(|schema| schema.get("properties")?.get(name));
            value = if depth == 0 { settings.get(name) } else { value.and_then(|value: &Value| value.get(name)) };
        }
        let schema = schema.unwrap_or(&Value::Null);
        let value = value.filter(|value| !value.is_null()).or_else(|| schema.get("default"));
        let is_known =
            |value: &Value| schema.get("x-raw") == Some(&Value::Bool(true)) || config::is_static(value, schema);
        value.is_some_and(|value| is_known(value) && values.as_array().is_some_and(|values| values.contains(value)))
    })
}

/// Null and what is empty are what nobody filled in, as in a run.
fn is_given(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(list)) => !list.is_empty(),
        Some(Value::Object(map)) => !map.is_empty(),
        Some(_) => true,
    }
}
