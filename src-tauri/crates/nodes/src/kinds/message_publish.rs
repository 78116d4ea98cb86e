//! `message.publish`: one message to a broker, which has it when the step ends.

use crate::brokers::{broker, failure, topic};
use crate::support::{flag, made, setting, text, whole, wrong_setting};
use crate::{EffectFuture, Kind, Outcome};
use futures_util::future::{Either, select};
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_model::hash::sha256_parts;
use signalbox_ports::brokers::OutgoingMessage;
use signalbox_ports::{CallLog, World};
use std::pin::pin;

pub(crate) const KIND: Kind = Kind::Effect(start);

/// Largest content, bytes.
const LARGEST: usize = 16 * 1024 * 1024;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let topic = topic(slot)?;
    let (body, media) = match setting(slot, "body") {
        None => (Vec::new(), None),
        Some(Value::String(words)) => (words.clone().into_bytes(), None),
        Some(value) => (value.to_string().into_bytes(), Some("application/json".to_owned())),
    };
    if body.len() > LARGEST {
        let words = format!("The message has {} bytes; at most {LARGEST} are published", body.len());
        return Err(NodeFailure::validation("TOO_LARGE", words).detail("size", body.len()).detail("limit", LARGEST));
    }
    let size = body.len();
    let message = OutgoingMessage {
        topic: topic.clone(),
        exchange: setting(slot, "exchange").map(|_| text(slot, "exchange").map(str::to_owned)).transpose()?,
        body,
        media,
        headers: headers(slot)?,
        keep: whole(slot, "keep", 1, 1_000_000_000)?,
        retain: flag(slot, "retain", false)?,
        stored: flag(slot, "stored", true)?,
        order_key: setting(slot, "key").map(|_| text(slot, "key").map(str::to_owned)).transpose()?,
        key: key(call, slot),
    };
    let broker = broker(call, slot, world).await?;
    let id = match select(pin!(world.brokers.publish(broker, message)), log.cancelled()).await {
        Either::Left((done, _)) => done.map_err(failure)?,
        Either::Right(_) => {
            log.give_up();
            // The driver ends the call.
            std::future::pending().await
        }
    };
    Ok(made(slot, json!({ "topic": topic, "id": id, "size": size })))
}

/// The same for a repeated call, and another one for each item.
fn key(call: &Call, slot: &CallSlot) -> Option<String> {
    let parts = [call.idempotency_key.as_bytes(), &slot.item.to_be_bytes()];
    (!call.idempotency_key.is_empty()).then(|| sha256_parts(&parts).chars().take(32).collect())
}

fn headers(slot: &CallSlot) -> Result<Vec<(String, String)>, NodeFailure> {
    let Some(given) = setting(slot, "headers") else { return Ok(Vec::new()) };
    let given = given.as_object().ok_or_else(|| wrong_setting("headers", "an object of name and value", given))?;
    let mut headers = Vec::new();
    for (name, value) in given {
        if matches!(name.as_str(), "body" | "contentType") {
            let words = format!("The header '{name}' is the name of a part of the message; choose another name");
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", format!("headers.{name}")));
        }
        match value {
            Value::Null => {}
            Value::String(words) => headers.push((name.clone(), words.clone())),
            value => headers.push((name.clone(), value.to_string())),
        }
    }
    Ok(headers)
}
