//! Re-run from a step, and checkpoints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::debug::Breakpoint;
use signalbox_model::{Map, RunStatus, Workflow};

/// Which definition a re-run has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RerunDefinition {
    /// That of the original.
    #[default]
    Original,
    /// What the workflow is now.
    Current,
}

/// Looks at a re-run; nothing is started.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RerunLook {
    /// The original.
    pub run_id: String,
    /// The step; inside a loop with its iteration: `loop[17]/step`.
    pub step_id: String,
    /// The step, at the top, that it ends after: what does not lead to it does not run; for builders.
    #[serde(default)]
    pub until: Option<String>,
    /// With which definition.
    #[serde(default)]
    pub definition: RerunDefinition,
    /// With `current`: what the editor shows. The file of the library when absent.
    #[serde(default)]
    #[schemars(with = "Option<Workflow>")]
    pub document: Option<Value>,
    /// With `current`: opaque id of the workflow file whose pinned outputs are used; for builders.
    #[serde(default)]
    pub pins: Option<String>,
}

/// Starts a re-run.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunRerun {
    /// The original.
    pub run_id: String,
    /// The step; inside a loop with its iteration: `loop[17]/step`.
    pub step_id: String,
    /// `$name` is a variable, `name` a param. What is not named stays.
    #[serde(default)]
    pub overrides: Map,
    /// Data of the items that the step gets; the recorded ones when absent.
    #[serde(default)]
    pub input: Option<Vec<Value>>,
    /// The step, at the top, that it ends after: what does not lead to it does not run; for builders.
    #[serde(default)]
    pub until: Option<String>,
    /// With which definition.
    #[serde(default)]
    pub definition: RerunDefinition,
    /// With `current`: what the editor shows. The file of the library when absent.
    #[serde(default)]
    #[schemars(with = "Option<Workflow>")]
    pub document: Option<Value>,
    /// With `current`: opaque id of the workflow file whose pinned outputs are used; for builders.
    #[serde(default)]
    pub pins: Option<String>,
    /// Answers of people to steps that execute again are given again where they fit; else the people are asked again.
    #[serde(default)]
    pub keep_answers: bool,
    /// Comes back on every event.
    #[serde(default)]
    pub client_run_token: Option<String>,
    /// Before which calls it stops; for builders.
    #[serde(default)]
    pub breakpoints: Vec<Breakpoint>,
    /// [`RerunPlan::of`] of the plan that was looked at: refused with `PLAN_CHANGED` when it would be another one now.
    #[serde(default)]
    pub seen: Option<String>,
}

/// The new run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RerunStarted {
    /// Its id.
    pub run_id: String,
    /// Where it stands.
    pub status: RunStatus,
}

/// What a re-run would be.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RerunPlan {
    /// The step, with its path.
    pub step_id: String,
    /// The original has not ended, it is paused: it is cancelled, and what it asks is asked in the new run where that comes to
    /// it. One without open tasks stands stopped at a step.
    pub waits: bool,
    /// The definition that was looked at is that of the original.
    pub same_definition: bool,
    /// Variables before the step.
    pub context: Map,
    /// Params of the original.
    pub params: Value,
    /// Data of the items that the step got.
    pub input: Vec<Value>,
    /// What becomes of each step.
    pub steps: Vec<RerunStep>,
    /// Answers of people that could be given again.
    pub answers: Vec<RerunAnswer>,
    /// Values are masked: those that are changed must be typed again.
    pub masked: bool,
    /// What the plan was made of: the original as far as it had come, and the definition. Only to be handed back.
    pub of: String,
}

/// What becomes of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepFate {
    /// Its result stands; it does not execute.
    Kept,
    /// It executes again.
    Again,
    /// It did not run and may run now.
    Open,
    /// It does not run: the new run ends before it.
    Left,
    /// The definition does not have it any more; its result is not used.
    Gone,
}

/// What the definition changed of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepChange {
    /// Nothing that runs.
    None,
    /// Its settings or its wires.
    Changed,
    /// It was not there.
    Added,
    /// It is not there any more.
    Removed,
    /// Its recorded result does not fit any more, so it executes again.
    Incompatible,
}

/// What a step does outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepEffect {
    /// Nothing.
    None,
    /// It looks.
    Read,
    /// It changes something.
    Write,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RerunStep {
    /// The step.
    pub step_id: String,
    /// Its title, or its id.
    pub title: String,
    /// Its kind.
    pub kind: String,
    /// What becomes of it.
    pub fate: StepFate,
    /// What the definition changed.
    pub change: StepChange,
    /// What it does outside.
    pub effect: StepEffect,
    /// Done twice it may do the same a second time.
    pub repeats: bool,
    /// Calls in the original.
    pub calls: u64,
    /// A person was asked about it.
    pub asks: bool,
}

/// An answer that could be given again.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RerunAnswer {
    /// The step that asked, or that failed.
    pub step_id: String,
    /// What was chosen.
    pub action: String,
    /// Who chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_id: Option<String>,
}

/// Asks for a checkpoint.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckpointOf {
    /// The run.
    pub run_id: String,
    /// After this event; the last one when absent.
    #[serde(default)]
    pub at: Option<u64>,
}

/// A run at one event (C-02, K-30). It says where a run stands; a run goes on from its events, not from this.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// `signalbox_checkpoint`.
    #[serde(rename = "_type")]
    pub kind: String,
    /// 1.
    #[serde(rename = "_version")]
    pub format: u32,
    /// The run.
    pub run_id: String,
    /// Its workflow.
    pub workflow_id: String,
    /// SHA-256 of the definition it is pinned to.
    pub version: String,
    /// Where it stands.
    pub status: RunStatus,
    /// The event it is taken after.
    pub event_seq: u64,
    /// Time of that event, RFC 3339.
    pub created_at: String,
    /// The first step that is to run or is running, with its path; null when there is none.
    pub current_step_id: Option<String>,
    /// The run's input.
    pub params: Value,
    /// Variables.
    pub variables: Value,
    /// Steps at the top that have ended well, in the order of the file.
    pub completed_steps: Vec<String>,
    /// Branches that have ended, by the step that holds them, with its path.
    pub completed_branches: std::collections::BTreeMap<String, Vec<String>>,
    /// Iterations that have ended, by the loop, with its path.
    pub loop_progress: std::collections::BTreeMap<String, Vec<usize>>,
    /// Files that the run has written.
    pub artifacts: Vec<String>,
    /// `meta` of the data that passes between its steps.
    pub meta: CheckpointMeta,
    /// Tasks that wait for a person.
    pub open_tasks: Vec<String>,
    /// The original of a re-run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
}

/// `meta` of an ExecutionPayload, at this event.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointMeta {
    /// When the run started, RFC 3339.
    pub start_time: String,
    /// The step that executed last, in a container without its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_node: Option<String>,
}
