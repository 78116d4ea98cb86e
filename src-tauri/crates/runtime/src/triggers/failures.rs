//! `trigger.error`: a run of another workflow failed. The transaction that ends a run as failed writes it down for every
//! trigger that waits for that, and the transaction that starts a run for it takes it off the list: a crash in between
//! neither loses nor doubles one.

use super::error::{Class, TriggerResult};
use super::fire::{Occurrence, skip_level};
use super::host::TriggerHost;
use super::scheduler::Scheduler;
use serde_json::{Value, json};
use signalbox_engine::BY_TRIGGER;
use signalbox_engine::trigger::PARAM;
use signalbox_model::{AuditEvent, EventBody, Map, RunEvent, time};
use signalbox_store::audit::Actor;
use signalbox_store::{FailedRun, RunRow, SkippedTicks, StoreError, TriggerRow};

/// The kind of step that waits for failed runs.
pub(super) const KIND: &str = "trigger.error";
/// Failed runs that one pass looks at.
const BATCH: usize = 100;
/// An error that is larger leaves out the input of the step that failed, bytes.
const MAX_ERROR: usize = 256 * 1024;

/// The settings of a trigger that waits for failed runs.
struct Failures {
    /// Ids of the workflows; every other workflow when empty.
    workflows: Vec<String>,
}

impl Failures {
    fn read(config: &Value) -> Self {
        let chosen = config.get("workflows").and_then(Value::as_array);
        let ids = chosen.into_iter().flatten().filter_map(|id| id.as_str().map(str::to_owned));
        Self { workflows: ids.collect() }
    }

    fn waits_for(&self, workflow: &str) -> bool {
        self.workflows.is_empty() || self.workflows.iter().any(|id| id == workflow)
    }
}

/// The event of a firing by hand. `trigger.error` hands on the same shape when a person starts the run.
pub(crate) fn sample(trigger: &str, now_ms: i64) -> Map {
    let now = time::format(now_ms);
    let event = json!({
        "error": {
            "type": "ToolError", "message": "The server answered 503 (sample).", "retryable": true,
            "originNode": "fetch", "timestamp": now,
        },
        "run": {
            "id": null, "workflowId": "sample", "workflowName": "Sample", "startedAt": now, "endedAt": now,
            "step": { "id": "fetch", "title": "Fetch the orders" },
        },
        "link": null, "triggerId": trigger, "manual": true,
    });
    event.as_object().cloned().unwrap_or_default()
}

impl Scheduler {
    /// Starts a run for each run that failed since the last look.
    pub(crate) fn fire_failures(&mut self, host: &dyn TriggerHost, now: i64) -> TriggerResult<()> {
        for failed in host.store().trigger_failed_runs(BATCH)? {
            self.fire_failure(host, failed, now)?;
        }
        Ok(())
    }

    fn fire_failure(&mut self, host: &dyn TriggerHost, failed: FailedRun, now: i64) -> TriggerResult<()> {
        let Some(trigger) = host.store().trigger(&failed.trigger)? else {
            // It was deactivated after the run had failed.
            return Ok(host.store().trigger_failed_run_settled(failed)?);
        };
        let run = match host.store().run(&failed.run) {
            Ok(run) => run,
            // It was deleted meanwhile: nobody can look at it any more.
            Err(StoreError::UnknownRun { .. }) => return Ok(host.store().trigger_failed_run_settled(failed)?),
            Err(error) => return Err(error.into()),
        };
        let config: Value = serde_json::from_str(&trigger.config).unwrap_or_default();
        if !Failures::read(&config).waits_for(&run.workflow_id) || host.was_started_by_a_failure(&run)? {
            return Ok(host.store().trigger_failed_run_settled(failed)?);
        }
        let occurrence = Occurrence {
            key: failed.run.clone(),
            at_ms: failed.ended_ms,
            is_tick: false,
            event: host.failure_event(&trigger, &run)?,
            started_by: BY_TRIGGER,
            trace: None,
        };
        let started =
            self.version(host, &trigger.version).and_then(|version| host.fire(&trigger, version, occurrence, now));
        match started {
            Ok(_) => Ok(host.store().trigger_problem(&trigger.id, None)?),
            Err(error) if error.code == "FIRED_BEFORE" => Ok(host.store().trigger_failed_run_settled(failed)?),
            // The next look tries again, with the version that is active then.
            Err(error) if error.code == "TRIGGER_CHANGED" => Ok(()),
            Err(error) if error.class == Class::Unavailable => Err(error),
            Err(error) => {
                let at = time::format(failed.ended_ms);
                let facts = json!({
                    "triggerId": trigger.id, "workflowId": trigger.workflow, "version": trigger.version,
                    "reason": error.code, "count": 1, "from": at, "to": at, "message": error.message, "key": failed.run,
                });
                let record = host.fact(AuditEvent::TriggerSkipped, skip_level(&error.code), Actor::system(), facts);
                let skipped = SkippedTicks {
                    trigger: trigger.id,
                    version: trigger.version,
                    last_ms: failed.ended_ms,
                    count: 1,
                    at_ms: now,
                    reason: error.code,
                    problem: Some(error.message),
                };
                host.store().trigger_skip(skipped, record)?;
                Ok(host.store().trigger_failed_run_settled(failed)?)
            }
        }
    }
}

impl dyn TriggerHost + '_ {
    /// A run that a failure started, or that repeats one, starts nothing when it fails, too: two workflows that wait for
    /// each other's failures would never end.
    fn was_started_by_a_failure(&self, run: &RunRow) -> TriggerResult<bool> {
        let Some(RunEvent { body: EventBody::WorkflowStart(start), .. }) = self.store().event(&run.run_id, 1)? else {
            return Ok(false);
        };
        let Some(node) = start.params.get(PARAM).and_then(|event| event.get("nodeId")?.as_str()) else {
            return Ok(false);
        };
        let definition = self.store().definition_get(&run.definition_hash)?.unwrap_or_default();
        let definition: Value = serde_json::from_str(&definition).unwrap_or_default();
        Ok(definition["nodes"][node]["type"] == KIND)
    }

    fn failure_event(&self, trigger: &TriggerRow, run: &RunRow) -> TriggerResult<Map> {
        let summary = self.summary_now(&run.run_id)?;
        let mut error = json!(summary.error);
        if error.to_string().len() > MAX_ERROR
            && let Some(details) = error.get_mut("details").and_then(Value::as_object_mut)
        {
            details.shift_remove("input");
        }
        let step = summary.failed_step_id.or_else(|| run.failed_step.clone());
        let title = match &step {
            Some(step) => {
                let definition = self.store().definition_get(&run.definition_hash)?.unwrap_or_default();
                let definition: Value = serde_json::from_str(&definition).unwrap_or_default();
                definition["nodes"][step]["title"].clone()
            }
            None => Value::Null,
        };
        let event = json!({
            "error": error,
            "run": {
                "id": run.run_id, "workflowId": run.workflow_id, "workflowName": run.workflow_name,
                "step": step.map(|id| json!({ "id": id, "title": title })),
                "startedAt": time::format(run.started_ms), "endedAt": run.ended_ms.map(time::format),
            },
            "link": format!("/#/run/{}", run.run_id), "triggerId": trigger.id, "manual": false,
        });
        Ok(event.as_object().cloned().unwrap_or_default())
    }
}
