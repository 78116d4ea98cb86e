//! `data.parse`: a text becomes data; the result replaces the item's data.

use crate::csv_table::Layout;
use crate::formats::Content;
use crate::support::{kind_of, made, made_text, text_or, wrong_setting};
use crate::{Kind, Outcome, cel, csv_table, formats};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let source = match cel::setting_value(slot, "from")? {
        Value::String(source) => source,
        other => {
            let words = format!("The expression 'from' must give the text to read, but it gives {}", kind_of(&other));
            return Err(NodeFailure::validation("SCHEMA_MISMATCH", words).detail("field", "from"));
        }
    };
    let data = match text_or(slot, "format", "json")? {
        "json" => formats::read_json(&source, "The text", String::new())?,
        "csv" => csv_table::read(&source, Layout::of(slot)?, "The text", String::new())?,
        _ => return Err(wrong_setting("format", "'json' or 'csv'", &slot.config["format"])),
    };
    Ok(match data {
        Content::Values(data) => made(slot, data),
        Content::Text(text) => made_text(slot, text),
    })
}
