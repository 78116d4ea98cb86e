//! The walk: value and schemas side by side, the rungs at each place that is violated.

use super::checker::Checker;
use super::{Change, Note, Rung};
use crate::patch::pointer;
use serde_json::{Map, Value};

/// Deepest place; choices between branches count as well.
pub(super) const MAX_LEVEL: usize = 256;
/// Rounds at one place: what one rung makes can be work for another.
const ROUNDS: usize = 8;
/// Steps of one repair, and more for each byte of the input. A choice at each of ten levels would take a thousand times
/// the work of one.
const FUEL: usize = 100_000;
const FUEL_PER_BYTE: usize = 16;

/// The schemas that apply to a value without a choice: references, `allOf` and decided conditions are followed.
pub(super) type View<'s> = Vec<&'s Map<String, Value>>;

pub(super) const NULL: u8 = 1;
pub(super) const BOOL: u8 = 2;
pub(super) const INT: u8 = 4;
pub(super) const NUM: u8 = 8;
pub(super) const STR: u8 = 16;
pub(super) const ARR: u8 = 32;
pub(super) const OBJ: u8 = 64;

pub(super) struct Fixer<'s> {
    pub(super) checker: Checker<'s>,
    /// Whether typos are believed and defaults put in.
    pub(super) guess: bool,
    pub(super) changes: Vec<Change>,
    pub(super) notes: Vec<Note>,
    /// Places of values that are being put into a list: a list of lists of one is never meant.
    pub(super) wrapped: Vec<String>,
    draft: Option<u32>,
    fuel: usize,
    spent: bool,
}

/// Where in value and schemas the walk stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'p, 's> {
    /// What applies here.
    pub(super) schemas: &'p [&'s Value],
    /// The choices of this place that are made already: their branch is in `schemas`.
    pub(super) chosen: &'p [*const Value],
    /// JSON pointer.
    pub(super) path: &'p str,
    pub(super) level: usize,
}

impl<'p, 's> Place<'p, 's> {
    /// A part of the value, with schemas of its own.
    pub(super) fn part(self, schemas: &'p [&'s Value], path: &'p str) -> Self {
        Self { schemas, chosen: &[], path, level: self.level + 1 }
    }
}

/// Where the lists of changes and notes stood.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    changes: usize,
    notes: usize,
}

impl<'s> Fixer<'s> {
    pub(super) fn new(root: &'s Value, input: &Value, guess: bool) -> Self {
        let checker = Checker::new(root);
        let draft = checker.draft();
        let size = serde_json::to_string(input).map_or(0, |text| text.len());
        let fuel = size.saturating_mul(FUEL_PER_BYTE).saturating_add(FUEL);
        Self { checker, guess, changes: Vec::new(), notes: Vec::new(), wrapped: Vec::new(), draft, fuel, spent: false }
    }

    /// Whether the work was cut short.
    pub(super) fn exhausted(&self) -> bool {
        self.spent
    }

    pub(super) fn spend(&mut self, steps: usize) -> bool {
        match self.fuel.checked_sub(steps) {
            Some(left) => {
                self.fuel = left;
                true
            }
            None => {
                self.spent = true;
                false
            }
        }
    }

    /// Mends one value.
    pub(super) fn node(&mut self, value: &mut Value, place: Place<'_, 's>) {
        if place.level > MAX_LEVEL {
            return;
        }
        for _ in 0..ROUNDS {
            if !self.spend(1) {
                return;
            }
            let before = self.changes.len();
            let view = self.view(place.schemas, value);
            self.shape(value, place, &view);
            if self.changes.len() == before {
                match value {
                    Value::Object(map) => self.members(map, place, &view),
                    Value::Array(list) => self.elements(list, place, &view),
                    _ => {}
                }
                self.choices(value, place, &view);
            }
            if self.changes.len() == before {
                return;
            }
        }
    }

