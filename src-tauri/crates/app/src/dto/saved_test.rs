//! Tests of workflows, and proofs of their error handling.

pub use signalbox_simulate::coverage::CoverageReport;
pub use signalbox_simulate::prove::ProofReport;
pub use signalbox_simulate::{TestFile, TestResult};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A test beside its workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedTest {
    /// File name.
    pub file: String,
    /// What it shows; the file name when it cannot be read.
    pub name: String,
    /// Why it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Which tests of a workflow are run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestRun {
    /// The workflow.
    #[serde(rename = "ref")]
    pub reference: String,
    /// File names; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
}

/// A test of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestGet {
    /// The workflow.
    #[serde(rename = "ref")]
    pub reference: String,
    /// File name of the test.
    pub file: String,
}

/// A test as its file has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestOpened {
    /// File name.
    pub file: String,
    /// What the file says.
    pub test: TestFile,
    /// SHA-256 of the file, for saving it.
    pub revision: String,
}

/// A test that was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestSave {
    /// The workflow.
    #[serde(rename = "ref")]
    pub reference: String,
    /// File name of the test.
    pub file: String,
    /// What the file is to say.
    pub test: TestFile,
    /// The `revision` that was changed; another one is a conflict.
    pub base_revision: String,
}

/// A test that was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestOutcome {
    /// File name.
    pub file: String,
    /// What it came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<TestResult>,
    /// Why it could not be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Tests that were run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestReport {
    /// In the order of their files.
    pub tests: Vec<TestOutcome>,
    /// What they reach together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageReport>,
}

/// A run that becomes a test beside its workflow in the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunSaveTest {
    /// The run.
    pub run_id: String,
    /// What it shows.
    pub name: String,
    /// Keep hidden values as they are; secrets of this machine stay hidden.
    #[serde(default)]
    pub unmasked: bool,
    /// The test holds the files of the run that have at most 256 KiB. Nothing in them is masked.
    #[serde(default)]
    pub files: bool,
}

/// A test that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestSaved {
    /// File name.
    pub file: String,
    /// What a person should know about it, one sentence each.
    pub notes: Vec<String>,
}
