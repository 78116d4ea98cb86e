//! Backups by schedule.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When backups are made by themselves, and what became of the last ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupSchedule {
    /// Hours between two backups; absent = none is made by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_hours: Option<u32>,
    /// The folder that they are written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// So many are kept there.
    pub keep: u32,
    /// When the next is due, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// When the last was written, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<String>,
    /// The archive that was written last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_file: Option<String>,
    /// Why the newest attempt wrote none; it is repeated within an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A new schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BackupScheduleSet {
    /// Hours between two backups, 1 to 744; absent = none is made by itself.
    #[serde(default)]
    pub every_hours: Option<u32>,
    /// Handle of a folder that the system's dialog gave; absent = the folder stays.
    #[serde(default)]
    pub folder: Option<String>,
    /// How many are kept, 1 to 1,000; absent = as before, 7 at first.
    #[serde(default)]
    pub keep: Option<u32>,
}
