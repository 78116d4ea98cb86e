//! Runs: start, follow, cancel, history.

use crate::Caller;
use crate::app::App;
use crate::commands::task::text;
use crate::dto::{
    CallerRole, Empty, Events, RunDetails, RunEventsAfter, RunId, RunList, RunPage, RunPathPage, RunPaths, RunReveal,
    RunRevealed, RunStart, RunStarted, RunTrouble, Steps, TaskLink, ValueRef,
};
use crate::error::{ApiError, ApiResult};
use crate::response::{Written, not_json};
use crate::runs::masked_views::no_reason;
use crate::runs::new_run::NewRun;
use crate::runs::start_key::StartKey;
use crate::runs::summary::{self, Places};
use crate::tasks::answer;
use crate::workflows::check;
use crate::workflows::library::load;
use serde_json::{Value, json};
use signalbox_engine::connector;
use signalbox_model::base::{Foreign, named};
use signalbox_model::{AuditEvent, EventBody, Node, NodeState, RunEvent, RunStatus, time, wire};
use signalbox_runtime::PINNED_FILES;
use signalbox_store::audit::Level;
use signalbox_store::{RunQuery, RunRow};
use std::collections::BTreeSet;

/// Events of one answer.
const PAGE: u32 = 1_000;
/// Kept steps of one answer.
const KEPT: usize = 10_000;
/// It takes no longer to hand a run over when nothing is in the way.
const HAND_OVER_MS: i64 = 2_000;

pub(crate) fn run_start(app: &App, caller: &Caller, request: RunStart) -> ApiResult<RunStarted> {
    let key = request.idempotency_key.map(|key| StartKey::new(caller, &key)).transpose()?;
    let new = NewRun {
        params: request.params,
        origin: caller.origin(request.client_run_token),
        breakpoints: request.breakpoints,
        paused: request.paused,
        until: request.until,
        pinned: request.pinned,
        faults: request.faults,
        checkpoint: request.checkpoint,
        overrides: request.overrides,
        key,
        ..NewRun::default()
    };
    if new.is_for_builders() {
        caller.require(CallerRole::Builder)?;
    }
    if request.document.is_some() {
        // Who may only operate runs what is stored, not what they send.
        caller.require(CallerRole::Builder)?;
    }
    let key = new.run_key(&json!({ "document": request.document, "ref": request.reference }));
    if let Some(before) = app.started_before(key.as_ref())? {
        return Ok(before.into());
    }
    let file = request.reference.map(|reference| app.path_of(&reference)).transpose()?;
    let document = match (request.document, &file) {
        (Some(document), _) => document,
        (None, Some(file)) => check::readable(&load(file)?.bytes)?.0,
        (None, None) => {
            return Err(ApiError::bad_request("A run needs `document` or `ref`.", "Send one of the two, or both."));
        }
    };
    Ok(app.start_document(document, file.as_deref(), new, key)?.into())
}

/// The whole input and the pinned definition, neither masked nor cut on the way through a screen; so who may run what is
/// stored may run this, too.
pub(crate) fn run_again(app: &App, caller: &Caller, request: RunId) -> ApiResult<RunStarted> {
    let new = NewRun { origin: caller.origin(None), ..NewRun::default() };
    Ok(app.start_again(&request.run_id, new)?.into())
}

pub(crate) fn run_list(app: &App, caller: &Caller, request: RunList) -> ApiResult<RunPage> {
    let limit = super::page_size(request.limit, 50, 500)?;
    let page = app.store.runs(&RunQuery {
        workflow: request.workflow,
        status: request.status,
        text: request.text,
        parent: request.parent,
        workspaces: match (caller.listed_workspaces(), request.workspace) {
            (Some(listed), Some(one)) => Some(listed.into_iter().filter(|name| *name == one).collect()),
            (None, Some(one)) => Some(vec![one]),
            (listed, None) => listed,
        },
        limit,
        before: request.before,
    })?;
    let places = Places::default();
    let runs = page.runs.into_iter().map(|row| summary::row(app, caller, &places, row)).collect::<ApiResult<_>>()?;
    Ok(RunPage { runs, next: page.next })
}

