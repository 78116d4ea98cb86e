//! One run in memory, in simulated time: when nothing can go on, time jumps to the next moment at which something is due.

use serde_json::Value;
use signalbox_engine::effect::{Call, CallKey, CallOutput, CallSlot, Effect, Timer};
use signalbox_engine::rerun::Rerun;
use signalbox_engine::{Compiled, Input, RunState, fold, step};
use signalbox_model::base::Base;
use signalbox_model::task::{Answer, HumanTaskCreated};
use signalbox_model::{Effects, EventBody, Map, NodeFailure, RunEvent, RunStatus};
use signalbox_nodes::{Kind, run_pure, timed_out};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// The id of every simulated run.
pub const RUN_ID: &str = "00000000-0000-7000-8000-000000000001";

/// Answers in place of the outside world.
pub trait Environment {
    /// How one slot of a call ends. Steps without effects are asked about as well: [`Reply::Code`] runs their code.
    fn reply(&mut self, call: &CallInfo<'_>) -> Reply;
    /// What people do about a task, each so many milliseconds after it was created.
    fn people(&mut self, task: &TaskInfo<'_>) -> Vec<(i64, PersonInput)>;
}

/// One slot of a call.
#[derive(Debug, Clone, Copy)]
pub struct CallInfo<'a> {
    /// The call.
    pub call: &'a Call,
    /// The slot.
    pub slot: &'a CallSlot,
    /// Index of the item; none when the step is called once.
    pub item: Option<usize>,
    /// Which call of the step this is, from 1, over all paths and items.
    pub number: u32,
    /// Which call of the step at this path and for this item, from 1.
    pub number_here: u32,
    /// Time, milliseconds since 1970.
    pub now_ms: i64,
}

/// A task that was created.
#[derive(Debug, Clone, Copy)]
pub struct TaskInfo<'a> {
    /// The step that asks.
    pub step: &'a str,
    /// Where it stands; empty at the top.
    pub path: &'a str,
    /// The task.
    pub task: &'a HumanTaskCreated,
}

/// What a person does.
#[derive(Debug, Clone, PartialEq)]
pub enum PersonInput {
    /// An answer.
    Answer(Answer),
    /// The task waits for somebody else, or no longer.
    Hold(bool),
}

/// How a call ends.
#[derive(Debug, Clone)]
pub enum Reply {
    /// By the step's own code, after so many milliseconds. Only for steps without effects.
    Code(i64),
    /// Well, after so many milliseconds.
    Output(CallOutput, i64),
    /// With an error, after so many milliseconds.
    Failure(NodeFailure, i64),
    /// The program stops after so many milliseconds, and starts again.
    Crash(i64),
    /// Not at all; the time limit of the step ends it.
    Never,
    /// Not at all: after so many milliseconds the run is cancelled.
    Cancel(i64),
    /// There is no answer: the simulation ends.
    Missing,
}

/// A call that nothing answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The step.
    pub step: String,
    /// Where; empty at the top.
    pub path: String,
    /// Index of the item.
    pub item: Option<usize>,
    /// Its kind.
    pub kind: String,
    /// Which call of the step, from 1.
    pub number: u32,
    /// Round of the slot.
    pub visit: u32,
    /// Automatic retries before.
    pub attempt: u32,
}

/// Why a simulation is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The run ended, or waits for a person and nothing else is due.
    Settled,
    /// A call has no answer.
    Unanswered(Unanswered),
    /// It was told to stop.
    Stopped,
    /// More events than allowed.
    TooManyEvents,
    /// More simulated time than allowed.
    TooLong,
    /// The engine refused an input: a fault of the program.
    Fault(String),
}

/// Limits of a simulation.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most events.
    pub events: usize,
    /// Most simulated time, milliseconds.
    pub duration_ms: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { events: 200_000, duration_ms: 400 * 24 * 3_600_000 }
    }
}

/// What happens at a moment.
#[derive(Debug)]
enum Due {
    Finished(CallKey, Vec<(usize, Result<CallOutput, NodeFailure>)>),
    Timer(Timer),
    Crash,
    Person(String, PersonInput),
    Cancel,
}

/// What a run starts with.
#[derive(Debug, Clone)]
pub struct Start {
    /// Input of the run.
    pub params: Value,
    /// Initial variables besides those of the file.
    pub context: Map,
    /// Seed of all delays.
    pub seed: u64,
    /// Step that it ends after.
    pub until: Option<String>,
    /// It begins in the middle, with what a re-run has of its original; `context` then holds all variables.
    pub rerun: Option<(String, Base)>,
    /// Time, milliseconds since 1970.
    pub now_ms: i64,
}

