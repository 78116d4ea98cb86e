//! Re-run from a step (SEMANTICS 9, K-34): which events of the original stand, what executes again, and whether another
//! definition can take the rest over. Only a look at the log; the new run is [`crate::Input::Rerun`].

mod compare;
mod enclosing;
mod pending_steps;
mod range;
mod reopen;
mod send;

pub use compare::{Change, StepDisposition, StepPlan};
pub(crate) use compare::{same, same_inside, wires};
pub use reopen::Reopen;
pub use send::Send;

use crate::{
    compiled::Compiled,
    fold::{self, FoldError},
    params,
    state::RunState,
    until::{self, UntilError},
};
use enclosing::Around;
use range::Range;
use reopen::{Asking, Why};
use serde_json::{Value, json};
use signalbox_model::{
    Diagnostic, EventBody, Item, Items, Map, RunEvent, RunStatus,
    base::{Base, Begun, Foreign, KeptAnswer, named, parted},
    event::WorkflowStart,
    hash::sha256_hex,
    task::{HumanTaskCreated, TaskKind, TaskReason},
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Why a run cannot be run again from a step.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RerunError {
    /// No such step in the definition that the original ran with.
    #[error("The run has no step '{step}'")]
    UnknownStep {
        /// As it was named.
        step: String,
        /// Steps that may be meant.
        known: Vec<String>,
    },
    /// It never began in the original.
    #[error("The step '{step}' did not run, so nothing is known of what it would have got")]
    NeverRan {
        /// The step.
        step: String,
        /// Where it did run, when it stands in a container.
        ran: Vec<String>,
    },
    /// It works on failures of other steps.
    #[error("The step '{step}' only works on failures of other steps")]
    Recovery {
        /// The step.
        step: String,
    },
    /// It is part of the chain after an abort.
    #[error("The step '{step}' only runs after the run was given up")]
    AfterAbort {
        /// The step.
        step: String,
    },
    /// The other definition does not have it any more.
    #[error("The workflow has no step '{step}' any more")]
    Gone {
        /// The step.
        step: String,
    },
    /// A changed variable does not fit.
    #[error("${name}: {why}")]
    Variable {
        /// Without `$`.
        name: String,
        /// Why.
        why: String,
    },
    /// A changed param does not fit.
    #[error("{}", .0.first().map_or("the params do not fit", |d| d.message.as_str()))]
    Params(Vec<Diagnostic>),
    /// The changed input has no items.
    #[error("The step needs at least one item")]
    NoInput,
    /// The original did not ask this.
    #[error("The run did not ask the task '{task}'")]
    NeverAsked {
        /// The task.
        task: String,
    },
    /// The original did not fail.
    #[error("The run has not failed, it is {}", .status.as_str())]
    NotFailed {
        /// Where it stands.
        status: RunStatus,
    },
    /// It failed, and its log names no call that did.
    #[error("The run failed at '{step}', and its log has no failed call of that step")]
    NoFailedCall {
        /// The step that the run names.
        step: String,
    },
    /// It cannot end where it is wanted.
    #[error(transparent)]
    Until(#[from] UntilError),
    /// The log of the original cannot be followed.
    #[error("The log of the original cannot be followed: {0}")]
    Log(#[from] FoldError),
}

impl RerunError {
    /// The code that a host shows and decides by.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownStep { .. } => "UNKNOWN_STEP",
            Self::NeverRan { .. } => "STEP_NEVER_RAN",
            Self::Recovery { .. } | Self::AfterAbort { .. } => "STEP_NOT_A_START",
            Self::Gone { .. } => "STEP_GONE",
            Self::Variable { .. } => "BAD_VARIABLE",
            Self::Params(_) => "BAD_PARAM",
            Self::NoInput => "BAD_INPUT",
            Self::NeverAsked { .. } => "UNKNOWN_TASK",
            Self::NotFailed { .. } => "NOT_FAILED",
            Self::NoFailedCall { .. } => "NO_FAILED_CALL",
            Self::Until(error) => error.code(),
            Self::Log(_) => "LOG_DAMAGED",
        }
    }

    /// What a person does next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::UnknownStep { .. } => "Name a step by its id, inside a loop with the iteration: loop[17]/step.",
            Self::NeverRan { .. } => "Choose a step that ran; `runs events` shows them, with their paths.",
            Self::Recovery { .. } => "Choose the step whose failure it worked on.",
            Self::AfterAbort { .. } => "Choose the step that failed.",
            Self::Gone { .. } => "Use the definition of the original, or choose a step that both have.",
            Self::Variable { .. } => "Give a value that fits the schema of the context.",
            Self::Params(_) => "Give params that fit the schema of the workflow.",
            Self::NoInput => "Give a list with the data of one item at least.",
            Self::NeverAsked { .. } => "Name a task of this run; `tasks list --status all` shows them.",
            Self::NotFailed { .. } => {
                "Only a failed run is sent to the inbox; a run that waits has its task there, any other is re-run from a step."
            }
            Self::NoFailedCall { .. } => "Re-run it from the step that failed.",
            Self::Until(error) => error.hint(),
            Self::Log(_) => "Restore the data folder from a backup; other runs are not affected.",
        }
    }
}

