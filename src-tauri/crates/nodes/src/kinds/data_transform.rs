//! `data.transform`: the value of an expression becomes the item's data; with `split` a list becomes items.

use crate::support::{flag, kind_of, made_data, origin};
use crate::{Kind, Outcome, cel};
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::{Item, Items, NodeFailure};

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    if !flag(slot, "split", false)? {
        return Ok(made_data(slot, cel::setting_data(slot, "expression")?));
    }
    // An element becomes an item before the next one is looked at: a long list is not there a second time (ADR 72).
    let mut items = Items::new();
    let mut take = |data| {
        let id = (items.len() + 1).to_string();
        items.push_data(Item { id, paired_item: origin(slot), ..Item::default() }, data);
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
