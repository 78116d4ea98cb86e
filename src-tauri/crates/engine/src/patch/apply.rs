//! Applying a patch.

use super::{Operation, pointer};
use crate::value_size::depth;
use serde_json::{Number, Value};

/// Deepest value that a patch may build.
pub const MAX_DEPTH: usize = 128;
/// Most values that the `copy` operations of one patch may make. A patch of 60 bytes that copies the whole into itself,
/// forty times over, would fill any memory.
pub const MAX_GROWTH: usize = 1_000_000;
/// Bytes of a text that count as one value.
const BYTES_PER_VALUE: usize = 32;

/// Why a patch was not applied. Nothing is applied by half.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Operation {number} of the patch ({path}): {reason}")]
pub struct PatchError {
    /// Which operation, from 1.
    pub number: usize,
    /// The place, as the operation writes it.
    pub path: String,
    /// Why, in plain words.
    pub reason: String,
}

/// Applies the operations in order.
///
/// # Errors
/// The first operation that cannot be applied; the original is untouched.
pub fn apply(original: &Value, operations: &[Operation]) -> Result<Value, PatchError> {
    let mut value = original.clone();
    let mut growth = 0;
    for (at, operation) in operations.iter().enumerate() {
        one(&mut value, operation, &mut growth).map_err(|reason| {
            let shown: String = operation.path().chars().take(200).collect();
            let path = if shown.is_empty() { "the whole".to_owned() } else { shown };
            PatchError { number: at + 1, path, reason }
        })?;
    }
    Ok(value)
}

fn one(root: &mut Value, operation: &Operation, growth: &mut usize) -> Result<(), String> {
    match operation {
        Operation::Add { path, value } => add(root, path, value.clone()),
        Operation::Remove { path } => remove(root, path).map(|_| ()),
        Operation::Replace { path, value } => {
            let tokens = tokens(path)?;
            shallow(tokens.len(), value)?;
            *place(root, &tokens)? = value.clone();
            Ok(())
        }
        Operation::Move { from, path } => {
            if path.strip_prefix(from.as_str()).is_some_and(|rest| rest.starts_with('/')) {
                return Err(format!("`{from}` cannot be moved into itself."));
            }
            if from == path {
                return place(root, &tokens(from)?).map(|_| ());
            }
            let value = remove(root, from)?;
            add(root, path, value)
        }
        Operation::Copy { from, path } => {
            let value = place(root, &tokens(from)?)?;
            *growth += weight(value);
            if *growth > MAX_GROWTH {
                return Err(format!("The patch copies more than {MAX_GROWTH} values."));
            }
            let value = value.clone();
            add(root, path, value)
        }
        Operation::Test { path, value } => {
            if same(place(root, &tokens(path)?)?, value) {
                Ok(())
            } else {
                Err("The value there is not the one the patch was made for.".into())
            }
        }
    }
}

fn tokens(path: &str) -> Result<Vec<String>, String> {
    pointer::split(path).ok_or_else(|| {
        "This is no JSON pointer; one begins with `/`, and `~` is written `~0`, `/` in a name `~1`.".into()
    })
}

/// The value at a place.
fn place<'v>(root: &'v mut Value, tokens: &[String]) -> Result<&'v mut Value, String> {
    let mut at = root;
    for token in tokens {
        at = match at {
            Value::Object(map) => map.get_mut(token).ok_or_else(|| missing(token))?,
            Value::Array(list) => {
                let length = list.len();
                let index = index(token)?;
                list.get_mut(index).ok_or_else(|| outside(index, length))?
            }
            other => return Err(leaf(token, other)),
        };
    }
    Ok(at)
}

fn add(root: &mut Value, path: &str, value: Value) -> Result<(), String> {
    let tokens = tokens(path)?;
    shallow(tokens.len(), &value)?;
    let Some((last, parents)) = tokens.split_last() else {
        *root = value;
        return Ok(());
    };
    match place(root, parents)? {
        Value::Object(map) => {
            map.insert(last.clone(), value);
        }
        Value::Array(list) => {
            let length = list.len();
            let index = if last == "-" { length } else { index(last)? };
            if index > length {
                return Err(outside(index, length));
            }
            list.insert(index, value);
        }
        other => return Err(leaf(last, other)),
    }
    Ok(())
}

fn remove(root: &mut Value, path: &str) -> Result<Value, String> {
    let tokens = tokens(path)?;
    let Some((last, parents)) = tokens.split_last() else {
        return Err("The whole cannot be taken away; replace it.".into());
    };
    match place(root, parents)? {
        Value::Object(map) => map.shift_remove(last).ok_or_else(|| missing(last)),
        Value::Array(list) => {
            let index = index(last)?;
            if index < list.len() { Ok(list.remove(index)) } else { Err(outside(index, list.len())) }
        }
        other => Err(leaf(last, other)),
    }
}

fn index(token: &str) -> Result<usize, String> {
    pointer::index(token).ok_or_else(|| format!("`{}` is no index of a list.", short(token)))
}

fn missing(name: &str) -> String {
    format!("There is no `{}` there.", short(name))
}

fn outside(index: usize, length: usize) -> String {
    format!("The list has {length} elements, there is no place {index}.")
}

fn leaf(token: &str, value: &Value) -> String {
    let kind = match value {
        Value::String(_) => "a text",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a boolean",
        _ => "null",
    };
    format!("`{}` leads into {kind}, which has no parts.", short(token))
}

fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

fn shallow(above: usize, value: &Value) -> Result<(), String> {
    if above + depth(value, MAX_DEPTH + 1) > MAX_DEPTH {
        return Err(format!("The result would be nested deeper than {MAX_DEPTH} levels."));
    }
    Ok(())
}

/// How many values a copy makes; a long text counts as several.
fn weight(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(weight).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(weight).sum::<usize>(),
        Value::String(text) => 1 + text.len() / BYTES_PER_VALUE,
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || equal(a, b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| same(value, other)))
        }
        _ => a == b,
    }
}

/// An integer and a float of the same value. Beyond 2^53 a float stands for many integers: not equal.
fn equal(a: &Number, b: &Number) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    a.is_f64() != b.is_f64() && a.as_f64() == b.as_f64() && a.as_f64().is_some_and(|value| value.abs() <= EXACT)
}
