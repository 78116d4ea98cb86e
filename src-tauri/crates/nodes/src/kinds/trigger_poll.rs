//! `trigger.poll`: outputs the new items of the source, each as the source lists it. A run that a person starts has none: it
//! gets a sample.

use crate::support::{fired_event, origin};
use crate::{Kind, Outcome};
use serde_json::{Value, json};
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let listed = match fired_event(slot) {
        Some(mut event) => event.get_mut("items").map(Value::take),
        None => None,
    };
    let items = match listed {
        Some(Value::Array(items)) => items,
        Some(_) | None => vec![json!({ "sample": true })],
    };
    let from = origin(slot);
    Ok(CallOutput::items("success", items.into_iter().map(|item| OutItem::new(Arc::new(item), from))))
}
