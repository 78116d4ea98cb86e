//! `trigger.schedule`: hands on the event that started the run. A run that a person starts has none: it gets a sample that
//! looks the same, for the moment of its start.

use crate::fired;
use crate::{Kind, Outcome};
use serde_json::{Value, json};
use signalbox_engine::effect::CallSlot;
use signalbox_engine::schedule::Schedule;
use signalbox_model::time;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    fired::event(slot, || sample(slot))
}

fn sample(slot: &CallSlot) -> Value {
    let now = slot.scope.run.get("startedAt").cloned().unwrap_or_default();
    let schedule = Schedule::read(&slot.config).ok();
    let local = schedule.as_ref().zip(now.as_str().and_then(time::parse)).map(|(schedule, at)| schedule.local(at));
    json!({
        "scheduledAt": now, "firedAt": now, "timezone": schedule.map(|schedule| schedule.timezone), "local": local,
        "triggerId": null, "manual": true,
    })
}
