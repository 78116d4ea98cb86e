//! Entries about this store, and what they say of who did it.

use serde_json::Value;
use signalbox_model::{AuditEvent, time};
use signalbox_store::AuditState;
use signalbox_store::audit::{Actor, Level, PublicKey, RUN_LEVEL, Record};

/// The `runId` of an entry that concerns no run.
pub(crate) const STORE_LEVEL: &str = "$store";

pub(crate) fn keys(state: &AuditState) -> Vec<PublicKey> {
    PublicKey::all_from_text(&state.keys).unwrap_or_default()
}

/// An entry about this store as a whole.
pub(crate) fn fact_at(at_ms: i64, event: AuditEvent, level: Level, actor: Actor, facts: Value) -> Record {
    Record::new(time::format(at_ms), STORE_LEVEL, RUN_LEVEL, event, level, actor)
        .with_metadata(facts.as_object().cloned().unwrap_or_default())
}
