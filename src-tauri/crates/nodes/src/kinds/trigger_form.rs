//! `trigger.form`: hands on what a person submitted, with the files beside it. A run that a person starts by hand gets a
//! sample that the schema of the form makes.

use crate::fired::{self, FileList};
use crate::{Kind, Outcome};
use serde_json::{Value, json};
use signalbox_engine::effect::CallSlot;
use signalbox_engine::form::sample_answers;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    fired::with_files(slot, Some(FileList { field: "files", media: "mime" }), || sample(slot))
}

fn sample(slot: &CallSlot) -> Value {
    let answers = slot.config.get("schema").map(sample_answers).unwrap_or_default();
    json!({
        "answers": answers, "files": [], "submittedAt": slot.scope.run.get("startedAt").cloned().unwrap_or_default(),
        "triggerId": null, "manual": true,
    })
}
