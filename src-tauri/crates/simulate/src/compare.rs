//! What differs: one entry of a test's result, and the places at which two JSON values are not the same.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Differences of one value at most.
const MOST: usize = 20;

/// One thing that is not as the test says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Difference {
    /// The step; none when it is about the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// What differs: `status`, `output/0/total`, `state`, `ports/true`, `call`, `assertion`.
    pub field: String,
    /// What the test expects; absent when nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// What came; absent when nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<Value>,
    /// The same in a sentence.
    pub message: String,
}

/// One place at which two values differ.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueDifference {
    /// JSON Pointer; empty for the whole value.
    pub pointer: String,
    /// What was expected; none when nothing was.
    pub expected: Option<Value>,
    /// What came; none when nothing did.
    pub actual: Option<Value>,
}

/// Where `actual` differs from `expected`.
pub fn differences(expected: &Value, actual: &Value) -> Vec<ValueDifference> {
    let mut found = Vec::new();
    compare(expected, actual, &mut String::new(), &mut found);
    found
}

fn same_number(a: &Value, b: &Value) -> bool {
    a.is_number() && b.is_number() && a.as_f64() == b.as_f64() && a.as_i64() == b.as_i64()
}

fn compare(expected: &Value, actual: &Value, pointer: &mut String, found: &mut Vec<ValueDifference>) {
    if found.len() >= MOST || expected == actual || same_number(expected, actual) {
        return;
    }
    let length = pointer.len();
    let mut inside = |name: &str, a: Option<&Value>, b: Option<&Value>| {
        pointer.push('/');
        pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        match (a, b) {
            (Some(a), Some(b)) => compare(a, b, pointer, found),
            (a, b) if found.len() < MOST => {
                found.push(ValueDifference { pointer: pointer.clone(), expected: a.cloned(), actual: b.cloned() })
            }
            _ => {}
        }
        pointer.truncate(length);
    };
    match (expected, actual) {
        (Value::Object(a), Value::Object(b)) => {
            for (name, value) in a {
                inside(name, Some(value), b.get(name));
            }
            for (name, value) in b.iter().filter(|(name, _)| !a.contains_key(*name)) {
                inside(name, None, Some(value));
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for at in 0..a.len().max(b.len()) {
                inside(&at.to_string(), a.get(at), b.get(at));
            }
        }
        (a, b) => {
            found.push(ValueDifference { pointer: pointer.clone(), expected: Some(a.clone()), actual: Some(b.clone()) })
        }
    }
}
