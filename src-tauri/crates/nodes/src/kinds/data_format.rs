//! `data.format`: a value becomes a text under `into`, beside the item's other fields.

use crate::csv_table::Layout;
use crate::document::failure;
use crate::support::{first, made, text_or, wrong_setting};
use crate::{Kind, Outcome, cel, csv_table, formats};
use serde_json::{Map, Value};
use signalbox_documents::{markup, toml_text, xml};
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let format = text_or(slot, "format", "json")?;
    let whole = slot.config.get("from").is_none_or(Value::is_null);
    // One call for all items: they are the rows of one table, and the text belongs to none of them.
    let table = whole && ["csv", "markdown", "html"].contains(&format) && slot.input.len() > 1;
    let value = if table && format == "csv" {
        // Below: row by row.
        Value::Null
    } else if table {
        Value::Array(slot.input.iter().map(|item| (*item.data).clone()).collect())
    } else if whole {
        (*first(slot)).clone()
    } else {
        cel::setting_value(slot, "from")?
    };
    let written = match format {
        "json" => value.to_string(),
        "csv" if table => {
            let rows = || (0..slot.input.len()).filter_map(|index| slot.input.data(index));
            csv_table::format_rows(rows, Layout::of(slot)?, "The value of 'from'")?
        }
        "csv" => csv_table::format(&value, Layout::of(slot)?, "The value of 'from'")?,
        "xml" => xml::format(&value).map_err(failure)?,
        "yaml" => formats::write_yaml(&value)?,
        "toml" => toml_text::format(&value).map_err(failure)?,
        "markdown" => markup::markdown_table(&value).map_err(failure)?,
        "html" => markup::html_table(&value).map_err(failure)?,
        _ => {
            let known = "json, csv, xml, yaml, toml, markdown or html";
            return Err(wrong_setting("format", known, &slot.config["format"]));
        }
    };
    let mut data = match &*first(slot) {
        Value::Object(map) if !table => map.clone(),
        _ => Map::new(),
    };
    data.insert(text_or(slot, "into", "text")?.to_owned(), Value::String(written));
    Ok(made(slot, Value::Object(data)))
}