pub(crate) fn run_get(app: &App, caller: &Caller, request: RunId) -> ApiResult<Written<RunDetails>> {
    let (mut summary, steps) = app.summary_and_steps(caller, &request.run_id)?;
    // After the summary: a run that has ended says how many events it has in all.
    let row = app.store.run(&request.run_id)?;
    summary::wire_summary(&mut summary);
    let start = app.start_for(caller, &request.run_id)?;
    let params = start["params"].clone();
    let begins_inside = start["resumedFrom"].is_string();
    let kept = if begins_inside { kept_steps(app, &request.run_id, &steps)? } else { Vec::new() };
    let masked = app.masks(caller, &request.run_id);
    let trouble = app.trouble(&request.run_id).map(|(code, message)| {
        let message = if masked { answer::plain(&message) } else { message };
        RunTrouble { code, message }
    });
    let place = Places::default().of(app, &row);
    let waits_for_worker = place.filter(|_| row.status != RunStatus::Queued);
    let trouble = trouble.or_else(|| waits_for_worker.and_then(|_| waits_long(app, &row)));
    let sent = if row.status == RunStatus::Failed { app.store.run_sent(&request.run_id)? } else { None };
    let sent_as = sent.map(|(run_id, task_id)| TaskLink { run_id, task_id });
    let details = RunDetails {
        definition: (),
        summary,
        steps,
        workflow_name: row.workflow_name.clone(),
        last_seq: row.last_seq,
        place,
        params: wire::truncate(&params, &format!("{}/1/payload/params", request.run_id)).unwrap_or(params),
        // Between two looks a worker has taken it.
        driven: app.store.drives(&row)
            || row.handed_to.is_some() && waits_for_worker.is_none() && row.status == RunStatus::Running,
        trouble,
        resumed_from: start["resumedFrom"].as_str().map(str::to_owned),
        kept,
        sent_as,
        masked,
        may_reveal: masked && caller.role >= CallerRole::Operator,
    };
    let definition = definition_text(app, caller, &row)?;
    let text = serde_json::to_string(&details).map_err(|error| not_json(&error))?;
    Ok(Written::new(text.replacen("null", &definition, 1)))
}

/// A run waits for a worker, longer than it takes to hand it over.
fn waits_long(app: &App, row: &RunRow) -> Option<RunTrouble> {
    let message = app.runtime.hand_over_trouble().unwrap_or_default();
    let is_long = app.now_ms() - row.started_ms >= HAND_OVER_MS;
    (is_long || !message.is_empty()).then(|| RunTrouble { code: "WAITS_FOR_WORKER".into(), message })
}

/// The definition of a run as a caller may see it; `null` when it is lost: the run still has its events.
fn definition_text(app: &App, caller: &Caller, row: &RunRow) -> ApiResult<String> {
    if caller.role >= CallerRole::Builder
        && let Some(text) = app.store.definition_get(&row.definition_hash)?
        // Beside the hashes of its sub-workflows and its connectors it is stored as it is shown.
        && !text.contains(PINNED_FILES)
        && !text.contains(connector::PINNED)
    {
        return Ok(text);
    }
    let definition = app.pinned(row)?.map(|workflow| json!(workflow)).unwrap_or_default();
    Ok(app.file_for(caller, definition).to_string())
}

/// Steps whose result a re-run has from its original, in a container with their paths, the outer ones first.
fn kept_steps(app: &App, run_id: &str, steps: &Steps) -> ApiResult<Vec<String>> {
    let Some(RunEvent { body: EventBody::WorkflowStart(start), .. }) = app.store.event(run_id, 1)? else {
        return Ok(Vec::new());
    };
    let base = start.base.unwrap_or_default();
    let begun = base.begun.last().map(|begun| begun.step.as_str()).unwrap_or_default();
    let begun = base.asks.as_ref().map_or(begun, |asks| asks.origin.as_deref().unwrap_or(&asks.step));
    let begun = base.sent.as_ref().map_or(begun, |sent| &sent.step);
    // Containers around the step where the run began go on, and a step that is decided about again has no result yet.
    let around =
        |name: &str| begun.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '[']));
    let names = base.events.iter().filter_map(|event| Some(named(event.path.as_deref(), event.step_id.as_deref()?)));
    // What the checkpoint calls completed may run here all the same, in a step that goes on.
    let stands =
        |id: &&String| steps.get(*id).is_some_and(|step| step.state == NodeState::Succeeded && step.visits == 0);
    let elsewhere = base.foreign.iter().flat_map(|foreign| foreign.completed.iter().filter(stands));
    let names = names.chain(elsewhere.cloned()).chain(ended_elsewhere(app, run_id, base.foreign.as_deref())?);
    let mut names: Vec<String> = names.filter(|name| !around(name)).collect::<BTreeSet<_>>().into_iter().collect();
    names.sort_by_key(|name| name.matches('/').count());
    names.truncate(KEPT);
    Ok(names)
}

