//! The lineage of items in a run: noted when a step gets its input, looked up for `paired('step')`.

use super::{activation_input, place, slot_ref};
use crate::{
    compiled::Compiled,
    lineage::{Lineage, Steps, Unpaired, Wire, trace},
    scope::Paired,
    state::{EdgeState, RunState},
};
use signalbox_model::{Items, Mode, NodeState, Role};
use std::sync::Arc;

/// Where the input of a step came from, by what its wires brought. Where it is not what they brought, as at the beginning of a
/// re-run, what was noted before stands if it has as many items.
pub(crate) fn note(compiled: &Compiled, state: &RunState, node: usize, input: &Items) -> Option<Arc<Lineage>> {
    if !compiled.file(node).follows_items {
        return None;
    }
    let mut wires = Vec::new();
    for edge in &compiled.nodes[node].in_edges {
        if let Some(EdgeState::Consumed(items)) = state.edges.get(compiled.wire(node, *edge)) {
            let edge = &compiled.edges[*edge];
            let step = compiled.beside(node, sender(compiled, edge.from));
            // What a step could not do has no result of that step.
            let failed = edge.fallback || compiled.nodes[edge.from].recovery.is_some();
            let port = if failed { Arc::from("error") } else { Arc::clone(&edge.port) };
            wires.push(Wire { step, port, items: *items });
        }
    }
    if wires.iter().map(|wire| wire.items).sum::<usize>() != input.len() || wires.is_empty() {
        return state.nodes[node].lineage.clone().filter(|known| known.paired.len() == input.len());
    }
    let made_of = |index| input.bare(index).and_then(|item| u32::try_from(item.paired_item?).ok());
    Some(Arc::new(Lineage { wires, paired: (0..input.len()).map(made_of).collect() }))
}

/// Whose items a wire brings: what leaves a recovery step are the cases of the step that failed, where that is one alone.
fn sender(compiled: &Compiled, from: usize) -> usize {
    match compiled.nodes[from].origins.as_slice() {
        [origin] if compiled.nodes[from].recovery.is_some() => *origin,
        _ => from,
    }
}

/// A run, to follow its items.
struct Run<'a> {
    compiled: &'a Compiled,
    state: &'a RunState,
}

impl Steps for Run<'_> {
    fn lineage(&self, step: usize) -> Option<&Lineage> {
        self.state.nodes.get(step)?.lineage.as_deref()
    }

    fn passed_on(&self, step: usize) -> bool {
        self.state.nodes.get(step).is_some_and(|run| run.state == NodeState::Skipped && run.visits == 0)
    }

    fn entered(&self, step: usize, index: usize) -> Option<(usize, Option<usize>)> {
        let (_, frame) = place::around(self.compiled, self.state, step).next()?;
        if frame.own.is_some() {
            // Another file: nothing of the one that calls it can be named here.
            return None;
        }
        let slot = slot_ref(self.state, frame.container, frame.slot)?;
        // `in`, a repair or a person may have made others of its items.
        let same = self.lineage(frame.container).is_some_and(|known| known.paired.len() == slot.input.len());
        let set = |name: &str| slot.config.as_ref().is_some_and(|config| config.get(name).is_some());
        let item = match self.compiled.nodes[frame.container].role {
            Role::Loop if set("source") || set("while") => None,
            Role::Loop => Some(frame.index),
            _ => Some(index),
        };
        Some((frame.container, item.filter(|_| same)))
    }
}

/// The items of earlier steps that a slot of a node names and descends from.
pub(crate) fn of(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> Option<Arc<Paired>> {
    let this = &compiled.nodes[node];
    if this.paired.is_empty() {
        return None;
    }
    let items = match this.mode {
        Mode::Each => slot..slot + 1,
        Mode::All => 0..activation_input(state, node).len(),
    };
    let run = Run { compiled, state };
    let found = this.paired.iter().map(|local| {
        let result = || {
            let target = place::visible(compiled, state, node, *local).ok_or(Unpaired::Unrelated)?;
            let last = state.nodes.get(target).and_then(|run| run.last.as_ref());
            // One that put out nothing but errors has no result; the item may still be one of those.
            let only = last.is_some_and(|last| last.items.len() == 1);
            let (port, place) = trace(&run, node, items.clone(), target, only)?;
            last.and_then(|last| last.item(&port, place)).ok_or(Unpaired::Unrelated)
        };
        (compiled.nodes[*local].id.to_string(), result())
    });
    Some(Arc::new(found.collect()))
}
