//! The data folder: how much room it takes, old runs, its check.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much room the data folder takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataSize {
    /// The folder.
    pub folder: String,
    /// Bytes of the database with its log: runs, tasks, the audit chain.
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

/// A run that goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrunedRun {
    /// The run.
    pub run_id: String,
    /// Its workflow.
    pub workflow_id: String,
    /// The workflow's name.
    pub workflow_name: String,
    /// How it ended.
    pub status: String,
    /// RFC 3339.
    pub ended_at: String,
    /// About how much room it takes.
    pub bytes: u64,
}

/// How a finding stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DataState {
    /// It is still there.
    Found,
    /// It is still there; a repair removes it.
    Repairable,
    /// It was repaired.
    Repaired,
}

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataFinding {
    /// `store`, `audit`, `indexes`, `library`, `files` or `permissions`.
    pub area: &'static str,
    /// How it stands.
    pub state: DataState,
    /// What is wrong, one sentence.
    pub message: String,
    /// What to do about it, or what was done.
    pub hint: String,
}

/// What a check of the data folder found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataReport {
    /// Runs whose events were read.
    pub runs: u64,
    /// Audit entries that were verified.
    pub audit_entries: u64,
    /// Workflow files that were read.
    pub workflows: u64,
    /// Indexes that were checked.
    pub indexes: u64,
    /// Bytes of the database file.
    pub store_bytes: u64,
    /// Bytes of it that hold nothing.
    pub free_bytes: u64,
    /// Bytes that were given back to the disk.
    pub freed_bytes: u64,
    /// What is wrong.
    pub findings: Vec<DataFinding>,
}

impl DataReport {
    /// Whether nothing is wrong any more.
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|finding| finding.state == DataState::Repaired)
    }

    pub(crate) fn add(
        &mut self,
        area: &'static str,
        state: DataState,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.findings.push(DataFinding { area, state, message: message.into(), hint: hint.into() });
    }
}
