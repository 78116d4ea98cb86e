//! Firing: one run for one tick, or for a person who fires the trigger beside its schedule.

use crate::app::App;
use crate::audit::facts::signed;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult, Class};
use crate::runs::new_run::NewRun;
use serde_json::{Value, json};
use signalbox_engine::BY_SCHEDULE;
use signalbox_engine::schedule::Schedule;
use signalbox_engine::trigger::PARAM;
use signalbox_engine::validate::Called;
use signalbox_model::run_origin::{BY_REST, RunOrigin};
use signalbox_model::{AuditEvent, Map, Workflow, time};
use signalbox_store::audit::{Actor, Level, Record};
use signalbox_store::{Firing, TriggerRow};

/// The schedule of a trigger.
pub(crate) fn schedule_of(trigger: &TriggerRow) -> ApiResult<Schedule> {
    let config: Value = serde_json::from_str(&trigger.config).unwrap_or_default();
    Schedule::read(&config).map_err(|problems| {
        let why = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
        let message = format!("The schedule of {} cannot be used: {why}.", trigger.id);
        ApiError::new(
            Class::Invalid,
            "BAD_SCHEDULE",
            message,
            "Correct the schedule, then activate the workflow again.",
        )
    })
}

/// What the trigger step hands on.
pub(crate) fn event(trigger: &TriggerRow, schedule: &Schedule, tick_ms: i64, now_ms: i64, manual: bool) -> Map {
    let event = json!({
        "scheduledAt": time::format(tick_ms), "firedAt": time::format(now_ms), "timezone": schedule.timezone,
        "local": schedule.local(tick_ms), "triggerId": trigger.id, "manual": manual,
    });
    event.as_object().cloned().unwrap_or_default()
}

fn params(trigger: &TriggerRow, event: Map) -> Map {
    let fired = json!({ "triggerId": trigger.id, "nodeId": trigger.node, "payload": event });
    Map::from_iter([(PARAM.to_owned(), fired)])
}

impl App {
    /// Starts the run of a tick. Its firing is written with it, or neither is.
    pub(crate) fn fire_tick(
        &self,
        trigger: &TriggerRow,
        (workflow, called): (Workflow, Called),
        schedule: &Schedule,
        tick_ms: i64,
        now_ms: i64,
    ) -> ApiResult<String> {
        let firing = Firing {
            trigger: trigger.id.clone(),
            version: trigger.version.clone(),
            key: time::format(tick_ms),
            scheduled_ms: tick_ms,
            fired_ms: now_ms,
            is_tick: true,
        };
        let record = self.fired(&firing, trigger, Actor::system(), json!({}));
        // Who may not reach addresses of this machine does not get there by a schedule, either.
        let started_by = if trigger.here { BY_SCHEDULE } else { BY_REST };
        let new = NewRun {
            params: params(trigger, event(trigger, schedule, tick_ms, now_ms, false)),
            origin: RunOrigin { started_by: Some(started_by.to_owned()), ..RunOrigin::default() },
            ..NewRun::default()
        };
        Ok(self.start_workflow(workflow, called, new, None, None, Some((firing, record)))?.run_id())
    }

    /// A person fires a trigger now; its ticks stay as they are.
    pub(crate) fn fire_by_hand(&self, caller: &Caller, id: &str, payload: Map) -> ApiResult<String> {
        let trigger = self.trigger_row(id)?;
        let schedule = schedule_of(&trigger)?;
        let now = self.now_ms();
        let mut event = event(&trigger, &schedule, now, now, true);
        event.extend(payload);
        let firing = Firing {
            trigger: trigger.id.clone(),
            version: trigger.version.clone(),
            key: format!("manual {}", uuid::Uuid::now_v7()),
            scheduled_ms: now,
            fired_ms: now,
            is_tick: false,
        };
        let record = self.fired(&firing, &trigger, caller.actor(), signed(caller, json!({ "manual": true })));
        let new = NewRun { params: params(&trigger, event), origin: caller.origin(None), ..NewRun::default() };
        let (workflow, called) = self.pinned_version(&trigger.version)?;
        Ok(self.start_workflow(workflow, called, new, None, None, Some((firing, record)))?.run_id())
    }

    fn fired(&self, firing: &Firing, trigger: &TriggerRow, actor: Actor, mut facts: Value) -> Record {
        facts["triggerId"] = json!(firing.trigger);
        facts["workflowId"] = json!(trigger.workflow);
        facts["version"] = json!(firing.version);
        facts["key"] = json!(firing.key);
        facts["scheduledAt"] = json!(time::format(firing.scheduled_ms));
        self.fact(AuditEvent::TriggerFired, Level::Info, actor, facts)
    }

    /// A trigger of an active workflow.
    pub(crate) fn trigger_row(&self, id: &str) -> ApiResult<TriggerRow> {
        self.store.trigger(id)?.ok_or_else(|| {
            let hint = format!("No active workflow has the trigger {id}; `signalbox triggers list` shows all.");
            ApiError::not_found(hint)
        })
    }
}
