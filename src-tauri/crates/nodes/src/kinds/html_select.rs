//! `html.select`: parts of an HTML page by CSS selectors.

use crate::document::{self, Source};
use crate::fields::{choice, settings_rows};
use crate::support::{kind_of, origin, text_or, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, cel};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_model::NodeFailure;
use signalbox_ports::{CallLog, DocumentKind, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let page = match cel::setting_value(slot, "from")? {
        Value::String(page) => page,
        other => {
            let words = format!("The expression 'from' must give the HTML text, but it gives {}", kind_of(&other));
            return Err(NodeFailure::validation("SCHEMA_MISMATCH", words).detail("field", "from"));
        }
    };
    let action = choice(slot, "action", &["fields", "table"])?;
    let fields = settings_rows(slot, "fields")?;
    fields.iter().try_for_each(|field| check(field))?;
    if action == "fields" && fields.is_empty() {
        return Err(wrong_setting("fields", "a list with at least one field", &Value::Null));
    }
    let options = json!({ "action": action, "each": text_or(slot, "each", "")?, "table": text_or(slot, "table", "")?, "fields": fields });
    let source = Source { bytes: page.into_bytes(), what: "The page".into() };
    let text = document::read(call, world, DocumentKind::Html, source, options).await?;
    // It was written by the reader of this program.
    let found: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
    let items = found.into_iter().map(|data| OutItem::new(Arc::new(data), origin(slot)));
    Ok(CallOutput::items("success", items.collect::<Vec<_>>()))
}

fn check(row: &Map<String, Value>) -> Result<(), NodeFailure> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let wrong = |wanted: &str, name: &str| Err(wrong_setting("fields", wanted, row.get(name).unwrap_or(&Value::Null)));
    match text("take") {
        "" | "text" | "html" => {}
        "attribute" if text("attribute").is_empty() => {
            return wrong("a list that says which attribute is taken", "attribute");
        }
        "attribute" => {}
        _ => return wrong("a list that takes text, html or attribute", "take"),
    }
    if text("name").is_empty() { wrong("a list of fields that each have a name", "name") } else { Ok(()) }
}