/// One run in memory.
pub struct Simulation<'e> {
    compiled: Arc<Compiled>,
    state: RunState,
    events: Vec<RunEvent>,
    environment: &'e mut dyn Environment,
    limits: Limits,
    now: i64,
    started: i64,
    queue: BTreeMap<(i64, u64), Due>,
    order: u64,
    inputs: VecDeque<Input>,
    /// Calls so far by step, and by step, path and item.
    numbers: HashMap<String, u32>,
    numbers_here: HashMap<(String, String, Option<usize>), u32>,
    /// Events that people were asked about.
    seen: usize,
    unanswered: Option<Unanswered>,
}

impl<'e> Simulation<'e> {
    /// A run before its start.
    pub fn new(compiled: Arc<Compiled>, environment: &'e mut dyn Environment, limits: Limits) -> Self {
        let state = RunState::new(&compiled, RUN_ID, None);
        Self {
            compiled,
            state,
            events: Vec::new(),
            environment,
            limits,
            now: 0,
            started: 0,
            queue: BTreeMap::new(),
            order: 0,
            inputs: VecDeque::new(),
            numbers: HashMap::new(),
            numbers_here: HashMap::new(),
            seen: 0,
            unanswered: None,
        }
    }

    /// Starts the run.
    pub fn start(&mut self, start: Start) {
        let Start { params, context, seed, until, rerun, now_ms } = start;
        self.now = now_ms;
        self.started = now_ms;
        let now = now_ms;
        let params = Arc::new(params);
        self.inputs.push_back(match rerun {
            None => Input::Start { params, context, seed, started_by: None, debug: None, until, now },
            Some((from, base)) => {
                let rerun = Rerun { params, context, from, until, parent: None, base_seq: None, base };
                Input::Rerun { rerun: Box::new(rerun), seed, started_by: None, debug: None, now }
            }
        });
    }

    /// Cancels the run so many milliseconds after its start.
    pub fn cancel_after(&mut self, ms: i64) {
        self.at(self.started + ms.max(0), Due::Cancel);
    }

    /// The state.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Every event so far.
    pub fn events(&self) -> &[RunEvent] {
        &self.events
    }

    /// The events, when it is over.
    pub fn into_events(self) -> (Vec<RunEvent>, RunState) {
        (self.events, self.state)
    }

    /// Runs until the run is over or nothing is due any more; `stop` is asked after every step.
    pub fn run(&mut self, mut stop: impl FnMut(&Self) -> bool) -> End {
        loop {
            while let Some(input) = self.inputs.pop_front() {
                if let Err(fault) = self.take(input) {
                    return End::Fault(fault);
                }
                if let Some(unanswered) = self.unanswered.take() {
                    return End::Unanswered(unanswered);
                }
                if self.events.len() > self.limits.events {
                    return End::TooManyEvents;
                }
                self.ask_people();
                if stop(self) {
                    return End::Stopped;
                }
            }
            if self.state.status().is_terminal() {
                return End::Settled;
            }
            let Some(due) = self.queue.keys().next().map(|(due, _)| *due) else { return End::Settled };
            if due - self.started > self.limits.duration_ms {
                return End::TooLong;
            }
            if let Err(fault) = self.advance(due) {
                return End::Fault(fault);
            }
        }
    }

    fn at(&mut self, due_ms: i64, due: Due) {
        self.order += 1;
        self.queue.insert((due_ms, self.order), due);
    }

    /// Takes the first thing that is due.
    fn advance(&mut self, due: i64) -> Result<(), String> {
        self.now = self.now.max(due);
        let now = self.now;
        let Some((_, due)) = self.queue.pop_first() else { return Ok(()) };
        match due {
            Due::Finished(key, results) => self.inputs.push_back(Input::NodeFinished { key, results, now }),
            Due::Timer(timer) => self.inputs.push_back(Input::TimerFired { timer, now }),
            Due::Cancel => self.inputs.push_back(Input::Cancel { superseded_by: None, now }),
            Due::Person(task_id, PersonInput::Answer(answer)) => {
                // Somebody, or its policy, was faster.
                if self.state.open_tasks().any(|id| id == task_id) {
                    self.inputs.push_back(Input::Decision { task_id, answer, request_id: None, now });
                }
            }
            Due::Person(task_id, PersonInput::Hold(held)) => {
                if self.state.open_tasks().any(|id| id == task_id) {
                    let operator_id = "user:test".to_owned();
                    self.inputs.push_back(Input::Hold { task_id, held, operator_id, at: now, now });
                }
            }
            Due::Crash => self.crash()?,
        }
        Ok(())
    }

    /// All that the process knew is lost but the events; what people and the clock will do is still to come.
    fn crash(&mut self) -> Result<(), String> {
        let mut state = RunState::new(&self.compiled, RUN_ID, None);
        for event in &self.events {
            fold(&self.compiled, &mut state, event).map_err(|error| error.to_string())?;
        }
        self.state = state;
        self.inputs.clear();
        self.queue.retain(|_, due| matches!(due, Due::Person(..) | Due::Cancel));
        self.inputs.push_back(Input::Resume { now: self.now });
        Ok(())
    }

