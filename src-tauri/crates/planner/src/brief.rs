//! A kind in a few lines, for a model: one line to choose it, and its settings once it is chosen.

use crate::finding::short;
use serde_json::Value;
use signalbox_model::NodeDescriptor;

/// Settings that are listed of a kind.
const SETTINGS: usize = 40;
/// Characters of a setting's description.
const ABOUT: usize = 90;

fn cut(text: &str, most: usize) -> String {
    let text = short(text);
    if text.chars().count() <= most { text } else { text.chars().take(most).chain(['…']).collect() }
}

/// `http.request: Sends a request …`
pub fn about(kind: &NodeDescriptor) -> String {
    format!("{}: {}", kind.kind, cut(&kind.description, 110))
}

/// The settings of a kind, a line each, then its ports; at most `most` characters, however large the schema is.
pub fn schema_in_brief(kind: &NodeDescriptor, most: usize) -> String {
    let mut out = format!("{}: {}\n  ports: {}\n", kind.kind, cut(&kind.description, 110), ports(kind));
    let required: Vec<&str> =
        kind.config["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let all = kind.config["properties"].as_object();
    let live = all.into_iter().flatten().filter(|(_, schema)| schema["deprecated"] != true);
    let (needed, others): (Vec<_>, Vec<_>) =
        live.take(SETTINGS * 4).partition(|(name, _)| required.contains(&name.as_str()));
    let count = all.map_or(0, |all| all.len());
    let mut listed = 0;
    for (name, schema) in needed.into_iter().chain(others).take(SETTINGS) {
        let mark = if required.contains(&name.as_str()) { " (required)" } else { "" };
        let line = format!("  config.{}{mark}: {}. {}\n", short(name), type_of(schema), cut(words_of(schema), ABOUT));
        if out.chars().count() + line.chars().count() + 40 > most {
            break;
        }
        out.push_str(&line);
        listed += 1;
    }
    if listed < count {
        out.push_str(&format!("  (and {} more settings)\n", count - listed));
    }
    out
}

fn words_of(schema: &Value) -> &str {
    schema["description"].as_str().or_else(|| schema["title"].as_str()).unwrap_or_default()
}

fn ports(kind: &NodeDescriptor) -> String {
    let one = |port: &signalbox_model::descriptor::Port| {
        let fields = port.schema.as_ref().and_then(|schema| schema["properties"].as_object());
        let names = fields.into_iter().flat_map(|fields| fields.keys()).take(12).map(|name| short(name));
        let names: Vec<String> = names.collect();
        if names.is_empty() || port.id == "error" {
            port.id.clone()
        } else {
            format!("{} {{{}}}", port.id, names.join(", "))
        }
    };
    let mut all: Vec<String> = kind.ports.iter().take(12).map(one).collect();
    if let Some(dynamic) = &kind.dynamic_ports {
        all.insert(0, format!("one per element of config.{}", dynamic.from));
    }
    all.join(", ")
}

fn type_of(schema: &Value) -> String {
    if schema["x-cel"] == true {
        return "expression without =".into();
    }
    if let Some(values) = schema["enum"].as_array() {
        let names: Vec<String> =
            values.iter().take(12).map(|value| value.as_str().map_or(value.to_string(), short)).collect();
        return names.join("|");
    }
    match &schema["type"] {
        Value::String(one) => short(one),
        Value::Array(many) => many.iter().filter_map(Value::as_str).map(short).collect::<Vec<_>>().join("|"),
        _ => "any".into(),
    }
}
