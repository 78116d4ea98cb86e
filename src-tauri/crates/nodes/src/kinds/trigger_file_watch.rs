//! `trigger.file_watch`: hands on the file that started the run. A run that a person starts has none: it gets a sample that
//! looks the same.

use crate::fired;
use crate::{Kind, Outcome};
use serde_json::{Value, json};
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    fired::event(slot, || sample(slot))
}

fn sample(slot: &CallSlot) -> Value {
    let text = |name: &str, default: &str| slot.config.get(name).and_then(Value::as_str).unwrap_or(default).to_owned();
    let name = text("glob", "*").replace(['*', '?'], "sample");
    json!({
        "path": format!("{}/{name}", text("path", "").trim_end_matches('/')), "name": name, "size": 1024,
        "modified": slot.scope.run.get("startedAt").cloned().unwrap_or_default(), "event": "created",
        "triggerId": null, "manual": true,
    })
}
