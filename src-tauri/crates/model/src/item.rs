//! Items and the envelope of a node's input and output (requirements 2.D).

use crate::{ErrorPayload, Map};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc};

/// One piece of work that travels the wires. Data is shared, never copied, inside a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Item {
    /// Unique per node output list.
    pub id: String,
    /// Any JSON.
    pub data: Arc<Value>,
    /// Name → reference to bytes (K-37).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<Binaries>,
    /// The error this item carries (K-01).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Arc<ErrorPayload>>,
    /// Index of the input item it came from, or null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paired_item: Option<usize>,
}

/// Name → reference to bytes, in the order in which they came.
pub type Binaries = IndexMap<String, BinaryRef>;

/// Bytes that live beside the JSON (K-37). Only in [`Item::binary`] is it one that is resolved: the same fields inside
/// data are a description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BinaryRef {
    /// Names the bytes within the run: their SHA-256.
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

impl BinaryRef {
    /// Bytes that the run keeps under their hash.
    pub fn new(sha256: String, mime: impl Into<String>, size: u64) -> Self {
        Self { reference: sha256.clone(), mime: mime.into(), size, sha256 }
    }

    /// What stands in data where the bytes would be, for expressions and people.
    pub fn description(&self) -> Value {
        json!({ "ref": self.reference, "mime": self.mime, "size": self.size, "sha256": self.sha256 })
    }
}

/// The bytes of several items as those of one; a name that stands there already is counted on: `photo`, `photo_2`.
pub fn together<'a>(items: impl IntoIterator<Item = &'a Binaries>) -> Option<Binaries> {
    let mut all = Binaries::new();
    // How far each name was counted: many items have the same one.
    let mut counted: HashMap<&str, usize> = HashMap::new();
    for (name, bytes) in items.into_iter().flatten() {
        let number = counted.entry(name).or_default();
        let free = loop {
            *number += 1;
            let free = if *number == 1 { name.clone() } else { format!("{name}_{number}") };
            if !all.contains_key(&free) {
                break free;
            }
        };
        all.insert(free, bytes.clone());
    }
    (!all.is_empty()).then_some(all)
}

impl Item {
    /// An item without lineage.
    pub fn new(id: impl Into<String>, data: Value) -> Self {
        Self { id: id.into(), data: Arc::new(data), binary: None, error: None, paired_item: None }
    }
}

#[cfg(test)]
mod tests;
