//! `pdf.write`: Markdown with values becomes a PDF.

use crate::document::{failure, make_pdf};
use crate::document_output::Target;
use crate::fields::choice;
use crate::file_error::file_failure;
use crate::support::{flag, setting, text, text_or, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, binary, formats};
use serde_json::{Map, Value};
use signalbox_documents::pdf_write::{self, Content, MAX_FONT, Request};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_engine::expr::Expr;
use signalbox_engine::template::{Filled, Template};
use signalbox_model::item::together;
use signalbox_model::{Data, NodeFailure};
use signalbox_ports::{CallLog, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

const MEDIA: &str = "application/pdf";
/// Most font files.
const MAX_FONTS: usize = 20;
/// Settings that are given on as they are.
const PLAIN: &[&str] =
    &["pageSize", "orientation", "margin", "fontSize", "title", "author", "language", "date", "machineFonts"];

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let target = Target::of(slot)?;
    let is_markdown = choice(slot, "values", &["text", "markdown"])? == "markdown";
    flag(slot, "machineFonts", true)?;
    let source = text(slot, "content")?;
    let content = pieces(slot, "content", source)?;
    let images = images(call, slot, world, source, &content, is_markdown).await?;
    let fonts = fonts(call, slot, world).await?;
    let scrubber = world.secrets.scrubber();
    let clean = |text: String| scrubber.text(&text).into_owned();
    let band = |field: &str| match text_or(slot, field, "")? {
        source if source.trim().is_empty() => Ok(None),
        source => pieces(slot, field, source).map(|pieces| Some(clean(pieces))),
    };
    let (header, footer) = (band("header")?, band("footer")?);
    let request = Request { content: clean(content), is_markdown, header, footer, images, fonts };
    let (bytes, head) = request.bytes();
    let mut options = Map::from_iter([("head".to_owned(), head.into())]);
    for name in PLAIN {
        if let Some(value) = setting(slot, name) {
            options.insert((*name).to_owned(), value.clone());
        }
    }
    let made = make_pdf(call, world, log, bytes, Value::Object(options)).await?;
    target.deliver(call, slot, world, log, made.bytes, MEDIA, made.about).await
}

/// The text and its values apart, as JSON: `[{"text": …}, {"value": …}]`. A long list is not made into values.
fn pieces(slot: &CallSlot, field: &str, source: &str) -> Result<String, NodeFailure> {
    let mut out = String::from("[");
    let mut add = |name: &str, data: &Data| {
        out.push_str(if out.len() > 1 { ",{\"" } else { "{\"" });
        out.push_str(name);
        out.push_str("\":");
        data.append(&mut out);
        out.push('}');
    };
    match source.strip_prefix('=') {
        Some(rest) if !rest.starts_with('=') => {
            let value = Expr::compile(rest).and_then(|expr| expr.eval_text(&slot.scope));
            add("value", &value.map_err(|error| error.failure(field))?);
        }
        escaped => {
            let template = Template::parse(escaped.unwrap_or(source)).map_err(|error| error.failure(field))?;
            for part in template.fill_apart(&slot.scope).map_err(|error| error.failure(field))? {
                match part {
                    Filled::Text(text) => add("text", &Value::from(text).into()),
                    Filled::Value(data) => add("value", &data),
                }
            }
        }
    }
    out.push(']');
    Ok(out)
}

/// The pictures that the text names: bytes of the item, or files.
async fn images(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    source: &str,
    content: &str,
    is_markdown: bool,
) -> Result<Vec<(String, Vec<u8>)>, NodeFailure> {
    // Values name no pictures unless they are Markdown, so that most texts are read only once.
    let has_pictures = source.contains("![") || (is_markdown && content.contains("!["));
    if !has_pictures {
        return Ok(Vec::new());
    }
    let parsed = serde_json::from_str(content).unwrap_or_default();
    let names = pdf_write::image_names(&Content::of(parsed, is_markdown).map_err(failure)?).map_err(failure)?;
    let own = together(slot.input.binaries()).unwrap_or_default();
    let (mut all, mut total) = (Vec::with_capacity(names.len()), 0);
    for name in names {
        let short: String = name.chars().take(200).collect();
        let bytes = if own.contains_key(&name) {
            binary::read_named(call, slot, world, &name, "content").await?.1
        } else if name.contains("://") || name.starts_with("//") || name.starts_with("data:") {
            let words = format!(
                "The picture '{short}' is not in a file: nothing is fetched while a PDF is made. Fetch it first with HTTP request, let it keep the response as bytes, and write ![…](response)"
            );
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "content"));
        } else if name.contains(['.', '/', ':', '\\']) {
            let read = world.files.read(&call.workflow_id, &name, formats::MAX_BYTES as u64).await;
            read.map_err(|error| file_failure(error, &name))?
        } else {
            binary::read_named(call, slot, world, &name, "content").await?.1
        };
        total += bytes.len();
        if total > formats::MAX_BYTES {
            return Err(formats::too_large("The pictures together", total as u64));
        }
        all.push((name, bytes));
    }
    Ok(all)
}

/// The font files of the setting `fonts`.
async fn fonts(call: &Call, slot: &CallSlot, world: &World) -> Result<Vec<(String, Vec<u8>)>, NodeFailure> {
    let list = match setting(slot, "fonts") {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) if list.len() <= MAX_FONTS => list,
        Some(other) => return Err(wrong_setting("fonts", &format!("a list of at most {MAX_FONTS} files"), other)),
    };
    let mut all = Vec::with_capacity(list.len());
    for one in list {
        let wrong = || wrong_setting("fonts", "a list of paths", one);
        let path = one.as_str().filter(|path| !path.trim().is_empty()).ok_or_else(wrong)?;
        let read = world.files.read(&call.workflow_id, path, MAX_FONT as u64).await;
        all.push((path.to_owned(), read.map_err(|error| file_failure(error, path))?));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::PLAIN;
    use serde_json::json;

    #[test]
    fn plain_settings_are_those_that_the_maker_reads() {
        let catalog = crate::catalog();
        let kind = catalog.iter().find(|kind| kind.kind == "pdf.write").expect("is there");
        for name in PLAIN {
            assert_ne!(kind.config["properties"][*name], json!(null), "{name}");
        }
    }
}
