//! The end of a run: the chain after an abort, and what the terminal event leaves.

use super::place::path_of;
use super::settle_edges::{join, settle};
use super::{activate, cancel_scope, error_item};
use crate::{
    compiled::Compiled,
    numbers::Spread,
    state::{EdgeState, Ending, NodeRun, Phase, RunState, Transient, WorkIndex},
};
use signalbox_model::{NodeState, RunStatus};
use std::collections::HashMap;

/// Once nothing is under way after an abort, the `onAbort` chain is activated: it follows from the state alone.
pub(super) fn settle_ending(compiled: &Compiled, state: &mut RunState) {
    if state.status.is_terminal() || state.is_busy() {
        return;
    }
    let Some(Ending::Abort { error, chain, .. }) = &mut state.ending else { return };
    let Some(start) = compiled.on_abort else { return };
    if *chain {
        return;
    }
    *chain = true;
    let item = error_item(error, None, None);
    state.work.stop_starting();
    // Wires from outside the chain can carry nothing any more.
    let mut todo = Vec::new();
    for (i, edge) in compiled.edges.iter().enumerate() {
        if compiled.abort_region[edge.to] && !compiled.abort_region[edge.from] && edge.to != start {
            settle(compiled, state, i, EdgeState::Dead, &mut todo);
        }
    }
    while let Some(ready) = todo.pop() {
        join(compiled, state, ready, &mut todo);
    }
    if compiled.abort_region[start] {
        activate(compiled, state, start, vec![item].into());
    }
}

/// The terminal event: what had not ended is cancelled, what was never reached is skipped or cancelled.
pub(super) fn finish(compiled: &Compiled, state: &mut RunState, status: RunStatus) {
    // A run that ends after a step was not stopped on its way: what is left was never to run.
    let stopped = state.ending.is_some() && (state.until.is_none() || state.stop_id.is_some());
    state.status = status;
    let open: Vec<(usize, NodeRun)> = state.nodes.inner().map(|(node, run)| (node, run.clone())).collect();
    let idle: Vec<usize> =
        open.iter().map(|(node, _)| *node).filter(|node| had_nothing_to_do(compiled, state, *node)).collect();
    for (node, run) in open {
        let failed = run.activation.as_ref().is_some_and(|a| a.slots.open().any(|(_, s)| s.phase == Phase::Failed));
        let ended = match cancel_scope::cancelled(run.state) {
            _ if failed => NodeState::Failed,
            _ if idle.binary_search(&node).is_ok() => NodeState::Skipped,
            ended => ended,
        };
        let run = NodeRun { state: ended, ..run };
        if let Some(path) = path_of(compiled, state, node) {
            state.gone.add(&path, &compiled.nodes[compiled.nodes.local(node)].id, &run);
        }
        cancel_scope::add(&mut state.nodes[compiled.nodes.local(node)], &run);
    }
    state.nodes.clear_inner();
    state.frames.clear();
    for node in settled_before(compiled, state) {
        state.nodes[node].state = NodeState::Skipped;
    }
    for node in state.nodes.top_mut() {
        let left = node.activation.take();
        let active = left.is_some();
        if left.is_some_and(|a| a.slots.open().any(|(_, s)| s.phase == Phase::Failed)) {
            node.state = NodeState::Failed;
            continue;
        }
        if node.state == NodeState::Pending && status == RunStatus::Completed && !stopped && !active {
            node.state = NodeState::Skipped;
        }
        node.state = cancel_scope::cancelled(node.state);
    }
    state.edges = Spread::new(Vec::new());
    state.work = WorkIndex::default();
    state.tasks.clear();
    state.exits.clear();
    state.ending = None;
    state.debug = None;
    state.cancel = Transient::default();
}

/// It has ended, and nothing cut it off.
fn has_ended(state: &RunState, node: usize) -> bool {
    let known = state.nodes.get(node).map(|run| run.state);
    matches!(known, Some(NodeState::Skipped | NodeState::Succeeded | NodeState::ErrorHandled))
}

/// A recovery node to which no case came, and none can come any more: all that it stands by have ended.
pub(super) fn had_nothing_to_do(compiled: &Compiled, state: &RunState, node: usize) -> bool {
    let this = &compiled.nodes[node];
    this.recovery.is_some()
        && state.nodes.get(node).is_some_and(|run| run.state == NodeState::Pending)
        && this.origins.iter().all(|origin| has_ended(state, compiled.beside(node, *origin)))
}

/// What did not run and was settled all the same, though no wire says so: the body of a container that has ended without it,
/// and a recovery node that had nothing to do.
fn settled_before(compiled: &Compiled, state: &RunState) -> Vec<usize> {
    let bodies = compiled.nodes.iter().enumerate();
    let holds: HashMap<usize, usize> =
        bodies.flat_map(|(node, known)| known.bodies.iter().map(move |body| (*body, node))).collect();
    let mut found = vec![false; compiled.nodes.len()];
    loop {
        let more: Vec<usize> = (0..found.len())
            .filter(|node| !found[*node] && state.nodes[*node].state == NodeState::Pending)
            .filter(|node| state.nodes[*node].activation.is_none())
            .filter(|node| {
                let around = holds.get(&compiled.nodes[*node].region);
                around.is_some_and(|around| found[*around] || has_ended(state, *around))
                    || had_nothing_to_do(compiled, state, *node)
            })
            .collect();
        if more.is_empty() {
            return (0..found.len()).filter(|node| found[*node]).collect();
        }
        more.into_iter().for_each(|node| found[node] = true);
    }
}
