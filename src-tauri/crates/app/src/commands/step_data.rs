//! The last run's data beside the editor: input and output of a node, previews, names, retry drawings.

use crate::Caller;
use crate::app::App;
use crate::dto::{
    CallerRole, ExpressionKind, ExpressionName, ExpressionNames, ExpressionPreview, Preview, RetryTimeline,
    RunStepData, StepData, TimelineStep,
};
use crate::error::ApiResult;
use crate::runs::preview_limits;
use crate::runs::view::{MOST_EVENTS, NodeData, RunView, When, base_pointer, leaves};
use crate::workflows::node_scope;
use crate::workflows::pins::{self, Pins};
use crate::workflows::{check, connectors, inferred_names};
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_engine::agent;
use signalbox_engine::expr::{self, Expr, ExprError};
use signalbox_engine::retry;
use signalbox_engine::scope::Scope;
use signalbox_model::{Data, EventBody, Mode, Role, RunEvent, Workflow, time, wire};
use signalbox_store::RunQuery;
use std::collections::HashSet;
use std::sync::Arc;

/// Last calls of a step that are looked at for one of its own file.
const CALLS: usize = 64;
/// The event that a run begins with.
const FIRST: u64 = 1;

pub(crate) fn run_step_data(app: &App, caller: &Caller, request: RunStepData) -> ApiResult<Option<StepData>> {
    let Some(SeenStep { run_id, path, started_ms, node }) = seen_step(app, caller, request, NodeData::shown())? else {
        return Ok(None);
    };
    Ok(Some(StepData {
        path: Some(path).filter(|path| !path.is_empty()),
        started_at: time::format(started_ms),
        counts: node.counts(),
        input: node.input(&run_id),
        output: node.output(&run_id),
        error: node.error(&run_id),
        config: node.config(&run_id),
        run_id,
    }))
}

/// What a step put out in a run, whole: port → data. Without its errors.
pub(super) fn output_of(
    app: &App,
    caller: &Caller,
    request: RunStepData,
) -> ApiResult<Option<IndexMap<String, Vec<Value>>>> {
    Ok(seen_step(app, caller, request, NodeData::default())?.map(|seen| seen.node.whole_output()))
}

/// A step in a run.
struct SeenStep {
    run_id: String,
    path: String,
    started_ms: i64,
    node: NodeData,
}

/// `node` is where its events are put together.
fn seen_step(app: &App, caller: &Caller, request: RunStepData, mut node: NodeData) -> ApiResult<Option<SeenStep>> {
    let (run, id) = (request.run_id.as_deref(), request.node_id.as_str());
    let call = app.store.last_called_step(&request.workflow_id, id, run)?;
    // A re-run may have the step from its original, without a call of its own.
    let Some(run_id) = call.as_ref().map(|call| call.run_id.as_str()).or(run) else { return Ok(None) };
    let row = app.store.run(run_id)?;
    let workflow = app.pinned(&row)?;
    let masked = app.masks(caller, run_id);
    let kept = if row.parent_run_id.is_some() { kept_events(app, run_id, id, masked)? } else { Vec::new() };
    let before = kept.iter().rev().map(|(_, event)| event.path.clone().unwrap_or_default());
    let path = match request.path {
        // A path of a run says which step is meant, in whichever file.
        Some(path) if run.is_some() => Some(path),
        wanted => path_of_step(app, run_id, workflow.as_ref(), id, wanted, before)?,
    };
    let Some(path) = path else { return Ok(None) };
    let own = app.store.events_of_step(run_id, &path, id, MOST_EVENTS)?;
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
    let started_ms = call.as_ref().map_or(row.started_ms, |call| call.started_ms);
    Ok(Some(SeenStep { run_id: run_id.to_owned(), path, started_ms, node }))
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
    let fits = |path: &String| workflow.is_none_or(|workflow| node_scope::is_at(workflow, node, path));
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
    let Some(_turn) = app.previews.turn(&caller.principal) else {
        let message = "Two previews of yours are still being worked out. Try again in a moment.".to_owned();
        return Ok(Preview::Error { message, position: None });
    };
    let workflow = check::workflow(request.document)?;
    let asks = (request.kind == ExpressionKind::Cel).then(|| Asks::of(&workflow, &request.node_id, &request.text));
    let asks = asks.flatten();
    let pins = pins_of(app, caller, request.pins.as_deref(), &workflow, &request.node_id)?;
    let wanted =
        Wanted { run: request.run_id.as_deref(), path: request.path, inside: asks.is_some(), pins: Some(&pins) };
    // Without data the text can still be wrong.
    let no_data = || match compile(&request.text, request.kind) {
        Ok(()) => Preview::NoData,
        Err(error) => failed(&error),
    };
    let found = data_for(app, caller, &workflow, &request.node_id, wanted)?;
    let Some((view, items)) = found else { return Ok(no_data()) };
    let item_count = items.len();
    let item = request.item.unwrap_or(0).min(item_count.saturating_sub(1));
    let when = if asks.is_some() || names_result(&request.text, request.kind) { When::After } else { When::Before };
    let mut scope = view.scope(&workflow, &request.node_id, items, item, when);
    match asks {
        Some(asks) => {
            let Some(bound) = asks.bound(&view, &request.node_id) else { return Ok(no_data()) };
            scope.locals = bound;
        }
        // `out` and `print` are previewed on what the step gave last.
        None => scope.locals.extend(view.result(&request.node_id, item).map(|result| ("_result", result))),
    }
    scope.allowance = Some(preview_limits::allowance());
    Ok(match evaluate(&request.text, request.kind, &scope) {
        Ok(value) => Preview::Value {
            value: if request.whole { leading(value) } else { wire::truncate(&value, "").unwrap_or(value) },
            item_count,
            item,
            run_label: if view.run_id.is_empty() {
                view.workflow_name.clone()
            } else {
                format!("{} · {}", view.workflow_name, time::format(view.started_ms))
            },
            run_id: view.run_id.clone(),
            pinned: !pins.is_empty(),
        },
        Err(error) => failed(&error),
    })
}

