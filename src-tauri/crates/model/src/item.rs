//! Items and the envelope of a node's input and output (requirements 2.D).

use crate::{ErrorPayload, Map};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// One piece of work that travels the wires. Data is shared, never copied, inside a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Item {
    /// Unique per node output list.
    pub id: String,
    /// Any JSON.
    pub data: Arc<Value>,
    /// Name → reference to bytes (K-37).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<IndexMap<String, BinaryRef>>,
    /// The error this item carries (K-01).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Arc<ErrorPayload>>,
    /// Index of the input item it came from, or null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paired_item: Option<usize>,
}

/// Bytes that live beside the JSON (K-37).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BinaryRef {
    /// Blob reference.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Media type.
    pub mime: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256, hex.
    pub sha256: String,
}

/// The envelope of a node's input and output (D-03).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecutionPayload {
    /// UUID.
    #[schemars(extend("format" = "uuid"))]
    pub run_id: String,
    /// The items.
    pub items: Vec<Item>,
    /// Run-wide variables.
    pub context: Map,
    /// Times and last node.
    pub meta: PayloadMeta,
}

/// `meta` of an [`ExecutionPayload`]; further keys are allowed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayloadMeta {
    /// When the trigger fired, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub start_time: String,
    /// The most recently executed node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_node: Option<String>,
    /// Further keys.
    #[serde(flatten)]
    pub extra: Map,
}

impl Item {
    /// An item without lineage.
    pub fn new(id: impl Into<String>, data: Value) -> Self {
        Self { id: id.into(), data: Arc::new(data), binary: None, error: None, paired_item: None }
    }
}
