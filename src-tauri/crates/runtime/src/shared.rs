//! What the tasks of a runtime share: which runs are driven here, and how a run that nobody drives is taken over.

use crate::drive::{Driven, Driver};
use crate::error::{Error, Trouble};
use crate::load;
use crate::options::Options;
use crate::phase::Phase;
use crate::registry::Registry;
use crate::run_host::RunHost;
use crate::trace::Tracer;
use signalbox_engine::Compiled;
use signalbox_engine::input::Input;
use signalbox_model::{RunEvent, RunStatus};
use signalbox_ports::{Ids, World};
use signalbox_store::failpoint::{Point, pass};
use signalbox_store::{HandedRun, RunRow, Store, StoreError};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{broadcast, watch};

/// So many runs are taken over side by side: their commits go to the disk together.
const TOGETHER: usize = 16;
/// Of these, so many at once in one transaction.
const AT_ONCE: usize = 16;
/// Notices that a slow follower may be behind; what it misses is lost, as the kind of event says.
const NOTICES: usize = 64;
/// Definitions that are kept after their last run.
const LAST_USED: usize = 2;

/// What `resume` found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumed {
    /// Nobody drove it; it goes on here.
    TakenOver,
    /// This process drives it already.
    DrivenHere,
}

/// What tasks share. It does not own the threads, so a task never has to wait for itself.
/// See [`crate::Runtime::observe`].
pub(crate) type Observer = Box<dyn Fn(&Arc<[RunEvent]>) + Send + Sync>;

pub(crate) struct Core {
    pub(crate) store: Store,
    pub(crate) registry: Registry,
    pub(crate) world: Arc<World>,
    pub(crate) options: Options,
    pub(crate) handle: Handle,
    /// Counts changes of the store by anybody.
    pub(crate) changed: watch::Sender<u64>,
    pub(crate) closing: watch::Sender<bool>,
    /// What is told to those who follow a run, and stored nowhere.
    pub(crate) notices: broadcast::Sender<Arc<RunEvent>>,
    /// They hear what every run of this process has committed.
    pub(crate) observers: RwLock<Vec<Observer>>,
    /// See [`crate::Runtime::trace_calls`].
    pub(crate) tracer: OnceLock<Tracer>,
    /// See [`crate::Runtime::hand_runs_to`].
    pub(crate) run_host: OnceLock<Arc<dyn RunHost>>,
    pub(crate) ids: Arc<dyn Ids>,
    runs: Mutex<BTreeMap<String, Arc<Driven>>>,
    /// Runs that could not go on here; `adopt` leaves them alone.
    faulty: Mutex<BTreeMap<String, Trouble>>,
    /// Runs that could not be taken over here as long as nothing can be written; `adopt` tries them again.
    waiting: Mutex<BTreeMap<String, Trouble>>,
    /// Definitions that driven runs are pinned to, by their hash.
    definitions: Mutex<Definitions>,
}

/// Definitions that are in use, and those that were used last: a look at many ended runs of one workflow compiles it once.
#[derive(Default)]
struct Definitions {
    used: BTreeMap<String, Weak<Compiled>>,
    last: VecDeque<Arc<Compiled>>,
}

impl Definitions {
    fn get(&mut self, hash: &str) -> Option<Arc<Compiled>> {
        let found = self.used.get(hash).and_then(Weak::upgrade)?;
        self.keep(&found);
        Some(found)
    }

    fn insert(&mut self, hash: &str, compiled: &Arc<Compiled>) {
        self.used.retain(|_, compiled| compiled.strong_count() > 0);
        self.used.insert(hash.to_owned(), Arc::downgrade(compiled));
        self.keep(compiled);
    }

    fn keep(&mut self, compiled: &Arc<Compiled>) {
        if !self.last.iter().any(|one| Arc::ptr_eq(one, compiled)) {
            self.last.push_back(Arc::clone(compiled));
            if self.last.len() > LAST_USED {
                self.last.pop_front();
            }
        }
    }
}

