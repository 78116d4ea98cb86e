//! Durable inputs as inputs of the engine.

use signalbox_engine::input::Input;
use signalbox_model::{DurableInput, time::Millis};

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
