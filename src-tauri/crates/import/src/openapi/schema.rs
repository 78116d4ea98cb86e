//! Schemas: those of OpenAPI 3.0 and Swagger 2 are another dialect, and all of them carry what nobody checks. What is left is
//! JSON Schema 2020-12 whose references lead to the shared schemas of the connector.

use super::document::{Document, Version, below};
use super::{Findings, short};
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use signalbox_model::hash::sha256_hex;
use std::collections::{HashMap, VecDeque};

/// Deeper schemas are cut: any value fits there.
const DEEPEST: usize = 48;
/// Longest description, characters.
const WORDS: usize = 200;
/// Keywords that are kept as they are.
const KEPT: [&str; 22] = [
    "type",
    "format",
    "enum",
    "const",
    "default",
    "title",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "deprecated",
    "contentMediaType",
    "contentEncoding",
    "readOnly",
];

/// The shared schemas that were asked for so far.
pub(super) struct Schemas<'a> {
    document: &'a Document<'a>,
    /// Reference → name under `$defs`.
    names: HashMap<String, String>,
    todo: VecDeque<(String, String)>,
    defs: IndexMap<String, Value>,
}

impl<'a> Schemas<'a> {
    pub(super) fn new(document: &'a Document<'a>) -> Self {
        Self { document, names: HashMap::new(), todo: VecDeque::new(), defs: IndexMap::new() }
    }

    pub(super) fn document(&self) -> &'a Document<'a> {
        self.document
    }

    /// A schema of the document as one of the connector.
    pub(super) fn convert(&mut self, schema: &Value, path: &str, findings: &mut Findings) -> Value {
        self.at(schema, path, 0, findings)
    }

    /// Converts what is still referred to, and gives all shared schemas.
    pub(super) fn finish(mut self, findings: &mut Findings) -> IndexMap<String, Value> {
        while let Some((reference, name)) = self.todo.pop_front() {
            let schema = match self.document.target(&reference) {
                Ok(schema) => {
                    let path = reference.trim_start_matches('#').to_owned();
                    self.at(schema, &path, 0, findings)
                }
                Err(_) => json!({}),
            };
            self.defs.insert(name, schema);
        }
        self.defs.sort_keys();
        self.defs
    }

    fn refer(&mut self, reference: &str, path: &str, findings: &mut Findings) -> Value {
        if let Some(name) = self.names.get(reference) {
            return json!({ "$ref": format!("#/$defs/{name}") });
        }
        if let Err(why) = self.document.target(reference) {
            findings.add(path, format!("A schema is not known, so that its values are not checked: {}", why.0));
            return json!({});
        }
        let last = reference.rsplit('/').next().unwrap_or_default();
        let plain: String = last
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' })
            .take(80)
            .collect();
        // Two places may end alike, and a name may be nothing but signs.
        let taken = plain.is_empty() || self.names.values().any(|known| *known == plain);
        let name = if taken { format!("{plain}_{}", &sha256_hex(reference.as_bytes())[..8]) } else { plain };
        self.names.insert(reference.to_owned(), name.clone());
        self.todo.push_back((reference.to_owned(), name.clone()));
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    fn at(&mut self, schema: &Value, path: &str, depth: usize, findings: &mut Findings) -> Value {
        let Some(from) = schema.as_object() else {
            // `true` and `false` are schemas in 3.1.
            return if schema.is_boolean() { schema.clone() } else { json!({}) };
        };
        if depth > DEEPEST {
            findings.add(path, format!("The schema is nested more than {DEEPEST} levels; below that, any value fits"));
            return json!({});
        }
        if let Some(reference) = from.get("$ref").and_then(Value::as_str) {
            let referred = self.refer(reference, path, findings);
            let nullable = from.get("nullable") == Some(&Value::Bool(true));
            return if nullable { json!({ "anyOf": [referred, { "type": "null" }] }) } else { referred };
        }
        let mut to = Map::new();
        for keyword in KEPT {
            if let Some(value) = from.get(keyword) {
                to.insert(keyword.to_owned(), value.clone());
            }
        }
        if let Some(words) = from.get("description").and_then(Value::as_str).filter(|words| !words.trim().is_empty()) {
            to.insert("description".into(), short(words, WORDS).into());
        }
        if let Some(pattern) = from.get("pattern").and_then(Value::as_str).filter(|pattern| is_plain(pattern)) {
            to.insert("pattern".into(), pattern.into());
        }
        self.parts(from, &mut to, path, depth, findings);
        self.dialect(from, &mut to);
        self.discriminate(from, &mut to);
        Value::Object(to)
    }

    /// The schemas inside.
    fn parts(
        &mut self,
        from: &Map<String, Value>,
        to: &mut Map<String, Value>,
        path: &str,
        depth: usize,
        findings: &mut Findings,
    ) {
        for keyword in ["properties", "patternProperties"] {
            let Some(named) = from.get(keyword).and_then(Value::as_object) else { continue };
            let path = below(path, keyword);
            let mut made = Map::new();
            for (name, inner) in named {
                made.insert(name.clone(), self.at(inner, &below(&path, name), depth + 1, findings));
            }
            to.insert(keyword.to_owned(), Value::Object(made));
        }
        for keyword in ["allOf", "oneOf", "anyOf", "prefixItems"] {
            let Some(list) = from.get(keyword).and_then(Value::as_array).filter(|list| !list.is_empty()) else {
                continue;
            };
            let path = below(path, keyword);
            let made = list
                .iter()
                .enumerate()
                .map(|(index, inner)| self.at(inner, &below(&path, &index.to_string()), depth + 1, findings));
            let made: Vec<Value> = made.collect();
            to.insert(keyword.to_owned(), made.into());
        }
        for keyword in ["items", "additionalProperties", "not", "contains"] {
            let Some(inner) = from.get(keyword).filter(|inner| inner.is_object() || inner.is_boolean()) else {
                continue;
            };
            to.insert(keyword.to_owned(), self.at(inner, &below(path, keyword), depth + 1, findings));
        }
        // What only the service sets cannot be asked of the caller.
        let required: Vec<Value> = from
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|name| name.is_string())
            .filter(|name| {
                let field = name.as_str().and_then(|name| from.get("properties")?.get(name));
                field.and_then(|field| field.get("readOnly")) != Some(&Value::Bool(true))
            })
            .cloned()
            .collect();
        if !required.is_empty() {
            to.insert("required".into(), required.into());
        }
    }

