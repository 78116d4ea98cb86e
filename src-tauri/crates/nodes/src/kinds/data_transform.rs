//! `data.transform`: the value of an expression becomes the item's data; with `split` a list becomes items.

use crate::support::{flag, kind_of, made, origin};
use crate::{Kind, Outcome, cel};
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::{Item, Items, NodeFailure};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    if !flag(slot, "split", false)? {
        return Ok(made(slot, cel::setting_value(slot, "expression")?));
    }
    // An element becomes an item before the next one is looked at: a long list is not there a second time (ADR 72).
    let mut items = Items::new();
    let mut take = |data| {
        let data = Arc::new(data);
        items.push_numbered(Item { data, paired_item: origin(slot), ..Item::default() });
    };
    match cel::setting_each(slot, "expression", &mut take)? {
        None => Ok(CallOutput::list("success", items)),
        Some(other) => Err(NodeFailure::validation(
            "SCHEMA_MISMATCH",
            format!("The expression gives {}, but 'One item per element' needs a list", kind_of(&other)),
        )
        .detail("field", "expression")),
    }
}
