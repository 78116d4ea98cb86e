//! Schemas of what is read and of what is written. One type may differ between the two (a field with a default may be left
//! out by who sends it, and is always there in an answer), so there are two sets, which become one.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const PLACE: &str = "#/components/schemas/";

/// What is given of it stands in an answer as it stands in its file, where fields may be left out.
const AS_IN_ITS_FILE: &str = "Workflow";

/// They take, or give, a workflow as far as somebody has come with it.
const UNFINISHED: &[&str] =
    &["ByDocument", "Draft", "DraftPut", "ExpressionNames", "ExpressionPreview", "ValidateDocument"];

pub(crate) struct Types {
    /// Of requests.
    pub(crate) taken: SchemaGenerator,
    /// Of answers.
    pub(crate) given: SchemaGenerator,
}

impl Types {
    pub(crate) fn new() -> Self {
        let settings = || SchemaSettings::draft2020_12().with(|s| s.definitions_path = "/components/schemas".into());
        Self {
            taken: settings().for_deserialize().into_generator(),
            given: settings().for_serialize().into_generator(),
        }
    }

    /// All schemas under their names. What a request says differently is `NameRequest`, and `paths` says so.
    pub(crate) fn merge(mut self, paths: &mut Map<String, Value>) -> Map<String, Value> {
        let mut given = self.given.take_definitions(true);
        let mut taken = self.taken.take_definitions(true);
        for name in reachable(&taken, AS_IN_ITS_FILE) {
            if let (Some(file), Some(answer)) = (taken.get(&name), given.get_mut(&name)) {
                answer.clone_from(file);
            }
        }
        for definitions in [&mut taken, &mut given] {
            for name in UNFINISHED {
                if let Some(document) =
                    definitions.get_mut(*name).and_then(|one| one.pointer_mut("/properties/document"))
                {
                    *document = json!({ "description": "A workflow draft; it need not be complete or valid." });
                }
            }
        }
        let mut other: BTreeSet<String> = taken
            .iter()
            .filter(|(name, schema)| given.get(*name).is_some_and(|known| known != *schema))
            .map(|(name, _)| name.clone())
            .collect();
        // What refers to something that differs, differs.
        loop {
            let more: Vec<String> = taken
                .iter()
                .filter(|(name, schema)| given.contains_key(*name) && !other.contains(*name) && refers(schema, &other))
                .map(|(name, _)| name.clone())
                .collect();
            if more.is_empty() {
                break;
            }
            other.extend(more);
        }
        for schema in taken.values_mut() {
            rename(schema, &other);
        }
        for operation in paths.values_mut().flat_map(|path| path.as_object_mut().into_iter().flat_map(Map::values_mut))
        {
            for part in ["parameters", "requestBody"] {
                if let Some(part) = operation.get_mut(part) {
                    rename(part, &other);
                }
            }
        }
        for (name, schema) in taken {
            let name = if other.contains(&name) { format!("{name}Request") } else { name };
            given.insert(name, schema);
        }
        given.sort_keys();
        given
    }
}

/// The schemas that one refers to, and itself.
fn reachable(definitions: &Map<String, Value>, from: &str) -> BTreeSet<String> {
    let (mut found, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(name) = next.pop() {
        let Some(schema) = definitions.get(&name).filter(|_| !found.contains(&name)) else { continue };
        next.extend(definitions.keys().filter(|other| refers(schema, &BTreeSet::from([(*other).clone()]))).cloned());
        found.insert(name);
    }
    found
}

fn refers(schema: &Value, names: &BTreeSet<String>) -> bool {
    match schema {
        Value::Object(fields) => fields.iter().any(|(key, value)| match value.as_str() {
            Some(target) if key == "$ref" => target.strip_prefix(PLACE).is_some_and(|name| names.contains(name)),
            _ => refers(value, names),
        }),
        Value::Array(values) => values.iter().any(|value| refers(value, names)),
        _ => false,
    }
}

fn rename(schema: &mut Value, names: &BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields.iter_mut() {
                match value {
                    Value::String(target) if key == "$ref" => {
                        if target.strip_prefix(PLACE).is_some_and(|name| names.contains(name)) {
                            target.push_str("Request");
                        }
                    }
                    value => rename(value, names),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, names)),
        _ => {}
    }
}
