//! What routes take and give that no command does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_app::ApiError;
use signalbox_model::Map;
use signalbox_model::debug::Breakpoint;

/// The server answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// `ok`.
    pub(crate) status: String,
    /// Version of the program.
    pub(crate) version: String,
}

/// Starts a run of a stored workflow.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RunRequest {
    /// Id of the workflow.
    pub(crate) workflow: String,
    /// The run's input.
    #[serde(default)]
    pub(crate) params: Map,
    /// The client's own name for the run: comes back on every event, and means nothing else. To send a start again without a
    /// second run, name it by the header Idempotency-Key.
    #[serde(default)]
    pub(crate) client_run_token: Option<String>,
    /// Before which calls it stops; for builders.
    #[serde(default)]
    pub(crate) breakpoints: Vec<Breakpoint>,
    /// It stops before its first call; for builders.
    #[serde(default)]
    pub(crate) paused: bool,
    /// The step, at the top, that it ends after: what does not lead to it does not run; for builders.
    #[serde(default)]
    pub(crate) until: Option<String>,
    /// A checkpoint of another program that it begins at; for builders.
    #[serde(default)]
    pub(crate) checkpoint: Option<Value>,
    /// What is changed of the checkpoint: `$name` is a variable, `_name` a local one, `name` a param.
    #[serde(default)]
    pub(crate) overrides: Map,
}

/// Activates a workflow of the library.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ActivationRequest {
    /// A version that was active before, instead of what the file holds now.
    #[serde(default)]
    pub(crate) version: Option<String>,
}

/// An entry was recorded.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Recorded {
    /// `ok`.
    pub(crate) status: String,
}

/// Every answer that is no success.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Failure {
    /// What happened and what to do next.
    pub(crate) error: ApiError,
}