/// The original of a re-run.
#[derive(Debug, Clone, Copy)]
pub struct Original<'a> {
    /// The definition it is pinned to.
    pub compiled: &'a Compiled,
    /// All its events.
    pub events: &'a [RunEvent],
}

/// What a person changes for the new run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Variables, without `$`.
    pub context: Map,
    /// Params.
    pub params: Map,
    /// Data of the items that the step gets.
    pub input: Option<Vec<Value>>,
    /// Answers of people are given again.
    pub keep_answers: bool,
}

/// What a re-run would be.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The step, with its path.
    pub from: String,
    /// Params of the original.
    pub params: Arc<Value>,
    /// Variables before the step.
    pub context: Map,
    /// The items that the step got.
    pub input: Vec<Item>,
    /// What becomes of each step, in the order of the file.
    pub steps: Vec<StepPlan>,
    /// Answers of people to steps that execute again.
    pub answers: Vec<KeptAnswer>,
    /// The step begins with the run's input.
    entry: bool,
    /// It ends after this step.
    until: Option<String>,
    /// The definition is another one than that of the original.
    moved: bool,
    base_seq: u64,
    parent: String,
    base: Base,
}

/// Looks at a re-run of `original` from a step with `target`, which may be its own definition.
pub fn plan(original: Original<'_>, target: &Compiled, from: &str) -> Result<Plan, RerunError> {
    plan_with(original, target, from, None)
}

/// Looks at a re-run of `original`, with its own definition, that asks an ended task of it again: what happened before the
/// answer stands, the failed call included, and what followed from the answer happens again.
pub fn plan_reopened(original: Original<'_>, asks: &Reopen) -> Result<Plan, RerunError> {
    let (from, asking) = reopen::asking(&original, asks)?;
    plan_with(original, original.compiled, &from, Some(asking))
}

/// Looks at a run that begins with a person: what is to become of the call that failed `original`. All that was done before
/// that call failed stands, and the call, too; only what was decided about its failure goes.
pub fn plan_sent(original: Original<'_>, wanted: &Send) -> Result<Plan, RerunError> {
    let (from, asking) = send::asking(&original, wanted)?;
    plan_with(original, original.compiled, &from, Some(asking))
}

