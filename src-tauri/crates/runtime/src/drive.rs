//! One driven run: the task that owns its state.

mod call_log;
mod commit;
mod driven;
pub(crate) mod journaled;

pub(crate) use driven::Driven;

use crate::artifact;
use crate::commit_reply;
use crate::durable_input;
use crate::error::{Error, Trouble};
use crate::options::Kept;
use crate::phase::Phase;
use crate::record;
use crate::shared::Core;
use crate::step_batch::{self, Limits, StepBatch};
use crate::trace::CallPlace;
use signalbox_audit::Record;
use signalbox_engine::effect::{Call, CallKey, Effect, Timer};
use signalbox_engine::input::Input;
use signalbox_engine::{Compiled, RunState};
use signalbox_model::{Effects, RunOrigin, RunStatus, TraceContext};
use signalbox_ports::trace_scope::{TraceSource, traced};
use signalbox_store::failpoint::{Point, pass};
use signalbox_store::{Firing, Limited, Owner, Replayed, RunKey};
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Duration, Instant};

/// Inputs that one burst takes at most.
const INPUTS: usize = 64;
/// A snapshot waits for so many times the weight of the last one in events.
const STATES: usize = 2;
/// A run that is alone waits so long on its thread for one commit. One that it wrote itself and that took longer leaves the
/// next ones to the store's own thread.
const ON_THREAD: Duration = Duration::from_millis(5);
/// After a commit that took longer, for so many times as long the store's own thread writes (ADR 39).
const APART: u32 = 8;
/// How long a run that never has to wait keeps its thread.
const GIVE_WAY: Duration = Duration::from_millis(5);
/// How long a closing runtime waits for calls that change something outside.
const GRACE: Duration = Duration::from_secs(5);

/// What reaches a driven run from outside its task.
pub(crate) enum Message {
    /// A call ended or a timer is due.
    Input(Input),
    /// Look at the durable inputs now.
    Wake,
    /// A call of a cancelled run waits for nothing any more.
    GivenUp(CallKey),
}

/// Why a run is no longer driven here although it has not ended.
pub(crate) enum Stop {
    /// Another process drives it.
    Fenced,
    /// The runtime closes, or its store.
    Closing,
    /// A fault of the program.
    Fault(String),
    /// It waits for a person and nothing else: a row, not a task (P6).
    Paused,
    /// The same, and its last commit has made it nobody's.
    Parked,
    /// A person answered before the policy of an expired task: the run goes on from the store.
    Overtaken,
    /// It could not even begin; the starter hears why.
    StartFailed(oneshot::Sender<Result<(), Error>>, Error),
}

/// What a new run's row needs besides its events.
pub(crate) struct RunCreation {
    /// Text of the definition; the store has that of another run.
    pub(crate) definition: Option<String>,
    pub(crate) origin: RunOrigin,
    /// Entries that stand before those of the events.
    pub(crate) audit: Vec<Record>,
    /// What the starter calls it by.
    pub(crate) key: Option<RunKey>,
    /// The trigger that starts it.
    pub(crate) firing: Option<Firing>,
    /// The limits of its workflow.
    pub(crate) limited: Option<Limited>,
    /// The failure that it is to mend.
    pub(crate) replayed: Option<Replayed>,
    pub(crate) born: oneshot::Sender<Result<(), Error>>,
}

/// The task's own data.
pub(crate) struct Driver {
    core: Arc<Core>,
    driven: Arc<Driven>,
    inbox: mpsc::UnboundedReceiver<Message>,
    compiled: Arc<Compiled>,
    state: RunState,
    /// What its definition says about audit entries.
    said: record::AuditSettings,
    /// Status as the store has it.
    recorded: RunStatus,
    /// Until then commits are left to the store's own thread: the disk was slow.
    apart_until: Instant,
    owner: Option<Owner>,
    creation: Option<RunCreation>,
    calls: JoinSet<()>,
    timers: JoinSet<()>,
    /// Since the last snapshot.
    bytes: usize,
    called: usize,
    /// About how many bytes the last snapshot has. The next one waits for [`STATES`] times as many of events (ADR 7).
    state_bytes: usize,
    /// Durable inputs that were given to `step`; consumed with the terminal event, so that a crash before it does not
    /// lose them.
    consumed_inputs: BTreeSet<i64>,
    /// Answers of people that were given to `step`; consumed with the next commit, which holds what follows from them.
    answers: Vec<i64>,
    /// Calls under way, to stop one of them.
    under_way: BTreeMap<CallKey, AbortHandle>,
    /// Those of them that wait for nothing any more, because the run is cancelled.
    given_up: BTreeSet<CallKey>,
    is_cancel_asked: bool,
    /// Tells the calls under way that the run is cancelled.
    cancelled: watch::Sender<bool>,
    /// Calls under way that change something outside.
    writes: BTreeSet<CallKey>,
    changed: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
    /// What the host keeps for the run, as long as this task lives.
    _kept: Option<Kept>,
    /// When this runtime began to close.
    closing_since: Option<Instant>,
}

