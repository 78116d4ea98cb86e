//! A run that is driven by a journal: the same steps, commits and calls as a run that this process drives by itself, with
//! inputs that come in the order of the journal and a clock that only the journal moves.

use super::{Driver, Stop};
use crate::durable_input;
use crate::error::Error;
use crate::journal_entry::{First, JournalEntry, JournalInput, NextEntry};
use crate::load;
use crate::shared::Core;
use crate::step_batch::{self, Limits};
use async_trait::async_trait;
use signalbox_engine::effect::{Call, CallKey, Effect, Timer};
use signalbox_engine::input::Input;
use signalbox_model::time::Millis;
use signalbox_model::{DurableInput, RunEvent, RunStatus};
use signalbox_ports::Clock;
use signalbox_store::{Owner, RunRow};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use tokio::time::{Duration, Instant};

/// Events of the store that are read at once to compare them, and none after those that take so many bytes.
const PAGE: (usize, usize) = (500, 1024 * 1024);
/// After so long without news from its calls a run makes an entry, so that whoever keeps its journal knows that it lives.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// The time of the journal: that of its last input.
struct JournalClock(Millis);

#[async_trait]
impl Clock for JournalClock {
    fn now_ms(&self) -> i64 {
        self.0
    }

    async fn sleep_until(&self, _due_ms: i64) {
        // Steps ask what time it is; who waits asks the clock of the world.
        std::future::pending().await
    }
}

/// A call that has not ended, as the journal has it.
struct InFlight {
    /// The first event of the batch that decided it.
    seq: u64,
    node: Arc<str>,
}

/// A run with what its journal says.
pub(crate) struct JournalDriver {
    driver: Driver,
    now: Millis,
    /// Events up to here were in the store when this process took the run.
    known: u64,
    /// Some of them, still to be compared.
    stored: VecDeque<RunEvent>,
    in_flight: BTreeMap<CallKey, InFlight>,
    /// Calls of them that this process has not begun.
    not_begun: Vec<Call>,
    timers: BTreeMap<Timer, i64>,
    /// Durable inputs that are in the journal.
    in_journal: BTreeSet<i64>,
    /// The store was asked for others once; from then on when it has changed.
    has_looked: bool,
}

impl JournalDriver {
    /// Takes the run, and folds it to the event at which its journal begins. Waits: on a blocking thread only.
    pub(crate) fn claim(core: &Arc<Core>, run_id: &str, seq: u64, now: Millis) -> Result<Self, Error> {
        core.open()?;
        // A run that has ended is claimed by nobody; its journal is followed to its end all the same.
        let row = match core.store.claim(run_id)? {
            Some(row) => row,
            None => RunRow { owner: None, ..core.store.run(run_id)? },
        };
        let owner = row.owner.clone();
        let loaded = core.definition(&row).and_then(|compiled| {
            let state = load::state_at(&core.store, &compiled, &row, seq)?;
            Ok((compiled, state))
        });
        let (compiled, state) = match loaded {
            Ok(loaded) => loaded,
            Err(error) => {
                if let Some(owner) = owner {
                    // If this cannot be written, the next claim does not need it.
                    let _ = core.store.release(run_id, &owner);
                }
                return Err(error);
            }
        };
        let (driven, inbox) = super::Driven::new(run_id);
        let kept = core.options.beside.of(run_id);
        let mut driver = Driver::new(Arc::clone(core), driven, inbox, compiled, state, kept).in_trace(row.trace);
        driver.recorded = row.status;
        driver.owner = owner;
        Ok(Self {
            driver,
            now,
            known: row.last_seq,
            stored: VecDeque::new(),
            in_flight: BTreeMap::new(),
            not_begun: Vec::new(),
            timers: BTreeMap::new(),
            in_journal: BTreeSet::new(),
            has_looked: false,
        })
    }

    pub(crate) fn run_id(&self) -> &str {
        &self.driver.driven.run_id
    }

