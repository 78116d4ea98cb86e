//! `data.aggregate`: all items become one, their data or one field of it as a list under `into`.

use crate::fields::{field, rows};
use crate::support::text_or;
use crate::{Kind, Outcome};
use serde_json::{Map, Value};
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem};
use signalbox_model::item::together;
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let into = text_or(slot, "into", "items")?;
    let list = match field(slot, "field")? {
        Some(field) => {
            let value = |(index, data): (usize, &Arc<Value>)| field.require(data, index).cloned();
            rows(slot).iter().enumerate().map(value).collect::<Result<_, _>>()?
        }
        None => rows(slot).iter().map(|data| (**data).clone()).collect(),
    };
    let data = Map::from_iter([(into.to_owned(), Value::Array(list))]);
    // Made from all items, so it comes from none in particular.
    Ok(CallOutput::items(
        "success",
        vec![OutItem {
            data: Arc::new(Value::Object(data)),
            binary: together(slot.input.iter().filter_map(|item| item.binary.as_ref())),
            paired: None,
        }],
    ))
}
