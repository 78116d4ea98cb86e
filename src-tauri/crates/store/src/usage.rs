//! What questions to language models cost: sums of the store.

use crate::error::Result;
use crate::store::Store;
use crate::table::llm_usage::{self, Spent, UsageRow};
use crate::writer::Work;
use signalbox_model::EventBody;

/// Sums over questions to models.
impl Store {
    /// Of the steps of a run.
    pub fn usage_of_run(&self, run: &str) -> Result<Vec<UsageRow>> {
        self.view(|connection| llm_usage::of_run(connection, run))
    }

    /// Of each workflow on each day since `since` (`2026-11-22`), the newest first.
    pub fn usage_of_days(&self, since: &str) -> Result<Vec<UsageRow>> {
        self.view(|connection| llm_usage::of_days(connection, since))
    }

    /// What a run has spent, in millionths.
    pub fn spent_by_run(&self, run: &str) -> Result<u64> {
        self.view(|connection| llm_usage::spent_by_run(connection, run))
    }

    /// What a workflow, or this machine, has spent on a day, in millionths.
    pub fn spent_on_day(&self, day: &str, workflow: Option<&str>) -> Result<u64> {
        self.view(|connection| llm_usage::spent_on_day(connection, day, workflow))
    }

    /// Adds what a step of a run paid for in a call that was given up, so that no event of the run tells it, to the sums of the run and
    /// of the day of `ts` (RFC 3339). Nobody waits for it, or hears of it: nobody is there any more who could do something.
    pub fn submit_given_up(&self, run: &str, step: &str, ts: &str, told: &EventBody) {
        let Some(spent) = Spent::said(ts, step, told) else { return };
        let run = run.to_owned();
        let add = move |work: &mut Work<'_>| llm_usage::add(work.connection, &run, &[spent]);
        self.enqueue(1, false, add, |_| {});
    }

    /// Adds what a question cost that no run has asked, told at `ts` (RFC 3339), to the sums of its day.
    pub fn usage_without_run(&self, ts: &str, told: &EventBody) -> Result<()> {
        let Some(spent) = Spent::said(ts, "", told) else { return Ok(()) };
        self.write(false, move |work| llm_usage::add_to_day(work.connection, &spent))
    }
}
