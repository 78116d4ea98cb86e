//! `data.transform`: the value of an expression becomes the item's data; with `split` a list becomes items.

use crate::support::{flag, kind_of, made, origin};
use crate::{Kind, Outcome, cel};
use serde_json::Value;
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem};
use signalbox_model::NodeFailure;
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let value = cel::setting_value(slot, "expression")?;
    if !flag(slot, "split", false)? {
        return Ok(made(slot, value));
    }
    match value {
        Value::Array(list) => Ok(CallOutput::items(
            "success",
            list.into_iter().map(|data| OutItem::new(Arc::new(data), origin(slot))).collect(),
        )),
        other => Err(NodeFailure::validation(
            "SCHEMA_MISMATCH",
            format!("The expression gives {}, but 'One item per element' needs a list", kind_of(&other)),
        )
        .detail("field", "expression")),
    }
}
