//! Which documents a filter lets through.

use serde_json::{Map, Value};

/// Every field of the filter has the value, or one of its list.
pub(crate) fn fits(metadata: &Map<String, Value>, filter: &Map<String, Value>) -> bool {
    let is = |has: &Value, wanted: &Value| {
        has == wanted || has.as_array().is_some_and(|list| list.contains(wanted)) || same_number(has, wanted)
    };
    filter.iter().all(|(field, wanted)| {
        let Some(has) = metadata.get(field) else { return wanted.is_null() };
        match wanted {
            Value::Array(any) => any.iter().any(|wanted| is(has, wanted)),
            wanted => is(has, wanted),
        }
    })
}

/// 2 and 2.0 are the same to a person.
fn same_number(one: &Value, other: &Value) -> bool {
    one.is_number() && other.is_number() && one.as_f64() == other.as_f64()
}
