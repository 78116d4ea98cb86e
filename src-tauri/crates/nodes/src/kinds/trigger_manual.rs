//! `trigger.manual`: a person starts the run; hands the run's input on.

use crate::support::{made, pass};
use crate::{Kind, Outcome};
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    if slot.input.is_empty() {
        return Ok(made(slot, (*slot.scope.params).clone()));
    }
    Ok(pass(slot, "success"))
}
