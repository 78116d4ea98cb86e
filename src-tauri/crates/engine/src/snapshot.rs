//! State → JSON and back. A snapshot that cannot be read is no loss: the events rebuild the state.

use crate::{compiled::Compiled, json, state::RunState};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use signalbox_model::data;
pub use signalbox_model::snapshot::SNAPSHOT_VERSION as VERSION;
use signalbox_model::snapshot::{SNAPSHOT_TYPE, SNAPSHOT_VERSION};
use std::borrow::Cow;

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

/// The envelope of [`signalbox_model::snapshot::Snapshot`] around a state of any kind: text is written and read without a
/// copy of the state as JSON in between, which would take several times its memory (ADR 62).
#[derive(Serialize, Deserialize)]
struct Envelope<'a, S> {
    #[serde(rename = "_type")]
    kind: Cow<'a, str>,
    #[serde(rename = "_version")]
    version: u32,
    definition: Cow<'a, str>,
    state: S,
}

/// Writes a state: compact JSON.
pub fn encode(compiled: &Compiled, state: &RunState) -> String {
    let envelope = Envelope {
        kind: SNAPSHOT_TYPE.into(),
        version: SNAPSHOT_VERSION,
        definition: compiled.definition_hash.as_str().into(),
        state,
    };
    // A state is plain data whose keys are text: it always has one. An empty one would be refused by `decode`.
    data::write(&envelope).unwrap_or_default()
}

/// Reads a state.
pub fn decode(compiled: &Compiled, snapshot: &str) -> Result<RunState, SnapshotError> {
    let found: Envelope<'_, IgnoredAny> = json::unbounded(snapshot)?;
    if found.kind != SNAPSHOT_TYPE || found.version != SNAPSHOT_VERSION {
        return Err(SnapshotError::Version { found: found.version });
    }
    if found.definition != compiled.definition_hash {
        return Err(SnapshotError::Definition);
    }
    let Envelope { state, .. } = json::unbounded::<Envelope<'_, RunState>>(snapshot)?;
    if state.nodes.top().len() != compiled.nodes.len() {
        return Err(SnapshotError::Definition);
    }
    Ok(state)
}
