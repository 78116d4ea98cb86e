//! `trigger.error`: hands on the failure that started the run. A run that a person starts has none: it gets a sample that
//! looks the same.

use crate::fired;
use crate::{Kind, Outcome};
use serde_json::{Value, json};
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    fired::event(slot, || sample(slot))
}

fn sample(slot: &CallSlot) -> Value {
    let now = slot.scope.run.get("startedAt").cloned().unwrap_or_default();
    json!({
        "error": {
            "type": "ToolError", "message": "The server answered 503 (sample).", "retryable": true,
            "originNode": "fetch", "timestamp": now,
        },
        "run": {
            "id": null, "workflowId": "sample", "workflowName": "Sample", "startedAt": now, "endedAt": now,
            "step": { "id": "fetch", "title": "Fetch the orders" },
        },
        "link": null, "triggerId": null, "manual": true,
    })
}
