//! `object.delete`: removes one object of a store.

use crate::cancellation::unless_left;
use crate::objects::place::Place;
use crate::objects::settings::{invalid, key};
use crate::support::made;
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
    let key = key(slot, "key")?;
    if key.ends_with('/') {
        // A WebDAV server would remove all that is in it.
        return Err(invalid("key", "A folder is not removed; name an object"));
    }
    let found = place.delete(&key).await?;
    Ok(made(slot, json!({ "key": key, "found": found })))
}
