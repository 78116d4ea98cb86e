//! Where a run stands, for people and programs (C-02, K-33): the step that is next, what has ended, what of containers.

use crate::{
    compiled::Compiled,
    fold,
    state::{Outcome, RunState},
};
use signalbox_model::{NodeState, Role, base::named};
use std::collections::BTreeMap;

/// Where a run stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Standing {
    /// The first step that is to run or is running, with its path.
    pub current: Option<String>,
    /// Steps at the top that have ended well, in the order of the file.
    pub completed: Vec<String>,
    /// Branches that have ended, by the named parallel.
    pub branches: BTreeMap<String, Vec<String>>,
    /// Iterations that have ended, by the named loop.
    pub iterations: BTreeMap<String, Vec<usize>>,
}

/// Where a run stands in this state.
pub fn of(compiled: &Compiled, state: &RunState) -> Standing {
    let name = |node: usize| named(fold::place::path_of(compiled, state, node).as_deref(), compiled.node_id(node));
    let slots = [state.work.in_flight(), state.work.timed(), state.work.undecided(), state.work.auditing()];
    let busy = slots.into_iter().flatten().map(|(node, _)| *node);
    let asked = state.tasks.values().flat_map(|task| task.cases.iter().map(|(node, _)| *node));
    // What is inside a container has a higher number than all that is at the top.
    let next =
        busy.chain(asked).chain(state.work.ready().iter().copied()).chain(state.work.startable().iter().copied()).min();
    let ended = |node: NodeState| matches!(node, NodeState::Succeeded | NodeState::ErrorHandled);
    let mut standing = Standing { current: next.map(name), ..Standing::default() };
    for (index, node) in compiled.nodes.iter().enumerate().filter(|(_, node)| node.file == 0 && node.region == 0) {
        if state.nodes.get(index).is_some_and(|run| ended(run.state)) {
            standing.completed.push(node.id.to_string());
        }
    }
    for (node, slot) in state.work.inside() {
        let Some(body) = fold::slot_ref(state, *node, *slot).and_then(|slot| slot.body.as_deref()) else { continue };
        let well = |(index, outcome): (usize, &Option<Outcome>)| {
            matches!(outcome, Some(Outcome::Result(_) | Outcome::Leaves(_) | Outcome::Elsewhere)).then_some(index)
        };
        let done: Vec<usize> = body.done.iter().enumerate().filter_map(well).collect();
        let this = &compiled.nodes[*node];
        match this.role {
            Role::Loop => {
                standing.iterations.insert(name(*node), done);
            }
            Role::Parallel => {
                let entry = |index: usize| {
                    let region = this.bodies.get(index)?;
                    compiled.regions[*region].entries.first().map(|entry| compiled.nodes[*entry].id.to_string())
                };
                standing.branches.insert(name(*node), done.into_iter().filter_map(entry).collect());
            }
            _ => {}
        }
    }
    standing
}