impl Driver {
    pub(crate) fn new(
        core: Arc<Core>,
        driven: Arc<Driven>,
        inbox: mpsc::UnboundedReceiver<Message>,
        compiled: Arc<Compiled>,
        state: RunState,
        kept: Option<Kept>,
    ) -> Self {
        Self {
            changed: core.changed.subscribe(),
            closing: core.closing.subscribe(),
            said: record::AuditSettings::default(),
            recorded: state.status(),
            apart_until: Instant::now(),
            core,
            driven,
            inbox,
            compiled,
            state,
            owner: None,
            creation: None,
            _kept: kept,
            calls: JoinSet::new(),
            timers: JoinSet::new(),
            bytes: 0,
            called: 0,
            state_bytes: 0,
            consumed_inputs: BTreeSet::new(),
            answers: Vec::new(),
            under_way: BTreeMap::new(),
            given_up: BTreeSet::new(),
            is_cancel_asked: false,
            cancelled: watch::channel(false).0,
            writes: BTreeSet::new(),
            closing_since: None,
        }
    }

    /// A run of the store that is this process's now.
    pub(crate) fn taken_over(self, owner: Owner) -> Self {
        Self { owner: Some(owner), ..self }
    }

    /// The trace that the run was given by its caller.
    pub(crate) fn in_trace(mut self, caller: Option<TraceContext>) -> Self {
        self.said.caller = caller;
        self
    }

    /// The workspace that the run belongs to.
    pub(crate) fn in_workspace(mut self, workspace: Option<String>) -> Self {
        self.said.workspace = workspace;
        self
    }

    /// A run that is not in the store yet.
    pub(crate) fn with_creation(self, creation: RunCreation) -> Self {
        Self { creation: Some(creation), ..self }
    }

    /// Drives until the run has ended or somebody else has to go on with it.
    pub(crate) async fn drive(mut self, first: VecDeque<Input>) {
        // After a panic the state is not looked at again: whoever goes on folds it from the log.
        let outcome = {
            let mut run = pin!(self.run(first));
            poll_fn(|context| {
                let polled = catch_unwind(AssertUnwindSafe(|| run.as_mut().poll(context)));
                polled.unwrap_or_else(|panic| Poll::Ready(Err(Stop::Fault(words(panic.as_ref())))))
            })
            .await
        };
        // Futures of calls are dropped before anybody hears that the run is over.
        self.calls.shutdown().await;
        self.timers.shutdown().await;
        let mut unborn = None;
        let (mut again, mut paused, mut rests) = (false, false, false);
        let phase = match outcome {
            Ok(status) => Phase::Ended(status),
            Err(Stop::Fenced) => Phase::Left(None),
            Err(Stop::StartFailed(starter, error)) => {
                // What its first steps wrote belongs to no run. Most have written nothing.
                let _ = std::fs::remove_dir_all(artifact::place(&self.core.options.artifacts, &self.driven.run_id, ""));
                unborn = Some((starter, error));
                Phase::Left(None)
            }
            Err(Stop::Closing) => {
                self.release().await;
                Phase::Left(None)
            }
            Err(Stop::Paused) => {
                self.release().await;
                paused = true;
                Phase::Left(None)
            }
            Err(Stop::Parked) => {
                rests = true;
                Phase::Left(None)
            }
            Err(Stop::Overtaken) => {
                self.release().await;
                again = true;
                Phase::Left(None)
            }
            Err(Stop::Fault(reason)) => {
                self.release().await;
                Phase::Left(Some(Trouble::Fault(reason)))
            }
        };
        self.core.forget(&self.driven, &phase);
        if matches!(phase, Phase::Ended(_)) {
            self.core.world.tools.run_ended(&self.driven.run_id);
        }
        self.driven.phase.send_replace(phase);
        // Whoever answered while the run was being laid down found it driven, and told a task that was about to end. What was
        // asked before the commit that made it nobody's kept it here; who asked later either took it over or told us.
        paused |= rests && self.inbox.try_recv().is_ok();
        if again || (paused && self.is_answered()) {
            let (core, run_id) = (Arc::clone(&self.core), self.driven.run_id.clone());
            // What does not go on stays in the list of runs, with its state.
            drop(self.core.handle.spawn_blocking(move || drop(core.resume(&run_id))));
        }
        if let Some((starter, error)) = unborn {
            let _ = starter.send(Err(error));
        }
    }

