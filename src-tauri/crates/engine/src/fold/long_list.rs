//! Which steps read the list of their wires where it lies (ADR 157).

use super::{activation, slot_ref};
use crate::{compiled::Compiled, state::RunState};
use signalbox_model::Mode;

/// Kinds that take all items and look at one after the other.
const READ_LISTS: &[&str] = &[
    "file.write",
    "db.write",
    "data.limit",
    "data.dedupe",
    "data.group",
    "data.summarise",
    "data.sort",
    "data.aggregate",
    "data.merge",
    "data.compare",
    "data.format",
    "sheet.fill",
    "sheet.write",
    "code.javascript",
];

/// The step reads the list of its wires where it lies: what is long is neither told again in an event nor kept by the slot (ADR 157).
pub(crate) fn reads_list(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> bool {
    let this = &compiled.nodes[node];
    if this.mode == Mode::Each || !READ_LISTS.contains(&&*this.kind) {
        return false;
    }
    let is_long = activation(state, node).is_some_and(|known| known.input.len() >= compiled.long);
    is_long
        && this.node.input.is_none()
        && this.input_schema.is_none()
        && !this.uses_items
        && this.pinned.is_none()
        && this.guards.before.is_empty()
        && this.guards.after.is_empty()
        && !slot_ref(state, node, slot).is_some_and(|slot| slot.replaced)
}
