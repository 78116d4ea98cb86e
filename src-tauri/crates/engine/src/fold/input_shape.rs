//! The shape of the input of a call.

use super::{activation_input, slot_ref};
use crate::compiled::Compiled;
use crate::state::RunState;
use signalbox_model::Mode;

/// The input of a call is a list of the data of all items, not the data of one: `in` makes one, a person who corrected it
/// may have made several.
pub(crate) fn is_list(compiled: &Compiled, state: &RunState, node: usize, slot: usize) -> bool {
    let this = &compiled.nodes[node];
    let corrected = || slot_ref(state, node, slot).is_some_and(|slot| slot.replaced && slot.input.len() != 1);
    this.mode == Mode::All && activation_input(state, node).len() != 1 && (this.node.input.is_none() || corrected())
}
