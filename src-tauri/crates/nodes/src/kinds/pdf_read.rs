//! `pdf.read`: the text of a PDF.

use crate::document;
use crate::fields::choice;
use crate::support::{made, origin, whole};
use crate::{EffectFuture, Kind, Outcome};
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_ports::{CallLog, DocumentKind, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

/// The highest number of a page that can be set.
const MAX_PAGE: u64 = 1_000_000;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let each_page = choice(slot, "output", &["document", "pages"])? == "pages";
    let options = json!({
        "firstPage": whole(slot, "firstPage", 1, MAX_PAGE)?,
        "lastPage": whole(slot, "lastPage", 1, MAX_PAGE)?,
    });
    let source = document::source(call, slot, world).await?;
    let text = document::read(call, world, DocumentKind::Pdf, source, options).await?;
    // It was written by the reader of this program.
    let mut read: Value = serde_json::from_str(&text).unwrap_or_default();
    let pages = match read.get_mut("pages").map(Value::take) {
        Some(Value::Array(pages)) => pages,
        _ => Vec::new(),
    };
    if each_page {
        let items = pages.into_iter().map(|page| OutItem::new(Arc::new(page), origin(slot)));
        return Ok(CallOutput::items("success", items.collect::<Vec<_>>()));
    }
    let texts: Vec<&str> = pages.iter().filter_map(|page| page["text"].as_str()).collect();
    let data = json!({ "pageCount": read["pageCount"], "text": texts.join("\n\n"), "pages": pages });
    Ok(made(slot, data))
}
