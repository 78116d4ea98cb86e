//! What a person changed in another task with the same failure, as a change of this one's input. The other task is about
//! something else: nothing of it comes along but what was changed, and nothing that either of them hides.

use serde_json::{Value, json};
use signalbox_engine::patch::{self, Operation, pointer};
use signalbox_store::{TaskRecord, mask::Masks};

/// Parts of schemas and values that are looked at for marks of secrets, and how deep; beyond, everything is one.
const LOOKED_AT: usize = 100_000;
const DEEP: usize = 256;

/// The input of `this` with what was changed in `other`. `None` unless this one has everywhere what the other one had
/// there before, and when a change is at, below or around a place that is hidden.
pub(crate) fn carried(other: &TaskRecord, this: &TaskRecord) -> Option<Value> {
    let patch = other.decision.as_ref()?.get("patch")?.clone();
    let operations: Vec<Operation> = serde_json::from_value(patch).ok()?;
    let (other, this) = (&other.created, &this.created);
    let schemas: Vec<&Value> = [&other.schema, &this.schema].into_iter().flatten().collect();
    let redact = [&other.redact[..], &this.redact[..]].concat();
    over(&operations, &other.input, &this.input, &schemas, redact)
}

/// `now` with what was changed in `was`. Schemas and hidden places are those of both: what either hides is hidden in both.
fn over(
    operations: &[Operation],
    was: &Value,
    now: &Value,
    schemas: &[&Value],
    mut hidden: Vec<String>,
) -> Option<Value> {
    if !operations.iter().all(|operation| fits(operation, was, now)) {
        return None;
    }
    let (changed, carried) = (patch::apply(was, operations).ok()?, patch::apply(now, operations).ok()?);
    let values = [was, &changed, now, &carried];
    for schema in schemas {
        hidden.extend(values.iter().flat_map(|value| secrets(schema, value)));
    }
    (!touches(operations, hidden, values)).then_some(carried)
}

/// Both have the same where the operation changes something. In a list, what stands beside it counts as well.
fn fits(operation: &Operation, was: &Value, now: &Value) -> bool {
    let path = operation.path();
    match operation {
        Operation::Replace { .. } => was.pointer(path).is_some() && was.pointer(path) == now.pointer(path),
        Operation::Add { .. } | Operation::Remove { .. } => {
            let Some((around, _)) = path.rsplit_once('/') else { return false };
            match (was.pointer(around), now.pointer(around)) {
                (Some(Value::Array(was)), Some(Value::Array(now))) => was == now,
                (Some(Value::Object(_)), Some(Value::Object(_))) => was.pointer(path) == now.pointer(path),
                _ => false,
            }
        }
        // Nobody's change of an input is written with these.
        Operation::Move { .. } | Operation::Copy { .. } | Operation::Test { .. } => false,
    }
}

/// Whether a change is where something is hidden: by the author, by a schema, by its name or by what it looks like.
fn touches(operations: &[Operation], mut hidden: Vec<String>, values: [&Value; 4]) -> bool {
    let mut masks = Masks::new(&hidden);
    let by_path = operations.iter().any(|operation| {
        let probe = json!([{ "path": operation.path(), "value": "x" }]);
        Masks::new(&hidden).patch(&probe)[0]["value"] != "x"
    });
    for value in values {
        hidden.extend(masks.input(value).1);
    }
    by_path
        || operations.iter().any(|operation| {
            let path = operation.path();
            let around = path.rsplit_once('/').map_or("", |(around, _)| around);
            // What stands behind a place in a list moves with it.
            let is_list = values.iter().any(|value| value.pointer(around).is_some_and(Value::is_array));
            let moved = if is_list && !matches!(operation, Operation::Replace { .. }) { around } else { path };
            hidden.iter().any(|place| is_within(place, moved) || is_within(path, place))
        })
}

/// `inner` is `outer` or a place in it.
fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The places of a value that its schema marks with `x-secret`.
fn secrets(schema: &Value, value: &Value) -> Vec<String> {
    let mut look = Look { root: schema, left: LOOKED_AT, found: Vec::new() };
    look.at(schema, value, "", 0);
    look.found
}

struct Look<'a> {
    root: &'a Value,
    left: usize,
    found: Vec<String>,
}

impl Look<'_> {
    /// A branch that does not apply is looked at, too: hiding too much only offers less.
    fn at(&mut self, schema: &Value, value: &Value, path: &str, depth: usize) {
        if self.left == 0 || depth > DEEP {
            self.found.push(String::new());
            return;
        }
        self.left -= 1;
        if schema.get("x-secret") == Some(&Value::Bool(true)) {
            self.found.push(path.to_owned());
            return;
        }
        let depth = depth + 1;
        for word in ["$ref", "$dynamicRef"] {
            let Some(link) = schema.get(word).and_then(Value::as_str) else { continue };
            match link.strip_prefix('#').and_then(|link| self.root.pointer(link)) {
                Some(schema) => self.at(schema, value, path, depth),
                None => self.found.push(path.to_owned()),
            }
        }
        for word in ["allOf", "anyOf", "oneOf"] {
            for one in schema.get(word).and_then(Value::as_array).into_iter().flatten() {
                self.at(one, value, path, depth);
            }
        }
        for one in ["if", "then", "else"].iter().filter_map(|word| schema.get(*word)) {
            self.at(one, value, path, depth);
        }
        for one in schema.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(|all| all.values()) {
            self.at(one, value, path, depth);
        }
        match value {
            Value::Object(members) => {
                let patterns = schema.get("patternProperties").and_then(Value::as_object);
                for (name, value) in members {
                    let own = schema.get("properties").and_then(|all| all.get(name));
                    let rest = ["additionalProperties", "unevaluatedProperties"].iter().filter(|_| own.is_none());
                    let rest = rest.filter_map(|word| schema.get(*word));
                    let path = pointer::push(path, name);
                    for one in own.into_iter().chain(patterns.into_iter().flat_map(|all| all.values())).chain(rest) {
                        self.at(one, value, &path, depth);
                    }
                }
            }
            Value::Array(entries) => {
                for (index, value) in entries.iter().enumerate() {
                    let own = schema.get("prefixItems").and_then(|all| all.get(index));
                    let old = schema.get("items").and_then(|all| all.get(index));
                    let rest = ["items", "additionalItems", "unevaluatedItems", "contains"];
                    let rest = rest.iter().filter_map(|word| schema.get(*word));
                    let path = pointer::push(path, &index.to_string());
                    for one in own.into_iter().chain(old).chain(rest) {
                        self.at(one, value, &path, depth);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
