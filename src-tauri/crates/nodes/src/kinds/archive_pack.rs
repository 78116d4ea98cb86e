//! `archive.pack`: texts and bytes of items become one archive.

use crate::document::failure;
use crate::document_output::Target;
use crate::fields::choice;
use crate::support::{kind_of, setting};
use crate::{EffectFuture, Kind, Outcome, binary, cel, formats};
use serde_json::{Map, Value};
use signalbox_documents::archive::{self, Format};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_engine::expr::Expr;
use signalbox_model::NodeFailure;
use signalbox_ports::{CallLog, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let target = Target::of(slot)?;
    let (format, media) = match choice(slot, "format", &["zip", "tar", "tar.gz"])? {
        "tar" => (Format::Tar, "application/x-tar"),
        "tar.gz" => (Format::TarGz, "application/gzip"),
        _ => (Format::Zip, "application/zip"),
    };
    let given = |field: &str| setting(slot, field).is_some_and(|value| value.as_str() != Some(""));
    let name = cel::setting_expr(slot, "name")?;
    let content = if given("content") { Some(cel::setting_expr(slot, "content")?) } else { None };
    if content.is_some() == given("binary") {
        let words =
            "An entry has one content: set 'content' (an expression) or 'binary' (the name of bytes of the item)";
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "content"));
    }
    let mut files = Vec::with_capacity(slot.input.len());
    let mut total = 0;
    for at in 0..slot.input.len() {
        let path = match value(slot, "name", &name, at)? {
            Value::String(path) => path,
            Value::Number(number) => number.to_string(),
            other => return Err(wrong("name", "text", &other, at)),
        };
        let bytes = match &content {
            Some(content) => match value(slot, "content", content, at)? {
                Value::String(text) => text.into_bytes(),
                other => other.to_string().into_bytes(),
            },
            None => binary::of_item(call, slot, world, "binary", at).await?,
        };
        total += bytes.len() as u64;
        if total > archive::MAX_TOTAL {
            return Err(formats::over("The files of the archive", total, archive::MAX_TOTAL));
        }
        files.push((path, bytes));
    }
    let bytes = archive::pack(format, &files).map_err(failure)?;
    let about = Map::from_iter([("files".to_owned(), files.len().into())]);
    drop(files);
    target.deliver(call, slot, world, log, bytes, media, about).await
}

fn value(slot: &CallSlot, field: &str, expr: &Expr, at: usize) -> Result<Value, NodeFailure> {
    let mut scope = slot.scope.clone();
    scope.item = slot.input.kept(at).unwrap_or_default();
    cel::value(field, expr, &scope)
}

fn wrong(field: &str, wanted: &str, got: &Value, at: usize) -> NodeFailure {
    let words = format!("'{field}' of item {} must be {wanted}, but it is {}", at + 1, kind_of(got));
    NodeFailure::validation("SCHEMA_MISMATCH", words).detail("field", field)
}
