//! Durable inputs as inputs of the engine.

use serde_json::Value;
use signalbox_engine::input::Input;
use signalbox_model::{DurableInput, time::Millis};
use std::sync::Arc;

/// The input of the engine, with the time at which it is delivered.
pub(crate) fn to_engine(input: DurableInput, now: Millis) -> Input {
    match input {
        DurableInput::Cancel { superseded_by } => Input::Cancel { superseded_by, now },
        DurableInput::Decision { task_id, answer, request_id } => Input::Decision { task_id, answer, request_id, now },
        DurableInput::Hold { task_id, held, operator_id, at_ms } => {
            Input::Hold { task_id, held, operator_id, at: at_ms, now }
        }
        DurableInput::Debug { request, operator_id } => Input::Debug { request, operator_id, now },
    }
}

/// The first input of a run that begins with this.
pub(crate) fn first(mut begins: Value, seed: u64, now: i64) -> Input {
    let text = |name: &str| begins[name].as_str().map(str::to_owned);
    let (started_by, until) = (text("startedBy"), text("until"));
    let context = begins["context"].take();
    Input::Start {
        params: Arc::new(begins["params"].take()),
        context: context.as_object().cloned().unwrap_or_default(),
        seed,
        started_by,
        debug: None,
        until,
        now,
    }
}