    async fn run(&mut self, mut inputs: VecDeque<Input>) -> Result<RunStatus, Stop> {
        let mut pure = VecDeque::new();
        let options = &self.core.options;
        let limits = Limits { events: options.burst_events, time: options.burst };
        // A cancel that was asked for before a crash comes first, so that nothing is sent again; answers come last, because
        // what was cut off must be told before something new starts.
        let mut asked = VecDeque::new();
        self.durable_inputs(&mut asked);
        let (mut cancels, answers): (VecDeque<_>, VecDeque<_>) =
            asked.into_iter().partition(|input| matches!(input, Input::Cancel { .. }));
        if self.creation.is_none()
            && !cancels.is_empty()
            && let Some(Input::Start { params, context, seed, started_by, now, .. }) = inputs.front().cloned()
        {
            // It was cancelled while it waited for its turn.
            cancels.clear();
            inputs = VecDeque::from([Input::NeverBegun { params, context, seed, started_by, now }]);
        }
        cancels.append(&mut inputs);
        cancels.extend(answers);
        inputs = cancels;
        let mut gave_way = Instant::now();
        loop {
            let (core, compiled, state) = (&self.core, &self.compiled, &mut self.state);
            let burst =
                step_batch::run(compiled, state, inputs, pure, core.registry.code, core.world.clock.as_ref(), limits);
            let mut burst = burst.map_err(|error| Stop::Fault(error.to_string()))?;
            self.artifacts(&mut burst).await?;
            let events = std::mem::take(&mut burst.events);
            if !events.is_empty() || !self.answers.is_empty() {
                // Only timers are left to do, and those of a row are looked after by the store.
                let rests = self.state.status() == RunStatus::Paused
                    && burst.left.is_empty()
                    && burst.inputs.is_empty()
                    && burst.effects.iter().all(|effect| matches!(effect, Effect::Timer { .. }))
                    && self.inbox.is_empty();
                self.commit(events, burst.durable, rests).await?;
            }
            pass(Point::Decided);
            if self.state.status().is_terminal() {
                return Ok(self.state.status());
            }
            (pure, inputs) = (burst.left, burst.inputs);
            for effect in burst.effects {
                let over = self.carry_out(effect);
                inputs.extend(over);
            }
            if pure.is_empty() && inputs.is_empty() {
                self.wait(&mut inputs).await?;
                gave_way = Instant::now();
            } else {
                // A long burst is not the only one on its thread, and a cancel must get through.
                self.drain(&mut inputs);
                if gave_way.elapsed() >= GIVE_WAY {
                    tokio::task::yield_now().await;
                    gave_way = Instant::now();
                }
                self.may_go_on()?;
            }
        }
    }

    /// Waits for the next inputs.
    async fn wait(&mut self, inputs: &mut VecDeque<Input>) -> Result<(), Stop> {
        self.may_go_on()?;
        if self.state.status() == RunStatus::Paused {
            // An answer may have come while the question was written.
            self.drain(inputs);
            self.durable_inputs(inputs);
            if inputs.is_empty() {
                return Err(Stop::Paused);
            }
        }
        while inputs.is_empty() {
            while self.calls.try_join_next().is_some() || self.timers.try_join_next().is_some() {}
            let grace = self.closing_since.map(|since| since + GRACE);
            tokio::select! {
                message = self.inbox.recv() => match message {
                    Some(message) => self.take(message, inputs),
                    // `driven` holds a sender, so this cannot be; closing is the harmless answer.
                    None => return Err(Stop::Closing),
                },
                // Another process may have asked something of the run.
                _ = self.changed.changed() => self.durable_inputs(inputs),
                _ = self.closing.changed(), if grace.is_none() => {}
                () = tokio::time::sleep_until(grace.unwrap_or_else(Instant::now)), if grace.is_some() => {}
            }
            self.drain(inputs);
            if inputs.is_empty() {
                self.may_go_on()?;
            }
        }
        Ok(())
    }

