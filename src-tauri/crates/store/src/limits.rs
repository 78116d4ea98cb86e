//! Runs that wait for their turn, and what is told of the runs of a workflow.

use crate::document;
use crate::error::{Error, Result};
use crate::store::Store;
use crate::table::failure_notice::{self, FailureNotice};
use crate::table::run;
use crate::table::run_limit::{self, Admitted, RunLimits};
use serde_json::Value;

/// What the runs of a workflow came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// Runs that started since then.
    pub runs: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// The newest of those.
    pub last_failed: Option<String>,
    /// Runs that wait for their turn now.
    pub waiting: u64,
}

/// Limits of what runs at once.
impl Store {
    /// Whether a start with these limits would not wait now.
    pub fn run_has_room(&self, workflow: &str, limits: &RunLimits, now_ms: i64) -> Result<bool> {
        self.view(|connection| run_limit::has_room(connection, workflow, limits, now_ms))
    }

    /// Begins what waited for the rate of its workflow and need not wait any more.
    pub fn runs_admit(&self, now_ms: i64) -> Result<Admitted> {
        // Most workflows have no rate: nothing is written then.
        if self.view(run_limit::spaced)?.is_empty() {
            return Ok(Admitted::default());
        }
        self.write(false, move |work| run_limit::admit(work.connection, now_ms))
    }

    /// What a run that has not begun begins with.
    pub fn run_start(&self, run_id: &str) -> Result<Option<Value>> {
        let text = self.view(|connection| run_limit::start(connection, run_id))?;
        let read = |text: String| {
            let damaged =
                |error| Error::Damaged { reason: format!("the beginning of run {run_id} cannot be read: {error}") };
            document::parse(&text).map_err(damaged)
        };
        text.map(read).transpose()
    }

    /// How many runs come before this one, and it: 1 is the next. `None` when it does not wait for its turn.
    pub fn run_place(&self, run_id: &str) -> Result<Option<u64>> {
        self.view(|connection| run_limit::place(connection, run_id))
    }

    /// Failures of active workflows that people were told of since then, the newest first.
    pub fn failure_notices(&self, since_ms: i64) -> Result<Vec<FailureNotice>> {
        self.view(|connection| failure_notice::since(connection, since_ms))
    }

    /// What the runs of a workflow came to since `since_ms`.
    pub fn workflow_activity(&self, workflow: &str, since_ms: i64) -> Result<Activity> {
        self.view(|connection| {
            let (runs, failed, last_failed) = run::activity(connection, workflow, since_ms)?;
            Ok(Activity { runs, failed, last_failed, waiting: run_limit::backlog(connection, workflow)? })
        })
    }
}

#[cfg(test)]
mod tests;
