//! What is spent now, what is not in the store yet included: an answer is paid when it comes, and its event is written when
//! the call ends. Another process on the same data is seen when its events are written.

use signalbox_model::budget::{Budget, BudgetScope, UsedUp};
use signalbox_store::Store;
use std::collections::HashMap;

/// Sums of runs and days that this process knows to be at least so large.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    runs: HashMap<String, u64>,
    /// By workflow, of `day`; of the whole machine under no name.
    days: HashMap<Option<String>, u64>,
    day: String,
}

/// Runs that are remembered; of others the store knows all that has ended.
const RUNS: usize = 10_000;

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
        written.max(self.runs.get(run).copied().unwrap_or_default())
    }

    fn of_day(&self, store: &Store, workflow: Option<&str>) -> u64 {
        let written = store.spent_on_day(&self.day, workflow).unwrap_or_default();
        written.max(self.days.get(&workflow.map(str::to_owned)).copied().unwrap_or_default())
    }

    /// Whether a question may be put: no limit is reached, or a person approved more than the run has spent.
    pub(super) fn may_spend(
        &mut self,
        store: &Store,
        budget: &Budget,
        machine: Option<u64>,
        day: &str,
    ) -> Result<(), UsedUp> {
        self.turn(day);
        let limits = budget.limits;
        if limits.per_run_micros.is_none() && limits.per_day_micros.is_none() && machine.is_none() {
            return Ok(());
        }
        let run_spent_micros = self.of_run(store, &budget.run_id);
        if run_spent_micros < budget.approved_to_micros {
            return Ok(());
        }
        let reached = |scope, limit: Option<u64>, spent: &dyn Fn() -> u64| {
            let limit_micros = limit?;
            let spent_micros = spent();
            (spent_micros >= limit_micros).then_some(UsedUp { scope, limit_micros, spent_micros, run_spent_micros })
        };
        let used_up = reached(BudgetScope::Run, limits.per_run_micros, &|| run_spent_micros)
            .or_else(|| {
                let spent = || self.of_day(store, Some(&budget.workflow_id));
                reached(BudgetScope::WorkflowDay, limits.per_day_micros, &spent)
            })
            .or_else(|| reached(BudgetScope::Day, machine, &|| self.of_day(store, None)));
        used_up.map_or(Ok(()), Err)
    }

    /// A question has cost so much.
    pub(super) fn spent(&mut self, store: &Store, budget: &Budget, cost: u64, day: &str) {
        self.turn(day);
        if self.runs.len() >= RUNS {
            // What the store knows need not be remembered; what is not written yet must be.
            self.runs.retain(|run, sum| store.spent_by_run(run).unwrap_or_default() < *sum);
        }
        // As the store counts: one absurd answer of a provider does not use up a machine for ever.
        let cost = cost.min(MOST);
        let run = self.of_run(store, &budget.run_id).saturating_add(cost);
        self.runs.insert(budget.run_id.to_string(), run);
        for workflow in [Some(&*budget.workflow_id), None] {
            let sum = self.of_day(store, workflow).saturating_add(cost);
            self.days.insert(workflow.map(str::to_owned), sum);
        }
    }
}
