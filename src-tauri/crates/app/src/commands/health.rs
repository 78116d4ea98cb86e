//! How workflows do over time, and the alerts about it.

use crate::Caller;
use crate::app::App;
use crate::dto::{
    Empty, HealthAlert, HealthAlertId, HealthAlerts, HealthDay, HealthEntry, HealthError, HealthGet, HealthList,
    HealthNumbers, HealthOverview, WorkflowHealth,
};
use crate::error::ApiResult;
use crate::host::clock::day;
use signalbox_model::time;
use signalbox_store::HealthTotals;
use std::collections::BTreeMap;

pub(crate) const DAY_MS: i64 = 86_400_000;
/// Days when nobody says how many.
const DAYS: u32 = 30;
pub(crate) const MOST_DAYS: u32 = 366;

pub(crate) fn health_list(app: &App, _: &Caller, request: HealthList) -> ApiResult<HealthOverview> {
    let first = first_day(app, request.days.unwrap_or(DAYS));
    let costs = costs(app, first)?;
    let scores: BTreeMap<String, Option<u32>> = app.store.proof_scores()?.into_iter().collect();
    let raised = app.raised_alerts()?;
    let mut workflows = Vec::new();
    for one in app.store.health_workflows(first)? {
        let cost = costs.iter().filter(|((id, _), _)| *id == one.workflow).map(|(_, cost)| cost).sum();
        let score = scores.get(&one.workflow).copied().flatten();
        let alerts = raised.iter().filter(|alert| alert.workflow_id == one.workflow);
        workflows.push(HealthEntry {
            workflow_name: name_of(app, &one.workflow)?,
            alerts: alerts.map(|alert| alert.name.clone()).collect(),
            numbers: numbers(app, &one.workflow, &one.totals, cost, score)?,
            workflow_id: one.workflow,
        });
    }
    Ok(HealthOverview { since: day(first * DAY_MS), workflows })
}

pub(crate) fn health_get(app: &App, _: &Caller, request: HealthGet) -> ApiResult<WorkflowHealth> {
    let id = request.workflow_id;
    let first = first_day(app, request.days.unwrap_or(DAYS));
    let costs = costs(app, first)?;
    let cost_on = |day: &str| costs.get(&(id.clone(), day.to_owned())).copied().unwrap_or_default();
    let known = app.store.health_days(&id, first)?;
    let mut found = known.iter().peekable();
    let none = HealthTotals::default();
    let mut days = Vec::new();
    for at in first..=app.now_ms() / DAY_MS {
        let totals = found.next_if(|one| one.day == at).map_or(&none, |one| &one.totals);
        let day = day(at * DAY_MS);
        days.push(HealthDay {
            completed: totals.completed,
            failed: totals.failed,
            cancelled: totals.cancelled,
            p50_ms: totals.percentile(50),
            p95_ms: totals.percentile(95),
            cost_micros: cost_on(&day),
            day,
        });
    }
    let errors = app.store.health_errors(&id, first)?.into_iter().map(|one| HealthError {
        step_id: one.step,
        code: one.code,
        errors: one.errors,
        failed: one.failed,
    });
    let alerts = app.raised_alerts()?.into_iter().filter(|alert| alert.workflow_id == id).collect();
    Ok(WorkflowHealth {
        workflow_name: name_of(app, &id)?,
        numbers: numbers_of(app, &id, first)?,
        days,
        errors: errors.collect(),
        alerts,
        workflow_id: id,
    })
}

pub(crate) fn health_alerts(app: &App, _: &Caller, _: Empty) -> ApiResult<HealthAlerts> {
    app.health_alerts_now()
}

pub(crate) fn health_alert_put(app: &App, caller: &Caller, request: HealthAlert) -> ApiResult<HealthAlerts> {
    app.health_alert_put(caller, request)
}

pub(crate) fn health_alert_remove(app: &App, caller: &Caller, request: HealthAlertId) -> ApiResult<HealthAlerts> {
    app.health_alert_remove(caller, &request.id)
}

/// The first of so many days, today included, in days since 1970.
pub(crate) fn first_day(app: &App, days: u32) -> i64 {
    app.now_ms() / DAY_MS - i64::from(days.clamp(1, MOST_DAYS) - 1)
}

/// The name that people know a workflow by.
pub(crate) fn name_of(app: &App, workflow: &str) -> ApiResult<String> {
    Ok(app.store.workflow_name(workflow)?.unwrap_or_else(|| workflow.to_owned()))
}

/// What models cost since then, by workflow and day.
fn costs(app: &App, first: i64) -> ApiResult<BTreeMap<(String, String), u64>> {
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

fn numbers(
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
