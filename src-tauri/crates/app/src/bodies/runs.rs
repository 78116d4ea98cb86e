//! Runs: start, follow, cancel, history.

use crate::app::{App, NewRun};
use crate::dto::{
    CallerRole, Empty, Events, RunDetails, RunEventsAfter, RunId, RunList, RunPage, RunStart, RunTrouble, ValueRef,
};
use crate::error::{ApiError, ApiResult};
use crate::library::load;
use crate::{Caller, check, runs};
use serde_json::Value;
use signalbox_model::wire;
use signalbox_store::RunQuery;

/// Events of one answer.
const PAGE: usize = 1_000;

pub(crate) fn run_start(app: &App, caller: &Caller, request: RunStart) -> ApiResult<RunId> {
    let document = match (request.document, request.reference) {
        (Some(document), None) => {
            // Who may only operate runs what is stored, not what they send.
            caller.require(CallerRole::Builder)?;
            document
        }
        (None, Some(reference)) => check::readable(&load(&app.path_of(&reference)?)?.bytes)?.0,
        _ => return Err(ApiError::bad_request("A run needs either `document` or `ref`.", "Send one of the two.")),
    };
    let new = NewRun {
        params: request.params,
        client_run_token: request.client_run_token,
        started_by: (!caller.here).then(|| "rest".to_owned()),
        ..NewRun::default()
    };
    Ok(RunId { run_id: app.start_document(document, new)? })
}

pub(crate) fn run_list(app: &App, _: &Caller, request: RunList) -> ApiResult<RunPage> {
    let limit = request.limit.unwrap_or(50).clamp(1, 500) as usize;
    let page = app.store.runs(&RunQuery {
        workflow: request.workflow,
        status: request.status,
        text: request.text,
        limit,
        before: request.before,
    })?;
    let now = app.now_ms();
    Ok(RunPage { runs: page.runs.into_iter().map(|row| runs::row(row, now)).collect(), next: page.next })
}

pub(crate) fn run_get(app: &App, _: &Caller, request: RunId) -> ApiResult<RunDetails> {
    let row = app.store.run(&request.run_id)?;
    let mut summary = app.summary_now(&request.run_id)?;
    runs::wire_summary(&mut summary);
    let definition = app.store.definition_get(&row.definition_hash)?;
    let definition = definition.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let params = app.params_of(&request.run_id)?;
    Ok(RunDetails {
        summary,
        workflow_name: row.workflow_name,
        definition,
        last_seq: row.last_seq,
        params: wire::truncate(&params, &format!("{}/1/payload/params", request.run_id)).unwrap_or(params),
        driven: app.store.is_driven(&request.run_id)?,
        trouble: app.trouble(&request.run_id).map(|(code, message)| RunTrouble { code, message }),
    })
}

pub(crate) fn run_events(app: &App, _: &Caller, request: RunEventsAfter) -> ApiResult<Events> {
    let limit = request.limit.map_or(PAGE, |limit| limit as usize).clamp(1, PAGE);
    let events = app.store.events(&request.run_id, request.after, limit)?;
    Ok(Events(events.iter().map(runs::wire_event).collect()))
}

/// `<runId>/<seq>/<pointer>` into an event, or `<runId>/summary/<pointer>`.
pub(crate) fn run_value(app: &App, _: &Caller, request: ValueRef) -> ApiResult<Value> {
    let unknown = || ApiError::not_found("No value stands there; load the run again.");
    let (run, rest) = request.reference.split_once('/').ok_or_else(unknown)?;
    let (place, pointer) = rest.split_once('/').ok_or_else(unknown)?;
    let whole = if place == "summary" {
        app.summary_now(run)?
    } else {
        let seq: u64 = place.parse().map_err(|_| unknown())?;
        let event = app.store.event(run, seq)?.ok_or_else(unknown)?;
        serde_json::to_value(event).unwrap_or_default()
    };
    whole.pointer(&format!("/{pointer}")).cloned().ok_or_else(unknown)
}

pub(crate) fn run_cancel(app: &App, _: &Caller, request: RunId) -> ApiResult<Empty> {
    app.cancel(&request.run_id)?;
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
