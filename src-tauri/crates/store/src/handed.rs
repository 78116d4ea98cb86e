//! Runs that hosts of the history leave to something else, a durable engine for example: it says which process drives a run, so
//! that a claim takes the run from whoever had it. The fence stays that of every run. Tests: `tests/store/handed.rs`.

use crate::error::Result;
use crate::store::Store;
use crate::table::run::{self, HandedRun, Owner, RunRow};
use signalbox_model::RunStatus;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Runs that were handed over and that wait until something takes them.
#[derive(Debug, Default)]
pub struct HandedQueue(HashMap<String, u64>);

impl HandedQueue {
    /// The place of a run; 1 is the oldest.
    pub fn place(&self, run_id: &str) -> Option<u64> {
        self.0.get(run_id).copied()
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Store {
    /// Makes this process the owner of a run that was handed over, whoever had it: what carries the run out says who does. The
    /// commits of the owner before are refused from here on. `None` when the run has ended or waits for its turn.
    pub fn claim(&self, run_id: &str) -> Result<Option<RunRow>> {
        let (run_id, instance) = (run_id.to_owned(), Arc::clone(&self.inner.instance));
        // Not synced, as with `take_over_all`.
        self.write(false, move |work| {
            let mut row = run::require(work.connection, &run_id)?;
            if row.ended_ms.is_some() || row.handed_to.is_none() || row.status == RunStatus::Queued {
                return Ok(None);
            }
            row.epoch += 1;
            run::set_owner(work.connection, &run_id, Some(&instance.id), row.epoch)?;
            row.owner = Some(Owner { instance: instance.id.clone(), epoch: row.epoch });
            Ok(Some(row))
        })
    }

    /// Runs that have something to do and that nothing carries out, with their places.
    pub fn handed_queue(&self) -> Result<HandedQueue> {
        let waiting = self.handed_runs()?.into_iter().filter(|run| !run.is_driven);
        Ok(HandedQueue(waiting.zip(1..).map(|(run, place)| (run.run_id, place)).collect()))
    }

    /// Runs that were handed over and have something to do: those under way, and those that wait for a person and were
    /// answered. Oldest first.
    pub fn handed_runs(&self) -> Result<Vec<HandedRun>> {
        let runs = self.view(run::handed)?;
        let owners = runs.iter().map(|(run, owner)| (run.run_id.clone(), owner.clone())).collect();
        let undriven: HashSet<String> = self.undriven(owners).into_iter().collect();
        Ok(runs.into_iter().map(|(run, _)| HandedRun { is_driven: !undriven.contains(&run.run_id), ..run }).collect())
    }
}
