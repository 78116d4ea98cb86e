//! Checking a record, field by field, and reading the form that comes through the REST door (K-20).

use crate::digest::Digest;
use crate::entry::{Actor, ActorType, Level, Record};
use crate::timestamp::is_rfc3339;
use serde_json::{Map, Value};
use std::fmt;

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct FieldError {
    /// JSON Pointer to the field.
    pub field: String,
    /// What is wrong and what is wanted.
    pub problem: String,
}

/// All that is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordErrors(pub Vec<FieldError>);

impl fmt::Display for RecordErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not recorded: ")?;
        for (index, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if index > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for RecordErrors {}

/// Longest id, event name, tag or role that is taken from outside.
pub(crate) const MAX_TEXT: usize = 256;
/// Most tags taken from outside.
pub(crate) const MAX_TAGS: usize = 64;
/// Largest canonical metadata taken from outside, in bytes.
pub(crate) const MAX_METADATA: usize = 64 * 1024;

/// What came through the REST door.
#[derive(Debug, Clone, PartialEq)]
pub struct Submitted {
    /// The record; its actor is what the caller claims.
    pub record: Record,
    /// Canonical text of a `contextSnapshot` that was given, to be stored apart under `record.context_snapshot_hash`.
    pub context_snapshot: Option<String>,
}

#[derive(Default)]
struct Problems(Vec<FieldError>);

impl Problems {
    fn add(&mut self, field: impl Into<String>, problem: impl Into<String>) {
        self.0.push(FieldError { field: field.into(), problem: problem.into() });
    }
}

impl Record {
    /// Checks what the types do not say: the event's name, the time, empty ids.
    ///
    /// # Errors
    /// Every field that is wrong.
    pub fn validate(&self) -> Result<(), RecordErrors> {
        let mut problems = Problems::default();
        if let Some(problem) = timestamp_problem(&self.timestamp) {
            problems.add("/timestamp", problem);
        }
        if self.run_id.is_empty() {
            problems.add("/runId", "empty; it names the run");
        }
        if self.node_id.is_empty() {
            problems.add("/nodeId", "empty; use \"$run\" for what concerns the run as a whole");
        }
        if !is_event_name(&self.event) {
            problems.add("/event", event_problem(&self.event));
        }
        finish((), problems)
    }

    /// Reads the REST form. Everything that is wrong is told at once.
    ///
    /// # Errors
    /// Every field that is wrong, missing or unknown.
    pub fn from_json(body: &Value) -> Result<Submitted, RecordErrors> {
        let mut problems = Problems::default();
        let Value::Object(body) = body else {
            problems.add("", "a JSON object is wanted");
            return Err(RecordErrors(problems.0));
        };
        for name in body.keys() {
            if !FIELDS.contains(&name.as_str()) {
                problems.add(format!("/{name}"), unknown_field(name));
            }
        }
        let timestamp = text(body, "timestamp", &mut problems);
        let run_id = text(body, "runId", &mut problems);
        let node_id = text(body, "nodeId", &mut problems);
        let event = text(body, "event", &mut problems);
        let level = text(body, "level", &mut problems).and_then(|name| {
            let level = Level::parse(&name);
            if level.is_none() {
                problems.add("/level", format!("{name:?} is none of INFO, WARN, ERROR, CRITICAL"));
            }
            level
        });
        let actor = actor(body, &mut problems);
        let tags = tags(body, &mut problems);
        let metadata = match body.get("metadata") {
            None => None,
            Some(Value::Object(map)) => Some(map.clone()),
            Some(_) => {
                problems.add("/metadata", "an object is wanted; leave the field out when there is nothing to say");
                None
            }
        };
        if let Some(map) = &metadata {
            match crate::canonical::to_canonical(&Value::Object(map.clone())) {
                Ok(text) if text.len() > MAX_METADATA => problems.add(
                    "/metadata",
                    format!(
                        "{} bytes are more than {MAX_METADATA}; store large values apart and give their hash",
                        text.len()
                    ),
                ),
                Ok(_) => {}
                Err(error) => problems.add("/metadata", error.to_string()),
            }
        }
        let (snapshot, hash) = snapshot(body, &mut problems);
        let (Some(timestamp), Some(run_id), Some(node_id), Some(event), Some(level), Some(actor)) =
            (timestamp, run_id, node_id, event, level, actor)
        else {
            return Err(RecordErrors(problems.0));
        };
        let record =
            Self { timestamp, run_id, node_id, event, level, actor, tags, metadata, context_snapshot_hash: hash };
        if let Err(more) = record.validate() {
            problems.0.extend(more.0);
        }
        finish(Submitted { record, context_snapshot: snapshot }, problems)
    }
}

fn finish<T>(value: T, problems: Problems) -> Result<T, RecordErrors> {
    if problems.0.is_empty() { Ok(value) } else { Err(RecordErrors(problems.0)) }
}

const FIELDS: &[&str] = &[
    "timestamp",
    "runId",
    "nodeId",
    "event",
    "level",
    "actor",
    "tags",
    "metadata",
    "contextSnapshot",
    "contextSnapshotHash",
];

fn unknown_field(name: &str) -> String {
    match name {
        "hash" | "prevHash" | "seq" | "logId" | "v" | "signature" => {
            "is set by the recorder; leave it out of the request".to_owned()
        }
        _ => format!("unknown field; known are {}", FIELDS.join(", ")),
    }
}

fn text(body: &Map<String, Value>, name: &str, problems: &mut Problems) -> Option<String> {
    match body.get(name) {
        None => problems.add(format!("/{name}"), "missing; it is required"),
        Some(Value::String(text)) if text.chars().count() > MAX_TEXT => {
            problems.add(format!("/{name}"), format!("longer than {MAX_TEXT} characters"));
        }
        Some(Value::String(text)) => return Some(text.clone()),
        Some(_) => problems.add(format!("/{name}"), "text is wanted"),
    }
    None
}

fn actor(body: &Map<String, Value>, problems: &mut Problems) -> Option<Actor> {
    let actor = match body.get("actor") {
        None => {
            problems.add("/actor", "missing; it is required");
            return None;
        }
        Some(Value::Object(actor)) => actor,
        Some(_) => {
            problems.add("/actor", "an object with type, id, role is wanted");
            return None;
        }
    };
    let mut inner = Problems::default();
    for name in actor.keys() {
        if !matches!(name.as_str(), "type" | "id" | "role") {
            inner.add(format!("/{name}"), "unknown field; known are type, id, role");
        }
    }
    let kind = text(actor, "type", &mut inner).and_then(|name| {
        let kind = ActorType::parse(&name);
        if kind.is_none() {
            inner.add("/type", format!("{name:?} is none of system, human, agent"));
        }
        kind
    });
    let id = actor.get("id").and_then(|_| text(actor, "id", &mut inner));
    let role = actor.get("role").and_then(|_| text(actor, "role", &mut inner));
    for error in inner.0 {
        problems.add(format!("/actor{}", error.field), error.problem);
    }
    Some(Actor { kind: kind?, id, role })
}

fn tags(body: &Map<String, Value>, problems: &mut Problems) -> Option<Vec<String>> {
    let Value::Array(items) = body.get("tags")? else {
        problems.add("/tags", "a list of texts is wanted");
        return None;
    };
    if items.len() > MAX_TAGS {
        problems.add("/tags", format!("more than {MAX_TAGS} tags"));
        return None;
    }
    let mut tags = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match item {
            Value::String(tag) if !tag.is_empty() && tag.chars().count() <= MAX_TEXT => tags.push(tag.clone()),
            _ => problems.add(format!("/tags/{index}"), format!("a text of 1 to {MAX_TEXT} characters is wanted")),
        }
    }
    Some(tags)
}

