//! What every trigger hands on: the event that started the run, and its files. A run that a person starts has none: it
//! gets a sample that looks the same.

use crate::Outcome;
use crate::binary::plain_media;
use crate::support::{fired_event, origin};
use serde_json::Value;
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem};
use signalbox_model::{Binaries, BinaryRef};
use std::sync::Arc;

/// Where the files of an event are named.
pub(crate) struct FileList {
    /// The list.
    pub(crate) field: &'static str,
    /// The field of each with its media type.
    pub(crate) media: &'static str,
}

/// The event, or the sample.
pub(crate) fn event(slot: &CallSlot, sample: impl FnOnce() -> Value) -> Outcome {
    with_files(slot, None, sample)
}

/// [`event`] with its files, whose bytes were kept with the run when it was created.
pub(crate) fn with_files(slot: &CallSlot, files: Option<FileList>, sample: impl FnOnce() -> Value) -> Outcome {
    let data = fired_event(slot).unwrap_or_else(sample);
    let binary = files.and_then(|files| binaries(&data, &files));
    let item = OutItem { binary, ..OutItem::new(Arc::new(data), origin(slot)) };
    Ok(CallOutput::items("success", [item]))
}

fn binaries(event: &Value, files: &FileList) -> Option<Binaries> {
    let found = event[files.field].as_array()?.iter().filter_map(|file| {
        let name = file["binary"].as_str()?.to_owned();
        let media = plain_media(file[files.media].as_str().unwrap_or_default());
        Some((name, BinaryRef::new(file["sha256"].as_str()?.to_owned(), media, file["size"].as_u64()?)))
    });
    Some(found.collect::<Binaries>()).filter(|found| !found.is_empty())
}
