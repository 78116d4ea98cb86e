//! `trigger.message`: hands on the message that started the run. A run that a person starts has none: it gets a sample that
//! looks the same.

use crate::fired;
use crate::{Kind, Outcome};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    fired::event(slot, || {
        let topic = slot.config.get("topic").and_then(Value::as_str).unwrap_or_default();
        let mut sample = crate::brokers::message_sample(topic);
        sample.insert("triggerId".to_owned(), Value::Null);
        sample.insert("manual".to_owned(), true.into());
        Value::Object(sample)
    })
}
