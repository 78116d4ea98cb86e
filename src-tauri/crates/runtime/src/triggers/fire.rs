//! Firing: one run for one occurrence (a tick, a delivery, a file), or for a person who fires the trigger by hand.

use super::error::TriggerResult;
use super::host::{TriggerHost, TriggeredRun};
use super::kind::tick;
use serde_json::{Value, json};
use signalbox_engine::BY_SCHEDULE;
use signalbox_engine::schedule::Schedule;
use signalbox_engine::trigger::PARAM;
use signalbox_engine::validate::Called;
use signalbox_model::run_origin::{BY_REST, RunOrigin};
use signalbox_model::{AuditEvent, Map, TraceContext, Workflow, time};
use signalbox_store::audit::{Actor, Level, Record};
use signalbox_store::{Firing, Taken, TriggerRow};

/// Something that happened and starts one run.
pub struct Occurrence {
    /// Unique for the trigger: a second occurrence with the same key starts nothing (`FIRED_BEFORE`).
    pub key: String,
    /// When it happened or was due.
    pub at_ms: i64,
    /// It settles the tick at `at_ms` of a schedule.
    pub is_tick: bool,
    /// What the trigger step hands on.
    pub event: Map,
    /// What the run says started it, when nobody did by hand: [`BY_SCHEDULE`] or `BY_TRIGGER`.
    pub started_by: &'static str,
    /// The trace that the sender of a delivery told.
    pub trace: Option<TraceContext>,
}

/// What is written with the run of an occurrence, in the same transaction.
#[derive(Default)]
struct Carried {
    binaries: Vec<(String, Vec<u8>)>,
    taken: Vec<Taken>,
}

/// Codes of starts that the limits of the workflow or the quota of its workspace refuse: the next one may have room.
pub(super) const AT_LIMIT: [&str; 3] = ["RUN_LIMIT", "QUEUE_FULL", "QUOTA_REACHED"];

/// How a start that is left out is recorded: what the author chose is no fault, and what waits in vain is a warning.
pub(super) fn skip_level(code: &str) -> Level {
    match code {
        "RUN_LIMIT" => Level::Info,
        "QUEUE_FULL" | "QUOTA_REACHED" => Level::Warn,
        _ => Level::Error,
    }
}

/// The event of a trigger as a param of its run.
pub fn params(trigger: &TriggerRow, event: Map) -> Map {
    let fired = json!({ "triggerId": trigger.id, "nodeId": trigger.node, "payload": event });
    Map::from_iter([(PARAM.to_owned(), fired)])
}

impl dyn TriggerHost + '_ {
    /// Starts the run of an occurrence. Its firing is written in the transaction that creates the run.
    pub fn fire(
        &self,
        trigger: &TriggerRow,
        version: (Workflow, Called),
        occurrence: Occurrence,
        now_ms: i64,
    ) -> TriggerResult<String> {
        self.fire_carrying(trigger, version, occurrence, Carried::default(), now_ms)
    }

    /// [`Self::fire`] with bytes that came with the occurrence, each with its SHA-256: they are kept with the run.
    pub fn fire_with(
        &self,
        trigger: &TriggerRow,
        version: (Workflow, Called),
        occurrence: Occurrence,
        binaries: Vec<(String, Vec<u8>)>,
        now_ms: i64,
    ) -> TriggerResult<String> {
        self.fire_carrying(trigger, version, occurrence, Carried { binaries, ..Carried::default() }, now_ms)
    }

    /// [`Self::fire`], and what the trigger takes with it is known from then on.
    pub fn fire_taking(
        &self,
        trigger: &TriggerRow,
        version: (Workflow, Called),
        occurrence: Occurrence,
        taken: Vec<Taken>,
        now_ms: i64,
    ) -> TriggerResult<String> {
        self.fire_carrying(trigger, version, occurrence, Carried { taken, ..Carried::default() }, now_ms)
    }

    /// [`Self::fire_taking`] with bytes that came with the occurrence, each with its SHA-256.
    pub fn fire_taking_with(
        &self,
        trigger: &TriggerRow,
        version: (Workflow, Called),
        occurrence: Occurrence,
        taken: Vec<Taken>,
        binaries: Vec<(String, Vec<u8>)>,
        now_ms: i64,
    ) -> TriggerResult<String> {
        self.fire_carrying(trigger, version, occurrence, Carried { binaries, taken }, now_ms)
    }

    fn fire_carrying(
        &self,
        trigger: &TriggerRow,
        (workflow, called): (Workflow, Called),
        occurrence: Occurrence,
        Carried { binaries, taken }: Carried,
        now_ms: i64,
    ) -> TriggerResult<String> {
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
        let run = TriggeredRun { params: params(trigger, event), origin, key: None, fired: Some((firing, record)) };
        Ok(self.start(workflow, called, run)?.run_id())
    }

    /// Starts the run of a tick.
    pub fn fire_tick(
        &self,
        trigger: &TriggerRow,
        version: (Workflow, Called),
        schedule: &Schedule,
        tick_ms: i64,
        now_ms: i64,
    ) -> TriggerResult<String> {
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

    /// The entry about a firing.
    pub fn fired(&self, firing: &Firing, trigger: &TriggerRow, actor: Actor, mut facts: Value) -> Record {
        facts["triggerId"] = json!(firing.trigger);
        facts["workflowId"] = json!(trigger.workflow);
        facts["version"] = json!(firing.version);
        facts["key"] = json!(firing.key);
        facts["scheduledAt"] = json!(time::format(firing.scheduled_ms));
        self.fact(AuditEvent::TriggerFired, Level::Info, actor, facts)
    }
}
