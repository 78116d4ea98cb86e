//! `data.filter`: items for which `when` is true go on through `success`, the others through `rest`.

use crate::support::pass;
use crate::{Kind, Outcome, cel};
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let keep = cel::setting_bool(slot, "when")?;
    Ok(pass(slot, if keep { "success" } else { "rest" }))
}