    pub(crate) async fn begin(&mut self, first: First) -> Result<NextEntry, Stop> {
        let input = match first {
            First::Resume { asked } => return self.advance(asked).await,
            First::Start { start, seed, cancelled } => {
                let input = durable_input::first(start, seed, self.now);
                match input {
                    Input::Start { params, context, seed, started_by, now, .. } if !cancelled.is_empty() => {
                        self.in_journal.extend(&cancelled);
                        self.driver.consumed_inputs.extend(cancelled);
                        Input::NeverBegun { params, context, seed, started_by, now }
                    }
                    other => other,
                }
            }
        };
        self.step(VecDeque::from([input])).await
    }

    pub(crate) async fn advance(&mut self, entry: JournalEntry) -> Result<NextEntry, Stop> {
        let inputs = entry.0.into_iter().map(|input| self.heard(input)).collect();
        self.step(inputs).await
    }

    /// An input of the journal as one of the engine. Hosts whose clocks differ do not make the time of a run go back.
    fn heard(&mut self, input: JournalInput) -> Input {
        let (JournalInput::Finished { now, .. }
        | JournalInput::Said { now, .. }
        | JournalInput::Due { now, .. }
        | JournalInput::Asked { now, .. }
        | JournalInput::Resumed { now }) = &input;
        self.now = self.now.max(*now);
        let now = self.now;
        match input {
            JournalInput::Finished { key, results, .. } => {
                self.in_flight.remove(&key);
                self.not_begun.retain(|call| call.key != key);
                Input::NodeFinished { key, results, now }
            }
            JournalInput::Said { key, said, .. } => Input::CallSaid { key, said, now },
            JournalInput::Due { timer, .. } => {
                self.timers.remove(&timer);
                Input::TimerFired { timer, now }
            }
            JournalInput::Asked { id, body, .. } => {
                self.in_journal.insert(id);
                self.driver.consumed_inputs.insert(id);
                if matches!(body, DurableInput::Cancel { .. }) {
                    self.driver.is_cancel_asked = true;
                } else {
                    self.driver.answers.push(id);
                }
                durable_input::to_engine(body, now)
            }
            JournalInput::Resumed { .. } => {
                // The engine says again what is to be done, except for the time that a cancelled run gives its calls.
                self.in_flight.clear();
                self.not_begun.clear();
                self.timers.retain(|timer, _| *timer == Timer::Grace);
                Input::Resume { now }
            }
        }
    }

    async fn step(&mut self, mut inputs: VecDeque<Input>) -> Result<NextEntry, Stop> {
        let mut pure = VecDeque::new();
        // Batches end after so many events and never by the time they take: the journal knows no such time.
        let limits = Limits { events: self.driver.core.options.burst_events, time: Duration::MAX };
        loop {
            let clock = JournalClock(self.now);
            let Driver { core, compiled, state, .. } = &mut self.driver;
            let batch = step_batch::run(compiled, state, inputs, pure, core.registry.code, &clock, limits);
            let mut batch = batch.map_err(|error| Stop::Fault(error.to_string()))?;
            self.driver.artifacts(&mut batch).await?;
            let events = std::mem::take(&mut batch.events);
            let first = events.first().and_then(|event| event.seq).unwrap_or_else(|| self.driver.state.last_seq());
            let is_over = batch.left.is_empty() && batch.inputs.is_empty();
            let rests = is_over
                && self.driver.state.status() == RunStatus::Paused
                && self.in_flight.is_empty()
                && batch.effects.iter().all(|effect| matches!(effect, Effect::Timer { .. }));
            match self.write(events, batch.durable, rests).await {
                Err(Stop::Overtaken) => return Ok(NextEntry::Overtaken),
                other => other?,
            }
            if self.driver.state.status().is_terminal() {
                self.driver.owner = None;
                self.driver.core.world.tools.run_ended(self.run_id());
                return Ok(NextEntry::Ended(self.driver.state.status()));
            }
            for effect in batch.effects {
                self.note(effect, first);
            }
            if is_over {
                return Ok(self.next());
            }
            (pure, inputs) = (batch.left, batch.inputs);
        }
    }

