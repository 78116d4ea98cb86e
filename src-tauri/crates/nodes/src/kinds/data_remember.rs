//! `data.remember`: items whose key no earlier run of the workflow has seen go on through `success`, the others through
//! `seen`.

use crate::support::{kind_of, text_or, whole};
use crate::{EffectFuture, Kind, Outcome, cel};
use serde_json::Value;
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_model::hash::sha256_hex;
use signalbox_model::{KeyClaim, NodeFailure};
use signalbox_ports::{CallLog, RememberError, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

const MAX_SCOPE: usize = 200;
const MAX_KEYS: u64 = 100_000;
const DEFAULT_KEYS: u64 = 10_000;
const MAX_DAYS: u64 = 3_650;
const DEFAULT_DAYS: u64 = 90;
const DAY_MS: i64 = 86_400_000;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let scope = text_or(slot, "scope", "")?.trim();
    if scope.chars().count() > MAX_SCOPE {
        let words = format!("The setting 'scope' is longer than {MAX_SCOPE} characters");
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "scope"));
    }
    let most = whole(slot, "maxKeys", 1, MAX_KEYS)?.unwrap_or(DEFAULT_KEYS);
    let days = whole(slot, "keepDays", 1, MAX_DAYS)?.unwrap_or(DEFAULT_DAYS);
    let claim = KeyClaim {
        workflow: call.workflow_id.to_string(),
        scope: scope.to_owned(),
        keys: keys(slot)?,
        run: call.run_id.to_string(),
        step: format!("{}/{}", call.key.path, call.node_id),
        most: usize::try_from(most).unwrap_or(usize::MAX),
        kept_ms: i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY_MS),
        now_ms: world.clock.now_ms(),
    };
    let new = world.remembered.claim(claim).await.map_err(failure)?;
    let mut output = CallOutput::default();
    for (port, wanted) in [("success", true), ("seen", false)] {
        let chosen = (0..slot.input.len()).filter(|index| new.get(*index) == Some(&wanted));
        let items = chosen.filter_map(|index| Some(OutItem::new(slot.input.data(index)?, Some(index))));
        output.ports.extend(CallOutput::items(port, items).ports);
    }
    Ok(output)
}

/// Digests of the items' keys: what is kept has one length, and tells nothing about the items.
fn keys(slot: &CallSlot) -> Result<Vec<String>, NodeFailure> {
    let key = cel::setting_expr(slot, "key")?;
    let mut scope = slot.scope.clone();
    let mut keys = Vec::with_capacity(slot.input.len());
    for index in 0..slot.input.len() {
        scope.item = slot.input.kept(index).unwrap_or_default();
        let value = cel::value("key", &key, &scope).map_err(|failure| failure.detail("index", index))?;
        if matches!(value, Value::Null | Value::Object(_)) {
            let words = format!("The key of item {index} is {}; choose a field that names the item", kind_of(&value));
            return Err(NodeFailure::validation("BAD_KEY", words).detail("field", "key").detail("index", index));
        }
        keys.push(sha256_hex(value.to_string().as_bytes()));
    }
    Ok(keys)
}

fn failure(error: RememberError) -> NodeFailure {
    if error.disk_full {
        return NodeFailure::tool("DISK_FULL", format!("{}. Free some space and run again", error.message));
    }
    NodeFailure::tool("IO", error.message).retryable()
}