impl Core {
    /// Whether anybody hears what runs commit.
    pub(crate) fn is_observed(&self) -> bool {
        !self.observers.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Tells each observer what a run has committed.
    pub(crate) fn tell_observers(&self, events: &Arc<[RunEvent]>) {
        for hear in self.observers.read().unwrap_or_else(PoisonError::into_inner).iter() {
            hear(events);
        }
    }

    pub(crate) fn new(
        store: Store,
        registry: Registry,
        world: Arc<World>,
        ids: Arc<dyn Ids>,
        options: Options,
        handle: Handle,
    ) -> Self {
        Self {
            store,
            registry,
            world,
            options,
            handle,
            changed: watch::channel(0).0,
            closing: watch::channel(false).0,
            notices: broadcast::channel(NOTICES).0,
            observers: RwLock::default(),
            tracer: OnceLock::new(),
            run_host: OnceLock::new(),
            ids,
            runs: Mutex::default(),
            faulty: Mutex::default(),
            waiting: Mutex::default(),
            definitions: Mutex::default(),
        }
    }

    pub(crate) fn runs(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Driven>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn faulty(&self) -> MutexGuard<'_, BTreeMap<String, Trouble>> {
        self.faulty.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn waiting(&self) -> MutexGuard<'_, BTreeMap<String, Trouble>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers why a run was not taken over that will be.
    fn noted(&self, run_id: &str, outcome: Result<Resumed, Error>) -> Result<Resumed, Error> {
        let trouble = match &outcome {
            Err(Error::Store(StoreError::DiskFull)) => Some(Trouble::DiskFull),
            Err(Error::Store(
                error @ (StoreError::Sqlite { .. } | StoreError::Unreachable { .. } | StoreError::Busy),
            )) => Some(Trouble::Store(error.to_string())),
            _ => None,
        };
        let is_driven = self.driven(run_id).is_some();
        let mut waiting = self.waiting();
        match trouble {
            // Somebody else here may have taken it over at the same time.
            Some(trouble) if !is_driven => _ = waiting.insert(run_id.to_owned(), trouble),
            _ => _ = waiting.remove(run_id),
        }
        outcome
    }

    pub(crate) fn driven(&self, run_id: &str) -> Option<Arc<Driven>> {
        self.runs().get(run_id).cloned()
    }

    /// Whether there is only one driven run.
    pub(crate) fn drives_one(&self) -> bool {
        self.runs().len() == 1
    }

    /// The task of a run is over.
    pub(crate) fn forget(&self, driven: &Driven, phase: &Phase) {
        if let Phase::Left(Some(trouble)) = phase {
            self.faulty().insert(driven.run_id.clone(), trouble.clone());
        }
        let mut runs = self.runs();
        // Somebody here may have taken it over again meanwhile.
        if runs.get(&driven.run_id).is_some_and(|one| std::ptr::eq(&raw const **one, driven)) {
            runs.remove(&driven.run_id);
        }
    }

    pub(crate) fn open(&self) -> Result<(), Error> {
        if *self.closing.borrow() { Err(Error::Closing) } else { Ok(()) }
    }

    /// Takes a run over and goes on with it. Waits for the store and folds: on a blocking thread only.
    pub(crate) fn resume(self: &Arc<Self>, run_id: &str) -> Result<Resumed, Error> {
        let outcome = self.take_over(run_id);
        self.noted(run_id, outcome)
    }

    fn take_over(self: &Arc<Self>, run_id: &str) -> Result<Resumed, Error> {
        self.open()?;
        if self.driven(run_id).is_some() {
            return Ok(Resumed::DrivenHere);
        }
        let row = self.store.run(run_id)?;
        if row.ended_ms.is_some() {
            return Err(Error::Ended { run: run_id.to_owned(), status: row.status });
        }
        let taken = self.store.take_over_all(vec![run_id.to_owned()])?.pop().unwrap_or(Err(StoreError::Closed))?;
        self.taken_over(run_id, taken)
    }

    /// Goes on with a run of which this is the row after it was taken over, if it was.
    fn taken_over(self: &Arc<Self>, run_id: &str, taken: Option<RunRow>) -> Result<Resumed, Error> {
        let Some((row, owner)) = taken.and_then(|row| row.owner.clone().map(|owner| (row, owner))) else {
            let row = self.store.run(run_id)?;
            return match () {
                () if row.ended_ms.is_some() => Err(Error::Ended { run: run_id.to_owned(), status: row.status }),
                () if row.status == RunStatus::Queued => Err(Error::Queued { run: run_id.to_owned() }),
                () if row.handed_to.is_some() => {
                    // Who came here has something for the run to do.
                    if let Some(host) = self.run_host.get() {
                        let is_driven = self.store.drives(&row);
                        let run_id = run_id.to_owned();
                        host.begin(HandedRun { run_id, epoch: row.epoch, is_driven, is_asked: true });
                    }
                    Err(Error::DrivenElsewhere { run: run_id.to_owned() })
                }
                () if row.owner.is_some_and(|owner| owner.instance == self.store.instance()) => Ok(Resumed::DrivenHere),
                () => Err(Error::DrivenElsewhere { run: run_id.to_owned() }),
            };
        };
        pass(Point::TakenOver);
        if let Err(error) = self.open() {
            // Nobody drives it here any more, and this process may live on.
            let _ = self.store.release(run_id, &owner);
            return Err(error);
        }
        let loaded = self.definition(&row).and_then(|compiled| {
            let state = load::state(&self.store, &compiled, &row)?;
            let first = match row.last_seq {
                0 => self.first_of_queued(&row)?,
                _ => Input::Resume { now: self.world.clock.now_ms() },
            };
            Ok((compiled, state, first))
        });
        let (compiled, state, first) = match loaded {
            Ok(loaded) => loaded,
            Err(error) => {
                // Another program may be able to; if this cannot be written, the end of this process frees it.
                let _ = self.store.release(run_id, &owner);
                // A transient failure is tried again.
                if !matches!(
                    error,
                    Error::Store(StoreError::DiskFull | StoreError::Busy | StoreError::Unreachable { .. })
                ) {
                    self.faulty().insert(run_id.to_owned(), Trouble::Fault(error.to_string()));
                }
                return Err(error);
            }
        };
        self.faulty().remove(run_id);
        let (driven, inbox) = Driven::new(run_id);
        self.runs().insert(run_id.to_owned(), Arc::clone(&driven));
        let kept = self.options.beside.of(run_id);
        let driver = Driver::new(Arc::clone(self), driven, inbox, compiled, state, kept);
        let driver = driver.in_trace(row.trace).in_workspace(row.workspace).taken_over(owner);
        let first = VecDeque::from([first]);
        self.handle.spawn(Box::pin(driver.drive(first)));
        Ok(Resumed::TakenOver)
    }

    /// The definition of a run, compiled once for all runs of it that are driven at the same time.
    pub(crate) fn definition(&self, row: &RunRow) -> Result<Arc<Compiled>, Error> {
        let known = || self.definitions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiled) = known().get(&row.definition_hash) {
            return Ok(compiled);
        }
        let compiled = Arc::new(load::definition(&self.store, &self.registry, row)?);
        known().insert(&row.definition_hash, &compiled);
        Ok(compiled)
    }

    /// [`Self::resume`] of a few, which are taken over in one transaction; the answers in their order.
    fn resume_part(self: &Arc<Self>, runs: &[String]) -> Vec<Result<Resumed, Error>> {
        let free = |run: &&String| self.driven(run).is_none();
        if let Err(error) = self.open() {
            return runs.iter().map(|_| Err(error.clone())).collect();
        }
        let free = runs.iter().filter(free).cloned().collect::<Vec<_>>();
        let Ok(taken) = self.store.take_over_all(free.clone()) else {
            // One that cannot be read is no reason to leave the others: each by itself.
            return runs.iter().map(|run| self.resume(run)).collect();
        };
        let mut taken: BTreeMap<_, _> = free.into_iter().zip(taken).collect();
        let go_on = |run: &String| match taken.remove(run) {
            Some(taken) => taken.map_err(Error::from).and_then(|taken| self.taken_over(run, taken)),
            None => Ok(Resumed::DrivenHere),
        };
        runs.iter().map(go_on).zip(runs).map(|(outcome, run)| self.noted(run, outcome)).collect()
    }

    /// [`Self::resume`] for several; the answers in their order.
    pub(crate) async fn resume_many(self: &Arc<Self>, runs: Vec<String>) -> Vec<(String, Result<Resumed, Error>)> {
        let (runs, next) = (Arc::new(runs), Arc::new(AtomicUsize::new(0)));
        let work = |_| {
            let (core, runs, next) = (Arc::clone(self), Arc::clone(&runs), Arc::clone(&next));
            self.handle.spawn_blocking(move || {
                let mut done = Vec::new();
                loop {
                    let from = next.fetch_add(AT_ONCE, Ordering::Relaxed);
                    let Some(part) = runs.get(from..runs.len().min(from + AT_ONCE)) else { return done };
                    if part.is_empty() {
                        return done;
                    }
                    let resumed = core.resume_part(part);
                    done.extend(part.iter().zip(resumed).enumerate().map(|(i, (id, r))| (from + i, id.clone(), r)));
                }
            })
        };
        let tasks: Vec<_> = (0..TOGETHER.min(runs.len().div_ceil(AT_ONCE))).map(work).collect();
        let mut all = Vec::with_capacity(runs.len());
        for task in tasks {
            // The only failure is the end of these threads: the runs are taken up at the next start.
            all.extend(task.await.unwrap_or_default());
        }
        all.sort_by_key(|(index, _, _)| *index);
        all.into_iter().map(|(_, run_id, outcome)| (run_id, outcome)).collect()
    }

    /// Whoever drives the run looks at its inputs; if nobody does it goes on here.
    pub(crate) fn wake(self: &Arc<Self>, run_id: &str) -> Result<(), Error> {
        // Told before it is forgotten: a run that is being laid down looks once more whether it was told something.
        let told = self.runs().get(run_id).inspect(|driven| driven.wake()).is_some();
        if told {
            return Ok(());
        }
        match self.resume(run_id) {
            // Whoever drives it finds the input; one that ended just now needs it no more.
            Ok(_) | Err(Error::DrivenElsewhere { .. } | Error::Ended { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Runs that nobody drives and that have something to do: a paused one only when it was answered or is due.
    pub(crate) fn left_alone(&self) -> Result<Vec<String>, StoreError> {
        let mut runs = self.store.unowned_active_runs()?;
        let now = self.world.clock.now_ms();
        let going = self.store.runs_with_pending_input_or_due(now)?;
        let known: BTreeSet<String> = runs.iter().cloned().collect();
        runs.extend(going.into_iter().filter(|run_id| !known.contains(run_id)));
        Ok(runs)
    }

    /// Takes over what nobody drives, apart from what could not go on here before.
    async fn adopt(self: &Arc<Self>) {
        let own = Arc::clone(self);
        let Ok(Ok(mut runs)) = self.handle.spawn_blocking(move || own.left_alone()).await else { return };
        runs.retain(|run_id| !self.faulty().contains_key(run_id));
        // Another process may have taken one up.
        let left: BTreeSet<&String> = runs.iter().collect();
        self.waiting().retain(|run_id, _| left.contains(run_id));
        // What does not go on stays in the list of runs, with its state.
        self.resume_many(runs).await;
        if let Some(host) = self.run_host.get() {
            let own = Arc::clone(self);
            if let Ok(Ok(handed)) = self.handle.spawn_blocking(move || own.store.handed_runs()).await {
                host.go_on(handed);
            }
        }
    }
}

/// Looks for changes of the store by other processes while somebody waits for one.
pub(crate) async fn poll(core: Arc<Core>) {
    let mut seen = None;
    loop {
        tokio::time::sleep(core.options.poll.max(Duration::from_millis(1))).await;
        if core.changed.receiver_count() == 0 {
            continue;
        }
        // A store that cannot be read now is read at the next look.
        let version = core.store.data_version().ok();
        if version.is_some() && version != seen {
            seen = version;
            core.changed.send_modify(|count| *count += 1);
        }
    }
}

/// Takes over runs whose process died. Not at once: the host first puts its grants in their places.
pub(crate) async fn adopt(core: Arc<Core>) {
    while !*core.closing.borrow() {
        tokio::time::sleep(core.options.adopt_every).await;
        core.adopt().await;
    }
}