    /// What 3.0 and Swagger 2 say in another way.
    fn dialect(&self, from: &Map<String, Value>, to: &mut Map<String, Value>) {
        to.remove("readOnly");
        if self.document.version == Version::Open31 && from.get("nullable").is_none() {
            return;
        }
        for (flag, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            match to.get(flag) {
                Some(Value::Bool(true)) => {
                    to.remove(flag);
                    if let Some(value) = to.remove(limit) {
                        to.insert(flag.into(), value);
                    }
                }
                Some(Value::Bool(false)) => {
                    to.remove(flag);
                }
                _ => {}
            }
        }
        if to.get("type").and_then(Value::as_str) == Some("file") {
            to.remove("type");
        }
        let nullable = ["nullable", "x-nullable"].iter().any(|name| from.get(*name) == Some(&Value::Bool(true)));
        if !nullable {
            return;
        }
        if let Some(Value::Array(values)) = to.get_mut("enum")
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
        let has_ways = ["allOf", "oneOf", "anyOf"].iter().any(|keyword| to.contains_key(*keyword));
        match to.get_mut("type") {
            Some(one @ Value::String(_)) => *one = json!([one.take(), "null"]),
            Some(Value::Array(list)) if !list.iter().any(|one| one == "null") => list.push("null".into()),
            Some(_) => {}
            None if has_ways => {
                let inner = Value::Object(std::mem::take(to));
                to.insert("anyOf".into(), json!([inner, { "type": "null" }]));
            }
            None => {}
        }
    }

    /// Alternatives with a field that tells which one a value is.
    fn discriminate(&self, from: &Map<String, Value>, to: &mut Map<String, Value>) {
        let Some(field) = from.get("discriminator").and_then(|found| found.get("propertyName")?.as_str()) else {
            return;
        };
        let mapping = from["discriminator"].get("mapping").and_then(Value::as_object);
        for keyword in ["oneOf", "anyOf"] {
            let Some(Value::Array(ways)) = to.get_mut(keyword) else { continue };
            for way in ways {
                let Some(name) = way.get("$ref").and_then(Value::as_str).and_then(|to| to.rsplit('/').next()) else {
                    continue;
                };
                let named = mapping
                    .into_iter()
                    .flatten()
                    .filter(|(_, target)| target.as_str().and_then(|target| target.rsplit('/').next()) == Some(name));
                let mut values: Vec<Value> = named.map(|(value, _)| Value::from(value.as_str())).collect();
                if values.is_empty() {
                    values.push(name.into());
                }
                let title = values[0].clone();
                let referred = way.take();
                *way = json!({
                    "title": title,
                    "allOf": [referred],
                    "properties": { field: { "enum": values } },
                    "required": [field],
                });
            }
        }
    }
}

/// Patterns of ECMAScript that no linear engine has are left out: one of them would switch off all checks of its operation.
fn is_plain(pattern: &str) -> bool {
    !pattern.contains("(?")
        && !pattern.contains("\\u")
        && !pattern.contains("\\c")
        && !pattern.contains("\\k")
        && pattern.len() < 500
}
