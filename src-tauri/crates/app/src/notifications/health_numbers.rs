//! Numbers about how a workflow does, from the counts of the store.

use crate::app::App;
use crate::dto::HealthNumbers;
use crate::error::ApiResult;
use crate::host::clock::day;
use signalbox_model::time;
use signalbox_store::HealthTotals;
use std::collections::BTreeMap;

/// Milliseconds of a day.
pub(crate) const DAY_MS: i64 = 86_400_000;
/// Days that are looked at.
pub(crate) const MOST_DAYS: u32 = 366;

/// The first of so many days, today included, in days since 1970.
pub(crate) fn first_day(app: &App, days: u32) -> i64 {
    app.now_ms() / DAY_MS - i64::from(days.clamp(1, MOST_DAYS) - 1)
}

/// The name that people know a workflow by: that of its newest run, or of its file when all of its runs were deleted.
pub(crate) fn name_of(app: &App, workflow: &str) -> ApiResult<String> {
    let started = app.store.workflow_name(workflow)?;
    Ok(started.or_else(|| app.file_name_of(workflow)).unwrap_or_else(|| workflow.to_owned()))
}

/// What models cost since then, by workflow and day.
pub(crate) fn costs(app: &App, first: i64) -> ApiResult<BTreeMap<(String, String), u64>> {
    let mut costs = BTreeMap::new();
    for row in app.store.usage_of_days(&day(first * DAY_MS))? {
        *costs.entry((row.workflow, row.of)).or_default() += row.sums.cost_micros;
    }
    Ok(costs)
}

/// The numbers of a workflow since a day.
pub(crate) fn numbers_of(app: &App, workflow: &str, first: i64) -> ApiResult<HealthNumbers> {
    let mut totals = HealthTotals::default();
    for one in app.store.health_days(workflow, first)? {
        totals.extend(&one.totals);
    }
    let cost = costs(app, first)?.into_iter().filter(|((id, _), _)| id == workflow).map(|(_, cost)| cost).sum();
    let score = app.store.proof(workflow)?.and_then(|proof| proof.score);
    numbers(app, workflow, &totals, cost, score)
}

/// The numbers of these runs, of what models cost and of what is open now.
pub(crate) fn numbers(
    app: &App,
    workflow: &str,
    totals: &HealthTotals,
    cost_micros: u64,
    proof_score: Option<u32>,
) -> ApiResult<HealthNumbers> {
    let runs = totals.completed + totals.failed;
    let (open_tasks, oldest) = app.store.open_tasks_of_workflow(workflow)?;
    #[expect(clippy::cast_precision_loss, reason = "a count of runs is far below 2^53")]
    let error_rate = if runs == 0 { 0.0 } else { totals.failed as f64 / runs as f64 };
    Ok(HealthNumbers {
        runs,
        completed: totals.completed,
        failed: totals.failed,
        cancelled: totals.cancelled,
        error_rate,
        p50_ms: totals.percentile(50).unwrap_or_default(),
        p95_ms: totals.percentile(95).unwrap_or_default(),
        cost_micros,
        open_tasks,
        oldest_task_ms: oldest.map_or(0, |created| time::took_ms(created, app.now_ms())),
        proof_score,
    })
}
