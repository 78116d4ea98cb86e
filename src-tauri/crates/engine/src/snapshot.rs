//! State → JSON and back. A snapshot that cannot be read is no loss: the events rebuild the state.

use crate::{compiled::Compiled, state::RunState};
use serde_json::{Value, json};

/// Version of the format. A reader refuses others and folds the events instead.
pub const VERSION: u32 = 1;

/// Why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// Another format version.
    #[error("the snapshot has format {found}, this program reads {VERSION}")]
    Version {
        /// What it says.
        found: u64,
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
    json!({
        "_type": "signalbox_snapshot",
        "_version": VERSION,
        "definition": compiled.definition_hash,
        "state": serde_json::to_value(state).unwrap_or_default(),
    })
}

/// Reads a state.
pub fn decode(compiled: &Compiled, snapshot: &Value) -> Result<RunState, SnapshotError> {
    let version = snapshot.get("_version").and_then(Value::as_u64).unwrap_or_default();
    if version != u64::from(VERSION) {
        return Err(SnapshotError::Version { found: version });
    }
    if snapshot.get("definition").and_then(Value::as_str) != Some(&compiled.definition_hash) {
        return Err(SnapshotError::Definition);
    }
    let state: RunState = serde_json::from_value(snapshot.get("state").cloned().unwrap_or_default())?;
    if state.nodes.len() != compiled.nodes.len() {
        return Err(SnapshotError::Definition);
    }
    Ok(state)
}
