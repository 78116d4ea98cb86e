//! What the commands about webhook steps take and give.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::{Diagnostic, Map};

/// Asks for the address of a webhook step.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookPreviewRequest {
    /// Settings of a webhook step.
    pub config: Value,
}

/// The address of a webhook step.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookPreview {
    /// The address that starts runs while the workflow is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The address for tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_address: Option<String>,
    /// This process answers requests at these addresses.
    pub answers: bool,
    /// What is wrong with the settings; `path` points into them.
    pub diagnostics: Vec<Diagnostic>,
}

/// Listens for one request at the test address of a webhook step.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookListen {
    /// Id of the workflow.
    pub workflow_id: String,
    /// The step.
    pub node_id: String,
    /// Its settings.
    pub config: Value,
}

/// Somebody listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookListening {
    /// Names the listener.
    pub listen_id: String,
    /// Where to send the request.
    pub address: String,
    /// When it ends by itself, RFC 3339.
    pub ends_at: String,
}

/// Names a listener.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookListener {
    /// What `hook_listen` gave.
    pub listen_id: String,
}

/// Where a listener stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HookState {
    /// Nothing was received yet.
    Listening,
    /// A request was received.
    Received,
    /// Nobody listens any more.
    Ended,
}

/// What a listener has received.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookHeard {
    /// Where it stands.
    pub state: HookState,
    /// The event, as the webhook step would hand it on. Bytes of files are not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<Map>,
    /// Requests that were refused for their credentials or signature.
    pub refused: u32,
    /// Why the last of them was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
