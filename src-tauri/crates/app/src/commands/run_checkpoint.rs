//! Where a run stands: our own checkpoint, and the shapes of source 003 (R-44, R-46, C-01 to C-04).

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{
    CallerRole, Checkpoint, CheckpointMeta, CheckpointOf, PausedAt, RunId, WorkflowCheckpoint, WorkflowSnapshot,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::response::not_json;
use serde_json::{Value, json};
use signalbox_engine::exported_checkpoint::{self, SeveralSteps, Trail};
use signalbox_engine::{Compiled, RunState, checkpoint, fold, summary};
use signalbox_model::base::parted;
use signalbox_model::event::Telemetry;
use signalbox_model::{EventBody, Map, RunStatus, time};
use signalbox_store::RunRow;

/// Events of one read.
const PAGE: usize = 500;
/// And none after those that take so many bytes.
const PAGE_BYTES: usize = 1024 * 1024;
/// Artifacts that a snapshot lists.
const LISTED: usize = 1_000;

/// A run, folded up to an event.
struct Folded {
    compiled: Compiled,
    state: RunState,
    trail: Trail,
    /// Path → the event that says that the file was written.
    artifacts: Vec<(String, u64)>,
}

fn folded(app: &App, row: &RunRow, at: Option<u64>) -> ApiResult<Folded> {
    let at = at.unwrap_or(row.last_seq);
    if at > row.last_seq || at == 0 {
        let message = format!("Run {} has the events 1 to {}; there is no event {at}.", row.run_id, row.last_seq);
        return Err(ApiError::bad_request(message, "Name one of its events."));
    }
    let compiled = app.compiled_of(row)?;
    let mut state = RunState::new(&compiled, &row.run_id, row.client_run_token.clone())
        .in_trace(row.trace.as_ref().map(|trace| trace.trace_id.as_str()));
    let (mut trail, mut artifacts) = (Trail::default(), Vec::new());
    while state.last_seq() < at {
        let page = app.store.event_page(&row.run_id, state.last_seq(), PAGE, PAGE_BYTES)?.events;
        if page.is_empty() {
            break;
        }
        for event in page.iter().take_while(|event| event.seq.is_some_and(|seq| seq <= at)) {
            fold(&compiled, &mut state, event)
                .map_err(|error| crate::runs::lifecycle::damaged(&row.run_id, &error.to_string()))?;
            trail.note(event);
            if let EventBody::Telemetry(Telemetry::FileDone(file)) = &event.body
                && file.granted.is_none()
            {
                artifacts.retain(|(path, _)| path != &file.path);
                artifacts.push((file.path.clone(), event.seq.unwrap_or_default()));
            }
        }
    }
    Ok(Folded { compiled, state, trail, artifacts })
}

pub(crate) fn run_checkpoint(app: &App, caller: &Caller, request: CheckpointOf) -> ApiResult<Checkpoint> {
    let row = app.store.run(&request.run_id)?;
    let Folded { compiled, state, artifacts, .. } = folded(app, &row, request.at)?;
    let told = summary::without_output(&compiled, &state);
    let standing = checkpoint::of(&compiled, &state);
    let mut data = json!({ "params": **state.params(), "variables": told.context });
    if app.masks(caller, &row.run_id) {
        data = app.with_masks(&row.run_id, row.last_seq, |masks| masks.data(&data))?;
    }
    Ok(Checkpoint {
        kind: "signalbox_checkpoint".into(),
        format: 1,
        run_id: row.run_id,
        workflow_id: row.workflow_id,
        version: row.definition_hash,
        status: told.status,
        event_seq: state.last_seq(),
        created_at: time::format(state.last_ms()),
        current_step_id: standing.current,
        params: data["params"].take(),
        variables: data["variables"].take(),
        completed_steps: standing.completed,
        completed_branches: standing.branches,
        loop_progress: standing.iterations,
        artifacts: artifacts.into_iter().map(|(path, _)| path).collect(),
        meta: CheckpointMeta { start_time: told.started_at, last_node: state.last_node().map(str::to_owned) },
        open_tasks: told.open_tasks,
        parent_run_id: row.parent_run_id,
    })
}

/// The checkpoint as source 003 writes it. Another run begins at it with the values that are in it, so they are never masked.
pub(crate) fn run_checkpoint_vl(app: &App, caller: &Caller, request: CheckpointOf) -> ApiResult<WorkflowCheckpoint> {
    let row = app.store.run(&request.run_id)?;
    if app.masks(caller, &row.run_id) {
        return Err(ApiError::forbidden(
            "This checkpoint is for starting another run, and its values are masked for you.",
            "Ask a builder for it, or reveal the run first; the snapshot shows where it stands.",
        ));
    }
    if row.last_seq == 0 {
        return Err(ApiError::new(
            Class::NotFound,
            "NO_CHECKPOINT",
            "no checkpoint",
            "The run waits in the queue of its workflow: ask again when it has started.",
        ));
    }
    let Folded { compiled, state, trail, artifacts } = folded(app, &row, request.at)?;
    let exported = exported_checkpoint::of(&compiled, &state, &trail).map_err(several)?;
    let place = |(path, seq): (String, u64)| (path, Value::from(format!("/workflow/{}/files/{seq}", row.run_id)));
    let artifacts: Map = artifacts.into_iter().map(place).collect();
    let all = exported_checkpoint::checkpoint(&compiled, &state, &exported, &artifacts);
    serde_json::from_value(all).map_err(|error| not_json(&error))
}

fn several(refused: SeveralSteps) -> ApiError {
    ApiError::new(
        Class::Conflict,
        "SEVERAL_STEPS",
        format!("{refused}. A checkpoint of this form names one step."),
        "Ask again when fewer steps are under way, or continue the run here: `signalbox resume`.",
    )
}

/// The run as `WorkflowSnapshot` of source 003.
pub(crate) fn run_snapshot(app: &App, caller: &Caller, request: RunId) -> ApiResult<WorkflowSnapshot> {
    let row = app.store.run(&request.run_id)?;
    let compiled = app.compiled_of(&row)?;
    let state = signalbox_runtime::state(&app.store, &compiled, &row)?;
    let (exported, standing) =
        (exported_checkpoint::of(&compiled, &state, &Trail::default()), checkpoint::of(&compiled, &state));
    let result = exported.ok().and_then(|exported| exported.result);
    // Masks know variables by their own names.
    let context = exported_checkpoint::context(&state);
    let mut data = json!({ "params": **state.params(), "variables": context, "result": result });
    if app.masks(caller, &row.run_id) {
        data = app.with_masks(&row.run_id, row.last_seq, |masks| masks.data(&data))?;
    }
    let mut artifacts = Vec::new();
    for event in app.store.newest_events_of_type(&row.run_id, "file_done", LISTED)? {
        if let EventBody::Telemetry(Telemetry::FileDone(file)) = event.body
            && file.granted.is_none()
            && !artifacts.contains(&file.path)
        {
            artifacts.push(file.path);
        }
    }
    artifacts.reverse();
    let status = if row.status == RunStatus::Queued { row.status } else { state.status() };
    let until = if state.status().is_terminal() { state.last_ms() } else { app.now_ms() };
    let failed = || summary::without_output(&compiled, &state).failed_step_id;
    let current = standing.current.or_else(|| if status == RunStatus::Failed { failed() } else { None });
    let mut whole = |name: &str| data[name].as_object_mut().map(std::mem::take).unwrap_or_default();
    let (params, context) = (whole("params"), whole("variables"));
    let result = result.map(|_| data["result"].take());
    let (variables, local_vars) = exported_checkpoint::variables(context, result);
    Ok(WorkflowSnapshot {
        status: exported_checkpoint::status(status, exported_checkpoint::is_stopped(&state)).to_owned(),
        // The source names steps, not places in containers.
        current_step_id: current.map(|name| parted(&name).1.to_owned()),
        elapsed_ms: u64::try_from(until - row.started_ms).unwrap_or_default(),
        params,
        variables,
        local_vars,
        artifacts,
        paused: paused(app, caller, &row.run_id)?,
        event_seq: state.last_seq(),
        version: exported_checkpoint::SPEC.to_owned(),
        run_id: row.run_id,
    })
}

/// The first task that waits for a person, with the token that `POST /workflow/{id}/resume` takes: for those who may answer.
fn paused(app: &App, caller: &Caller, run_id: &str) -> ApiResult<Option<PausedAt>> {
    let Some(task) = app.store.open_tasks_of(run_id)?.into_iter().next() else { return Ok(None) };
    let Some(row) = app.store.task(&task)? else { return Ok(None) };
    let token = if caller.role >= CallerRole::Operator { app.tokens.of(app, &task, row.revision)? } else { None };
    Ok(Some(PausedAt { node_id: row.step, token: token.unwrap_or_default() }))
}
