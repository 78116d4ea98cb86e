//! Where a run goes on after an answer.

use schemars::JsonSchema;
use serde::Serialize;
use signalbox_model::TaskAction;

/// Where an answer leads, by the wires of the step that asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskWay {
    /// The answer.
    pub action: TaskAction,
    /// The failed step runs again.
    pub again: bool,
    /// Else the steps where the run goes on, by their titles.
    pub steps: Vec<String>,
}
