//! How workflows do, the alerts about it, and the proofs of their error handling.

use crate::chain;
use crate::error::Result;
use crate::store::Store;
use crate::table::health::{self, HealthDay, HealthErrors, WorkflowTotals};
use crate::table::health_alert::{self, Pending, RaisedAlert};
use crate::table::proof::{self, ProofRow};
use signalbox_audit::Record;

/// How workflows do.
impl Store {
    /// The days of a workflow from `since` (days since 1970, UTC) on, the oldest first; days without an ended run are absent.
    pub fn health_days(&self, workflow: &str, since: i64) -> Result<Vec<HealthDay>> {
        self.view(|connection| health::days(connection, workflow, since))
    }

    /// Every workflow with ended runs since then, those with the most first.
    pub fn health_workflows(&self, since: i64) -> Result<Vec<WorkflowTotals>> {
        self.view(|connection| health::workflows(connection, since))
    }

    /// What failed in a workflow since then, the most frequent first, at most 50.
    pub fn health_errors(&self, workflow: &str, since: i64) -> Result<Vec<HealthErrors>> {
        self.view(|connection| health::errors(connection, workflow, since))
    }

    /// How many tasks of a workflow are open, and when the oldest of them was created.
    pub fn open_tasks_of_workflow(&self, workflow: &str) -> Result<(u64, Option<i64>)> {
        self.view(|connection| health::open_tasks(connection, workflow))
    }

    /// The name that a workflow had at its newest start.
    pub fn workflow_name(&self, workflow: &str) -> Result<Option<String>> {
        self.view(|connection| health::name(connection, workflow))
    }

    /// The last day (since 1970, UTC) with an ended run of a workflow that is counted; it outlasts the run itself.
    pub fn last_run_day(&self, workflow: &str) -> Result<Option<i64>> {
        self.view(|connection| health::last_day(connection, workflow))
    }

    /// Forgets days of long ago.
    pub fn health_sweep(&self, now_ms: i64) -> Result<()> {
        self.write(false, move |work| health::sweep(work.connection, now_ms))
    }

    /// Workflows whose alerts are to be checked.
    pub fn health_pending(&self) -> Result<Vec<Pending>> {
        self.view(health_alert::pending)
    }

    /// The alerts of a workflow were checked; a run that ended meanwhile keeps it on the list.
    pub fn health_checked(&self, pending: Pending) -> Result<()> {
        self.write(false, move |work| health_alert::checked(work.connection, &pending))
    }

    /// The condition of an alert is true. Only when that is new it is recorded and told, in one transaction.
    pub fn health_raise(&self, one: RaisedAlert, record: Record) -> Result<bool> {
        self.write(true, move |work| {
            let is_new = health_alert::raise(work.connection, &one)?;
            if is_new {
                chain::append(work, vec![record])?;
            }
            Ok(is_new)
        })
    }

    /// The condition of an alert is no longer true; `facts` is what is told. False when it was not raised.
    pub fn health_clear(&self, one: RaisedAlert, record: Record) -> Result<bool> {
        self.write(true, move |work| {
            let is_new = health_alert::clear(work.connection, &one)?;
            if is_new {
                chain::append(work, vec![record])?;
            }
            Ok(is_new)
        })
    }

    /// Forgets that an alert was raised.
    pub fn health_forget(&self, alert: &str) -> Result<()> {
        let alert = alert.to_owned();
        self.write(true, move |work| health_alert::forget(work.connection, &alert))
    }

    /// Alerts whose condition is true, the newest first.
    pub fn health_raised(&self) -> Result<Vec<RaisedAlert>> {
        self.view(health_alert::raised)
    }

    /// The last proof of a workflow.
    pub fn proof(&self, workflow: &str) -> Result<Option<ProofRow>> {
        self.view(|connection| proof::get(connection, workflow))
    }

    /// Keeps a proof in the place of the last one.
    pub fn proof_put(&self, one: ProofRow) -> Result<()> {
        self.write(false, move |work| proof::put(work.connection, &one))
    }

    /// The scores of all proofs: workflow and percent.
    pub fn proof_scores(&self) -> Result<Vec<(String, Option<u32>)>> {
        self.view(proof::scores)
    }
}