/// Bytes of a value that somebody looks at.
const SEEN: usize = 2 * 1024 * 1024;

/// A value that fits; of a list that does not, the elements at its beginning that do.
fn leading(value: Value) -> Value {
    let list = match value {
        Value::Array(list) => list,
        value if value.to_string().len() <= SEEN => return value,
        value => return wire::truncate(&value, "").unwrap_or(value),
    };
    let mut left = SEEN;
    let fits = list.into_iter().map_while(|one| {
        let size = one.to_string().len();
        let shown = if size <= SEEN { one } else { wire::truncate(&one, "").unwrap_or(one) };
        left = left.checked_sub(size.min(SEEN))?;
        Some(shown)
    });
    Value::Array(fits.collect())
}

/// What a loop asks about one iteration; all else it evaluates knows what the loop got and put out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    /// `while`: whether there is another one after it.
    While,
    /// `collect`: what is kept of it.
    Collect,
}

impl Asks {
    /// Which one a text is: what the file says, and while it is being written, what it is about.
    fn of(workflow: &Workflow, node: &str, text: &str) -> Option<Self> {
        let config =
            workflow.nodes.get(node).filter(|_| node_scope::role(workflow, node) == Some(Role::Loop))?.config.as_ref();
        let own = |name: &str| config.and_then(|config| config.get(name)).and_then(Value::as_str);
        match (own("while"), own("collect")) {
            (Some(known), _) if known == text => Some(Self::While),
            (_, Some(known)) if known == text => Some(Self::Collect),
            _ if !names_result(text, ExpressionKind::Cel) => None,
            (Some(_), None) => Some(Self::While),
            _ => Some(Self::Collect),
        }
    }

    /// What a loop asks about its iterations, whatever is being written.
    fn one(workflow: &Workflow, node: &str) -> Option<Self> {
        let config =
            workflow.nodes.get(node).filter(|_| node_scope::role(workflow, node) == Some(Role::Loop))?.config.as_ref();
        let goes_on = config.and_then(|config| config.get("while")).is_some();
        Some(if goes_on { Self::While } else { Self::Collect })
    }

    /// The names that it has for itself; `None` when the iteration has come to nothing.
    fn bound(self, view: &RunView, node: &str) -> Option<Vec<(&'static str, Data)>> {
        let (item, index) = view.element_of(node)?;
        let result = ("_result", view.result_inside(node)?);
        let at = |index: usize| ("_index", Value::from(index).into());
        Some(match self {
            // The iteration that would be next.
            Self::While => vec![result, at(index + 1)],
            Self::Collect => vec![result, at(index), ("_item", item)],
        })
    }
}

/// A text is about what a call came to: it is evaluated with its end.
fn names_result(text: &str, kind: ExpressionKind) -> bool {
    let about = |expression: &Expr| expression.references().roots.iter().any(|root| AFTER.contains(&root.as_str()));
    match kind {
        ExpressionKind::Cel => Expr::compile(text).is_ok_and(|expression| about(&expression)),
        ExpressionKind::Value => {
            let found = expr::value_refs(&Value::String(text.to_owned()));
            found.iter().any(|(_, expression)| expression.as_ref().is_ok_and(about))
        }
    }
}

