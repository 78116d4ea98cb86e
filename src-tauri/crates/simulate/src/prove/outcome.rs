//! What a fault leads to, read from the events of its run.

use super::environment::Place;
use super::faults::{FaultGroup, FaultKind};
use super::scope::{failed_at, is_called, of_event, own_id, scoped};
use crate::simulation::End;
use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_engine::{Compiled, RunState, summary};
use signalbox_model::task::HumanTaskCreated;
use signalbox_model::{Effects, EventBody, Replay, RunEvent, RunStatus, TaskReason};
use std::collections::{BTreeMap, BTreeSet};

/// What a fault leads to, the worst that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// The run completes as it does without the fault.
    NoEffect,
    /// A retry or a repair succeeds, and the run completes.
    Recovered,
    /// An error path of the workflow takes over, and the run completes.
    Handled,
    /// A person is asked.
    AsksPerson,
    /// The run ends cancelled, as it was asked to.
    Cancelled,
    /// The run fails.
    EndsFailed,
    /// The run completes, but an item that had the fault arrives nowhere.
    LosesItems,
    /// The run makes many times the calls of the run without a fault.
    OverBudget,
    /// A call that may have changed something is made again.
    RepeatsWrite,
    /// The run does not end within the budget of the proof.
    NeverEnds,
}

impl Outcome {
    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoEffect => "noEffect",
            Self::Recovered => "recovered",
            Self::Handled => "handled",
            Self::AsksPerson => "asksPerson",
            Self::Cancelled => "cancelled",
            Self::EndsFailed => "endsFailed",
            Self::LosesItems => "losesItems",
            Self::OverBudget => "overBudget",
            Self::RepeatsWrite => "repeatsWrite",
            Self::NeverEnds => "neverEnds",
        }
    }

    /// Whether it counts for the score.
    pub fn is_good(self) -> bool {
        match self {
            Self::NoEffect | Self::Recovered | Self::Handled | Self::AsksPerson | Self::Cancelled => true,
            Self::EndsFailed | Self::LosesItems | Self::OverBudget | Self::RepeatsWrite | Self::NeverEnds => false,
        }
    }
}

/// A step at a path.
pub(super) type StepPlace = (String, Option<String>);

/// What the run without a fault came to.
pub(super) struct Base {
    pub(super) status: RunStatus,
    /// Step, code and message of the error that failed it.
    pub(super) error: Option<(String, String, String)>,
    pub(super) events: usize,
    /// Steps that were called, or that asked a person.
    pub(super) reached: BTreeSet<String>,
    /// The same in the order of their first calls.
    pub(super) order: Vec<String>,
    /// Steps that asked a person.
    pub(super) tasks: BTreeSet<StepPlace>,
    /// Calls that reach outside.
    calls: usize,
    output: usize,
}

/// So many calls that reach outside are never too many.
const FEW_CALLS: usize = 50;
/// So many times the calls of the run without a fault are too many.
const CALLS_FACTOR: usize = 10;

impl Base {
    pub(super) fn of(compiled: &Compiled, state: &RunState, events: &[RunEvent]) -> Self {
        let summary = summary::of(compiled, state);
        let starts = events.iter().filter(|event| matches!(event.body, EventBody::StepStart(_)));
        let order: IndexSet<String> = starts.filter_map(|event| of_event(compiled, event)).collect();
        let is_task = |event: &&RunEvent| matches!(event.body, EventBody::HumanTaskCreated(_));
        Self {
            status: summary.status,
            error: summary.error.map(|error| {
                (summary.failed_step_id.clone().unwrap_or_default(), error.code().to_owned(), error.message.clone())
            }),
            events: events.len(),
            reached: called(compiled, events),
            order: order.into_iter().collect(),
            tasks: events.iter().filter(is_task).map(task_place).collect(),
            calls: outside_calls(compiled, events),
            output: summary.output.len(),
        }
    }
}

/// Steps that a run called.
pub(super) fn called(compiled: &Compiled, events: &[RunEvent]) -> BTreeSet<String> {
    let starts = events.iter().filter(|event| matches!(event.body, EventBody::StepStart(_)));
    starts.filter_map(|event| of_event(compiled, event)).collect()
}

/// Calls that reach outside.
fn outside_calls(compiled: &Compiled, events: &[RunEvent]) -> usize {
    let reaches_out = |event: &&RunEvent| {
        let (EventBody::StepStart(start), Some(step)) = (&event.body, &event.step_id) else { return false };
        let kind = compiled.kind_at(event.path.as_deref(), step);
        kind.is_some_and(|(kind, _)| kind.effects.of(&start.config) != Effects::None)
    };
    events.iter().filter(reaches_out).count()
}

/// Which step asks, and where.
pub(super) fn task_place(event: &RunEvent) -> StepPlace {
    (event.step_id.clone().unwrap_or_default(), event.path.clone())
}

/// A task about a failed or interrupted call.
pub(super) fn is_about_fault(task: &HumanTaskCreated) -> bool {
    matches!(task.reason, TaskReason::Error | TaskReason::Interrupted)
}

