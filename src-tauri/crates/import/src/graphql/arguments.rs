//! Arguments as variables: their JSON Schemas, with input types and lists of values as shared schemas.

use super::super::openapi::short;
use super::types::{Kind, TypeRef, Types, is_name};
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;

/// Longest description, characters.
const WORDS: usize = 200;
/// Scalars that every service which has them writes as text.
const TEXTS: [&str; 11] =
    ["Date", "DateTime", "Time", "LocalDate", "ISO8601DateTime", "URI", "URL", "UUID", "HTML", "Email", "EmailAddress"];

/// The shared schemas that were asked for so far.
pub(super) struct Inputs<'a> {
    types: &'a Types<'a>,
    todo: VecDeque<&'a str>,
    defs: IndexMap<String, Value>,
}

impl<'a> Inputs<'a> {
    pub(super) fn new(types: &'a Types<'a>) -> Self {
        Self { types, todo: VecDeque::new(), defs: IndexMap::new() }
    }

    /// The schema of an argument's type. `null` is left out: an argument that is null is not sent.
    pub(super) fn schema(&mut self, of: TypeRef<'a>) -> Value {
        let of = of.nullable();
        if let Some(element) = of.element() {
            return json!({ "type": "array", "items": self.inside(element) });
        }
        let name = of.name();
        match (name, self.types.kind(name)) {
            ("String" | "ID", _) => json!({ "type": "string" }),
            ("Int", _) => json!({ "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX }),
            ("Float", _) => json!({ "type": "number" }),
            ("Boolean", _) => json!({ "type": "boolean" }),
            (_, Some(Kind::Enum | Kind::Input)) => self.refer(name),
            _ if TEXTS.contains(&name) => json!({ "type": "string", "title": name }),
            // What a scalar of the service looks like is not said.
            _ => json!({ "title": name }),
        }
    }

    /// The schema of a field or an element: null means something there.
    fn inside(&mut self, of: TypeRef<'a>) -> Value {
        let mut schema = self.schema(of);
        if of.is_non_null() {
            return schema;
        }
        if schema.get("$ref").is_some() {
            return json!({ "anyOf": [schema, { "type": "null" }] });
        }
        if let Some(one @ Value::String(_)) = schema.get_mut("type") {
            *one = json!([one.take(), "null"]);
        }
        schema
    }

    fn refer(&mut self, name: &'a str) -> Value {
        if !self.defs.contains_key(name) {
            self.defs.insert(name.to_owned(), Value::Null);
            self.todo.push_back(name);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    /// Converts what is still referred to, and gives all shared schemas.
    pub(super) fn finish(mut self) -> IndexMap<String, Value> {
        while let Some(name) = self.todo.pop_front() {
            let schema = match self.types.kind(name) {
                Some(Kind::Enum) => self.values(name),
                _ => self.object(name),
            };
            self.defs.insert(name.to_owned(), schema);
        }
        self.defs.sort_keys();
        self.defs
    }

    fn values(&self, name: &str) -> Value {
        let all = self.types.get(name).and_then(|one| one["enumValues"].as_array());
        let names = all.into_iter().flatten().filter_map(|value| value["name"].as_str()).filter(|name| is_name(name));
        json!({ "type": "string", "enum": names.collect::<Vec<_>>() })
    }

    fn object(&mut self, name: &str) -> Value {
        let types = self.types;
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for (field, about) in types.inputs(name) {
            let mut schema = self.inside(TypeRef::of(about));
            let words = words(about);
            if !words.is_empty() && schema.get("$ref").is_none() {
                schema["description"] = words.into();
            }
            properties.insert(field.to_owned(), schema);
            if is_required(about) {
                required.push(Value::from(field));
            }
        }
        let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        if types.get(name).is_some_and(|one| one["isOneOf"] == true) {
            schema["minProperties"] = 1.into();
            schema["maxProperties"] = 1.into();
        }
        schema
    }
}

/// Whether an argument or a field has to be given.
pub(super) fn is_required(about: &Value) -> bool {
    TypeRef::of(about).is_non_null() && about["defaultValue"].is_null()
}

/// What a service says about something, in one line.
pub(super) fn words(about: &Value) -> String {
    about["description"].as_str().map(|words| short(words, WORDS)).unwrap_or_default()
}
