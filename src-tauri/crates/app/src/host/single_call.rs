//! One call of a step's code outside of runs: what the program itself sends or looks up goes through the same addresses,
//! secrets, limits and errors as in a run.

use crate::app::App;
use crate::error::ApiResult;
use serde_json::Value;
use signalbox_engine::effect::{Call, CallKey, CallSlot, Permits};
use signalbox_engine::scope::Scope;
use signalbox_model::budget::Budget;
use signalbox_model::{Connector, Effects, Mode, NodeFailure, Workflow};
use signalbox_nodes::{Kind, run_effect};
use signalbox_ports::Unheard;
use std::sync::Arc;

/// What is called.
pub(crate) struct SingleCall<'a> {
    /// The kind of step.
    pub(crate) kind: &'a str,
    /// Its settings, without expressions.
    pub(crate) settings: Value,
    pub(crate) effects: Effects,
    /// The same for each attempt of the same thing.
    pub(crate) key: String,
    /// A person on this machine allowed an address of it.
    pub(crate) here: bool,
    pub(crate) connector: Option<Arc<Connector>>,
    /// The workflow whose folders it may use; empty for none.
    pub(crate) workflow: &'a str,
}

impl SingleCall<'_> {
    /// A call of no step of a run.
    pub(crate) fn call(self) -> Call {
        let slot = CallSlot {
            item: 0,
            config: Arc::new(self.settings),
            input: Arc::default(),
            scope: Scope::empty(),
            sources: Vec::new(),
        };
        Call {
            fault: None,
            key: CallKey { path: "".into(), node: 0, item: None, visit: 1, attempt: 0, origin: None },
            node_id: "".into(),
            kind: self.kind.into(),
            mode: Mode::All,
            effects: self.effects,
            slots: vec![slot],
            timeout_ms: None,
            idempotency_key: self.key,
            loopback_allowed: self.here,
            model: None,
            connector: self.connector,
            workflow: Arc::new(Workflow::empty("signalbox", "Signalbox")),
            launch_id: String::new(),
            budget: Budget::default(),
            permits: Permits::default(),
            run_id: "".into(),
            workflow_id: self.workflow.into(),
        }
    }
}

impl App {
    /// Calls it; gives the items of its success port.
    pub(crate) fn call_once(&self, one: SingleCall<'_>) -> ApiResult<Result<Vec<Value>, NodeFailure>> {
        let Some(Kind::Effect(code)) = signalbox_nodes::kind(one.kind) else {
            return Ok(Err(NodeFailure::tool("INTERNAL", "This cannot be called by this program")));
        };
        let call = one.call();
        let Some(slot) = call.slots.first() else { return Ok(Ok(Vec::new())) };
        let world = Arc::clone(&self.world);
        let done = self.wait_for(async { run_effect(code, &call, slot, &world, &Unheard).await })?;
        Ok(done.map(|output| {
            let found = output.ports.get("success");
            let all = found.into_iter().flat_map(|items| (0..items.len()).filter_map(|index| items.data(index)));
            all.map(|answer| Value::clone(&answer)).collect()
        }))
    }
}