    pub(super) fn view(&mut self, schemas: &[&'s Value], value: &Value) -> View<'s> {
        let mut out = Vec::new();
        for schema in schemas {
            self.flatten(schema, value, &mut out, 0);
        }
        out
    }

    fn flatten(&mut self, schema: &'s Value, value: &Value, out: &mut View<'s>, level: usize) {
        let Value::Object(map) = schema else { return };
        if level > MAX_LEVEL || !self.spend(1) || out.iter().any(|known| std::ptr::eq(*known, map)) {
            return;
        }
        if let Some(target) = map.get("$ref").and_then(Value::as_str).and_then(|target| self.checker.target(target)) {
            self.flatten(target, value, out, level + 1);
            if self.draft.is_some_and(|draft| draft <= 7) {
                return;
            }
        }
        out.push(map);
        for part in map.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.flatten(part, value, out, level + 1);
        }
        if let Some(condition) = map.get("if") {
            let word = if self.checker.fits(condition, value) { "then" } else { "else" };
            if let Some(part) = map.get(word) {
                self.flatten(part, value, out, level + 1);
            }
        }
        let Value::Object(members) = value else { return };
        for word in ["dependentSchemas", "dependencies"] {
            for (name, part) in map.get(word).and_then(Value::as_object).into_iter().flatten() {
                if members.contains_key(name) {
                    self.flatten(part, value, out, level + 1);
                }
            }
        }
    }

    /// Keywords of one value, without its parts, that are violated.
    pub(super) fn broken(&mut self, view: &View<'s>, value: &Value) -> Vec<String> {
        let mut out = Vec::new();
        for map in view {
            out.extend(self.checker.broken(map, value));
        }
        out
    }

    pub(super) fn kind(&self, value: &Value) -> u8 {
        match value {
            Value::Null => NULL,
            Value::Bool(_) => BOOL,
            Value::Number(number) if !number.is_f64() => INT,
            Value::Number(number) => {
                let whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
                if whole && self.draft != Some(4) { INT } else { NUM }
            }
            Value::String(_) => STR,
            Value::Array(_) => ARR,
            Value::Object(_) => OBJ,
        }
    }

    fn elements(&mut self, list: &mut [Value], place: Place<'_, 's>, view: &View<'s>) {
        for (at, element) in list.iter_mut().enumerate() {
            let schemas = element_schemas(view, at);
            if !schemas.is_empty() {
                self.node(element, place.part(&schemas, &pointer::push(place.path, &at.to_string())));
            }
        }
    }

    pub(super) fn changed(&mut self, rung: Rung, path: &str, from: &Value, to: &Value, note: String) {
        self.changes.push(Change { rung, path: path.to_owned(), from: Some(from.clone()), to: Some(to.clone()), note });
    }

    pub(super) fn left(&mut self, rung: Rung, path: &str, reason: String) {
        if self.notes.len() < super::MAX_NOTES {
            let note = Note { rung, path: path.to_owned(), reason };
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { changes: self.changes.len(), notes: self.notes.len() }
    }

    /// Forgets what was done since; the notes stay when `keep_notes`.
    pub(super) fn back(&mut self, mark: Mark, keep_notes: bool) {
        self.changes.truncate(mark.changes);
        if !keep_notes {
            self.notes.truncate(mark.notes);
        }
    }

    /// Takes out what was done since.
    pub(super) fn since(&mut self, mark: Mark) -> (Vec<Change>, Vec<Note>) {
        (
            self.changes.split_off(mark.changes.min(self.changes.len())),
            self.notes.split_off(mark.notes.min(self.notes.len())),
        )
    }
}

/// The schemas for the element at an index.
pub(super) fn element_schemas<'s>(view: &View<'s>, at: usize) -> Vec<&'s Value> {
    let mut out = Vec::new();
    for map in view {
        let (first, rest) = match map.get("items") {
            Some(Value::Array(list)) => (Some(list), map.get("additionalItems")),
            other => (map.get("prefixItems").and_then(Value::as_array), other),
        };
        match first.and_then(|list| list.get(at)) {
            Some(schema) => out.push(schema),
            None => out.extend(rest),
        }
    }
    out
}

/// The kinds of value that are allowed; `None` when the schemas do not say.
pub(super) fn kinds(view: &View<'_>) -> Option<u8> {
    let mut out = None;
    let mut narrow = |kinds: u8| out = Some(out.unwrap_or(u8::MAX) & kinds);
    for map in view {
        match map.get("type") {
            Some(Value::String(name)) => narrow(named(name)),
            Some(Value::Array(names)) => {
                narrow(names.iter().filter_map(Value::as_str).map(named).fold(0, |a, b| a | b))
            }
            _ => {}
        }
        if let Some(Value::Array(values)) = map.get("enum") {
            narrow(values.iter().map(of).fold(0, |a, b| a | b));
        }
        if let Some(value) = map.get("const") {
            narrow(of(value));
        }
    }
    out
}

fn named(name: &str) -> u8 {
    match name {
        "null" => NULL,
        "boolean" => BOOL,
        "integer" => INT,
        "number" => INT | NUM,
        "string" => STR,
        "array" => ARR,
        "object" => OBJ,
        _ => 0,
    }
}

fn of(value: &Value) -> u8 {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => BOOL,
        Value::Number(_) => INT | NUM,
        Value::String(_) => STR,
        Value::Array(_) => ARR,
        Value::Object(_) => OBJ,
    }
}

/// A value in a sentence.
pub(super) fn shown(value: &Value) -> String {
    const LENGTH: usize = 60;
    let text = match value {
        Value::Array(_) => return "the list".into(),
        Value::Object(_) => return "the object".into(),
        other => other.to_string(),
    };
    if text.chars().count() > LENGTH { format!("{}…", text.chars().take(LENGTH).collect::<String>()) } else { text }
}