    /// When the runtime closes, the run is left at a point where nothing that changes the outside is under way; what is
    /// under way gets the same grace as after a cancel. Cut off, it could only be told that it may have happened.
    fn may_go_on(&mut self) -> Result<(), Stop> {
        if !*self.closing.borrow() {
            return Ok(());
        }
        let since = *self.closing_since.get_or_insert_with(Instant::now);
        if self.writes.is_empty() || since.elapsed() >= GRACE { Err(Stop::Closing) } else { Ok(()) }
    }

    fn drain(&mut self, inputs: &mut VecDeque<Input>) {
        while inputs.len() < INPUTS
            && let Ok(message) = self.inbox.try_recv()
        {
            self.take(message, inputs);
        }
    }

    fn take(&mut self, message: Message, inputs: &mut VecDeque<Input>) {
        match message {
            Message::Input(input) => {
                if let Input::NodeFinished { key, results, .. } = &input {
                    let wrote = self.writes.remove(key);
                    self.under_way.remove(key);
                    self.given_up.remove(key);
                    // A stop of the program may take its helpers along. What changes nothing outside is done again at the
                    // next start; as a failure it would stand.
                    if !wrote && *self.closing.borrow() && results.iter().any(|(_, outcome)| outcome.is_err()) {
                        return;
                    }
                }
                inputs.push_back(input);
            }
            Message::Wake => self.durable_inputs(inputs),
            Message::GivenUp(key) => {
                self.given_up.insert(key);
            }
        }
        // Nobody is left that would use the rest of the grace.
        if !self.given_up.is_empty() && self.under_way.keys().all(|key| self.given_up.contains(key)) {
            self.given_up.clear();
            inputs.push_back(Input::TimerFired { timer: Timer::Grace, now: self.core.world.clock.now_ms() });
        }
    }

    /// Inputs that anybody wrote into the store for this run.
    fn durable_inputs(&mut self, inputs: &mut VecDeque<Input>) {
        if self.owner.is_none() {
            return;
        }
        // What cannot be read now is read at the next change.
        for input in self.core.store.pending_inputs(&self.driven.run_id).unwrap_or_default() {
            if self.consumed_inputs.contains(&input.id) {
                continue;
            }
            if let Some(asked) = input.body {
                let asked = durable_input::to_engine(asked, self.core.world.clock.now_ms());
                self.consumed_inputs.insert(input.id);
                if matches!(asked, Input::Cancel { .. }) {
                    self.is_cancel_asked = true;
                } else {
                    self.answers.push(input.id);
                }
                inputs.push_back(asked);
            }
        }
    }

    /// Writes artifact files before the commit whose events say that they are written. An orphan after a crash is
    /// harmless: the same file is written again.
    async fn artifacts(&mut self, burst: &mut StepBatch) -> Result<(), Stop> {
        let effects = std::mem::take(&mut burst.effects);
        for effect in effects {
            let Effect::WriteArtifact { path, content } = effect else {
                burst.effects.push(effect);
                continue;
            };
            loop {
                let (folder, run) = (self.core.options.artifacts.clone(), self.driven.run_id.clone());
                let (path, content) = (path.clone(), Arc::clone(&content));
                let written =
                    tokio::task::spawn_blocking(move || artifact::write(&folder, &run, &path, &content)).await;
                match written {
                    Ok(Ok(())) => {
                        pass(Point::Artifact);
                        break;
                    }
                    Ok(Err(error)) if error.kind() == std::io::ErrorKind::StorageFull => {
                        self.suspend(Trouble::DiskFull).await?;
                    }
                    Ok(Err(error)) => self.suspend(Trouble::Store(error.to_string())).await?,
                    Err(_) => return Err(Stop::Closing),
                }
            }
        }
        self.going();
        Ok(())
    }

