//! Pinned outputs of steps (ADR 102).

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The output of a step that runs in the builder use instead of calling it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pin {
    /// Port → data of its items, in order. Never `error`.
    pub ports: IndexMap<String, Vec<Value>>,
    /// The run that it came from; absent when a person wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// RFC 3339.
    pub pinned_at: String,
}

/// All pinned outputs of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PinList {
    /// By id of the step.
    pub steps: IndexMap<String, Pin>,
    /// Where they are kept: a file beside the workflow.
    pub file: String,
}

/// Pins the output of a step: what it put out in a run (`runId`), data of one's own (`ports`), or what another step has
/// pinned (`fromStep`). One of the three.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowPin {
    /// Opaque id of the workflow file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The step.
    pub step_id: String,
    /// Port → data of its items.
    #[serde(default)]
    pub ports: Option<IndexMap<String, Vec<Value>>>,
    /// The run whose output is taken.
    #[serde(default)]
    pub run_id: Option<String>,
    /// The iteration or branch of the run; the last one in which the step was called when absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Another step whose pinned output is taken, with where it came from: its id was changed to this one.
    #[serde(default)]
    pub from_step: Option<String>,
}

/// Names a step of a workflow file.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepOfRef {
    /// Opaque id of the workflow file.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The step.
    pub step_id: String,
}
