//! Bytes beside an item's data (K-37): steps that make bytes keep them and hand a reference on; steps that take bytes name
//! one that came with their item. A reference inside data is never looked at: data can say anything.

use crate::formats;
use crate::support::{origin, text, text_or};
use serde_json::Value;
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_model::item::together;
use signalbox_model::media::UNKNOWN;
use signalbox_model::{Binaries, BinaryRef, NodeFailure};
use signalbox_ports::{BinaryError, World};
use std::sync::Arc;

/// Longest media type.
const LONGEST: usize = 127;

/// Keeps what a step made, without the secrets of this machine that came with it. `what` names it in messages.
pub(crate) async fn keep(
    call: &Call,
    world: &World,
    bytes: Vec<u8>,
    media: &str,
    what: &str,
) -> Result<BinaryRef, NodeFailure> {
    keep_clean(call, world, clean(world, bytes), media, what).await
}

/// [`keep`] for what [`clean`] has gone over.
pub(crate) async fn keep_clean(
    call: &Call,
    world: &World,
    bytes: Vec<u8>,
    media: &str,
    what: &str,
) -> Result<BinaryRef, NodeFailure> {
    let size = bytes.len() as u64;
    // A secret's name may be longer than the secret.
    if bytes.len() > formats::MAX_BYTES {
        return Err(formats::too_large(what, size));
    }
    let kept = world.binaries.keep(&call.run_id, bytes).await.map_err(|error| failure(error, what, "kept"))?;
    Ok(BinaryRef::new(kept, plain_media(media), size))
}

/// Bytes without the secrets of this machine.
pub(crate) fn clean(world: &World, bytes: Vec<u8>) -> Vec<u8> {
    let scrubber = world.secrets.scrubber();
    if scrubber.finds(&bytes) { scrubber.bytes(&bytes).into_owned() } else { bytes }
}

/// One item with bytes of its own.
pub(crate) fn made_with(slot: &CallSlot, data: Value, name: &str, bytes: Option<BinaryRef>) -> CallOutput {
    let binary = bytes.map(|bytes| Binaries::from([(name.to_owned(), bytes)]));
    CallOutput::items("success", [OutItem { binary, ..OutItem::new(Arc::new(data), origin(slot)) }])
}

/// The bytes that a setting names among those that came with the slot's items.
pub(crate) async fn read(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    field: &str,
) -> Result<(BinaryRef, Vec<u8>), NodeFailure> {
    read_named(call, slot, world, text(slot, field)?, field).await
}

/// The bytes of a name that a part of a setting gives; `field` is its place.
pub(crate) async fn read_named(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    name: &str,
    field: &str,
) -> Result<(BinaryRef, Vec<u8>), NodeFailure> {
    let all = together(slot.input.binaries()).unwrap_or_default();
    let Some(wanted) = all.get(name) else {
        let names: Vec<&str> = all.keys().take(20).map(String::as_str).collect();
        let there = if names.is_empty() {
            "the item has none. Let a step that reads as binary come right before it".to_owned()
        } else {
            format!("the item has: {}", names.join(", "))
        };
        let short: String = name.chars().take(100).collect();
        return Err(NodeFailure::validation("BINARY_MISSING", format!("There are no bytes named '{short}'; {there}"))
            .detail("field", field)
            .detail("available", names));
    };
    let what = format!("The bytes '{name}'");
    let bytes =
        world.binaries.read(&call.run_id, &wanted.sha256).await.map_err(|error| failure(error, &what, "read"))?;
    let bytes = bytes.ok_or_else(|| {
        NodeFailure::tool("BINARY_GONE", format!("{what} are not kept with this run any more; make them again"))
    })?;
    Ok((wanted.clone(), bytes))
}

/// The bytes of one item of a step that takes its items together, by the name that a setting gives, `content` without one.
pub(crate) async fn of_item(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    field: &str,
    at: usize,
) -> Result<Vec<u8>, NodeFailure> {
    let name = text_or(slot, field, "content")?;
    let short: String = name.chars().take(100).collect();
    let wanted = slot.input.binary(at).and_then(|all| all.get(name)).ok_or_else(|| {
        let names: Vec<&str> =
            slot.input.binary(at).into_iter().flat_map(|all| all.keys()).take(20).map(String::as_str).collect();
        let words = format!("Item {} has no bytes named '{short}'", at + 1);
        NodeFailure::validation("BINARY_MISSING", words)
            .detail("field", field)
            .detail("index", at)
            .detail("available", names)
    })?;
    let what = format!("The bytes '{short}' of item {}", at + 1);
    let bytes =
        world.binaries.read(&call.run_id, &wanted.sha256).await.map_err(|error| failure(error, &what, "read"))?;
    bytes.ok_or_else(|| {
        NodeFailure::tool("BINARY_GONE", format!("{what} are not kept with this run any more; make them again"))
    })
}

fn failure(error: BinaryError, what: &str, done: &str) -> NodeFailure {
    let message = format!("{what} cannot be {done}: {}", error.message);
    if error.disk_full {
        NodeFailure::tool("DISK_FULL", format!("{message}. Free some space and run again"))
    } else {
        NodeFailure::tool("IO", message)
    }
}

/// `type/subtype` in small letters: it came from outside, and goes into headers.
pub(crate) fn plain_media(media: &str) -> String {
    let token = |text: &str| {
        let fits = |b: u8| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b);
        !text.is_empty() && text.bytes().all(fits)
    };
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let fits = media.len() <= LONGEST && media.split_once('/').is_some_and(|(kind, sub)| token(kind) && token(sub));
    if fits { media } else { UNKNOWN.to_owned() }
}

#[cfg(test)]
mod tests;
