//! `object.read`: one object of a store.

use crate::cancellation::unless_left;
use crate::formats::{self, Content};
use crate::objects::place::Place;
use crate::objects::requests::{About, named, told};
use crate::objects::settings::{invalid, key};
use crate::support::{made, text_or, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, binary};
use serde_json::json;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::media;
use signalbox_ports::{CallLog, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let place = Place::of(call, slot, world).await?;
    let key = key(slot, "key")?;
    let kind = text_or(slot, "as", "binary")?;
    if !["binary", "text", "json", "file"].contains(&kind) {
        return Err(wrong_setting("as", "binary, text, json or file", &slot.config["as"]));
    }
    if kind == "file" {
        let path = text_or(slot, "saveTo", "")?.trim();
        if path.is_empty() {
            return Err(invalid("saveTo", "'saveTo' names no file; write a path in a folder granted for writing"));
        }
        let (about, size) = place.save(&key, path, log).await?;
        // The store may not tell it, or count a packed one otherwise.
        let about = About { size: about.size.or(Some(size)), ..about };
        let mut data = told(&key, &about);
        data["content"] = json!({ "path": path, "size": size });
        return Ok(made(slot, data));
    }
    let (about, bytes) = unless_left(log, world, place.get(&key)).await?;
    let mut data = told(&key, &about);
    if kind == "binary" {
        let media = about.media.unwrap_or_else(|| media::of_path(&key).to_owned());
        let kept = binary::keep(call, world, bytes, &media, &named(&key)).await?;
        data["content"] = kept.description();
        return Ok(binary::made_with(slot, data, "content", Some(kept)));
    }
    let text = formats::utf8(bytes, &named(&key))?;
    data["content"] = match kind {
        "json" => match formats::read_json(&text, &named(&key), String::new())? {
            Content::Values(value) => value,
            Content::Text(text) => formats::parse_json(&text, &named(&key))?,
        },
        _ => formats::without_bom(&text).into(),
    };
    Ok(made(slot, data))
}
