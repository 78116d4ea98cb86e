//! `data.aggregate`: all items become one, their data or one field of it as a list under `into`.

use crate::fields::field;
use crate::support::text_or;
use crate::{Kind, Outcome};
use serde_json::{Map, Value};
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::data::TEXT_FROM;
use signalbox_model::item::together;
use signalbox_model::{Data, Item, Items};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let into = text_or(slot, "into", "items")?;
    let data = match field(slot, "field")? {
        Some(field) => {
            // One item is there at a time: as values a long list would take ten times its text.
            let value = |index| field.require(&slot.input.data(index).unwrap_or_default(), index).cloned();
            object(into, (0..slot.input.len()).map(value).collect::<Result<_, _>>()?)
        }
        None => whole(slot, into),
    };
    // Made from all items, so it comes from none in particular.
    let item = Item { id: "1".into(), binary: together(slot.input.binaries()), ..Item::default() };
    let mut items = Items::new();
    items.push_data(item, data);
    Ok(CallOutput::list("success", items))
}

fn object(into: &str, list: Vec<Value>) -> Data {
    Value::Object(Map::from_iter([(into.to_owned(), Value::Array(list))])).into()
}

/// The data of all items. A long list is written from the texts of its rows: as values it would take ten times as much.
fn whole(slot: &CallSlot, into: &str) -> Data {
    let rows = || (0..slot.input.len()).filter_map(|index| slot.input.kept(index));
    let length: usize = rows().map(|row| row.length()).sum();
    if length < TEXT_FROM {
        return object(into, rows().map(|row| Arc::unwrap_or_clone(row.value())).collect());
    }
    let mut text = format!("{{{}:", Value::from(into));
    text.reserve(length + slot.input.len() + 2);
    Data::append_list(rows(), &mut text);
    text.push('}');
    Data::written(text)
}
