//! The audit chain of programs that were exported with `--audit ring`: the oldest entries go when there are too many, and a signed
//! entry of the chain stands for them (ADR 26), so that the rest verifies as before.

use crate::failure::Failure;
use serde_json::json;
use signalbox_adapters::RealClock;
use signalbox_model::{AuditEvent, time};
use signalbox_ports::Clock;
use signalbox_store::Store;
use signalbox_store::audit::{Actor, Level, PublicKey, RUN_LEVEL, Record};

/// Entries that stay.
pub(crate) const KEPT: u64 = 10_000;
/// So many more are there before any go: the whole chain is verified each time.
pub(crate) const MORE: u64 = 2_500;

/// Removes the oldest entries when there are more than `kept` and `more`. Those of runs that have not ended stay.
pub(crate) fn shorten(store: &Store, kept: u64, more: u64) -> Result<(), Failure> {
    let state = store.audit_state()?;
    let gone = store.audit_tombstone()?.map_or(0, |(_, tombstone)| tombstone.removed);
    if state.head.size.saturating_sub(gone) <= kept.saturating_add(more) {
        return Ok(());
    }
    let first = state.head.size.saturating_sub(kept);
    let at = store.audit_entry(first)?.and_then(|row| row.entry()).and_then(|entry| time::parse(&entry.timestamp));
    let Some(before_ms) = at else { return Ok(()) };
    let keys = PublicKey::all_from_text(&state.keys).unwrap_or_default();
    let verdict = store.audit_verify(keys, Vec::new(), None)?;
    if !verdict.is_intact() {
        // What is removed cannot be looked at again.
        let hint = "Keep a copy of the data folder and find out why; until then nothing is removed.";
        return Err(Failure::invalid("AUDIT_BROKEN", format!("The audit chain is not shortened: {verdict}"), hint));
    }
    loop {
        let now = time::format(RealClock.now_ms());
        let facts = json!({ "keepEntries": kept });
        let removed = store.audit_retain(before_ms, move |tombstone| {
            let mut facts = facts.as_object().cloned().unwrap_or_default();
            facts.extend(tombstone);
            Record::new(now, "$store", RUN_LEVEL, AuditEvent::AuditRetention, Level::Warn, Actor::system())
                .with_metadata(facts)
        })?;
        if removed.is_none() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests;
