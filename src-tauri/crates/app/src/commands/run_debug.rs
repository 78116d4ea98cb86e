//! Looking into a run (ADR 33). What is asked is kept as an input of the run before it is answered: whichever process
//! drives the run acts on it, and one that nobody drives goes on here.

use crate::Caller;
use crate::app::App;
use crate::dto::Via;
use crate::dto::{Empty, RunBreakpoints, RunDebug, RunEditInput, RunId, RunInputEdited, WaitingCall};
use crate::error::{ApiError, ApiResult, Class};
use crate::runs::debugging::checked;
use crate::workflows::number_literals::as_recorded;
use serde_json::json;
use signalbox_engine::debug::{EditRefused, Place, Waiting, edit, waiting};
use signalbox_engine::{Compiled, RunState};
use signalbox_model::debug::DebugRequest;

/// The run as the store has it now.
fn state(app: &App, run_id: &str) -> ApiResult<(Compiled, RunState)> {
    let row = app.store.run(run_id)?;
    if row.ended_ms.is_some() {
        let message = format!("Run {run_id} is {}; it begins no call any more.", row.status.as_str());
        return Err(ApiError::new(Class::Conflict, "RUN_ENDED", message, "Start the workflow again, or re-run it."));
    }
    let compiled = app.compiled_of(&row)?;
    let state = signalbox_runtime::state(&app.store, &compiled, &row)?;
    Ok((compiled, state))
}

fn not_stopped(run_id: &str) -> ApiError {
    let message = format!("Run {run_id} is not stopped.");
    ApiError::new(Class::Conflict, "NOT_STOPPED", message, "Pause it first, or set a breakpoint.")
}

fn ask(app: &App, caller: &Caller, run_id: &str, request: &DebugRequest) -> ApiResult<()> {
    // Another process may have changed the grants.
    app.grants_changed()?;
    app.wait_for(app.runtime.debug(run_id, request, &caller.principal))??;
    Ok(())
}

pub(crate) fn run_debug(app: &App, _: &Caller, request: RunId) -> ApiResult<RunDebug> {
    let (compiled, state) = state(app, &request.run_id)?;
    let waiting = waiting(&compiled, &state).into_iter().map(|one| WaitingCall {
        step_id: one.step_id,
        path: one.path,
        item: one.item,
        attempt: one.attempt,
        input: one.input,
        schema: one.schema,
        editable: one.editable,
    });
    Ok(RunDebug {
        status: state.status(),
        stopped: state.stopped().cloned(),
        under_way: state.under_way(),
        breakpoints: state.breakpoints().to_vec(),
        waiting: waiting.collect(),
    })
}

pub(crate) fn run_breakpoints(app: &App, caller: &Caller, request: RunBreakpoints) -> ApiResult<Empty> {
    let (compiled, _) = state(app, &request.run_id)?;
    checked(&compiled, &request.breakpoints)?;
    ask(app, caller, &request.run_id, &DebugRequest::Breakpoints { breakpoints: request.breakpoints })?;
    Ok(Empty {})
}

pub(crate) fn run_pause(app: &App, caller: &Caller, request: RunId) -> ApiResult<Empty> {
    // What is paused twice is paused.
    state(app, &request.run_id)?;
    ask(app, caller, &request.run_id, &DebugRequest::Pause)?;
    Ok(Empty {})
}

pub(crate) fn run_continue(app: &App, caller: &Caller, request: RunId) -> ApiResult<Empty> {
    onward(app, caller, &request.run_id, &DebugRequest::Continue)
}

pub(crate) fn run_step(app: &App, caller: &Caller, request: RunId) -> ApiResult<Empty> {
    onward(app, caller, &request.run_id, &DebugRequest::Step)
}

fn onward(app: &App, caller: &Caller, run_id: &str, request: &DebugRequest) -> ApiResult<Empty> {
    let (_, state) = state(app, run_id)?;
    if state.stopped().is_none() {
        return Err(not_stopped(run_id));
    }
    ask(app, caller, run_id, request)?;
    Ok(Empty {})
}

pub(crate) fn run_edit_input(app: &App, caller: &Caller, request: RunEditInput) -> ApiResult<RunInputEdited> {
    let RunEditInput { run_id, step_id, path, item, input, check } = request;
    let (compiled, state) = state(app, &run_id)?;
    let place = Place { step: &step_id, path: path.as_deref(), item };
    let same =
        |one: &&Waiting| one.step_id == step_id && one.path == path && one.item.unwrap_or(0) == item.unwrap_or(0);
    let input = match waiting(&compiled, &state).iter().find(same) {
        Some(call) => as_recorded(&call.input, input),
        None => input,
    };
    let wrong = |class, code, message: String, hint: &str| Err(ApiError::new(class, code, message, hint));
    let patch = match edit(&compiled, &state, place, &input) {
        Ok(edit) => edit.patch,
        Err(EditRefused::NotStopped) => return Err(not_stopped(&run_id)),
        Err(EditRefused::NotWaiting) => {
            let message = format!("No call of '{step_id}' waits there.");
            let hint = match caller.via {
                Via::App => "Choose a call that waits; others have begun since.".to_owned(),
                Via::Cli => format!(
                    "`signalbox runs waiting {run_id}` shows which calls wait; name the path and the item where there are any."
                ),
                Via::Rest | Via::Destination => {
                    "Ask which calls wait (run_debug); name the path and the item where there are any.".to_owned()
                }
            };
            return wrong(Class::Conflict, "NOT_WAITING", message, &hint);
        }
        Err(EditRefused::NotEditable) => {
            let message = format!("'{step_id}' works on an error, not on an input.");
            return wrong(Class::Conflict, "NOT_EDITABLE", message, "Edit the input of the step that failed.");
        }
        Err(EditRefused::Shape(wanted)) => {
            let message = format!("The input of '{step_id}' must be {wanted}.");
            return wrong(Class::Invalid, "INPUT_INVALID", message, "Send the whole new input.");
        }
        Err(EditRefused::Invalid(violations)) => {
            let first = violations.first().map_or_else(String::new, |one| format!(": {}", one.told()));
            let message = format!("The input does not fit '{step_id}'{first}.");
            let error = ApiError::new(Class::Invalid, "INPUT_INVALID", message, "Change it so that it fits.");
            return Err(error.with(json!({ "violations": violations })));
        }
    };
    if !check && !patch.is_empty() {
        ask(app, caller, &run_id, &DebugRequest::Edit { step: step_id, path, item, input })?;
    }
    Ok(RunInputEdited { patch })
}
