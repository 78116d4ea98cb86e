//! The runtime as its users see it.

use crate::drive::{Driven, Driver, RunCreation};
use crate::error::Error;
use crate::live::{self, Follow, Subscription};
use crate::load::{self, Pinned};
use crate::options::{Kept, Options};
use crate::phase::Phase;
use crate::queue;
use crate::registry::Registry;
use crate::shared::{Core, Resumed, adopt, poll};
use serde_json::Value;
use signalbox_audit::Record;
use signalbox_engine::input::Input;
use signalbox_engine::rerun::Rerun;
use signalbox_engine::validate::Called;
use signalbox_engine::{Compiled, RunState};
use signalbox_model::debug::DebugStart;
use signalbox_model::items::pages;
use signalbox_model::{DurableInput, Map, RunEvent, RunOrigin, RunStatus, Workflow};
use signalbox_ports::{Ids, World};
use signalbox_store::audit::Actor;
use signalbox_store::{Firing, Limited, Replayed, RunKey, Store, StoreError};
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use tokio::sync::{oneshot, watch};

/// Deep expressions and pure kinds run on these threads (TRUST).
const STACK: usize = 32 * 1024 * 1024;

/// A run to start.
#[derive(Debug)]
pub struct NewRun {
    /// The workflow; see [`Runtime::pin`].
    pub pinned: Pinned,
    /// The run's input.
    pub params: Value,
    /// Initial context values besides the file's.
    pub context: Map,
    /// Who and what starts it.
    pub origin: RunOrigin,
    /// Somebody looks into it from the beginning on.
    pub debug: Option<DebugStart>,
    /// The step that it ends after.
    pub until: Option<String>,
    /// What the host keeps for the run while this process drives it.
    pub kept: Option<Kept>,
}

/// What a start with a key came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartOutcome {
    /// A new run.
    New(String),
    /// The run that was started with this key before.
    Existing(String),
    /// A new run that waits for its turn.
    Queued(String),
}

impl StartOutcome {
    /// The run, whenever it was started.
    pub fn run_id(self) -> String {
        match self {
            Self::New(run) | Self::Existing(run) | Self::Queued(run) => run,
        }
    }
}

/// What a run begins with besides its first input.
pub(crate) struct Start {
    pub(crate) run_id: String,
    pub(crate) compiled: Arc<Compiled>,
    /// None when the store has it.
    pub(crate) definition: Option<String>,
    /// Definitions of the sub-workflows: hash and text.
    pub(crate) files: Vec<(String, String)>,
    pub(crate) origin: RunOrigin,
    pub(crate) audit: Vec<Record>,
    pub(crate) kept: Option<Kept>,
    pub(crate) key: Option<RunKey>,
    pub(crate) firing: Option<Firing>,
    pub(crate) limited: Option<Limited>,
    pub(crate) replayed: Option<Replayed>,
}

/// What a start is besides a new run.
#[derive(Debug, Default)]
pub struct Origin {
    /// Where it begins, when not at its entries.
    pub begins: Option<Rerun>,
    /// What a caller names it by: the same start sent again gives the same run.
    pub key: Option<RunKey>,
    /// The trigger that fired, and the entry about it.
    pub fired: Option<(Firing, Record)>,
    /// Further entries about the start, without the id of the run.
    pub recorded: Vec<Record>,
}

/// Drives runs. Clones share it; the last one closes it.
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
}

struct Inner {
    core: Arc<Core>,
    threads: Option<tokio::runtime::Runtime>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.core.closing.send_replace(true);
        if let Some(threads) = self.threads.take() {
            // Never waits, so it may happen on any thread. Runs are then as after a crash: nothing is lost.
            threads.shutdown_background();
        }
    }
}

