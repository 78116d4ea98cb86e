//! `flow.subworkflow`: a container whose body is another file. The engine runs it and never calls this.

use crate::{Kind, Outcome};
use signalbox_engine::effect::{CallOutput, CallSlot};

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(_slot: &CallSlot) -> Outcome {
    Ok(CallOutput::default())
}
