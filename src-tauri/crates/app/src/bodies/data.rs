//! The last run's data beside the editor: input and output of a node, previews, names, retry drawings.

use crate::app::App;
use crate::dto::{
    ExpressionKind, ExpressionName, ExpressionNames, ExpressionPreview, Preview, RetryTimeline, RunStepData, StepData,
    TimelineStep,
};
use crate::error::ApiResult;
use crate::view::{MOST_EVENTS, NodeData, RunView, base_pointer};
use crate::{Caller, check, likely, place};
use serde_json::Value;
use signalbox_engine::agent;
use signalbox_engine::expr::{self, Expr, ExprError};
use signalbox_engine::retry;
use signalbox_engine::scope::Scope;
use signalbox_model::{EventBody, RunEvent, Workflow, time, wire};
use signalbox_store::RunQuery;
use std::collections::HashSet;
use std::sync::Arc;

/// Last calls of a step that are looked at for one of its own file.
const CALLS: usize = 64;
/// The event that a run begins with.
const FIRST: u64 = 1;

pub(crate) fn run_step_data(app: &App, caller: &Caller, request: RunStepData) -> ApiResult<Option<StepData>> {
    let (run, id) = (request.run_id.as_deref(), request.node_id.as_str());
    let call = app.store.last_called_step(&request.workflow_id, id, run)?;
    // A re-run may have the step from its original, without a call of its own.
    let Some(run_id) = call.as_ref().map(|call| call.run_id.as_str()).or(run) else { return Ok(None) };
    let row = app.store.run(run_id)?;
    let workflow = app.pinned(&row)?;
    let masked = app.masks(caller, run_id);
    let kept = if row.parent_run_id.is_some() { kept_events(app, run_id, id, masked)? } else { Vec::new() };
    let before = kept.iter().rev().map(|(_, event)| event.path.clone().unwrap_or_default());
    let Some(path) = path_of_step(app, run_id, workflow.as_ref(), id, request.path, before)? else { return Ok(None) };
    let own = app.store.events_of_step(run_id, &path, id, MOST_EVENTS)?;
    let mut node = NodeData::default();
    for event in app.seen_as(run_id, masked, own)? {
        node.take(&event, event.seq.unwrap_or_default(), "");
    }
    if node.is_empty() {
        let here = kept.iter().filter(|(_, event)| event.path.as_deref().unwrap_or_default() == path);
        here.for_each(|(place, event)| node.take(event, FIRST, place));
    }
    if node.is_empty() {
        return Ok(None);
    }
    Ok(Some(StepData {
        path: Some(path).filter(|path| !path.is_empty()),
        started_at: time::format(call.as_ref().map_or(row.started_ms, |call| call.started_ms)),
        input: node.input(run_id),
        output: node.output(run_id),
        error: node.error(run_id),
        config: node.config(run_id),
        run_id: run_id.to_owned(),
    }))
}

/// The path that was asked for, when the step can be there; else the last one where it was called, then those `before`. A
/// step of another file that has the same name is another step.
fn path_of_step(
    app: &App,
    run_id: &str,
    workflow: Option<&Workflow>,
    node: &str,
    wanted: Option<String>,
    before: impl Iterator<Item = String>,
) -> ApiResult<Option<String>> {
    let fits = |path: &String| workflow.is_none_or(|workflow| place::is_at(workflow, node, path));
    let called = match wanted {
        Some(path) => return Ok(Some(path).filter(fits)),
        None => app.store.paths_of_calls(run_id, node, CALLS)?,
    };
    Ok(called.into_iter().chain(before).find(fits))
}

/// What a re-run has of a step from its original, and where it stands in its first event. Who sees the run with masks
/// looks at the original.
fn kept_events(app: &App, run_id: &str, node: &str, masked: bool) -> ApiResult<Vec<(String, RunEvent)>> {
    let first = app.store.event(run_id, FIRST)?.into_iter().collect();
    let Some(EventBody::WorkflowStart(start)) = app.seen_as(run_id, masked, first)?.pop().map(|event| event.body)
    else {
        return Ok(Vec::new());
    };
    let all = start.base.map(|base| base.events).unwrap_or_default().into_iter().enumerate();
    let own = all.filter(|(_, event)| event.step_id.as_deref() == Some(node));
    Ok(own.map(|(index, event)| (base_pointer(index), event)).collect())
}

pub(crate) fn expression_preview(app: &App, caller: &Caller, request: ExpressionPreview) -> ApiResult<Preview> {
    let workflow = check::workflow(request.document)?;
    let found = data_for(app, caller, &workflow, &request.node_id, request.run_id.as_deref(), request.path)?;
    let Some((view, items)) = found else {
        // Without data the text can still be wrong.
        return Ok(match compile(&request.text, request.kind) {
            Ok(()) => Preview::NoData,
            Err(error) => failed(&error),
        });
    };
    let item_count = items.len();
    let item = request.item.unwrap_or(0).min(item_count.saturating_sub(1));
    let mut scope = view.scope(&workflow, &request.node_id, items, item);
    // `out` and `print` are previewed on what the step gave last.
    scope.locals.extend(view.result(&request.node_id, item).map(|result| ("_result", result)));
    Ok(match evaluate(&request.text, request.kind, &scope) {
        Ok(value) => Preview::Value {
            value: wire::truncate(&value, "").unwrap_or(value),
            item_count,
            item,
            run_label: format!("{} · {}", view.workflow_name, time::format(view.started_ms)),
            run_id: view.run_id.clone(),
        },
        Err(error) => failed(&error),
    })
}