    /// Whether there is an input that this program understands and that this task has not seen.
    fn is_answered(&self) -> bool {
        let pending = self.core.store.pending_inputs(&self.driven.run_id).unwrap_or_default();
        pending.iter().any(|input| input.body.is_some() && !self.consumed_inputs.contains(&input.id))
    }

    /// Carries an effect out, and gives the result of a call that is over already.
    fn carry_out(&mut self, effect: Effect) -> Option<Input> {
        match effect {
            Effect::Call(call) => return self.call(*call),
            // What is due is told at once: a paused run waits for no timer.
            Effect::Timer { timer, due_ms } if due_ms <= self.core.world.clock.now_ms() => {
                return Some(Input::TimerFired { timer, now: self.core.world.clock.now_ms() });
            }
            Effect::Timer { timer, due_ms } => {
                if timer == Timer::Grace && self.is_cancel_asked {
                    self.cancelled.send_replace(true);
                }
                let (world, inbox) = (Arc::clone(&self.core.world), self.driven.inbox.clone());
                self.timers.spawn_on(
                    async move {
                        world.clock.sleep_until(due_ms).await;
                        let now = world.clock.now_ms();
                        // The run has ended meanwhile: nobody waits for the timer.
                        let _ = inbox.send(Message::Input(Input::TimerFired { timer, now }));
                    },
                    &self.core.handle,
                );
            }
            Effect::CancelCalls => {
                self.calls.abort_all();
                self.under_way.clear();
                self.writes.clear();
            }
            Effect::CancelCall(key) => {
                if let Some(call) = self.under_way.remove(&key) {
                    call.abort();
                }
                self.writes.remove(&key);
            }
            // Written before the commit.
            Effect::WriteArtifact { .. } => {}
        }
        None
    }

    /// Begins a call. What is over at once (a small file that is read, an answer that is known) costs no task and no
    /// change of threads: its result is the return value. Everything else goes on beside the driver.
    fn call(&mut self, call: Call) -> Option<Input> {
        let key = call.key.clone();
        let write = (call.effects == Effects::Write).then(|| key.clone());
        let world = Arc::clone(&self.core.world);
        let code = (self.core.registry.code)(&call.kind);
        let speech = Arc::new(self.speech(&key, &call.node_id));
        let log = Arc::clone(&speech);
        let source = self.core.tracer.get().map(|tracer| {
            let (tracer, run, at) = (Arc::clone(tracer), Arc::clone(&call.run_id), CallPlace::of(&call));
            Arc::new(move || tracer(&run, &at)) as TraceSource
        });
        let mut under_way: Pin<Box<dyn Future<Output = Input> + Send>> = Box::pin(async move {
            let results = match code {
                Some(code) => {
                    let fault = call.fault.clone();
                    let work = async {
                        match fault {
                            Some(fault) => signalbox_nodes::run_faulted(&fault, code, &call, &world, &*log).await,
                            None => signalbox_nodes::run_call(code, &call, &world, &*log).await,
                        }
                    };
                    log.over(pin!(work)).await
                }
                None => step_batch::no_code(&call),
            };
            pass(Point::Called);
            Input::NodeFinished { key: call.key, results, now: world.clock.now_ms() }
        });
        if let Some(source) = source {
            under_way = Box::pin(traced(source, under_way));
        }
        let inbox = self.driven.inbox.clone();
        // The task below polls it again at once, so a waker that goes nowhere loses nothing.
        if let Poll::Ready(input) = under_way.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            if !speech.has_told() {
                return Some(input);
            }
            // The result comes after what was told, the same way.
            let _ = inbox.send(Message::Input(input));
            return None;
        }
        self.writes.extend(write);
        let handle = self.calls.spawn_on(
            async move {
                // The run has ended meanwhile: nobody waits for the result.
                let _ = inbox.send(Message::Input(under_way.await));
            },
            &self.core.handle,
        );
        self.under_way.insert(key, handle);
        None
    }

    /// Gives the run back, so that any process may take it over. If that cannot be written, this process's end does it.
    async fn release(&mut self) {
        if let Some(owner) = self.owner.take() {
            let (giver, answer) = commit_reply::pair();
            self.core.store.submit_release(&self.driven.run_id, &owner, move |outcome| giver.give(outcome));
            let _ = answer.await;
        }
    }
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.map_or_else(|| "it stopped unexpectedly".to_owned(), |text| text.chars().take(500).collect())
}
