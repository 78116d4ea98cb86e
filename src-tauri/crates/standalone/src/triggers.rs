//! Triggers of the workflow: while the program serves, it fires them with the code of Signalbox.

mod forms;
mod hooks;

use crate::args;
use crate::carried;
use crate::failure::Failure;
use crate::follow::STACK;
use crate::host::Host;
use crate::needs;
use crate::output::Output;
use axum::Router;
use serde_json::{Value, json};
use signalbox_adapters::RealClock;
use signalbox_engine::validate::Called;
use signalbox_engine::{BY_TRIGGER, params};
use signalbox_model::bundle::Bundle;
use signalbox_model::run_origin::BY_REST;
use signalbox_model::{AuditEvent, Map, Workflow};
use signalbox_ports::{Credential, World};
use signalbox_runtime::run_masks::RunMasks;
use signalbox_runtime::triggers::{
    Class, LOOK, Scheduler, TriggerError, TriggerHost, TriggerResult, TriggeredRun, summary_of, triggers_of,
};
use signalbox_runtime::{NewRun, Origin, Runtime, StartOutcome, pinned_files};
use signalbox_store::audit::{Actor, Level};
use signalbox_store::{Activation, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// This program as the host of its triggers.
pub(crate) struct Fires {
    host: Host,
    /// Of the runs that triggers start.
    params: Map,
    /// The workflow that has the triggers.
    workflow: String,
    /// Others reach its port.
    is_public: bool,
    threads: tokio::runtime::Handle,
}

impl TriggerHost for Fires {
    fn store(&self) -> &Store {
        &self.host.store
    }

    fn world(&self) -> &Arc<World> {
        self.host.runtime.world()
    }

    fn runtime(&self) -> &Runtime {
        &self.host.runtime
    }

    fn now_ms(&self) -> i64 {
        self.host.now_ms()
    }

    fn threads(&self) -> TriggerResult<tokio::runtime::Handle> {
        Ok(self.threads.clone())
    }

    fn credential(&self, name: &str) -> Option<Arc<Credential>> {
        self.host.secrets.known(name)
    }

    fn start(&self, mut workflow: Workflow, called: Called, run: TriggeredRun) -> TriggerResult<StartOutcome> {
        for node in workflow.nodes.values_mut() {
            // What a trigger starts calls every step, whatever its definition says.
            (node.pinned, node.fault) = (None, None);
        }
        let mut given = if workflow.id == self.workflow { self.params.clone() } else { Map::new() };
        given.extend(run.params);
        let given = params::complete(&workflow, &Value::Object(given));
        let problems = params::check(&workflow, &given);
        if let Some(first) = problems.first() {
            let error = TriggerError::new(Class::Invalid, "UNFIT_PARAMS", first.message.clone(), first.hint.clone());
            return Err(error.with(json!({ "diagnostics": problems })));
        }
        let host: &dyn TriggerHost = self;
        let runtime = self.host.runtime.clone();
        host.wait_for(async move {
            let pinned = runtime.pin_with(workflow, called).await?;
            let new = NewRun {
                pinned,
                params: given,
                context: Map::new(),
                origin: run.origin,
                debug: None,
                until: None,
                kept: None,
            };
            let origin = Origin { key: run.key, fired: run.fired, ..Origin::default() };
            Ok(runtime.start_with(new, origin).await?)
        })?
    }

    fn started_by_request(&self) -> &'static str {
        // Who sends requests from elsewhere may not reach addresses of this machine.
        if self.is_public { BY_REST } else { BY_TRIGGER }
    }
}

impl Fires {
    /// Works on a thread whose stack deep expressions fit into.
    async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> TriggerResult<T> + Send + 'static,
    ) -> TriggerResult<T> {
        let (this, (send, done)) = (Arc::clone(self), tokio::sync::oneshot::channel());
        let thread = std::thread::Builder::new().name("request".into()).stack_size(STACK);
        // Nobody waits any more when the request was given up.
        let started = thread.spawn(move || drop(send.send(work(&this))));
        let fault = |why: String| TriggerError::unavailable("INTERNAL", why, "Send it again later.");
        started.map_err(|error| fault(format!("The system gives no thread: {error}.")))?;
        done.await.unwrap_or_else(|_| Err(fault("The program met a fault.".into())))
    }

    /// What a run came to, for who is not a person of this machine: masked.
    async fn outcome(self: &Arc<Self>, run: String) -> TriggerResult<Value> {
        self.blocking(move |this| {
            let store = &this.host.store;
            let mut summary = json!(summary_of(store, &this.host.runtime, &run)?);
            let row = store.run(&run)?;
            let (workflow, called) = pinned_files(store, &row)?;
            let workflows: Vec<Arc<Workflow>> =
                std::iter::once(Arc::new(workflow)).chain(called.files.into_values()).collect();
            let mut masks = RunMasks::new(&workflows);
            masks.advance(store, &run, row.last_seq)?;
            masks.summary(&mut summary);
            Ok(summary)
        })
        .await
    }
}

