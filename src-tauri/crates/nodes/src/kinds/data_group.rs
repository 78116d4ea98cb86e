//! `data.group`: one item for each group of items that are the same in some fields.

use crate::groups::{Group, groups};
use crate::support::text_or;
use crate::{Kind, Outcome};
use serde_json::Value;
use signalbox_engine::effect::{CallOutput, CallSlot};

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let into = text_or(slot, "into", "items")?;
    let count = text_or(slot, "countName", "count")?;
    let made = groups(slot)?.into_iter().map(|Group { mut head, members }| {
        let list = members.iter().map(|(_, data)| (**data).clone()).collect();
        if !count.is_empty() {
            head.insert(count.to_owned(), members.len().into());
        }
        head.insert(into.to_owned(), Value::Array(list));
        Group { head, members }.item(slot)
    });
    Ok(CallOutput::items("success", made.collect::<Vec<_>>()))
}
