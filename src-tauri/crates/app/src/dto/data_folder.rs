//! The data folder: how much room it takes, old runs, its check.

pub use crate::host::check_data::DataReport;
use crate::runs::prune::PrunedRun;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much room the data folder takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataSize {
    /// The folder.
    pub folder: String,
    /// Bytes of the database: runs, tasks, the audit chain.
    pub store_bytes: u64,
    /// Bytes of it that hold nothing; they are used again.
    pub free_bytes: u64,
    /// Bytes of the other files: workflows, files of runs, indexes.
    pub other_bytes: u64,
}

/// Which ended runs go. A run goes when one of the rules says so; at least one is needed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunsPrune {
    /// Those that ended before so many days.
    #[serde(default)]
    pub older_than_days: Option<u32>,
    /// All but so many that ended last.
    #[serde(default)]
    pub keep: Option<u32>,
    /// The oldest, until the others take at most so many megabytes (1,000,000 bytes).
    #[serde(default)]
    pub most_megabytes: Option<u32>,
    /// Only runs of this workflow are looked at.
    #[serde(default)]
    pub workflow: Option<String>,
}

/// What went, or would go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunsPruned {
    /// They were deleted.
    pub deleted: bool,
    /// Ended runs that were looked at.
    pub ended: u64,
    /// How many go.
    pub count: u64,
    /// About how many bytes they take.
    pub bytes: u64,
    /// Bytes by which the database became shorter.
    pub freed_bytes: u64,
    /// The oldest of those that go, at most 20.
    pub oldest: Vec<PrunedRun>,
}

/// A check of the data folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DataCheck {
    /// What can be repaired is repaired.
    #[serde(default)]
    pub repair: bool,
}
