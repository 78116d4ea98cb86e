//! Proofs of error handling in the builder.

use crate::dto::ProofReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::Workflow;
use signalbox_simulate::prove::FaultName;

/// Proves a workflow in the background.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofStart {
    /// The workflow file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What the editor shows, saved or not; the file when absent.
    #[serde(default)]
    #[schemars(with = "Option<Workflow>")]
    pub document: Option<Value>,
    /// Most pairs of faults in one run, 50 when absent, at most 1000.
    #[serde(default)]
    pub pairs: Option<usize>,
}

/// How far a proof is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProofProgress {
    /// Faults and pairs that were run.
    pub done: usize,
    /// All of them; 0 before the first run.
    pub total: usize,
}

/// A proof that came to its end.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LastProof {
    /// When, RFC 3339.
    pub at: String,
    /// What it found.
    pub report: ProofReport,
}

/// How the proof of a workflow stands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProofView {
    /// How far the one is that is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<ProofProgress>,
    /// Why the last try came to nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The last one that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<LastProof>,
}

/// Saves a fault of a proof as a test beside its workflow.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofSaveTest {
    /// The workflow file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What the editor shows; the file when absent.
    #[serde(default)]
    #[schemars(with = "Option<Workflow>")]
    pub document: Option<Value>,
    /// What the test shows.
    pub name: String,
    /// The fault.
    pub fault: FaultName,
    /// The second fault of a pair.
    #[serde(default)]
    pub also: Option<FaultName>,
}
