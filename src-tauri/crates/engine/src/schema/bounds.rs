//! Limits of a schema, found by walking its keywords. Only local references are allowed, so the whole graph is here.

use super::MAX_EXPANSION;
use serde_json::Value;
use std::collections::HashMap;

/// Keywords with a schema.
const ONE: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords with a list of schemas.
const LIST: &[&str] = &["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords with named schemas.
pub(crate) const NAMED: &[&str] =
    &["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];
/// Keywords whose schemas look at the same value again.
const IN_PLACE: &[&str] = &["allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then"];
/// Places that only hold schemas; they are checked when a reference leads to them.
const SHELF: &[&str] = &["$defs", "definitions"];

/// Refuses what grows too much; says whether the schema is recursive.
pub(super) fn check(root: &Value) -> Result<bool, String> {
    let mut graph = Graph::of(root);
    graph.collect(root, true)?;
    let total = graph.cost(root, 0)?;
    if total > MAX_EXPANSION {
        return Err(format!(
            "The schema expands to more than {MAX_EXPANSION} checks when its `$ref`s are followed. Use fewer references to \
             the same definitions."
        ));
    }
    Ok(graph.recursive)
}

/// How many patterns a schema has, wherever they stand.
pub(super) fn patterns(schema: &Value) -> usize {
    match schema {
        Value::Object(map) => map
            .iter()
            .map(|(word, inner)| match (word.as_str(), inner) {
                ("pattern", Value::String(_)) => 1,
                ("patternProperties", Value::Object(named)) => named.len() + patterns(inner),
                _ => patterns(inner),
            })
            .sum(),
        Value::Array(list) => list.iter().map(patterns).sum(),
        _ => 0,
    }
}

/// How many checks of one value a recursive schema leads to, at most, every way counted. Where two alternatives both
/// lead back into it for the same part of the value, that doubles with each level; this is found without walking it.
pub(super) fn work(root: &Value, value: &Value) -> u64 {
    let mut graph = Graph::of(root);
    if graph.collect(root, true).is_err() {
        return u64::MAX;
    }
    Work { graph, known: HashMap::new() }.of(root, value, 0)
}

/// Deepest chain of checks inside one another; the validator recurses as deep.
const WORK_DEPTH: usize = 2_000;

struct Work<'s> {
    graph: Graph<'s>,
    /// By addresses of schema and value: each pair is counted once.
    known: HashMap<(*const Value, *const Value), u64>,
}

impl<'s> Work<'s> {
    fn of(&mut self, schema: &'s Value, value: &Value, depth: usize) -> u64 {
        let Value::Object(map) = schema else { return 1 };
        // Most schemas of a large value lead no further: they are not worth remembering.
        let refers = |word: &&str| map.contains_key(*word);
        if !["$ref", "$dynamicRef", "$recursiveRef"].iter().any(refers) && children(map).is_empty() {
            return 1 + map.len() as u64;
        }
        let key = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if depth > WORK_DEPTH {
            return u64::MAX;
        }
        let mut total = 1_u64;
        for word in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(target) = map.get(word).and_then(Value::as_str).and_then(|name| self.graph.target(name)) {
                total = total.saturating_add(self.of(target, value, depth + 1));
            }
        }
        for (word, inner) in map {
            let word = word.as_str();
            let in_place = IN_PLACE.contains(&word);
            let more = match (word, inner, value) {
                (_, Value::Array(list), _) if in_place => self.sum(list.iter().map(|one| (one, value)), depth),
                ("dependencies" | "dependentSchemas", Value::Object(named), _) => {
                    self.sum(named.values().map(|one| (one, value)), depth)
                }
                (_, Value::Object(_), _) if in_place => self.of(inner, value, depth + 1),
                ("properties", Value::Object(named), Value::Object(members)) => {
                    self.sum(named.iter().filter_map(|(name, one)| Some((one, members.get(name)?))), depth)
                }
                ("patternProperties", Value::Object(named), Value::Object(members)) => {
                    self.sum(named.values().flat_map(|one| members.values().map(move |m| (one, m))), depth)
                }
                ("additionalProperties" | "unevaluatedProperties", _, Value::Object(members)) => {
                    self.sum(members.values().map(|member| (inner, member)), depth)
                }
                ("items" | "prefixItems", Value::Array(list), Value::Array(elements)) => {
                    self.sum(list.iter().zip(elements), depth)
                }
                ("items" | "additionalItems" | "contains" | "unevaluatedItems", _, Value::Array(elements)) => {
                    self.sum(elements.iter().map(|element| (inner, element)), depth)
                }
                _ => 1,
            };
            total = total.saturating_add(more);
        }
        self.known.insert(key, total);
        total
    }

    fn sum<'v>(&mut self, pairs: impl Iterator<Item = (&'s Value, &'v Value)>, depth: usize) -> u64 {
        pairs.map(|(schema, value)| self.of(schema, value, depth + 1)).fold(0, u64::saturating_add)
    }
}

