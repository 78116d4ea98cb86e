//! `builtin.audit`: one entry of the author's own in the audit chain. Actor, run, node and time are not his to say.

use crate::support::{pass, text_or, wrong_setting};
use crate::{EffectFuture, Kind, Outcome};
use serde_json::{Map, Value};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{AuditEvent, Level, NodeFailure};
use signalbox_ports::{AuditNote, CallLog, NotRecorded, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let level = text_or(slot, "level", "INFO")?;
    let level = Level::parse(level)
        .ok_or_else(|| wrong_setting("level", "INFO, WARN, ERROR or CRITICAL", &slot.config["level"]))?;
    let tags = match slot.config.get("tags").filter(|v| !v.is_null()) {
        None => Vec::new(),
        Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        Some(other) => return Err(wrong_setting("tags", "a list of words", other)),
    };
    let metadata = match slot.config.get("metadata").filter(|v| !v.is_null()) {
        None => Map::new(),
        Some(Value::Object(map)) => map.clone(),
        Some(other) => return Err(wrong_setting("metadata", "an object", other)),
    };
    // A name may come from data: an entry that looks like Signalbox's own would put words into its mouth.
    let event = text_or(slot, "event", "NOTE")?;
    if AuditEvent::is_reserved(event) {
        let why =
            format!("'{event}' is a name of Signalbox's own audit entries. Choose another, such as ORDER_REFUSED");
        return Err(NodeFailure::validation("AUDIT_RESERVED_EVENT", why));
    }
    let note = AuditNote {
        run_id: call.run_id.to_string(),
        node_id: call.node_id.to_string(),
        event: event.to_owned(),
        level,
        tags,
        metadata,
        // The same after a crash: the entry stands once.
        key: format!("{}:{}", call.idempotency_key, slot.item),
        now_ms: world.clock.now_ms(),
        sink: Some(text_or(slot, "sink", "")?.trim()).filter(|name| !name.is_empty()).map(str::to_owned),
    };
    let sink = note.sink.clone().unwrap_or_default();
    match world.audit.record(note).await {
        Ok(()) => Ok(pass(slot, "success")),
        Err(NotRecorded::Unwritten(why)) => {
            Err(NodeFailure::tool("AUDIT_SINK", format!("The audit entry could not be written: {why}"))
                .suggest(signalbox_model::SuggestedAction::HumanReview))
        }
        Err(NotRecorded::UnknownSink(why)) => Err(NodeFailure::validation(
            "AUDIT_SINK_UNKNOWN",
            format!("No copy of the audit chain has the name '{sink}': {why}. Nothing was written"),
        )),
        // The entry stays: a repeated call finds it, and waits for the copy again.
        Err(NotRecorded::NotCopied(why)) => Err(NodeFailure::tool(
            "AUDIT_NOT_COPIED",
            format!("The entry is in the audit chain, but not in the copy '{sink}': {why}"),
        )
        .retryable()),
    }
}
