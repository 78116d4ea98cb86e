//! `sheet.write`: rows become an xlsx file.

use crate::document::failure;
use crate::document_output::Target;
use crate::fields::{Field, choice, field, settings_rows};
use crate::support::{flag, kind_of, setting, text_or, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, cel};
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use signalbox_documents::sheet::{self, CellType, Column, HeaderStyle, Rows, SheetRows, WriteOptions};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::data::{Read, Text};
use signalbox_model::{Data, Items, NodeFailure};
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
        let source = Source::of(slot)?;
        let sheets = sheets(slot, &source)?;
        let bytes = sheet::write(&sheets, &options).map_err(failure)?;
        let told: Vec<Value> =
            sheets.iter().map(|sheet| json!({ "sheet": sheet.name, "rows": sheet.rows.len() })).collect();
        (bytes, Map::from_iter([("sheets".to_owned(), Value::Array(told))]))
    };
    target.deliver(call, slot, world, log, bytes, MEDIA, about).await
}

/// The list of the setting `from`, else the data of all items. One row at a time is made into values.
enum Source<'a> {
    Items(&'a Items),
    Text(Text),
    Values(Arc<Value>),
}

impl<'a> Source<'a> {
    fn of(slot: &'a CallSlot) -> Result<Self, NodeFailure> {
        if setting(slot, "from").is_none_or(|from| from.as_str() == Some("")) {
            return Ok(Self::Items(&slot.input));
        }
        match cel::setting_data(slot, "from")? {
            Data::Text(text) if matches!(text.read(), Read::List(_)) => Ok(Self::Text(text)),
            data => match data.value() {
                list if list.is_array() => Ok(Self::Values(list)),
                other => {
                    let words =
                        format!("The expression 'from' must give a list of objects, but it gives {}", kind_of(&other));
                    Err(NodeFailure::validation("SCHEMA_MISMATCH", words).detail("field", "from"))
                }
            },
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Items(items) => items.len(),
            Self::Text(text) => match text.read() {
                Read::List(list) => list.len(),
                _ => 0,
            },
            Self::Values(list) => list.as_array().map_or(0, Vec::len),
        }
    }

    fn row(&self, index: usize) -> Arc<Value> {
        match self {
            Self::Items(items) => items.data(index).unwrap_or_default(),
            Self::Text(text) => match text.read() {
                Read::List(list) => Arc::new(list.get(index).map(|row| row.value()).unwrap_or_default()),
                _ => Arc::default(),
            },
            Self::Values(list) => Arc::new(list.get(index).cloned().unwrap_or_default()),
        }
    }

    /// The rows at these places.
    fn rows(&'a self, places: Vec<u32>) -> Rows<'a> {
        Rows::Made(places.len(), Box::new(move |index| self.row(places.get(index).map_or(0, |place| *place as usize))))
    }
}

fn sheets<'a>(slot: &CallSlot, source: &'a Source<'a>) -> Result<Vec<SheetRows<'a>>, NodeFailure> {
    if choice(slot, "content", &["rows", "sheets"])? == "sheets" {
        return (0..source.len()).map(|index| described(index, &source.row(index))).collect();
    }
    let name = text_or(slot, "sheetName", "Sheet1")?;
    let Some(by) = field(slot, "sheetField")? else {
        let rows = Rows::Made(source.len(), Box::new(|index| source.row(index)));
        return Ok(vec![SheetRows { name: name.to_owned(), rows }]);
    };
    by_field(&by, source, name)
}

/// One sheet for each value of a field, in the order in which they come.
fn by_field<'a>(by: &Field, source: &'a Source<'a>, unnamed: &str) -> Result<Vec<SheetRows<'a>>, NodeFailure> {
    let mut sheets: IndexMap<String, Vec<u32>> = IndexMap::new();
    for index in 0..source.len() {
        let name = match by.require(&source.row(index), index)? {
            Value::String(name) if !name.is_empty() => name.clone(),
            Value::String(_) | Value::Null => unnamed.to_owned(),
            other => other.to_string(),
        };
        sheets.entry(name).or_default().push(u32::try_from(index).unwrap_or(u32::MAX));
    }
    if sheets.is_empty() {
        sheets.insert(unnamed.to_owned(), Vec::new());
    }
    Ok(sheets.into_iter().map(|(name, places)| SheetRows { name, rows: source.rows(places) }).collect())
}

/// `{sheet, rows}`, as *Read spreadsheet* gives it.
fn described(index: usize, value: &Value) -> Result<SheetRows<'static>, NodeFailure> {
    match (value.get("sheet").and_then(Value::as_str), value.get("rows").and_then(Value::as_array)) {
        (Some(name), Some(rows)) => {
            let rows: Vec<Arc<Value>> = rows.iter().cloned().map(Arc::new).collect();
            let rows = Rows::Made(rows.len(), Box::new(move |index| rows.get(index).cloned().unwrap_or_default()));
            Ok(SheetRows { name: name.to_owned(), rows })
        }
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
