//! Rungs that look at the members of an object.

use super::fixer::{Fixer, MAX_LEVEL, Place, View, shown};
use super::{Change, Rung, names};
use crate::patch::pointer;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Most comparisons of names at one object.
const COMPARED: usize = 20_000;

impl<'s> Fixer<'s> {
    pub(super) fn members(&mut self, map: &mut Map<String, Value>, place: Place<'_, 's>, view: &View<'s>) {
        let before = self.changes.len();
        self.rename(map, view, place.path);
        self.defaults(map, view, place.path);
        if self.changes.len() != before {
            // Conditions may now say something else.
            return;
        }
        let names: Vec<String> = map.keys().cloned().collect();
        for name in names {
            let schemas = self.member_schemas(view, &name);
            if let Some(member) = map.get_mut(&name).filter(|_| !schemas.is_empty()) {
                self.node(member, place.part(&schemas, &pointer::push(place.path, &name)));
            }
        }
    }

    fn rename(&mut self, map: &mut Map<String, Value>, view: &View<'s>, path: &str) {
        let missing = missing(map, view);
        let closed = view.iter().any(|schema| {
            ["additionalProperties", "unevaluatedProperties"]
                .iter()
                .any(|word| schema.get(*word) == Some(&Value::Bool(false)))
        });
        if missing.is_empty() && !closed {
            return;
        }
        let mut known = BTreeSet::new();
        for schema in view {
            self.known(schema, &mut known, 0);
        }
        let strange: Vec<String> = map
            .keys()
            .filter(|name| !known.contains(name.as_str()) && !missing.contains(&name.as_str()))
            .filter(|name| !view.iter().any(|schema| self.by_pattern(schema, name)))
            .cloned()
            .collect();
        if strange.is_empty() {
            return;
        }
        // With an open schema only what is required is violated.
        let mut targets = missing;
        if closed {
            for schema in view {
                for name in schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
                    if !map.contains_key(name) && !targets.contains(&name.as_str()) {
                        targets.push(name);
                    }
                }
            }
        }
        let work = strange.len().saturating_mul(targets.len());
        if work > COMPARED || !self.spend(work + 1) {
            self.left(Rung::KeyMatch, path, "There are too many names to compare.".into());
            return;
        }
        let mut taken: Vec<(String, &str, bool)> = Vec::new();
        for name in &strange {
            match names::only(name, &targets, self.guess) {
                Some((target, guess)) => taken.push((name.clone(), target, guess)),
                None if closed => {
                    let reason = format!("`{}` is not known to the schema; nothing is dropped.", short(name));
                    self.left(Rung::KeyMatch, path, reason);
                }
                None => {}
            }
        }
        // Exact meanings before typos: `Name` beside `nmae` is no doubt about `name`.
        let exact: BTreeSet<&str> = taken.iter().filter(|(_, _, guess)| !guess).map(|(_, target, _)| *target).collect();
        taken.retain(|(_, target, guess)| !guess || !exact.contains(target));
        for (name, target, guess) in &taken {
            if taken.iter().filter(|(_, other, _)| other == target).count() > 1 {
                let reason = format!("Several keys could be `{}`; none is renamed.", short(target));
                self.left(Rung::KeyMatch, path, reason);
                continue;
            }
            let how = if *guess { "is read as a typo of" } else { "is" };
            self.changes.push(Change {
                rung: Rung::KeyMatch,
                path: pointer::push(path, target),
                from: Some(Value::from(name.as_str())),
                to: Some(Value::from(*target)),
                note: format!("The key `{}` {how} `{}`.", short(name), short(target)),
            });
            // The member keeps its place.
            *map = std::mem::take(map)
                .into_iter()
                .map(|(key, value)| if key == *name { ((*target).to_owned(), value) } else { (key, value) })
                .collect();
        }
    }

    fn defaults(&mut self, map: &mut Map<String, Value>, view: &View<'s>, path: &str) {
        for name in missing(map, view) {
            let schemas = self.member_schemas(view, name);
            let inner = self.view(&schemas, &Value::Null);
            let Some(default) = inner.iter().find_map(|schema| schema.get("default")) else { continue };
            if !self.guess {
                self.left(
                    Rung::DefaultValue,
                    path,
                    format!("`{}` is missing; the default is not put in.", short(name)),
                );
                continue;
            }
            let note = format!("`{}` is missing and gets the default {}.", short(name), shown(default));
            self.changes.push(Change {
                rung: Rung::DefaultValue,
                path: pointer::push(path, name),
                from: None,
                to: Some(default.clone()),
                note,
            });
            map.insert(name.to_owned(), default.clone());
        }
    }

    fn member_schemas(&self, view: &View<'s>, name: &str) -> Vec<&'s Value> {
        let mut out: Vec<&'s Value> = Vec::new();
        for schema in view {
            let before = out.len();
            out.extend(schema.get("properties").and_then(|named| named.get(name)));
            for (pattern, part) in schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
                if self.checker.name_fits(pattern, name) {
                    out.push(part);
                }
            }
            if out.len() == before {
                out.extend(schema.get("additionalProperties"));
            }
        }
        out
    }

    fn by_pattern(&self, schema: &Map<String, Value>, name: &str) -> bool {
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        patterns.into_iter().flat_map(Map::keys).any(|pattern| self.checker.name_fits(pattern, name))
    }

    /// The names of members in a schema and in all its branches, taken or not.
    fn known(&mut self, schema: &'s Map<String, Value>, out: &mut BTreeSet<&'s str>, level: usize) {
        if level > MAX_LEVEL || !self.spend(1) {
            return;
        }
        out.extend(
            schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).map(String::as_str),
        );
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|target| self.checker.target(target));
        let lists = ["allOf", "anyOf", "oneOf"].iter().filter_map(|word| schema.get(*word)?.as_array()).flatten();
        let parts = ["if", "then", "else"].iter().filter_map(|word| schema.get(*word));
        let named = ["dependentSchemas", "dependencies"].iter().filter_map(|word| schema.get(*word)?.as_object());
        for part in target.into_iter().chain(lists).chain(parts).chain(named.flat_map(Map::values)) {
            if let Value::Object(part) = part {
                self.known(part, out, level + 1);
            }
        }
    }
}

/// Names of members that must be there and are not, in the order of the schema.
fn missing<'s>(map: &Map<String, Value>, view: &View<'s>) -> Vec<&'s str> {
    let mut out: Vec<&str> = Vec::new();
    for schema in view {
        let mut need = |names: Option<&'s Value>| {
            for name in names.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
                if !map.contains_key(name) && !out.contains(&name) {
                    out.push(name);
                }
            }
        };
        need(schema.get("required"));
        for word in ["dependentRequired", "dependencies"] {
            for (name, needed) in schema.get(word).and_then(Value::as_object).into_iter().flatten() {
                if map.contains_key(name) {
                    need(Some(needed));
                }
            }
        }
    }
    out
}

fn short(name: &str) -> String {
    name.chars().take(60).collect()
}
