//! Where copies of audit entries go.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a sink is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SinkKind {
    /// A file of JSON lines.
    #[default]
    File,
    /// A table of PostgreSQL.
    Postgres,
    /// A bucket of S3 or of a compatible store.
    S3,
    /// An index of Elasticsearch or OpenSearch.
    Elasticsearch,
    /// A logger that takes RFC 5424 over TLS.
    Syslog,
    /// A topic of Kafka.
    Kafka,
}

/// A new sink: a file in a folder, or a server.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SinkAdd {
    /// How the Audit step names it: small letters, digits, `-` and `_`. Absent: its kind, with a number when that is taken.
    #[serde(default)]
    #[schemars(length(max = 40))]
    pub name: Option<String>,
    /// Handle of a folder that the system's dialog gave; the file is made in it.
    #[serde(default)]
    pub folder: Option<String>,
    /// What stands at the address.
    #[serde(default)]
    pub kind: SinkKind,
    /// The address of a server, such as `postgresql://user@db.example/audit`.
    #[serde(default)]
    pub url: Option<String>,
    /// `secret://NAME`: who Signalbox is there. It must allow the host of the address.
    #[serde(default)]
    pub credential: Option<String>,
    /// The authority that signed the certificate of the server (PEM), instead of those that the system trusts.
    #[serde(default)]
    #[schemars(length(max = 65_536))]
    pub ca: Option<String>,
    /// A person on this machine allows an address of this machine.
    #[serde(default)]
    pub allow_local: bool,
}

/// Names a sink.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SinkRef {
    /// Its id.
    pub id: String,
}

/// Pauses a sink, or continues it.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SinkPause {
    /// Its id.
    pub id: String,
    /// Nothing is copied to it until it is continued.
    pub paused: bool,
}

/// Whether a sink would take entries now. Nothing was sent to it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SinkTest {
    /// It would.
    pub ok: bool,
    /// Why it would not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A place that every entry is copied to, and how it stands with it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditSinkView {
    /// Its id.
    pub id: String,
    /// How the Audit step names it.
    pub name: String,
    /// What it is.
    pub kind: SinkKind,
    /// The file, or the address.
    pub place: String,
    /// The secret that is sent, `secret://NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// Nothing is copied to it until it is continued.
    pub paused: bool,
    /// Entries up to the last one that was copied: the number of the next.
    pub next: u64,
    /// The entry that the file begins with, when that is not the first of the chain: it was begun anew, and those before it stand in a file
    /// that was moved or deleted, or were removed by a retention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begins: Option<u64>,
    /// Entries that wait for it.
    pub waiting: u64,
    /// When entries were copied last, RFC 3339; absent = never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Why the last attempt failed; it is tried again, nothing is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
