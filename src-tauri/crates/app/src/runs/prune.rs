//! Deleting many ended runs by age, number and size, with a preview.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::PrunedRun;
use crate::error::{ApiError, ApiResult};
use serde::Serialize;
use signalbox_model::time;
use signalbox_store::RunSize;
use std::sync::Arc;

const DAY_MS: i64 = 86_400_000;

/// Which ended runs go. A run goes when one of the rules says so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PruneRules {
    /// Those that ended before so many days.
    pub older_than_days: Option<u32>,
    /// All but so many that ended last.
    pub keep: Option<u32>,
    /// The oldest, until the others take at most so many bytes.
    pub most_bytes: Option<u64>,
    /// Only runs of this workflow are looked at.
    pub workflow: Option<String>,
}

/// What went, or would go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PruneReport {
    /// They were deleted.
    pub deleted: bool,
    /// Ended runs that were looked at.
    pub ended: u64,
    /// Those that go, the oldest first.
    pub runs: Vec<PrunedRun>,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes by which the database file became shorter.
    pub freed_bytes: u64,
}

/// How many of these, the oldest first, go.
fn count(rules: &PruneRules, sizes: &[RunSize], now_ms: i64) -> usize {
    let by_age = rules.older_than_days.map_or(0, |days| {
        let before = now_ms - i64::from(days) * DAY_MS;
        sizes.partition_point(|size| size.ended_ms < before)
    });
    let by_number = rules.keep.map_or(0, |keep| sizes.len().saturating_sub(keep as usize));
    let by_size = rules.most_bytes.map_or(0, |most| {
        let mut left: u64 = sizes.iter().map(|size| size.bytes).sum();
        sizes
            .iter()
            .take_while(|size| {
                let goes = left > most;
                left -= size.bytes;
                goes
            })
            .count()
    });
    by_age.max(by_number).max(by_size)
}

impl App {
    /// Says which ended runs the rules remove, and deletes them when asked to. Each deletion is recorded, as one of a person is.
    pub async fn prune_runs(
        self: &Arc<Self>,
        caller: &Caller,
        rules: PruneRules,
        delete: bool,
    ) -> ApiResult<PruneReport> {
        let caller = caller.clone();
        self.blocking(move |app| app.prune(&caller, &rules, delete)).await
    }

    /// The same on the thread of a command.
    pub(crate) fn prune(&self, caller: &Caller, rules: &PruneRules, delete: bool) -> ApiResult<PruneReport> {
        if rules.older_than_days.is_none() && rules.keep.is_none() && rules.most_bytes.is_none() {
            let hint = "Say how old they are, how many stay, or how much room they may take (--older-than, --keep, \
                        --max-size).";
            return Err(ApiError::bad_request("No rule says which runs go.", hint));
        }
        let sizes = self.store.run_sizes(rules.workflow.as_deref())?;
        let ended = sizes.len() as u64;
        let go = &sizes[..count(rules, &sizes, self.now_ms())];
        for size in go.iter().filter(|_| delete) {
            match self.wait_for(self.runtime.delete(&size.run, caller.actor()))? {
                // Somebody else deleted it meanwhile.
                Err(signalbox_runtime::Error::Store(error)) if error.code() == "UNKNOWN_RUN" => {}
                deleted => deleted?,
            }
        }
        let freed_bytes = if delete { self.store.shrink()? } else { 0 };
        let runs = go.iter().map(|size| PrunedRun {
            run_id: size.run.clone(),
            workflow_id: size.workflow.clone(),
            workflow_name: size.name.clone(),
            status: size.status.clone(),
            ended_at: time::format(size.ended_ms),
            bytes: size.bytes,
        });
        let bytes = go.iter().map(|size| size.bytes).sum();
        Ok(PruneReport { deleted: delete, ended, runs: runs.collect(), bytes, freed_bytes })
    }
}

#[cfg(test)]
mod tests;