/// Names that exist when a call has ended.
const AFTER: [&str; 3] = ["_result", "_meta", "_toolResult"];

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
    let node = workflow.nodes.get(&request.node_id);
    let mode = node.and_then(|node| check::catalog().get(&node.kind).map(|kind| kind.mode_of(node)).or(node.mode));
    let each = mode == Some(Mode::Each);
    let asks = Asks::one(&workflow, &request.node_id).filter(|_| request.inside);
    let pins = pins_of(app, caller, request.pins.as_deref(), &workflow, &request.node_id)?;
    let wanted =
        Wanted { run: request.run_id.as_deref(), path: request.path, inside: asks.is_some(), pins: Some(&pins) };
    let found = data_for(app, caller, &workflow, &request.node_id, wanted)?;
    let seen = found.map(|(view, items)| {
        let mut scope = view.scope(&workflow, &request.node_id, items, 0, When::Before);
        let bound = match asks {
            Some(asks) => asks.bound(&view, &request.node_id).unwrap_or_default(),
            None => view.result(&request.node_id, 0).map(|result| ("_result", result)).into_iter().collect(),
        };
        scope.locals.retain(|(name, _)| bound.iter().all(|(own, _)| own != name));
        scope.locals.extend(bound);
        expr::completions(&scope, each)
    });
    let seen = seen.unwrap_or_default();
    // What no run has shown yet comes out of the file.
    let known: HashSet<&str> = seen.iter().map(|found| found.label.as_str()).collect();
    let connectors = connectors::known(std::iter::once(&workflow), Some(app.data_dir()));
    let likely = expr::completions(&inferred_names::scope(&workflow, &request.node_id, &connectors), each);
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
        detail: Some("The unchanged answer of the tool, in Write to context".to_owned()),
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
type Found = (Arc<RunView>, Vec<Data>);

/// Where a caller wants to look.
struct Wanted<'a> {
    run: Option<&'a str>,
    path: Option<String>,
    /// Of a loop: into one of its iterations, the last one when the path names none.
    inside: bool,
    /// What stands in place of what steps put out.
    pins: Option<&'a Pins>,
}

/// What is pinned for a step and for the steps before it. Only who builds has pinned outputs.
fn pins_of(app: &App, caller: &Caller, file: Option<&str>, workflow: &Workflow, node: &str) -> ApiResult<Pins> {
    let Some(file) = file else { return Ok(Pins::new()) };
    caller.require(CallerRole::Builder)?;
    let mut pins = pins::load(&app.path_of(file)?)?;
    let before = node_scope::before(workflow, node);
    pins.retain(|id, _| id == node || before.contains(id.as_str()));
    Ok(pins)
}

/// The run to look at for a node: the newest one in which it was called, else the newest one.
fn data_for(
    app: &App,
    caller: &Caller,
    workflow: &Workflow,
    node: &str,
    wanted: Wanted<'_>,
) -> ApiResult<Option<Found>> {
    let Wanted { run, mut path, inside, pins } = wanted;
    let pins = pins.filter(|pins| !pins.is_empty());
    // A path may lead into the node: it is looked at from there.
    let named = path.as_deref().and_then(|path| iteration(workflow, node, path));
    path = named.as_ref().map(|(outer, _)| outer.clone()).or(path);
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
    let Some(run_id) = run_id else {
        let Some(pins) = pins else { return Ok(None) };
        let mut view = RunView::before_any_run(workflow);
        view.pin(workflow, pins);
        let items = view.arriving(workflow, node, Some(pins));
        return Ok(items.map(|items| (Arc::new(view), items)));
    };
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
    let mut at = at.unwrap_or_default();
    if inside {
        let pinned = pinned.as_ref().unwrap_or(workflow);
        let index = match named {
            Some((_, index)) => Some(index),
            None => last_iteration(app, &run_id, pinned, node, &at)?,
        };
        at = index.map(|index| node_scope::iteration(&at, node, index)).unwrap_or(at);
    }
    let mut view = app.view_for(caller, &run_id, &at)?;
    if let Some(pins) = pins {
        Arc::make_mut(&mut view).pin(workflow, pins);
    }
    let items = view.arriving(workflow, node, pins);
    Ok(items.map(|items| (view, items)))
}

/// The path of a loop and which of its iterations a path leads through.
fn iteration(workflow: &Workflow, node: &str, path: &str) -> Option<(String, usize)> {
    let frames = node_scope::frames(workflow, path)?;
    let frame = frames.iter().find(|frame| frame.container == node)?;
    Some((frame.outer.to_owned(), frame.index?))
}

/// The last iteration of a loop at a path that put something out.
fn last_iteration(app: &App, run_id: &str, workflow: &Workflow, node: &str, at: &str) -> ApiResult<Option<usize>> {
    let mut last = None;
    for leaf in leaves(workflow, node) {
        let called = app.store.paths_of_calls(run_id, leaf, CALLS)?;
        let own = called.iter().filter_map(|path| iteration(workflow, node, path)).filter(|(outer, _)| outer == at);
        last = last.max(own.map(|(_, index)| index).max());
    }
    Ok(last)
}
