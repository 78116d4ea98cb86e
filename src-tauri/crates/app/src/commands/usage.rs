//! What questions to language models cost: per run and step, per day and workflow.

use crate::Caller;
use crate::app::App;
use crate::dto::{
    DayUsage, ModelUsage, ModelUsageRequest, RunId, RunUsage, StepUsage, Usage, UsageReport, WorkflowUsage,
};
use crate::error::ApiResult;
use crate::host::clock::day;
use signalbox_store::{UsageRow, UsageSums};
use std::cmp::Reverse;
use std::collections::BTreeMap;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// Days when nobody says how many.
const DAYS: u32 = 30;
const MOST_DAYS: u32 = 366;

impl Usage {
    fn add(&mut self, sums: &UsageSums) {
        self.calls += sums.calls;
        self.input_tokens += sums.input;
        self.output_tokens += sums.output;
        self.thinking_tokens += sums.thinking;
        self.cost_micros += sums.cost_micros;
        self.unpriced += sums.unpriced;
    }

    /// Sums over rows.
    pub(crate) fn of<'a>(rows: impl IntoIterator<Item = &'a UsageRow>) -> Self {
        let mut usage = Self::default();
        rows.into_iter().for_each(|row| usage.add(&row.sums));
        usage
    }
}

/// Sums by something of a row, in its order.
fn by<'a, K: Ord>(rows: &'a [UsageRow], key: impl Fn(&'a UsageRow) -> K) -> Vec<(K, Usage)> {
    let mut sums: BTreeMap<K, Usage> = BTreeMap::new();
    for row in rows {
        sums.entry(key(row)).or_default().add(&row.sums);
    }
    sums.into_iter().collect()
}

fn dearest<K>(mut sums: Vec<(K, Usage)>) -> Vec<(K, Usage)> {
    sums.sort_by_key(|(_, usage)| Reverse((usage.cost_micros, usage.input_tokens + usage.output_tokens)));
    sums
}

fn models(rows: &[UsageRow]) -> Vec<ModelUsage> {
    let sums = dearest(by(rows, |row| (&row.provider, &row.model)));
    let one = |((provider, model), usage): ((&String, &String), Usage)| ModelUsage {
        provider: provider.clone(),
        model: model.clone(),
        usage,
    };
    sums.into_iter().map(one).collect()
}

pub(crate) fn run_usage(app: &App, _: &Caller, request: RunId) -> ApiResult<RunUsage> {
    app.store.run(&request.run_id)?;
    let rows = app.store.usage_of_run(&request.run_id)?;
    let steps = rows.chunk_by(|one, next| one.of == next.of).map(|rows| StepUsage {
        step_id: rows.first().map(|row| row.of.clone()).unwrap_or_default(),
        usage: Usage::of(rows),
        models: models(rows),
    });
    Ok(RunUsage { total: Usage::of(&rows), steps: steps.collect(), run_id: request.run_id })
}

pub(crate) fn model_usage(app: &App, _: &Caller, request: ModelUsageRequest) -> ApiResult<UsageReport> {
    let (now_ms, days) = (app.now_ms(), request.days.unwrap_or(DAYS).clamp(1, MOST_DAYS));
    let (today, since) = (day(now_ms), day(now_ms - i64::from(days - 1) * DAY_MS));
    let rows = app.store.usage_of_days(&since)?;
    Ok(UsageReport {
        since,
        today: Usage::of(rows.iter().filter(|row| row.of == today)),
        total: Usage::of(&rows),
        days: by(&rows, |row| Reverse(&row.of))
            .into_iter()
            .map(|(day, usage)| DayUsage { day: day.0.clone(), usage })
            .collect(),
        workflows: dearest(by(&rows, |row| &row.workflow))
            .into_iter()
            .map(|(id, usage)| WorkflowUsage { workflow_id: id.clone(), usage })
            .collect(),
        models: models(&rows),
    })
}
