//! How a trigger looks at its source: by the code of a step, as a call of one.

use serde_json::Value;
use signalbox_engine::effect::{Call, CallKey, CallSlot, Permits};
use signalbox_engine::scope::Scope;
use signalbox_model::budget::Budget;
use signalbox_model::{Effects, Mode, Workflow};
use std::sync::Arc;

/// A call that reads, of no step of a run. `settings` are evaluated.
pub(super) fn source_call(
    kind: &str,
    settings: Value,
    scope: Scope,
    workflow: &Arc<Workflow>,
    loopback_allowed: bool,
) -> Call {
    let slot = CallSlot { item: 0, config: Arc::new(settings), input: Arc::default(), scope, sources: Vec::new() };
    Call {
        key: CallKey { path: "".into(), node: 0, item: None, visit: 1, attempt: 0, origin: None },
        node_id: "".into(),
        kind: kind.into(),
        mode: Mode::All,
        effects: Effects::Read,
        slots: vec![slot],
        timeout_ms: None,
        idempotency_key: String::new(),
        loopback_allowed,
        model: None,
        connector: None,
        workflow: Arc::clone(workflow),
        launch_id: String::new(),
        budget: Budget::default(),
        permits: Permits::default(),
        fault: None,
        run_id: "".into(),
        workflow_id: workflow.id.as_str().into(),
    }
}
