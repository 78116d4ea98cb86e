//! `data.format`: a value becomes a text under `into`, beside the item's other fields.

use crate::csv_table::Layout;
use crate::document::failure;
use crate::support::{first, made, made_text, text_or, wrong_setting};
use crate::{Kind, Outcome, cel, csv_table, formats, memory};
use serde_json::{Map, Value};
use signalbox_documents::{markup, toml_text, xml};
use signalbox_engine::effect::CallSlot;
use signalbox_model::data::{Piece, Read};
use signalbox_model::{Data, NodeFailure};
use std::borrow::Cow;
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
        let text = table(slot, format)?;
        return Ok(made(slot, Value::Object(Map::from_iter([(into.to_owned(), Value::String(text))]))));
    }
    // What is kept as text is written from it: its values would take many times as much.
    let data = if whole { slot.input.kept(0).unwrap_or_default() } else { cel::setting_data(slot, "from")? };
    if let Some(Data::Text(all)) = slot.input.kept(0)
        && let Read::Object(fields) = all.read()
        && let Data::Text(table) = &data
        && let Read::List(rows) = table.read()
        && ["csv", "html", "markdown", "yaml"].contains(&format)
    {
        // The table and its text are there already: the text is not there once more.
        let text = with_field(&fields, into, 0, |all| {
            all.push(b'"');
            let mut escape = |piece: &str| {
                let piece = Value::from(piece).to_string();
                all.extend_from_slice(piece.as_bytes().get(1..piece.len() - 1).unwrap_or_default());
            };
            write_rows(slot, format, &rows, &mut escape)?;
            all.push(b'"');
            Ok(())
        })?;
        return Ok(made_text(slot, text));
    }
    let written = match (format, &data) {
        ("json", Data::Text(text)) => Cow::Borrowed(text.text()),
        ("csv", Data::Text(text)) => csv_table::format_text(text, Layout::of(slot)?, WHAT)?.into(),
        ("html" | "markdown" | "yaml", Data::Text(text)) if let Read::List(rows) = text.read() => {
            let mut all = String::new();
            write_rows(slot, format, &rows, &mut |piece| all.push_str(piece))?;
            all.into()
        }
        (_, data) => {
            let value = values(data)?;
            of_value(slot, format, &value)?.into()
        }
    };
    if let Some(Data::Text(all)) = slot.input.kept(0)
        && let Read::Object(fields) = all.read()
    {
        let text = with_field(&fields, into, escaped(&written), |all| {
            // Into memory: it does not fail.
            drop(serde_json::to_writer(all, &*written));
            Ok(())
        })?;
        return Ok(made_text(slot, text));
    }
    let mut object = match &*first(slot) {
        Value::Object(map) => map.clone(),
        _ => Map::new(),
    };
    object.insert(into.to_owned(), Value::String(written.into_owned()));
    Ok(made(slot, Value::Object(object)))
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
fn table(slot: &CallSlot, format: &str) -> Result<String, NodeFailure> {
    if format == "csv" {
        let rows = || (0..slot.input.len()).filter_map(|index| slot.input.data(index));
        return csv_table::format_rows(rows, Layout::of(slot)?, WHAT);
    }
    let rows = || (0..slot.input.len()).filter_map(|index| slot.input.data(index));
    let mut all = String::new();
    let mut sink = |piece: &str| all.push_str(piece);
    let written =
        if format == "html" { markup::html_rows(rows, &mut sink) } else { markup::markdown_rows(rows, &mut sink) };
    written.map_err(failure)?;
    Ok(all)
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

/// The text of an object with one field more, or with another value of it. Its length is known before, because it is as long as
/// the table and its text together.
fn with_field(
    fields: &Piece<'_>,
    name: &str,
    length: usize,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), NodeFailure>,
) -> Result<String, NodeFailure> {
    let name = Value::from(name).to_string();
    let mut all = Vec::with_capacity(fields.text().len() + name.len() + length + 4);
    let mut write = Some(write);
    let mut add = |all: &mut Vec<u8>, key: &str, value: Option<&str>| {
        all.push(if all.is_empty() { b'{' } else { b',' });
        all.extend_from_slice(key.as_bytes());
        all.push(b':');
        match (value, write.take_if(|_| value.is_none())) {
            (Some(value), _) => all.extend_from_slice(value.as_bytes()),
            (None, Some(write)) => write(all)?,
            (None, None) => {}
        }
        Ok::<_, NodeFailure>(())
    };
    let mut is_there = false;
    for (key, value) in fields.written_members() {
        let is_it = key == name;
        is_there |= is_it;
        add(&mut all, key, (!is_it).then_some(value))?;
    }
    if !is_there {
        add(&mut all, &name, None)?;
    }
    all.push(b'}');
    Ok(String::from_utf8(all).unwrap_or_default())
}

/// Bytes of a text in JSON, with its quotes.
fn escaped(text: &str) -> usize {
    let of = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..=31 => 6,
        _ => 1,
    };
    2 + text.bytes().map(of).sum::<usize>()
}
