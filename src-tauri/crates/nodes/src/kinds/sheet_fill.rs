//! `sheet.fill`: a template becomes a spreadsheet.

use crate::document::{self, Source};
use crate::document_output::Target;
use crate::fields::choice;
use crate::formats;
use crate::support::{setting, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, cel};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{Data, Mode, NodeFailure};
use signalbox_ports::{CallLog, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

const MEDIA: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const MEDIA_WITH_MACROS: &str = "application/vnd.ms-excel.sheet.macroEnabled.12";
/// Most bytes of the data for a template, as JSON text.
const MAX_DATA: usize = formats::MAX_BYTES;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let target = Target::of(slot)?;
    let options = json!({ "missing": choice(slot, "missing", &["error", "empty", "keep"])? });
    let data = data(call, slot)?;
    let source: Source = document::source_in(call, slot, world, "template").await?;
    let filled = document::fill(call, world, source, data, options).await?;
    if let Target::File(path, _) = &target {
        check_name(path, filled.has_macros)?;
    }
    let media = if filled.has_macros { MEDIA_WITH_MACROS } else { MEDIA };
    let about = match filled.about {
        Value::Object(about) => about,
        _ => Map::new(),
    };
    target.deliver(call, slot, world, log, filled.bytes, media, about).await
}

/// `{"cells": {…}, "data": …}`: what the setting `data` gives, else the item, else all items as `items`. What is text is not made
/// into values here.
fn data(call: &Call, slot: &CallSlot) -> Result<String, NodeFailure> {
    let mut text = String::from("{\"cells\":");
    match setting(slot, "cells") {
        None => text.push_str("{}"),
        Some(cells @ Value::Object(_)) => text.push_str(&cells.to_string()),
        Some(other) => return Err(wrong_setting("cells", "an object of cells and their values", other)),
    }
    text.push_str(",\"data\":");
    if setting(slot, "data").is_some_and(|data| data.as_str() != Some("")) {
        cel::setting_data(slot, "data")?.append(&mut text);
    } else if call.mode == Mode::All {
        text.push_str("{\"items\":");
        Data::append_list((0..slot.input.len()).filter_map(|index| slot.input.kept(index)), &mut text);
        text.push('}');
    } else {
        slot.input.kept(0).unwrap_or_default().append(&mut text);
    }
    text.push('}');
    if text.len() > MAX_DATA {
        let what = "The data for the template";
        return Err(formats::too_large(what, text.len() as u64));
    }
    Ok(text)
}

/// Excel opens a file only when its name says whether it has macros.
fn check_name(path: &str, has_macros: bool) -> Result<(), NodeFailure> {
    let ends = |end: &str| path.len() > end.len() && path.to_lowercase().ends_with(end);
    let words = match has_macros {
        true if ends(".xlsx") => "The template has macros, so the file must be named .xlsm, or Excel does not open it",
        false if ends(".xlsm") => {
            "The template has no macros, so the file must be named .xlsx, or Excel does not open it"
        }
        _ => return Ok(()),
    };
    Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "path"))
}
