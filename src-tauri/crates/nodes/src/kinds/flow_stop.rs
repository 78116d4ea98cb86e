//! `flow.stop`: ends the run; the items that entered it are the run's output. The engine does the ending.

use crate::{Kind, Outcome};
use signalbox_engine::effect::{CallOutput, CallSlot};

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(_slot: &CallSlot) -> Outcome {
    Ok(CallOutput::default())
}
