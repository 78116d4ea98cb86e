//! `sheet.write`: rows become an xlsx file.

use crate::document::failure;
use crate::document_output::Target;
use crate::fields::{Field, choice, field, settings_rows};
use crate::support::{flag, kind_of, setting, text_or, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, cel};
use serde_json::{Map, Value, json};
use signalbox_documents::sheet::{self, CellType, Column, HeaderStyle, SheetRows, WriteOptions};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::{CallLog, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

const MEDIA: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let target = Target::of(slot)?;
    let options = options(slot)?;
    let (bytes, about) = {
        let values = values(slot)?;
        let sheets = sheets(slot, &values)?;
        let bytes = sheet::write(&sheets, &options).map_err(failure)?;
        let told: Vec<Value> =
            sheets.iter().map(|sheet| json!({ "sheet": sheet.name, "rows": sheet.rows.len() })).collect();
        (bytes, Map::from_iter([("sheets".to_owned(), Value::Array(told))]))
    };
    target.deliver(call, slot, world, log, bytes, MEDIA, about).await
}

/// The list of the setting `from`, else the data of all items.
fn values(slot: &CallSlot) -> Result<Vec<Arc<Value>>, NodeFailure> {
    if setting(slot, "from").is_none_or(|from| from.as_str() == Some("")) {
        return Ok((0..slot.input.len()).filter_map(|index| slot.input.data(index)).collect());
    }
    match cel::setting_value(slot, "from")? {
        Value::Array(list) => Ok(list.into_iter().map(Arc::new).collect()),
        other => {
            let words = format!("The expression 'from' must give a list of objects, but it gives {}", kind_of(&other));
            Err(NodeFailure::validation("SCHEMA_MISMATCH", words).detail("field", "from"))
        }
    }
}

fn sheets<'a>(slot: &CallSlot, values: &'a [Arc<Value>]) -> Result<Vec<SheetRows<'a>>, NodeFailure> {
    if choice(slot, "content", &["rows", "sheets"])? == "sheets" {
        return values.iter().enumerate().map(|(index, value)| described(index, value)).collect();
    }
    let name = text_or(slot, "sheetName", "Sheet1")?;
    let Some(by) = field(slot, "sheetField")? else {
        return Ok(vec![SheetRows { name: name.to_owned(), rows: values.iter().map(AsRef::as_ref).collect() }]);
    };
    by_field(&by, values, name)
}

/// One sheet for each value of a field, in the order in which they come.
fn by_field<'a>(by: &Field, values: &'a [Arc<Value>], unnamed: &str) -> Result<Vec<SheetRows<'a>>, NodeFailure> {
    let mut sheets: Vec<SheetRows<'a>> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (index, value) in values.iter().enumerate() {
        let name = match by.require(value, index)? {
            Value::String(name) if !name.is_empty() => name.clone(),
            Value::String(_) | Value::Null => unnamed.to_owned(),
            other => other.to_string(),
        };
        let place = *places.entry(name.clone()).or_insert_with(|| {
            sheets.push(SheetRows { name, rows: Vec::new() });
            sheets.len() - 1
        });
        if let Some(sheet) = sheets.get_mut(place) {
            sheet.rows.push(value);
        }
    }
    if sheets.is_empty() {
        sheets.push(SheetRows { name: unnamed.to_owned(), rows: Vec::new() });
    }
    Ok(sheets)
}

/// `{sheet, rows}`, as *Read spreadsheet* gives it.
fn described(index: usize, value: &Value) -> Result<SheetRows<'_>, NodeFailure> {
    match (value.get("sheet").and_then(Value::as_str), value.get("rows").and_then(Value::as_array)) {
        (Some(name), Some(rows)) => Ok(SheetRows { name: name.to_owned(), rows: rows.iter().collect() }),
        _ => {
            let words = format!(
                "Entry {} must have 'sheet' (a name) and 'rows' (a list of objects), one entry for each sheet",
                index + 1
            );
            Err(NodeFailure::validation("SCHEMA_MISMATCH", words).detail("index", index))
        }
    }
}

fn options(slot: &CallSlot) -> Result<WriteOptions, NodeFailure> {
    let header_style = match choice(slot, "headerStyle", &["bold", "filled", "plain"])? {
        "filled" => HeaderStyle::Filled,
        "plain" => HeaderStyle::Plain,
        _ => HeaderStyle::Bold,
    };
    Ok(WriteOptions {
        columns: settings_rows(slot, "columns")?.into_iter().map(column).collect::<Result<_, _>>()?,
        header: flag(slot, "header", true)?,
        header_style,
        dates: flag(slot, "dates", true)?,
        formulas: flag(slot, "formulas", false)?,
    })
}

fn column(row: &Map<String, Value>) -> Result<Column, NodeFailure> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let wrong = |wanted: &str, name: &str| wrong_setting("columns", wanted, row.get(name).unwrap_or(&Value::Null));
    let width = match row.get("width") {
        None | Some(Value::Null) => None,
        Some(width) => {
            let width = width.as_f64().filter(|width| (0.0..=255.0).contains(width));
            Some(width.ok_or_else(|| wrong("a list whose widths are from 0 to 255", "width"))?)
        }
    };
    let kind = match text("type").as_deref() {
        None | Some("auto") => CellType::Auto,
        Some("text") => CellType::Text,
        Some("number") => CellType::Number,
        Some("date") => CellType::Date,
        Some(_) => return Err(wrong("a list whose types are auto, text, number or date", "type")),
    };
    let field = text("field").ok_or_else(|| wrong("a list of columns that each name a field", "field"))?;
    Ok(Column { field, title: text("title"), width, kind, format: text("format") })
}
