//! Looking into a run (ADR 33): which calls wait, whether breakpoints can be set, whether an input may take the place of
//! the one that waits.

use crate::{
    compiled::{Compiled, CompiledEdge},
    expr::Expr,
    fold::{self, input_shape::is_list},
    patch, paths, prepare,
    schema::Violation,
    scope::Scope,
    state::{At, EdgeState, Phase, RunState},
};
use serde_json::Value;
use signalbox_model::{Data, Map, Mode, Origin, base::parted, debug::Breakpoint};
use std::{ops::Range, sync::Arc};

/// So many items of a step are listed, and so many breakpoints taken.
const MANY: usize = 100;
/// Nothing is left out.
const ALL: usize = usize::MAX;

/// A call by its step, path and item.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Its node.
    pub step: &'a str,
    /// Where it stands; none at the top.
    pub path: Option<&'a str>,
    /// Item index; none when there is one item.
    pub item: Option<usize>,
}

/// A call that has not begun and would begin next or soon.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// Its node.
    pub step_id: String,
    /// Where it stands.
    pub path: Option<String>,
    /// Item index, when there are several.
    pub item: Option<usize>,
    /// Round of the slot.
    pub visit: u32,
    /// Automatic re-executions before it.
    pub attempt: u32,
    /// The failed slot, when a recovery node would run.
    pub origin: Option<Origin>,
    /// What it would get: the item's data in `mode: each`, a list of all in `mode: all`.
    pub input: Value,
    /// What its kind takes.
    pub schema: Option<Value>,
    /// Another input may take its place.
    pub editable: bool,
}

/// What an edit changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    pub(crate) node: usize,
    pub(crate) slot: usize,
    /// From the input before to the new one (RFC 6902).
    pub patch: Vec<Map>,
}

/// Why an input may not take the place of the one that waits.
#[derive(Debug, Clone, PartialEq)]
pub enum EditRefused {
    /// The run goes on.
    NotStopped,
    /// No call of this step waits there.
    NotWaiting,
    /// The step works on an error, not on an input.
    NotEditable,
    /// It is of another shape; the text says which is needed.
    Shape(&'static str),
    /// It does not fit what the step takes.
    Invalid(Vec<Violation>),
}

/// Why a breakpoint cannot be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakpointRefused {
    /// Its node.
    pub node: String,
    /// What is wrong with it.
    pub reason: String,
}

pub(crate) enum Condition {
    True,
    False,
    Broken(String),
}

/// Whether breakpoints name steps, and their conditions can be read.
pub fn check(compiled: &Compiled, breakpoints: &[Breakpoint]) -> Result<(), BreakpointRefused> {
    let refused = |node: &str, reason: String| Err(BreakpointRefused { node: node.to_owned(), reason });
    if breakpoints.len() > MANY {
        return refused("", format!("there are {} breakpoints, more than {MANY}", breakpoints.len()));
    }
    for Breakpoint { node, from, when } in breakpoints {
        let (path, step) = parted(node);
        if let Some(around) = path.and_then(|path| paths::without_iteration(compiled, path)) {
            let reason = format!(
                "'{around}' is a loop, and no iteration of it is named: '{around}[0]' is its first; without a place the step is \
                 meant in all of them"
            );
            return refused(node, reason);
        }
        let is_there = match path {
            None => compiled.node_index(step),
            Some(path) => paths::stands_at(compiled, Some(path), step).map(|(_, node)| node),
        };
        let Some(is_there) = is_there else {
            let reason = match path {
                None => "the workflow has no such step",
                Some(_) => {
                    "no step of the workflow stands there; a place is named as the log does: 'loop[0]/step' in an iteration, \
                     'parallel/entry/step' in a branch, 'call/step' in another file"
                }
            };
            return refused(node, reason.into());
        };
        if from.as_deref().is_some_and(|from| wire(compiled, is_there, from).is_none()) {
            let from = from.as_deref().unwrap_or_default();
            return refused(
                node,
                format!("no wire leads there from '{from}'; name it as the workflow does: step.port"),
            );
        }
        let Some(when) = when else { continue };
        match Expr::compile(when) {
            Err(error) => return refused(node, error.message),
            Ok(expr) if expr.references().roots.iter().any(|root| root == "nodes") => {
                let reason = "a condition cannot use `nodes`: results of other steps are not kept for it; use `item`, \
                              `items`, `context`, `params` or `error`";
                return refused(node, reason.into());
            }
            Ok(_) => {}
        }
    }
    Ok(())
}