fn compile(text: &str, kind: ExpressionKind) -> Result<(), ExprError> {
    match kind {
        ExpressionKind::Cel => Expr::compile(text).map(|_| ()),
        ExpressionKind::Value => {
            expr::value_refs(&Value::String(text.to_owned())).into_iter().try_for_each(|(_, found)| found.map(|_| ()))
        }
    }
}

fn evaluate(text: &str, kind: ExpressionKind, scope: &Scope) -> Result<Value, ExprError> {
    match kind {
        ExpressionKind::Cel => Expr::compile(text)?.eval(scope),
        ExpressionKind::Value => expr::value(&Value::String(text.to_owned()), scope),
    }
}

fn failed(error: &ExprError) -> Preview {
    Preview::Error { message: error.message.clone(), position: error.position }
}

pub(crate) fn expression_names(app: &App, caller: &Caller, request: ExpressionNames) -> ApiResult<Vec<ExpressionName>> {
    let workflow = check::workflow(request.document)?;
    let found = data_for(app, caller, &workflow, &request.node_id, request.run_id.as_deref(), request.path)?;
    let seen = found.map(|(view, items)| {
        let mut scope = view.scope(&workflow, &request.node_id, items, 0);
        scope.locals.extend(view.result(&request.node_id, 0).map(|result| ("_result", result)));
        expr::completions(&scope)
    });
    let seen = seen.unwrap_or_default();
    // What no run has shown yet comes out of the file.
    let known: HashSet<&str> = seen.iter().map(|found| found.label.as_str()).collect();
    let likely = expr::completions(&likely::scope(&workflow, &request.node_id));
    let likely = likely.into_iter().filter(|found| !known.contains(found.label.as_str())).map(|found| ExpressionName {
        label: found.label,
        value_type: if found.kind == "null" { String::new() } else { found.kind.to_owned() },
        detail: None,
        sample: None,
    });
    let likely: Vec<ExpressionName> = likely.collect();
    let values = seen.into_iter().map(|found| ExpressionName {
        label: found.label,
        value_type: found.kind.to_owned(),
        detail: None,
        sample: Some(Value::String(found.sample)),
    });
    let functions = expr::functions().into_iter().map(|found| ExpressionName {
        label: found.label,
        value_type: found.kind.to_owned(),
        detail: Some(found.sample),
        sample: None,
    });
    // A tool's answer as it came is kept with no step: what it always has is told.
    let calls = workflow.nodes.get(&request.node_id).is_some_and(|node| node.kind == agent::TOOL_KIND);
    let raw = TOOL_RESULT.iter().filter(|_| calls).map(|(label, kind)| ExpressionName {
        label: (*label).to_owned(),
        value_type: (*kind).to_owned(),
        detail: Some("The tool's answer as it came, in Write to context".to_owned()),
        sample: None,
    });
    Ok(values.chain(likely).chain(raw).chain(functions).collect())
}

/// `_toolResult` and what is always in it (T-01).
const TOOL_RESULT: [(&str, &str); 7] = [
    ("_toolResult", "map"),
    ("_toolResult.result", "dyn"),
    ("_toolResult.status", "string"),
    ("_toolResult.error", "dyn"),
    ("_toolResult.content", "list"),
    ("_toolResult.provider", "string"),
    ("_toolResult.requestId", "string"),
];

pub(crate) fn retry_timeline(_: &App, _: &Caller, request: RetryTimeline) -> ApiResult<Vec<TimelineStep>> {
    let planned = retry::timeline(&request.policy);
    Ok(planned.into_iter().map(|p| TimelineStep { attempt: p.attempt, delay_ms: p.delay_ms }).collect())
}

/// The run to look at, and the items of the node in it.
type Found = (Arc<RunView>, Vec<Arc<Value>>);

/// The run to look at for a node: the newest one in which it was called, else the newest one.
fn data_for(
    app: &App,
    caller: &Caller,
    workflow: &Workflow,
    node: &str,
    run: Option<&str>,
    path: Option<String>,
) -> ApiResult<Option<Found>> {
    let run_id = match app.store.last_called_step(&workflow.id, node, run)? {
        Some(call) => Some(call.run_id),
        // A new node has no call yet: the newest run shows what the steps before it give.
        None => match run {
            Some(run) => Some(run.to_owned()),
            None => {
                let query = RunQuery { workflow: Some(workflow.id.clone()), limit: 1, ..RunQuery::default() };
                app.store.runs(&query)?.runs.into_iter().next().map(|row| row.run_id)
            }
        },
    };
    let Some(run_id) = run_id else { return Ok(None) };
    let pinned = app.pinned(&app.store.run(&run_id)?)?;
    // A step that was not called yet has the steps beside it.
    let parent = workflow.nodes.get(node).and_then(|node| node.parent.as_ref());
    let beside = workflow.nodes.iter().filter(|(_, other)| parent.is_some() && other.parent.as_ref() == parent);
    let mut at = None;
    for id in std::iter::once(node).chain(beside.map(|(id, _)| id.as_str())) {
        at = path_of_step(app, &run_id, pinned.as_ref(), id, path.clone(), std::iter::empty())?;
        if at.is_some() {
            break;
        }
    }
    let view = app.view_for(caller, &run_id, &at.unwrap_or_default())?;
    let items = view.items_for(workflow, node);
    Ok(items.map(|items| (view, items)))
}
