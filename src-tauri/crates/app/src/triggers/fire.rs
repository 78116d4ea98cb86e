//! A person or a program fires a trigger now.

use crate::app::App;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult};
use crate::runs::new_run::NewRun;
use serde_json::json;
use signalbox_engine::trigger::MANUAL;
use signalbox_engine::validate::Called;
use signalbox_model::{Map, Workflow};
use signalbox_runtime::StartOutcome;
use signalbox_runtime::triggers::{Settings, params};
use signalbox_store::{Firing, TriggerRow};

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

impl App {
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
        let record =
            self.trigger_host().fired(&firing, trigger, caller.actor(), caller.signed(json!({ "manual": true })));
        let new = NewRun { params, origin: caller.origin(None), ..NewRun::default() };
        self.start_workflow(workflow, called, new, None, None, Some((firing, record)))
    }

    /// A trigger of an active workflow.
    pub(crate) fn trigger_row(&self, id: &str) -> ApiResult<TriggerRow> {
        self.store.trigger(id)?.ok_or_else(|| {
            let hint = format!("No active workflow has the trigger {id}; `signalbox triggers list` shows all.");
            ApiError::not_found(hint)
        })
    }
}
