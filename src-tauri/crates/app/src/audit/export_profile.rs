//! What an export shows (UX E7, ADR 25). A profile hides values of entries. An entry that loses something is shown in part:
//! its hash stays, so that its place in the log is still proved, and what is shown of it is the exporter's word.

use crate::dto::AuditProfile;
use crate::error::{ApiError, ApiResult};
use serde_json::{Map, Value};
use signalbox_model::AuditEvent;
use signalbox_store::audit::line::Line;
use signalbox_store::audit::pack::Profile;
use signalbox_store::audit::verify::Row;
use signalbox_store::audit::{ActorType, Entry, RETENTION};
use std::collections::HashMap;

/// Places that one export hides besides its profile.
const PLACES: usize = 100;
/// Longest place.
const LONGEST: usize = 200;
/// So many people have a number of their own in one export.
const PEOPLE: usize = 20_000;
/// What stands where a value was.
const HIDDEN: &str = signalbox_store::mask::NAMELESS;

/// Facts whose text people wrote, or that tools and machines tell of people.
const FREE: &[&str] = &[
    "claimedActor",
    "comment",
    "expected",
    "found",
    "hosts",
    "message",
    "name",
    "note",
    "notes",
    "paths",
    "place",
    "query",
    "reason",
    "ruleError",
    "said",
    "text",
    "title",
    "url",
    "user",
];
/// Facts of the product that tell nothing but what happened to the machine.
const PLAIN: &[&str] = &[
    "accepted",
    "action",
    "approvals",
    "attempt",
    "baseSeq",
    "byMs",
    "code",
    "cpSeq",
    "delayMs",
    "delta",
    "entryCount",
    "errorType",
    "escalation",
    "format",
    "headHash",
    "item",
    "keepDays",
    "kind",
    "minApprovals",
    "of",
    "path",
    "payloadHash",
    "ports",
    "profile",
    "removed",
    "retryable",
    "rootHash",
    "seq",
    "severity",
    "size",
    "status",
    "type",
    "version",
    "visit",
];
/// Facts that are places of files and addresses when they are texts: a retention counts what it `removed`.
const PLACES_TOLD: &[&str] = &["added", "moved", "removed"];
/// Whose reason is a word of the product.
const REASONED: &[AuditEvent] =
    &[AuditEvent::WorkflowCompleted, AuditEvent::HitlCreated, AuditEvent::Escalated, AuditEvent::AnswerRefused];

fn is_place(key: &str, value: &Value) -> bool {
    PLACES_TOLD.contains(&key) && value.is_string()
}

fn words(base: AuditProfile) -> &'static [&'static str] {
    match base {
        AuditProfile::Full => &[],
        AuditProfile::Masked => {
            &["ids of people", "texts that people or tools wrote", "facts of the workflow's own events"]
        }
        AuditProfile::Minimal => &["who acted", "tags", "hashes of snapshots", "every fact beyond what happened"],
    }
}

/// A place of an entry that may be hidden, as its parts.
fn parts(pointer: &str) -> Result<Vec<String>, String> {
    let tokens: Vec<String> =
        pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect();
    let known = match tokens.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["runId" | "nodeId" | "tags" | "contextSnapshotHash"] | ["actor", "id" | "role"] => true,
        ["metadata", rest @ ..] => rest.iter().all(|part| !part.is_empty()),
        _ => false,
    };
    if !pointer.starts_with('/') || !known || pointer.len() > LONGEST {
        return Err(format!("'{pointer}' is no place that can be hidden"));
    }
    Ok(tokens)
}

/// A profile at work: the same person has the same number in the whole export.
pub(crate) struct Hiding {
    base: AuditProfile,
    hide: Vec<Vec<String>>,
    pointers: Vec<String>,
    people: HashMap<String, usize>,
}

impl Hiding {
    /// A profile, and places that are hidden besides.
    pub(crate) fn new(base: AuditProfile, pointers: &[String]) -> ApiResult<Self> {
        if pointers.len() > PLACES {
            let message = format!("An export hides at most {PLACES} places.");
            return Err(ApiError::bad_request(message, "Hide /metadata whole."));
        }
        let hide = pointers.iter().map(|pointer| parts(pointer)).collect::<Result<Vec<_>, _>>().map_err(|why| {
            let hint = "Hide /actor/id, /actor/role, /runId, /nodeId, /tags, /contextSnapshotHash, /metadata, or a part of it \
                        like /metadata/notes or /metadata/*/name. The rest is what a verification needs.";
            ApiError::bad_request(format!("{why}."), hint)
        })?;
        Ok(Self { base, hide, pointers: pointers.to_vec(), people: HashMap::new() })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match self.base {
            AuditProfile::Full => "full",
            AuditProfile::Masked => "masked",
            AuditProfile::Minimal => "minimal",
        }
    }

