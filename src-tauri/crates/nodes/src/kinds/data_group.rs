//! `data.group`: one item for each group of items that are the same in some fields.

use crate::groups::groups;
use crate::support::text_or;
use crate::{Kind, Outcome};
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::Items;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let into = text_or(slot, "into", "items")?;
    let count = text_or(slot, "countName", "count")?;
    let mut made = Items::new();
    for mut group in groups(slot)? {
        if !count.is_empty() {
            group.head.insert(count.to_owned(), group.members.len().into());
        }
        group.push_with_members(into, slot, &mut made);
    }
    Ok(CallOutput::list("success", made))
}
