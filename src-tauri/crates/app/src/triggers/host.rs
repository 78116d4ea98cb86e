//! What triggers need of the app.

use crate::app::App;
use crate::runs::new_run::NewRun;
use signalbox_engine::validate::Called;
use signalbox_model::Workflow;
use signalbox_ports::{Credential, World};
use signalbox_runtime::triggers::{TriggerError, TriggerHost, TriggerResult, TriggeredRun};
use signalbox_runtime::{Runtime, StartOutcome};
use signalbox_store::Store;
use std::sync::Arc;

impl App {
    /// This app as the host of its triggers.
    pub(crate) fn trigger_host(&self) -> &dyn TriggerHost {
        self
    }
}

impl TriggerHost for App {
    fn store(&self) -> &Store {
        &self.store
    }

    fn world(&self) -> &Arc<World> {
        &self.world
    }

    fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    fn now_ms(&self) -> i64 {
        Self::now_ms(self)
    }

    fn threads(&self) -> TriggerResult<tokio::runtime::Handle> {
        self.background().map_err(TriggerError::from)
    }

    fn credential(&self, name: &str) -> Option<Arc<Credential>> {
        self.secrets.credential_unasked(name).ok()
    }

    fn start(&self, workflow: Workflow, called: Called, run: TriggeredRun) -> TriggerResult<StartOutcome> {
        let TriggeredRun { params, origin, key, fired } = run;
        let new = NewRun { params, origin, ..NewRun::default() };
        self.start_workflow(workflow, called, new, key, None, fired).map_err(TriggerError::from)
    }

    fn started_by_request(&self) -> &'static str {
        Self::started_by_request(self)
    }
}
