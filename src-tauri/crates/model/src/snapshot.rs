//! A run's state at one event, as kept beside the log. It only saves time: the events rebuild the same state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the format. A reader refuses others and folds the events instead.
pub const SNAPSHOT_VERSION: u32 = 6;
/// What [`Snapshot::kind`] says.
pub const SNAPSHOT_TYPE: &str = "signalbox_snapshot";

/// The envelope of a snapshot. The state inside belongs to the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Always `signalbox_snapshot`.
    #[serde(rename = "_type")]
    #[schemars(extend("const" = "signalbox_snapshot"))]
    pub kind: String,
    /// [`SNAPSHOT_VERSION`].
    #[serde(rename = "_version")]
    pub version: u32,
    /// SHA-256 of the pinned definition, hex.
    pub definition: String,
    /// The engine's state: an object that only the same version reads.
    #[schemars(extend("type" = "object"))]
    pub state: Value,
}
