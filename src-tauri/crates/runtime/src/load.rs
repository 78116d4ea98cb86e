//! A run from the store: pinned definition, latest snapshot, the events after it.

use crate::error::Error;
use crate::registry::Registry;
use signalbox_engine::validate::Called;
use signalbox_engine::{Compiled, RunState, connector, fold, snapshot};
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Diagnostic, Map, RunEvent, Workflow};
use signalbox_store::{RunRow, Store};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Events that are read at once.
const PAGE: usize = 500;
/// And none after those that take so many bytes: each event of a long list has a thousand rows.
const PAGE_BYTES: usize = 1024 * 1024;

/// Field of a pinned definition: id → hash of the definition of each workflow that its steps name, directly or further in.
pub const PINNED_FILES: &str = "pinnedFiles";

/// What a run is pinned to.
#[derive(Debug, Clone)]
pub struct Pinned {
    /// The workflow with its sub-workflows.
    pub compiled: Arc<Compiled>,
    /// The text whose SHA-256 is `compiled.definition_hash`.
    pub definition: String,
    /// Definitions of the sub-workflows: hash and text.
    pub files: Vec<(String, String)>,
}

/// A workflow and its sub-workflows with the versions of their kinds written in, and the texts by whose hashes runs are
/// pinned to them.
pub(crate) fn pin(mut workflow: Workflow, called: Called, registry: &Registry) -> Result<Pinned, Vec<Diagnostic>> {
    let Called { files, problems, connectors } = called;
    // Only what the steps call: the file may have a thousand operations, and may change while the run lives.
    let kept = connectors.pinned(std::iter::once(&workflow).chain(files.values().map(AsRef::as_ref)));
    let mut used = BTreeMap::new();
    let mut texts = Vec::new();
    let mut hashes = Map::new();
    for (id, file) in files {
        let mut file = Arc::unwrap_or_clone(file);
        let text = versioned(&mut file, registry);
        let hash = sha256_hex(text.as_bytes());
        hashes.insert(id.clone(), hash.clone().into());
        texts.push((hash, text));
        used.insert(id, Arc::new(file));
    }
    // A field of this name in a person's file says nothing.
    workflow.extra.shift_remove(PINNED_FILES);
    if !hashes.is_empty() {
        workflow.extra.insert(PINNED_FILES.into(), hashes.into());
    }
    workflow.extra.shift_remove(connector::PINNED);
    if !kept.is_empty() {
        workflow.extra.insert(connector::PINNED.into(), serde_json::to_value(&kept).unwrap_or_default());
    }
    let definition = versioned(&mut workflow, registry);
    let hash = sha256_hex(definition.as_bytes());
    let called = Called { files: used, problems, connectors };
    let compiled = Compiled::with_called(Arc::new(workflow), &hash, &registry.catalog, &called)?;
    Ok(Pinned { compiled: Arc::new(compiled), definition, files: texts })
}

fn versioned(workflow: &mut Workflow, registry: &Registry) -> String {
    for node in workflow.nodes.values_mut() {
        if node.type_version.is_none() {
            node.type_version = registry.catalog.get(&node.kind).map(|descriptor| descriptor.version);
        }
    }
    // A workflow is plain data with string keys: it always has a text.
    serde_json::to_string(&workflow).unwrap_or_default()
}

/// The workflow that a run is pinned to, and the files and connectors that its steps name.
pub fn pinned_files(store: &Store, row: &RunRow) -> Result<(Workflow, Called), Error> {
    let unusable = |reason: String| Error::Definition { run: row.run_id.clone(), reason };
    let read = |hash: &str, what: &str| {
        let text = store.definition_get(hash)?;
        let text = text.ok_or_else(|| unusable(format!("{what} it was started with is not in the store")))?;
        serde_json::from_str::<Workflow>(&text).map_err(|error| unusable(error.to_string()))
    };
    let mut workflow = read(&row.definition_hash, "the workflow")?;
    let mut files = BTreeMap::new();
    for (id, hash) in
        workflow.extra.shift_remove(PINNED_FILES).as_ref().and_then(|f| f.as_object()).into_iter().flatten()
    {
        let file = read(hash.as_str().unwrap_or_default(), &format!("the sub-workflow '{id}'"))?;
        files.insert(id.clone(), Arc::new(file));
    }
    let connectors = connector::unpin(&mut workflow).map_err(unusable)?;
    Ok((workflow, Called { files, connectors, ..Called::default() }))
}

/// Compiles the definition that a run is pinned to.
pub fn definition(store: &Store, registry: &Registry, row: &RunRow) -> Result<Compiled, Error> {
    let unusable = |reason: String| Error::Definition { run: row.run_id.clone(), reason };
    let (workflow, called) = pinned_files(store, row)?;
    for file in std::iter::once(&workflow).chain(called.files.values().map(AsRef::as_ref)) {
        for (id, node) in &file.nodes {
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
    }
    Compiled::with_called(Arc::new(workflow), &row.definition_hash, &registry.catalog, &called).map_err(|found| {
        let first = found.first().map_or_else(String::new, |one| format!(" ({}: {})", one.path, one.message));
        unusable(format!("this program does not accept the workflow it was started with{first}"))
    })
}

/// The state after an event of the log.
pub(crate) fn state_at(store: &Store, compiled: &Compiled, row: &RunRow, seq: u64) -> Result<RunState, Error> {
    if seq == row.last_seq && seq > 0 {
        return state(store, compiled, row);
    }
    let mut state = RunState::new(compiled, &row.run_id, row.client_run_token.clone());
    state = state.in_trace(row.trace.as_ref().map(|trace| trace.trace_id.as_str()));
    while state.last_seq() < seq {
        let page = store.event_page(&row.run_id, state.last_seq(), PAGE, PAGE_BYTES)?;
        let before = state.last_seq();
        for event in page.events.iter().filter(|event| event.seq <= Some(seq)) {
            follow(compiled, &mut state, row, event)?;
        }
        if state.last_seq() == before {
            let reason = format!("the log ends before event {seq}, where its journal begins");
            return Err(Error::Log { run: row.run_id.clone(), seq: before, reason });
        }
    }
    Ok(state)
}

fn follow(compiled: &Compiled, state: &mut RunState, row: &RunRow, event: &RunEvent) -> Result<(), Error> {
    fold(compiled, state, event).map_err(|error| Error::Log {
        run: row.run_id.clone(),
        seq: event.seq.unwrap_or_default(),
        reason: error.to_string(),
    })
}

/// The state after the last recorded event.
pub fn state(store: &Store, compiled: &Compiled, row: &RunRow) -> Result<RunState, Error> {
    let (snapshot, first) = store.latest_state(&row.run_id, PAGE, PAGE_BYTES)?;
    let mut first = Some(first);
    let mut state = match snapshot.map(|snapshot| snapshot::decode(compiled, &snapshot.body)) {
        Some(Ok(state)) => state,
        // A snapshot of another format is no loss: the events rebuild the state.
        unusable => {
            first = first.filter(|_| unusable.is_none());
            RunState::new(compiled, &row.run_id, row.client_run_token.clone())
        }
    };
    state = state.in_trace(row.trace.as_ref().map(|trace| trace.trace_id.as_str()));
    loop {
        let page = match first.take() {
            Some(page) => page,
            None => store.event_page(&row.run_id, state.last_seq(), PAGE, PAGE_BYTES)?,
        };
        for event in &page.events {
            follow(compiled, &mut state, row, event)?;
        }
        if page.is_last {
            return Ok(state);
        }
    }
}