impl Runtime {
    /// Starts the threads. No run is taken up before [`Self::resume_all`], unless `options.adopt` says so.
    pub fn new(
        store: Store,
        registry: Registry,
        world: Arc<World>,
        ids: Arc<dyn Ids>,
        options: Options,
    ) -> std::io::Result<Self> {
        if let Some((folder, in_memory)) = &options.lists {
            // Where no file can be made, all is in memory.
            let _ = pages::keep_in(folder, *in_memory);
        }
        let workers = match options.workers {
            0 => std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8),
            workers => workers,
        };
        let threads = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(workers)
            .thread_name("signalbox-run")
            .thread_stack_size(STACK)
            .enable_all()
            .build()?;
        let core = Arc::new(Core::new(store, registry, world, ids, options, threads.handle().clone()));
        threads.spawn(poll(Arc::clone(&core)));
        if core.options.adopt {
            threads.spawn(adopt(Arc::clone(&core)));
            threads.spawn(queue::keep(Arc::clone(&core)));
        }
        Ok(Self { inner: Arc::new(Inner { core, threads: Some(threads) }) })
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.inner.core
    }

    /// The store it writes to.
    pub fn store(&self) -> &Store {
        &self.core().store
    }

    /// An id that nothing else has.
    pub fn fresh_id(&self) -> String {
        self.core().ids.run_id()
    }

    /// The kinds it knows.
    pub fn registry(&self) -> &Registry {
        &self.core().registry
    }

    /// The world that nodes see.
    pub fn world(&self) -> &Arc<World> {
        &self.core().world
    }

    /// Runs something that may wait or that needs a deep stack (validation, previews, folding) away from the caller.
    pub async fn worker<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
        match self.core().handle.spawn_blocking(work).await {
            Ok(done) => Ok(done),
            // A panic of `work` is the caller's own.
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(Error::Closing),
        }
    }

    /// Compiles a workflow for a run: versions of the kinds written in, and the texts that the run is pinned to.
    pub async fn pin(&self, workflow: Workflow) -> Result<Pinned, Error> {
        self.pin_with(workflow, Called::default()).await
    }

    /// [`Self::pin`] of a workflow with the files and the connectors that its steps name.
    pub async fn pin_with(&self, workflow: Workflow, called: Called) -> Result<Pinned, Error> {
        let core = Arc::clone(self.core());
        self.worker(move || load::pin(workflow, called, &core.registry)).await?.map_err(Error::Invalid)
    }

    /// Starts a run; returns its id as soon as its beginning is recorded, or its place in the queue.
    pub async fn start(&self, new: NewRun) -> Result<String, Error> {
        Ok(self.start_with(new, Origin::default()).await?.run_id())
    }

    /// [`Self::start`] of a run that does not begin at its entries; what it begins with holds its params and variables.
    pub async fn start_at(&self, new: NewRun, begins: Rerun) -> Result<String, Error> {
        Ok(self.start_with(new, Origin { begins: Some(begins), ..Origin::default() }).await?.run_id())
    }

    /// [`Self::start`] or [`Self::start_at`] of a run that a caller names by a key: while the key holds, the same start sent
    /// again gives the same run, in any process. The key and the run are on the disk before the answer.
    pub async fn start_once(&self, new: NewRun, begins: Option<Rerun>, key: RunKey) -> Result<StartOutcome, Error> {
        self.start_with(new, Origin { begins, key: Some(key), ..Origin::default() }).await
    }

    /// The run that was started with a key, while the key holds. Refuses a key that stands for another start.
    pub async fn started_with(&self, key: &RunKey) -> Result<Option<String>, Error> {
        let (store, key, now) = (self.core().store.clone(), key.clone(), self.core().world.clock.now_ms());
        Ok(self.worker(move || store.run_of_key(&key, now)).await??)
    }

    /// Starts a run, or puts it into the queue of its workflow. A key or a firing is written in the transaction that creates the
    /// run; a firing that was written before starts nothing.
    pub async fn start_with(&self, new: NewRun, origin: Origin) -> Result<StartOutcome, Error> {
        // Boxed: who starts a run hands it to another task, and what it holds would be copied each time.
        match Box::pin(self.start_limited(new, origin)).await {
            Err(Error::Store(StoreError::StartedBefore { run })) => Ok(StartOutcome::Existing(run)),
            other => other,
        }
    }

    pub(crate) async fn start_now(
        &self,
        new: NewRun,
        origin: Origin,
        limited: Option<Limited>,
    ) -> Result<String, Error> {
        if let Some(host) = self.takes_over(&new, &origin).cloned() {
            return self.hand_over(new, origin, limited, host).await;
        }
        let core = self.core();
        let Pinned { compiled, definition, files } = new.pinned;
        let (seed, now, started_by, debug) =
            (core.ids.seed(), core.world.clock.now_ms(), new.origin.started_by.clone(), new.debug);
        let first = match origin.begins {
            Some(rerun) => {
                let rerun = Box::new(Rerun { until: new.until, ..rerun });
                Input::Rerun { rerun, seed, started_by, debug, now }
            }
            None => {
                let (params, context, until) = (Arc::new(new.params), new.context, new.until);
                Input::Start { params, context, seed, started_by, debug, until, now }
            }
        };
        let run_id = core.ids.run_id();
        let (firing, record) = origin.fired.unzip();
        let audit = record.into_iter().chain(origin.recorded);
        let audit = audit.map(|record| Record { run_id: run_id.clone(), ..record }).collect();
        let start = Start {
            run_id,
            compiled,
            definition: Some(definition),
            files,
            origin: new.origin,
            audit,
            kept: new.kept,
            key: origin.key,
            firing,
            limited,
            replayed: None,
        };
        self.begin(start, first).await
    }

    /// Drives a new run; returns its id as soon as its beginning is recorded.
    pub(crate) async fn begin(&self, start: Start, first: Input) -> Result<String, Error> {
        let core = self.core();
        core.open()?;
        let Start { run_id, compiled, definition, files, origin, audit, kept, key, firing, limited, replayed } = start;
        // Before the run: one that was recorded always finds them.
        if !files.is_empty() {
            let store = core.store.clone();
            self.worker(move || files.iter().try_for_each(|(hash, text)| store.definition_put(hash, text))).await??;
        }
        let state = RunState::new(&compiled, &run_id, origin.client_run_token.clone())
            .in_trace(origin.trace.as_ref().map(|trace| trace.trace_id.as_str()));
        let (driven, inbox) = Driven::new(&run_id);
        let (born, creation) = oneshot::channel();
        core.runs().insert(run_id.clone(), Arc::clone(&driven));
        let trace = origin.trace.clone();
        let row = RunCreation { definition, origin, audit, key, firing, limited, replayed, born };
        let driver = Driver::new(Arc::clone(core), driven, inbox, compiled, state, kept);
        let driver = driver.in_trace(trace).with_creation(row);
        core.handle.spawn(Box::pin(driver.drive(VecDeque::from([first]))));
        match creation.await {
            Ok(outcome) => outcome.map(|()| run_id),
            Err(_) => Err(match core.faulty().get(&run_id) {
                Some(trouble) => Error::Stopped { run: run_id.clone(), trouble: trouble.clone() },
                None => Error::Closing,
            }),
        }
    }

    /// Goes on with a run that nobody drives.
    pub async fn resume(&self, run_id: &str) -> Result<Resumed, Error> {
        let (core, run) = (Arc::clone(self.core()), run_id.to_owned());
        let resumed = self.worker(move || core.resume(&run)).await?;
        if matches!(resumed, Err(Error::Queued { .. })) {
            queue::look_after(self.core(), run_id);
        }
        resumed
    }

    /// Goes on with every run that nobody drives, oldest first.
    pub async fn resume_all(&self) -> Result<Vec<(String, Result<Resumed, Error>)>, Error> {
        let core = Arc::clone(self.core());
        let own = Arc::clone(&core);
        let runs = self.worker(move || own.left_alone()).await??;
        Ok(core.resume_many(runs).await)
    }

    /// Asks a run to end, durably, whoever drives it; a run that nobody drives is taken over for it.
    pub async fn cancel(&self, run_id: &str) -> Result<(), Error> {
        self.cancel_with(run_id, DurableInput::Cancel { superseded_by: None }, None).await
    }

    /// [`Self::cancel`] by a person; `record` says who, in the transaction that keeps the wish.
    pub async fn cancel_by(&self, run_id: &str, record: Record) -> Result<(), Error> {
        self.cancel_with(run_id, DurableInput::Cancel { superseded_by: None }, Some(record)).await
    }

    pub(crate) async fn cancel_with(
        &self,
        run_id: &str,
        input: DurableInput,
        record: Option<Record>,
    ) -> Result<(), Error> {
        let (core, run_id) = (Arc::clone(self.core()), run_id.to_owned());
        self.worker(move || {
            let row = core.store.run(&run_id)?;
            if row.ended_ms.is_some() {
                return Err(Error::Ended { run: run_id, status: row.status });
            }
            if let Err(error) = core.store.add_input_with(&run_id, &input, record) {
                let row = core.store.run(&run_id)?;
                return Err(if row.ended_ms.is_some() {
                    Error::Ended { run: run_id, status: row.status }
                } else {
                    error.into()
                });
            }
            core.wake(&run_id)
        })
        .await?
    }

    /// An answer for a run was stored: whoever drives it looks at it, and if nobody does it goes on here.
    pub async fn wake(&self, run_id: &str) -> Result<(), Error> {
        let (core, run_id) = (Arc::clone(self.core()), run_id.to_owned());
        self.worker(move || core.wake(&run_id)).await?
    }

    /// The events of a run after `after`: replayed, then live.
    pub async fn subscribe(&self, run_id: &str, after: u64) -> Result<Subscription, Error> {
        let (store, id) = (self.core().store.clone(), run_id.to_owned());
        self.worker(move || store.run(&id)).await??;
        Ok(Subscription::new(Arc::clone(self.core()), run_id, after))
    }

    /// Tells those who follow the run in this process something that is stored nowhere: an event without `seq`.
    pub fn tell(&self, event: RunEvent) {
        // Nobody follows: nobody misses it.
        let _ = self.core().notices.send(Arc::new(RunEvent { seq: None, ..event }));
    }

    /// Tells `hear` what each run that this process drives has committed, in order, on the thread of that run: it goes on when
    /// `hear` returns. Several may observe.
    pub fn observe(&self, hear: impl Fn(&Arc<[RunEvent]>) + Send + Sync + 'static) {
        self.core().observers.write().unwrap_or_else(PoisonError::into_inner).push(Box::new(hear));
    }

    /// [`Self::subscribe`] by callback, on a thread of the runtime; it ends when the callback says `false`, panics, or the
    /// answer is dropped.
    pub fn follow(
        &self,
        run_id: &str,
        after: u64,
        on_events: impl FnMut(Result<Vec<RunEvent>, Error>) -> bool + Send + 'static,
    ) -> Follow {
        live::follow(Subscription::new(Arc::clone(self.core()), run_id, after), on_events)
    }

    /// Waits until a run has ended or waits for a person, whoever drives it.
    pub async fn wait(&self, run_id: &str) -> Result<RunStatus, Error> {
        let core = self.core();
        let mut changed = core.changed.subscribe();
        loop {
            let driven = core.driven(run_id);
            if let Some(driven) = driven {
                let mut phase = driven.phase.subscribe();
                drop(driven);
                let over = phase.wait_for(|phase| matches!(phase, Phase::Ended(_) | Phase::Left(_))).await;
                match over.as_deref() {
                    Ok(Phase::Ended(status)) => return Ok(*status),
                    Ok(Phase::Left(Some(trouble))) => {
                        return Err(Error::Stopped { run: run_id.to_owned(), trouble: trouble.clone() });
                    }
                    Ok(Phase::Left(None) | Phase::Driving | Phase::Suspended(_)) | Err(_) => {}
                }
            }
            core.open()?;
            changed.borrow_and_update();
            let (store, id) = (core.store.clone(), run_id.to_owned());
            let (row, driven) = self
                .worker(move || {
                    let row = store.run(&id)?;
                    let driven = row.status == RunStatus::Paused && store.drives(&row);
                    Ok::<_, StoreError>((row, driven))
                })
                .await??;
            // Another process may have taken a paused one up a moment ago, for the same reason that somebody waits here.
            if row.ended_ms.is_some() || (row.status == RunStatus::Paused && !driven) {
                return Ok(row.status);
            }
            let trouble = core.faulty().get(run_id).cloned();
            if let Some(trouble) = trouble {
                return Err(Error::Stopped { run: run_id.to_owned(), trouble });
            }
            let mut closing = core.closing.subscribe();
            tokio::select! {
                _ = changed.changed() => {}
                _ = closing.changed() => {}
            }
        }
    }

    /// Where a run stands that this process drives, or that could not go on or be taken over here.
    pub fn phase(&self, run_id: &str) -> Option<Phase> {
        let driven = self.core().driven(run_id).map(|driven| driven.phase.borrow().clone());
        let faulty = || self.core().faulty().get(run_id).map(|trouble| Phase::Left(Some(trouble.clone())));
        let waiting = || self.core().waiting().get(run_id).map(|trouble| Phase::Suspended(trouble.clone()));
        driven.or_else(faulty).or_else(waiting)
    }

    /// Follows [`Self::phase`] of a run that this process drives.
    pub fn watch_phase(&self, run_id: &str) -> Option<watch::Receiver<Phase>> {
        self.core().driven(run_id).map(|driven| driven.phase.subscribe())
    }

    /// Runs that this process drives.
    pub fn driven(&self) -> Vec<String> {
        self.core().runs().keys().cloned().collect()
    }

    /// Deletes an ended run from the store, and its artifact files. The audit chain keeps its entries and says who did it.
    pub async fn delete(&self, run_id: &str, actor: Actor) -> Result<(), Error> {
        let (core, run_id) = (Arc::clone(self.core()), run_id.to_owned());
        self.worker(move || {
            core.store.delete_run(&run_id, actor, core.world.clock.now_ms())?;
            // Most runs have none; what cannot be removed now is an orphan that nothing refers to.
            let _ = std::fs::remove_dir_all(crate::artifact::place(&core.options.artifacts, &run_id, ""));
            Ok(())
        })
        .await?
    }

    /// Where an artifact file of a run stands; the run's folder for an empty path.
    pub fn artifact(&self, run_id: &str, path: &str) -> std::path::PathBuf {
        crate::artifact::place(&self.core().options.artifacts, run_id, path)
    }

    /// Changes whenever anybody changes the store; looked at every 200 ms.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.core().changed.subscribe()
    }

    /// Stops driving: what is being written is still written, calls under way are dropped, every run is given back and
    /// goes on at the next start or in another process.
    pub async fn shutdown(&self) {
        self.core().closing.send_replace(true);
        loop {
            let next = self.core().runs().values().next().map(|driven| driven.phase.subscribe());
            let Some(mut phase) = next else { return };
            // An error means that its task is gone.
            let _ = phase.wait_for(|phase| matches!(phase, Phase::Ended(_) | Phase::Left(_))).await;
            tokio::task::yield_now().await;
        }
    }
}

/// A store error as it is told when a run is looked for.
impl Error {
    /// Whether there is no such run.
    pub fn is_unknown_run(&self) -> bool {
        matches!(self, Self::Store(StoreError::UnknownRun { .. }))
    }
}
