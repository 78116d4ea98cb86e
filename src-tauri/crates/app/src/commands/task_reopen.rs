//! Re-opening an ended task: its history stays as it is, a new run asks the same again (UX D2.15).

use super::run_rerun::asking;
use super::task::text;
use crate::Caller;
use crate::app::App;
use crate::dto::{TaskReopen, TaskReopened};
use crate::error::{ApiError, ApiResult, Class};
use crate::runs::masked_views::no_reason;
use crate::tasks::answer;
use serde_json::json;
use signalbox_engine::rerun::Reopen;
use signalbox_model::{TaskState, base::named};
use signalbox_runtime::Person;
use signalbox_store::StoreError;

pub(crate) fn task_reopen(app: &App, caller: &Caller, request: TaskReopen) -> ApiResult<TaskReopened> {
    let reason = text(Some(request.reason), "reason")?.ok_or_else(no_reason)?;
    let row = app.store.task(&request.task_id)?.ok_or_else(|| answer::unknown(&request.task_id))?;
    let conflict = |code: &str, message: String, hint: &str| ApiError::new(Class::Conflict, code, message, hint);
    match row.state {
        TaskState::Open => {
            let message = "This task is open: it waits for an answer.".to_owned();
            return Err(conflict("STILL_OPEN", message, "Answer it."));
        }
        TaskState::Superseded => {
            let message = "A newer run asks this task again already.".to_owned();
            return Err(conflict("CLOSED", message, "Look at the re-runs of its run, and answer the task there."));
        }
        TaskState::Done | TaskState::Expired | TaskState::Cancelled => {}
    }
    if let Some(run) = app.store.task_reopening(&row)? {
        return Err(StoreError::TaskReopened { task: row.id, run }.into());
    }
    let told = json!({ "taskId": row.id, "reason": reason });
    let from = named(row.path.as_deref(), &row.node);
    let person = Person::Reopen(Reopen { task_id: row.id.clone(), reason, by: caller.principal.clone() });
    let again = asking(app, caller, row.run_id, from, person, told)?;
    let run_id = app.wait_for(app.runtime.rerun(again))??;
    let status = app.store.run(&run_id)?.status;
    let record = answer::record(app, &row.id)?;
    let new_task_id = record.reopened_as.filter(|(run, _)| *run == run_id).and_then(|(_, task)| task);
    Ok(TaskReopened { task_id: row.id, run_id, status, new_task_id })
}
