//! Two runs beside each other (ADR 80).

use super::RunHead;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::NodeState;

/// Compares two runs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunDiff {
    /// The first one.
    pub run_id: String,
    /// The second one.
    pub with: String,
}

/// Compares one step of two runs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunDiffStep {
    /// The first one.
    pub run_id: String,
    /// The second one.
    pub with: String,
    /// The step; inside a loop with its iteration: `loop[17]/step`.
    pub step_id: String,
}

/// What two runs differ in. Only what differs is listed; large values are cut.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunComparison {
    /// The first run.
    pub a: ComparedRun,
    /// The second run.
    pub b: ComparedRun,
    /// Nothing below is different, and both ended alike. How long they took does not count.
    pub same: bool,
    /// They are runs of one workflow. Of two different ones only steps with the same id can be laid beside each other.
    pub same_workflow: bool,
    /// Values are masked: what is hidden in both runs was not compared.
    pub masked: bool,
    /// What their definitions do differently.
    pub definition: DefinitionDifference,
    /// What they were started with.
    pub params: Vec<ValueDifference>,
    /// Steps that differ, in the order in which the first run came to them.
    pub steps: Vec<StepDifference>,
    /// Variables as they stand at the end.
    pub context: Vec<ValueDifference>,
    /// What the runs put out.
    pub output: Vec<ValueDifference>,
    /// How many more there are than are listed, by the name of the list; lists that are whole are not named.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub left_out: IndexMap<String, usize>,
}

/// One of two runs that are compared.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedRun {
    /// What it is.
    #[serde(flatten)]
    pub head: RunHead,
    /// Of a very long run only the values of its events up to here were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values_until: Option<u64>,
}

/// What two definitions do differently: names, notes and places on the canvas do not matter.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DefinitionDifference {
    /// The runs ran the very same definition.
    pub same: bool,
    /// Steps.
    pub steps: Vec<DefinitionStep>,
    /// Other parts: `params`, `context`, `settings`.
    pub parts: Vec<String>,
}

/// What the definition changed of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DefinitionChange {
    /// Only the second definition has it.
    Added,
    /// Only the first definition has it.
    Removed,
    /// Its settings or the wires into it.
    Changed,
    /// Only the workflow that it calls.
    Inside,
}

/// One step that two definitions have differently.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionStep {
    /// The step.
    pub step_id: String,
    /// How.
    pub change: DefinitionChange,
    /// Of a changed one: where. `wires` are the ports that lead into it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ValueDifference>,
}

/// One place where two values differ.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ValueDifference {
    /// JSON Pointer of the place.
    pub pointer: String,
    /// What stands there in the first run; absent when nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<Value>,
    /// In the second run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Value>,
}

/// What a step differs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Aspect {
    /// Only one of the runs has it.
    Ran,
    /// Its state.
    State,
    /// The ports that it took, and how many items each.
    Ports,
    /// Rounds.
    Visits,
    /// Calls.
    Attempts,
    /// Data of its items.
    Input,
    /// What its settings came to.
    Config,
    /// What it put out.
    Output,
    /// The last error of each call.
    Error,
}

/// A step that differs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepDifference {
    /// The step.
    pub step_id: String,
    /// The iteration, branch or sub-workflow; absent at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// In the first run; absent when it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<ComparedStep>,
    /// In the second run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<ComparedStep>,
    /// What differs.
    pub differs: Vec<Aspect>,
    /// Where its values differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<StepValueDifference>,
    /// How many more places there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What a step came to in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ComparedStep {
    /// Its state.
    pub state: NodeState,
    /// Rounds.
    pub visits: u32,
    /// Calls.
    pub attempts: u32,
    /// Port → number of items; taken ports only.
    pub ports: IndexMap<String, usize>,
}

/// One place where the values of a step differ.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepValueDifference {
    /// `input`, `config`, `output` or `error`.
    pub part: Aspect,
    /// The place in the part: `/0/…` of the first item or call, `/success/0/…` of what was put out.
    #[serde(flatten)]
    pub change: ValueDifference,
}

/// One step of two runs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepComparison {
    /// In the first run; absent when it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<StepValues>,
    /// In the second run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<StepValues>,
    /// What differs.
    pub differs: Vec<Aspect>,
    /// Values are masked: what is hidden in both runs was not compared.
    pub masked: bool,
}

/// The values of a step in one run, as far as 200 items or calls; large ones are cut.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepValues {
    /// What it came to.
    #[serde(flatten)]
    pub step: ComparedStep,
    /// Data of its items.
    pub input: Vec<Value>,
    /// What its settings came to in each call.
    pub config: Vec<Value>,
    /// Port → data of the items.
    pub output: IndexMap<String, Vec<Value>>,
    /// The last error of each call that had one.
    pub error: Vec<Value>,
}
