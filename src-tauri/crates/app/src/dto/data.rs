//! Data of steps, beside the editor.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::{ErrorPayload, Item, RetryPolicy, Workflow};

/// Data of a node in its last run.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunStepData {
    /// Id of the workflow.
    pub workflow_id: String,
    /// The node.
    pub node_id: String,
    /// This run instead of the last one in which the node was called.
    #[serde(default)]
    pub run_id: Option<String>,
    /// This iteration or branch of the run; the last one in which the node was called when absent.
    #[serde(default)]
    pub path: Option<String>,
}

/// What went into a node and what came out.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepData {
    /// The run.
    pub run_id: String,
    /// The iteration or branch; absent at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// When the run began, RFC 3339.
    pub started_at: String,
    /// How many items went in and came out: the lists may have the first of them only.
    pub counts: StepCounts,
    /// Items as they went in; large values are cut.
    #[schemars(with = "Vec<StepInput>")]
    pub input: Value,
    /// Port → items; large values are cut.
    #[schemars(with = "IndexMap<String, Vec<Item>>")]
    pub output: Value,
    /// The last error.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ErrorPayload>")]
    pub error: Option<Value>,
    /// Evaluated config of the last call.
    pub config: Value,
}

/// How many items there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StepCounts {
    /// That went in.
    pub input: usize,
    /// Port → that came out there.
    pub output: IndexMap<String, usize>,
}

/// One item as it went into a call.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepInput {
    /// Index in the activation's input.
    pub item: usize,
    /// Its data.
    pub data: Value,
}

/// Bytes that an item of a run names.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunBinaryGet {
    /// The run.
    pub run_id: String,
    /// `sha256` of the reference.
    pub sha256: String,
}

/// The bytes whole.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunBinary {
    /// In base64.
    pub bytes_base64: String,
}

/// Files that a run wrote.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunFiles {
    /// The file written last is the first; a file that was written several times is there once.
    pub files: Vec<RunFile>,
    /// The run wrote more, earlier.
    pub more: bool,
}

/// A file that a run wrote.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunFile {
    /// The event that says so. `GET /workflow/{id}/files/{seq}` returns the file.
    pub seq: u64,
    /// The step.
    pub step_id: Option<String>,
    /// The path as the step was given it.
    pub path: String,
    /// The file name.
    pub name: String,
    /// The real path of a file in a granted folder; absent for an artifact, which is kept with the run.
    pub place: Option<String>,
    /// Bytes, as it was written.
    pub size: u64,
    /// When it was written.
    pub written_at: String,
    /// What became of it.
    pub state: RunFileState,
    /// Why it cannot be read.
    pub reason: Option<String>,
}

/// What became of a file that a run wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RunFileState {
    /// It is as the run wrote it.
    Same,
    /// It was changed since.
    Changed,
    /// It is not there any more.
    Gone,
    /// It cannot be read: its folder is not open to the workflow any more, or the name is a link now.
    Refused,
}

/// How an expression is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExpressionKind {
    /// A condition or expression field: CEL.
    Cel,
    /// A value: `=` makes CEL, `{{ }}` makes text.
    Value,
}

/// An expression to try on the last run's data.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpressionPreview {
    /// The workflow as the editor shows it.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// The node the expression belongs to.
    pub node_id: String,
    /// The expression.
    pub text: String,
    /// How it is written.
    pub kind: ExpressionKind,
    /// This run instead of the last one.
    #[serde(default)]
    pub run_id: Option<String>,
    /// This iteration or branch of the run; the last one in which the node was called when absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Index of the item to look at, 0 when absent.
    #[serde(default)]
    pub item: Option<usize>,
    /// Reference of the workflow file: what is pinned for a step stands in place of what it put out.
    #[serde(default)]
    pub pins: Option<String>,
    /// For who looks at data and not at a text that is being typed: up to 2 MiB come whole, of a longer list its first elements.
    #[serde(default)]
    pub whole: bool,
}

/// What an expression gives.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Preview {
    /// A value.
    Value {
        /// The result; large values are cut.
        value: Value,
        /// How many items went in.
        item_count: usize,
        /// Which one this is.
        item: usize,
        /// The run whose data was used; empty where only pinned output was.
        run_id: String,
        /// That run in words.
        run_label: String,
        /// Steps before this one, or this one, put out what is pinned.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pinned: bool,
    },
    /// The node has not run yet.
    NoData,
    /// It does not compile or does not work on this data.
    Error {
        /// What is wrong.
        message: String,
        /// Character, from 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<usize>,
    },
}

/// An expression to try on data that is given with it.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpressionTry {
    /// The expression, in CEL.
    pub text: String,
    /// The names that it sees: `item`, `items`, `nodes`, `params`, `context`, `run` and `error`, all optional.
    #[serde(default)]
    pub data: serde_json::Map<String, Value>,
}

/// What an expression gives on the data that came with it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Tried {
    /// A value.
    Value {
        /// The result; large values are cut.
        value: Value,
    },
    /// It does not compile or does not work on this data, or the data is not what an expression can see.
    Error {
        /// What is wrong.
        message: String,
        /// Character, from 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<usize>,
    },
}

/// Names an expression of a node may use.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpressionNames {
    /// The workflow as the editor shows it.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// The node.
    pub node_id: String,
    /// This run instead of the last one.
    #[serde(default)]
    pub run_id: Option<String>,
    /// This iteration or branch of the run; the last one in which the node was called when absent.
    #[serde(default)]
    pub path: Option<String>,
    /// Of a loop: what its `while` and `collect` see, where `_result` is what one iteration came to.
    #[serde(default)]
    pub inside: bool,
    /// Reference of the workflow file: what is pinned for a step stands in place of what it put out.
    #[serde(default)]
    pub pins: Option<String>,
}

/// One completion.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExpressionName {
    /// What is inserted.
    pub label: String,
    /// Its type as far as known.
    #[serde(rename = "type")]
    pub value_type: String,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Its value in the last run; large values are cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Value>,
}

/// A retry policy to draw.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryTimeline {
    /// The policy.
    pub policy: RetryPolicy,
}

/// One attempt of a drawn retry policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineStep {
    /// From 1.
    pub attempt: u32,
    /// Wait before it, without jitter.
    pub delay_ms: u64,
}
