//! `data.format`: a value becomes a text under `into`, beside the item's other fields.

use crate::csv_table::Layout;
use crate::support::{first, made, text, text_or, wrong_setting};
use crate::{Kind, Outcome, cel, csv_table};
use serde_json::{Map, Value};
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let value = if slot.config.get("from").is_none_or(Value::is_null) {
        (*first(slot)).clone()
    } else {
        cel::setting_value(slot, "from")?
    };
    let written = match text(slot, "format")? {
        "json" => value.to_string(),
        "csv" => csv_table::format(&value, Layout::of(slot)?, "The value of 'from'")?,
        _ => return Err(wrong_setting("format", "'json' or 'csv'", &slot.config["format"])),
    };
    let mut data = match &*first(slot) {
        Value::Object(map) => map.clone(),
        _ => Map::new(),
    };
    data.insert(text_or(slot, "into", "text")?.to_owned(), Value::String(written));
    Ok(made(slot, Value::Object(data)))
}
