//! Drives the engine and the real node kinds without a store, in manual time: when nothing can go on, time jumps to the
//! next timer. Everything is deterministic; a run of minutes takes milliseconds.

use crate::TestWorld;
use futures_util::stream::FuturesUnordered;
use futures_util::task::{ArcWake, waker};
use futures_util::{FutureExt, Stream};
use serde_json::Value;
use signalbox_engine::effect::{CallKey, Effect, Timer};
use signalbox_engine::input::Input;
use signalbox_engine::rerun::{Original, Overrides, plan};
use signalbox_engine::{Compiled, RunState, fold, step};
use signalbox_model::task::Answer;
use signalbox_model::{Effects, EventBody, Map, RunEvent, RunStatus};
use signalbox_nodes::Outcome;
use signalbox_nodes::progress_reporter::ProgressReporter;
use signalbox_ports::{Clock, World};
use std::collections::{BTreeSet, VecDeque};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

/// What calls under way have told, in order.
type Progress = Vec<(CallKey, Vec<signalbox_model::CallProgress>)>;
type Running = Pin<Box<dyn Future<Output = (CallKey, Vec<(usize, Outcome)>)> + Send>>;

/// Says whether somebody was woken since it was looked at.
#[derive(Default)]
struct Woken(AtomicBool);

impl ArcWake for Woken {
    fn wake_by_ref(this: &Arc<Self>) {
        this.0.store(true, Ordering::SeqCst);
    }
}

/// Invariant 2: an event that the engine decided, or has recorded, is one that it takes.
fn folds(compiled: &Compiled, state: &mut RunState, event: &RunEvent) {
    if let Err(error) = fold(compiled, state, event) {
        panic!("{error}: {event:?}");
    }
}

/// What a person does.
enum PersonAct {
    Answer(Answer),
    /// The task waits for somebody else, or does no more.
    Hold(bool),
}

/// One run in memory.
pub struct Driver {
    /// The compiled workflow.
    pub compiled: Arc<Compiled>,
    /// The state after all events.
    pub state: RunState,
    /// Every event so far.
    pub events: Vec<RunEvent>,
    /// The scripted world.
    pub test: TestWorld,
    world: Arc<World>,
    calls: FuturesUnordered<Running>,
    timers: BTreeSet<(i64, Timer)>,
    inputs: VecDeque<Input>,
    /// What calls told and the run has not heard yet.
    said: Arc<Mutex<Progress>>,
    cancel_at: Option<i64>,
    /// What people answer, in order, each so many milliseconds after the run began to wait for it.
    people: VecDeque<(i64, PersonAct)>,
    answer_at: Option<i64>,
}

impl Driver {
    /// A run before its start.
    pub fn new(compiled: Arc<Compiled>, test: TestWorld) -> Self {
        let state = RunState::new(&compiled, "00000000-0000-7000-8000-000000000001", None);
        Self {
            world: Arc::new(test.world()),
            compiled,
            state,
            events: Vec::new(),
            test,
            calls: FuturesUnordered::new(),
            timers: BTreeSet::new(),
            inputs: VecDeque::new(),
            said: Arc::default(),
            cancel_at: None,
            people: VecDeque::new(),
            answer_at: None,
        }
    }

    /// Answers the oldest open task `after_ms` after the run waits for a person and nothing else.
    pub fn answer_after(&mut self, after_ms: i64, answer: Answer) {
        self.people.push_back((after_ms, PersonAct::Answer(answer)));
    }

    /// Puts the oldest open task on hold, or takes it up again, `after_ms` after the run waits for a person.
    pub fn hold_after(&mut self, after_ms: i64, held: bool) {
        self.people.push_back((after_ms, PersonAct::Hold(held)));
    }

    /// Answers a task now.
    pub fn answer(&mut self, task_id: &str, answer: Answer) {
        let now = self.test.clock.now_ms();
        self.inputs.push_back(Input::Decision { task_id: task_id.to_owned(), answer, request_id: None, now });
    }

    /// Puts the start into the queue.
    pub fn start(&mut self, params: Value, context: Map, started_by: Option<String>) {
        let now = self.test.clock.now_ms();
        self.inputs.push_back(Input::Start {
            params: Arc::new(params),
            context,
            seed: 7,
            started_by,
            debug: None,
            until: None,
            now,
        });
    }

    /// Cancels so many milliseconds from now.
    pub fn cancel_after(&mut self, ms: i64) {
        self.cancel_at = Some(self.test.clock.now_ms() + ms);
    }

    /// What is left of a run after a crash that kept the first `keep` events: fold, then resume.
    pub fn crash_and_resume(self, keep: usize) -> Self {
        let mut next = Self::new(Arc::clone(&self.compiled), self.test);
        next.people = self.people;
        for event in self.events.into_iter().take(keep) {
            folds(&next.compiled, &mut next.state, &event);
            next.events.push(event);
        }
        let now = next.test.clock.now_ms();
        next.inputs.push_back(Input::Resume { now });
        next
    }

    /// A re-run of this run from a step, with another definition or its own, in a world of its own. Queued, not begun.
    pub fn again(&self, target: &Arc<Compiled>, from: &str, keep_answers: bool, test: TestWorld) -> Self {
        let original = Original { compiled: &self.compiled, events: &self.events };
        let overrides = Overrides { keep_answers, ..Overrides::default() };
        let made = plan(original, target, from).and_then(|plan| plan.with(target, overrides));
        let rerun = made.unwrap_or_else(|error| panic!("{error}"));
        let mut next = Self::new(Arc::clone(target), test);
        let now = next.test.clock.now_ms();
        next.inputs.push_back(Input::Rerun { rerun: Box::new(rerun), seed: 7, started_by: None, debug: None, now });
        next
    }

