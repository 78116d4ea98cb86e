//! Making a patch.

use super::{Operation, pointer};
use serde_json::{Map, Value};

/// The operations that make `fixed` out of `original`: members of objects by name, lists by what they have in common at
/// both ends and then place by place, so a list that lost an element in the middle gives one `remove`. Equal values
/// give nothing; the order of members in an object is no difference.
#[must_use]
pub fn diff(original: &Value, fixed: &Value) -> Vec<Operation> {
    let mut out = Vec::new();
    values(original, fixed, "", &mut out);
    out
}

fn values(original: &Value, fixed: &Value, path: &str, out: &mut Vec<Operation>) {
    match (original, fixed) {
        (Value::Object(a), Value::Object(b)) => objects(a, b, path, out),
        (Value::Array(a), Value::Array(b)) => lists(a, b, path, out),
        _ if original == fixed => {}
        _ => out.push(Operation::Replace { path: path.to_owned(), value: fixed.clone() }),
    }
}

fn objects(original: &Map<String, Value>, fixed: &Map<String, Value>, path: &str, out: &mut Vec<Operation>) {
    for (name, was) in original {
        let place = pointer::push(path, name);
        match fixed.get(name) {
            Some(is) => values(was, is, &place, out),
            None => out.push(Operation::Remove { path: place }),
        }
    }
    for (name, value) in fixed.iter().filter(|(name, _)| !original.contains_key(*name)) {
        out.push(Operation::Add { path: pointer::push(path, name), value: value.clone() });
    }
}

fn lists(original: &[Value], fixed: &[Value], path: &str, out: &mut Vec<Operation>) {
    let head = original.iter().zip(fixed).take_while(|(a, b)| a == b).count();
    let (original, fixed) = (original.get(head..).unwrap_or_default(), fixed.get(head..).unwrap_or_default());
    let tail = original.iter().rev().zip(fixed.iter().rev()).take_while(|(a, b)| a == b).count();
    let original = original.get(..original.len() - tail).unwrap_or_default();
    let fixed = fixed.get(..fixed.len() - tail).unwrap_or_default();
    for (at, (was, is)) in original.iter().zip(fixed).enumerate() {
        values(was, is, &pointer::push(path, &(head + at).to_string()), out);
    }
    // From the end, so that the indexes of what is still to be removed stay true.
    for at in (fixed.len()..original.len()).rev() {
        out.push(Operation::Remove { path: pointer::push(path, &(head + at).to_string()) });
    }
    for (at, value) in fixed.iter().enumerate().skip(original.len()) {
        out.push(Operation::Add { path: pointer::push(path, &(head + at).to_string()), value: value.clone() });
    }
}
