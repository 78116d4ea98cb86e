//! `flow.wait`: the engine owns the timer; when it is due, the items go on.

use crate::support::pass;
use crate::{Kind, Outcome};
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    Ok(pass(slot, "success"))
}
