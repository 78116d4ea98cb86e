//! `object.list`: the objects of a store whose keys begin alike, an item each.

use crate::cancellation::unless_left;
use crate::objects::listing::Wanted;
use crate::objects::place::Place;
use crate::objects::requests::told;
use crate::objects::settings::prefix;
use crate::support::{flag, origin, whole};
use crate::{EffectFuture, Kind, Outcome};
use serde_json::json;
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_ports::{CallLog, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

const DEFAULT_LIMIT: u64 = 1_000;
const MOST: u64 = 100_000;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(unless_left(log, world, run(call, slot, world)))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let place = Place::of(call, slot, world).await?;
    let prefix = prefix(slot)?;
    let limit = whole(slot, "limit", 1, MOST)?.unwrap_or(DEFAULT_LIMIT);
    let wanted = Wanted { prefix: &prefix, recursive: flag(slot, "recursive", true)?, limit };
    let listing = place.list(&wanted).await?;
    let items = listing.entries.iter().map(|entry| {
        let mut data = told(&entry.key, &entry.about);
        data["name"] = entry.key.trim_end_matches('/').rsplit('/').next().unwrap_or_default().into();
        data["folder"] = entry.is_folder.into();
        OutItem::new(Arc::new(data), origin(slot))
    });
    let mut output = CallOutput::items("success", items);
    output.meta = Some(Arc::new(json!({ "more": listing.more })));
    Ok(output)
}
