//! The last run's data beside the editor: input and output of a node, previews, names, retry drawings.

use crate::Caller;
use crate::app::App;
use crate::dto::{
    ExpressionKind, ExpressionName, ExpressionNames, ExpressionPreview, Preview, RetryTimeline, RunStepData, StepData,
    TimelineStep,
};
use crate::error::{ApiError, ApiResult};
use crate::view::RunView;
use serde_json::Value;
use signalbox_engine::expr::{self, Expr, ExprError};
use signalbox_engine::retry;
use signalbox_engine::scope::Scope;
use signalbox_model::{Workflow, time, wire};
use signalbox_store::RunQuery;
use std::sync::Arc;

pub(crate) fn run_step_data(app: &App, caller: &Caller, request: RunStepData) -> ApiResult<Option<StepData>> {
    let run = request.run_id.as_deref();
    let Some(call) = app.store.last_called_step(&request.workflow_id, &request.node_id, run)? else {
        return Ok(None);
    };
    let view = app.view_for(caller, &call.run_id)?;
    let Some(node) = view.node(&request.node_id) else { return Ok(None) };
    Ok(Some(StepData {
        started_at: time::format(view.started_ms),
        input: node.input(&call.run_id),
        output: node.output(&call.run_id),
        error: node.error(&call.run_id),
        config: node.config(&call.run_id),
        run_id: call.run_id,
    }))
}

pub(crate) fn expression_preview(app: &App, caller: &Caller, request: ExpressionPreview) -> ApiResult<Preview> {
    let workflow = parse(request.document)?;
    let Some((view, items)) = data_for(app, caller, &workflow, &request.node_id, request.run_id.as_deref())? else {
        // Without data the text can still be wrong.
        return Ok(match compile(&request.text, request.kind) {
            Ok(()) => Preview::NoData,
            Err(error) => failed(&error),
        });
    };
    let item_count = items.len();
    let item = request.item.unwrap_or(0).min(item_count.saturating_sub(1));
    let mut scope = view.scope(&workflow, items, item);
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
    let workflow = parse(request.document)?;
    let found = data_for(app, caller, &workflow, &request.node_id, request.run_id.as_deref())?;
    let scope = match found {
        Some((view, items)) => {
            let mut scope = view.scope(&workflow, items, 0);
            scope.locals.extend(view.result(&request.node_id, 0).map(|result| ("_result", result)));
            scope
        }
        None => static_scope(&workflow),
    };
    let values = expr::completions(&scope).into_iter().map(|found| ExpressionName {
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
    Ok(values.chain(functions).collect())
}

/// Names without a run: what the file itself declares.
fn static_scope(workflow: &Workflow) -> Scope {
    let params = signalbox_engine::params::complete(workflow, &serde_json::json!({}));
    let context = workflow.initial_context().into_iter().map(|(name, value)| (name, Arc::new(value)));
    Scope { params: Arc::new(params), context: Arc::new(context.collect()), ..Scope::empty() }
}

pub(crate) fn retry_timeline(_: &App, _: &Caller, request: RetryTimeline) -> ApiResult<Vec<TimelineStep>> {
    let planned = retry::timeline(&request.policy);
    Ok(planned.into_iter().map(|p| TimelineStep { attempt: p.attempt, delay_ms: p.delay_ms }).collect())
}

fn parse(document: Value) -> ApiResult<Workflow> {
    serde_json::from_value(document).map_err(|error| {
        ApiError::bad_request(
            format!("The document is no workflow: {error}."),
            "Send the workflow as the editor shows it.",
        )
    })
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
    let view = app.view_for(caller, &run_id)?;
    let items = view.items_for(workflow, node);
    Ok(items.map(|items| (view, items)))
}
