//! `trigger.mail`: hands on the message that started the run, with its attachments beside it. A run that a person starts has
//! none: it gets a sample that looks the same.

use crate::fired::{self, FileList};
use crate::{Kind, Outcome};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    fired::with_files(slot, Some(FileList { field: "attachments", media: "type" }), || sample(slot))
}

fn sample(slot: &CallSlot) -> Value {
    let mailbox = slot.config.get("mailbox").and_then(Value::as_str).unwrap_or("INBOX");
    let started = slot.scope.run.get("startedAt").cloned().unwrap_or_default();
    let mut sample = crate::mail::watch::sample(mailbox, &started);
    sample.insert("triggerId".to_owned(), Value::Null);
    sample.insert("manual".to_owned(), true.into());
    Value::Object(sample)
}
