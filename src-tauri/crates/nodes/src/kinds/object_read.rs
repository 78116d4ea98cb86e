//! `object.read`: one object of a store.

use crate::formats::{self, Content};
use crate::objects::place::Place;
use crate::objects::requests::{named, told};
use crate::objects::settings::key;
use crate::support::{made, text_or, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, binary};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::media;
use signalbox_ports::{CallLog, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let place = Place::of(call, slot, world).await?;
    let key = key(slot, "key")?;
    let kind = text_or(slot, "as", "binary")?;
    if !["binary", "text", "json"].contains(&kind) {
        return Err(wrong_setting("as", "binary, text or json", &slot.config["as"]));
    }
    let (about, bytes) = place.get(&key).await?;
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
