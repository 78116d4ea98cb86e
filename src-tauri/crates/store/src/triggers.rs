//! Active workflows and their triggers. Each change is one transaction with its audit entry.

use crate::chain;
use crate::error::Result;
use crate::store::Store;
use crate::table::activation::{self, Activation, FiringRow, NewTrigger, SkippedTicks, TriggerRow, WorkflowVersion};
use crate::table::trigger_intake::{self, FailedRun, SEEN_KEPT_MS, SeenLimits, Taken};
use crate::table::{definition, failure_notice, remembered_key};
use signalbox_audit::Record;
use std::collections::{BTreeMap, BTreeSet};

/// Firings of ticks that are this old are forgotten, milliseconds.
pub const FIRING_KEPT_MS: i64 = 7 * 86_400_000;

/// Firings that are forgotten in one transaction.
const SWEEP: usize = 2_000;

/// Workflows that run by themselves.
impl Store {
    /// Makes a version the active one. `definition` is its text, kept by its hash.
    pub fn activate(
        &self,
        new: Activation,
        definition: String,
        triggers: Vec<NewTrigger>,
        record: Record,
    ) -> Result<()> {
        self.write(true, move |work| {
            definition::put(work.connection, &new.version, &definition)?;
            activation::activate(work.connection, &new, &triggers)?;
            chain::append(work, vec![record])
        })
    }

    /// Deactivates a workflow: its triggers start no more runs. False, and nothing is written, when it was not active.
    pub fn deactivate(&self, workflow: &str, record: Record) -> Result<bool> {
        let workflow = workflow.to_owned();
        self.write(true, move |work| {
            let was_active = activation::deactivate(work.connection, &workflow)?;
            if was_active {
                chain::append(work, vec![record])?;
            }
            Ok(was_active)
        })
    }

    /// Every workflow that is active, or was.
    pub fn activations(&self) -> Result<Vec<Activation>> {
        self.view(activation::all)
    }

    /// Which version of a workflow is active, or was last.
    pub fn activation(&self, workflow: &str) -> Result<Option<Activation>> {
        self.view(|connection| activation::get(connection, workflow))
    }

    /// The versions of a workflow that are active, or were; the newest first.
    pub fn workflow_versions(&self, workflow: &str) -> Result<Vec<WorkflowVersion>> {
        self.view(|connection| activation::versions(connection, workflow))
    }

    /// The triggers of active workflows.
    pub fn triggers(&self) -> Result<Vec<TriggerRow>> {
        self.view(activation::triggers)
    }

    /// [`Self::triggers`] one by one, in no order: there may be many. `take` must not use the store.
    pub fn each_trigger(&self, take: impl FnMut(TriggerRow)) -> Result<()> {
        self.view(|connection| activation::each_trigger(connection, take))
    }

    /// The triggers of active workflows that have a kind.
    pub fn triggers_of_kind(&self, kind: &str) -> Result<Vec<TriggerRow>> {
        self.view(|connection| activation::triggers_where(connection, "t.kind", kind))
    }

    /// The triggers of an active workflow.
    pub fn triggers_of_workflow(&self, workflow: &str) -> Result<Vec<TriggerRow>> {
        self.view(|connection| activation::triggers_where(connection, "t.workflow", workflow))
    }

    /// A trigger of an active workflow.
    pub fn trigger(&self, id: &str) -> Result<Option<TriggerRow>> {
        self.view(|connection| activation::trigger(connection, id))
    }

    /// Grows with each change of what fires, in any process.
    pub fn trigger_change(&self) -> Result<i64> {
        self.view(activation::change)
    }

    /// What became of a trigger's ticks, the newest first.
    pub fn trigger_firings(&self, id: &str, limit: usize) -> Result<Vec<FiringRow>> {
        self.view(|connection| activation::firings(connection, id, limit))
    }

    /// The run that an occurrence with this key started.
    pub fn fired_run(&self, id: &str, key: &str) -> Result<Option<String>> {
        self.view(|connection| activation::fired_run(connection, id, key))
    }

    /// Ticks of a trigger start no run.
    pub fn trigger_skip(&self, skipped: SkippedTicks, record: Record) -> Result<()> {
        self.write(true, move |work| {
            activation::skip(work.connection, &skipped)?;
            chain::append(work, vec![record])
        })
    }

    /// Every tick of a trigger up to this one was settled before; or, with an earlier one, the clock was put back.
    pub fn trigger_move(&self, id: &str, tick_ms: i64) -> Result<()> {
        let id = id.to_owned();
        self.write(true, move |work| activation::move_to(work.connection, &id, tick_ms))
    }

    /// At most `limit` failed runs that triggers have not dealt with yet, the oldest first.
    pub fn trigger_failed_runs(&self, limit: usize) -> Result<Vec<FailedRun>> {
        self.view(|connection| trigger_intake::waiting(connection, limit))
    }

    /// A failed run starts nothing by this trigger.
    pub fn trigger_failed_run_settled(&self, failed: FailedRun) -> Result<()> {
        self.write(true, move |work| trigger_intake::settled(work.connection, &failed.trigger, &failed.run))
    }

    /// What a trigger has taken: key and value.
    pub fn trigger_seen(&self, id: &str) -> Result<BTreeMap<String, String>> {
        self.view(|connection| trigger_intake::seen(connection, id))
    }

    /// A trigger knows these without a run.
    pub fn trigger_take(&self, id: &str, taken: Vec<Taken>, at_ms: i64) -> Result<()> {
        let id = id.to_owned();
        self.write(true, move |work| trigger_intake::take(work.connection, &id, &taken, at_ms))
    }

    /// Forgets the oldest of what a trigger has taken, as far as it is not `there` now. Gives what is forgotten.
    pub fn trigger_forget(
        &self,
        id: &str,
        there: BTreeSet<String>,
        limits: SeenLimits,
        now_ms: i64,
    ) -> Result<Vec<String>> {
        let id = id.to_owned();
        self.write(false, move |work| trigger_intake::forget(work.connection, &id, &there, limits, now_ms))
    }

    /// People are told that a trigger of an active workflow cannot find out what to start, unless they were told of the
    /// workflow lately.
    pub fn trigger_failure_told(&self, trigger: &TriggerRow, code: &str, at_ms: i64) -> Result<()> {
        let (trigger, code) = (trigger.clone(), code.to_owned());
        self.write(true, move |work| failure_notice::trigger_failed(work.connection, &trigger, &code, at_ms))
    }

    /// Why a trigger cannot fire now; none when nothing keeps it from it.
    pub fn trigger_problem(&self, id: &str, problem: Option<String>) -> Result<()> {
        let id = id.to_owned();
        self.write(false, move |work| trigger_intake::set_problem(work.connection, &id, problem.as_deref()))
    }

    /// Forgets firings of long ago; says how many. What triggers took that are not active any more goes, too, and keys of steps whose time is
    /// over.
    pub fn trigger_firings_sweep(&self, now_ms: i64) -> Result<usize> {
        self.write(false, move |work| {
            remembered_key::sweep(work.connection, now_ms)?;
            trigger_intake::sweep(work.connection, now_ms.saturating_sub(SEEN_KEPT_MS))
        })?;
        let mut removed = 0;
        loop {
            let some = self.write(false, move |work| {
                activation::sweep(work.connection, now_ms.saturating_sub(FIRING_KEPT_MS), SWEEP)
            })?;
            removed += some;
            if some < SWEEP {
                return Ok(removed);
            }
        }
    }
}
