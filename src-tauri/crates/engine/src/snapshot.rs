//! State → JSON and back. A snapshot that cannot be read is no loss: the events rebuild the state.

use crate::{compiled::Compiled, state::RunState};
use serde_json::Value;
pub use signalbox_model::snapshot::SNAPSHOT_VERSION as VERSION;
use signalbox_model::snapshot::{SNAPSHOT_TYPE, SNAPSHOT_VERSION, Snapshot};

/// Why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// Another format version.
    #[error("the snapshot has format {found}, this program reads {SNAPSHOT_VERSION}")]
    Version {
        /// What it says.
        found: u32,
    },
    /// Another definition.
    #[error("the snapshot belongs to another definition of the workflow")]
    Definition,
    /// Not a snapshot.
    #[error("the snapshot cannot be read: {0}")]
    Broken(#[from] serde_json::Error),
}

/// Writes a state.
pub fn encode(compiled: &Compiled, state: &RunState) -> Value {
    // The envelope of [`Snapshot`] by hand: through serde, the whole state would be copied a second time.
    let mut snapshot = signalbox_model::Map::new();
    snapshot.insert("_type".into(), SNAPSHOT_TYPE.into());
    snapshot.insert("_version".into(), SNAPSHOT_VERSION.into());
    snapshot.insert("definition".into(), compiled.definition_hash.as_str().into());
    snapshot.insert("state".into(), serde_json::to_value(state).unwrap_or_default());
    Value::Object(snapshot)
}

/// Reads a state.
pub fn decode(compiled: &Compiled, snapshot: &Value) -> Result<RunState, SnapshotError> {
    let snapshot: Snapshot = serde_json::from_value(snapshot.clone())?;
    if snapshot.kind != SNAPSHOT_TYPE || snapshot.version != SNAPSHOT_VERSION {
        return Err(SnapshotError::Version { found: snapshot.version });
    }
    if snapshot.definition != compiled.definition_hash {
        return Err(SnapshotError::Definition);
    }
    let state: RunState = serde_json::from_value(snapshot.state)?;
    if state.nodes.top().len() != compiled.nodes.len() {
        return Err(SnapshotError::Definition);
    }
    Ok(state)
}