struct Graph<'s> {
    root: &'s Value,
    anchors: HashMap<&'s str, &'s Value>,
    /// By address: `None` while a schema is being looked at (a cycle), else what it costs.
    cost: HashMap<*const Value, Option<u64>>,
    /// By address: false while the ways that stay on the same value are being followed, true when they all end.
    ends: HashMap<*const Value, bool>,
    /// Some way leads back to where it came from.
    recursive: bool,
}

/// Deepest chain of references.
const CHAIN: usize = 400;

impl<'s> Graph<'s> {
    fn of(root: &'s Value) -> Self {
        Self { root, anchors: HashMap::new(), cost: HashMap::new(), ends: HashMap::new(), recursive: false }
    }

    /// Refuses references out of the schema and remembers anchors.
    fn collect(&mut self, schema: &'s Value, top: bool) -> Result<(), String> {
        let Value::Object(map) = schema else { return Ok(()) };
        for word in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(Value::String(target)) = map.get(word)
                && !target.starts_with('#')
            {
                let shown: String = target.chars().take(80).collect();
                return Err(format!(
                    "`{word}` to `{shown}` refers to another document. Copy the definition into `$defs` and refer to it with \
                     `#/$defs/…`."
                ));
            }
        }
        if !top {
            for word in ["$id", "id"] {
                if let Some(Value::String(id)) = map.get(word)
                    && (word == "$id" || id.contains(['/', ':', '#']))
                {
                    return Err(format!("`{word}` is only allowed at the top of a schema."));
                }
            }
        }
        for word in ["$anchor", "$dynamicAnchor"] {
            if let Some(Value::String(name)) = map.get(word) {
                self.anchors.insert(name, schema);
            }
        }
        for (_, inner) in children(map) {
            self.collect(inner, false)?;
        }
        Ok(())
    }

    fn target(&self, reference: &str) -> Option<&'s Value> {
        let rest = reference.strip_prefix('#')?;
        if rest.is_empty() {
            return Some(self.root);
        }
        if rest.starts_with('/') {
            return self.root.pointer(&decoded(rest));
        }
        self.anchors.get(rest).copied()
    }

    /// How many schemas a value meets, every way counted, and a cycle counted once.
    fn cost(&mut self, schema: &'s Value, chain: usize) -> Result<u64, String> {
        let Value::Object(map) = schema else { return Ok(1) };
        let key = std::ptr::from_ref(schema);
        match self.cost.get(&key) {
            Some(Some(known)) => return Ok(*known),
            // A recursive schema: the next round is on a part of the value (checked by `in_place`).
            Some(None) => {
                self.recursive = true;
                return Ok(1);
            }
            None => {}
        }
        if chain > CHAIN {
            return Err("The references of the schema form a chain that is too long.".into());
        }
        self.in_place(schema, 0)?;
        self.cost.insert(key, None);
        let mut total = 1u64;
        for word in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(Value::String(reference)) = map.get(word) {
                let Some(target) = self.target(reference) else {
                    let shown: String = reference.chars().take(80).collect();
                    return Err(format!("`{word}` to `{shown}` refers to nothing in the schema."));
                };
                total = total.saturating_add(self.cost(target, chain + 1)?);
            }
        }
        for (word, inner) in children(map) {
            if !SHELF.contains(&word) {
                total = total.saturating_add(self.cost(inner, chain + 1)?);
            }
        }
        self.cost.insert(key, Some(total));
        Ok(total)
    }

    /// Refuses `a -> b -> a` on the same value: it would never end.
    fn in_place(&mut self, schema: &'s Value, chain: usize) -> Result<(), String> {
        let Value::Object(map) = schema else { return Ok(()) };
        let key = std::ptr::from_ref(schema);
        match self.ends.get(&key) {
            Some(true) => return Ok(()),
            Some(false) => return Err("The schema refers to itself for the same value, without end.".into()),
            None => {}
        }
        if chain > CHAIN {
            return Err("The references of the schema form a chain that is too long.".into());
        }
        self.ends.insert(key, false);
        for word in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(Value::String(reference)) = map.get(word)
                && let Some(target) = self.target(reference)
            {
                self.in_place(target, chain + 1)?;
            }
        }
        for (word, inner) in children(map) {
            if IN_PLACE.contains(&word) {
                self.in_place(inner, chain + 1)?;
            }
        }
        self.ends.insert(key, true);
        Ok(())
    }
}

fn children(map: &serde_json::Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut out = Vec::new();
    for (word, value) in map {
        let word = word.as_str();
        match value {
            Value::Array(list) if LIST.contains(&word) => out.extend(list.iter().map(|one| (word, one))),
            Value::Object(named) if NAMED.contains(&word) => out.extend(named.values().map(|one| (word, one))),
            Value::Object(_) if ONE.contains(&word) => out.push((word, value)),
            _ => {}
        }
    }
    out
}

/// Percent signs of a fragment.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (byte, pair) {
            (b'%', Some(value)) => {
                out.push(value);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
