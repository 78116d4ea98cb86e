//! `file.read`: a whole file of a granted folder or a sample file.

use crate::file_error::{file_failure, path};
use crate::support::{made, text_or, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, binary, formats};
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::media;
use signalbox_ports::{CallLog, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let path = path(slot)?;
    let kind = text_or(slot, "as", "text")?;
    if !["text", "json", "csv", "binary"].contains(&kind) {
        return Err(wrong_setting("as", "text, json, csv or binary", &slot.config["as"]));
    }
    let limit = formats::MAX_BYTES as u64;
    let bytes = world.files.read(&call.workflow_id, path, limit).await.map_err(|error| file_failure(error, path))?;
    let size = bytes.len();
    let what = format!("The file '{path}'");
    if kind == "binary" {
        let kept = binary::keep(call, world, bytes, media::of_path(path), &what).await?;
        let data = json!({ "path": path, "size": size, "content": kept.description() });
        return Ok(binary::made_with(slot, data, "content", Some(kept)));
    }
    let content = match kind {
        "json" => formats::parse_json(&formats::utf8(bytes, &what)?, &what)?,
        "csv" => formats::parse_csv(&formats::utf8(bytes, &what)?, &what)?,
        _ => Value::String(formats::without_bom(&formats::utf8(bytes, &what)?).to_owned()),
    };
    Ok(made(slot, json!({ "path": path, "size": size, "content": content })))
}