    /// Remembers what is to be done. Only what is under way here is stopped at once.
    fn note(&mut self, effect: Effect, first: u64) {
        match effect {
            Effect::Call(call) => {
                self.in_flight.insert(call.key.clone(), InFlight { seq: first, node: Arc::clone(&call.node_id) });
                self.not_begun.push(*call);
            }
            Effect::Timer { timer, due_ms } => {
                if timer == Timer::Grace && self.driver.is_cancel_asked {
                    self.driver.cancelled.send_replace(true);
                }
                self.timers.insert(timer, due_ms);
            }
            Effect::CancelCalls => {
                self.in_flight.clear();
                self.not_begun.clear();
                self.driver.carry_out(Effect::CancelCalls);
            }
            Effect::CancelCall(key) => {
                self.in_flight.remove(&key);
                self.not_begun.retain(|call| call.key != key);
                self.driver.carry_out(Effect::CancelCall(key));
            }
            // Written before the commit.
            Effect::WriteArtifact { .. } => {}
        }
    }

    fn next(&self) -> NextEntry {
        let seq = self.driver.state.last_seq();
        match self.in_flight.values().next() {
            Some(call) => {
                let others = self.in_flight.len() - 1;
                let more = if others == 0 { String::new() } else { format!("+{others}") };
                NextEntry::Calls { name: format!("{seq}:{}{more}", call.node) }
            }
            None => NextEntry::Rests { name: format!("{seq}:inputs"), due_ms: self.timers.values().min().copied() },
        }
    }

    /// Writes what the store does not have, after what it has was compared.
    async fn write(&mut self, mut events: Vec<RunEvent>, durable: bool, rests: bool) -> Result<(), Stop> {
        let known = events.iter().take_while(|event| event.seq <= Some(self.known)).count();
        self.compare(&events[..known])?;
        events.drain(..known);
        if events.is_empty() && known > 0 {
            // What these events act on was consumed with them.
            for id in self.driver.answers.drain(..) {
                self.driver.consumed_inputs.remove(&id);
            }
            return Ok(());
        }
        if events.is_empty() && self.driver.answers.is_empty() {
            return Ok(());
        }
        if self.driver.owner.is_none() {
            let (core, run) = (Arc::clone(&self.driver.core), self.run_id().to_owned());
            self.driver.owner = claimed_again(core, run).await?;
        }
        let acts = !self.driver.answers.is_empty() || self.driver.state.status().is_terminal();
        if acts && !self.driver.consumed_inputs.is_empty() {
            // One that a commit before has consumed is not consumed again.
            let pending = self.driver.core.store.pending_inputs(self.run_id());
            let pending = pending.map_err(|error| Stop::Fault(error.to_string()))?;
            let pending: BTreeSet<i64> = pending.into_iter().map(|input| input.id).collect();
            self.driver.answers.retain(|id| pending.contains(id));
            self.driver.consumed_inputs.retain(|id| pending.contains(id));
        }
        match self.driver.commit(events, durable, rests).await {
            // It waits for a person and is nobody's: the next thing that is written takes it again.
            Err(Stop::Parked) => Ok(()),
            other => other,
        }
    }

    fn compare(&mut self, events: &[RunEvent]) -> Result<(), Stop> {
        for event in events {
            let seq = event.seq.unwrap_or_default();
            if self.stored.is_empty() {
                let page = self.driver.core.store.event_page(self.run_id(), seq.saturating_sub(1), PAGE.0, PAGE.1);
                self.stored = page.map_err(|error| Stop::Fault(error.to_string()))?.events.into();
            }
            if self.stored.pop_front().as_ref() != Some(event) {
                let kind = event.body.type_name();
                return Err(Stop::Fault(format!(
                    "event {seq} of the history is not the {kind} that follows from its journal; nothing was written"
                )));
            }
        }
        Ok(())
    }

