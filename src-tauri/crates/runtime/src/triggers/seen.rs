//! What triggers remember of what they have taken is bounded: once a day the oldest goes, never what is still there.

use super::error::TriggerResult;
use super::host::TriggerHost;
use signalbox_store::{SEEN_KEPT_MS, SeenLimits};
use std::collections::{BTreeMap, BTreeSet};

/// What one trigger remembers.
const SEEN: SeenLimits = SeenLimits { most: 50_000, kept_ms: SEEN_KEPT_MS };
/// How often old entries go.
const EVERY_MS: i64 = 86_400_000;

/// When a trigger forgets next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forgetting {
    next_ms: i64,
}

impl Default for Forgetting {
    /// At the first look.
    fn default() -> Self {
        Self { next_ms: i64::MIN }
    }
}

impl Forgetting {
    /// A clock that was put back must not put it off.
    pub(crate) fn is_due(self, now: i64) -> bool {
        now >= self.next_ms || self.next_ms.saturating_sub(now) > EVERY_MS
    }

    /// Forgets old entries of a trigger, as far as they are not `there`.
    pub(crate) fn forget(
        &mut self,
        host: &dyn TriggerHost,
        trigger: &str,
        there: BTreeSet<String>,
        seen: &mut BTreeMap<String, String>,
        now: i64,
    ) -> TriggerResult<()> {
        for key in host.store().trigger_forget(trigger, there, SEEN, now)? {
            seen.remove(&key);
        }
        self.next_ms = now.saturating_add(EVERY_MS);
        Ok(())
    }
}