    /// Runs until the run has ended or nothing can happen any more.
    pub fn run(&mut self) {
        self.run_until(|_| false);
    }

    /// Runs until `stop` says so after a step, the run has ended, or nothing can happen any more.
    pub fn run_until(&mut self, stop: impl Fn(&Self) -> bool) {
        loop {
            while let Some(input) = self.inputs.pop_front() {
                self.one(input);
                if stop(self) {
                    return;
                }
            }
            if self.state.status().is_terminal() || (!self.poll_calls() && !self.next_moment()) {
                return;
            }
        }
    }

    fn one(&mut self, input: Input) {
        let before = self.state.clone();
        let out =
            step(&self.compiled, &mut self.state, input.clone()).unwrap_or_else(|error| panic!("{error}: {input:?}"));
        // Invariant 2, at every step of every scenario.
        let mut folded = before;
        for event in &out.events {
            folds(&self.compiled, &mut folded, event);
        }
        assert_eq!(folded, self.state, "fold(events) is not the state after {input:?}");
        self.events.extend(out.events);
        let now = self.test.clock.now_ms();
        for effect in out.effects {
            match effect {
                Effect::Call(call) => {
                    let code = signalbox_nodes::kind(&call.kind).unwrap_or_else(|| panic!("no code for {}", call.kind));
                    let world = Arc::clone(&self.world);
                    let pure = call.effects == Effects::None;
                    let (said, key) = (Arc::clone(&self.said), call.key.clone());
                    let tell =
                        move |told| said.lock().unwrap_or_else(PoisonError::into_inner).push((key.clone(), told));
                    let clock = Arc::clone(&world.clock);
                    let speech = ProgressReporter::new(clock, world.secrets.scrubber(), Box::new(tell));
                    let work = async move {
                        let results = speech.over(pin!(signalbox_nodes::run_call(code, &call, &world, &speech))).await;
                        (call.key, results)
                    };
                    if pure {
                        let Some((key, results)) = work.now_or_never() else {
                            panic!("code without effects waits");
                        };
                        self.inputs.push_back(Input::NodeFinished { key, results, now });
                    } else {
                        self.calls.push(Box::pin(work));
                    }
                }
                Effect::Timer { timer, due_ms } => {
                    self.timers.insert((due_ms, timer));
                }
                // Calls of an ending run are dropped when it has ended; the engine's Grace timer decides when.
                Effect::CancelCalls => {}
                // Its result comes late, and the engine does not want it any more.
                Effect::CancelCall(_) => {}
                Effect::WriteArtifact { path, content } => {
                    let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
                    self.test.files.put(&format!("artifact:{path}"), text);
                }
            }
        }
    }

    /// Polls the calls under way; true when at least one ended.
    fn poll_calls(&mut self) -> bool {
        let woken = Arc::new(Woken::default());
        let waker = waker(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let now = self.test.clock.now_ms();
        loop {
            woken.0.store(false, Ordering::SeqCst);
            let polled = Pin::new(&mut self.calls).poll_next(&mut context);
            let told = std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner));
            let heard = !told.is_empty();
            self.inputs.extend(told.into_iter().map(|(key, said)| Input::CallSaid { key, said, now }));
            match polled {
                Poll::Ready(Some((key, results))) => {
                    self.inputs.push_back(Input::NodeFinished { key, results, now });
                    return true;
                }
                Poll::Ready(None) => return false,
                Poll::Pending if heard => return true,
                Poll::Pending if woken.0.load(Ordering::SeqCst) => {}
                Poll::Pending => return false,
            }
        }
    }

    /// Jumps to the next moment at which something is due; false when there is none.
    fn next_moment(&mut self) -> bool {
        let timer = self.timers.iter().next().map(|(due, _)| *due);
        if self.state.status() == RunStatus::Paused && self.answer_at.is_none() {
            self.answer_at = self.people.front().map(|(after, _)| self.test.clock.now_ms() + after);
        }
        let moments = [timer, self.test.clock.next_due(), self.cancel_at, self.answer_at];
        let Some(due) = moments.into_iter().flatten().min() else {
            return false;
        };
        let now = due.max(self.test.clock.now_ms());
        self.test.clock.set(now);
        if self.answer_at.is_some_and(|at| at <= now) {
            self.answer_at = None;
            let task = self.events.iter().find_map(|event| match &event.body {
                EventBody::HumanTaskCreated(created) if self.state.open_tasks().any(|id| id == created.task_id) => {
                    Some(created.task_id.clone())
                }
                _ => None,
            });
            match (task, self.people.pop_front()) {
                (Some(task), Some((_, PersonAct::Answer(answer)))) => {
                    self.answer(&task, answer);
                    return true;
                }
                (Some(task_id), Some((_, PersonAct::Hold(held)))) => {
                    let operator_id = "user:test".to_owned();
                    self.inputs.push_back(Input::Hold { task_id, held, operator_id, at: now, now });
                    return true;
                }
                (None, _) | (_, None) => {}
            }
        }
        if self.cancel_at.is_some_and(|at| at <= now) {
            self.cancel_at = None;
            self.inputs.push_back(Input::Cancel { superseded_by: None, now });
        }
        while let Some((due, timer)) = self.timers.pop_first() {
            if due > now {
                self.timers.insert((due, timer));
                break;
            }
            self.inputs.push_back(Input::TimerFired { timer, now });
        }
        true
    }
}
