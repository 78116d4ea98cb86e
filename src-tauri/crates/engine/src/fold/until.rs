//! A run that ends after one step (UX C16, ADR 75): only that step, what it needs, and what works on their failures runs.

use super::place::{around, path_of};
use super::settle_edges::{join, settle};
use crate::{
    compiled::Compiled,
    recovery::EdgeKind,
    state::{EdgeState, Ending, Frame, RunState, Until},
};
use signalbox_model::{NodeState, Role, base::named, event::WorkflowStart};
use std::{collections::BTreeSet, sync::Arc};

/// Remembers which steps run. What names the step was checked before the run began.
pub(super) fn begins(compiled: &Compiled, state: &mut RunState, start: &WorkflowStart) {
    let step = start.until.as_deref().and_then(|step| compiled.node_index(step));
    state.until = step.map(|step| {
        let through = through(compiled, step);
        let from = start.resumed_from.as_deref().filter(|_| !through.is_empty()).map(Arc::from);
        Box::new(Until { step, runs: runs(compiled, step), through, from })
    });
}

/// The containers around a step of the file, from the inside.
pub(crate) fn through(compiled: &Compiled, step: usize) -> Vec<usize> {
    let outer = |node: &usize| compiled.node_index(compiled.nodes[*node].node.parent.as_deref()?);
    std::iter::successors(outer(&step), outer).collect()
}

/// The step, all that leads to it and to the containers around it, and the recovery steps that may be asked about one of these.
/// Not these containers: of them only a part runs.
pub(crate) fn runs(compiled: &Compiled, step: usize) -> BTreeSet<usize> {
    let through = through(compiled, step);
    let mut found = BTreeSet::new();
    let mut todo = vec![step];
    todo.extend(&through);
    while let Some(node) = todo.pop() {
        if found.insert(node) {
            // A way back carries nothing that the step does not have already.
            let before = compiled.edges.iter().filter(|edge| edge.to == node && edge.kind != EdgeKind::Reentry);
            todo.extend(before.map(|edge| edge.from));
        }
    }
    // Other steps whose failures go to the same place do not run for it.
    let mut todo: Vec<usize> = found.iter().copied().collect();
    while let Some(node) = todo.pop() {
        for edge in compiled.nodes[node].out_edges.iter().map(|edge| &compiled.edges[*edge]) {
            if compiled.nodes[edge.to].recovery.is_some() && found.insert(edge.to) {
                todo.push(edge.to);
            }
        }
    }
    found.retain(|node| !through.contains(node));
    found
}

/// Whether a node of the definition runs, in one iteration at least: itself, or as a part of what runs whole. `stands`: it and
/// the containers around it, from the inside.
pub(crate) fn holds(runs: &BTreeSet<usize>, through: &[usize], stands: impl IntoIterator<Item = usize>) -> bool {
    for (depth, node) in stands.into_iter().enumerate() {
        if runs.contains(&node) {
            return true;
        }
        if through.contains(&node) {
            return depth == 0;
        }
    }
    false
}

/// Whether a node does not run because the run ends before it. What runs after an abort always does.
pub(super) fn leaves_out(compiled: &Compiled, state: &RunState, node: usize) -> bool {
    let Some(until) = state.until.as_deref() else { return false };
    let around: Vec<&Frame> = around(compiled, state, node).map(|(_, frame)| frame).collect();
    let containers = around.iter().map(|frame| frame.container);
    let stands: Vec<usize> = std::iter::once(node).chain(containers).map(|node| compiled.nodes.local(node)).collect();
    if stands.last().is_some_and(|outer| compiled.abort_region.get(*outer).copied().unwrap_or_default()) {
        return false;
    }
    !holds(&until.runs, &until.through, stands) || around.iter().any(|frame| is_beside(compiled, state, frame))
}

/// Another iteration or branch than the one that the re-run begins in.
fn is_beside(compiled: &Compiled, state: &RunState, frame: &Frame) -> bool {
    begun_in(compiled, state, frame.container).is_some_and(|index| index != frame.index)
}

/// The iteration or branch of a container around the last step that the re-run begins in: no other one runs.
pub(super) fn begun_in(compiled: &Compiled, state: &RunState, container: usize) -> Option<usize> {
    let until = state.until.as_deref().filter(|until| until.through.contains(&compiled.nodes.local(container)))?;
    let this = &compiled.nodes[container];
    let name = named(path_of(compiled, state, container).as_deref().filter(|path| !path.is_empty()), &this.id);
    let inner = until.from.as_deref()?.strip_prefix(&*name)?;
    if this.role == Role::Loop {
        return inner.strip_prefix('[')?.split_once(']')?.0.parse().ok();
    }
    let (branch, _) = inner.strip_prefix('/')?.split_once('/')?;
    let entry = |body: &usize| compiled.regions[*body].entries.first().copied();
    this.bodies.iter().position(|body| entry(body).is_some_and(|entry| *compiled.nodes[entry].id == *branch))
}

