//! `object.write`: one object into a store, as a whole or from a file; under a condition where one is asked for.

use crate::cancellation::unless_left;
use crate::objects::file_source::FileSource;
use crate::objects::place::Place;
use crate::objects::requests::Condition;
use crate::objects::settings::{invalid, key};
use crate::objects::upload::FileWrite;
use crate::support::{made, setting, text, text_or, wrong_choice, wrong_setting};
use crate::{EffectFuture, Kind, Outcome};
use crate::{binary, cel};
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{NodeFailure, media};
use signalbox_ports::{CallLog, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let place = Place::of(call, slot, world).await?;
    let key = key(slot, "key")?;
    if key.ends_with('/') {
        return Err(invalid("key", "The key of an object does not end with '/'"));
    }
    let version = setting(slot, "version").map(|_| text(slot, "version")).transpose()?.filter(|one| !one.is_empty());
    let condition = match text_or(slot, "when", "always")? {
        "always" => Condition::Always,
        "new" => Condition::IfNew,
        "version" => Condition::IfVersion(
            version
                .ok_or_else(|| invalid("version", "The version that the object must still have is not given"))?
                .to_owned(),
        ),
        _ => return Err(wrong_choice("when", "always, new or version", &slot.config["when"])),
    };
    let given = |field: &str| setting(slot, field).filter(|value| value.as_str() != Some(""));
    let path = given("file").map(|_| text(slot, "file")).transpose()?;
    if let Some(path) = path {
        if given("content").is_some() || given("binary").is_some() {
            return Err(invalid("file", "An object has one content: empty 'file', or 'content' and 'binary'"));
        }
        let by_name = match media::of_path(&key) {
            media::UNKNOWN => media::of_path(path),
            known => known,
        };
        let media = media_type(slot, by_name)?;
        let source = FileSource::open(call, world, path).await?;
        let file = FileWrite { key: &key, source: &source, media: &media, condition: &condition, log };
        let version = place.put_file(&file).await?;
        return Ok(made(slot, json!({ "key": key, "size": source.size, "type": media, "version": version })));
    }
    let long = cel::long_setting(slot, "/content")?;
    let (bytes, found) = match (setting(slot, "content"), setting(slot, "binary")) {
        (Some(_), Some(_)) => {
            return Err(invalid("binary", "An object has one content: empty 'content' or 'binary'"));
        }
        (None, Some(_)) => {
            let (reference, bytes) = binary::read(call, slot, world, "binary").await?;
            (bytes, reference.mime)
        }
        (Some(_), None) if let Some(long) = long => {
            let media = if long.is_json() { "application/json" } else { media::of_path(&key) }.to_owned();
            (long.into_text().into_bytes(), media)
        }
        (Some(Value::String(text)), None) => (text.clone().into_bytes(), media::of_path(&key).to_owned()),
        (Some(value), None) => (value.to_string().into_bytes(), "application/json".to_owned()),
        (None, None) => return Err(wrong_setting("content", "text or another value", &Value::Null)),
    };
    let media = media_type(slot, &found)?;
    let size = bytes.len();
    let version = unless_left(log, world, place.put(&key, bytes, &media, &condition)).await?;
    Ok(made(slot, json!({ "key": key, "size": size, "type": media, "version": version })))
}

/// The media type that is set, or else this one.
fn media_type(slot: &CallSlot, found: &str) -> Result<String, NodeFailure> {
    match text_or(slot, "contentType", "")?.trim() {
        "" => Ok(found.to_owned()),
        given if http::HeaderValue::from_str(given).is_ok() => Ok(given.to_owned()),
        _ => Err(invalid("contentType", "The media type has a character that headers may not have")),
    }
}
