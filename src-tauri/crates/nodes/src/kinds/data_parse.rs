//! `data.parse`: a text becomes data; the result replaces the item's data.

use crate::csv_table::Layout;
use crate::document::failure;
use crate::fields::choice;
use crate::formats::{Content, MAX_BYTES, too_large, without_bom};
use crate::support::{kind_of, made, made_text, setting, text_or, wrong_setting};
use crate::{Kind, Outcome, cel, csv_table, formats, memory, number_texts};
use serde_json::Value;
use signalbox_documents::{toml_text, xml};
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let source = match cel::setting_value(slot, "from")? {
        Value::String(source) => source,
        other => {
            let words = format!("The expression 'from' must give the text to read, but it gives {}", kind_of(&other));
            return Err(NodeFailure::validation("SCHEMA_MISMATCH", words).detail("field", "from"));
        }
    };
    let data = match text_or(slot, "format", "json")? {
        "json" => formats::read_json(&source, "The text", String::new())?,
        "csv" => csv_table::read(&source, Layout::of(slot)?, "The text", String::new())?,
        "xml" => Content::Values(xml::parse(fitting(&source, b"<=")?, &xml_options(slot)?).map_err(failure)?),
        "yaml" => Content::Values(kept(&source, formats::read_yaml(fitting(&source, b"")?)?)?),
        "toml" => Content::Values(kept(&source, toml_text::parse(fitting(&source, b"=,[{")?).map_err(failure)?)?),
        _ => return Err(wrong_setting("format", "json, csv, xml, yaml or toml", &slot.config["format"])),
    };
    Ok(match data {
        Content::Values(data) => made(slot, data),
        Content::Text(text) => made_text(slot, text),
    })
}

/// What was read from a text, unless a number of it would be another one.
fn kept(text: &str, read: Value) -> Result<Value, NodeFailure> {
    match number_texts::lost(text, &read) {
        Some(loss) => Err(formats::would_change(&loss, "The text")),
        None => Ok(read),
    }
}

/// A text within the limits of every text: of its size, and of what its values take. `signs` are those that can begin a value.
fn fitting<'a>(text: &'a str, signs: &[u8]) -> Result<&'a str, NodeFailure> {
    if text.len() > MAX_BYTES {
        return Err(too_large("The text", text.len() as u64));
    }
    memory::fits(memory::of_markup(text, signs), text.len(), "The text")?;
    Ok(without_bom(text))
}

fn xml_options(slot: &CallSlot) -> Result<xml::ReadOptions, NodeFailure> {
    let lists = match setting(slot, "lists") {
        None => Vec::new(),
        Some(Value::Array(names)) => {
            let wrong = || wrong_setting("lists", "a list of names of elements", &slot.config["lists"]);
            names.iter().map(|name| name.as_str().map(str::to_owned).ok_or_else(wrong)).collect::<Result<_, _>>()?
        }
        Some(other) => return Err(wrong_setting("lists", "a list of names of elements", other)),
    };
    Ok(xml::ReadOptions { strip_namespaces: choice(slot, "namespaces", &["keep", "remove"])? == "remove", lists })
}
