//! `html.select`: parts of an HTML page by CSS selectors.

use crate::document::failure;
use crate::fields::{choice, settings_rows};
use crate::support::{kind_of, origin, text_or, wrong_setting};
use crate::{Kind, Outcome, cel};
use serde_json::{Map, Value};
use signalbox_documents::html::{self, Field, Take};
use signalbox_engine::effect::{CallOutput, CallSlot, OutItem};
use signalbox_model::NodeFailure;
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let page = match cel::setting_value(slot, "from")? {
        Value::String(page) => page,
        other => {
            let words = format!("The expression 'from' must give the HTML text, but it gives {}", kind_of(&other));
            return Err(NodeFailure::validation("SCHEMA_MISMATCH", words).detail("field", "from"));
        }
    };
    let found = if choice(slot, "action", &["fields", "table"])? == "table" {
        html::table(&page, text_or(slot, "table", "")?)
    } else {
        let fields = settings_rows(slot, "fields")?.into_iter().map(field).collect::<Result<Vec<_>, _>>()?;
        if fields.is_empty() {
            return Err(wrong_setting("fields", "a list with at least one field", &Value::Null));
        }
        html::select(&page, text_or(slot, "each", "")?, &fields)
    };
    let items = found.map_err(failure)?.into_iter().map(|map| OutItem::new(Arc::new(Value::Object(map)), origin(slot)));
    Ok(CallOutput::items("success", items.collect::<Vec<_>>()))
}

fn field(row: &Map<String, Value>) -> Result<Field, NodeFailure> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let wrong = |wanted: &str, name: &str| wrong_setting("fields", wanted, row.get(name).unwrap_or(&Value::Null));
    let take = match text("take").as_str() {
        "" | "text" => Take::Text,
        "html" => Take::Html,
        "attribute" if !text("attribute").is_empty() => Take::Attribute(text("attribute")),
        "attribute" => return Err(wrong("a list that says which attribute is taken", "attribute")),
        _ => return Err(wrong("a list that takes text, html or attribute", "take")),
    };
    let name = Some(text("name")).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| wrong("a list of fields that each have a name", "name"))?;
    Ok(Field { name, selector: text("selector"), take, all: row.get("all").and_then(Value::as_bool).unwrap_or(false) })
}
