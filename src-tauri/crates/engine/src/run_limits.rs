//! `settings.concurrency` and `settings.rateLimit`: how many runs of a workflow may be under way at once, and how many may
//! start in a time. The host keeps to them when a run starts (ADR 93).

use crate::expr::Expr;
use crate::params::TRIGGER;
use crate::scope::Scope;
use serde_json::{Map, Value, json};
use signalbox_model::Workflow;
use signalbox_model::hash::sha256_hex;
use std::sync::Arc;

/// Runs of one key that may be under way at once, at most.
pub const MOST_AT_ONCE: u64 = 1_000;
/// Starts of a rate, at most.
pub const MOST_STARTS: u64 = 1_000_000;
/// The time of a rate, at most: a week in milliseconds.
pub const LONGEST_MS: u64 = 7 * 86_400_000;
/// Runs of one workflow that may wait.
pub const MOST_WAITING: u64 = 10_000;
/// Names that a key may use.
pub const NAMES: [&str; 2] = ["params", "event"];
/// A key that is longer is kept as its hash.
const LONGEST_KEY: usize = 200;

/// What happens to a start that there is no room for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnLimit {
    /// It waits.
    #[default]
    Queue,
    /// Nothing is started.
    Skip,
    /// It waits, and older runs of its key are cancelled.
    CancelOldest,
}

/// The limits of a workflow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunLimits {
    /// Runs of one key that may be under way at once.
    pub max: Option<u32>,
    /// CEL over `params` and `event`: runs with the same value share the places.
    pub key: Option<String>,
    /// What happens to a start that there is no room for.
    pub on_limit: OnLimit,
    /// So many starts, in so many milliseconds.
    pub rate: Option<(u32, i64)>,
}

/// What is wrong with limits, and where below `/settings`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLimit {
    /// Pointer below `/settings`.
    pub path: String,
    /// What.
    pub what: String,
}

fn bad<T>(path: &str, what: impl Into<String>) -> Result<T, BadLimit> {
    Err(BadLimit { path: path.to_owned(), what: what.into() })
}

fn number(fields: &Map<String, Value>, at: &str, name: &str, most: u64) -> Result<u64, BadLimit> {
    let path = format!("{at}/{name}");
    match fields.get(name).map(Value::as_u64) {
        Some(Some(number)) if (1..=most).contains(&number) => Ok(number),
        Some(_) => bad(&path, format!("'{name}' is not a whole number from 1 to {most}")),
        None => bad(&path, format!("'{name}' is missing")),
    }
}

fn fields<'a>(value: &'a Value, at: &str, known: &[&str]) -> Result<&'a Map<String, Value>, BadLimit> {
    let Some(fields) = value.as_object() else { return bad(at, "This is not an object") };
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => bad(&format!("{at}/{name}"), format!("The field '{name}' is unknown")),
        None => Ok(fields),
    }
}

impl RunLimits {
    /// The limits of a file; `None` when it has none.
    pub fn read(concurrency: Option<&Value>, rate: Option<&Value>) -> Result<Option<Self>, BadLimit> {
        let mut limits = Self::default();
        if let Some(value) = concurrency {
            let at = "/concurrency";
            let fields = fields(value, at, &["max", "key", "onLimit"])?;
            limits.max = u32::try_from(number(fields, at, "max", MOST_AT_ONCE)?).ok();
            limits.key = match fields.get("key") {
                None => None,
                Some(Value::String(key)) if !key.trim().is_empty() => Some(key.clone()),
                Some(_) => return bad("/concurrency/key", "'key' is not an expression"),
            };
            limits.on_limit = match fields.get("onLimit").map(Value::as_str) {
                None | Some(Some("queue")) => OnLimit::Queue,
                Some(Some("skip")) => OnLimit::Skip,
                Some(Some("cancel_oldest")) => OnLimit::CancelOldest,
                Some(_) => {
                    return bad("/concurrency/onLimit", "'onLimit' is not one of queue, skip and cancel_oldest");
                }
            };
        }
        if let Some(value) = rate {
            let at = "/rateLimit";
            let fields = fields(value, at, &["count", "perMs"])?;
            let count = number(fields, at, "count", MOST_STARTS)?;
            let per_ms = number(fields, at, "perMs", LONGEST_MS)?;
            limits.rate = u32::try_from(count).ok().zip(i64::try_from(per_ms).ok());
        }
        Ok((concurrency.is_some() || rate.is_some()).then_some(limits))
    }

    /// The limits of a workflow that was checked: what is wrong with them was told then.
    pub fn of(workflow: &Workflow) -> Option<Self> {
        let settings = workflow.settings.as_ref()?;
        Self::read(settings.concurrency.as_ref(), settings.rate_limit.as_ref()).ok().flatten()
    }

    /// The value of the key for a start with these params. One without a key shares its places with all others.
    pub fn key_of(&self, params: &Value) -> Result<String, String> {
        let Some(key) = &self.key else { return Ok(String::new()) };
        let mut scope = Scope::empty();
        let event = params.get(TRIGGER).and_then(|fired| fired.get("payload")).cloned().unwrap_or(Value::Null);
        // The event stands in the params for the engine; an author knows it by its name.
        let mut given = params.clone();
        if let Some(given) = given.as_object_mut() {
            given.shift_remove(TRIGGER);
        }
        scope.params = Arc::new(given);
        scope.locals.push(("event", Arc::new(event).into()));
        let value = Expr::compile(key)
            .and_then(|key| key.eval(&scope))
            .map_err(|error| error.to_string().trim_end_matches('.').to_owned())?;
        let text = match value {
            Value::String(text) => text,
            mut other => {
                // The order of fields says nothing.
                other.sort_all_objects();
                json!(other).to_string()
            }
        };
        Ok(if text.len() > LONGEST_KEY { sha256_hex(text.as_bytes()) } else { text })
    }
}

#[cfg(test)]
mod tests;