    pub(crate) async fn carry_out(&mut self) -> Result<JournalEntry, Stop> {
        // Somebody else may have begun a call whose events were there before: what became of it is in no journal.
        if self.in_flight.values().any(|call| call.seq <= self.known) {
            return Ok(JournalEntry(vec![JournalInput::Resumed { now: self.time() }]));
        }
        let mut inputs = VecDeque::new();
        for call in std::mem::take(&mut self.not_begun) {
            inputs.extend(self.driver.carry_out(Effect::Call(Box::new(call))));
        }
        let until = Instant::now() + SIGN_OF_LIFE;
        loop {
            self.driver.drain(&mut inputs);
            let mut entry: Vec<JournalInput> = inputs.drain(..).filter_map(to_journal).collect();
            let is_changed = self.driver.changed.has_changed().unwrap_or_default();
            if is_changed || !std::mem::replace(&mut self.has_looked, true) {
                self.driver.changed.borrow_and_update();
                entry.extend(self.asked().0);
            }
            entry.extend(self.due(self.driver.core.world.clock.now_ms()).0);
            if !entry.is_empty() || Instant::now() >= until {
                return Ok(JournalEntry(entry));
            }
            self.driver.may_go_on()?;
            self.wait(&mut inputs, until).await?;
        }
    }

    /// Waits until something may have happened.
    async fn wait(&mut self, inputs: &mut VecDeque<Input>, until: Instant) -> Result<(), Stop> {
        let due = self.timers.values().min().copied();
        let world = Arc::clone(&self.driver.core.world);
        let driver = &mut self.driver;
        while driver.calls.try_join_next().is_some() {}
        let is_closing = *driver.closing.borrow();
        let mut changed = driver.changed.clone();
        tokio::select! {
            message = driver.inbox.recv() => match message {
                Some(message) => driver.take(message, inputs),
                None => return Err(Stop::Closing),
            },
            // Seen by who asks next.
            _ = changed.changed() => {}
            _ = driver.closing.changed(), if !is_closing => {}
            () = world.clock.sleep_until(due.unwrap_or_default()), if due.is_some() => {}
            () = tokio::time::sleep_until(until.min(Instant::now() + Duration::from_secs(1))) => {}
        }
        Ok(())
    }

    pub(crate) fn asked(&self) -> JournalEntry {
        let now = self.time();
        // What cannot be read now is read at the next look.
        let pending = self.driver.core.store.pending_inputs(self.run_id()).unwrap_or_default();
        let new = pending.into_iter().filter(|input| !self.in_journal.contains(&input.id));
        JournalEntry(
            new.filter_map(|input| Some(JournalInput::Asked { id: input.id, body: input.body?, now })).collect(),
        )
    }

    pub(crate) fn due(&self, due_ms: i64) -> JournalEntry {
        let now = self.now.max(due_ms);
        let due = self.timers.iter().filter(|(_, due)| **due <= due_ms);
        JournalEntry(due.map(|(timer, _)| JournalInput::Due { timer: timer.clone(), now }).collect())
    }

    /// The time of the world, which never runs backwards in a journal.
    fn time(&self) -> Millis {
        self.now.max(self.driver.core.world.clock.now_ms())
    }
}

impl Drop for JournalDriver {
    fn drop(&mut self) {
        if let Some(owner) = self.driver.owner.take() {
            // If it cannot be written, the next claim does not need it.
            self.driver.core.store.submit_release(&self.driver.driven.run_id, &owner, drop);
        }
    }
}

/// Takes the run again that this process gave back when it had nothing to do. If somebody has gone on with it, the commit is
/// refused.
async fn claimed_again(core: Arc<Core>, run: String) -> Result<Option<Owner>, Stop> {
    let claimed = tokio::task::spawn_blocking(move || core.store.claim(&run)).await;
    let row = claimed.map_err(|_| Stop::Closing)?.map_err(|error| Stop::Fault(error.to_string()))?;
    row.map(|row| row.owner).ok_or(Stop::Fenced)
}

fn to_journal(input: Input) -> Option<JournalInput> {
    match input {
        Input::NodeFinished { key, results, now } => Some(JournalInput::Finished { key, results, now }),
        Input::CallSaid { key, said, now } => Some(JournalInput::Said { key, said, now }),
        Input::TimerFired { timer, now } => Some(JournalInput::Due { timer, now }),
        Input::Start { .. }
        | Input::NeverBegun { .. }
        | Input::Rerun { .. }
        | Input::Cancel { .. }
        | Input::Decision { .. }
        | Input::Hold { .. }
        | Input::Debug { .. }
        | Input::Resume { .. } => None,
    }
}
