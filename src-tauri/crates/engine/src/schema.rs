//! JSON Schema for inputs, outputs, forms and parameters. Schemas come from workflows and tools, so they are foreign:
//! nothing is fetched, patterns run in linear time, and size, depth and the growth by `$ref` are bounded before the
//! validator sees them (28 levels of two references each would run for ever).

mod bounds;

pub(crate) use bounds::NAMED;

use crate::measure::{depth, size};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Largest schema, in bytes of compact JSON.
pub const MAX_SIZE: usize = 256 * 1024;
/// Deepest nesting of a schema.
pub const MAX_DEPTH: usize = 64;
/// Most schemas that one value can be checked against when every `$ref` is followed.
pub const MAX_EXPANSION: u64 = 50_000;
/// Most violations that are reported.
pub const MAX_VIOLATIONS: usize = 20;
/// Deepest value that is validated; the validator recurses.
pub const MAX_VALUE_DEPTH: usize = 128;
/// Most checks that one value may lead to in a recursive schema, every alternative counted; more are allowed for a
/// large value, see [`CHECKS_PER_NODE`].
pub const MAX_CHECKS: u64 = 5_000_000;
/// Checks allowed for each node of a value in a recursive schema.
pub const CHECKS_PER_NODE: u64 = 1_000;
/// Up to so many checks it is also told what does not fit in which alternative: that costs a hundred times as much.
const EXPLAINED: u64 = 50_000;

/// Compiled schemas that are kept.
const KEPT: usize = 256;
/// Longest piece of data in a message.
const SHOWN: usize = 80;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    validator: jsonschema::Validator,
    /// The source of a recursive schema: only there the checks can double with each level of the value.
    recursive: Option<Value>,
}

/// One reason why a value does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// JSON pointer of the value; empty for the whole.
    pub path: String,
    /// Plain words; long values are left out.
    pub message: String,
    /// The schema's keyword, such as `required`.
    pub keyword: String,
}

type Kept = Mutex<HashMap<[u8; 32], Result<Arc<Schema>, String>>>;

impl Schema {
    /// Compiles a schema (draft 2020-12 unless `$schema` says otherwise). The result is kept by content.
    ///
    /// # Errors
    /// Why the schema cannot be used, in plain words.
    pub fn compile(schema: &Value) -> Result<Arc<Self>, String> {
        static STORE: OnceLock<Kept> = OnceLock::new();
        if depth(schema, MAX_DEPTH + 1) > MAX_DEPTH {
            return Err(format!("The schema is nested deeper than {MAX_DEPTH} levels."));
        }
        let text = serde_json::to_vec(schema).map_err(|e| format!("The schema cannot be read: {e}."))?;
        if text.len() > MAX_SIZE {
            return Err(format!("The schema has {} bytes; at most {MAX_SIZE} are allowed.", text.len()));
        }
        let key: [u8; 32] = Sha256::digest(&text).into();
        let store = STORE.get_or_init(Mutex::default);
        if let Some(found) = store.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return found.clone();
        }
        let made = build(schema);
        let mut held = store.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() >= KEPT {
            held.clear();
        }
        held.insert(key, made.clone());
        made
    }

    /// Checks a value.
    ///
    /// # Errors
    /// What does not fit, at most [`MAX_VIOLATIONS`].
    pub fn validate(&self, value: &Value) -> Result<(), Vec<Violation>> {
        if depth(value, MAX_VALUE_DEPTH + 1) > MAX_VALUE_DEPTH {
            return Err(vec![Violation {
                path: String::new(),
                message: format!("The value is nested deeper than {MAX_VALUE_DEPTH} levels."),
                keyword: "depth".into(),
            }]);
        }
        let checks = self.recursive.as_ref().map_or(0, |source| bounds::work(source, value));
        let limit = if checks > MAX_CHECKS { (size(value) as u64).saturating_mul(CHECKS_PER_NODE) } else { MAX_CHECKS };
        if checks > limit.max(MAX_CHECKS) {
            return Err(vec![Violation {
                path: String::new(),
                message: "The value cannot be checked: the schema has alternatives that lead back into itself for the \
                          same part of the value, so the checks double with every level. Let only one of the \
                          alternatives refer back."
                    .into(),
                keyword: "$ref".into(),
            }]);
        }
        if self.validator.is_valid(value) {
            return Ok(());
        }
        if checks > EXPLAINED.max((size(value) as u64).saturating_mul(CHECKS_PER_NODE / 10)) {
            return Err(vec![Violation {
                path: String::new(),
                message: "The value fits none of the alternatives of the schema (too many to list).".into(),
                keyword: "anyOf".into(),
            }]);
        }
        let found: Vec<Violation> =
            self.validator.iter_errors(value).take(MAX_VIOLATIONS).map(|e| violation(&e)).collect();
        if found.is_empty() { Ok(()) } else { Err(found) }
    }
}

fn build(schema: &Value) -> Result<Arc<Schema>, String> {
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
        return Err("A schema is an object, for example {\"type\": \"object\"}.".into());
    }
    let recursive = bounds::check(schema)?.then(|| schema.clone());
    jsonschema::options()
        .offline()
        .should_validate_formats(true)
        .with_pattern_options(jsonschema::PatternOptions::regex().size_limit(1 << 20).dfa_size_limit(1 << 20))
        .build(schema)
        .map(|validator| Arc::new(Schema { validator, recursive }))
        .map_err(|e| {
            let place = e.instance_path().to_string();
            let place = if place.is_empty() { String::new() } else { format!(" at {place}") };
            format!("The schema is not valid{place}: {}.", shorten(&e.to_string()))
        })
}

fn violation(error: &jsonschema::ValidationError<'_>) -> Violation {
    // The crate's message quotes the value; a long or structured one is masked.
    let instance = error.instance();
    let long = match instance.as_ref() {
        Value::String(text) => text.chars().count() > SHOWN,
        Value::Array(_) | Value::Object(_) => true,
        _ => false,
    };
    let message = if long { error.masked_with("the value").to_string() } else { error.to_string() };
    Violation {
        path: error.instance_path().to_string(),
        message: cut(&message, 400),
        keyword: error.kind().keyword().to_owned(),
    }
}

fn shorten(text: &str) -> String {
    cut(text, 200)
}

fn cut(text: &str, length: usize) -> String {
    let mut out: String = text.chars().take(length).collect();
    if text.chars().nth(length).is_some() {
        out.push('…');
    }
    out
}