fn plan_with(
    original: Original<'_>,
    target: &Compiled,
    from: &str,
    asking: Option<Asking>,
) -> Result<Plan, RerunError> {
    let Some((start, parent)) = original.events.first().and_then(|event| match &event.body {
        EventBody::WorkflowStart(start) => Some((start, event.run_id.clone())),
        _ => None,
    }) else {
        return Err(RerunError::NeverRan { step: from.to_owned(), ran: Vec::new() });
    };
    let own = &original.events[1..];
    let earlier = start.base.as_deref();
    let all: Vec<&RunEvent> = earlier.iter().flat_map(|base| &base.events).chain(own).collect();
    let here = Range::of(original.compiled, from).ok_or_else(|| without_place(original.compiled, from, &all))?;
    here.may_begin(original.compiled)?;
    let began = |event: &&RunEvent| {
        let own = matches!(event.body, EventBody::StepStart(_)) && event.body.origin().is_none();
        own && event.step_id.as_deref() == Some(here.step()) && event.path.as_deref() == here.path()
    };
    if !all.iter().any(began) {
        return Err(RerunError::NeverRan { step: from.to_owned(), ran: ran_as(&all, here.step()) });
    }
    let input = recorded_input(original, &here)?;
    let there = Range::of(target, from).ok_or_else(|| RerunError::Gone { step: from.to_owned() })?;
    there.may_begin(target)?;
    let mut answers = Answers::of(&all, &parent);
    let mut events = kept(&all, &[(&here, original.compiled), (&there, target)], &mut answers, asking.as_ref());
    // What a step of another kind did says nothing about what this one would do.
    let other_kind =
        |event: &RunEvent| place(event).is_some_and(|(path, step)| !same_kind(original.compiled, target, path, step));
    events.extract_if(.., |event| other_kind(event)).for_each(|event| answers.leave(&event));
    let given = earlier.map_or_else(|| start.context.clone().unwrap_or_default(), |base| base.given.clone());
    let stands = |name: &str| !here.holds_name(original.compiled, name) && !there.holds_name(target, name);
    let (asks, sent) = match asking.map(|asking| asking.why) {
        Some(Why::Again(again)) => (Some(again), None),
        Some(Why::Sent(sent)) => (None, Some(sent)),
        None => (None, None),
    };
    let decides = asks.is_some() || sent.is_some();
    let foreign = foreign_of(earlier, target, from)?;
    // No wire leads to where a checkpoint began: a container around the step is entered by name again.
    let entered = |name: &str| {
        let rest = from.strip_prefix(name).filter(|_| foreign.as_ref().is_some_and(|foreign| foreign.step == name));
        rest.is_some_and(|rest| rest.starts_with(['/', '[']))
    };
    let mut begun: Vec<Begun> = earlier
        .iter()
        .flat_map(|base| &base.begun)
        .filter(|begun| stands(&begun.step) || entered(&begun.step) || (decides && begun.step == from))
        .cloned()
        .collect();
    if !decides {
        begun.push(Begun { step: from.to_owned(), input: input.clone(), context: Map::new() });
    }
    // What the other definition cannot take over executes again: its events go, until the rest can be folded.
    let mut again = BTreeSet::new();
    let (state, base) = loop {
        let base = Base {
            events,
            given: given.clone(),
            begun: begun.clone(),
            asks: asks.clone(),
            sent: sent.clone(),
            answers: Vec::new(),
            foreign: foreign.clone(),
        };
        let mut trial = WorkflowStart {
            context: (!given.is_empty()).then(|| given.clone()),
            resumed_from: Some(from.to_owned()),
            // The original may have ended early; this one does not for that.
            until: None,
            ..start.clone()
        };
        trial.base = Some(Box::new(base));
        let mut last = None;
        match fold::look(target, &parent, &trial, &mut |event| {
            let named = event.body.origin().map_or((event.path.as_deref(), event.step_id.as_deref()), |origin| {
                (origin.path.as_deref(), Some(origin.step_id.as_str()))
            });
            last = named.1.map(|step| (named.0.map(str::to_owned), step.to_owned()));
        }) {
            Ok(state) => break (state, trial.base.map(|base| *base).unwrap_or_default()),
            Err(error) => {
                let Some((path, step)) = last.filter(|place| !again.contains(place)) else { return Err(error.into()) };
                let name = named(path.as_deref(), &step);
                if decides && name == from {
                    // Without its failure there is nothing to decide.
                    return Err(error.into());
                }
                events = trial.base.map(|base| base.events).unwrap_or_default();
                events.extract_if(.., |event| belongs(event, &name)).for_each(|event| answers.leave(&event));
                begun.retain(|begun| begun.step == from || begun.step != name);
                again.insert((path, step));
            }
        }
    };
    let context: Map = state.context.iter().map(|(name, value)| (name.clone(), (**value).clone())).collect();
    let steps = compare::steps(original.compiled, target, &all, &there, &state, &base);
    let mut answers = answers.found;
    // Nobody asks them any more.
    let is_there = |name: &str| {
        let (path, step) = parted(name);
        target.node_at(path, step).is_some()
    };
    answers.retain(|kept| is_there(&kept.step) && kept.origin.as_deref().is_none_or(is_there));
    Ok(Plan {
        from: from.to_owned(),
        params: Arc::clone(&start.params),
        context,
        input,
        steps,
        answers,
        entry: there.is_entry(target),
        until: None,
        moved: original.compiled.definition_hash != target.definition_hash,
        base_seq: original.events.last().and_then(|event| event.seq).unwrap_or_default(),
        parent,
        base,
    })
}

