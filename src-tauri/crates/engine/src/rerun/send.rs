//! Sending a failed run to the inbox (ADR 58): which call failed it, and what stands of its step. A call inside a
//! container failed the container, and that the run: the person is asked about the call.

use super::{
    Original, RerunError, belongs, place,
    reopen::{Asking, Why, item, item_of},
};
use crate::{error_codes::CHILD_ERRORS, fold, state::Ending};
use serde_json::Value;
use signalbox_model::{
    ErrorPayload, EventBody, RunEvent, RunStatus,
    base::{Sent, named},
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A failed run that is to be asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Send {
    /// Why.
    pub reason: Option<String>,
    /// Who wants it: `user:…`.
    pub by: String,
}

/// A failed call of a log.
struct Failed {
    /// The step, with its path.
    step: String,
    item: usize,
    error: Arc<ErrorPayload>,
}

/// The step whose call failed a run, with its path, and what stands of it.
pub(super) fn asking(original: &Original<'_>, wanted: &Send) -> Result<(String, Asking), RerunError> {
    let all = all(original);
    let ended = ending(original)?;
    let failed = innermost(&all, ended);
    // Its last call; a repair or a retry may have made several.
    let last = all.iter().rposition(|event| {
        event.body.origin().is_none()
            && matches!(event.body, EventBody::StepError(_) | EventBody::StepInterrupted(_))
            && is(event, &failed.step)
            && item(event) == failed.item
    });
    let last = last.ok_or_else(|| RerunError::NoFailedCall { step: failed.step.clone() })?;
    let run_id = original.events.first().map(|event| event.run_id.clone()).unwrap_or_default();
    let sent = Sent {
        run_id,
        step: failed.step.clone(),
        item: failed.item,
        error: failed.error,
        reason: wanted.reason.clone(),
        by: wanted.by.clone(),
    };
    let items = BTreeSet::from([item_of(all[last])]);
    let about = failed.step.clone();
    Ok((failed.step, Asking { why: Why::Sent(Box::new(sent)), about, items, until: last + 1 }))
}

/// What `plan_with` keeps from, in the same order: the base of an earlier re-run, then the run's own events.
fn all<'a>(original: &Original<'a>) -> Vec<&'a RunEvent> {
    let earlier = original.events.first().and_then(|event| match &event.body {
        EventBody::WorkflowStart(start) => start.base.as_deref(),
        _ => None,
    });
    earlier.into_iter().flat_map(|base| &base.events).chain(original.events.iter().skip(1)).collect()
}

/// The case that ended the run, with its error as it was before the end.
fn ending(original: &Original<'_>) -> Result<Failed, RerunError> {
    let Some(EventBody::WorkflowFailed(end)) = original.events.last().map(|event| &event.body) else {
        let status = match original.events.last().map(|event| &event.body) {
            Some(EventBody::WorkflowDone(_)) => RunStatus::Completed,
            Some(EventBody::WorkflowCancelled(_)) => RunStatus::Cancelled,
            _ => RunStatus::Running,
        };
        return Err(RerunError::NotFailed { status });
    };
    let mut found = None;
    fold::follow(original.compiled, original.events, &mut |event, state| {
        if found.is_none()
            && let Some(Ending::Abort { error, reason, .. }) = &state.ending
            && let Some((path, step)) = place(event)
        {
            let error = plain(error, reason.as_deref());
            found = Some(Failed { step: named(path, step), item: item(event), error });
        }
    })?;
    found.ok_or_else(|| RerunError::NoFailedCall { step: end.failed_step_id.clone() })
}

/// An error without the word on why nothing more was done about it: that is to be decided anew.
fn plain(error: &Arc<ErrorPayload>, reason: Option<&str>) -> Arc<ErrorPayload> {
    let told = error.details.as_ref().and_then(|details| details.get("reason")).and_then(Value::as_str);
    if reason.is_none() || told != reason {
        return Arc::clone(error);
    }
    let mut error = (**error).clone();
    if let Some(details) = &mut error.details {
        details.shift_remove("reason");
    }
    Arc::new(error)
}

/// The call inside a container that failed it, and so on inwards. Where the log does not name one, the container is asked
/// about: it keeps the iterations that are done.
fn innermost(all: &[&RunEvent], mut failed: Failed) -> Failed {
    loop {
        let children = failed.error.details.as_ref().and_then(|details| details.get(CHILD_ERRORS));
        let Some(child) = children.and_then(Value::as_array).and_then(|children| children.first()) else {
            return failed;
        };
        let entered = all.iter().rposition(|event| {
            matches!(event.body, EventBody::StepStart(_))
                && event.body.origin().is_none()
                && is(event, &failed.step)
                && item(event) == failed.item
        });
        // The first to fail is the one that the others were cancelled for.
        let inner = all.iter().skip(entered.unwrap_or(0)).find_map(|event| {
            let EventBody::StepError(error) = &event.body else { return None };
            let (path, step) = place(event)?;
            let step = named(path, step);
            let within = belongs(event, &failed.step) && step != failed.step;
            (within && same(&error.error, child)).then(|| Failed {
                step,
                item: item(event),
                error: Arc::clone(&error.error),
            })
        });
        let Some(inner) = inner else { return failed };
        failed = inner;
    }
}

/// Whether a payload is the one that a container tells of.
fn same(error: &ErrorPayload, told: &Value) -> bool {
    let Ok(own) = serde_json::to_value(error) else { return false };
    ["code", "message", "originNode", "timestamp", "attempt"].iter().all(|name| own.get(name) == told.get(name))
}

fn is(event: &RunEvent, name: &str) -> bool {
    place(event).is_some_and(|(path, step)| named(path, step) == name)
}
