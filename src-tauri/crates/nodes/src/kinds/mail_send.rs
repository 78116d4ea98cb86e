//! `mail.send`: one message over SMTP. Recipients that the server refuses are data as long as one is accepted.

use crate::cancellation::until_cancelled;
use crate::mail::failure::{failure, recipient};
use crate::mail::message::message;
use crate::mail::server::{SMTP, server};
use crate::support::made;
use crate::{EffectFuture, Kind, Outcome};
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_ports::{CallLog, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let mail = message(call, slot, world).await?;
    let (server, timeout_ms) = server(call, slot, world, &SMTP).await?;
    let message_id = mail.message_id.clone();
    let sent = until_cancelled(log, world.mail.send(server, mail)).await;
    let sent = sent.map_err(|error| failure(error, timeout_ms).detail("messageId", message_id.as_str()))?;
    let refused: Vec<Value> = sent.refused.iter().map(recipient).collect();
    let result = json!({
        "messageId": message_id, "accepted": sent.accepted, "refused": refused, "size": sent.size, "reply": sent.reply,
    });
    Ok(made(slot, result))
}
