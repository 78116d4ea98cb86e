//! Where a workflow file names steps, read off `x-ref` and `x-refs` of its schema and the marks in the config schemas of the
//! kinds (docs/formats.md), as the editor goes by it: `ui/src/features/canvas/model/references.gen.ts`.

use serde_json::{Map, Value, json};

/// Words of `x-ref` that say what a text is.
const WORDS: [&str; 6] = ["step", "port", "cel", "value", "config", "own-id"];

/// The file that the editor imports.
pub(crate) fn typescript(head: &str, workflow: &Value, kinds: &[(String, Value)]) -> String {
    let file = of_file(workflow, workflow, 0).expect("a file names steps");
    let kinds: Map<String, Value> =
        kinds.iter().filter_map(|(kind, config)| Some((kind.clone(), of_config(config)?))).collect();
    let text = |value: &Value| serde_json::to_string_pretty(value).expect("plain data");
    format!(
        "// {head}\n\nimport type {{ Place }} from './references.ts';\n\nexport const OF_FILE: Place = {};\n\n\
         export const OF_KINDS: {{ readonly [kind: string]: Place }} = {};\n",
        text(&file),
        text(&Value::Object(kinds))
    )
}

/// What a schema says of a place and of what is below it; `None` where no step is named.
fn of_file(schema: &Value, root: &Value, depth: usize) -> Option<Value> {
    assert!(depth < 32, "the schema of a file is not nested in itself");
    let mut place = Map::new();
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
        merge(&mut place, of_file(&root["$defs"][name], root, depth + 1));
    }
    for variants in ["anyOf", "oneOf", "allOf"] {
        for variant in schema[variants].as_array().into_iter().flatten() {
            merge(&mut place, of_file(variant, root, depth + 1));
        }
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        put(&mut place, name, of_file(field, root, depth + 1));
    }
    for below in ["additionalProperties", "items"] {
        put(
            &mut place,
            "*",
            schema.get(below).filter(|below| below.is_object()).and_then(|s| of_file(s, root, depth + 1)),
        );
    }
    match schema["x-ref"].as_str() {
        Some("step-keys") => _ = place.insert("keys".into(), json!(true)),
        Some(word) => _ = place.insert("is".into(), json!(known(word))),
        None => {}
    }
    for (pattern, word) in schema["x-refs"].as_object().into_iter().flatten() {
        let leaf = json!({ "is": known(word.as_str().expect("a word")) });
        let inner = pattern.split('/').rev().fold(leaf, |inner, step| {
            let mut outer = Map::new();
            put(&mut outer, step, Some(inner));
            Value::Object(outer)
        });
        merge(&mut place, Some(inner));
    }
    (!place.is_empty()).then_some(Value::Object(place))
}

/// The same for the config of a kind, where a text is a value unless something else is said. As the engine reads it: by
/// `properties`, `additionalProperties` and `items`.
fn of_config(schema: &Value) -> Option<Value> {
    let mut place = Map::new();
    if let Some(word) = schema["x-ref"].as_str() {
        place.insert("is".into(), json!(known(word)));
    } else if schema["x-raw"] == json!(true) {
        place.insert("is".into(), json!("none"));
    } else if schema["x-cel"] == json!(true) {
        place.insert("is".into(), json!("cel"));
    }
    if !place.is_empty() {
        return Some(Value::Object(place));
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        put(&mut place, name, of_config(field));
    }
    for below in ["additionalProperties", "items"] {
        put(&mut place, "*", schema.get(below).filter(|below| below.is_object()).and_then(of_config));
    }
    (!place.is_empty()).then_some(Value::Object(place))
}

fn known(word: &str) -> &str {
    assert!(WORDS.contains(&word), "x-ref '{word}' is none of {WORDS:?}");
    word
}

fn put(place: &mut Map<String, Value>, name: &str, inner: Option<Value>) {
    let Some(inner) = inner else { return };
    let target = if name == "*" {
        place.entry("any").or_insert_with(|| json!({}))
    } else {
        let fields = place.entry("fields").or_insert_with(|| json!({}));
        fields.as_object_mut().expect("an object").entry(name).or_insert_with(|| json!({}))
    };
    merge(target.as_object_mut().expect("an object"), Some(inner));
}

fn merge(into: &mut Map<String, Value>, from: Option<Value>) {
    let Some(Value::Object(from)) = from else { return };
    for (key, value) in from {
        match into.get_mut(&key).and_then(Value::as_object_mut) {
            Some(known) => merge(known, Some(value)),
            None => _ = into.insert(key, value),
        }
    }
}
