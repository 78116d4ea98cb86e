//! JSON Schema for inputs, outputs, forms and parameters. Schemas come from workflows and tools, so they are foreign:
//! nothing is fetched, patterns run in linear time, and size, depth and the growth by `$ref` are bounded before the
//! validator sees them (28 levels of two references each would run for ever).

mod bounds;
mod places;
mod words;

pub(crate) use bounds::NAMED;
pub use places::place_words;

use crate::value_size::{depth, size};
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
/// Answers of [`Schema::refusal`] that are kept.
const REFUSALS: usize = 8 * 1024;
/// Most patterns that are compiled to find out whether a schema can be used; each may cost as much as thousands of other keywords.
const LISTED_PATTERNS: usize = 64;
/// Longest piece of data in a message.
const SHOWN: usize = 80;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    validator: jsonschema::Validator,
    source: Value,
    /// Only in a recursive schema the checks can double with each level of the value.
    recursive: bool,
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
    /// What is missing in the object at `path`, when something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The title that the schema gives to what is at `path`, in quotation marks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the schema's author says of it.
    #[serde(skip)]
    pub description: Option<String>,
    /// The names that lead to `path`, in lists counted from 1.
    #[serde(skip)]
    pub words: String,
}

impl Violation {
    /// For who knows no schemas: places by their names, and instead of an expression what its author says of it.
    pub fn said(&self) -> String {
        let message = match (self.keyword.as_str(), &self.description) {
            ("pattern", Some(words)) => format!("Does not match: {words}"),
            ("pattern", None) => "Has the wrong format".to_owned(),
            _ => self.message.clone(),
        };
        match (&self.title, self.path.as_str()) {
            (_, "") => message,
            (Some(title), _) => format!("{title}: {message}"),
            (None, _) => format!("{}: {message}", self.words),
        }
    }

    /// About the whole value.
    fn of_whole(message: impl Into<String>, keyword: &str) -> Self {
        Self {
            path: String::new(),
            message: message.into(),
            keyword: keyword.into(),
            missing: None,
            title: None,
            description: None,
            words: String::new(),
        }
    }

    /// JSON pointer of the field that it is about: also of one that is missing.
    pub fn place(&self) -> String {
        match &self.missing {
            Some(name) => format!("{}/{}", self.path, name.replace('~', "~0").replace('/', "~1")),
            None => self.path.clone(),
        }
    }

    /// With its place, by the title where there is one.
    pub fn told(&self) -> String {
        match (&self.title, self.path.as_str()) {
            (_, "") => self.message.clone(),
            (Some(title), path) => format!("{title} ({path}): {}", self.message),
            (None, path) => format!("{path}: {}", self.message),
        }
    }
}

type Kept = Mutex<HashMap<[u8; 32], Result<Arc<Schema>, String>>>;

impl Schema {
    /// Compiles a schema (draft 2020-12 unless `$schema` says otherwise). The result is kept by content.
    ///
    /// # Errors
    /// Why the schema cannot be used, in plain words.
    pub fn compile(schema: &Value) -> Result<Arc<Self>, String> {
        static STORE: OnceLock<Kept> = OnceLock::new();
        let key = key(schema)?;
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

    /// Why [`Schema::compile`] would refuse a schema, if it would: for lists of many that are looked at and rarely used. The answer is
    /// kept by content, and nothing that was compiled. Of a schema with very many patterns only its structure is looked at.
    pub fn refusal(schema: &Value) -> Option<String> {
        static STORE: OnceLock<Mutex<HashMap<[u8; 32], Option<String>>>> = OnceLock::new();
        let key = match key(schema) {
            Ok(key) => key,
            Err(why) => return Some(why),
        };
        let store = STORE.get_or_init(Mutex::default);
        if let Some(known) = store.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let why =
            if bounds::patterns(schema) > LISTED_PATTERNS { bounds::check(schema).err() } else { build(schema).err() };
        let mut held = store.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() >= REFUSALS {
            held.clear();
        }
        held.insert(key, why.clone());
        why
    }

    /// Checks a value.
    ///
    /// # Errors
    /// What does not fit, at most [`MAX_VIOLATIONS`].
    pub fn validate(&self, value: &Value) -> Result<(), Vec<Violation>> {
        if depth(value, MAX_VALUE_DEPTH + 1) > MAX_VALUE_DEPTH {
            let message = format!("The value is nested deeper than {MAX_VALUE_DEPTH} levels.");
            return Err(vec![Violation::of_whole(message, "depth")]);
        }
        let checks = if self.recursive { bounds::work(&self.source, value) } else { 0 };
        let limit = if checks > MAX_CHECKS { (size(value) as u64).saturating_mul(CHECKS_PER_NODE) } else { MAX_CHECKS };
        if checks > limit.max(MAX_CHECKS) {
            let message = "The value cannot be checked: several alternatives of the schema refer back to it for the \
                           same part of the value, so the checks double with every level. Let only one of the \
                           alternatives refer back.";
            return Err(vec![Violation::of_whole(message, "$ref")]);
        }
        if self.validator.is_valid(value) {
            return Ok(());
        }
        if checks > EXPLAINED.max((size(value) as u64).saturating_mul(CHECKS_PER_NODE / 10)) {
            let message = "The value matches none of the alternatives of the schema (too many to list).";
            return Err(vec![Violation::of_whole(message, "anyOf")]);
        }
        let found: Vec<Violation> = self
            .validator
            .iter_errors(value)
            .take(MAX_VIOLATIONS)
            .map(|e| words::violation(&self.source, &e))
            .collect();
        if found.is_empty() { Ok(()) } else { Err(found) }
    }
}

/// What a schema is kept by, unless it is too deep or too large to be looked at.
fn key(schema: &Value) -> Result<[u8; 32], String> {
    if depth(schema, MAX_DEPTH + 1) > MAX_DEPTH {
        return Err(format!("The schema is nested deeper than {MAX_DEPTH} levels."));
    }
    let text = serde_json::to_vec(schema).map_err(|e| format!("The schema cannot be read: {e}."))?;
    if text.len() > MAX_SIZE {
        return Err(format!("The schema has {} bytes; at most {MAX_SIZE} are allowed.", text.len()));
    }
    Ok(Sha256::digest(&text).into())
}

fn build(schema: &Value) -> Result<Arc<Schema>, String> {
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
        return Err("A schema must be an object, for example {\"type\": \"object\"}.".into());
    }
    let recursive = bounds::check(schema)?;
    jsonschema::options()
        .offline()
        .should_validate_formats(true)
        .with_pattern_options(jsonschema::PatternOptions::regex().size_limit(1 << 20).dfa_size_limit(1 << 20))
        .build(schema)
        .map(|validator| Arc::new(Schema { validator, source: schema.clone(), recursive }))
        .map_err(|e| {
            let place = e.instance_path().to_string();
            let place = if place.is_empty() { String::new() } else { format!(" at {place}") };
            format!("The schema is not valid{place}: {}.", shorten(&e.to_string()))
        })
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
