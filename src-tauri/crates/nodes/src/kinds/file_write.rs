//! `file.write`: a whole file into a granted folder.

use crate::csv_table::Layout;
use crate::fields::{field, text_member};
use crate::file_error::{file_failure, path};
use crate::file_rows::{self, RowFormat, once};
use crate::long_value::LongValue;
use crate::support::{first, flag, made, setting, text_or, wrong_setting};
use crate::written_file::told;
use crate::{EffectFuture, Kind, Outcome, binary, cel, csv_table};
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{Data, Mode, NodeFailure};
use signalbox_ports::{CallLog, World, WriteMode};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let path = path(slot)?;
    let mode = match text_or(slot, "mode", "overwrite")? {
        "overwrite" => WriteMode::Overwrite,
        "failIfExists" => WriteMode::FailIfExists,
        "append" => WriteMode::Append,
        _ => return Err(wrong_setting("mode", "overwrite, failIfExists or append", &slot.config["mode"])),
    };
    let as_name = text_or(slot, "as", "asIs")?;
    if flag(slot, "rows", false)? {
        return rows(call, slot, world, log, mode).await;
    }
    let as_table = match as_name {
        "asIs" => false,
        "csv" => true,
        _ => return Err(wrong_setting("as", "asIs or csv", &slot.config["as"])),
    };
    let from_field = field(slot, "field")?;
    let long = cel::long_setting(slot, "/content")?;
    let given = setting(slot, "content").filter(|_| long.is_none());
    let is_alone = setting(slot, "content").is_none() && setting(slot, "binary").is_none();
    if let (Some(_), Some(other)) = (&long, ["field", "binary"].into_iter().find(|name| setting(slot, name).is_some()))
    {
        let words = "A file has one content: keep one of 'field', 'content' and 'binary'";
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", other));
    }
    // What is long is written without values of it.
    let in_field = || from_field.as_ref().filter(|_| is_alone).and_then(|field| text_member(slot, &field.name));
    let long = long.or_else(|| in_field().map(|text| LongValue::of(Data::Text(text))));
    let data = if long.is_some() || from_field.is_none() { Arc::default() } else { first(slot) };
    let content = match (&from_field, given) {
        (None, content) => content,
        (Some(_), None) if long.is_some() => None,
        (Some(field), None) if setting(slot, "binary").is_none() => Some(field.require(&data, slot.item)?),
        (Some(_), _) => {
            let words = "A file has one content: keep one of 'field', 'content' and 'binary'";
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "field"));
        }
    };
    let parts = match (content, setting(slot, "binary")) {
        (None, Some(_)) => once(binary::read(call, slot, world, "binary").await?.1),
        (Some(_), Some(_)) => {
            let words = "A file has one content: empty 'content' or 'binary'";
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "binary"));
        }
        (Some(value), None) if as_table => {
            once(csv_table::format(value, Layout::of(slot)?, "The content")?.into_bytes())
        }
        (Some(Value::String(text)), None) => once(text.clone().into_bytes()),
        (Some(value), None) => once(value.to_string().into_bytes()),
        (None, None) => match long {
            Some(LongValue::Json(table)) if as_table => {
                once(csv_table::format_text(&table, Layout::of(slot)?, "The content")?.into_bytes())
            }
            Some(long) if as_table => {
                once(csv_table::format(&long.value(), Layout::of(slot)?, "The content")?.into_bytes())
            }
            Some(long) => long.pieces(),
            None => return Err(wrong_setting("content", "text or another value", &Value::Null)),
        },
    };
    let written = world.files.write_parts(&call.workflow_id, path, parts, mode).await;
    let written = written.map_err(|error| file_failure(error, path))?;
    let size = written.size;
    told(call, log, path, written);
    Ok(made(slot, json!({ "path": path, "size": size })))
}

/// Each item is a row.
async fn rows(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog, mode: WriteMode) -> Outcome {
    let path = path(slot)?;
    let invalid = |field: &str, words: &str| {
        Err(NodeFailure::validation("INPUT_INVALID", words.to_owned()).detail("field", field))
    };
    if call.mode == Mode::Each {
        let words = "Each item as a row needs all items at once: set the step to run once for all items";
        return invalid("rows", words);
    }
    let ends = |ending: &str| path.to_ascii_lowercase().ends_with(ending);
    let format = match text_or(slot, "as", "asIs")? {
        "csv" => RowFormat::Csv(Layout::of(slot)?),
        "jsonLines" => RowFormat::JsonLines,
        // Nothing was chosen, and the name of the file says it.
        "asIs" if ends(".csv") => RowFormat::Csv(Layout::of(slot)?),
        "asIs" if ends(".jsonl") || ends(".ndjson") => RowFormat::JsonLines,
        _ => return invalid("as", "Each item as a row is written as CSV or as JSON lines: choose one of them"),
    };
    if ["content", "binary", "field"].iter().any(|name| setting(slot, name).is_some()) {
        return invalid(
            "rows",
            "A file has one content: empty 'content', 'binary' and 'field', or switch the rows off",
        );
    }
    let written = file_rows::write(call, slot, world, path, format, mode).await?;
    let size = written.size;
    told(call, log, path, written);
    Ok(made(slot, json!({ "path": path, "size": size, "rows": slot.input.len() })))
}