/// Whether a breakpoint is at a node. Without a path it names a step of the run's own file.
pub(crate) fn is_at(compiled: &Compiled, breakpoint: &Breakpoint, node: usize, path: Option<&str>) -> bool {
    let this = &compiled.nodes[node];
    match parted(&breakpoint.node) {
        (None, step) => this.file == 0 && *this.id == *step,
        (Some(at), step) => *this.id == *step && path.is_some_and(|path| paths::means(at, path)),
    }
}

/// The wire that a breakpoint names by where it comes from, among those that lead to a node.
fn wire(compiled: &Compiled, node: usize, from: &str) -> Option<usize> {
    let (step, port) = from.rsplit_once('.')?;
    let to = compiled.nodes.local(node);
    let is_it = |edge: &CompiledEdge| edge.to == to && *edge.port == *port && *compiled.nodes[edge.from].id == *step;
    compiled.edges.iter().position(is_it)
}

/// Whether the case of a slot came along a wire to the recovery node where it is.
pub(crate) fn case_came_along(
    compiled: &Compiled,
    state: &RunState,
    at: (usize, usize),
    recovery: usize,
    from: &str,
) -> bool {
    let wire = wire(compiled, recovery, from);
    wire.is_some() && fold::slot_ref(state, at.0, at.1).is_some_and(|slot| slot.along == wire)
}

/// Which of these slots begin with what a wire brought (ADR 53): their first call, or one that their case came back for.
pub(crate) fn came_along(
    compiled: &Compiled,
    state: &RunState,
    node: usize,
    slots: &[usize],
    from: &str,
) -> Vec<usize> {
    let wire = wire(compiled, node, from);
    let brought = wire.and_then(|wire| brought(compiled, state, node, wire));
    let each = compiled.nodes[node].mode == Mode::Each;
    let first = fold::place::first_visit(compiled, state, node);
    let came = |index: usize| {
        let Some(slot) = fold::slot_ref(state, node, index) else { return false };
        match slot.along {
            Some(along) => wire == Some(along),
            None if slot.attempt > 0 || slot.visit != first => false,
            None => brought.as_ref().is_some_and(|items| !each || items.contains(&index)),
        }
    };
    slots.iter().enumerate().filter(|(_, index)| came(**index)).map(|(at, _)| at).collect()
}

/// The items of the join that a wire brought; none when it brought nothing, not even an end.
fn brought(compiled: &Compiled, state: &RunState, node: usize, wire: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for edge in &compiled.nodes[node].in_edges {
        let items = match state.edges.get(compiled.wire(node, *edge)) {
            Some(EdgeState::Consumed(items)) => Some(*items),
            Some(EdgeState::Open | EdgeState::Dead | EdgeState::Taken(_)) | None => None,
        };
        if *edge == wire {
            return items.map(|items| start..start + items);
        }
        start += items.unwrap_or(0);
    }
    None
}

/// A condition that cannot be evaluated counts as true, and says so. For several items one is enough. `scope` makes the
/// names of one item, with the data of all when asked for it: one scope is there at a time, however many items there are.
pub(crate) fn holds(when: &str, items: &[usize], scope: &dyn Fn(usize, bool) -> Scope) -> Condition {
    let expr = match Expr::compile(when) {
        Ok(expr) => expr,
        Err(error) => return Condition::Broken(error.message),
    };
    let all = expr.references().roots.iter().any(|root| root == "items");
    let mut broken = None;
    for item in items {
        match expr.eval_bool(&scope(*item, all)) {
            Ok(true) => return Condition::True,
            Ok(false) => {}
            Err(error) => broken = broken.or(Some(error.message)),
        }
    }
    broken.map_or(Condition::False, Condition::Broken)
}

fn as_value(list: bool, input: &[Data]) -> Value {
    if list {
        return fold::list_of(input);
    }
    input.first().map(|data| Arc::unwrap_or_clone(data.value())).unwrap_or_default()
}

/// (node, slot, recovery node) of the calls that have not begun, of each step at most so many that wait for their turn.
fn places(compiled: &Compiled, state: &RunState, most: usize) -> Vec<(usize, usize, Option<usize>)> {
    let mut found = Vec::new();
    for (node, slot) in state.work.undecided() {
        match fold::slot_ref(state, *node, *slot).map(|slot| &slot.phase) {
            Some(Phase::Reenter | Phase::Interrupted) => found.push((*node, *slot, None)),
            Some(Phase::Case(case)) => {
                if let At::Node(recovery) = case.at {
                    found.push((*node, *slot, Some(recovery)));
                }
            }
            Some(_) | None => {}
        }
    }
    for (node, slot) in state.work.timed() {
        if fold::slot_ref(state, *node, *slot).is_some_and(|slot| matches!(slot.phase, Phase::RetryAt { .. })) {
            found.push((*node, *slot, None));
        }
    }
    for node in state.work.ready().union(state.work.startable()) {
        let begins = !state.work.ready().contains(node) || prepare::begins(compiled, state, *node).unwrap_or(true);
        if let Some(activation) = state.nodes[*node].activation.as_ref().filter(|_| begins) {
            let fresh = activation.slots.fresh(0).take(most);
            found.extend(fresh.map(|slot| (*node, slot, None)));
        }
    }
    found.retain(|(node, _, _)| !fold::nothing_new(state, compiled, *node));
    found
}