/// The last step stands in a container: its iterations go one after the other, so that none begins after the step has ended.
pub(super) fn goes_one_by_one(compiled: &Compiled, state: &RunState, container: usize) -> bool {
    state.until.as_deref().is_some_and(|until| until.through.contains(&compiled.nodes.local(container)))
}

/// A branch of a container that begins: nothing of it runs.
pub(super) fn leaves_branch_out(compiled: &Compiled, state: &RunState, container: usize, region: usize) -> bool {
    if state.basing.is_some() || !goes_one_by_one(compiled, state, container) {
        return false;
    }
    let Some(until) = state.until.as_deref() else { return false };
    let some = |node: &usize| until.runs.contains(node) || until.through.contains(node);
    !compiled.regions[region].nodes.iter().any(some)
}

/// A node in a container that does not run: what waits for it waits no longer. At the top the end of the run does that.
pub(super) fn leave_out(compiled: &Compiled, state: &mut RunState, node: usize) {
    if compiled.nodes.frame(node) != 0 {
        skip_silently(compiled, state, node);
    }
}

/// A node that has no part in this run: it is skipped without an event, and its wires are dead.
pub(super) fn skip_silently(compiled: &Compiled, state: &mut RunState, node: usize) {
    state.nodes[node].state = NodeState::Skipped;
    let mut todo = Vec::new();
    for edge in &compiled.nodes[node].out_edges {
        settle(compiled, state, compiled.wire(node, *edge), EdgeState::Dead, &mut todo);
    }
    super::case::origin_ended(compiled, state, node, Vec::new(), &mut todo);
    while let Some(ready) = todo.pop() {
        join(compiled, state, ready, &mut todo);
    }
    super::body::settled(compiled, state, node);
}

/// Whether somebody gets an error over the red wires: in a run that ends early their steps may be left out, and then it is one
/// that leads nowhere.
pub(super) fn red_leads_on(compiled: &Compiled, state: &RunState, node: usize) -> bool {
    let mut red =
        compiled.nodes[node].out_edges.iter().map(|edge| &compiled.edges[*edge]).filter(|edge| &*edge.port == "error");
    state.until.is_none()
        || state.basing.is_some()
        || red.any(|edge| !leaves_out(compiled, state, compiled.beside(node, edge.to)))
}

/// Whether the failure of a child is no part of what its container collects: the last step's own, and in the iteration that a
/// re-run begins in every other, because the step is not tried elsewhere.
pub(super) fn fails_for_all(compiled: &Compiled, state: &RunState, child: usize) -> bool {
    let frame = state.frames.get(compiled.nodes.frame(child));
    state.basing.is_none()
        && (is_last(compiled, state, child)
            || frame.is_some_and(|frame| begun_in(compiled, state, frame.container).is_some()))
}

/// What the original of a re-run had left open beside the steps that run: nothing of it goes on here.
pub(super) fn leave_open(compiled: &Compiled, state: &mut RunState) {
    if state.until.is_none() {
        return;
    }
    let mut work = std::mem::take(&mut state.work);
    work.retain(|node| !leaves_out(compiled, state, node));
    state.work = work;
}

/// The step that the run ends after: what it puts out is what the run puts out.
pub(super) fn is_last(compiled: &Compiled, state: &RunState, node: usize) -> bool {
    state.until.as_deref().is_some_and(|until| until.step == compiled.nodes.local(node))
}

/// A node has ended. The last step in a container ends the run with its first call: other iterations would do it again.
pub(super) fn ended(compiled: &Compiled, state: &mut RunState, node: usize) {
    let well = matches!(state.nodes[node].state, NodeState::Succeeded | NodeState::ErrorHandled | NodeState::Skipped);
    let inside = compiled.nodes.frame(node) != 0 && state.basing.is_none();
    if inside && well && state.nodes[node].calls > 0 && is_last(compiled, state, node) {
        state.ending.get_or_insert(Ending::Stop);
    }
}

/// An iteration or branch is over. The one that the re-run began in was the only one, whether the step ran in it or not.
pub(super) fn passed(compiled: &Compiled, state: &mut RunState, gone: &Frame) {
    if state.basing.is_none() && begun_in(compiled, state, gone.container) == Some(gone.index) {
        state.ending.get_or_insert(Ending::Stop);
    }
}