/// A fault, and where it was.
pub(super) type Placed<'f> = (&'f FaultGroup, Option<&'f Place>);

/// Reads what became of one fault or two.
pub(super) fn classify(
    compiled: &Compiled,
    base: &Base,
    faults: &[Placed<'_>],
    end: &End,
    state: &RunState,
    events: &[RunEvent],
) -> (Outcome, Vec<String>, String) {
    let (outcome, route, message) = handling(compiled, base, faults, end, state, events);
    let calls = outside_calls(compiled, events);
    let huge = faults.iter().any(|(group, _)| group.kind == FaultKind::Huge);
    // A long list is many calls by itself.
    if outcome.is_good() && !huge && calls > FEW_CALLS.max(base.calls * CALLS_FACTOR) {
        let message = format!("The run makes {calls} calls instead of {}.", base.calls);
        return (Outcome::OverBudget, route, message);
    }
    (outcome, route, message)
}

fn handling(
    compiled: &Compiled,
    base: &Base,
    faults: &[Placed<'_>],
    end: &End,
    state: &RunState,
    events: &[RunEvent],
) -> (Outcome, Vec<String>, String) {
    let summary = summary::of(compiled, state);
    let begins = faults.iter().filter_map(|(group, place)| fault_event(events, group, *place)).min();
    let begins = begins.unwrap_or(events.len());
    let has = |kind: &FaultKind| faults.iter().any(|(group, _)| group.kind == *kind);
    let after = &events[begins..];
    let route = route(compiled, base, after);
    let by = if route.is_empty() { String::new() } else { format!(" ({})", route.join(" → ")) };
    let done = |outcome: Outcome, message: String| (outcome, route.clone(), message);
    if let Some(step) = repeated_write(compiled, events).map(|step| title(compiled, &step)) {
        return done(
            Outcome::RepeatsWrite,
            format!("'{step}' is called again although the first call may have had an effect{by}."),
        );
    }
    match end {
        End::TooManyEvents | End::TooLong => return done(Outcome::NeverEnds, format!("The run does not end{by}.")),
        End::Unanswered(call) => {
            return done(Outcome::NeverEnds, format!("The run cannot go on: '{}' has no answer{by}.", call.step));
        }
        End::Fault(why) => return done(Outcome::NeverEnds, format!("The simulation stopped: {why}.")),
        End::Settled | End::Stopped => {}
    }
    let asks = after.iter().any(|event| match &event.body {
        EventBody::HumanTaskCreated(task) => is_about_fault(task),
        _ => false,
    });
    match summary.status {
        RunStatus::Cancelled => done(Outcome::Cancelled, "The run ends cancelled.".to_owned()),
        RunStatus::Failed => {
            let error = summary.error.as_ref();
            let code = error.map(|error| error.code().to_owned()).unwrap_or_default();
            let step = title(compiled, &failed_at(compiled, events, &summary.failed_step_id.unwrap_or_default()));
            done(Outcome::EndsFailed, format!("The run fails at '{step}' with {code}{by}."))
        }
        RunStatus::Paused | RunStatus::Running | RunStatus::Created | RunStatus::Queued => {
            if asks {
                done(Outcome::AsksPerson, format!("A person is asked{by}."))
            } else if has(&FaultKind::Silence) || !summary.open_tasks.is_empty() {
                done(
                    Outcome::NeverEnds,
                    format!("The run waits for a person without end: the task has no time limit{by}."),
                )
            } else {
                done(Outcome::NeverEnds, format!("The run waits without end{by}."))
            }
        }
        RunStatus::Completed => {
            let failed = after.iter().any(|event| matches!(event.body, EventBody::StepError(_)));
            let recovered = faults.iter().all(|(group, place)| recovered(after, group, *place));
            if asks {
                done(Outcome::AsksPerson, format!("A person is asked{by}."))
            } else if recovered && (failed || has(&FaultKind::Crash)) {
                done(Outcome::Recovered, format!("The step succeeds after all, and the run completes{by}."))
            } else if summary.output.len() < base.output && !arrives(compiled, base, after) && failed {
                let (now, before) = (summary.output.len(), base.output);
                done(
                    Outcome::LosesItems,
                    format!("The run completes with {now} of {before} items; the others arrive nowhere{by}."),
                )
            } else if failed || !route.is_empty() {
                done(Outcome::Handled, format!("The run completes{by}."))
            } else {
                done(Outcome::NoEffect, "The run completes as without the fault.".to_owned())
            }
        }
    }
}

fn is_at(event: &RunEvent, group: &FaultGroup, place: Option<&Place>) -> bool {
    let path = event.path.as_deref().unwrap_or_default();
    let item = |place: &Place| event.item.is_none() || place.item.is_none() || event.item == place.item;
    let here = match place {
        Some(place) => place.path == path && item(place),
        None => !is_called(&group.step),
    };
    here && event.step_id.as_deref() == Some(own_id(&group.step))
}

/// The first event of the fault's consequences.
fn fault_event(events: &[RunEvent], group: &FaultGroup, place: Option<&Place>) -> Option<usize> {
    let is_begin = |event: &RunEvent| match &event.body {
        EventBody::StepError(_)
        | EventBody::StepInterrupted(_)
        | EventBody::Escalated(_)
        | EventBody::PauseTimeout(_) => true,
        EventBody::StepDone(_) => matches!(group.kind, FaultKind::Empty | FaultKind::Huge),
        _ => false,
    };
    events.iter().position(|event| is_at(event, group, place) && is_begin(event))
}

/// The step has succeeded at the place of its fault.
fn recovered(after: &[RunEvent], group: &FaultGroup, place: Option<&Place>) -> bool {
    let fails = matches!(group.kind, FaultKind::Error(_) | FaultKind::Timeout | FaultKind::Crash);
    fails && after.iter().any(|event| is_at(event, group, place) && matches!(event.body, EventBody::StepDone(_)))
}

/// What people call a step: its title, else its name.
fn title(compiled: &Compiled, name: &str) -> String {
    let title = compiled.workflow.nodes.get(name).and_then(|node| node.title.clone());
    title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| name.to_owned())
}

/// What happens after the fault, in order: retries, rules, and steps that do not run without it.
fn route(compiled: &Compiled, base: &Base, after: &[RunEvent]) -> Vec<String> {
    let name = |step: &str| title(compiled, step);
    let first = after.first().and_then(|event| of_event(compiled, event));
    let mut route: Vec<(String, usize)> = Vec::new();
    let mut add = |word: String| match route.last_mut() {
        Some((last, times)) if *last == word => *times += 1,
        _ => route.push((word, 1)),
    };
    for event in after {
        let step = &*of_event(compiled, event).unwrap_or_default();
        match &event.body {
            EventBody::RetryScheduled(_) => add("retry".to_owned()),
            EventBody::ErrorHandled(handled) if handled.action != "retry" => {
                let rule = handled.rule.trim_start_matches("policy:");
                if base.reached.contains(step) || !compiled.workflow.nodes.contains_key(step) {
                    add(format!("policy {rule}: {}", handled.action));
                } else {
                    add(format!("{}: {}", name(step), handled.action));
                }
            }
            EventBody::StepStart(_) if !base.reached.contains(step) => add(name(step)),
            // The fault itself is the beginning; other steps may fail because of it.
            EventBody::StepError(failed) if failed.origin.is_none() && Some(step) != first.as_deref() => {
                add(format!("{} fails ({})", name(step), failed.error.code()));
            }
            EventBody::HumanTaskCreated(task) if is_about_fault(task) => add("a person".to_owned()),
            EventBody::Escalated(escalated) => {
                let action = serde_json::to_value(escalated.action).ok();
                let action = action.as_ref().and_then(|action| action.as_str()).unwrap_or_default().to_owned();
                add(format!("time is over: {action}"));
            }
            EventBody::PauseTimeout(_) => add("time is over".to_owned()),
            _ => {}
        }
    }
    route.into_iter().map(|(word, times)| if times == 1 { word } else { format!("{word} ×{times}") }).collect()
}

/// The failed item went on to a step that tells somebody, or writes something.
fn arrives(compiled: &Compiled, base: &Base, after: &[RunEvent]) -> bool {
    after.iter().any(|event| {
        let Some(step) = of_event(compiled, event) else { return false };
        let EventBody::StepStart(start) = &event.body else { return false };
        let writes = start.idempotency_key.is_some() || start.kind == "builtin.audit" || start.kind == "flow.respond";
        !base.reached.contains(&step) && writes
    })
}

/// A call that writes, may have had an effect, is not safe to repeat, and was made again without a person's word.
fn repeated_write(compiled: &Compiled, events: &[RunEvent]) -> Option<String> {
    type Slot<'e> = (&'e str, Option<&'e str>, Option<usize>, Option<u32>);
    let mut risky: BTreeMap<Slot<'_>, bool> = BTreeMap::new();
    for event in events {
        let Some(step) = event.step_id.as_deref() else { continue };
        let slot = (step, event.path.as_deref(), event.item, event.visit);
        match &event.body {
            EventBody::StepStart(start) if start.origin.is_none() => {
                let kind = compiled.kind_at(event.path.as_deref(), step);
                let Some((kind, sends_key)) = kind else { continue };
                let writes =
                    kind.effects.of(&start.config) == Effects::Write && kind.replay.of(&start.config) == Replay::Ask;
                if !writes || sends_key {
                    continue;
                }
                if risky.get(&slot) == Some(&true) {
                    return Some(scoped(compiled, event.path.as_deref(), step));
                }
                risky.insert(slot, false);
            }
            EventBody::StepDone(done) if done.origin.is_none() => {
                risky.entry(slot).and_modify(|happened| *happened = true);
            }
            EventBody::StepInterrupted(cut) if cut.origin.is_none() => {
                risky.entry(slot).and_modify(|happened| *happened = true);
            }
            EventBody::StepError(failed) if failed.origin.is_none() => {
                let unknown = failed.error.details.as_ref().and_then(|details| details.get("effect"));
                let unknown = unknown.is_some_and(|effect| effect == "unknown");
                risky.entry(slot).and_modify(|happened| *happened |= unknown);
            }
            _ => {}
        }
    }
    None
}
