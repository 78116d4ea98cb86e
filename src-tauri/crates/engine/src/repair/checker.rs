//! Questions to the engine's validator about parts of a schema. A part is checked with its own keywords alone where
//! that is enough, else with the whole schema beside it, to which its references lead.

use crate::schema::{NAMED, Schema};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// Keywords that say something about one value without looking into schemas.
const LOCAL: &[&str] = &[
    "const",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxLength",
    "maximum",
    "minLength",
    "minimum",
    "multipleOf",
    "pattern",
    "type",
];
/// Keywords whose content is data.
const DATA: &[&str] = &["const", "default", "enum", "examples"];

pub(super) struct Checker<'s> {
    root: &'s Value,
    /// The whole schema with references that lead to `#/$defs/root`.
    moved: Option<Value>,
    local: HashMap<*const Map<String, Value>, Option<Arc<Schema>>>,
    full: HashMap<*const Value, Option<Arc<Schema>>>,
    size: usize,
    /// Bytes of schemas that may still be compiled.
    budget: usize,
}

impl<'s> Checker<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        let size = serde_json::to_string(root).map_or(0, |text| text.len());
        Self { root, moved: None, local: HashMap::new(), full: HashMap::new(), size, budget: 16 << 20 }
    }

    /// Draft 4 has no `1.0` among its integers; up to draft 7 a `$ref` stands alone.
    pub(super) fn draft(&self) -> Option<u32> {
        let name = self.root.get("$schema")?.as_str()?;
        name.split_once("draft-0")?.1.chars().next()?.to_digit(10)
    }

    /// The keywords of this schema, references and parts aside, that the value violates.
    pub(super) fn broken(&mut self, map: &'s Map<String, Value>, value: &Value) -> Vec<String> {
        let key = std::ptr::from_ref(map);
        let draft = self.root.get("$schema");
        let schema = self.local.entry(key).or_insert_with(|| {
            let mut own: Map<String, Value> = map
                .iter()
                .filter(|(word, _)| LOCAL.contains(&word.as_str()))
                .map(|(w, v)| (w.clone(), v.clone()))
                .collect();
            if own.is_empty() {
                return None;
            }
            if let Some(draft) = draft {
                own.insert("$schema".into(), draft.clone());
            }
            Schema::compile(&Value::Object(own)).ok()
        });
        match schema.as_ref().map(|schema| schema.validate(value)) {
            Some(Err(found)) => found.into_iter().map(|one| one.keyword).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether the value fits a part of the schema, references followed. What cannot be told is not fitting.
    pub(super) fn fits(&mut self, part: &'s Value, value: &Value) -> bool {
        self.checks(part, None, value)
    }

    /// The same for a list of parts below `anyOf` or `oneOf`.
    pub(super) fn fits_group(&mut self, word: &str, list: &'s Value, value: &Value) -> bool {
        self.checks(list, Some(word), value)
    }

    fn checks(&mut self, part: &'s Value, word: Option<&str>, value: &Value) -> bool {
        let key = std::ptr::from_ref(part);
        if !self.full.contains_key(&key) {
            let made = self.compile(part, word);
            self.full.insert(key, made);
        }
        match self.full.get(&key) {
            Some(Some(schema)) => schema.validate(value).is_ok(),
            _ => false,
        }
    }

    fn compile(&mut self, part: &Value, word: Option<&str>) -> Option<Arc<Schema>> {
        let refers = refers(part);
        let cost = if refers { self.size } else { 256 };
        self.budget = self.budget.checked_sub(cost)?;
        let body = moved(part, false);
        let mut schema = match word {
            Some(word) => json!({ word: body }),
            None => json!({ "allOf": [body] }),
        };
        if let Some(draft) = self.root.get("$schema") {
            schema["$schema"] = draft.clone();
        }
        if refers {
            let root = self.root;
            let root = self.moved.get_or_insert_with(|| {
                let mut root = moved(root, false);
                if let Some(map) = root.as_object_mut() {
                    for word in ["$schema", "$id", "id"] {
                        map.shift_remove(word);
                    }
                }
                root
            });
            schema["$defs"] = json!({ "root": root });
        }
        Schema::compile(&schema).ok()
    }

    /// Whether a name fits a `pattern`.
    pub(super) fn name_fits(&self, pattern: &str, name: &str) -> bool {
        let mut schema = json!({ "pattern": pattern });
        if let Some(draft) = self.root.get("$schema") {
            schema["$schema"] = draft.clone();
        }
        Schema::compile(&schema).is_ok_and(|schema| schema.validate(&Value::from(name)).is_ok())
    }

    /// The schema to which a local reference leads.
    pub(super) fn target(&self, reference: &str) -> Option<&'s Value> {
        let rest = reference.strip_prefix('#')?;
        if rest.is_empty() {
            return Some(self.root);
        }
        if rest.starts_with('/') { self.root.pointer(rest) } else { None }
    }
}

fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            ["$ref", "$dynamicRef", "$recursiveRef"].iter().any(|word| map.contains_key(*word))
                || map.values().any(refers)
        }
        Value::Array(list) => list.iter().any(refers),
        _ => false,
    }
}

/// A copy whose references to places of the whole schema lead to its place below `$defs/root`.
fn moved(schema: &Value, names: bool) -> Value {
    match schema {
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(word, inner)| {
                    let inner = match inner {
                        Value::String(target) if !names && (word == "$ref" || word == "$dynamicRef") => {
                            match target.strip_prefix('#') {
                                Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                                    json!(format!("#/$defs/root{rest}"))
                                }
                                _ => inner.clone(),
                            }
                        }
                        _ if !names && DATA.contains(&word.as_str()) => inner.clone(),
                        _ => moved(inner, !names && NAMED.contains(&word.as_str())),
                    };
                    (word.clone(), inner)
                })
                .collect(),
        ),
        Value::Array(list) => Value::Array(list.iter().map(|one| moved(one, false)).collect()),
        other => other.clone(),
    }
}
