//! `flow.noop`: hands its items on.

use crate::support::pass;
use crate::{Kind, Outcome};
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    Ok(pass(slot, "success"))
}
