//! `step`: the only place where it is decided what a run does next. Decide events, apply them, name the effects.

mod body;
mod deadline;
mod debug;
mod finish;
mod heal;
mod people;
mod pinned;
mod recover;
mod start;

pub use people::MANY_TASKS;

use crate::{
    compiled::Compiled,
    effect::{Effect, Timer},
    fold::{self, FoldError, fold},
    input::Input,
    rerun::Rerun,
    route,
    state::{Ending, Phase, RunState, Transient},
};
use signalbox_model::{
    Effects, ErrorPayload, EventBody, RunEvent, RunStatus,
    event::{StepInterrupted, WorkflowCancelled, WorkflowDone, WorkflowFailed, WorkflowResumed, WorkflowStart},
    time::{self, Millis},
};
use std::{collections::BTreeSet, sync::Arc};

/// How long calls in flight may still report after an abort or a cancel, milliseconds (SEMANTICS 8).
pub const GRACE_MS: Millis = 5_000;

/// What one input led to.
#[derive(Debug, Clone, Default)]
pub struct StepOutput {
    /// Events in order, `seq` and `ts` filled; they are already applied to the state.
    pub events: Vec<RunEvent>,
    /// What to do after the commit, in order.
    pub effects: Vec<Effect>,
    /// The events hold the intent or the outcome of a `write` effect: the commit must be synced.
    pub durable: bool,
}

/// An input that cannot happen in this state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The pair (state, input) is impossible.
    #[error("{input} is not possible while the run is {status}")]
    InvalidTransition {
        /// Status of the run.
        status: &'static str,
        /// Name of the input.
        input: &'static str,
    },
    /// The engine decided an event that its own state refuses: a defect.
    #[error("the engine contradicts itself: {0}")]
    Contradiction(#[from] FoldError),
}

/// One step of a run: pure, synchronous, total. After [`StepError::InvalidTransition`] the state is as it was; after a
/// contradiction it is of no use any more, and the caller folds it again from the log (ADR 3).
pub fn step(compiled: &Compiled, state: &mut RunState, input: Input) -> Result<StepOutput, StepError> {
    let refuse = |name| Err(StepError::InvalidTransition { status: state.status.as_str(), input: name });
    match (state.status, &input) {
        (RunStatus::Created, Input::Start { .. } | Input::NeverBegun { .. } | Input::Rerun { .. }) => {}
        (RunStatus::Created, Input::NodeFinished { .. } | Input::CallSaid { .. }) => return refuse("a result"),
        (RunStatus::Created, Input::TimerFired { .. }) => return refuse("a timer"),
        (RunStatus::Created, Input::Cancel { .. }) => return refuse("a cancel"),
        (RunStatus::Created, Input::Resume { .. }) => return refuse("a resume"),
        (RunStatus::Created, Input::Decision { .. } | Input::Hold { .. }) => return refuse("an answer"),
        (RunStatus::Created, Input::Debug { .. }) => return refuse("a stop"),
        // The state of a run that waits for its turn is that of one which has not begun.
        (RunStatus::Queued, _) => return refuse("an input"),
        (
            RunStatus::Running | RunStatus::Paused,
            Input::Start { .. } | Input::NeverBegun { .. } | Input::Rerun { .. },
        ) => {
            return refuse("a start");
        }
        (
            RunStatus::Running | RunStatus::Paused,
            Input::NodeFinished { .. }
            | Input::CallSaid { .. }
            | Input::TimerFired { .. }
            | Input::Cancel { .. }
            | Input::Decision { .. }
            | Input::Hold { .. }
            | Input::Debug { .. }
            | Input::Resume { .. },
        ) => {}
        // After the terminal event there is none: late results, timers and requests change nothing.
        (
            RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled,
            Input::Start { .. }
            | Input::NeverBegun { .. }
            | Input::Rerun { .. }
            | Input::NodeFinished { .. }
            | Input::CallSaid { .. }
            | Input::TimerFired { .. }
            | Input::Cancel { .. }
            | Input::Decision { .. }
            | Input::Hold { .. }
            | Input::Debug { .. }
            | Input::Resume { .. },
        ) => return Ok(StepOutput::default()),
    }
    let now = match &input {
        Input::Start { now, .. }
        | Input::NeverBegun { now, .. }
        | Input::Rerun { now, .. }
        | Input::NodeFinished { now, .. }
        | Input::CallSaid { now, .. }
        | Input::TimerFired { now, .. }
        | Input::Cancel { now, .. }
        | Input::Decision { now, .. }
        | Input::Hold { now, .. }
        | Input::Debug { now, .. }
        | Input::Resume { now } => *now,
    };
    let mut deciding = Deciding { compiled, state, now, out: StepOutput::default() };
    // What a call tells decides nothing.
    let decides = !matches!(input, Input::CallSaid { .. });
    deciding.take(input)?;
    if decides {
        deciding.advance()?;
    }
    Ok(deciding.out)
}

