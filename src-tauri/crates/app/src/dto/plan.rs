//! What the commands of the planner take and give. Texts of models and services are data: they are shown, never obeyed.

use crate::dto::{ModelChoice, Preview};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::Workflow;

/// Asks for a change of a workflow, or asks about it.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanStart {
    /// The workflow.
    #[serde(rename = "ref")]
    pub reference: String,
    /// It as the editor shows it.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// It with the changes that are proposed and still open, when the plan is to go on from there.
    #[serde(default)]
    #[schemars(with = "Option<Workflow>")]
    pub from: Option<Value>,
    /// What it should do, or the question.
    pub text: String,
    /// It is a question, not a change.
    #[serde(default)]
    pub asks: bool,
    /// The run that the question is about.
    #[serde(default)]
    pub run_id: Option<String>,
}

/// Agrees to a try of the proposal.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanTry {
    /// The workflow.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The proposal whose calls were listed.
    pub revision: String,
    /// Steps that write and may be called.
    #[serde(default)]
    pub allowed: Vec<String>,
}

/// Accepts or rejects a proposal, or one step of it.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanSettle {
    /// The workflow.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The proposal that was shown.
    pub revision: String,
    /// The workflow before.
    #[schemars(with = "Workflow")]
    pub before: Value,
    /// The workflow with what was accepted; the same as before when nothing was.
    #[schemars(with = "Workflow")]
    pub after: Value,
    /// The proposal with what is still open; absent when nothing is.
    #[serde(default)]
    #[schemars(with = "Option<Workflow>")]
    pub rest: Option<Value>,
}

/// Asks what a workflow does, or why a run failed.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanExplain {
    /// The workflow as the editor shows it, also with errors.
    pub document: Value,
    /// The run; what the workflow does when absent.
    #[serde(default)]
    pub run_id: Option<String>,
}

/// Asks for an expression.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpressionAsk {
    /// The workflow as the editor shows it.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// The step that the expression belongs to.
    pub node_id: String,
    /// What it should give, in words.
    pub asked: String,
    /// The title of the field.
    #[serde(default)]
    pub field: Option<String>,
    /// What stands in the field now.
    #[serde(default)]
    pub current: Option<String>,
    /// It has to be true or false.
    #[serde(default)]
    pub condition: bool,
    /// This run instead of the last one.
    #[serde(default)]
    pub run_id: Option<String>,
    /// This iteration or branch of the run.
    #[serde(default)]
    pub path: Option<String>,
    /// Reference of the workflow file whose pinned outputs stand in place of what steps put out.
    #[serde(default)]
    pub pins: Option<String>,
    /// Index of the item to look at, 0 when absent.
    #[serde(default)]
    pub item: Option<usize>,
}

/// An expression that compiles and works on the data of the last run, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExpressionAnswer {
    /// The expression, without a leading `=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What it gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// Why there is no expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Answers that were not taken.
    pub refused: Vec<ExpressionRefused>,
    /// What it cost.
    pub usage: PlanUsage,
}

/// An answer that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExpressionRefused {
    /// The expression; empty when there was none.
    pub text: String,
    /// Why.
    pub problem: String,
}

/// The planner of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanView {
    /// The model that is asked; absent when none is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelChoice>,
    /// What is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working: Option<PlanWorking>,
    /// The conversation, oldest first.
    pub messages: Vec<PlanMessage>,
    /// What waits for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<PlanProposal>,
}

/// What is under way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanWorking {
    /// `outline`, `generate`, `repair`, `runtime_fix`, `metadata`, `explain`, or `try`.
    pub stage: String,
    /// The question has at most so many tokens.
    pub question_tokens: u64,
    /// What the steps will do, in words.
    pub steps: Vec<String>,
    /// The draft as far as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Workflow>")]
    pub draft: Option<Value>,
    /// What the try calls.
    pub calls: Vec<PlanCall>,
    /// The tries so far.
    pub attempts: Vec<PlanAttempt>,
    /// What it cost so far.
    pub usage: PlanUsage,
}

/// A proposal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanProposal {
    /// The workflow that it changes, as it was.
    #[schemars(with = "Workflow")]
    pub base: Value,
    /// The workflow that is proposed.
    #[schemars(with = "Workflow")]
    pub document: Value,
    /// Its content hash.
    pub revision: String,
    /// Who made it: `planner`, or the person whose agent did.
    pub by: String,
    /// RFC 3339.
    pub at: String,
    /// What a try would call, and how.
    pub calls: Vec<PlanCall>,
}

/// A message of the conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PlanMessage {
    /// `person`, `planner`, or `agent`.
    pub by: String,
    /// RFC 3339.
    pub at: String,
    /// Words.
    pub text: String,
    /// How a plan ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The tries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<PlanAttempt>,
    /// What is wrong with the last answer of the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// What differs from what was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intent_changes: Vec<String>,
    /// Steps that follow from a sample and were not checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<String>,
    /// Steps that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// The run that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Events of that run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<u64>,
    /// What it cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<PlanUsage>,
}

/// What questions cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanUsage {
    /// Questions that were answered.
    pub questions: u32,
    /// Tokens of the questions.
    pub input_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// Money in millionths, where the price of the model is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

/// A step that a try reaches out with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanCall {
    /// The step.
    pub step: String,
    /// Its title.
    pub title: String,
    /// `read` or `write`.
    pub effect: String,
    /// Method and host, tool, or path.
    pub target: String,
    /// It is called; a sample stands for its output otherwise.
    pub real: bool,
}

/// One try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanAttempt {
    /// From 1 on.
    pub number: u32,
    /// What was found.
    pub issues: Vec<PlanIssue>,
    /// What the correction changed.
    pub changes: Vec<PlanChange>,
}

/// One thing that a try found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanIssue {
    /// The step.
    pub step: String,
    /// The code of the error.
    pub code: String,
    /// Plain words.
    pub message: String,
    /// What was guessed.
    pub attempted: Vec<String>,
    /// What was there.
    pub available: Vec<String>,
}

/// One change of a correction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanChange {
    /// JSON Pointer into the workflow.
    pub at: String,
    /// What was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// What is there now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

/// What a workflow does, or why a run failed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanExplanation {
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Its status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// A line for each step or event.
    pub lines: Vec<ExplainedLine>,
}

/// A line of an explanation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedLine {
    /// Words; of an error, what the service said.
    pub text: String,
    /// The step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The code of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}