    fn take(&mut self, input: Input) -> Result<(), String> {
        let out = step(&self.compiled, &mut self.state, input).map_err(|error| error.to_string())?;
        self.events.extend(out.events);
        for effect in out.effects {
            match effect {
                Effect::Call(call) => self.call(&call),
                Effect::Timer { timer, due_ms } => self.at(due_ms.max(self.now), Due::Timer(timer)),
                // Late results are ignored by the engine.
                Effect::CancelCalls | Effect::CancelCall(_) | Effect::WriteArtifact { .. } => {}
            }
        }
        Ok(())
    }

    fn call(&mut self, call: &Call) {
        let code = match signalbox_nodes::kind(&call.kind) {
            Some(Kind::Pure(code)) if call.effects == Effects::None => Some(code),
            _ => None,
        };
        let mut results = Vec::with_capacity(call.slots.len());
        let (mut after, mut crash) = (0, None);
        for slot in &call.slots {
            let item = if call.slots.len() > 1 { Some(slot.item) } else { call.key.item };
            let step = call.node_id.to_string();
            let number = self.numbers.entry(step.clone()).or_default();
            *number += 1;
            let number = *number;
            let here = self.numbers_here.entry((step, call.key.path.to_string(), item)).or_default();
            *here += 1;
            let number_here = *here;
            let limit = limit_of(call, slot);
            let info = CallInfo { call, slot, item, number, number_here, now_ms: self.now };
            let (result, took) = match self.environment.reply(&info) {
                Reply::Code(took) => match code {
                    Some(code) => (run_pure(code, slot), took),
                    None => return self.missing(call, item, number),
                },
                Reply::Missing => return self.missing(call, item, number),
                Reply::Output(output, took) => (Ok(output), took),
                Reply::Failure(failure, took) => (Err(failure), took),
                Reply::Crash(took) => {
                    crash = Some(took);
                    break;
                }
                Reply::Cancel(took) => return self.at(self.now + took, Due::Cancel),
                Reply::Never => match limit {
                    Some(limit) => (Err(timed_out(limit)), i64::try_from(limit).unwrap_or(i64::MAX)),
                    // Nothing ends it but a cancel.
                    None => return,
                },
            };
            // What took too long and failed has failed for its own reason.
            let is_late =
                limit.filter(|_| result.is_ok()).filter(|limit| i64::try_from(*limit).is_ok_and(|limit| took > limit));
            let (result, took) = match is_late {
                Some(limit) => (Err(timed_out(limit)), i64::try_from(limit).unwrap_or(i64::MAX)),
                None => (result, took),
            };
            after = after.max(took);
            results.push((slot.item, result));
        }
        let key = call.key.clone();
        if let Some(took) = crash {
            self.at(self.now + took, Due::Crash);
        } else if after == 0 && call.effects == Effects::None {
            self.inputs.push_back(Input::NodeFinished { key, results, now: self.now });
        } else {
            self.at(self.now.saturating_add(after), Due::Finished(key, results));
        }
    }

    fn missing(&mut self, call: &Call, item: Option<usize>, number: u32) {
        self.unanswered.get_or_insert(Unanswered {
            step: call.node_id.to_string(),
            path: call.key.path.to_string(),
            item,
            kind: call.kind.to_string(),
            number,
            visit: call.key.visit,
            attempt: call.key.attempt,
        });
    }

    /// Asks what people do about tasks that are new.
    fn ask_people(&mut self) {
        for at in self.seen..self.events.len() {
            let event = &self.events[at];
            let EventBody::HumanTaskCreated(task) = &event.body else { continue };
            let info = TaskInfo {
                step: event.step_id.as_deref().unwrap_or_default(),
                path: event.path.as_deref().unwrap_or_default(),
                task,
            };
            let acts = self.environment.people(&info);
            let task_id = task.task_id.clone();
            for (after, act) in acts {
                self.at(self.now + after, Due::Person(task_id.clone(), act));
            }
        }
        self.seen = self.events.len();
    }

    /// The run waits for a person, and no simulated person will answer.
    pub fn waits_for_good(&self) -> bool {
        self.state.status() == RunStatus::Paused
            && self.inputs.is_empty()
            && !self.queue.values().any(|due| matches!(due, Due::Person(..) | Due::Cancel))
    }

    /// Time since the start, milliseconds.
    pub fn elapsed_ms(&self) -> i64 {
        self.now - self.started
    }
}

/// How long a call may take: the step's limit, or that of an HTTP request.
fn limit_of(call: &Call, slot: &CallSlot) -> Option<u64> {
    if call.effects == Effects::None {
        return None;
    }
    let own = slot
        .config
        .get("timeoutMs")
        .and_then(Value::as_u64)
        .or_else(|| signalbox_nodes::usual_time_limit(&call.kind, slot));
    [call.timeout_ms, own].into_iter().flatten().min()
}
