//! How long the audit chain keeps its entries.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The policy, and what went so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRetention {
    /// Entries older than so many days are removed; absent = everything is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_days: Option<u32>,
    /// Entries that are gone: those from 0 to before this one.
    pub removed: u64,
    /// The signed entry that stands for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// When the last of them went, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The run that has not ended and keeps entries from being removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<AuditHeld>,
}

/// A run that has not ended: its entries, and those after its first, stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditHeld {
    /// The run.
    pub run_id: String,
    /// Its first entry.
    pub seq: u64,
}

/// A new policy.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditRetentionSet {
    /// Entries older than so many days are removed; absent = everything is kept.
    #[serde(default)]
    pub keep_days: Option<u32>,
}

/// What a retention did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRetained {
    /// Entries that went.
    pub removed: u64,
    /// The signed entry that stands for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// The run that has not ended and keeps entries from being removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<AuditHeld>,
}