    /// Every entry stays as it was sealed.
    pub(crate) fn is_full(&self) -> bool {
        self.base == AuditProfile::Full && self.hide.is_empty()
    }

    /// How the pack states it.
    pub(crate) fn stated(&self) -> Profile {
        let words = words(self.base).iter().map(|word| (*word).to_owned());
        Profile { name: self.name().to_owned(), hides: words.chain(self.pointers.iter().cloned()).collect() }
    }

    /// The row as the profile shows it; `None` when it cannot be read, so that nothing in it can be hidden.
    pub(crate) fn show(&mut self, row: Row) -> Option<Line> {
        if self.is_full() {
            return Some(row.into());
        }
        let entry = Entry::from_canonical(&row.text).ok()?;
        // A verification begins with it.
        if entry.event == RETENTION {
            return Some(row.into());
        }
        let shown = self.hidden(entry.clone());
        if shown == entry {
            return Some(row.into());
        }
        let text = shown.canonical().ok()?;
        Some(Line { row: Row { text, ..row }, shown: true })
    }

    fn hidden(&mut self, mut entry: Entry) -> Entry {
        match self.base {
            AuditProfile::Full => {}
            AuditProfile::Masked => {
                if let Some(id) = &mut entry.actor.id
                    && entry.actor.kind == ActorType::Human
                {
                    *id = self.person(id);
                }
                let own = AuditEvent::parse(&entry.event);
                let reason = own.is_some_and(|event| REASONED.contains(&event));
                let name = own == Some(AuditEvent::WorkflowStarted);
                for (key, value) in entry.metadata.iter_mut().flatten() {
                    let free = FREE.contains(&key.as_str()) && !(key == "reason" && reason) && !(key == "name" && name);
                    self.mask(key, value, free || is_place(key, value), own.is_some());
                }
            }
            AuditProfile::Minimal => {
                (entry.actor.id, entry.actor.role) = (None, None);
                entry.tags = None;
                entry.context_snapshot_hash = None;
                let own = AuditEvent::parse(&entry.event).is_some();
                if let Some(facts) = &mut entry.metadata {
                    facts.retain(|key, value| own && PLAIN.contains(&key.as_str()) && !is_place(key, value));
                    if facts.is_empty() {
                        entry.metadata = None;
                    }
                }
            }
        }
        for tokens in &self.hide {
            take_out(&mut entry, &tokens.iter().map(String::as_str).collect::<Vec<_>>());
        }
        entry
    }

    /// A person, by a number.
    fn person(&mut self, id: &str) -> String {
        let next = self.people.len() + 1;
        if next > PEOPLE && !self.people.contains_key(id) {
            return HIDDEN.to_owned();
        }
        let number = *self.people.entry(id.to_owned()).or_insert(next);
        format!("person:{number}")
    }

    fn mask(&mut self, key: &str, value: &mut Value, free: bool, own: bool) {
        match value {
            Value::Null => {}
            value if free => *value = HIDDEN.into(),
            Value::Object(map) => {
                for (key, value) in map.iter_mut() {
                    let free = FREE.contains(&key.as_str());
                    self.mask(key, value, free, own);
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| self.mask(key, value, false, own)),
            Value::String(text) if text.starts_with("user:") || key == "osUser" => *text = self.person(text),
            // Nobody knows what an event of a workflow's own tells.
            Value::String(text) if !own => *text = HIDDEN.to_owned(),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Hides a place. What every entry must have keeps a text there; what it may have goes.
fn take_out(entry: &mut Entry, tokens: &[&str]) {
    match tokens {
        ["runId"] => entry.run_id = HIDDEN.into(),
        ["nodeId"] => entry.node_id = HIDDEN.into(),
        ["tags"] => entry.tags = None,
        ["contextSnapshotHash"] => entry.context_snapshot_hash = None,
        ["actor", "id"] => entry.actor.id = None,
        ["actor", "role"] => entry.actor.role = None,
        ["metadata"] => entry.metadata = None,
        ["metadata", rest @ ..] => entry.metadata.iter_mut().for_each(|facts| members(facts, rest)),
        _ => {}
    }
}

fn members(map: &mut Map<String, Value>, tokens: &[&str]) {
    let Some((first, rest)) = tokens.split_first() else { return };
    for (_, value) in map.iter_mut().filter(|(key, _)| *first == "*" || key.as_str() == *first) {
        match (rest, value) {
            ([], value) => *value = HIDDEN.into(),
            (rest, Value::Object(map)) => members(map, rest),
            (rest, Value::Array(list)) => {
                list.iter_mut().filter_map(Value::as_object_mut).for_each(|map| members(map, rest));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
