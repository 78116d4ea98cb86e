//! `data.split`: one item for each entry of a list.

use crate::fields::{Field, choice, field, misfit, text_member};
use crate::support::{first, flag};
use crate::two_lists::named;
use crate::{Kind, Outcome};
use serde_json::Value;
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem};
use signalbox_model::data::Read;
use signalbox_model::{Item, Items, NodeFailure};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let list = field(slot, "field")?;
    let keeps = flag(slot, "keepOthers", false)?;
    let target = named(slot, "entryName")?;
    if !keeps
        && target.is_none()
        && let Some(list) = &list
        && let Some(text) = text_member(slot, &list.name)
        && let Read::List(entries) = text.read()
    {
        let mut items = Items::new();
        for data in entries.shared_entries() {
            let id = (items.len() + 1).to_string();
            items.push_data(Item { id, paired_item: Some(0), ..Item::default() }, data);
        }
        return Ok(CallOutput::list("success", items));
    }
    let missing_is_empty = choice(slot, "missing", &["error", "empty"])? == "empty";
    let data = first(slot);
    let entries = match &list {
        None => data.as_ref(),
        Some(field) if missing_is_empty => field.find(&data).unwrap_or(&Value::Null),
        Some(field) => field.require(&data, slot.item)?,
    };
    let entries = match entries {
        Value::Array(entries) => entries.as_slice(),
        Value::Null => &[],
        other => return Err(misfit(list.as_ref().map_or("", |field| &field.name), "a list", other, slot.item)),
    };
    let around = list.as_ref().filter(|_| keeps).map(|field| without(field, &data));
    let made = entries.iter().map(|entry| {
        let entry = match (&around, &list) {
            (Some(around), Some(list)) => {
                let mut whole = around.clone();
                target.as_deref().map_or_else(|| list.clone(), Field::new).put(&mut whole, entry.clone())?;
                whole
            }
            _ => match &target {
                Some(name) => Value::Object([(name.clone(), entry.clone())].into_iter().collect()),
                None => entry.clone(),
            },
        };
        Ok(OutItem::new(Arc::new(entry), Some(0)))
    });
    Ok(CallOutput::items("success", made.collect::<Result<Vec<_>, NodeFailure>>()?))
}

fn without(list: &Field, data: &Value) -> Value {
    let mut around = data.clone();
    list.remove(&mut around);
    around
}
