//! `flow.if`: two ways by one condition. In `mode: all` the condition is asked once and all items go the same way.

use crate::support::pass;
use crate::{Kind, Outcome, cel};
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let yes = cel::setting_bool(slot, "condition")?;
    Ok(pass(slot, if yes { "true" } else { "false" }))
}