/// Steps of iterations that ended in another program, as far as its checkpoint tells.
fn ended_elsewhere(app: &App, run_id: &str, known: Option<&Foreign>) -> ApiResult<Vec<String>> {
    let Some(known) = known.filter(|known| known.iterations > 0 || !known.ended.is_empty()) else {
        return Ok(Vec::new());
    };
    let Some(workflow) = app.pinned(&app.store.run(run_id)?)? else { return Ok(Vec::new()) };
    let inside = |node: &Node| node.parent.as_ref() == Some(&known.step);
    let body: Vec<&String> = workflow.nodes.iter().filter(|(_, node)| inside(node)).map(|(id, _)| id).collect();
    let ended = (0..known.iterations).chain(known.ended.iter().copied());
    let names = ended.flat_map(|index| body.iter().map(move |id| format!("{}[{index}]/{id}", known.step)));
    Ok(names.take(KEPT).collect())
}

pub(crate) fn run_events(app: &App, caller: &Caller, request: RunEventsAfter) -> ApiResult<Written<Events>> {
    let masked = app.masks(caller, &request.run_id);
    let limit = super::page_size(request.limit, PAGE, PAGE)?;
    let events = match request.path.as_deref() {
        None => app.store.events(&request.run_id, request.after, limit)?,
        Some("") => {
            let hint = "Send a path such as `each[3]`, or leave `path` out for all events.";
            return Err(ApiError::bad_request("`path` is empty, which is no iteration or branch.", hint));
        }
        Some(path) => app.store.events_inside(&request.run_id, path, request.after, limit)?,
    };
    Ok(Written::new(wire::list_text(&app.wire_events(masked, &request.run_id, &events)?)))
}

pub(crate) fn run_paths(app: &App, _: &Caller, request: RunPaths) -> ApiResult<RunPathPage> {
    app.paths(&request.run_id, request.after.unwrap_or_default())
}

/// `<runId>/<seq>/<pointer>` into an event, `<runId>/summary/<pointer>` or `<runId>/definition/<pointer>`.
pub(crate) fn run_value(app: &App, caller: &Caller, request: ValueRef) -> ApiResult<Value> {
    let unknown = || ApiError::not_found("There is no value; load the run again.");
    let (run, rest) = request.reference.split_once('/').ok_or_else(unknown)?;
    let (place, pointer) = rest.split_once('/').ok_or_else(unknown)?;
    let whole = if place == "summary" {
        app.summary_for(caller, run)?
    } else if place == "definition" {
        let definition = app.pinned(&app.store.run(run)?)?.map(|workflow| json!(workflow));
        app.file_for(caller, definition.unwrap_or_default())
    } else {
        let seq: u64 = place.parse().map_err(|_| unknown())?;
        let event = app.store.event(run, seq)?.ok_or_else(unknown)?;
        let kept = kept_event(&event, pointer).filter(|_| app.masks(caller, run));
        if let Some((kept, inner)) = kept {
            let seen = app.masked_kept(run, std::slice::from_ref(kept))?.pop().unwrap_or_default();
            return seen.pointer(&format!("/{inner}")).cloned().ok_or_else(unknown);
        }
        app.events_for(caller, run, &[event])?.pop().unwrap_or_default()
    };
    whole.pointer(&format!("/{pointer}")).cloned().ok_or_else(unknown)
}

/// The event that a re-run has of its original at a pointer into its first one, and the pointer into that.
fn kept_event<'a>(event: &'a RunEvent, pointer: &'a str) -> Option<(&'a RunEvent, &'a str)> {
    let EventBody::WorkflowStart(start) = &event.body else { return None };
    let (index, inner) = pointer.strip_prefix("payload/base/events/")?.split_once('/')?;
    Some((start.base.as_ref()?.events.get(index.parse::<usize>().ok()?)?, inner))
}

/// TS-052 for runs: the reason is recorded, then the caller sees the run as it is for a while.
pub(crate) fn run_reveal(app: &App, caller: &Caller, request: RunReveal) -> ApiResult<RunRevealed> {
    let reason = text(Some(request.reason), "reason")?.ok_or_else(no_reason)?;
    app.store.run(&request.run_id)?;
    let mut record =
        app.fact(AuditEvent::Revealed, Level::Info, caller.actor(), caller.signed(json!({ "reason": reason })));
    record.run_id.clone_from(&request.run_id);
    app.store.audit_append(record, None, true)?;
    Ok(RunRevealed { until: time::format(app.reveal_run(caller, &request.run_id)) })
}

pub(crate) fn run_cancel(app: &App, caller: &Caller, request: RunId) -> ApiResult<Empty> {
    app.cancel(caller, &request.run_id)?;
    Ok(Empty {})
}

pub(crate) fn run_delete(app: &App, caller: &Caller, request: RunId) -> ApiResult<Empty> {
    app.wait_for(app.runtime.delete(&request.run_id, caller.actor()))??;
    Ok(Empty {})
}

pub(crate) fn run_resume(app: &App, _: &Caller, request: RunId) -> ApiResult<Empty> {
    app.resume_one(&request.run_id)?;
    Ok(Empty {})
}
