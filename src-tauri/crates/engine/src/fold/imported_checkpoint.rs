//! A run that begins at a checkpoint of another program (K-30): what does not run because it ended there, or because
//! nothing leads to it from the step where the run begins. There are no results of it, only the variables.

use super::case;
use super::settle_edges::{join, settle};
use crate::{
    compiled::{Compiled, CompiledEdge},
    reachable::reach,
    recovery::EdgeKind,
    state::{Body, EdgeState, RunState},
};
use serde_json::Value;
use signalbox_model::{Item, Items, NodeState, Role, base::Foreign};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the checkpoint says of this container; nothing for others.
pub(super) fn of<'a>(compiled: &Compiled, state: &'a RunState, node: usize) -> Option<&'a Foreign> {
    let here = compiled.nodes.frame(node) == 0 && compiled.nodes[node].file == 0;
    state.foreign.as_deref().filter(|known| here && *compiled.nodes[node].id == *known.step)
}

/// Iterations or branches of a container that ended elsewhere.
pub(super) fn ended(compiled: &Compiled, node: usize, body: &Body, known: &Foreign) -> Vec<usize> {
    let this = &compiled.nodes[node];
    match this.role {
        Role::Parallel => {
            let entry = |body: &usize| compiled.regions[*body].entries.first().map(|entry| &*compiled.nodes[*entry].id);
            let named = |id: &str| known.branches.iter().any(|branch| branch == id);
            (0..this.bodies.len()).filter(|index| entry(&this.bodies[*index]).is_some_and(named)).collect()
        }
        Role::Loop => {
            let total = body.total.unwrap_or(usize::MAX);
            (0..counted(&body.config, total, known.iterations))
                .chain(known.ended.iter().copied().filter(|index| *index < total))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// How many iterations a number of them stands for: the other program counts a parallel loop when all of it has ended; a
/// lower number names no iteration.
pub(crate) fn counted(config: &Value, total: usize, iterations: usize) -> usize {
    let parallel = config.get("mode").and_then(Value::as_str) == Some("parallel");
    if parallel && iterations < total { 0 } else { iterations.min(total) }
}

/// Branches of a fan-out by wires that ended: what only they lead to.
#[derive(Default)]
struct Branches {
    kept: BTreeSet<usize>,
    /// Per branch and step after it, one wire: items go on through it.
    bridges: BTreeSet<usize>,
    /// None is left, so the step itself does not run either (C-18).
    all: bool,
}

fn leads(edge: &CompiledEdge) -> bool {
    !edge.fallback && &*edge.port != "error" && !matches!(edge.kind, EdgeKind::Reentry | EdgeKind::ToRecovery)
}

fn branches(compiled: &Compiled, start: usize, known: &Foreign) -> Branches {
    if known.branches.is_empty() || compiled.is_container(start) {
        return Branches::default();
    }
    let children = children(compiled, start);
    let ended = |child: usize| known.branches.iter().any(|branch| **branch == *compiled.nodes[child].id);
    let mut from: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for child in &children {
        for node in reach(compiled, *child) {
            from.entry(node).or_default().push(*child);
        }
    }
    let mut found = Branches { all: children.iter().all(|child| ended(*child)), ..Branches::default() };
    let mut owner: BTreeMap<usize, usize> = BTreeMap::new();
    for (node, children) in from {
        if let [child] = children[..]
            && ended(child)
        {
            owner.insert(node, child);
            found.kept.insert(node);
        }
    }
    let mut bridged = BTreeSet::new();
    for (index, edge) in compiled.edges.iter().enumerate() {
        if let Some(child) = owner.get(&edge.from)
            && leads(edge)
            && !found.kept.contains(&edge.to)
            && bridged.insert((*child, edge.to))
        {
            found.bridges.insert(index);
        }
    }
    found
}

/// First steps of the branches that a step leads to by its wires.
pub(crate) fn children(compiled: &Compiled, start: usize) -> BTreeSet<usize> {
    let ways = compiled.nodes[start].out_edges.iter().map(|edge| &compiled.edges[*edge]);
    ways.filter(|edge| leads(edge)).map(|edge| edge.to).collect()
}

/// Whether the step itself runs: not when all its branches have ended.
pub(crate) fn begins(compiled: &Compiled, start: usize, known: &Foreign) -> bool {
    !branches(compiled, start, known).all
}

/// What does not run is settled; `None` when the definition does not have the step.
pub(super) fn settled(compiled: &Compiled, state: &mut RunState, known: &Foreign) -> Option<()> {
    let start = *compiled.files.first()?.index.get(&known.step)?;
    let branches = branches(compiled, start, known);
    let mut runs = reach(compiled, start);
    runs.retain(|node| !branches.kept.contains(node) && (*node != start || !branches.all));
    let top = compiled.regions.first()?;
    let outside: BTreeSet<usize> =
        top.nodes.iter().copied().filter(|node| !runs.contains(node) && !compiled.abort_region[*node]).collect();
    for node in &outside {
        let ended = branches.kept.contains(node) || known.completed.iter().any(|id| **id == *compiled.nodes[*node].id);
        let run = &mut state.nodes[*node];
        (run.visits, run.activation) = (0, None);
        run.state = if ended { NodeState::Succeeded } else { NodeState::Skipped };
        state.work.ended(*node);
    }
    // The step leads to branches that ended, too: nothing goes there any more.
    for node in &branches.kept {
        for edge in &compiled.nodes[*node].in_edges {
            if !outside.contains(&compiled.edges[*edge].from) {
                state.edges[*edge] = EdgeState::Dead;
            }
        }
    }
    let item = Item { id: "1".into(), data: Arc::clone(&known.item), binary: None, error: None, paired_item: None };
    let handed_on = Arc::new(Items::from(vec![item]));
    let mut todo = Vec::new();
    for node in outside.iter().filter(|node| compiled.nodes[**node].recovery.is_none()) {
        for edge in &compiled.nodes[*node].out_edges {
            let goes_on = branches.bridges.contains(edge);
            let how = if goes_on { EdgeState::Taken(Arc::clone(&handed_on)) } else { EdgeState::Dead };
            settle(compiled, state, *edge, how, &mut todo);
        }
        case::origin_ended(compiled, state, *node, Vec::new(), &mut todo);
    }
    while let Some(node) = todo.pop() {
        // The step itself is begun by name.
        if node != start && !outside.contains(&node) {
            join(compiled, state, node, &mut todo);
        }
    }
    Some(())
}
