//! Settings that a step cannot do without are found before a run: nobody learns from a failed run what was left empty.

use crate::examples;
use serde_json::{Map, Value, json};
use signalbox_engine::catalog::Catalog;
use signalbox_engine::validate::check_bytes;
use signalbox_model::{Code, Diagnostic, NodeDescriptor, Severity};
use signalbox_nodes::{catalog, registry};

/// What is found in the settings of a step of this kind.
fn found(known: &Catalog, kind: &str, config: &Value) -> Vec<Diagnostic> {
    let file = json!({
        "signalbox": 1, "id": "w", "name": "w",
        "nodes": { "start": { "type": "trigger.manual" }, "step": { "type": kind, "config": config } },
        "edges": [{ "from": "start.success", "to": "step" }]
    });
    let found = check_bytes(file.to_string().as_bytes(), known).diagnostics;
    found
        .into_iter()
        .filter(|one| one.severity == Severity::Error && one.path.starts_with("/nodes/step/config"))
        .collect()
}

fn without(config: &Value, name: &str) -> Value {
    let mut map = config.as_object().cloned().unwrap_or_default();
    map.remove(name);
    Value::Object(map)
}

/// Settings that something else decides about: the connector, the tool or the SQL names its parameters, lists may come by two wires, and
/// columns, or the way a file is read, do not fit what else is set.
const ELSEWHERE: [(&str, &str); 7] = [
    ("connector.call", "params"),
    ("mcp.tool", "arguments"),
    ("db.query", "params"),
    ("db.write", "columns"),
    ("data.compare", "list"),
    ("data.merge", "list"),
    ("file.read", "as"),
];

/// Each example without each of its settings: a step that then says that the setting is missing has been warned of before.
#[test]
fn what_a_step_cannot_do_without_is_found_before_a_run() {
    let known = Catalog::new(catalog());
    let mut silent = Vec::new();
    for (descriptor, code) in registry() {
        for example in descriptor.examples.iter().filter(|example| example.output.is_some()) {
            for name in example.config.as_object().into_iter().flat_map(Map::keys) {
                let mut example = example.clone();
                example.config = without(&example.config, name);
                if !found(&known, &descriptor.kind, &example.config).is_empty() {
                    continue;
                }
                let Err(failure) = examples::run(descriptor, *code, &example) else { continue };
                if failure.code == "INPUT_INVALID" && !ELSEWHERE.contains(&(descriptor.kind.as_str(), name.as_str())) {
                    silent.push(format!("{} without '{name}': {}", descriptor.kind, failure.message));
                }
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// A setting with `x-needed`, and the settings that make it needed.
fn needed(descriptor: &NodeDescriptor) -> Vec<(String, Map<String, Value>)> {
    let properties = descriptor.config.get("properties").and_then(Value::as_object);
    let mut list = Vec::new();
    for (name, schema) in properties.into_iter().flatten() {
        let Some(rule) = schema.get("x-needed") else { continue };
        let mut config = Map::new();
        for when in [schema.pointer("/x-ui/when"), rule.get("when")].into_iter().flatten() {
            for (other, values) in when.as_object().into_iter().flatten() {
                match other.split_once('.') {
                    Some((first, inner)) => config.insert(first.to_owned(), json!({ inner: values[0] })),
                    None => config.insert(other.clone(), values[0].clone()),
                };
            }
        }
        list.push((name.clone(), config));
    }
    list
}

#[test]
fn a_needed_setting_is_missed_at_its_place_and_only_where_it_is_needed() {
    let known = Catalog::new(catalog());
    let mut count = 0;
    for descriptor in catalog() {
        for (name, config) in needed(&descriptor) {
            count += 1;
            let at = format!("/nodes/step/config/{name}");
            let misses = |config: &Map<String, Value>| {
                let found = found(&known, &descriptor.kind, &Value::Object(config.clone()));
                found.iter().any(|one| one.code == Code::MissingConfig && one.path == at)
            };
            assert!(misses(&config), "{} with {config:?} says nothing about '{name}'", descriptor.kind);
            for empty in [Value::Null, json!("")] {
                let mut with = config.clone();
                with.insert(name.clone(), empty);
                assert!(misses(&with), "{} with {with:?}", descriptor.kind);
            }
            let mut with = config.clone();
            with.insert(name.clone(), json!("=item.x"));
            assert!(!misses(&with), "{} with {with:?}", descriptor.kind);
            // What another setting does not ask for, or nobody knows before the run, is not missed.
            for (other, _) in &config {
                let raw = descriptor.config["properties"][other]["x-raw"] == json!(true);
                let mut with = config.clone();
                with.insert(other.clone(), if raw { json!("another") } else { json!("=item.choice") });
                assert!(!misses(&with), "{} with {with:?}", descriptor.kind);
            }
        }
    }
    assert!(count >= 35, "{count}");
}

#[test]
fn one_of_two_is_enough() {
    let known = Catalog::new(catalog());
    let missing = found(&known, "data.number", &json!({ "field": "a", "action": "add" }));
    let words: Vec<&str> = missing.iter().map(|one| one.hint.as_str()).collect();
    assert_eq!(words, ["Fill in “With the field” or “Or with the number”"]);
    assert_eq!(found(&known, "data.number", &json!({ "field": "a", "action": "add", "other": 0 })), []);
    assert_eq!(found(&known, "data.number", &json!({ "field": "a", "action": "add", "otherField": "b" })), []);
}
