//! What triggers need of the program that they run in.

use super::error::{Class, TriggerError, TriggerResult};
use crate::{PINNED_FILES, Runtime, StartOutcome, definition, state};
use serde_json::Value;
use signalbox_engine::validate::Called;
use signalbox_engine::{connector, summary};
use signalbox_model::{AuditEvent, Map, RunOrigin, RunStatus, RunSummary, Workflow, time};
use signalbox_ports::{Credential, World};
use signalbox_store::audit::{Actor, Level, RUN_LEVEL, Record};
use signalbox_store::{Firing, RunKey, Store};
use std::sync::Arc;
use tokio::task::AbortHandle;

/// The `runId` of an entry that concerns no run.
pub const STORE_LEVEL: &str = "$store";

/// A run that a trigger starts.
#[derive(Debug, Default)]
pub struct TriggeredRun {
    /// Its input.
    pub params: Map,
    /// Who and what starts it.
    pub origin: RunOrigin,
    /// With it the run is started once.
    pub key: Option<RunKey>,
    /// Written in the transaction that creates the run, with its entry.
    pub fired: Option<(Firing, Record)>,
}

/// The program that triggers run in.
pub trait TriggerHost: Send + Sync {
    /// Activations, firings and runs.
    fn store(&self) -> &Store;
    /// Folders and addresses.
    fn world(&self) -> &Arc<World>;
    /// What drives the runs.
    fn runtime(&self) -> &Runtime;
    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64;
    /// Threads for what goes on beside this.
    fn threads(&self) -> TriggerResult<tokio::runtime::Handle>;
    /// A secret that a webhook is checked with; none when it cannot be read now.
    fn credential(&self, name: &str) -> Option<Arc<Credential>>;
    /// Checks that the run can start on this machine, and starts it.
    fn start(&self, workflow: Workflow, called: Called, run: TriggeredRun) -> TriggerResult<StartOutcome>;
    /// What a run says started it that a request of another program or a form started.
    fn started_by_request(&self) -> &'static str;
}

impl dyn TriggerHost + '_ {
    /// Waits on a thread that may wait.
    pub fn wait_for<T: Send>(&self, future: impl Future<Output = T> + Send) -> TriggerResult<T> {
        Ok(self.threads()?.block_on(future))
    }

    /// Goes on beside this, until it is done or aborted.
    pub fn in_background(&self, work: impl Future<Output = ()> + Send + 'static) -> TriggerResult<AbortHandle> {
        Ok(self.threads()?.spawn(work).abort_handle())
    }

    /// An entry about this store as a whole.
    pub fn fact(&self, event: AuditEvent, level: Level, actor: Actor, facts: Value) -> Record {
        Record::new(time::format(self.now_ms()), STORE_LEVEL, RUN_LEVEL, event, level, actor)
            .with_metadata(facts.as_object().cloned().unwrap_or_default())
    }

    /// The summary of a run as it stands.
    pub fn summary_now(&self, run_id: &str) -> TriggerResult<RunSummary> {
        summary_of(self.store(), self.runtime(), run_id)
    }

    /// The run that was started with a key.
    pub fn started_before(&self, key: &RunKey) -> TriggerResult<Option<String>> {
        Ok(self.wait_for(self.runtime().started_with(key))??)
    }

    /// The workflow of a version, and its sub-workflows.
    pub fn pinned_version(&self, version: &str) -> TriggerResult<(Workflow, Called)> {
        pinned_version(self.store(), version)
    }
}

/// The summary of a run as it stands.
pub fn summary_of(store: &Store, runtime: &Runtime, run_id: &str) -> TriggerResult<RunSummary> {
    if let Some(summary) = store.summary(run_id)? {
        return Ok(summary);
    }
    let row = store.run(run_id)?;
    let compiled = definition(store, runtime.registry(), &row)?;
    let mut told = summary::of(&compiled, &state(store, &compiled, &row)?);
    if row.status == RunStatus::Queued {
        // Its log does not say so: it has none.
        told.status = row.status;
        told.started_at = time::format(row.started_ms);
    }
    Ok(told)
}

/// The workflow of a version that was activated, and its sub-workflows.
pub fn pinned_version(store: &Store, version: &str) -> TriggerResult<(Workflow, Called)> {
    let lost = |why: String| {
        let message = format!("The version {version} cannot be used: {why}.");
        TriggerError::new(Class::Invalid, "VERSION_UNUSABLE", message, "Activate the workflow again.")
    };
    let read = |hash: &str| -> TriggerResult<Workflow> {
        let text = store.definition_get(hash)?;
        let text = text.ok_or_else(|| lost("its text is not in the store".to_owned()))?;
        serde_json::from_str(&text).map_err(|error| lost(error.to_string()))
    };
    let mut workflow = read(version)?;
    let mut called = Called::default();
    if let Some(Value::Object(files)) = workflow.extra.shift_remove(PINNED_FILES) {
        for (id, hash) in files {
            called.files.insert(id, Arc::new(read(hash.as_str().unwrap_or_default())?));
        }
    }
    called.connectors = connector::unpin(&mut workflow).map_err(lost)?;
    Ok((workflow, called))
}
