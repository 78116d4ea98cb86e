//! `object.move`: moves or copies one object inside a store; its bytes stay there.

use crate::cancellation::unless_left;
use crate::objects::place::Place;
use crate::objects::settings::{invalid, key};
use crate::support::{flag, made, text_or, wrong_setting};
use crate::{EffectFuture, Kind, Outcome};
use serde_json::json;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_ports::{CallLog, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(unless_left(log, world, run(call, slot, world)))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let place = Place::of(call, slot, world).await?;
    let (from, to) = (key(slot, "key")?, key(slot, "to")?);
    for (field, key) in [("key", &from), ("to", &to)] {
        if key.ends_with('/') {
            return Err(invalid(field, "A folder is not moved; name an object"));
        }
    }
    if from == to {
        return Err(invalid("to", "The object is there already: 'key' and 'to' are the same"));
    }
    let is_new = match text_or(slot, "when", "always")? {
        "always" => false,
        "new" => true,
        _ => return Err(wrong_setting("when", "always or new", &slot.config["when"])),
    };
    let keeps = flag(slot, "keep", false)?;
    place.transfer(&from, &to, keeps, is_new).await?;
    Ok(made(slot, json!({ "key": to, "from": from, "kept": keeps })))
}