/// The calls that wait while the run is stopped, the one it stopped at first.
pub fn waiting(compiled: &Compiled, state: &RunState) -> Vec<Waiting> {
    let Some(stopped) = state.stopped() else { return Vec::new() };
    let mut found: Vec<Waiting> =
        places(compiled, state, MANY).into_iter().map(|at| told(compiled, state, at)).collect();
    found.sort_by_key(|one| {
        let here = Some(&one.step_id) == stopped.step_id.as_ref()
            && one.path == stopped.path
            && stopped.item.is_none_or(|item| one.item == Some(item));
        !here
    });
    found
}

fn told(compiled: &Compiled, state: &RunState, (node, slot, recovery): (usize, usize, Option<usize>)) -> Waiting {
    let known = fold::slot_ref(state, node, slot);
    let (visit, attempt) = known.map_or((1, 0), |slot| (slot.visit, slot.attempt));
    let path = fold::place::path_of(compiled, state, node).map(|path| path.to_string());
    let several = state.nodes[node].activation.as_ref().is_some_and(|activation| activation.slots.len() > 1);
    let item = several.then_some(slot);
    if let Some(recovery) = recovery {
        let step_id = compiled.nodes[node].id.to_string();
        return Waiting {
            step_id: compiled.nodes[recovery].id.to_string(),
            path: path.clone(),
            item: None,
            visit: known.map_or(0, |slot| slot.runs_of(recovery)) + 1,
            attempt: 0,
            origin: Some(Origin { step_id, path, item, visit, attempt }),
            input: fold::input_value(compiled, state, node, slot),
            schema: None,
            editable: false,
        };
    }
    let (input, _) = prepare::prepared(compiled, state, node, slot);
    Waiting {
        step_id: compiled.nodes[node].id.to_string(),
        path,
        item,
        visit,
        attempt,
        origin: None,
        input: as_value(is_list(compiled, state, node, slot), &input),
        schema: compiled.nodes[node].descriptor.input_schema.clone(),
        editable: true,
    }
}

/// Checks another input for a call that waits: shape, then the kind's schema, by the engine's own validator.
pub fn edit(compiled: &Compiled, state: &RunState, at: Place<'_>, input: &Value) -> Result<Edit, EditRefused> {
    if state.stopped().is_none() {
        return Err(EditRefused::NotStopped);
    }
    let here = |(node, slot, recovery): &(usize, usize, Option<usize>)| {
        let path = fold::place::path_of(compiled, state, *node);
        let step = &compiled.nodes[recovery.unwrap_or(*node)].id;
        **step == *at.step && path.as_deref() == at.path && (recovery.is_some() || *slot == at.item.unwrap_or(0))
    };
    let found = places(compiled, state, ALL).into_iter().find(here).ok_or(EditRefused::NotWaiting)?;
    let (node, slot) = match found {
        (node, slot, None) => (node, slot),
        (_, _, Some(_)) => return Err(EditRefused::NotEditable),
    };
    let list = is_list(compiled, state, node, slot);
    let before = as_value(list, &prepare::prepared(compiled, state, node, slot).0);
    let parts: Vec<Data> = match (list, input) {
        (true, Value::Array(all)) => all.iter().map(|data| data.clone().into()).collect(),
        (true, _) => return Err(EditRefused::Shape("a list with the data of all items")),
        (false, other) if before.is_object() && !other.is_object() => {
            return Err(EditRefused::Shape("an object, as the input is now"));
        }
        (false, other) => vec![other.clone().into()],
    };
    if let Some(violations) = prepare::misfits(&compiled.nodes[node], &parts) {
        return Err(EditRefused::Invalid(violations));
    }
    let patch = patch::diff(&before, input).into_iter().filter_map(|one| match serde_json::to_value(one) {
        Ok(Value::Object(operation)) => Some(operation),
        Ok(_) | Err(_) => None,
    });
    Ok(Edit { node, slot, patch: patch.collect() })
}
