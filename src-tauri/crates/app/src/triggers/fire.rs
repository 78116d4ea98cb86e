//! Firing: one run for one occurrence (a tick, a delivery, a file), or for a person who fires the trigger by hand.

use super::kind::{Settings, tick};
use crate::app::App;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult};
use crate::runs::new_run::NewRun;
use serde_json::{Value, json};
use signalbox_engine::BY_SCHEDULE;
use signalbox_engine::schedule::Schedule;
use signalbox_engine::trigger::{MANUAL, PARAM};
use signalbox_engine::validate::Called;
use signalbox_model::run_origin::{BY_REST, RunOrigin};
use signalbox_model::{AuditEvent, Map, TraceContext, Workflow, time};
use signalbox_runtime::StartOutcome;
use signalbox_store::audit::{Actor, Level, Record};
use signalbox_store::{Firing, Taken, TriggerRow};

/// Something that happened and starts one run.
pub(crate) struct Occurrence {
    /// Unique for the trigger: a second occurrence with the same key starts nothing (`FIRED_BEFORE`).
    pub(crate) key: String,
    /// When it happened or was due.
    pub(crate) at_ms: i64,
    /// It settles the tick at `at_ms` of a schedule.
    pub(crate) is_tick: bool,
    /// What the trigger step hands on.
    pub(crate) event: Map,
    /// What the run says started it, when nobody did by hand: [`BY_SCHEDULE`] or `BY_TRIGGER`.
    pub(crate) started_by: &'static str,
    /// The trace that the sender of a delivery told.
    pub(crate) trace: Option<TraceContext>,
}

/// What is written with the run of an occurrence, in the same transaction.
#[derive(Default)]
struct Carried {
    binaries: Vec<(String, Vec<u8>)>,
    taken: Vec<Taken>,
}

/// Codes of starts that the limits of the workflow refuse: the next one may have room.
pub(super) const AT_LIMIT: [&str; 2] = ["RUN_LIMIT", "QUEUE_FULL"];

/// How a start that is left out is recorded: what the author chose is no fault, and what waits in vain is a warning.
pub(super) fn skip_level(code: &str) -> Level {
    match code {
        "RUN_LIMIT" => Level::Info,
        "QUEUE_FULL" => Level::Warn,
        _ => Level::Error,
    }
}

/// Refuses a payload that names a field the event does not have: the steps would read the sample's value instead, unnoticed.
fn only_known_fields(event: &Map, payload: &Map) -> ApiResult<()> {
    let Some(unknown) = payload.keys().find(|name| !event.contains_key(name.as_str())) else { return Ok(()) };
    let known: Vec<&str> = event.keys().map(String::as_str).collect();
    let hint = match ["body", "answers"].into_iter().find(|name| event.contains_key(*name)) {
        Some(name) => format!("The event has {}. Put what was sent under \"{name}\".", known.join(", ")),
        None => format!("The event has {}.", known.join(", ")),
    };
    Err(ApiError::bad_request(
        format!("The payload names \"{unknown}\", which events of this trigger do not have."),
        hint,
    ))
}

fn params(trigger: &TriggerRow, event: Map) -> Map {
    let fired = json!({ "triggerId": trigger.id, "nodeId": trigger.node, "payload": event });
    Map::from_iter([(PARAM.to_owned(), fired)])
}

impl App {
    /// Starts the run of an occurrence. Its firing is written in the transaction that creates the run.
    pub(crate) fn fire(
        &self,
        trigger: &TriggerRow,
        version: (Workflow, Called),
        occurrence: Occurrence,
        now_ms: i64,
    ) -> ApiResult<String> {
        self.fire_carrying(trigger, version, occurrence, Carried::default(), now_ms)
    }

    /// [`Self::fire`] with bytes that came with the occurrence, each with its SHA-256: they are kept with the run.
    pub(crate) fn fire_with(
        &self,
        trigger: &TriggerRow,
        version: (Workflow, Called),
        occurrence: Occurrence,
        binaries: Vec<(String, Vec<u8>)>,
        now_ms: i64,
    ) -> ApiResult<String> {
        self.fire_carrying(trigger, version, occurrence, Carried { binaries, ..Carried::default() }, now_ms)
    }

