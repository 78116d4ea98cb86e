//! Where checkpoints of the audit chain are kept outside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What keeps the checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnchorKind {
    /// A file that each one is added to.
    File,
    /// An address that each one is sent to.
    Webhook,
}

/// A new place: a folder or an address.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnchorAdd {
    /// Handle of a folder that the system's dialog gave; the file is made in it.
    #[serde(default)]
    pub folder: Option<String>,
    /// Or an http or https address.
    #[serde(default)]
    pub url: Option<String>,
    /// A secret of this machine that goes along with each request: `secret://NAME`.
    #[serde(default)]
    pub credential: Option<String>,
    /// How often, 60 when absent.
    #[serde(default)]
    pub every_minutes: Option<u32>,
    /// The address may be one of this machine: said by a person in the window or at the terminal.
    #[serde(default)]
    pub allow_local: bool,
}

/// Names a place.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnchorRef {
    /// Its id.
    pub id: String,
}

/// A place outside, and how it stands with it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditAnchor {
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: AnchorKind,
    /// The file, or the address without what may be secret in it.
    pub place: String,
    /// The secret that goes along: `secret://NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// Its address holds a credential that could not become a secret yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// How often.
    pub every_minutes: u32,
    /// Entries that the last checkpoint there seals.
    pub size: u64,
    /// When that was, RFC 3339; absent = never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Why the last attempt failed; it is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A line of an anchor file that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditAnchorLine {
    /// The file.
    pub file: String,
    /// Its number, from 1.
    pub line: usize,
    /// Why it does not count.
    pub why: String,
}
