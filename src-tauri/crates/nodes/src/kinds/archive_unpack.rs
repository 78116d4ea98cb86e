//! `archive.unpack`: the files of a ZIP or tar archive.

use crate::fields::choice;
use crate::support::{made, origin, text_or};
use crate::{EffectFuture, Kind, Outcome, binary, document};
use serde_json::{Value, json};
use signalbox_documents::archive;
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_model::{Binaries, media};
use signalbox_ports::{CallLog, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let unpack = choice(slot, "action", &["unpack", "list"])? == "unpack";
    let pattern = text_or(slot, "pattern", "")?;
    let source = document::source(call, slot, world).await?;
    let contents = archive::open(&source.bytes, pattern, unpack);
    let contents = contents.map_err(|error| document::failure_of(error, &source.what))?;
    drop(source);
    let format = contents.format.name();
    if !unpack {
        let files: Vec<Value> =
            contents.files.iter().map(|file| json!({ "path": file.path, "size": file.size })).collect();
        return Ok(made(slot, json!({ "format": format, "files": files, "skipped": contents.skipped })));
    }
    let mut items = Vec::with_capacity(contents.files.len());
    for file in contents.files {
        let what = format!("The file '{}' of the archive", file.path);
        let bytes = file.bytes.unwrap_or_default();
        let kept = binary::keep(call, world, bytes, media::of_path(&file.path), &what).await?;
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        let data = json!({ "path": file.path, "name": name, "size": file.size, "file": kept.description() });
        let bytes = Some(Binaries::from([("file".to_owned(), kept)]));
        items.push(OutItem { binary: bytes, ..OutItem::new(Arc::new(data), origin(slot)) });
    }
    Ok(CallOutput::items("success", items))
}
