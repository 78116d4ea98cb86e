//! A run from the store: pinned definition, latest snapshot, the events after it.

use crate::error::Error;
use crate::registry::Registry;
use signalbox_engine::{Compiled, RunState, fold, snapshot};
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Diagnostic, Workflow};
use signalbox_store::{RunRow, Store};
use std::sync::Arc;

/// Events that are read at once.
const PAGE: usize = 500;

/// A workflow with the versions of its kinds written in, and the text by whose hash runs are pinned to it.
pub(crate) fn pin(mut workflow: Workflow, registry: &Registry) -> Result<(Compiled, String), Vec<Diagnostic>> {
    for node in workflow.nodes.values_mut() {
        if node.type_version.is_none() {
            node.type_version = registry.catalog.get(&node.kind).map(|descriptor| descriptor.version);
        }
    }
    // A workflow is plain data with string keys: it always has a text.
    let text = serde_json::to_string(&workflow).unwrap_or_default();
    let compiled = Compiled::new(Arc::new(workflow), &sha256_hex(text.as_bytes()), &registry.catalog)?;
    Ok((compiled, text))
}

/// Compiles the definition that a run is pinned to.
pub(crate) fn definition(store: &Store, registry: &Registry, row: &RunRow) -> Result<Compiled, Error> {
    let unusable = |reason: String| Error::Definition { run: row.run_id.clone(), reason };
    let text = store
        .definition_get(&row.definition_hash)?
        .ok_or_else(|| unusable("the workflow it was started with is not in the store".into()))?;
    let workflow: Workflow = serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
    for (id, node) in &workflow.nodes {
        let known = registry.catalog.get(&node.kind).map(|descriptor| descriptor.version);
        if let (Some(wanted), Some(known)) = (node.type_version, known)
            && wanted != known
        {
            return Err(unusable(format!(
                "step '{id}' was started with version {wanted} of '{}', this program has version {known}",
                node.kind
            )));
        }
    }
    Compiled::new(Arc::new(workflow), &row.definition_hash, &registry.catalog).map_err(|found| {
        let first = found.first().map_or_else(String::new, |one| format!(" ({}: {})", one.path, one.message));
        unusable(format!("this program does not accept the workflow it was started with{first}"))
    })
}

/// The state after the last recorded event.
pub(crate) fn state(store: &Store, compiled: &Compiled, row: &RunRow) -> Result<RunState, Error> {
    let snapshot = store.latest_snapshot(&row.run_id)?;
    // A snapshot of another format is no loss: the events rebuild the state.
    let known = snapshot.and_then(|snapshot| snapshot::decode(compiled, &snapshot.body).ok());
    let mut state = known.unwrap_or_else(|| RunState::new(compiled, &row.run_id, row.client_run_token.clone()));
    loop {
        let page = store.events(&row.run_id, state.last_seq(), PAGE)?;
        for event in &page {
            fold(compiled, &mut state, event).map_err(|error| Error::Log {
                run: row.run_id.clone(),
                seq: event.seq.unwrap_or_default(),
                reason: error.to_string(),
            })?;
        }
        if page.len() < PAGE {
            return Ok(state);
        }
    }
}
