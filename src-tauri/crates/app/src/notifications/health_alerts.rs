//! Alerts about the health of workflows: conditions in CEL over its numbers (ADR 144). The transaction that ends a run notes its
//! workflow; a host that stays checks the alerts of what is noted, and of all workflows now and then, because tasks grow old
//! without a run. An alert is raised once, until its condition is no longer true.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{HealthAlert, HealthAlerts, HealthNumbers, RaisedHealthAlert};
use crate::error::{ApiError, ApiResult, Class};
use crate::notifications::health_numbers::{MOST_DAYS, first_day, name_of, numbers_of};
use serde_json::{Value, json};
use signalbox_engine::expr::Expr;
use signalbox_engine::scope::Scope;
use signalbox_model::{AuditEvent, Data, time};
use signalbox_store::audit::{Actor, Level};
use signalbox_store::{HEALTH_ALERTS, RaisedAlert};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How often a host that stays looks for ended runs.
const LOOK: Duration = Duration::from_secs(3);
/// Every so many looks all workflows are checked.
const ALL_EVERY: u32 = 200;
/// Most alerts.
const MOST: usize = 50;
/// Longest name and longest condition, characters.
const NAME: usize = 100;
const EXPRESSION: usize = 1_000;

/// The numbers as names of an expression.
fn scope(numbers: &HealthNumbers) -> Scope {
    let value = |value: Value| Data::from(value);
    Scope {
        locals: vec![
            ("runs", value(json!(numbers.runs))),
            ("completed", value(json!(numbers.completed))),
            ("failed", value(json!(numbers.failed))),
            ("cancelled", value(json!(numbers.cancelled))),
            ("errorRate", value(json!(numbers.error_rate))),
            ("p50Ms", value(json!(numbers.p50_ms))),
            ("p95Ms", value(json!(numbers.p95_ms))),
            ("costMicros", value(json!(numbers.cost_micros))),
            ("openTasks", value(json!(numbers.open_tasks))),
            ("oldestTaskMs", value(json!(numbers.oldest_task_ms))),
            ("proofScore", value(json!(numbers.proof_score))),
        ],
        ..Scope::empty()
    }
}

/// Whether a condition is true.
///
/// # Errors
/// In plain words, when it cannot be evaluated.
fn holds(expression: &str, numbers: &HealthNumbers) -> Result<bool, String> {
    let expression = Expr::compile(expression).map_err(|error| error.to_string())?;
    expression.eval_bool(&scope(numbers)).map_err(|error| error.to_string())
}

fn checked(alert: HealthAlert) -> ApiResult<HealthAlert> {
    let alert = HealthAlert {
        name: alert.name.trim().to_owned(),
        expression: alert.expression.trim().to_owned(),
        workflow_id: alert.workflow_id.filter(|id| !id.trim().is_empty()),
        ..alert
    };
    if alert.name.is_empty() || alert.name.chars().count() > NAME {
        let message = format!("The name of an alert has 1 to {NAME} characters.");
        return Err(ApiError::bad_request(message, "Write what it is about."));
    }
    if alert.days == 0 || alert.days > MOST_DAYS {
        let hint = format!("Choose 1 to {MOST_DAYS} days.");
        return Err(ApiError::bad_request(format!("An alert over {} days is not possible.", alert.days), hint));
    }
    if alert.expression.chars().count() > EXPRESSION {
        let message = format!("The condition has more than {EXPRESSION} characters.");
        return Err(ApiError::bad_request(message, "Write a shorter one."));
    }
    // With numbers of each kind, so that a name that does not exist is found now and not when a run ends.
    let sample = HealthNumbers { runs: 1, completed: 1, proof_score: Some(100), ..HealthNumbers::default() };
    holds(&alert.expression, &sample).map_err(|why| {
        let hint = "Write a condition over runs, completed, failed, cancelled, errorRate, p50Ms, p95Ms, costMicros, \
                    openTasks, oldestTaskMs and proofScore, as in errorRate > 0.1 && runs >= 20.";
        ApiError::new(Class::Invalid, "BAD_EXPRESSION", format!("The condition cannot be used: {why}."), hint)
    })?;
    Ok(alert)
}

impl App {
    fn alerts(&self) -> ApiResult<Vec<HealthAlert>> {
        let kept = self.store.setting_get(HEALTH_ALERTS)?;
        // What a newer version wrote there is left alone.
        Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
    }

    /// Alerts whose condition is true.
    pub(crate) fn raised_alerts(&self) -> ApiResult<Vec<RaisedHealthAlert>> {
        let text = |facts: &Value, field: &str| facts[field].as_str().unwrap_or_default().to_owned();
        let raised = self.store.health_raised()?.into_iter().map(|one| RaisedHealthAlert {
            name: text(&one.facts, "alert"),
            expression: text(&one.facts, "expression"),
            workflow_name: text(&one.facts, "workflowName"),
            since: time::format(one.at_ms),
            alert_id: one.alert,
            workflow_id: one.workflow,
        });
        Ok(raised.collect())
    }

    /// The alerts, and which of them are raised.
    pub(crate) fn health_alerts_now(&self) -> ApiResult<HealthAlerts> {
        Ok(HealthAlerts { alerts: self.alerts()?, raised: self.raised_alerts()? })
    }