/// A re-run that may begin.
#[derive(Debug, Clone, PartialEq)]
pub struct Rerun {
    /// The run's input.
    pub params: Arc<Value>,
    /// All variables.
    pub context: Map,
    /// The step, with its path.
    pub from: String,
    /// The step that it ends after.
    pub until: Option<String>,
    /// The original; none when the run begins at a checkpoint of another program.
    pub parent: Option<String>,
    /// Its last event.
    pub base_seq: Option<u64>,
    /// What the new run has of it.
    pub base: Base,
}

impl Plan {
    /// The new run ends after a step: what does not lead there does not run.
    pub fn ending(mut self, target: &Compiled, until: &str) -> Result<Self, RerunError> {
        let way = until::ending(target, until, Some(&self.from))?;
        let range = Range::of(target, &self.from);
        for step in
            self.steps.iter_mut().filter(|step| matches!(step.fate, StepDisposition::Again | StepDisposition::Open))
        {
            let Some(node) = target.node_index(&step.step) else { continue };
            let again = range.as_ref().is_none_or(|range| range.executes(target, node));
            if !way.has(target, node) {
                // What it has come to stands in the new run, too.
                step.fate = if step.fate == StepDisposition::Open && step.calls > 0 {
                    StepDisposition::Kept
                } else {
                    StepDisposition::Left
                };
            } else if way.is_beside(target, node, &self.from) && !again {
                // It would run in iterations that the new run does not come to.
                step.fate = if step.calls > 0 { StepDisposition::Kept } else { StepDisposition::Left };
            }
        }
        self.until = Some(until.to_owned());
        Ok(self)
    }

    /// The new run with what a person changed.
    pub fn with(mut self, target: &Compiled, overrides: Overrides) -> Result<Rerun, RerunError> {
        let Overrides { context: changed, params: given, input, keep_answers } = overrides;
        let mut context = self.context;
        for (name, value) in &changed {
            target.fits_context(name, value).map_err(|why| RerunError::Variable { name: name.clone(), why })?;
            context.insert(name.clone(), value.clone());
        }
        if self.moved {
            for (name, value) in &context {
                target.fits_context(name, value).map_err(|why| RerunError::Variable { name: name.clone(), why })?;
            }
        }
        let mut params = self.params;
        if !given.is_empty() || self.moved {
            let mut all = params.as_object().cloned().unwrap_or_default();
            all.extend(given);
            let all = params::complete(&target.workflow, &Value::Object(all));
            let wrong = params::check(&target.workflow, &all);
            if !wrong.is_empty() {
                return Err(RerunError::Params(wrong));
            }
            params = Arc::new(all);
        }
        let decides = self.base.begins_with_a_person();
        if let Some(here) = self.base.begun.last_mut().filter(|_| !decides) {
            here.context = changed;
            if let Some(data) = input {
                if data.is_empty() {
                    return Err(RerunError::NoInput);
                }
                here.input = replaced(&self.input, data);
            } else if self.entry {
                here.input = replaced(&self.input, vec![(*params).clone()]);
            }
        }
        if keep_answers {
            self.base.answers = self.answers;
        }
        let (parent, base_seq) = (Some(self.parent), Some(self.base_seq));
        Ok(Rerun { params, context, from: self.from, until: self.until, parent, base_seq, base: self.base })
    }
}

/// Whether a step that both definitions have is of one kind in both.
fn same_kind(original: &Compiled, target: &Compiled, path: Option<&str>, step: &str) -> bool {
    match (original.node_at(path, step), target.node_at(path, step)) {
        (Some(before), Some(now)) => before.kind == now.kind,
        // What one of them does not have is looked at elsewhere.
        _ => true,
    }
}

/// Items with other data; what they carry besides stays with those that there were.
fn replaced(input: &[Item], data: Vec<Value>) -> Vec<Item> {
    data.into_iter()
        .enumerate()
        .map(|(index, data)| {
            let plain = Item {
                id: (index + 1).to_string(),
                data: Arc::default(),
                binary: None,
                error: None,
                paired_item: None,
            };
            Item { data: Arc::new(data), ..input.get(index).cloned().unwrap_or(plain) }
        })
        .collect()
}