/// One step under way.
pub(crate) struct Deciding<'a> {
    pub(crate) compiled: &'a Compiled,
    pub(crate) state: &'a mut RunState,
    pub(crate) now: Millis,
    pub(crate) out: StepOutput,
}

impl Deciding<'_> {
    fn take(&mut self, input: Input) -> Result<(), StepError> {
        match input {
            Input::Start { params, context, seed, started_by, debug, until, .. } => {
                let body = EventBody::WorkflowStart(WorkflowStart {
                    name: self.compiled.workflow.name.clone(),
                    version: self.compiled.definition_hash.clone(),
                    params,
                    seed: format!("{seed:016x}"),
                    context: (!context.is_empty()).then_some(context),
                    started_by,
                    resumed_from: None,
                    until,
                    parent_run_id: None,
                    base_seq: None,
                    base: None,
                });
                self.emit(None, body)?;
                self.watched(debug)
            }
            Input::NeverBegun { params, context, seed, started_by, now } => {
                self.take(Input::Start { params, context, seed, started_by, debug: None, until: None, now })?;
                self.state.cancel = Transient(Some(self.now), None);
                Ok(())
            }
            Input::Rerun { rerun, seed, started_by, debug, .. } => {
                let Rerun { params, context, from, until, parent, base_seq, base } = *rerun;
                let body = EventBody::WorkflowStart(WorkflowStart {
                    name: self.compiled.workflow.name.clone(),
                    version: self.compiled.definition_hash.clone(),
                    params,
                    seed: format!("{seed:016x}"),
                    context: Some(context),
                    started_by,
                    resumed_from: Some(from),
                    until,
                    parent_run_id: parent,
                    base_seq,
                    base: Some(Box::new(base)),
                });
                self.emit(None, body)?;
                self.watched(debug)
            }
            Input::NodeFinished { key, results, .. } => self.finished(&key, results),
            Input::CallSaid { key, said, .. } => self.said(&key, said),
            Input::TimerFired { timer, .. } => self.timer_fired(timer),
            Input::Cancel { superseded_by, .. } => {
                if self.state.cancel.0.is_none() {
                    self.state.cancel = Transient(Some(self.now), superseded_by);
                    if self.state.is_busy() {
                        self.out.effects.push(Effect::Timer { timer: Timer::Grace, due_ms: self.now + GRACE_MS });
                    }
                }
                Ok(())
            }
            Input::Decision { task_id, answer, request_id, .. } => {
                // Nothing is answered once the run is about to end.
                if self.state.ending.is_some() || self.state.cancel.0.is_some() {
                    return Ok(());
                }
                self.decision(&task_id, answer, request_id)
            }
            Input::Hold { task_id, held, operator_id, at, .. } => {
                if self.state.ending.is_some() || self.state.cancel.0.is_some() {
                    return Ok(());
                }
                self.hold(&task_id, held, operator_id, at)
            }
            Input::Debug { request, operator_id, .. } => self.asked(request, operator_id),
            Input::Resume { .. } => self.resume(),
        }
    }

    fn timer_fired(&mut self, timer: Timer) -> Result<(), StepError> {
        match timer {
            Timer::Retry(key) => {
                let slot = key.item.unwrap_or(0);
                let due = fold::slot_ref(self.state, key.node, slot).is_some_and(|s| {
                    matches!(s.phase, Phase::RetryAt { .. }) && s.visit == key.visit && s.attempt == key.attempt
                });
                // Without room it starts as soon as another call of the step has ended.
                // What comes due while the run is stopped begins when it goes on.
                if due && !self.is_stopped() && self.has_room(key.node) && self.may_start(key.node) {
                    self.start_slots(key.node, &[slot])
                } else {
                    Ok(())
                }
            }
            Timer::Wait(_) if self.is_stopped() => Ok(()),
            Timer::Wait(key) => self.wait_over(&key),
            Timer::Task(task) if self.state.ending.is_none() && self.state.cancel.0.is_none() => self.task_due(&task),
            Timer::Task(_) => Ok(()),
            Timer::Grace => {
                let over = match &self.state.ending {
                    Some(Ending::Abort { chain, chain_over, .. }) => !*chain || *chain_over,
                    Some(Ending::Stop) => true,
                    None => self.state.cancel.0.is_some(),
                };
                if over { self.interrupt_calls() } else { Ok(()) }
            }
        }
    }

    /// Whether something new of this node may start.
    pub(crate) fn may_start(&self, node: usize) -> bool {
        self.state.cancel.0.is_none() && !fold::nothing_new(self.state, self.compiled, node)
    }

    /// After a crash or a shutdown: every call without an end is interrupted, every timer runs again.
    fn resume(&mut self) -> Result<(), StepError> {
        // A paused run stood still: nothing was cut off, and nothing has to be said.
        if self.state.status != RunStatus::Paused {
            self.emit(None, EventBody::WorkflowResumed(WorkflowResumed {}))?;
        }
        for (id, task) in self.state.tasks.clone() {
            // Who asked went with the process that was asked.
            if self.state.is_live(&task) {
                self.expire(&id, &task)?;
            } else {
                self.task_timer(&id);
            }
        }
        self.interrupt_recovery()?;
        let mut told = BTreeSet::new();
        for (node, slot) in self.state.work.in_flight().clone() {
            let looping = fold::slot_ref(self.state, node, slot).is_some_and(|s| s.interruptions >= 2);
            if looping && self.may_start(node) {
                self.crash_loop(node, slot)?;
                continue;
            }
            let Some(batch) = self.as_batch(node, &mut told) else { continue };
            let config = fold::slot_ref(self.state, node, slot).and_then(|s| s.config.clone()).unwrap_or_default();
            let write = matches!(self.compiled.nodes[node].descriptor.effects.of(&config), Effects::Write);
            self.out.durable |= write;
            let asks = write && fold::call_asks(self.compiled, node, &config);
            // Nobody can be asked any more: the error goes its way.
            if asks && self.state.is_given_up() && self.may_start(node) {
                self.unasked(node, slot)?;
                continue;
            }
            let effect = asks.then(|| "unknown".to_owned());
            let key = self.event_key(node, if batch { None } else { Some(slot) }, slot);
            self.emit(Some(key), EventBody::StepInterrupted(StepInterrupted { effect, origin: None }))?;
        }
        // A stopped run looks at its timers when it goes on.
        if !self.is_stopped() {
            self.timers();
        }
        Ok(())
    }

    /// Every timer runs, what is due at once.
    fn timers(&mut self) {
        for (node, slot) in self.state.work.timed().clone() {
            let key = self.call_key(node, slot);
            match fold::slot_ref(self.state, node, slot).map(|s| s.phase.clone()) {
                Some(Phase::Sleeping { due_ms }) => {
                    self.out.effects.push(Effect::Timer { timer: Timer::Wait(key), due_ms });
                }
                Some(Phase::RetryAt { due_ms }) => {
                    self.out.effects.push(Effect::Timer { timer: Timer::Retry(key), due_ms });
                }
                Some(_) | None => {}
            }
        }
    }

    /// Whether the calls of a node in flight are one batch; `None` when an event has told of all of them.
    pub(crate) fn as_batch(&self, node: usize, told: &mut BTreeSet<usize>) -> Option<bool> {
        if told.contains(&node) {
            return None;
        }
        let batch = self.is_batch(node);
        if batch {
            told.insert(node);
        }
        Some(batch)
    }

    /// Cuts off calls in flight.
    fn interrupt_calls(&mut self) -> Result<(), StepError> {
        let mut told = BTreeSet::new();
        let cut = self.state.work.in_flight().clone();
        if self.state.is_busy() {
            self.out.effects.push(Effect::CancelCalls);
        }
        self.interrupt_recovery()?;
        for (node, slot) in cut {
            let Some(batch) = self.as_batch(node, &mut told) else { continue };
            let effect = (!self.compiled.nodes[node].pure).then(|| "unknown".to_owned());
            let key = self.event_key(node, if batch { None } else { Some(slot) }, slot);
            self.emit(Some(key), EventBody::StepInterrupted(StepInterrupted { effect, origin: None }))?;
        }
        Ok(())
    }

    /// Ends waits of steps that will not go on.
    fn interrupt_waits(&mut self) -> Result<(), StepError> {
        for (node, slot) in self.state.work.timed().clone() {
            let sleeping =
                fold::slot_ref(self.state, node, slot).is_some_and(|s| matches!(s.phase, Phase::Sleeping { .. }));
            if sleeping && !self.may_start(node) {
                let key = self.event_key(node, Some(slot), slot);
                self.emit(Some(key), EventBody::StepInterrupted(StepInterrupted { effect: None, origin: None }))?;
            }
        }
        Ok(())
    }

    /// People who are still asked when the run ends: their step's call ends too.
    fn interrupt_people(&mut self) -> Result<(), StepError> {
        for (node, slot, recovery) in fold::case::with_people(self.state) {
            let (key, origin) = match recovery {
                Some(human) => (self.recovery_key(node, slot, human, false), Some(self.origin_of(node, slot))),
                None => (self.event_key(node, Some(slot), slot), None),
            };
            self.emit(Some(key), EventBody::StepInterrupted(StepInterrupted { effect: None, origin }))?;
        }
        Ok(())
    }

    /// Decides until nothing is left to decide.
    fn advance(&mut self) -> Result<(), StepError> {
        while !self.state.status.is_terminal() {
            if self.state.cancel.0.is_some() {
                self.interrupt_waits()?;
                if !self.state.is_busy() {
                    self.interrupt_people()?;
                    self.interrupt_bodies()?;
                    let (duration_ms, superseded_by) = (self.duration(), self.state.cancel.1.clone());
                    let body = WorkflowCancelled { duration_ms, superseded_by };
                    self.emit(None, EventBody::WorkflowCancelled(body))?;
                }
                return Ok(());
            }
            if matches!(self.state.ending, Some(Ending::Stop)) {
                self.interrupt_calls()?;
                self.interrupt_waits()?;
                self.interrupt_people()?;
                self.interrupt_bodies()?;
                let (duration_ms, stop_id) = (self.duration(), self.state.stop_id.clone());
                return self.emit(None, EventBody::WorkflowDone(WorkflowDone { duration_ms, stop_id }));
            }
            if let Some(Ending::Abort { error, step, reason, chain, chain_over, .. }) = &self.state.ending {
                let (failed, chain_runs) = (
                    WorkflowFailed {
                        error: error.clone(),
                        failed_step_id: step.clone(),
                        duration_ms: self.duration(),
                        reason: reason.clone(),
                    },
                    *chain && !*chain_over,
                );
                self.interrupt_waits()?;
                if chain_runs && self.decide_one()? {
                    continue;
                }
                let idle = !self.state.is_busy();
                if idle && self.chain_may_begin() {
                    continue;
                }
                if idle && (!chain_runs || self.state.work.timed().is_empty()) {
                    self.interrupt_people()?;
                    self.interrupt_bodies()?;
                    return self.emit(None, EventBody::WorkflowFailed(failed));
                }
                return Ok(());
            }
            // Results are recorded; nothing is decided about them before the run goes on.
            if self.is_stopped() {
                return Ok(());
            }
            if !self.decide_one()? {
                if !self.state.is_waiting() {
                    let duration_ms = self.duration();
                    self.emit(None, EventBody::WorkflowDone(WorkflowDone { duration_ms, stop_id: None }))?;
                }
                return Ok(());
            }
        }
        Ok(())
    }

    /// The chain has just been activated by the state and has something to start.
    fn chain_may_begin(&self) -> bool {
        matches!(self.state.ending, Some(Ending::Abort { chain: true, chain_over: false, .. }))
            && self.state.work.has_starts()
    }

    /// Takes one decision; false when there is none to take.
    fn decide_one(&mut self) -> Result<bool, StepError> {
        // Pure calls go one after the other: the result comes at once, in the same burst.
        if self.state.work.in_flight().iter().any(|(node, _)| self.compiled.nodes[*node].pure) {
            return Ok(false);
        }
        if let Some((node, slot)) = self.next_undecided() {
            let was_ending = self.state.ending.is_some();
            match fold::slot_ref(self.state, node, slot).map(|s| s.phase.clone()) {
                Some(Phase::Undecided { error }) => self.decide(node, slot, &error)?,
                Some(Phase::Case(case)) => self.decide_case(node, slot, &case)?,
                Some(Phase::Reenter) => self.start_slots(node, &[slot])?,
                Some(Phase::Interrupted) => {
                    let slots = if self.is_batch(node) { self.interrupted_slots(node) } else { vec![slot] };
                    self.start_slots(node, &slots)?;
                }
                Some(_) | None => {
                    self.state.work.set_undecided((node, slot), false);
                }
            }
            if !was_ending && self.state.ending.is_some() && self.state.is_busy() {
                self.out.effects.push(Effect::Timer { timer: Timer::Grace, due_ms: self.now + GRACE_MS });
            }
            return Ok(true);
        }
        if let Some((node, slot)) = self.state.work.bodies().first().copied() {
            self.decide_body(node, slot)?;
            return Ok(true);
        }
        if let Some(node) = self.state.work.ready().first().copied() {
            self.start_node(node)?;
            return Ok(true);
        }
        if let Some((node, slot)) = self.waiting_for_room() {
            self.start_slots(node, &[slot])?;
            return Ok(true);
        }
        for node in self.state.work.startable().clone() {
            if self.start_more(node)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether another call of this node may be under way (SEMANTICS 3: one at a time for `write`, up to 8 for `read`).
    fn has_room(&self, node: usize) -> bool {
        self.under_way(node) < self.compiled.nodes[node].parallel
    }

    /// Calls of a node that have begun.
    pub(crate) fn under_way(&self, node: usize) -> usize {
        let work = &self.state.work;
        let set = if self.compiled.is_container(node) { work.inside() } else { work.in_flight() };
        set.range((node, 0)..(node + 1, 0)).count()
    }

    /// The first slot that needs a decision and may have it now: a call that starts again waits for room.
    fn next_undecided(&self) -> Option<(usize, usize)> {
        self.state.work.undecided().iter().copied().find(|(node, slot)| {
            let starts = fold::slot_ref(self.state, *node, *slot)
                .is_some_and(|s| matches!(s.phase, Phase::Reenter | Phase::Interrupted));
            !starts || self.has_room(*node)
        })
    }

    /// A retry whose time came while the step had no room.
    fn waiting_for_room(&self) -> Option<(usize, usize)> {
        self.state.work.timed().iter().copied().find(|(node, slot)| {
            self.many(*node)
                && fold::slot_ref(self.state, *node, *slot)
                    .is_some_and(|s| matches!(s.phase, Phase::RetryAt { due_ms } if due_ms <= self.now))
                && self.has_room(*node)
                && self.may_start(*node)
        })
    }

    /// SEMANTICS 4: the first line that applies, once.
    fn decide(&mut self, node: usize, slot: usize, error: &Arc<ErrorPayload>) -> Result<(), StepError> {
        let this = &self.compiled.nodes[node];
        let attempt = fold::slot_ref(self.state, node, slot).map_or(0, |s| s.attempt);
        if let Some(own) =
            this.own_retry.as_ref().filter(|_| fold::own_retry_applies(self.compiled, node, error, attempt))
        {
            let retry = route::planned(self.compiled, self.state, node, slot, error, own);
            return self.retry(node, slot, retry);
        }
        let slots = fold::activation(self.state, node).map_or(0, |activation| activation.slots.len());
        let handled = if crate::limit::ends_step(error, slots) {
            route::by_limit(self.compiled, node)
        } else if deadline::is_over(&this.kind, error) && !this.fallback {
            route::by_expiry(self.compiled, node)
        } else {
            route::by_policy(self.compiled, self.state, node, slot, error)
        };
        let key = self.event_key(node, Some(slot), slot);
        self.emit(Some(key), EventBody::ErrorHandled(handled))
    }

    pub(crate) fn duration(&self) -> i64 {
        self.now - self.state.started_ms
    }

    /// Records one event: applied at once, so that the next decision sees it.
    /// How an error names its entry in the audit chain (E-16): by the event that the entry is made of.
    pub(crate) fn next_event_ref(&self) -> String {
        format!("audit:{}:{}", self.state.run_id, self.state.seq + 1)
    }

    pub(crate) fn emit(&mut self, key: Option<EventKey>, body: EventBody) -> Result<(), StepError> {
        let key = key.unwrap_or_default();
        let event = RunEvent {
            run_id: self.state.run_id.to_string(),
            seq: Some(self.state.seq + 1),
            ts: time::format(self.now),
            step_id: key.node.map(|n| self.compiled.nodes[n].id.to_string()),
            path: key
                .node
                .and_then(|node| fold::place::path_of(self.compiled, self.state, node))
                .map(|p| p.to_string()),
            item: key.item,
            visit: key.visit,
            attempt: key.attempt,
            body,
            client_run_token: self.state.client_run_token.clone(),
        };
        fold(self.compiled, self.state, &event)?;
        self.out.events.push(event);
        Ok(())
    }
}

/// What an event says about its call.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EventKey {
    pub(crate) node: Option<usize>,
    pub(crate) item: Option<usize>,
    pub(crate) visit: Option<u32>,
    pub(crate) attempt: Option<u32>,
}
