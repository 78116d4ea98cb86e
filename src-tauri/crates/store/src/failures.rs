//! Failures by what makes them alike, and replays of them.

use crate::chain;
use crate::error::Result;
use crate::store::Store;
use crate::table::definition;
use crate::table::failure::{self, FailureGroup, FailureGroups, FailureQuery, FailureRow};
use crate::table::replay::{self, NewReplay, ReplayCounts, ReplayItem, ReplayRow, ReplayState, Replayed};
use signalbox_audit::Record;

/// Rows that are removed in one transaction.
const SWEEP: usize = 2_000;

/// Failures.
impl Store {
    /// Groups with open failures, those that failed last first.
    pub fn failure_groups(&self, query: &FailureQuery) -> Result<FailureGroups> {
        self.view(|connection| failure::groups(connection, query))
    }

    /// One group.
    pub fn failure_group(&self, key: &str) -> Result<FailureGroup> {
        self.view(|connection| {
            let found = failure::group(connection, key)?.ok_or_else(|| failure::unknown_group(key))?;
            Ok(found.0)
        })
    }

    /// Open failures of a group, the newest first, with a smaller number than `before`.
    pub fn failures(&self, key: &str, before: Option<i64>, limit: usize) -> Result<Vec<FailureRow>> {
        self.view(|connection| {
            let (_, number) = failure::group(connection, key)?.ok_or_else(|| failure::unknown_group(key))?;
            failure::open(connection, number, before, limit)
        })
    }

    /// One failure; none when its run was deleted.
    pub fn failure(&self, id: i64) -> Result<Option<FailureRow>> {
        self.view(|connection| failure::get(connection, id))
    }

    /// Takes in some failures of before an upgrade; says whether more are left.
    pub fn failures_fill(&self, most: usize) -> Result<bool> {
        self.write(false, move |work| failure::fill(work.connection, most))
    }
}

/// Replays.
impl Store {
    /// Writes a replay with its failures and its audit entry; this process drives it. Says how many failures it has.
    pub fn replay_add(
        &self,
        new: NewReplay,
        definition: Option<(String, String)>,
        record: impl FnOnce(u64) -> Record + Send + 'static,
    ) -> Result<u64> {
        let owner = self.instance().to_owned();
        self.write(true, move |work| {
            if let Some((hash, text)) = &definition {
                definition::put(work.connection, hash, text)?;
            }
            let count = replay::insert(work.connection, &new, &owner)?;
            chain::append(work, vec![record(count)])?;
            Ok(count)
        })
    }

    /// One replay.
    pub fn replay(&self, id: &str) -> Result<ReplayRow> {
        self.view(|connection| replay::get(connection, id))
    }

    /// Replays of a group, or all: those under way first, then the newest.
    pub fn replays(&self, group: Option<&str>, limit: usize) -> Result<Vec<ReplayRow>> {
        self.view(|connection| replay::list(connection, group, limit))
    }

    /// Replays of a kind of failure that have ended, the newest first.
    pub fn replays_of_kind(&self, kind: &str, limit: usize) -> Result<Vec<ReplayRow>> {
        self.view(|connection| replay::of_kind(connection, kind, limit))
    }

    /// How many replays of a kind of failure have started runs with this rule.
    pub fn replays_alike(&self, kind: &str, rule: &str) -> Result<u64> {
        self.view(|connection| replay::alike(connection, kind, rule))
    }

    /// How many failures of a replay stand where.
    pub fn replay_counts(&self, id: &str) -> Result<ReplayCounts> {
        self.view(|connection| replay::counts(connection, id))
    }

    /// How many of the runs that a replay has begun have each status.
    pub fn replay_outcomes(&self, id: &str) -> Result<Vec<(String, u64)>> {
        self.view(|connection| replay::outcomes(connection, id))
    }

    /// Failures of a replay in a state, behind the number `after`.
    pub fn replay_items(&self, id: &str, state: &str, after: i64, limit: usize) -> Result<Vec<ReplayItem>> {
        self.view(|connection| replay::items(connection, id, state, after, limit))
    }

    /// Runs that a replay has begun and that have not ended.
    pub fn replay_under_way(&self, id: &str) -> Result<Vec<String>> {
        self.view(|connection| replay::under_way(connection, id))
    }

    /// A failure whose run does not begin: `skipped` or `refused`, and why.
    pub fn replay_settle(&self, replayed: Replayed, state: &'static str, why: String) -> Result<()> {
        self.write(false, move |work| replay::settle(work.connection, &replayed, state, &why))
    }

    /// Changes where a replay stands, with an audit entry; false, and nothing is written, when it does not stand in `from`.
    pub fn replay_change(
        &self,
        id: &str,
        from: &'static [ReplayState],
        to: ReplayState,
        problem: Option<String>,
        at_ms: i64,
        record: impl FnOnce(&ReplayCounts) -> Record + Send + 'static,
    ) -> Result<bool> {
        let id = id.to_owned();
        self.write(true, move |work| {
            let changed = replay::set_state(work.connection, &id, from, to, problem.as_deref(), at_ms)?;
            if changed {
                let counts = replay::counts(work.connection, &id)?;
                chain::append(work, vec![record(&counts)])?;
            }
            Ok(changed)
        })
    }

    /// Replays that go on and that no living process drives.
    pub fn replays_undriven(&self) -> Result<Vec<String>> {
        Ok(self.undriven(self.view(replay::unfinished)?))
    }

    /// Takes a replay over when nobody drives it, this process included; false when somebody does.
    pub fn replay_claim(&self, id: &str) -> Result<bool> {
        let instance = std::sync::Arc::clone(&self.inner.instance);
        let id = id.to_owned();
        self.write(false, move |work| {
            let owner = replay::owner(work.connection, &id)?;
            if owner.is_some_and(|owner| owner != instance.id && instance.is_alive(&owner)) {
                return Ok(false);
            }
            replay::set_owner(work.connection, &id, Some(&instance.id))?;
            Ok(true)
        })
    }

    /// Removes replays that ended before; says whether more are left.
    pub fn replays_sweep(&self, before_ms: i64) -> Result<bool> {
        Ok(self.write(false, move |work| replay::sweep(work.connection, before_ms, SWEEP))? >= SWEEP)
    }

    /// Gives a replay back, so that any process may drive it.
    pub fn replay_release(&self, id: &str) -> Result<()> {
        let id = id.to_owned();
        self.write(false, move |work| replay::set_owner(work.connection, &id, None))
    }
}
