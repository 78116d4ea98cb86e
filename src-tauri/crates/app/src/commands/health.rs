//! How workflows do over time, and the alerts about it.

use crate::Caller;
use crate::app::App;
use crate::dto::{
    Empty, HealthAlertId, HealthAlertPut, HealthAlerts, HealthDay, HealthEntry, HealthError, HealthGet, HealthList,
    HealthOverview, WorkflowHealth,
};
use crate::error::ApiResult;
use crate::host::clock::day;
use crate::notifications::health_numbers::{DAY_MS, costs, first_day, name_of, numbers, numbers_of};
use signalbox_store::HealthTotals;
use std::collections::BTreeMap;

/// Days when nobody says how many.
const DAYS: u32 = 30;

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

pub(crate) fn health_alert_put(app: &App, caller: &Caller, request: HealthAlertPut) -> ApiResult<HealthAlerts> {
    app.health_alert_put(caller, request.into())
}

pub(crate) fn health_alert_remove(app: &App, caller: &Caller, request: HealthAlertId) -> ApiResult<HealthAlerts> {
    app.health_alert_remove(caller, &request.id)
}
