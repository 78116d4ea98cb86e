//! `sheet.read`: the rows of a spreadsheet or a CSV file.

use crate::csv_table::{self, Layout};
use crate::document::{self, Source};
use crate::fields::choice;
use crate::formats::Content;
use crate::support::{flag, made_data, made_text, origin, setting, text_or};
use crate::{EffectFuture, Kind, Outcome, memory};
use serde_json::{Value, json};
use signalbox_documents::{encoding, sheet};
use signalbox_engine::effect::{Call, CallOutput, CallSlot};
use signalbox_model::data::Read;
use signalbox_model::{Data, Item, Items, NodeFailure};
use signalbox_ports::{CallLog, DocumentKind, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

const FORMATS: [&str; 3] = ["auto", "workbook", "csv"];
const ENCODINGS: [&str; 12] = [
    "auto",
    "utf-8",
    "utf-16le",
    "utf-16be",
    "windows-1252",
    "windows-1250",
    "windows-1251",
    "iso-8859-2",
    "gb18030",
    "big5",
    "shift_jis",
    "euc-kr",
];

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let format = choice(slot, "format", &FORMATS)?;
    let each_row = choice(slot, "output", &["rows", "sheets"])? == "rows";
    let source = document::source(call, slot, world).await?;
    if format == "csv" || (format == "auto" && !sheet::is_workbook(&source.bytes)) {
        return csv(slot, source, each_row);
    }
    let what = source.what.clone();
    let sheet_name = text_or(slot, "sheet", "")?;
    let options = json!({
        "sheet": sheet_name,
        "all": !each_row,
        "range": text_or(slot, "range", "")?,
        "header": flag(slot, "header", true)?,
        "repeatMerged": choice(slot, "merged", &["first", "repeat"])? == "repeat",
    });
    let text = document::read(call, world, DocumentKind::Sheet, source, options).await?;
    memory::fits(memory::of_json(&text), text.len(), &what)?;
    let whole = Data::written(text);
    let tables = member(&whole, "tables");
    if each_row {
        let rows = tables.as_ref().and_then(|tables| entries(tables).next()).and_then(|table| member(&table, "rows"));
        return Ok(items(slot, rows.iter().flat_map(entries)));
    }
    let (format, sheets) = (json_of(&whole, "format"), json_of(&whole, "sheets"));
    let described = tables.iter().flat_map(entries).map(|table| {
        let mut text = format!("{{\"format\":{format},\"sheets\":{sheets},");
        let mut table_text = String::new();
        table.append(&mut table_text);
        text.push_str(table_text.get(1..).unwrap_or("}"));
        Data::written(text)
    });
    Ok(items(slot, described))
}

/// A member of an object that is text or values.
fn member(of: &Data, name: &str) -> Option<Data> {
    match of {
        Data::Value(value) => value.get(name).cloned().map(Data::from),
        Data::Text(text) => match text.read() {
            Read::Object(object) => match object.member(name)? {
                Read::List(piece) | Read::Object(piece) => Some(piece.data()),
                Read::Text(text) => Some(Data::from(Value::from(text.into_owned()))),
                Read::LongText(text) => Some(Data::from(Value::from(text.unquoted()))),
                Read::Null | Read::Bool(_) | Read::Number(_) => None,
            },
            _ => None,
        },
    }
}

fn json_of(of: &Data, name: &str) -> String {
    let mut text = String::new();
    member(of, name).unwrap_or_default().append(&mut text);
    text
}

/// The entries of a list that is text or values.
fn entries(list: &Data) -> impl Iterator<Item = Data> + use<> {
    let all: Vec<Data> = match list {
        Data::Value(value) => value.as_array().into_iter().flatten().cloned().map(Data::from).collect(),
        Data::Text(text) => match text.read() {
            Read::List(piece) => piece.shared_entries().collect(),
            _ => Vec::new(),
        },
    };
    all.into_iter()
}

fn items(slot: &CallSlot, all: impl Iterator<Item = Data>) -> CallOutput {
    let mut items = Items::new();
    for data in all {
        let id = (items.len() + 1).to_string();
        items.push_data(Item { id, paired_item: origin(slot), ..Item::default() }, data);
    }
    CallOutput::list("success", items)
}

/// A text file. Its encoding, the separator and the quotes are found out, and told with the list of rows.
fn csv(slot: &CallSlot, source: Source, each_row: bool) -> Outcome {
    for field in ["range", "sheet"] {
        if setting(slot, field).is_some_and(|value| value.as_str() != Some("")) {
            let words = format!("{} is read as CSV, which has no sheets and no ranges: empty '{field}'", source.what);
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", field));
        }
    }
    let Source { bytes, what } = source;
    let decoded = encoding::decode(&bytes, choice(slot, "encoding", &ENCODINGS)?);
    let decoded = decoded.map_err(|error| document::failure_of(error, &what))?;
    drop(bytes);
    let mut layout = Layout::of(slot)?;
    if setting(slot, "quote").is_none() {
        layout.quote = None;
    }
    let found = csv_table::found(&decoded.text, layout, &what)?;
    if each_row {
        let rows = match csv_table::read(&decoded.text, layout, &what, String::new())? {
            Content::Values(rows) => Data::from(rows),
            Content::Text(rows) => Data::written(rows),
        };
        return Ok(items(slot, entries(&rows)));
    }
    let head = json!({
        "format": "csv", "encoding": decoded.encoding, "separator": found.separator, "quote": found.quote,
        "hasByteOrderMark": decoded.has_bom,
    });
    let mut before = head.to_string();
    before.pop();
    before.push_str(",\"rows\":");
    Ok(match csv_table::read(&decoded.text, layout, &what, before)? {
        Content::Values(rows) => {
            let mut head = head;
            head["rows"] = rows;
            made_data(slot, Data::from(head))
        }
        Content::Text(mut text) => {
            text.push('}');
            made_text(slot, text)
        }
    })
}
