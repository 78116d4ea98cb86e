//! The same for a JSON value: all its texts, its numbers, and the names of its fields.

use crate::country::Country;
use crate::personal_data::{Finder, Found, Kind, mask, sample};
use serde_json::{Map, Value};

/// A finding in a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What it is.
    pub kind: Kind,
    /// Of a national number: whose.
    pub country: Option<Country>,
    /// Where: a JSON Pointer; of the name of a field, that of its object.
    pub path: String,
    /// A part of it that people may see.
    pub sample: String,
}

/// Everything in a value.
pub fn find_in(value: &Value, finder: &Finder) -> Vec<Hit> {
    mask_in(&mut value.clone(), finder, None)
}

fn hit(path: &str, text: &str, found: &Found) -> Hit {
    let sample = sample(&text[found.range.clone()], found.kind);
    Hit { kind: found.kind, country: found.country, path: path.to_owned(), sample }
}

/// Every text of a value: strings, names of fields, and numbers that are long enough to name a person.
/// Where `fixed` has the same value at the same place it is left out.
pub fn texts(value: &Value, fixed: Option<&Value>) -> Vec<String> {
    let mut all = Vec::new();
    // Nothing is changed: it only goes where masking goes.
    walk(&mut value.clone(), fixed, &mut String::new(), &mut |_, text| {
        all.push(text.to_owned());
        None
    });
    all
}

/// Shorter numbers are amounts and counts.
fn as_text(number: &serde_json::Number) -> Option<String> {
    number.as_u64().filter(|number| *number >= 10_000_000).map(|number| number.to_string())
}

/// Puts placeholders into a value where something is found, and tells what. Where `fixed` has the same text at the same
/// place it is left alone: a person wrote it into the step.
pub fn mask_in(value: &mut Value, finder: &Finder, fixed: Option<&Value>) -> Vec<Hit> {
    let mut hits = Vec::new();
    walk(value, fixed, &mut String::new(), &mut |path, text| {
        let found = finder.find(text);
        hits.extend(found.iter().map(|found| hit(path, text, found)));
        (!found.is_empty()).then(|| mask(text, &found))
    });
    hits
}

fn walk(
    value: &mut Value,
    fixed: Option<&Value>,
    path: &mut String,
    change: &mut dyn FnMut(&str, &str) -> Option<String>,
) {
    if fixed.is_some_and(|fixed| fixed == value) {
        return;
    }
    let length = path.len();
    match value {
        Value::String(text) => {
            if let Some(masked) = change(path, text) {
                *text = masked;
            }
        }
        Value::Number(number) => {
            if let Some(masked) = as_text(number).and_then(|text| change(path, &text)) {
                *value = Value::String(masked);
            }
        }
        Value::Array(list) => {
            for (at, one) in list.iter_mut().enumerate() {
                path.push_str(&format!("/{at}"));
                walk(one, fixed.and_then(|fixed| fixed.get(at)), path, change);
                path.truncate(length);
            }
        }
        Value::Object(map) => {
            let mut changed = Map::new();
            for (name, mut one) in std::mem::take(map) {
                let fixed = fixed.and_then(|fixed| fixed.get(&name));
                let masked = if fixed.is_some() { None } else { change(path, &name) };
                path.push('/');
                path.push_str(&name.replace('~', "~0").replace('/', "~1"));
                walk(&mut one, fixed, path, change);
                path.truncate(length);
                changed.insert(free(&changed, masked.unwrap_or(name)), one);
            }
            *map = changed;
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Two masked names may become one; the later gets a number, so that no field is lost.
fn free(map: &Map<String, Value>, name: String) -> String {
    if !map.contains_key(&name) {
        return name;
    }
    (2..).map(|n| format!("{name} {n}")).find(|name| !map.contains_key(name)).unwrap_or(name)
}
