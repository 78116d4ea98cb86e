//! What somebody asks of a run, whoever drives it: kept in the store before it is answered, and handed to the engine by the
//! process that drives the run. The JSON is what stores of earlier versions hold.

use crate::debug::DebugRequest;
use crate::task::Answer;
use crate::time::Millis;
use serde::{Deserialize, Serialize};

/// A request to a run. A later version may write others: whoever reads one that it does not know leaves it to that version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum DurableInput {
    /// The run has to end.
    Cancel {
        /// The re-run that replaces it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        superseded_by: Option<String>,
    },
    /// A person answered a task.
    Decision {
        /// The task.
        task_id: String,
        /// The answer.
        answer: Answer,
        /// The request that brought it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
    /// A person put a task on hold, or continued it.
    Hold {
        /// The task.
        task_id: String,
        /// On hold.
        held: bool,
        /// Who: `user:…`.
        operator_id: String,
        /// When, milliseconds since 1970.
        at_ms: Millis,
    },
    /// A person inspects the run.
    Debug {
        /// What is asked.
        request: DebugRequest,
        /// Who: `user:…`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        operator_id: Option<String>,
    },
}

#[cfg(test)]
mod tests;
