//! Looking into a run: breakpoints, stop, step, go on, another input (ADR 33).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::debug::{Breakpoint, Stopped};
use signalbox_model::{Map, RunStatus};

/// Sets the breakpoints of a run: these, no others.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunBreakpoints {
    /// The run.
    pub run_id: String,
    /// Before which calls it stops.
    pub breakpoints: Vec<Breakpoint>,
}

/// Gives a call that waits in a stopped run another input.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunEditInput {
    /// The run.
    pub run_id: String,
    /// The step that waits.
    pub step_id: String,
    /// Where it stands; left out at the top.
    #[serde(default)]
    pub path: Option<String>,
    /// Item index, when the step has several items.
    #[serde(default)]
    pub item: Option<usize>,
    /// The item's data; a list of the data of all items where the step takes them together.
    pub input: Value,
    /// Nothing is kept: only whether it would fit, and what would change.
    #[serde(default)]
    pub check: bool,
}

/// Whether the input fits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunInputEdited {
    /// From the input before to the new one (RFC 6902).
    pub patch: Vec<Map>,
}

/// Where a run stands that somebody looks into.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunDebug {
    /// Where it stands.
    pub status: RunStatus,
    /// Where and why it stopped; absent while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Calls under way that end before it stands still.
    pub under_way: usize,
    /// Before which calls it stops.
    pub breakpoints: Vec<Breakpoint>,
    /// Calls that begin when it goes on, the one that it stopped at first.
    pub waiting: Vec<WaitingCall>,
}

/// A call that waits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingCall {
    /// Its step.
    pub step_id: String,
    /// Where it stands; left out at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Item index, when the step has several items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    /// Automatic re-executions before it.
    pub attempt: u32,
    /// What it would get.
    pub input: Value,
    /// What its kind takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// `run_edit_input` takes another one.
    pub editable: bool,
}
