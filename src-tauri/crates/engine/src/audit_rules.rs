//! `settings.auditRules` (A-33…A-35, K-60): rules that raise the level of an audit entry or escalate it. They never drop
//! an entry (K-55); one that cannot be evaluated does nothing.

use crate::{expr::Expr, scope::Scope};
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, EventBody, Level, Workflow};
use std::sync::Arc;

/// Where the rules stand in a file.
pub const OF_WORKFLOW: &str = "/settings/auditRules";
/// The entries that rules see: those that events of a run make.
pub const EVENTS: [AuditEvent; 17] = [
    AuditEvent::WorkflowStarted,
    AuditEvent::NodeStart,
    AuditEvent::NodeSuccess,
    AuditEvent::NodeError,
    AuditEvent::ErrorHandlerInvoked,
    AuditEvent::RetryScheduled,
    AuditEvent::AutoFixAttempt,
    AuditEvent::HitlCreated,
    AuditEvent::HitlCompleted,
    AuditEvent::TaskReminded,
    AuditEvent::Escalated,
    AuditEvent::ToolRefused,
    AuditEvent::BreakpointsSet,
    AuditEvent::WorkflowPaused,
    AuditEvent::WorkflowContinued,
    AuditEvent::InputEdited,
    AuditEvent::WorkflowCompleted,
];
/// Names that a rule may use.
pub const NAMES: [&str; 4] = ["event", "err", "error", "autoFix"];

/// One rule.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditRule {
    /// CEL over `event`, `err`, `autoFix`.
    pub when: String,
    /// The entry has at least this level.
    #[serde(default)]
    pub level: Option<Level>,
    /// An entry ESCALATED follows.
    #[serde(default)]
    pub escalate: bool,
}

/// What the rules say about one entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Raise {
    /// At least this level.
    pub level: Option<Level>,
    /// An entry ESCALATED follows.
    pub escalate: bool,
}

/// The rules of a workflow; the validator has told what is wrong with them.
pub fn of(workflow: &Workflow) -> Vec<AuditRule> {
    let rules = workflow.settings.as_ref().and_then(|s| s.audit_rules.clone());
    rules.and_then(|rules| serde_json::from_value(rules).ok()).unwrap_or_default()
}

/// Applies rules to the entry `event` that tells of `body`.
pub fn apply(rules: &[AuditRule], event: &str, body: &EventBody) -> Raise {
    let mut raise = Raise::default();
    if rules.is_empty() {
        return raise;
    }
    let mut scope = Scope::empty();
    if let EventBody::StepError(failed) = body {
        scope.error = Arc::new(serde_json::to_value(failed.error.as_ref()).unwrap_or_default());
    }
    let fix = match body {
        EventBody::AutoFixAttempt(tried) => {
            json!({ "accepted": tried.accepted, "delta": tried.delta, "model": tried.model })
        }
        _ => Value::Null,
    };
    scope.locals.push(("event", Value::from(event).into()));
    scope.locals.push(("autoFix", fix.into()));
    for rule in rules {
        if Expr::compile(&rule.when).and_then(|e| e.eval_bool(&scope)) == Ok(true) {
            raise.level = raise.level.max(rule.level);
            raise.escalate |= rule.escalate;
        }
    }
    raise
}
