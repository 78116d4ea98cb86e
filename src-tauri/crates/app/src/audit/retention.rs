//! How long the audit chain keeps its entries. Without a policy it keeps them for ever. What goes is verified once more
//! before, and a signed entry stands for it (ADR 26). A jump of the clock is recorded here too: both are what a host that
//! stays does for the chain besides its runs.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{AuditHeld, AuditRetained, AuditRetention, AuditRetentionSet};
use crate::error::{ApiError, ApiResult, Class};
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, time};
use signalbox_store::audit::{Actor, Level};
use std::sync::Arc;
use std::time::{Duration, Instant};

const POLICY: &str = "retention";
const DAY_MS: i64 = 86_400_000;
/// Nobody needs more; beyond it lies a slip of the keyboard.
const MOST_DAYS: u32 = 36_500;
/// A host that stays looks so often whether something is old enough.
const LOOK: Duration = Duration::from_secs(3_600);
/// How often wall time is held against the time that passed.
const TICK: Duration = Duration::from_secs(10);
/// Smaller steps are what time services do all day.
const JUMP_MS: i64 = 5_000;

impl App {
    fn keep_days(&self) -> ApiResult<Option<u32>> {
        let note = self.store.audit_note(POLICY)?;
        Ok(note.and_then(|note| note["keepDays"].as_u64()).and_then(|days| u32::try_from(days).ok()))
    }

    /// The policy, and what went so far.
    pub(crate) fn retention_now(&self) -> ApiResult<AuditRetention> {
        let gone = self.store.audit_tombstone()?;
        let at = match &gone {
            Some((seq, _)) => self.store.audit_entry(*seq)?.and_then(|row| row.entry()).map(|entry| entry.timestamp),
            None => None,
        };
        Ok(AuditRetention {
            keep_days: self.keep_days()?,
            removed: gone.as_ref().map_or(0, |(_, tombstone)| tombstone.removed),
            record: gone.map(|(seq, _)| seq),
            at,
            held: self.store.audit_held()?.map(|held| AuditHeld { run_id: held.run, seq: held.seq }),
        })
    }

    pub(crate) fn retention_set(&self, caller: &Caller, asked: &AuditRetentionSet) -> ApiResult<AuditRetention> {
        if asked.keep_days.is_some_and(|days| days == 0 || days > MOST_DAYS) {
            let hint = format!("Choose 1 to {MOST_DAYS} days, or leave it out to keep everything.");
            return Err(ApiError::bad_request("That is no time to keep entries for.", hint));
        }
        let facts = caller.signed(json!({ "keepDays": asked.keep_days, "before": self.keep_days()? }));
        let record = self.fact(AuditEvent::AuditRetentionChanged, Level::Warn, caller.actor(), facts);
        self.store.audit_append(record, None, true)?;
        self.store.set_audit_note(POLICY, &json!({ "keepDays": asked.keep_days }))?;
        self.retention_now()
    }

    /// Removes what the policy gives up, in parts. Nothing goes from a chain that is not intact.
    pub(crate) fn retain(&self, actor: &Actor, facts: &Value) -> ApiResult<AuditRetained> {
        let Some(days) = self.keep_days()? else {
            let message = "There is no time after which entries are removed.";
            return Err(ApiError::new(
                Class::Conflict,
                "NO_RETENTION",
                message,
                "Choose how many days entries are kept.",
            ));
        };
        let verdict = self.verify_audit(true)?;
        if let Some(broken) = verdict.broken {
            return Err(ApiError::new(
                Class::Conflict,
                "AUDIT_BROKEN",
                format!("The audit chain is broken at entry {}; nothing was removed.", broken.seq),
                "Export it and find out why: what is removed cannot be looked at again.",
            ));
        }
        let before = self.now_ms() - i64::from(days) * DAY_MS;
        let mut done = AuditRetained { removed: 0, record: None, held: None };
        loop {
            let mut said = facts.clone();
            said["keepDays"] = days.into();
            let record = self.fact(AuditEvent::AuditRetention, Level::Warn, actor.clone(), said);
            let found = self.store.audit_retain(before, move |tombstone| {
                let mut record = record;
                record.metadata.get_or_insert_default().extend(tombstone);
                record
            })?;
            let Some(found) = found else { break };
            done.removed += found.removed;
            done.record = Some(found.record.seq);
        }
        if done.removed > 0 {
            // The note of a verification may begin before what is there now.
            self.store.set_audit_note("trusted", &Value::Null)?;
            self.verify_audit(false)?;
        }
        done.held = self.store.audit_held()?.map(|held| AuditHeld { run_id: held.run, seq: held.seq });
        Ok(done)
    }

    /// A host that stays looks once an hour whether something is old enough.
    pub(crate) fn retain_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        self.again_and_again(threads, LOOK, |app| async move {
            let look = |app: &App| match app.keep_days()? {
                Some(_) => app.retain(&Actor::system(), &json!({})).map(drop),
                None => Ok(()),
            };
            // A chain that is broken is told about where it is verified; the next look tries again.
            drop(app.blocking(look).await);
            drop(app.blocking(|app| app.tidy()).await);
            Some(LOOK)
        });
    }

    /// Holds wall time against the time that passed, and records where the two part.
    pub(crate) fn watch_clock(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        let mut seen = (self.now_ms(), Instant::now());
        self.again_and_again(threads, TICK, move |app| {
            let (before, now) = (seen, (app.now_ms(), Instant::now()));
            seen = now;
            async move {
                let passed = i64::try_from(now.1.duration_since(before.1).as_millis()).unwrap_or(i64::MAX);
                if let Some(by) = jump(before.0, now.0, passed) {
                    let expected = time::format(before.0.saturating_add(passed));
                    let facts = json!({ "byMs": by, "expected": expected, "found": time::format(now.0) });
                    let record = app.fact(AuditEvent::ClockJumped, Level::Warn, Actor::system(), facts);
                    drop(app.blocking(move |app| Ok(app.store.audit_append(record, None, false)?)).await);
                }
                Some(TICK)
            }
        });
    }
}

/// By how much the clock went further, or less far, than the time that passed.
fn jump(before_ms: i64, now_ms: i64, passed_ms: i64) -> Option<i64> {
    let by = now_ms.saturating_sub(before_ms).saturating_sub(passed_ms);
    (by.abs() > JUMP_MS).then_some(by)
}

#[cfg(test)]
mod tests;