    /// [`Self::fire`], and what the trigger takes with it is known from then on.
    pub(crate) fn fire_taking(
        &self,
        trigger: &TriggerRow,
        version: (Workflow, Called),
        occurrence: Occurrence,
        taken: Vec<Taken>,
        now_ms: i64,
    ) -> ApiResult<String> {
        self.fire_carrying(trigger, version, occurrence, Carried { taken, ..Carried::default() }, now_ms)
    }

    /// [`Self::fire_taking`] with bytes that came with the occurrence, each with its SHA-256.
    pub(crate) fn fire_taking_with(
        &self,
        trigger: &TriggerRow,
        version: (Workflow, Called),
        occurrence: Occurrence,
        taken: Vec<Taken>,
        binaries: Vec<(String, Vec<u8>)>,
        now_ms: i64,
    ) -> ApiResult<String> {
        self.fire_carrying(trigger, version, occurrence, Carried { binaries, taken }, now_ms)
    }

    fn fire_carrying(
        &self,
        trigger: &TriggerRow,
        (workflow, called): (Workflow, Called),
        occurrence: Occurrence,
        Carried { binaries, taken }: Carried,
        now_ms: i64,
    ) -> ApiResult<String> {
        let Occurrence { key, at_ms, is_tick, event, started_by, trace } = occurrence;
        let firing = Firing {
            trigger: trigger.id.clone(),
            version: trigger.version.clone(),
            key,
            scheduled_ms: at_ms,
            fired_ms: now_ms,
            is_tick,
            binaries,
            taken,
        };
        let record = self.fired(&firing, trigger, Actor::system(), json!({}));
        // Who may not reach addresses of this machine does not get there through a trigger, either.
        let started_by = if trigger.here { started_by } else { BY_REST };
        let origin = RunOrigin { started_by: Some(started_by.to_owned()), trace, ..RunOrigin::default() };
        let new = NewRun { params: params(trigger, event), origin, ..NewRun::default() };
        Ok(self.start_workflow(workflow, called, new, None, None, Some((firing, record)))?.run_id())
    }

    /// Starts the run of a tick.
    pub(crate) fn fire_tick(
        &self,
        trigger: &TriggerRow,
        version: (Workflow, Called),
        schedule: &Schedule,
        tick_ms: i64,
        now_ms: i64,
    ) -> ApiResult<String> {
        let occurrence = Occurrence {
            key: time::format(tick_ms),
            at_ms: tick_ms,
            is_tick: true,
            event: tick(trigger, schedule, tick_ms, now_ms, false),
            started_by: BY_SCHEDULE,
            trace: None,
        };
        self.fire(trigger, version, occurrence, now_ms)
    }

    /// A person fires a trigger now; its schedule stays as it is.
    pub(crate) fn fire_by_hand(&self, caller: &Caller, id: &str, payload: Map) -> ApiResult<StartOutcome> {
        let trigger = self.trigger_row(id)?;
        let params = if trigger.kind == MANUAL {
            // What a person gives is the run's input.
            payload
        } else {
            let mut event = Settings::read(&trigger)?.sample(&trigger, self.now_ms());
            only_known_fields(&event, &payload)?;
            event.extend(payload);
            params(&trigger, event)
        };
        let version = self.pinned_version(&trigger.version)?;
        self.fire_manual(caller, &trigger, version, params)
    }

    /// Starts the active version because a person or a program asks for it.
    pub(crate) fn fire_manual(
        &self,
        caller: &Caller,
        trigger: &TriggerRow,
        (workflow, called): (Workflow, Called),
        params: Map,
    ) -> ApiResult<StartOutcome> {
        let now = self.now_ms();
        let firing = Firing {
            trigger: trigger.id.clone(),
            version: trigger.version.clone(),
            key: format!("manual {}", uuid::Uuid::now_v7()),
            scheduled_ms: now,
            fired_ms: now,
            is_tick: false,
            binaries: Vec::new(),
            taken: Vec::new(),
        };
        let record = self.fired(&firing, trigger, caller.actor(), caller.signed(json!({ "manual": true })));
        let new = NewRun { params, origin: caller.origin(None), ..NewRun::default() };
        self.start_workflow(workflow, called, new, None, None, Some((firing, record)))
    }

    pub(crate) fn fired(&self, firing: &Firing, trigger: &TriggerRow, actor: Actor, mut facts: Value) -> Record {
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