/// The triggers of the workflow fire until this ends.
pub(crate) struct Firing {
    fires: Arc<Fires>,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Firing {
    /// Activates the workflow and begins.
    pub(crate) async fn begin(
        host: &Host,
        bundle: &Bundle,
        given: &args::Serve,
        output: &Output,
    ) -> Result<Self, Failure> {
        let (workflow, called) = carried::workflows(bundle, &host.runtime.registry().catalog)?;
        let params = given.params.as_deref().map(crate::runs::given).transpose()?.unwrap_or_default();
        needs::params(bundle, &params)?;
        let complete = params::complete(&workflow, &Value::Object(params.clone()));
        if let Some(first) = params::check(&workflow, &complete).first() {
            return Err(Failure::invalid("BAD_PARAM", first.message.clone(), first.hint.clone()));
        }
        let fires = Arc::new(Fires {
            host: host.clone(),
            params,
            workflow: workflow.id.clone(),
            is_public: given.listen.is_some_and(|ip| !ip.is_loopback()),
            threads: tokio::runtime::Handle::current(),
        });
        activate(&fires, workflow, called).await?;
        let is_over = Arc::new(AtomicBool::new(false));
        let (own, over, output) = (Arc::clone(&fires), Arc::clone(&is_over), *output);
        let thread = std::thread::Builder::new().name("triggers".into()).stack_size(STACK);
        let thread =
            thread.spawn(move || fire(own.as_ref(), &over, &output)).map_err(|error| Failure::no_thread(&error))?;
        Ok(Self { fires, is_over, thread })
    }

    /// `/hooks/…` and `/forms/…`.
    pub(crate) fn routes(&self) -> Router {
        hooks::routes(&self.fires).merge(forms::routes(&self.fires))
    }

    /// No trigger fires any more when this has ended.
    pub(crate) async fn end(self) {
        self.is_over.store(true, Ordering::Release);
        self.thread.thread().unpark();
        // A look that is under way needs the threads of this program.
        drop(tokio::task::spawn_blocking(move || self.thread.join()).await);
    }
}

/// Fires what is due until it is over.
fn fire(host: &dyn TriggerHost, is_over: &AtomicBool, output: &Output) {
    let (mut scheduler, mut told) = (Scheduler::default(), None);
    while !is_over.load(Ordering::Acquire) {
        let pause = match scheduler.pass(host, &RealClock) {
            Ok(pause) => {
                told = None;
                pause
            }
            Err(error) => {
                // Once, not at every look.
                if told.as_ref() != Some(&error.code) {
                    output.aside(&format!("Triggers: {} {}", error.message, error.hint));
                    told = Some(error.code);
                }
                LOOK
            }
        };
        std::thread::park_timeout(pause);
    }
}

/// Makes the carried workflow the active one of the data folder, unless it is already.
async fn activate(fires: &Arc<Fires>, workflow: Workflow, called: Called) -> Result<(), Failure> {
    let (id, name, triggers) = (workflow.id.clone(), workflow.name.clone(), triggers_of(&workflow, |_| false));
    let pinned = fires.host.runtime.pin_with(workflow, called).await?;
    let version = pinned.compiled.definition_hash.clone();
    let done = fires.blocking(move |this| {
        let store = &this.host.store;
        if store.activation(&id)?.is_some_and(|active| active.active && active.version == version) {
            return Ok(());
        }
        for (hash, text) in &pinned.files {
            store.definition_put(hash, text)?;
        }
        let ids: Vec<&str> = triggers.iter().map(|trigger| trigger.id.as_str()).collect();
        let person = crate::runs::os_user();
        let facts = json!({ "workflowId": id, "name": name, "version": version, "triggers": ids });
        let host: &dyn TriggerHost = this;
        let record = host.fact(AuditEvent::WorkflowActivated, Level::Info, Actor::operator(&person), facts);
        let new =
            Activation { workflow: id.clone(), name, version, active: true, here: true, person, at_ms: this.now_ms() };
        Ok(store.activate(new, pinned.definition, triggers, record)?)
    });
    done.await.map_err(Failure::from)
}