    /// Sets an alert, and checks it at once.
    pub(crate) fn health_alert_put(&self, caller: &Caller, alert: HealthAlert) -> ApiResult<HealthAlerts> {
        let mut alert = checked(alert)?;
        let is_new = alert.id.is_empty();
        if is_new {
            alert.id = uuid::Uuid::now_v7().to_string();
        }
        let facts = json!({
            "change": "set", "name": alert.name, "alertId": alert.id, "expression": alert.expression, "days": alert.days,
            "workflowId": alert.workflow_id,
        });
        let record = self.fact(AuditEvent::HealthAlertChanged, Level::Info, caller.actor(), caller.signed(facts));
        let put = alert.clone();
        let changed = self.store.setting_change_recorded(HEALTH_ALERTS, record, move |kept| {
            let mut all: Vec<HealthAlert> = kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default();
            let known = all.iter().position(|one| one.id == put.id);
            match known {
                Some(at) => all[at] = put,
                None if !is_new => return Err(unknown(&put.id)),
                None if all.len() >= MOST => {
                    let message = format!("There are {MOST} alerts already.");
                    return Err(ApiError::new(Class::Conflict, "TOO_MANY_ALERTS", message, "Remove one first."));
                }
                None => all.push(put),
            }
            Ok(Some(json!(all)))
        })?;
        changed?;
        // Another condition may not be the one that was raised.
        self.store.health_forget(&alert.id)?;
        self.check_all_alerts()?;
        self.health_alerts_now()
    }

    /// Removes an alert.
    pub(crate) fn health_alert_remove(&self, caller: &Caller, id: &str) -> ApiResult<HealthAlerts> {
        let gone = self.alerts()?.into_iter().find(|one| one.id == id).ok_or_else(|| unknown(id))?;
        let facts = json!({ "change": "removed", "name": gone.name, "alertId": id });
        let record = self.fact(AuditEvent::HealthAlertChanged, Level::Warn, caller.actor(), caller.signed(facts));
        let id = id.to_owned();
        let removed = id.clone();
        let changed = self.store.setting_change_recorded(HEALTH_ALERTS, record, move |kept| {
            let mut all: Vec<HealthAlert> = kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default();
            all.retain(|one| one.id != removed);
            Ok::<_, ApiError>((!all.is_empty()).then(|| json!(all)))
        })?;
        changed?;
        self.store.health_forget(&id)?;
        self.health_alerts_now()
    }

    /// Checks the alerts of workflows whose runs ended; says how many workflows were checked.
    pub fn check_pending_alerts(&self) -> ApiResult<usize> {
        let pending = self.store.health_pending()?;
        let alerts = if pending.is_empty() { Vec::new() } else { self.alerts()? };
        let checked = pending.len();
        for one in pending {
            self.check_alerts_of(&alerts, &one.workflow)?;
            self.store.health_checked(one)?;
        }
        Ok(checked)
    }

    /// Checks the alerts of every workflow.
    pub(crate) fn check_all_alerts(&self) -> ApiResult<()> {
        let alerts = self.alerts()?;
        let longest = alerts.iter().map(|alert| alert.days).max();
        let Some(days) = longest else { return Ok(()) };
        let known = self.store.health_workflows(first_day(self, days))?.into_iter().map(|one| one.workflow);
        let raised = self.store.health_raised()?.into_iter().map(|one| one.workflow);
        let named = alerts.iter().filter_map(|alert| alert.workflow_id.clone());
        let workflows: BTreeSet<String> = known.chain(raised).chain(named).collect();
        for workflow in workflows {
            self.check_alerts_of(&alerts, &workflow)?;
        }
        Ok(())
    }

    fn check_alerts_of(&self, alerts: &[HealthAlert], workflow: &str) -> ApiResult<()> {
        for alert in alerts.iter().filter(|alert| alert.workflow_id.as_ref().is_none_or(|id| id == workflow)) {
            let numbers = numbers_of(self, workflow, first_day(self, alert.days))?;
            // One that cannot be evaluated, for example about a score that is not there, is not true.
            let is_true = holds(&alert.expression, &numbers).unwrap_or(false);
            let state = if is_true { "raised" } else { "cleared" };
            let facts = json!({
                "state": state, "alertId": alert.id, "alert": alert.name, "expression": alert.expression,
                "days": alert.days, "workflowId": workflow, "workflowName": name_of(self, workflow)?, "numbers": numbers,
            });
            let told = json!({
                "name": alert.name, "alertId": alert.id, "workflowId": workflow, "expression": alert.expression,
                "numbers": numbers,
            });
            let one =
                RaisedAlert { alert: alert.id.clone(), workflow: workflow.to_owned(), at_ms: self.now_ms(), facts };
            if is_true {
                let record = self.fact(AuditEvent::HealthAlertRaised, Level::Warn, Actor::system(), told);
                self.store.health_raise(one, record)?;
            } else {
                let record = self.fact(AuditEvent::HealthAlertCleared, Level::Info, Actor::system(), told);
                self.store.health_clear(one, record)?;
            }
        }
        Ok(())
    }

    /// A host that keeps running checks alerts soon after a run ended, and all of them every ten minutes.
    pub(crate) fn alerts_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        let mut looks = 0_u32;
        self.again_and_again(threads, LOOK, move |app| {
            looks = (looks + 1) % ALL_EVERY;
            let all = looks == 0;
            async move {
                // What cannot be read or written now is told elsewhere; the next look tries again.
                let work = move |app: &App| {
                    app.check_pending_alerts()?;
                    if all { app.check_all_alerts() } else { Ok(()) }
                };
                drop(app.blocking(work).await);
                Some(LOOK)
            }
        });
    }
}

fn unknown(id: &str) -> ApiError {
    ApiError::not_found(format!("There is no alert with the id {id}."))
}

#[cfg(test)]
mod tests;
