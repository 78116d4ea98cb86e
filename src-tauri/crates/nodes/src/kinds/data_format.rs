//! `data.format`: a value becomes a text under `into`, beside the item's other fields.

use crate::csv_table::Layout;
use crate::document::failure;
use crate::support::{first, made, made_data, text_or, with_fields, wrong_setting};
use crate::{Kind, Outcome, cel, csv_table, formats, memory};
use serde_json::{Map, Value};
use signalbox_documents::{markup, toml_text, xml};
use signalbox_engine::effect::CallSlot;
use signalbox_model::data::{JsonString, Piece, Read, TEXT_FROM};
use signalbox_model::{Data, NodeFailure};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

/// What is written, in messages.
const WHAT: &str = "The value of 'from'";
/// What the values may take of a format that needs them all at once, as much as those of an expression.
const MOST_MEMORY: usize = 32 * 1024 * 1024;

fn run(slot: &CallSlot) -> Outcome {
    let format = text_or(slot, "format", "json")?;
    let into = text_or(slot, "into", "text")?;
    let whole = slot.config.get("from").is_none_or(Value::is_null);
    // One call for all items: they are the rows of one table, and the text belongs to none of them.
    if whole && ["csv", "markdown", "html"].contains(&format) && slot.input.len() > 1 {
        let mut text = JsonString::new(0);
        write_table(slot, format, &mut |piece| text.push(piece))?;
        return Ok(made_data(slot, Data::object(vec![(Value::from(into).to_string(), text.data())])));
    }
    // What is kept as text is written from it: its values would take many times as much.
    let data = if whole { slot.input.kept(0).unwrap_or_default() } else { cel::setting_data(slot, "from")? };
    let mut text = JsonString::new(0);
    match (format, &data) {
        ("json", Data::Text(json)) => {
            text = JsonString::new(json.pieces().map(escaped).sum::<usize>() + 2);
            json.pieces().for_each(|piece| text.push(piece));
        }
        ("csv" | "html" | "markdown" | "yaml", Data::Text(table)) if let Read::List(rows) = table.read() => {
            // About as long as the table. A text that grows is there twice now and then; room that is not used takes no memory.
            text = JsonString::new(table.length() / 2 * 3);
            write_rows(slot, format, &rows, &mut |piece| text.push(piece))?;
        }
        (_, data) => text.push(&of_value(slot, format, &*values(data)?)?),
    }
    let text = text.data();
    // The table and its text are there already: neither is there once more.
    if let Some(Data::Text(all)) = slot.input.kept(0)
        && let Read::Object(fields) = all.read()
    {
        return Ok(made_data(slot, with_fields(&fields, vec![(Value::from(into).to_string(), text)])));
    }
    let mut object = match &*first(slot) {
        Value::Object(map) => map.clone(),
        _ => Map::new(),
    };
    if text.length() < TEXT_FROM {
        object.insert(into.to_owned(), (*text.value()).clone());
        return Ok(made(slot, Value::Object(object)));
    }
    match &Data::written(Value::Object(object).to_string()) {
        Data::Text(all) if let Read::Object(fields) = all.read() => {
            Ok(made_data(slot, with_fields(&fields, vec![(Value::from(into).to_string(), text)])))
        }
        _ => Ok(made_data(slot, Data::object(vec![(Value::from(into).to_string(), text)]))),
    }
}

/// The values of what is written, within what an expression may give.
fn values(data: &Data) -> Result<Arc<Value>, NodeFailure> {
    let Data::Text(text) = data else { return Ok(data.value()) };
    let bytes = memory::of_text(text.text());
    if bytes <= MOST_MEMORY {
        return Ok(text.value());
    }
    let words = format!(
        "{WHAT} would take about {} MiB of memory as values, and this format needs them all at once; at most {} MiB are allowed. \
         Write JSON, CSV, YAML, Markdown or HTML, or select less",
        bytes.div_ceil(1 << 20),
        MOST_MEMORY >> 20
    );
    Err(NodeFailure::validation("CEL_LIMIT", words).detail("field", "from").detail("limit", MOST_MEMORY))
}

/// A long list as a table or as YAML, piece by piece: YAML of a list is that of its entries, one after the other.
fn write_rows(slot: &CallSlot, format: &str, rows: &Piece<'_>, sink: &mut dyn FnMut(&str)) -> Result<(), NodeFailure> {
    let values = || rows.entries().map(|(_, row)| Arc::new(row.value()));
    match format {
        "csv" => csv_table::write_text(rows, Layout::of(slot)?, WHAT, sink),
        "html" => markup::html_rows(values, sink).map_err(failure),
        "markdown" => markup::markdown_rows(values, sink).map_err(failure),
        _ if rows.is_empty() => formats::write_yaml(&Value::Array(Vec::new())).map(|text| sink(&text)),
        _ => rows
            .entries()
            .try_for_each(|(_, row)| formats::write_yaml(&Value::Array(vec![row.value()])).map(|text| sink(&text))),
    }
}

/// All items as a table.
fn write_table(slot: &CallSlot, format: &str, sink: &mut dyn FnMut(&str)) -> Result<(), NodeFailure> {
    let rows = || (0..slot.input.len()).filter_map(|index| slot.input.data(index));
    match format {
        "csv" => csv_table::write_rows(rows, Layout::of(slot)?, WHAT, sink),
        "html" => markup::html_rows(rows, sink).map_err(failure),
        _ => markup::markdown_rows(rows, sink).map_err(failure),
    }
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

/// Bytes of a text in JSON, without its quotes.
fn escaped(text: &str) -> usize {
    let of = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..=31 => 6,
        _ => 1,
    };
    text.bytes().map(of).sum()
}
