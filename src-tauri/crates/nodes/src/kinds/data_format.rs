//! `data.format`: a value becomes a text under `into`, beside the item's other fields.

use crate::csv_table::Layout;
use crate::document::failure;
use crate::support::{first, made, made_text, text_or, wrong_setting};
use crate::{Kind, Outcome, cel, csv_table, formats};
use serde_json::{Map, Value};
use signalbox_documents::{markup, toml_text, xml};
use signalbox_engine::effect::CallSlot;
use signalbox_model::data::{Piece, Read};
use signalbox_model::{Data, NodeFailure};

pub(crate) const KIND: Kind = Kind::Pure(run);

/// What is written, in messages.
const WHAT: &str = "The value of 'from'";

fn run(slot: &CallSlot) -> Outcome {
    let format = text_or(slot, "format", "json")?;
    let into = text_or(slot, "into", "text")?;
    let whole = slot.config.get("from").is_none_or(Value::is_null);
    // One call for all items: they are the rows of one table, and the text belongs to none of them.
    if whole && ["csv", "markdown", "html"].contains(&format) && slot.input.len() > 1 {
        let text = table(slot, format)?;
        return Ok(made(slot, Value::Object(Map::from_iter([(into.to_owned(), Value::String(text))]))));
    }
    // What is kept as text is written from it: its values would take many times as much.
    let data = if whole { slot.input.kept(0).unwrap_or_default() } else { cel::setting_data(slot, "from")? };
    let written = match (format, &data) {
        ("json", Data::Text(text)) => text.text().to_owned(),
        ("csv", Data::Text(text)) => csv_table::format_text(text, Layout::of(slot)?, WHAT)?,
        (_, data) => of_value(slot, format, &data.value())?,
    };
    if let Some(Data::Text(all)) = slot.input.kept(0)
        && let Read::Object(fields) = all.read()
    {
        return Ok(made_text(slot, with_field(&fields, into, &written)));
    }
    let mut data = match &*first(slot) {
        Value::Object(map) => map.clone(),
        _ => Map::new(),
    };
    data.insert(into.to_owned(), Value::String(written));
    Ok(made(slot, Value::Object(data)))
}

/// All items as a table.
fn table(slot: &CallSlot, format: &str) -> Result<String, NodeFailure> {
    if format == "csv" {
        let rows = || (0..slot.input.len()).filter_map(|index| slot.input.data(index));
        return csv_table::format_rows(rows, Layout::of(slot)?, WHAT);
    }
    let value = Value::Array(slot.input.iter().map(|item| (*item.data).clone()).collect());
    let table = if format == "html" { markup::html_table } else { markup::markdown_table };
    table(&value).map_err(failure)
}

fn of_value(slot: &CallSlot, format: &str, value: &Value) -> Result<String, NodeFailure> {
    match format {
        "json" => Ok(value.to_string()),
        "csv" => csv_table::format(value, Layout::of(slot)?, WHAT),
        "xml" => xml::format(value).map_err(failure),
        "yaml" => formats::write_yaml(value),
        "toml" => toml_text::format(value).map_err(failure),
        "markdown" => markup::markdown_table(value).map_err(failure),
        "html" => markup::html_table(value).map_err(failure),
        _ => {
            let known = "json, csv, xml, yaml, toml, markdown or html";
            Err(wrong_setting("format", known, &slot.config["format"]))
        }
    }
}

/// The text of an object with one field more, or with another value of it.
fn with_field(fields: &Piece<'_>, name: &str, text: &str) -> String {
    let (name, text) = (Value::from(name).to_string(), Value::from(text).to_string());
    let mut all = String::with_capacity(fields.text().len() + name.len() + text.len() + 2);
    let mut is_there = false;
    let mut add = |key: &str, value: &str| {
        all.push(if all.is_empty() { '{' } else { ',' });
        all.push_str(key);
        all.push(':');
        all.push_str(value);
    };
    for (key, value) in fields.written_members() {
        let is_it = key == name;
        is_there |= is_it;
        add(key, if is_it { &text } else { value });
    }
    if !is_there {
        add(&name, &text);
    }
    all.push('}');
    all
}
