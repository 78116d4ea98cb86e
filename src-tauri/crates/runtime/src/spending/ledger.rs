//! What is spent now, what is not in the store yet included: an answer is paid when it comes, and its event is written when
//! the call ends. What is under way counts with the most that its answer may cost, so that questions side by side do not all
//! go with the same rest of a budget. Another process on the same data is seen when its events are written.

use signalbox_model::budget::{Budget, BudgetScope, UsedUp};
use signalbox_store::{Store, StoreError};
use std::collections::HashMap;

/// Sums of runs and days that this process knows to be at least so large.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    runs: HashMap<String, Known>,
    /// Answers so far: what was heard of last.
    clock: u64,
    /// By workflow, of `day`; of the whole machine under no name.
    days: HashMap<Option<String>, u64>,
    day: String,
    /// What the answers to questions that are under way may cost, by run; and by workflow and machine, as `days`.
    open_runs: HashMap<String, u64>,
    open_days: HashMap<Option<String>, u64>,
}

/// What a run has spent.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    sum: u64,
    /// By [`Ledger::clock`].
    heard: u64,
}

/// Runs that are remembered; of others the store knows all that has ended.
const RUNS: usize = if cfg!(test) { 500 } else { 10_000 };
/// So many are left when there were too many: the store is not asked about all of them at every answer.
const LEFT: usize = RUNS / 10 * 9;

/// Most that one answer counts for, as in the sums that are kept.
const MOST: u64 = 1 << 40;

impl Ledger {
    fn turn(&mut self, day: &str) {
        if self.day != day {
            day.clone_into(&mut self.day);
            self.days.clear();
        }
    }

    fn of_run(&self, store: &Store, run: &str) -> u64 {
        // A sum that cannot be read refuses nothing: the run stops at the next commit.
        let written = store.spent_by_run(run).unwrap_or_default();
        written.max(self.runs.get(run).map_or(0, |known| known.sum))
    }

    fn of_day(&self, store: &Store, workflow: Option<&str>) -> u64 {
        let written = store.spent_on_day(&self.day, workflow).unwrap_or_default();
        written.max(self.days.get(&workflow.map(str::to_owned)).copied().unwrap_or_default())
    }

    /// Whether a question may be put now: no limit is reached, or a person approved more than the run has spent. False while
    /// those that are under way may use up the rest: when they have told what they cost, it is known better.
    pub(super) fn may_spend(
        &mut self,
        store: &Store,
        budget: &Budget,
        machine: Option<u64>,
        day: &str,
    ) -> Result<bool, UsedUp> {
        self.turn(day);
        let limits = budget.limits;
        if limits.per_run_micros.is_none() && limits.per_day_micros.is_none() && machine.is_none() {
            return Ok(true);
        }
        let run_spent_micros = self.of_run(store, &budget.run_id);
        let open_run = self.open_runs.get(&*budget.run_id).copied().unwrap_or_default();
        let fits = |spent: u64, open: u64, limit: u64| open == 0 || spent.saturating_add(open) < limit;
        if run_spent_micros < budget.approved_to_micros {
            return Ok(fits(run_spent_micros, open_run, budget.approved_to_micros));
        }
        let open_day =
            |workflow: Option<&str>| self.open_days.get(&workflow.map(str::to_owned)).copied().unwrap_or_default();
        let workflow = Some(&*budget.workflow_id);
        let mut now = true;
        for (scope, limit, of_day) in [
            (BudgetScope::Run, limits.per_run_micros, None),
            (BudgetScope::WorkflowDay, limits.per_day_micros, Some(workflow)),
            (BudgetScope::Day, machine, Some(None)),
        ] {
            let Some(limit_micros) = limit else { continue };
            let (spent_micros, open) = match of_day {
                None => (run_spent_micros, open_run),
                Some(workflow) => (self.of_day(store, workflow), open_day(workflow)),
            };
            if spent_micros >= limit_micros {
                return Err(UsedUp { scope, limit_micros, spent_micros, run_spent_micros });
            }
            now &= fits(spent_micros, open, limit_micros);
        }
        Ok(now)
    }

    /// A question is put whose answer may cost so much.
    pub(super) fn opened(&mut self, budget: &Budget, most: u64) {
        let most = most.min(MOST);
        *self.open_runs.entry(budget.run_id.to_string()).or_default() += most;
        for workflow in [Some(budget.workflow_id.to_string()), None] {
            *self.open_days.entry(workflow).or_default() += most;
        }
    }

    /// It is over, whether it was answered or not; what it cost is told by [`Ledger::spent`], before this.
    pub(super) fn closed(&mut self, budget: &Budget, most: u64) {
        fn less<K: std::hash::Hash + Eq>(open: &mut HashMap<K, u64>, key: K, most: u64) {
            if let Some(sum) = open.get_mut(&key) {
                *sum = sum.saturating_sub(most);
                if *sum == 0 {
                    open.remove(&key);
                }
            }
        }
        let most = most.min(MOST);
        less(&mut self.open_runs, budget.run_id.to_string(), most);
        for workflow in [Some(budget.workflow_id.to_string()), None] {
            less(&mut self.open_days, workflow, most);
        }
    }

    /// Runs that have ended ask nothing more, and those that are gone neither; of the rest the ones are forgotten that were heard of
    /// longest ago.
    fn sweep(&mut self, store: &Store) {
        self.runs.retain(|run, _| match store.run(run) {
            Ok(row) => row.ended_ms.is_none(),
            Err(StoreError::UnknownRun { .. }) => false,
            Err(_) => true,
        });
        if self.runs.len() > LEFT {
            let mut heard: Vec<u64> = self.runs.values().map(|known| known.heard).collect();
            heard.sort_unstable();
            let from = heard[heard.len() - LEFT];
            self.runs.retain(|_, known| known.heard >= from);
        }
    }

    /// A question has cost so much.
    pub(super) fn spent(&mut self, store: &Store, budget: &Budget, cost: u64, day: &str) {
        self.turn(day);
        if self.runs.len() >= RUNS {
            self.sweep(store);
        }
        self.clock += 1;
        // As the store counts: one absurd answer of a provider does not use up a machine for ever.
        let cost = cost.min(MOST);
        let sum = self.of_run(store, &budget.run_id).saturating_add(cost);
        self.runs.insert(budget.run_id.to_string(), Known { sum, heard: self.clock });
        for workflow in [Some(&*budget.workflow_id), None] {
            let sum = self.of_day(store, workflow).saturating_add(cost);
            self.days.insert(workflow.map(str::to_owned), sum);
        }
    }
}

#[cfg(test)]
mod tests;
