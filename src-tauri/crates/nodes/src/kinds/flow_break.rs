//! `flow.break`: ends the loop around it. The engine does the ending.

use crate::{Kind, Outcome};
use signalbox_engine::effect::{CallOutput, CallSlot};

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(_slot: &CallSlot) -> Outcome {
    Ok(CallOutput::default())
}
