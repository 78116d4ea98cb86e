//! `trigger.mail`: hands on the message that started the run, with its attachments beside it. A run that a person starts has
//! none: it gets a sample that looks the same.

use crate::binary::plain_media;
use crate::support::{fired_event, origin};
use crate::{Kind, Outcome};
use serde_json::Value;
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

/// The attachments of the event; their bytes were kept with the run when it was created.
fn binaries(event: &Value) -> Option<Binaries> {
    let files = event["attachments"].as_array()?.iter().filter_map(|file| {
        let name = file["binary"].as_str()?.to_owned();
        let media = plain_media(file["type"].as_str().unwrap_or_default());
        Some((name, BinaryRef::new(file["sha256"].as_str()?.to_owned(), media, file["size"].as_u64()?)))
    });
    Some(files.collect::<Binaries>()).filter(|files| !files.is_empty())
}

fn sample(slot: &CallSlot) -> Value {
    let mailbox = slot.config.get("mailbox").and_then(Value::as_str).unwrap_or("INBOX");
    let started = slot.scope.run.get("startedAt").cloned().unwrap_or_default();
    let mut sample = crate::mail::watch::sample(mailbox, &started);
    sample.insert("triggerId".to_owned(), Value::Null);
    sample.insert("manual".to_owned(), true.into());
    Value::Object(sample)
}