/// Where an original began at a checkpoint of another program, its re-run knows what ended there. What ended of the very
/// step that executes again is stale (K-34).
fn foreign_of(earlier: Option<&Base>, target: &Compiled, from: &str) -> Result<Option<Box<Foreign>>, RerunError> {
    let Some(mut foreign) = earlier.and_then(|base| base.foreign.clone()) else { return Ok(None) };
    if target.node_index(&foreign.step).is_none() {
        return Err(RerunError::Gone { step: foreign.step.clone() });
    }
    if foreign.step == from {
        (foreign.branches, foreign.iterations, foreign.ended) = (Vec::new(), 0, Vec::new());
    }
    Ok(Some(foreign))
}

/// A name that is no place: a step in a container has one for each of its iterations.
fn without_place(compiled: &Compiled, name: &str, all: &[&RunEvent]) -> RerunError {
    if compiled.node_index(name).is_none() {
        return unknown(compiled, name);
    }
    RerunError::NeverRan { step: name.to_owned(), ran: ran_as(all, name) }
}

/// Calls that a refusal names.
const MOST_NAMED: usize = 20;

/// Where a step began, the newest last; not more than a person would read.
fn ran_as(all: &[&RunEvent], step: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for event in all.iter().rev().filter(|event| event.step_id.as_deref() == Some(step)) {
        let own = matches!(event.body, EventBody::StepStart(_)) && event.body.origin().is_none();
        let name = named(event.path.as_deref(), step);
        if own && !found.contains(&name) {
            found.push(name);
        }
        if found.len() == MOST_NAMED {
            break;
        }
    }
    found.reverse();
    found
}

fn unknown(compiled: &Compiled, name: &str) -> RerunError {
    let known = compiled.workflow.nodes.keys().take(20).cloned().collect();
    RerunError::UnknownStep { step: name.to_owned(), known }
}

/// Whether an event is about a named step: a call of its own, or a recovery of its failure.
fn belongs(event: &RunEvent, name: &str) -> bool {
    place(event).is_some_and(|(path, step)| {
        let own = named(path, step);
        own == name || own.strip_prefix(name).is_some_and(|rest| rest.starts_with(['[', '/']))
    })
}

/// The step that an event is about.
fn place(event: &RunEvent) -> Option<(Option<&str>, &str)> {
    let origin = match &event.body {
        EventBody::HumanTaskCompleted(done) => done.origin.as_ref(),
        EventBody::HumanTaskReminded(told) => told.origin.as_ref(),
        EventBody::HumanTaskHeld(held) => held.origin.as_ref(),
        EventBody::HumanTaskContinued(continued) => continued.origin.as_ref(),
        EventBody::HumanTaskClosed(closed) => closed.origin.as_ref(),
        EventBody::Escalated(change) => change.origin.as_ref(),
        body => body.origin(),
    };
    match origin {
        Some(origin) => Some((origin.path.as_deref(), &origin.step_id)),
        None => Some((event.path.as_deref(), event.step_id.as_deref()?)),
    }
}

/// The answers of people in events that do not stand.
struct Answers<'a> {
    parent: &'a str,
    questions: BTreeMap<&'a str, &'a HumanTaskCreated>,
    /// Of them, those about one call of a tool: the answer says nothing about another, and nothing about what else the step asks.
    calls: BTreeSet<&'a str>,
    found: Vec<KeptAnswer>,
}

impl<'a> Answers<'a> {
    fn of(all: &[&'a RunEvent], parent: &'a str) -> Self {
        let created = |event: &&'a RunEvent| match &event.body {
            EventBody::HumanTaskCreated(created) => Some((&*created.task_id, &**created)),
            _ => None,
        };
        let questions: BTreeMap<_, _> = all.iter().filter_map(created).collect();
        let of_tools = questions
            .iter()
            .filter(|(_, created)| matches!(created.reason, TaskReason::ToolCall | TaskReason::Question));
        let calls = of_tools.map(|(id, _)| *id).collect();
        Self { parent, questions, calls, found: Vec::new() }
    }

    /// An event does not stand.
    fn leave(&mut self, event: &RunEvent) {
        self.found.extend(answer(event, self.parent, &self.questions).filter(|_| !is_about(event, &self.calls)));
    }
}

