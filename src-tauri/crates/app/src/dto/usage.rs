//! What questions to language models cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sums over calls of models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Calls that a model answered.
    pub calls: u64,
    /// Tokens of questions.
    pub input_tokens: u64,
    /// Tokens of answers, thoughts included.
    pub output_tokens: u64,
    /// Tokens of thoughts, where providers tell.
    pub thinking_tokens: u64,
    /// What has a price, in millionths.
    pub cost_micros: u64,
    /// Calls of models whose price nobody told: they are not in `costMicros`.
    pub unpriced: u64,
}

/// What a model cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelUsage {
    /// By its name on this machine; empty for one that a workflow names.
    pub provider: String,
    /// The model that answered.
    pub model: String,
    /// Sums.
    pub usage: Usage,
}

/// What a step cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepUsage {
    /// The step, over all its calls in this run.
    pub step_id: String,
    /// Sums.
    pub usage: Usage,
    /// By model.
    pub models: Vec<ModelUsage>,
}

/// What a run cost. Steps that a re-run kept were paid by its original, and are not in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunUsage {
    /// The run.
    pub run_id: String,
    /// Of all steps.
    pub total: Usage,
    /// Steps that asked models.
    pub steps: Vec<StepUsage>,
}

/// How far back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelUsageRequest {
    /// Days, today included; 30 when absent, at most 366.
    #[serde(default)]
    pub days: Option<u32>,
}

/// What a day cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DayUsage {
    /// `2026-11-22`, in UTC.
    pub day: String,
    /// Sums.
    pub usage: Usage,
}

/// What a workflow cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowUsage {
    /// Its id.
    pub workflow_id: String,
    /// Sums.
    pub usage: Usage,
}

/// What models cost on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UsageReport {
    /// The first day of it, in UTC.
    pub since: String,
    /// Since midnight, UTC.
    pub today: Usage,
    /// Of all days.
    pub total: Usage,
    /// Days on which a model answered, the newest first.
    pub days: Vec<DayUsage>,
    /// The dearest first.
    pub workflows: Vec<WorkflowUsage>,
    /// The dearest first.
    pub models: Vec<ModelUsage>,
}
