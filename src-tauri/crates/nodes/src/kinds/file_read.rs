//! `file.read`: a whole file of a granted folder or a sample file.

use crate::csv_table::Layout;
use crate::file_error::{file_failure, path};
use crate::file_rows::{self, RowFormat};
use crate::formats::Content;
use crate::support::{flag, made, made_text, text_or, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, binary, csv_table, formats};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{NodeFailure, media};
use signalbox_ports::{CallLog, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let path = path(slot)?;
    let kind = text_or(slot, "as", "text")?;
    if !["text", "json", "csv", "jsonLines", "binary"].contains(&kind) {
        return Err(wrong_setting("as", "text, json, csv, jsonLines or binary", &slot.config["as"]));
    }
    match (kind, flag(slot, "rows", false)?) {
        ("csv", true) => return file_rows::read(call, slot, world, path, RowFormat::Csv(Layout::of(slot)?)).await,
        ("jsonLines", _) => return file_rows::read(call, slot, world, path, RowFormat::JsonLines).await,
        (_, true) => {
            let words = "One item for each row needs a file that is read as CSV or as JSON lines";
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "rows"));
        }
        (_, false) => {}
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
    let text = formats::utf8(bytes, &what)?;
    // What is large stays text, with the other fields written around it.
    let before = format!("{{\"path\":{},\"size\":{size},\"content\":", Value::from(path));
    let content = match kind {
        "json" => formats::read_json(&text, &what, before)?,
        "csv" => csv_table::read(&text, Layout::of(slot)?, &what, before)?,
        _ => Content::Values(Value::String(formats::without_bom(&text).to_owned())),
    };
    drop(text);
    let content = match content {
        Content::Values(content) => content,
        Content::Text(mut text) => {
            text.push('}');
            return Ok(made_text(slot, text));
        }
    };
    // Moved: `json!` would copy a large table.
    let mut data = Map::new();
    data.insert("path".into(), path.into());
    data.insert("size".into(), size.into());
    data.insert("content".into(), content);
    Ok(made(slot, Value::Object(data)))
}
