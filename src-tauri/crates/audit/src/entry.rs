//! What is recorded: a [`Record`] is what a recorder is given, an [`Entry`] is what stands in the chain.

use crate::canonical::{CanonicalError, Writer, push_integer, push_string};
use crate::digest::{Digest, push_hex};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// The `nodeId` of an entry that concerns the run as a whole (K-20).
pub const RUN_LEVEL: &str = "$run";

/// The version in `v`.
pub const VERSION: u32 = 1;

/// The domain prefix of an entry's hash.
pub const ENTRY_PREFIX: &[u8] = b"signalbox.audit.v1\n";

/// How grave an entry is. Ordered: `Info < Warn < Error < Critical`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// Nothing to do.
    Info,
    /// Worth a look.
    Warn,
    /// Something failed.
    Error,
    /// A person must look.
    Critical,
}

impl Level {
    /// The name in an entry.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
            Self::Critical => "CRITICAL",
        }
    }

    /// The level of such a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Info, Self::Warn, Self::Error, Self::Critical].into_iter().find(|level| level.as_str() == name)
    }
}

/// Who acted: the product itself, a person, or an agent or tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActorType {
    /// The product itself.
    System,
    /// A person.
    Human,
    /// An agent or a tool.
    Agent,
}

impl ActorType {
    /// The name in an entry.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Human => "human",
            Self::Agent => "agent",
        }
    }

    /// The kind of such a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::System, Self::Human, Self::Agent].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// Who acted (K-21).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    /// The kind of actor.
    #[serde(rename = "type")]
    pub kind: ActorType,
    /// Which one; ids of persons keep their `user:` prefix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// In which role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

impl Actor {
    /// The product itself.
    #[must_use]
    pub fn system() -> Self {
        Self { kind: ActorType::System, id: None, role: None }
    }

    /// A person who answers as operator.
    #[must_use]
    pub fn operator(id: impl Into<String>) -> Self {
        Self { kind: ActorType::Human, id: Some(id.into()), role: Some("operator".to_owned()) }
    }

    /// A tool.
    #[must_use]
    pub fn tool(id: impl Into<String>) -> Self {
        Self { kind: ActorType::Agent, id: Some(id.into()), role: Some("tool".to_owned()) }
    }

    /// The text form of older files (K-21): `system`, `tool`, `tool:<id>`, `operator:user:321`. `None` for anything else.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        match text.split_once(':') {
            None if text == "system" => Some(Self::system()),
            None if text == "tool" => Some(Self { id: None, ..Self::tool("") }),
            Some(("tool", id)) if !id.is_empty() => Some(Self::tool(id)),
            Some(("operator", id)) if !id.is_empty() => Some(Self::operator(id)),
            _ => None,
        }
    }
}

/// What a recorder is given: an entry without its place in the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// RFC 3339, e.g. `2025-11-28T10:00:00.000Z`.
    pub timestamp: String,
    /// The run; text of the product for what concerns no run.
    pub run_id: String,
    /// The node, [`RUN_LEVEL`] for the run as a whole.
    pub node_id: String,
    /// The event's name, `[A-Z][A-Z0-9_]*`.
    pub event: String,
    /// How grave it is.
    pub level: Level,
    /// Who acted.
    pub actor: Actor,
    /// Tags; an empty list is left out of the entry only when it is `None`.
    pub tags: Option<Vec<String>>,
    /// Facts of the event. Large or sensitive values are stored apart and stand here by hash.
    pub metadata: Option<Map<String, Value>>,
    /// Hash of the canonical bytes of a context snapshot that is stored apart.
    pub context_snapshot_hash: Option<Digest>,
}

impl Record {
    /// A record of the system without optional fields.
    #[must_use]
    pub fn new(
        timestamp: impl Into<String>,
        run_id: impl Into<String>,
        node_id: impl Into<String>,
        event: impl Into<String>,
        level: Level,
        actor: Actor,
    ) -> Self {
        Self {
            timestamp: timestamp.into(),
            run_id: run_id.into(),
            node_id: node_id.into(),
            event: event.into(),
            level,
            actor,
            tags: None,
            metadata: None,
            context_snapshot_hash: None,
        }
    }

    /// With these facts.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Map<String, Value>) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Replaces integers beyond 2^53 - 1 in the metadata by their text. The product's own recorder calls this, so
    /// that a number in a tool's answer cannot keep a step from being recorded.
    #[must_use]
    pub fn with_large_integers_as_text(mut self) -> Self {
        if let Some(metadata) = &mut self.metadata {
            metadata.values_mut().for_each(crate::canonical::carry_as_text);
        }
        self
    }
}

/// One entry of the chain (K-23). Absent optional fields are left out, never null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entry {
    /// Always 1.
    pub v: u32,
    /// The chain; one per store.
    pub log_id: String,
    /// From 0, +1, no gaps.
    pub seq: u64,
    /// Hash of the entry before; 64 zeros for the first.
    pub prev_hash: Digest,
    /// RFC 3339.
    pub timestamp: String,
    /// The run.
    pub run_id: String,
    /// The node, or `$run`.
    pub node_id: String,
    /// The event's name.
    pub event: String,
    /// How grave it is.
    pub level: Level,
    /// Who acted.
    pub actor: Actor,
    /// Tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Facts of the event.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "some_map")]
    pub metadata: Option<Map<String, Value>>,
    /// Hash of a context snapshot stored apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_snapshot_hash: Option<Digest>,
}

