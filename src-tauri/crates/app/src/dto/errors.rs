//! Errors as the author sees them: coverage, rules, dry runs, errors of past runs.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_engine::rules::RuleFinding;
use signalbox_engine::{coverage, rules};
use signalbox_model::workflow::Rule;
use signalbox_model::{ErrorPayload, ErrorType, Map, RetryPolicy, Severity};

/// One thing to know about the errors of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverageFinding {
    /// `RED_PORT_OPEN`, `RED_PORT_POLICY`, `RETRY_UNSAFE_WRITE`, `RULE_UNREACHABLE`.
    pub code: String,
    /// Absent: only worth knowing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// JSON Pointer into the file.
    pub path: String,
    /// The step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// What and why.
    pub message: String,
    /// What next.
    pub hint: String,
    /// The button.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<CoverageFix>,
}

/// What one press does.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverageFix {
    /// The words on the button.
    pub label: String,
    /// Edits of the document, as the editor knows them.
    pub edits: Vec<Map>,
    /// Instead of edits: a template that the editor puts at `port` (`human`, `explicit`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// `node.port`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<String>,
}

/// How many red ports lead somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverageScore {
    /// By a wire or a fallback.
    pub wired: usize,
    /// By the workflow's policy.
    pub policy: usize,
    /// All of them.
    pub total: usize,
}

/// Error coverage of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorCoverage {
    /// Worst first.
    pub findings: Vec<CoverageFinding>,
    /// The number.
    pub score: CoverageScore,
    /// The last proof of the workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<CoverageProof>,
}

/// What the last proof of a workflow says about a definition.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverageProof {
    /// When it ended, RFC 3339.
    pub at: String,
    /// Of the faults that were tried, how many are handled, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<u32>,
    /// It is one of exactly this definition, positions aside.
    pub is_current: bool,
    /// Step → what it says; empty when the definition has changed.
    pub steps: IndexMap<String, StepProofState>,
}

/// What a proof says about a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StepProofState {
    /// Each of its faults was tried and is handled.
    Proved,
    /// Some of its faults are not handled.
    Unhandled,
    /// No run reaches it, or not all of its faults.
    NotReached,
}

impl From<coverage::Coverage> for ErrorCoverage {
    fn from(all: coverage::Coverage) -> Self {
        let fix = |fix: coverage::Fix| CoverageFix {
            label: fix.label,
            edits: fix.edits.into_iter().filter_map(|edit| edit.as_object().cloned()).collect(),
            template: fix.template.map(str::to_owned),
            port: fix.port,
        };
        let finding = |f: coverage::Finding| CoverageFinding {
            code: f.code,
            severity: f.severity,
            path: f.path,
            step_id: f.step_id,
            message: f.message,
            hint: f.hint,
            fix: f.fix.map(fix),
        };
        let coverage::Score { wired, policy, total } = all.score;
        Self {
            findings: all.findings.into_iter().map(finding).collect(),
            score: CoverageScore { wired, policy, total },
            proof: None,
        }
    }
}

/// Rules to look at.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RulesCheck {
    /// In order.
    pub rules: Vec<Rule>,
    /// Wired ports of the handler; absent for the policy of a workflow.
    #[serde(default)]
    pub wired: Option<Vec<String>>,
}

/// A finding about one rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleProblem {
    /// Which rule, from 0.
    pub index: usize,
    /// Error or warning.
    pub severity: Severity,
    /// As of the validator.
    pub code: String,
    /// What and why.
    pub message: String,
    /// What next.
    pub hint: String,
    /// Character in the condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
}

impl From<RuleFinding> for RuleProblem {
    fn from(found: RuleFinding) -> Self {
        Self {
            index: found.index,
            severity: found.diagnostic.severity,
            code: found.diagnostic.code.as_str(),
            message: found.diagnostic.message,
            hint: found.diagnostic.hint,
            position: found.position,
        }
    }
}

/// An error to try the rules on.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TriedError {
    /// One of six.
    #[serde(rename = "type")]
    pub error_type: ErrorType,
    /// Plain words.
    #[serde(default)]
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Re-executions already made.
    #[serde(default)]
    pub attempt: u32,
    /// Bound of re-executions.
    #[serde(default)]
    pub max_attempts: Option<u32>,
    /// Free; `code` is the finer cause.
    #[serde(default)]
    pub details: Option<Map>,
}

/// The named policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TriedPolicy {
    /// Retry, repair, fallback, ask.
    Safe,
    /// Fallback, ask above the threshold, abort.
    Fail,
}

/// What would happen with an error.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HandlerDryRun {
    /// Rules of a handler or of a policy; empty means the default ones.
    #[serde(default)]
    pub rules: Vec<Rule>,
    /// A named policy instead of rules.
    #[serde(default)]
    pub policy: Option<TriedPolicy>,
    /// The error.
    pub error: TriedError,
    /// Data of the item that failed.
    #[serde(default)]
    pub item: Value,
    /// The step's `humanReviewThreshold`.
    #[serde(default)]
    pub threshold: Option<String>,
    /// The step's `autoFix`.
    #[serde(default)]
    pub auto_fix: Option<bool>,
    /// The step has a fallback of its own.
    #[serde(default)]
    pub fallback: bool,
    /// Ports of the handler that lead somewhere; none for a policy.
    #[serde(default)]
    pub wired: Vec<String>,
    /// The step's kind: what its input should look like may be known.
    #[serde(default)]
    pub kind: Option<String>,
    /// The container around the step collects errors, and no handler decides.
    #[serde(default)]
    pub collected: bool,
    /// Numbers of the back-off.
    #[serde(default)]
    pub retry: Option<RetryPolicy>,
    /// They are the step's own: as long as one is left, nobody else is asked.
    #[serde(default)]
    pub own_retry: bool,
}

/// What one rule said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleTried {
    /// Name of the rule.
    pub rule: String,
    /// Its condition.
    pub when: String,
    /// The condition is true.
    pub matched: bool,
    /// Why it could not be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What would happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HandlerDryRunResult {
    /// The rule that decides, or `policy:safe`, `policy:fail`, `default`; `own` for the step's own retry.
    pub rule: String,
    /// Its place in the list, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// What is really done.
    pub action: String,
    /// What the rule says, when that is something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// Every rule in order, also those after the one that decides.
    pub why: Vec<RuleTried>,
    /// The pause before the next call, without jitter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Pauses of all retries that may still follow, without jitter.
    pub delays: Vec<u64>,
}

impl HandlerDryRunResult {
    pub(crate) fn new(outcome: rules::Outcome, rules: &[Rule], delays: Vec<u64>) -> Self {
        let tried = |(verdict, rule): (rules::RuleVerdict, &Rule)| RuleTried {
            rule: verdict.rule,
            when: rule.when.clone(),
            matched: verdict.matched,
            error: verdict.error,
        };
        Self {
            rule: outcome.rule,
            index: outcome.index,
            action: outcome.action,
            wanted: outcome.wanted,
            why: outcome.why.into_iter().zip(rules).map(tried).collect(),
            delay_ms: delays.first().copied(),
            delays,
        }
    }
}

/// Whose errors.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PastErrors {
    /// Id of the workflow.
    pub workflow_id: String,
    /// Only of these steps.
    #[serde(default)]
    pub node_ids: Option<Vec<String>>,
}

/// An error of a past run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastError {
    /// The run.
    pub run_id: String,
    /// When, RFC 3339.
    pub at: String,
    /// The step that failed.
    pub step_id: String,
    /// What happened.
    pub error: ErrorPayload,
}
