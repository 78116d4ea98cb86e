//! A run that ends after one step (UX C16, ADR 75): only that step, what it needs, and what works on their failures runs.

use crate::{
    compiled::Compiled,
    recovery::EdgeKind,
    state::{RunState, Until},
};
use std::collections::BTreeSet;

/// Remembers which steps run. What names the step was checked before the run began.
pub(super) fn begins(compiled: &Compiled, state: &mut RunState, step: Option<&str>) {
    let step = step.and_then(|step| compiled.node_index(step));
    state.until = step.map(|step| Box::new(Until { step, runs: runs(compiled, step) }));
}

/// The step, all that leads to it, and the recovery steps that may be asked about one of these.
pub(crate) fn runs(compiled: &Compiled, step: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut todo = vec![step];
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
    found
}

/// Whether a node does not run because the run ends before it. What runs after an abort always does.
pub(super) fn leaves_out(compiled: &Compiled, state: &RunState, node: usize) -> bool {
    let Some(until) = state.until.as_deref() else { return false };
    let outer = super::place::around(compiled, state, node).last().map_or(node, |(_, frame)| frame.container);
    let outer = compiled.nodes.local(outer);
    !until.runs.contains(&outer) && !compiled.abort_region.get(outer).copied().unwrap_or_default()
}

/// Whether somebody gets an error over the red wires: in a run that ends early their steps may be left out, and then it is one
/// that leads nowhere.
pub(super) fn red_leads_on(compiled: &Compiled, state: &RunState, node: usize) -> bool {
    let mut red =
        compiled.nodes[node].out_edges.iter().map(|edge| &compiled.edges[*edge]).filter(|edge| &*edge.port == "error");
    state.until.is_none() || red.any(|edge| !leaves_out(compiled, state, edge.to))
}

/// What the original of a re-run had left open beside the steps that run: nothing of it goes on here.
pub(super) fn leave_open(compiled: &Compiled, state: &mut RunState) {
    if state.until.is_none() {
        return;
    }
    let nodes = |state: &RunState, set: &BTreeSet<usize>| -> BTreeSet<usize> {
        set.iter().copied().filter(|node| !leaves_out(compiled, state, *node)).collect()
    };
    let slots = |state: &RunState, set: &BTreeSet<(usize, usize)>| -> BTreeSet<(usize, usize)> {
        set.iter().copied().filter(|(node, _)| !leaves_out(compiled, state, *node)).collect()
    };
    (state.ready, state.startable) = (nodes(state, &state.ready), nodes(state, &state.startable));
    (state.undecided, state.timed) = (slots(state, &state.undecided), slots(state, &state.timed));
    (state.inside, state.bodies) = (slots(state, &state.inside), slots(state, &state.bodies));
}

/// The step that the run ends after: what it puts out is what the run puts out.
pub(super) fn is_last(state: &RunState, node: usize) -> bool {
    state.until.as_deref().is_some_and(|until| until.step == node)
}
