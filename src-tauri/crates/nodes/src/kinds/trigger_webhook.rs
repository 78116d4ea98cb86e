//! `trigger.webhook`: hands on the request that started the run, with its files beside it. A run that a person starts has
//! none: it gets a sample that looks the same.

use crate::fired::{self, FileList};
use crate::{Kind, Outcome};
use serde_json::{Value, json};
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    fired::with_files(slot, Some(FileList { field: "files", media: "mime" }), || sample(slot))
}

fn sample(slot: &CallSlot) -> Value {
    let method = slot.config.pointer("/methods/0").and_then(Value::as_str).unwrap_or("POST");
    json!({
        "method": method, "path": slot.config.get("path"), "query": {}, "headers": {},
        "contentType": "application/json", "body": {}, "files": [], "deliveryId": null,
        "receivedAt": slot.scope.run.get("startedAt"), "triggerId": null, "manual": true,
    })
}
