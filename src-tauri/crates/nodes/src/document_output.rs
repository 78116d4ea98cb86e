//! Files that steps make: written into a folder, or attached to the item.

use crate::fields::choice;
use crate::file_error::{file_failure, path};
use crate::{Outcome, binary, formats};
use serde_json::{Map, Value};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::event::{FileDone, GrantedFile};
use signalbox_model::{CallProgress, NodeFailure};
use signalbox_ports::{CallLog, World, WriteMode, Written};

/// The name of the bytes that are attached.
const NAME: &str = "file";

/// Where a file goes, by the setting `to`.
pub(crate) enum Target<'a> {
    File(&'a str, WriteMode),
    Bytes,
}

impl<'a> Target<'a> {
    /// Of the settings `to`, `path` and `mode`; read before the file is made.
    pub(crate) fn of(slot: &'a CallSlot) -> Result<Self, NodeFailure> {
        if choice(slot, "to", &["file", "bytes"])? == "bytes" {
            return Ok(Self::Bytes);
        }
        let mode = match choice(slot, "mode", &["overwrite", "failIfExists"])? {
            "failIfExists" => WriteMode::FailIfExists,
            _ => WriteMode::Overwrite,
        };
        Ok(Self::File(path(slot)?, mode))
    }

    /// Hands the file over. The result has `path` or bytes of the name `file`, `size`, and what `about` says.
    pub(crate) async fn deliver(
        self,
        call: &Call,
        slot: &CallSlot,
        world: &World,
        log: &dyn CallLog,
        bytes: Vec<u8>,
        media: &str,
        about: Map<String, Value>,
    ) -> Outcome {
        let size = bytes.len();
        if size > formats::MAX_BYTES {
            return Err(formats::too_large("The file", size as u64));
        }
        let mut data = Map::new();
        match self {
            Self::Bytes => {
                let kept = binary::keep(call, world, bytes, media, "The file").await?;
                data.insert(NAME.into(), kept.description());
                data.insert("size".into(), size.into());
                data.extend(about);
                Ok(binary::made_with(slot, Value::Object(data), NAME, Some(kept)))
            }
            Self::File(path, mode) => {
                let written = world.files.write(&call.workflow_id, path, &bytes, mode).await;
                let Written { size, place, modified_ms } = written.map_err(|error| file_failure(error, path))?;
                let granted = Some(GrantedFile { workflow_id: call.workflow_id.to_string(), place, modified_ms });
                log.say(CallProgress::Wrote(FileDone { path: path.to_owned(), size_bytes: size, granted }));
                data.insert("path".into(), path.into());
                data.insert("size".into(), size.into());
                data.extend(about);
                Ok(binary::made_with(slot, Value::Object(data), NAME, None))
            }
        }
    }
}
