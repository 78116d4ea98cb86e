//! What the tasks of a time say together, and the rules that decisions suggest (UX D2.14).

use super::task::moment;
use crate::Caller;
use crate::app::App;
use crate::dto::{ActionCount, RuleSuggestion, TaskCause, TaskPerson, TaskStats, TaskStatsRequest, WorkflowTasks};
use crate::error::ApiResult;
use crate::tasks::answer::plain;
use serde_json::Value;
use signalbox_model::{TaskAction, time};
use signalbox_store::{CauseStats, TaskStatsQuery};

/// How far back when nobody says so, milliseconds.
const MONTH: i64 = 30 * 24 * 60 * 60 * 1_000;
/// So many decisions in a row suggest a rule.
const ALIKE: u64 = 3;

pub(crate) fn task_stats(app: &App, _: &Caller, request: TaskStatsRequest) -> ApiResult<TaskStats> {
    let now_ms = app.now_ms();
    let since_ms = request.since.as_deref().map_or(Ok(now_ms.saturating_sub(MONTH)), moment)?;
    let found = app.store.task_stats(&TaskStatsQuery { since_ms, now_ms, workflow: request.workflow })?;
    Ok(TaskStats {
        since: time::format(since_ms),
        created: found.created,
        open: found.open,
        decided: found.decided,
        expired: found.expired,
        median_ms: found.median_ms,
        median_age_ms: found.median_age_ms,
        oldest_ms: found.oldest_ms,
        actions: counts(found.actions),
        workflows: found
            .workflows
            .into_iter()
            .map(|one| WorkflowTasks {
                workflow_id: one.id,
                workflow_name: one.name,
                created: one.created,
                open: one.open,
                decided: one.decided,
                median_ms: one.median_ms,
            })
            .collect(),
        causes: found.causes.into_iter().map(cause).collect(),
        people: found
            .people
            .into_iter()
            .map(|(person, decided, median_ms)| TaskPerson { person, decided, median_ms })
            .collect(),
        part: found.part,
    })
}

fn counts(actions: Vec<(TaskAction, u64)>) -> Vec<ActionCount> {
    actions.into_iter().map(|(action, count)| ActionCount { action, count }).collect()
}

fn cause(one: CauseStats) -> TaskCause {
    TaskCause {
        suggestion: suggestion(&one),
        fingerprint: one.fingerprint,
        title: plain(&one.title),
        workflow_id: one.workflow_id,
        workflow_name: one.workflow_name,
        node_title: one.node_title.unwrap_or_else(|| one.node.clone()),
        node_id: one.node,
        created: one.created,
        open: one.open,
        decided: one.decided,
        median_ms: one.median_ms,
        actions: counts(one.actions),
    }
}

/// A rule can retry and abort as a person does. What else people decide has no rule that does the same: a correction is
/// another each time, and no rule skips.
fn suggestion(one: &CauseStats) -> Option<RuleSuggestion> {
    let (action, decisions) = one.alike.filter(|(_, count)| *count >= ALIKE)?;
    let (kind, code) = (one.error_type.as_deref()?, one.error_code.as_deref().filter(|code| !code.is_empty()));
    let mut when = format!("error.type == {}", quoted(kind));
    if let Some(code) = code {
        when.push_str(&format!(" && has(error.details.code) && error.details.code == {}", quoted(code)));
    }
    let action = match action {
        TaskAction::Retry => {
            when.push_str(" && error.attempt < error.maxAttempts");
            "retry"
        }
        TaskAction::Abort => "abort",
        TaskAction::Correct
        | TaskAction::Skip
        | TaskAction::Alternative
        | TaskAction::Approve
        | TaskAction::Reject
        | TaskAction::Submit => return None,
    };
    let name = format!("{action}-{}", code.unwrap_or(kind).to_lowercase().replace('_', "-"));
    Some(RuleSuggestion { decisions, name, when, action: action.into() })
}

/// A CEL string: JSON's is one.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
