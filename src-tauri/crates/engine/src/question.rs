//! A step whose call asks back: the tool or the agent needs something from a person before it can continue. The step ends its
//! call with [`INPUT_REQUIRED`] and what it continues with, a person answers a task, and the step is called again with the answer.

use serde_json::Value;
use signalbox_model::ErrorPayload;

/// Code of a step that waits for the answer to such a question.
pub const INPUT_REQUIRED: &str = "INPUT_REQUIRED";
/// The field of the error's details that holds the question: `from`, `message`, `schema`, `ttlMs`.
pub const QUESTION: &str = "question";

/// The question of an error; `None` for every other error.
pub(crate) fn of(error: &ErrorPayload) -> Option<&Value> {
    (error.code() == INPUT_REQUIRED).then(|| error.details.as_ref()?.get(QUESTION)).flatten()
}
