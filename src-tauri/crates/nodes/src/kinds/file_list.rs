//! `file.list`: one item per file of a granted folder whose name matches.

use crate::file_error::{file_failure, path};
use crate::support::{origin, text_or};
use crate::{EffectFuture, Kind, Outcome};
use serde_json::json;
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_model::time;
use signalbox_ports::{CallLog, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let path = path(slot)?;
    let glob = text_or(slot, "glob", "*")?;
    let found = world.files.list(&call.workflow_id, path, glob).await.map_err(|error| file_failure(error, path))?;
    let items = found.into_iter().map(|file| {
        let data = json!({
            "path": file.path, "name": file.name, "size": file.size, "modifiedAt": time::format(file.modified_ms)
        });
        OutItem::new(Arc::new(data), origin(slot))
    });
    Ok(CallOutput::items("success", items))
}
