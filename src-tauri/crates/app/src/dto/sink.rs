//! Where copies of audit entries go.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A new file for copies, in a folder.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SinkAdd {
    /// Handle of a folder that the system's dialog gave; the file is made in it.
    pub folder: String,
}

/// Names a sink.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SinkRef {
    /// Its id.
    pub id: String,
}

/// A file that every entry is copied to, and how it stands with it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditSinkView {
    /// Its id.
    pub id: String,
    /// The file.
    pub place: String,
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
