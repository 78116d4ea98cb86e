//! A step whose call asks back: the tool or the agent needs something from a person before it can continue. The step ends its
//! call with [`INPUT_REQUIRED`] and what it continues with, a person answers a task, and the step is called again with the answer.

use serde_json::Value;
use signalbox_model::ErrorPayload;

/// Code of a step that waits for the answer to such a question.
pub const INPUT_REQUIRED: &str = "INPUT_REQUIRED";
/// The field of the error's details that holds the question: `from`, `message`, `schema`, `ttlMs`, [`LIVE`].
pub const QUESTION: &str = "question";
/// In the question: who asks waits over a connection of this process. The run stays with the process while the question is open,
/// and another process that takes it over ends the question.
pub const LIVE: &str = "live";

/// The question of an error; `None` for every other error.
pub(crate) fn of(error: &ErrorPayload) -> Option<&Value> {
    (error.code() == INPUT_REQUIRED).then(|| error.details.as_ref()?.get(QUESTION)).flatten()
}

/// Whether the error is a question that no other process could pass an answer to.
pub(crate) fn is_live(error: &ErrorPayload) -> bool {
    of(error).and_then(|question| question.get(LIVE)).is_some_and(|live| live == true)
}
