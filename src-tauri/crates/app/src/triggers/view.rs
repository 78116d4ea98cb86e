//! Triggers as people see them.

use super::preview::next_times;
use crate::app::App;
use crate::dto::{Firing, FiringOutcome, Trigger, TriggerDetails, WorkflowActivity, WorkflowFailure};
use crate::error::ApiResult;
use serde_json::Value;
use signalbox_model::time;
use signalbox_runtime::triggers::Settings;
use signalbox_store::{FiringRow, TriggerRow};

/// Times that a list shows.
const NEXT: usize = 5;
/// The time that counts of runs are about.
const DAY_MS: i64 = 86_400_000;
/// Firings that the details show.
const FIRINGS: usize = 50;

impl App {
    pub(crate) fn trigger_list(&self, workflow: Option<&str>) -> ApiResult<Vec<Trigger>> {
        let rows = match workflow {
            Some(workflow) => self.store.triggers_of_workflow(workflow)?,
            None => self.store.triggers()?,
        };
        rows.into_iter().map(|row| self.trigger_of(row)).collect()
    }

    pub(crate) fn trigger_details(&self, id: &str) -> ApiResult<TriggerDetails> {
        let trigger = self.trigger_of(self.trigger_row(id)?)?;
        let firings = self.store.trigger_firings(id, FIRINGS)?.into_iter().map(|row| self.firing_of(row)).collect();
        Ok(TriggerDetails { trigger, firings })
    }

    /// What the runs of a workflow came to in the last 24 hours.
    fn activity_of(&self, workflow: &str) -> ApiResult<WorkflowActivity> {
        let one = self.store.workflow_activity(workflow, self.now_ms().saturating_sub(DAY_MS))?;
        Ok(WorkflowActivity {
            runs: one.runs,
            failed: one.failed,
            last_failed_run_id: one.last_failed,
            waiting: one.waiting,
        })
    }

    /// Failures of active workflows in the last 24 hours that people are told of.
    pub(crate) fn failures(&self) -> ApiResult<Vec<WorkflowFailure>> {
        let told = self.store.failure_notices(self.now_ms().saturating_sub(DAY_MS))?.into_iter();
        let tell = |one: signalbox_store::FailureNotice| WorkflowFailure {
            workflow_id: one.workflow,
            workflow_name: one.name,
            run_id: one.run,
            failed_at: time::format(one.at_ms),
        };
        Ok(told.map(tell).collect())
    }

    fn trigger_of(&self, row: TriggerRow) -> ApiResult<Trigger> {
        let settings = Settings::read(&row);
        let after = self.now_ms().max(row.cursor_ms);
        let last = self.store.trigger_firings(&row.id, 1)?.pop().map(|row| self.firing_of(row));
        let schedule = settings.as_ref().ok().and_then(Settings::schedule);
        let path = settings.as_ref().ok().and_then(Settings::hook_path);
        Ok(Trigger {
            address: path.map(|path| self.hook_address("hooks", path)),
            next: schedule.map(|schedule| next_times(&schedule, after, NEXT)).unwrap_or_default(),
            last,
            activity: self.activity_of(&row.workflow)?,
            problem: row.problem.or_else(|| settings.err().map(|error| error.message)),
            config: serde_json::from_str(&row.config).unwrap_or(Value::Null),
            trigger_id: row.id,
            workflow_id: row.workflow,
            workflow_name: row.workflow_name,
            node_id: row.node,
            kind: row.kind,
            title: row.title,
            version: row.version,
        })
    }

    fn firing_of(&self, row: FiringRow) -> Firing {
        // The run may have been deleted since.
        let status = row.run.as_deref().and_then(|run| self.store.run(run).ok()).map(|run| run.status);
        Firing {
            scheduled_at: time::format(row.scheduled_ms),
            fired_at: time::format(row.fired_ms),
            outcome: if row.run.is_some() { FiringOutcome::Fired } else { FiringOutcome::Skipped },
            run_id: row.run,
            run_status: status,
            reason: row.reason,
            count: row.count,
        }
    }
}
