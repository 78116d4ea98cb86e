//! `trigger.webhook`: hands on the request that started the run, with its files beside it. A run that a person starts has
//! none: it gets a sample that looks the same.

use crate::binary::plain_media;
use crate::support::{fired_event, origin};
use crate::{Kind, Outcome};
use serde_json::{Value, json};
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem};
use signalbox_model::{Binaries, BinaryRef};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let data = fired_event(slot).unwrap_or_else(|| sample(slot));
    let binary = binaries(&data);
    let item = OutItem { binary, ..OutItem::new(Arc::new(data), origin(slot)) };
    Ok(CallOutput::items("success", [item]))
}

/// The files of the request; their bytes were kept with the run when it was created.
fn binaries(event: &Value) -> Option<Binaries> {
    let files = event["files"].as_array()?.iter().filter_map(|file| {
        let name = file["binary"].as_str()?.to_owned();
        let media = plain_media(file["mime"].as_str().unwrap_or_default());
        Some((name, BinaryRef::new(file["sha256"].as_str()?.to_owned(), media, file["size"].as_u64()?)))
    });
    Some(files.collect::<Binaries>()).filter(|files| !files.is_empty())
}

fn sample(slot: &CallSlot) -> Value {
    let method = slot.config.pointer("/methods/0").and_then(Value::as_str).unwrap_or("POST");
    json!({
        "method": method, "path": slot.config.get("path"), "query": {}, "headers": {},
        "contentType": "application/json", "body": {}, "files": [], "deliveryId": null,
        "receivedAt": slot.scope.run.get("startedAt"), "triggerId": null, "manual": true,
    })
}