/// The events that stand.
fn kept(
    all: &[&RunEvent],
    ranges: &[(&Range, &Compiled)],
    answers: &mut Answers<'_>,
    asking: Option<&Asking>,
) -> Vec<RunEvent> {
    let until = asking.map_or(usize::MAX, |asking| asking.until);
    let around: Vec<Around> = ranges.iter().map(|(range, compiled)| Around::of(all, range, compiled, until)).collect();
    let mut events = Vec::new();
    for (index, event) in all.iter().enumerate() {
        let Some((path, step)) = place(event) else { continue };
        let stands = ranges.iter().all(|(range, compiled)| match range.at(compiled, path, step) {
            range::Place::Outside | range::Place::Around => true,
            range::Place::Inside => asking.is_some_and(|asking| asking.keeps(index, event)),
        }) && around.iter().all(|around| around.stands(index, event));
        if !stands {
            answers.leave(event);
            continue;
        }
        if !matters(&event.body) {
            continue;
        }
        let mut event = (*event).clone();
        event.client_run_token = None;
        if let EventBody::StepStart(start) = &mut event.body {
            start.resolved_inputs = None;
            start.meta.clear();
        }
        events.push(event);
    }
    events
}

/// Events that a state does not depend on stay behind.
fn matters(body: &EventBody) -> bool {
    !matches!(
        body,
        EventBody::Telemetry(_)
            | EventBody::HumanTaskReminded(_)
            | EventBody::HumanTaskHeld(_)
            | EventBody::HumanTaskContinued(_)
            | EventBody::BreakpointsSet(_)
            | EventBody::WorkflowPaused(_)
            | EventBody::WorkflowContinued(_)
            | EventBody::InputEdited(_)
    )
}

/// Whether an answer is about one of these tasks.
fn is_about(event: &RunEvent, tasks: &BTreeSet<&str>) -> bool {
    matches!(&event.body, EventBody::HumanTaskCompleted(done) if tasks.contains(&*done.task_id))
}

fn answer(event: &RunEvent, parent: &str, questions: &BTreeMap<&str, &HumanTaskCreated>) -> Option<KeptAnswer> {
    let EventBody::HumanTaskCompleted(done) = &event.body else { return None };
    // What a policy decided, it decides again.
    done.answer.operator_id.as_ref()?;
    Some(KeptAnswer {
        step: named(event.path.as_deref(), event.step_id.as_deref()?),
        origin: done.origin.as_ref().map(|origin| named(origin.path.as_deref(), &origin.step_id)),
        item: done.origin.as_ref().map_or(event.item, |origin| origin.item).unwrap_or(0),
        answer: done.answer.clone(),
        run_id: done.kept_from.clone().unwrap_or_else(|| parent.to_owned()),
        asked: questions.get(&*done.task_id).map(|created| digest_of(created)),
    })
}

/// What a person was asked, as a digest: an answer of before is given again to the same question about the same data only. A
/// decision about a failure is about its input and code; the words of an error may hold times and numbers of a request.
pub(crate) fn digest_of(created: &HumanTaskCreated) -> String {
    let code = created.error.as_ref().map(|error| error.code());
    let words = (created.kind != TaskKind::Decision).then_some((&created.title, &created.instructions));
    let asked = json!([created.kind, code, words, created.input, created.binary]);
    sha256_hex(asked.to_string().as_bytes())
}

/// The items that the step was activated with in the original: last, when the container around it was entered again.
fn recorded_input(original: Original<'_>, here: &Range) -> Result<Vec<Item>, RerunError> {
    let mut found: Option<Arc<Items>> = None;
    fold::follow(original.compiled, original.events, &mut |event, state: &RunState| {
        let here = matches!(event.body, EventBody::StepStart(_))
            && event.body.origin().is_none()
            && event.step_id.as_deref() == Some(here.step())
            && event.path.as_deref() == here.path();
        if here
            && let Some(node) = fold::place::known(
                original.compiled,
                state,
                event.path.as_deref(),
                event.step_id.as_deref().unwrap_or_default(),
            )
        {
            found = fold::activation(state, node).map(|activation| Arc::clone(&activation.input)).or(found.take());
        }
    })?;
    found
        .map(|items| items.iter().map(Cow::into_owned).collect())
        .ok_or_else(|| RerunError::NeverRan { step: named(here.path(), here.step()), ran: Vec::new() })
}
