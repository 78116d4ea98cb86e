//! A run as a task of the protocol.

use serde_json::{Value, json};

const WAITS: &str = "The run waits for a person. It continues when its task in the inbox is answered.";

/// Of the summary of a run.
pub(super) fn of(run_id: &str, context: &str, summary: &Value) -> Value {
    let mut task = json!({ "id": run_id, "contextId": context, "status": status(run_id, context, summary) });
    if let Some(artifact) = artifact(summary) {
        task["artifacts"] = json!([artifact]);
    }
    task
}

/// The state of the task. A run that waits for a person is still `working` for the caller, because the person is on this side.
pub(super) fn status(run_id: &str, context: &str, summary: &Value) -> Value {
    let told = summary["status"].as_str().unwrap_or_default();
    let said = |parts: Value| message(run_id, context, told, parts);
    match told {
        "completed" => json!({ "state": "TASK_STATE_COMPLETED" }),
        "cancelled" => json!({ "state": "TASK_STATE_CANCELED" }),
        "failed" => {
            let error = &summary["error"];
            let words = error["message"].as_str().unwrap_or("The run failed.");
            json!({ "state": "TASK_STATE_FAILED", "message": said(json!([{ "text": words }, { "data": error }])) })
        }
        "paused" => json!({ "state": "TASK_STATE_WORKING", "message": said(json!([{ "text": WAITS }])) }),
        "created" | "queued" => json!({ "state": "TASK_STATE_SUBMITTED" }),
        _ => json!({ "state": "TASK_STATE_WORKING" }),
    }
}

fn message(run_id: &str, context: &str, about: &str, parts: Value) -> Value {
    json!({
        "messageId": format!("{run_id}-{about}"), "taskId": run_id, "contextId": context, "role": "ROLE_AGENT",
        "parts": parts,
    })
}

/// What happens now, while it works.
pub(super) fn working(run_id: &str, context: &str, nth: usize, words: &str) -> Value {
    let said = message(run_id, context, &nth.to_string(), json!([{ "text": words }]));
    let status = json!({ "state": "TASK_STATE_WORKING", "message": said });
    json!({ "statusUpdate": { "taskId": run_id, "contextId": context, "status": status } })
}

/// What a run that waits says.
pub(super) const fn waits() -> &'static str {
    WAITS
}

/// The output of a run that has completed: its text for people, and the data.
pub(super) fn artifact(summary: &Value) -> Option<Value> {
    if summary["status"] != "completed" {
        return None;
    }
    let output = summary["output"].as_array().map(Vec::as_slice).unwrap_or_default();
    let data = match output {
        [only @ Value::Object(_)] => only.clone(),
        items => json!({ "items": items }),
    };
    let text = match data["text"].as_str() {
        Some(text) => text.to_owned(),
        None => data.to_string(),
    };
    Some(json!({
        "artifactId": "output", "name": "output",
        "parts": [{ "text": text, "mediaType": "text/plain" }, { "data": data, "mediaType": "application/json" }],
    }))
}

/// Nothing happens to it any more.
pub(super) fn is_over(task: &Value) -> bool {
    let state = task["status"]["state"].as_str().unwrap_or_default();
    ["TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED"].contains(&state)
}
