//! Sending a failed run to the inbox: a new run keeps what the failed one did and asks a person about the call that failed
//! it (ADR 58). Who asks twice is told where the question stands.

use super::run_rerun::asking;
use super::task::text;
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{RunSend, RunSent};
use crate::error::{ApiError, ApiResult, Class};
use serde_json::json;
use signalbox_engine::rerun::Send;
use signalbox_model::RunStatus;
use signalbox_runtime::{Error, Person};
use signalbox_store::StoreError;

pub(crate) fn run_send(app: &App, caller: &Caller, request: RunSend) -> ApiResult<RunSent> {
    let reason = text(request.reason, "reason")?;
    let row = app.store.run(&request.run_id)?;
    if row.status != RunStatus::Failed {
        return Err(not_failed(row.status));
    }
    if let Some(sent) = sent(app, &row.run_id, true)? {
        return Ok(sent);
    }
    let told = json!({ "reason": reason });
    let from = row.failed_step.clone().unwrap_or_default();
    let person = Person::Send(Send { reason, by: caller.principal.clone() });
    let again = asking(app, caller, row.run_id.clone(), from, person, told)?;
    let sent_run_id = match app.wait_for(app.runtime.rerun(again))? {
        Ok(run) => run,
        // Somebody was faster between the look and the commit.
        Err(Error::Store(StoreError::RunSent { run, by })) => {
            return sent(app, &run, true)?.ok_or_else(|| StoreError::RunSent { run, by }.into());
        }
        Err(error) => return Err(error.into()),
    };
    let status = app.store.run(&sent_run_id)?.status;
    let task_id = app.store.run_sent(&row.run_id)?.filter(|(run, _)| *run == sent_run_id).and_then(|(_, task)| task);
    Ok(RunSent { run_id: row.run_id, sent_run_id, status, task_id, already: false })
}

fn sent(app: &App, run_id: &str, already: bool) -> ApiResult<Option<RunSent>> {
    let Some((sent_run_id, task_id)) = app.store.run_sent(run_id)? else { return Ok(None) };
    let status = app.store.run(&sent_run_id)?.status;
    Ok(Some(RunSent { run_id: run_id.to_owned(), sent_run_id, status, task_id, already }))
}

fn not_failed(status: RunStatus) -> ApiError {
    let (message, hint) = match status {
        RunStatus::Completed => {
            ("The run has not failed: it ended well.", "Re-run it from a step to do something again.")
        }
        RunStatus::Cancelled => ("The run has not failed: it was cancelled.", "Re-run it from a step to continue it."),
        RunStatus::Paused => ("The run has not failed: it waits.", "Look for its task in the inbox, or continue it."),
        RunStatus::Created | RunStatus::Queued | RunStatus::Running | RunStatus::Failed => {
            ("The run has not failed: it is under way.", "Wait for its end, or cancel it.")
        }
    };
    ApiError::new(Class::Conflict, "NOT_FAILED", message, hint)
}