fn snapshot(body: &Map<String, Value>, problems: &mut Problems) -> (Option<String>, Option<Digest>) {
    let given = match body.get("contextSnapshotHash") {
        None => None,
        Some(Value::String(text)) => match text.parse::<Digest>() {
            Ok(hash) => Some(hash),
            Err(error) => {
                problems.add("/contextSnapshotHash", error.to_string());
                None
            }
        },
        Some(_) => {
            problems.add("/contextSnapshotHash", "text is wanted");
            None
        }
    };
    let value = match body.get("contextSnapshot") {
        None => return (None, given),
        Some(value @ Value::Object(_)) => value,
        Some(_) => {
            problems.add("/contextSnapshot", "an object is wanted");
            return (None, given);
        }
    };
    match crate::canonical::to_canonical(value) {
        Ok(text) => {
            let hash = Digest::of(&[text.as_bytes()]);
            if given.is_some_and(|given| given != hash) {
                problems.add("/contextSnapshotHash", format!("the snapshot given with it hashes to {hash}"));
            }
            (Some(text), Some(hash))
        }
        Err(error) => {
            problems.add("/contextSnapshot", error.to_string());
            (None, given)
        }
    }
}

/// `[A-Z][A-Z0-9_]*`
pub(crate) fn is_event_name(event: &str) -> bool {
    event.as_bytes().first().is_some_and(u8::is_ascii_uppercase)
        && event.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

fn event_problem(event: &str) -> String {
    match crate::entry::ALIASES.iter().find(|(old, _)| *old == event) {
        Some((_, now)) => format!("{event:?} is the name of older files; now it is {now}"),
        None => format!("{event:?} is not written like NODE_ERROR: capitals, digits and _, first a capital"),
    }
}

/// What is wrong with a time, if anything.
fn timestamp_problem(text: &str) -> Option<String> {
    (!is_rfc3339(text))
        .then(|| format!("{text:?} is no RFC 3339 time with date, time and zone, such as 2025-11-28T10:00:00.000Z"))
}
