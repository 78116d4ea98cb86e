//! `builtin.error_as_context`: `{error, data}` as ordinary data (E-46…E-48).

use crate::support::made;
use crate::{Kind, Outcome};
use serde_json::json;
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    Ok(made(slot, json!({ "error": *slot.scope.error, "data": *slot.scope.data.value() })))
}
