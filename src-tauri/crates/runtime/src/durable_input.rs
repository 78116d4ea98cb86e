//! Durable inputs: what anybody may ask of a run through the store.

use serde_json::Value;
use signalbox_engine::input::Input;
use signalbox_model::time::Millis;

/// What is asked; `None` for what only another version of the program understands: it stays in the store for that one.
pub(crate) fn read(body: &Value, now: Millis) -> Option<Input> {
    let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    match body.get("type").and_then(Value::as_str)? {
        "cancel" => Some(Input::Cancel { superseded_by: text("supersededBy"), now }),
        "decision" => Some(Input::Decision {
            task_id: text("taskId")?,
            answer: body.get("answer").cloned().and_then(|answer| serde_json::from_value(answer).ok())?,
            request_id: text("requestId"),
            now,
        }),
        "hold" => Some(Input::Hold {
            task_id: text("taskId")?,
            held: body.get("held").and_then(Value::as_bool)?,
            operator_id: text("operatorId")?,
            at: body.get("atMs").and_then(Value::as_i64)?,
            now,
        }),
        "debug" => Some(Input::Debug {
            request: body.get("request").cloned().and_then(|request| serde_json::from_value(request).ok())?,
            operator_id: text("operatorId"),
            now,
        }),
        _ => None,
    }
}
