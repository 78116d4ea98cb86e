//! What the commands about steps that ask a source take and give.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Asks the source of a step once.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PollTest {
    /// Id of the workflow.
    pub workflow_id: String,
    /// The step.
    pub node_id: String,
    /// Its settings.
    pub config: Value,
    /// The workflow as it is edited, for the default values of its params and the workflows that it names; that of the library when absent.
    #[serde(default)]
    pub document: Option<Value>,
}

/// What a source lists.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PollTested {
    /// The first items, at most 100.
    pub items: Vec<PollItem>,
    /// How many there are.
    pub total: u64,
    /// The largest cursor, where the settings have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Value>,
    /// The run that listed them, where the source is a workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// An item of a source.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PollItem {
    /// As the source lists it.
    pub item: Value,
    /// The active trigger has taken it already.
    pub seen: bool,
}
