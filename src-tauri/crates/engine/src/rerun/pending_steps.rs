//! What had not ended where a re-run begins (SEMANTICS 9): beside all that its step leads to, these steps may run, too. An
//! iteration that the original did not come to has nothing in the state that stands for its steps: its container does.

use crate::{
    compiled::Compiled,
    fold::place::is_cut,
    reachable::reach_all,
    state::{Body, NodeRun, Outcome, Phase, RunState},
};
use signalbox_model::{NodeState, Role};
use std::collections::BTreeSet;

/// Steps of all files, by their numbers in the workflow, that may run in one iteration or for one item at least.
pub(super) fn to_come(compiled: &Compiled, state: &RunState) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for (number, run) in state.nodes.all() {
        let node = compiled.nodes.local(number);
        // At the top stands of the steps of a body only what their iterations came to.
        let counts = compiled.nodes.frame(number) == 0 && compiled.nodes[node].region != 0;
        if !counts && is_open(run) && !is_cut(compiled, state, number) {
            found.insert(node);
            inside(compiled, state, run, node, &mut found);
        }
    }
    // When one of these fails.
    let recovery = |node: &usize| compiled.nodes[*node].recovery.is_some();
    let helpers = reach_all(compiled, found.iter().copied());
    found.extend(helpers.into_iter().filter(recovery));
    found
}

fn is_open(run: &NodeRun) -> bool {
    match run.state {
        NodeState::Skipped
        | NodeState::Succeeded
        | NodeState::ErrorHandled
        | NodeState::Cancelled
        | NodeState::Failed => false,
        NodeState::Pending | NodeState::Running | NodeState::Retrying | NodeState::AwaitingHitl => true,
    }
}

/// Of a container that has not ended, what may begin in it. What has begun there stands in the state by itself.
fn inside(compiled: &Compiled, state: &RunState, run: &NodeRun, node: usize, found: &mut BTreeSet<usize>) {
    let bodies = &compiled.nodes[node].bodies;
    let Some(activation) = &run.activation else {
        bodies.iter().for_each(|body| held(compiled, *body, found));
        return;
    };
    let all_begin = activation.slots.fresh(0).next().is_some();
    for (index, region) in bodies.iter().enumerate() {
        let begins = activation.slots.open().any(|(_, slot)| match (&slot.phase, slot.body.as_deref()) {
            (phase, _) if phase.is_closed() => false,
            (Phase::Inside, Some(body)) if compiled.nodes[node].role == Role::Parallel => is_left(state, body, index),
            (Phase::Inside, Some(body)) => is_any_left(state, body),
            _ => true,
        });
        if all_begin || begins {
            held(compiled, *region, found);
        }
    }
}

/// Some iteration of a body has not begun, or failed and may begin again. How many a `while` has, nobody knows.
fn is_any_left(state: &RunState, body: &Body) -> bool {
    !body.broken && body.total.is_none_or(|total| (0..total).any(|index| is_left(state, body, index)))
}

fn is_left(state: &RunState, body: &Body, index: usize) -> bool {
    let live = || body.live.iter().any(|frame| state.frames.get(*frame).is_some_and(|frame| frame.index == index));
    body.outcome(index).is_none_or(|outcome| matches!(outcome, Outcome::Rejected(_))) && !live()
}

/// All steps of a body, those of the bodies in it included.
fn held(compiled: &Compiled, region: usize, found: &mut BTreeSet<usize>) {
    // A file may be called by several steps.
    let (mut todo, mut seen) = (vec![region], BTreeSet::new());
    while let Some(region) = todo.pop() {
        let Some(parts) = compiled.regions.get(region).filter(|_| seen.insert(region)) else { continue };
        found.extend(&parts.nodes);
        todo.extend(parts.nodes.iter().flat_map(|node| &compiled.nodes[*node].bodies));
    }
}
