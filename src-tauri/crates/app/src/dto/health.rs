//! How workflows do over time, and the alerts about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The health of all workflows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HealthList {
    /// Days, today included; 30 when absent, at most 366.
    #[serde(default)]
    pub days: Option<u32>,
}

/// The health of one workflow.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HealthGet {
    /// Id of the workflow.
    pub workflow_id: String,
    /// Days, today included; 30 when absent, at most 366.
    #[serde(default)]
    pub days: Option<u32>,
}

/// Numbers about the ended runs of a workflow in some days, and what is open now. Tries of builders do not count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthNumbers {
    /// Runs that completed or failed.
    pub runs: u64,
    /// Runs that completed.
    pub completed: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that were cancelled; they are in no other number.
    pub cancelled: u64,
    /// `failed` by `runs`, 0 to 1; 0 without a run.
    pub error_rate: f64,
    /// The duration that half of the runs did not exceed, milliseconds, waits included, with two digits that count; 0 without a run.
    pub p50_ms: i64,
    /// The duration that 95 % of the runs did not exceed.
    pub p95_ms: i64,
    /// What language models cost, millionths.
    pub cost_micros: u64,
    /// Open tasks now.
    pub open_tasks: u64,
    /// Age of the oldest of them, milliseconds; 0 without one.
    pub oldest_task_ms: i64,
    /// Of the faults that the last proof tried, how many are handled, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof_score: Option<u32>,
}

/// One workflow in the list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthEntry {
    /// Id of the workflow.
    pub workflow_id: String,
    /// Its name at its newest start.
    pub workflow_name: String,
    /// The numbers.
    pub numbers: HealthNumbers,
    /// Names of alerts whose condition is true.
    pub alerts: Vec<String>,
}

/// All workflows with ended runs, those with the most first, at most 500.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthOverview {
    /// The first day, `2026-11-22`, UTC.
    pub since: String,
    /// The workflows.
    pub workflows: Vec<HealthEntry>,
}

/// One day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthDay {
    /// `2026-11-22`, UTC.
    pub day: String,
    /// Runs that completed.
    pub completed: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that were cancelled.
    pub cancelled: u64,
    /// As of [`HealthNumbers::p50_ms`]; absent without a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<i64>,
    /// As of [`HealthNumbers::p95_ms`]; absent without a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<i64>,
    /// What language models cost, millionths.
    pub cost_micros: u64,
}

/// How often calls of a step failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthError {
    /// The step; empty where it is not known, `…` for errors that are not told apart.
    pub step_id: String,
    /// Code of the error.
    pub code: String,
    /// Failed calls, repeated and handled ones included.
    pub errors: u64,
    /// Runs that it failed.
    pub failed: u64,
}

/// The health of one workflow.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowHealth {
    /// Id of the workflow.
    pub workflow_id: String,
    /// Its name at its newest start.
    pub workflow_name: String,
    /// Of all days together.
    pub numbers: HealthNumbers,
    /// Each day, the oldest first, today last.
    pub days: Vec<HealthDay>,
    /// What failed, what failed most runs first, at most 50.
    pub errors: Vec<HealthError>,
    /// Alerts whose condition is true.
    pub alerts: Vec<RaisedHealthAlert>,
}

/// A condition over the numbers of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HealthAlert {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Id of the workflow; every workflow when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<String>,
    /// CEL over the fields of [`HealthNumbers`]: `errorRate > 0.1 && runs >= 20`.
    pub expression: String,
    /// Over so many days, today included, 1 to 366.
    pub days: u32,
}

/// A new alert, or a change of one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HealthAlertPut {
    /// Its id; a new alert gets one.
    #[serde(default)]
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Id of the workflow; every workflow when absent.
    #[serde(default)]
    pub workflow_id: Option<String>,
    /// CEL over the fields of [`HealthNumbers`]: `errorRate > 0.1 && runs >= 20`.
    pub expression: String,
    /// Over so many days, today included, 1 to 366.
    pub days: u32,
}

impl From<HealthAlertPut> for HealthAlert {
    fn from(put: HealthAlertPut) -> Self {
        let HealthAlertPut { id, name, workflow_id, expression, days } = put;
        Self { id, name, workflow_id, expression, days }
    }
}

/// An alert whose condition is true for a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RaisedHealthAlert {
    /// Id of the alert.
    pub alert_id: String,
    /// Its name.
    pub name: String,
    /// The condition.
    pub expression: String,
    /// Id of the workflow.
    pub workflow_id: String,
    /// Name of the workflow.
    pub workflow_name: String,
    /// Since when, RFC 3339.
    pub since: String,
}

/// The alerts, and which of them are raised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthAlerts {
    /// All alerts.
    pub alerts: Vec<HealthAlert>,
    /// Those whose condition is true, the newest first.
    pub raised: Vec<RaisedHealthAlert>,
}

/// Names an alert.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HealthAlertId {
    /// Its id.
    pub id: String,
}