/// `null` is refused: an absent field is left out.
fn some_map<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Map<String, Value>>, D::Error> {
    Map::deserialize(deserializer).map(Some)
}

impl Entry {
    /// The bytes that are hashed, without the domain prefix.
    ///
    /// # Errors
    /// [`CanonicalError`] for metadata that has no canonical form.
    pub fn canonical(&self) -> Result<String, CanonicalError> {
        // The names in their canonical order; a test compares with a generic writer.
        let mut out = String::with_capacity(512);
        out.push_str("{\"actor\":{");
        if let Some(id) = &self.actor.id {
            out.push_str("\"id\":");
            push_string(&mut out, id);
            out.push(',');
        }
        if let Some(role) = &self.actor.role {
            out.push_str("\"role\":");
            push_string(&mut out, role);
            out.push(',');
        }
        out.push_str("\"type\":\"");
        out.push_str(self.actor.kind.as_str());
        out.push_str("\"}");
        if let Some(hash) = &self.context_snapshot_hash {
            out.push_str(",\"contextSnapshotHash\":\"");
            push_hex(&mut out, &hash.0);
            out.push('"');
        }
        text(&mut out, ",\"event\":", &self.event);
        out.push_str(",\"level\":\"");
        out.push_str(self.level.as_str());
        out.push('"');
        text(&mut out, ",\"logId\":", &self.log_id);
        if let Some(metadata) = &self.metadata {
            out.push_str(",\"metadata\":");
            Writer::at(&mut out, "metadata").object(metadata)?;
        }
        text(&mut out, ",\"nodeId\":", &self.node_id);
        out.push_str(",\"prevHash\":\"");
        push_hex(&mut out, &self.prev_hash.0);
        out.push('"');
        text(&mut out, ",\"runId\":", &self.run_id);
        out.push_str(",\"seq\":");
        push_integer(&mut out, self.seq);
        if let Some(tags) = &self.tags {
            out.push_str(",\"tags\":[");
            for (index, tag) in tags.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push_string(&mut out, tag);
            }
            out.push(']');
        }
        text(&mut out, ",\"timestamp\":", &self.timestamp);
        out.push_str(",\"v\":");
        push_integer(&mut out, self.v.into());
        out.push('}');
        Ok(out)
    }

    /// The entry's hash.
    ///
    /// # Errors
    /// [`CanonicalError`] for metadata that has no canonical form.
    pub fn hash(&self) -> Result<Digest, CanonicalError> {
        self.canonical().map(|text| hash_text(&text))
    }

    /// Reads an entry from its canonical text and refuses every other spelling.
    ///
    /// # Errors
    /// Why the text is no entry.
    pub fn from_canonical(text: &str) -> Result<Self, NotAnEntry> {
        let entry: Self = serde_json::from_str(text).map_err(|error| NotAnEntry::Form(error.to_string()))?;
        if entry.v != VERSION {
            return Err(NotAnEntry::Form(format!("version {} is not known; this reader knows {VERSION}", entry.v)));
        }
        match entry.canonical() {
            Ok(again) if again == text => Ok(entry),
            Ok(_) => Err(NotAnEntry::Spelling),
            Err(error) => Err(NotAnEntry::Form(error.to_string())),
        }
    }
}

fn text(out: &mut String, name: &str, value: &str) {
    out.push_str(name);
    push_string(out, value);
}

/// The hash of an entry's canonical text.
#[must_use]
pub fn hash_text(canonical: &str) -> Digest {
    Digest::of(&[ENTRY_PREFIX, canonical.as_bytes()])
}

/// Why a text is no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAnEntry {
    /// It has not the fields of an entry.
    #[error("not an audit entry: {0}")]
    Form(String),
    /// The right fields in another spelling: other order, spaces, escapes, a key given twice.
    #[error("an audit entry, but not in its canonical spelling (RFC 8785)")]
    Spelling,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The names of older files and what they are now (K-12). Accepted on import, never written.
pub const ALIASES: &[(&str, &str)] = &[
    ("HUMAN_TASK_COMPLETED", "HITL_COMPLETED"),
    ("node.error", "NODE_ERROR"),
    ("node.error.created", "NODE_ERROR"),
    ("error.handler.invoked", "ERROR_HANDLER_INVOKED"),
    ("node.retried", "RETRY_SCHEDULED"),
    ("node.auto_fix.attempt", "AUTO_FIX_ATTEMPT"),
    ("human.task.created", "HITL_CREATED"),
    ("human.task.completed", "HITL_COMPLETED"),
];

/// Whether entries of this event are signed (K-24).
#[must_use]
pub fn is_signed(event: &str) -> bool {
    matches!(event, "HITL_COMPLETED" | "HITL_VOTED" | "ESCALATED" | RETENTION)
}

/// The event of that entry.
pub const RETENTION: &str = "AUDIT_RETENTION";
