//! Budgets: what questions to language models may cost, in millionths.

use crate::money;
use serde_json::Value;
use std::sync::Arc;

/// `settings.budget` of a workflow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Of one run.
    pub per_run_micros: Option<u64>,
    /// Of all runs of the workflow on one day (UTC).
    pub per_day_micros: Option<u64>,
}

impl Limits {
    /// Reads `{perRun, perDay}`; the error is the field and what is wrong with it.
    pub fn parse(value: &Value) -> Result<Self, (String, String)> {
        let Value::Object(fields) = value else {
            return Err((String::new(), "A budget is an object with 'perRun', 'perDay' or both".into()));
        };
        let mut limits = Self::default();
        for (name, amount) in fields {
            let limit = match name.as_str() {
                "perRun" => &mut limits.per_run_micros,
                "perDay" => &mut limits.per_day_micros,
                _ => return Err((format!("/{name}"), format!("A budget has no '{name}'"))),
            };
            *limit = amount.as_f64().and_then(money::micros);
            if limit.is_none() {
                return Err((format!("/{name}"), format!("'{name}' is no amount from 0 on, or less than a millionth")));
            }
        }
        Ok(limits)
    }
}

/// What holds for one question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Budget {
    /// The run that pays.
    pub run_id: Arc<str>,
    /// Id of its workflow.
    pub workflow_id: Arc<str>,
    /// Limits of the workflow.
    pub limits: Limits,
    /// Up to here the run may spend whatever the limits say: a person approved it.
    pub approved_to_micros: u64,
}

/// A limit that is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedUp {
    /// Whose limit.
    pub scope: BudgetScope,
    /// The limit.
    pub limit_micros: u64,
    /// What is spent of it.
    pub spent_micros: u64,
    /// What this run has spent so far.
    pub run_spent_micros: u64,
}

/// Whose limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetScope {
    /// Of one run.
    Run,
    /// Of the workflow on one day.
    WorkflowDay,
    /// Of this machine on one day.
    Day,
}

impl BudgetScope {
    /// As it stands in an error.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::WorkflowDay => "workflow_day",
            Self::Day => "day",
        }
    }
}

#[cfg(test)]
mod tests;
