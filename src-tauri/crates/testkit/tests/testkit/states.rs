//! `docs/states.md`: the states of runs, nodes and tasks, and the events that change them. Every scenario is folded event by
//! event, and at every point the run is also asked to pause, to resume after a crash, and to be cancelled, also for a re-run; each
//! change of a state is a row. `SIGNALBOX_GEN=1` writes the page.

use super::architecture::{root, text};
use signalbox_engine::input::Input;
use signalbox_engine::{Compiled, RunState, fold, step};
use signalbox_model::debug::DebugRequest;
use signalbox_model::{EventBody, NodeState, RunEvent, TaskEnd, TaskState, time};
use signalbox_testkit::scenario;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;

/// (from, to) → the events that make this change.
type Changes = BTreeMap<(&'static str, &'static str), BTreeSet<&'static str>>;

/// A task that does not exist yet.
const NONE: &str = "(none)";

#[derive(Default)]
struct Transitions {
    runs: Changes,
    nodes: Changes,
    tasks: Changes,
}

fn note(changes: &mut Changes, from: &'static str, to: &'static str, event: &'static str) {
    if from != to {
        changes.entry((from, to)).or_default().insert(event);
    }
}

/// As written in summaries.
fn name(state: NodeState) -> &'static str {
    match state {
        NodeState::Pending => "PENDING",
        NodeState::Running => "RUNNING",
        NodeState::Retrying => "RETRYING",
        NodeState::AwaitingHitl => "AWAITING_HITL",
        NodeState::Succeeded => "SUCCEEDED",
        NodeState::ErrorHandled => "ERROR_HANDLED",
        NodeState::Failed => "FAILED",
        NodeState::Skipped => "SKIPPED",
        NodeState::Cancelled => "CANCELLED",
    }
}

/// One run whose events are folded one after another.
struct Follower<'a> {
    compiled: &'a Compiled,
    state: RunState,
    tasks: BTreeMap<String, TaskState>,
}

impl Follower<'_> {
    fn nodes(&self) -> Vec<NodeState> {
        (0..self.compiled.workflow.nodes.len()).filter_map(|node| self.state.node_state(node)).collect()
    }

    fn apply(&mut self, event: &RunEvent, seen: &mut Transitions) {
        let (run, nodes) = (self.state.status(), self.nodes());
        fold(self.compiled, &mut self.state, event).expect("the event follows");
        let event_name = event.body.type_name();
        note(&mut seen.runs, run.as_str(), self.state.status().as_str(), event_name);
        for (from, to) in nodes.iter().zip(self.nodes()) {
            note(&mut seen.nodes, name(*from), name(to), event_name);
        }
        if let EventBody::HumanTaskCreated(created) = &event.body
            && self.tasks.insert(created.task_id.clone(), TaskState::Open).is_none()
        {
            note(&mut seen.tasks, NONE, TaskState::Open.as_str(), event_name);
        }
        let Some(end) = event.body.task_end() else { return };
        let ended = |id: &str| match end {
            TaskEnd::One(task, _) => task == id,
            TaskEnd::All(_) => true,
        };
        for (id, state) in &mut self.tasks {
            if *state == TaskState::Open && ended(id) {
                note(&mut seen.tasks, state.as_str(), end.state().as_str(), event_name);
                *state = end.state();
            }
        }
    }

    /// What happens when the run is asked something at this point; the run itself goes on as before.
    fn ask(&self, input: Input, seen: &mut Transitions) {
        let mut asked = self.state.clone();
        let Ok(output) = step(self.compiled, &mut asked, input) else { return };
        let mut other = Follower { state: self.state.clone(), tasks: self.tasks.clone(), compiled: self.compiled };
        for event in &output.events {
            other.apply(event, seen);
        }
    }
}

fn transitions() -> Transitions {
    let mut seen = Transitions::default();
    let scenarios = scenario::load(&root().join("tests/scenarios"));
    for (_, one) in scenarios.iter().filter(|(_, one)| one.expect.diagnostics.is_none()) {
        let driver = scenario::drive(one).unwrap_or_else(|why| panic!("{}: {why}", one.name));
        let state = RunState::new(&driver.compiled, "00000000-0000-7000-8000-000000000001", None);
        let mut run = Follower { compiled: &driver.compiled, state, tasks: BTreeMap::new() };
        let mut asked = HashSet::new();
        for event in &driver.events {
            run.apply(event, &mut seen);
            // At a point that looks like an earlier one of the same run, the same changes would follow.
            if !asked.insert((run.state.status().as_str(), run.nodes(), run.tasks.clone())) {
                continue;
            }
            let now = time::parse(&event.ts).unwrap_or_default();
            for superseded_by in [None, Some("other".to_owned())] {
                run.ask(Input::Cancel { superseded_by, now }, &mut seen);
            }
            run.ask(Input::Resume { now }, &mut seen);
            let operator_id = Some("user:test".into());
            run.ask(Input::Debug { request: DebugRequest::Pause, operator_id, now }, &mut seen);
        }
    }
    seen
}

fn table(changes: &Changes) -> String {
    let mut rows = "| from | to | events |\n|---|---|---|\n".to_owned();
    for ((from, to), events) in changes {
        let events: Vec<String> = events.iter().map(|event| format!("`{event}`")).collect();
        rows.push_str(&format!("| {from} | {to} | {} |\n", events.join(", ")));
    }
    rows
}

fn final_states_stay(seen: &Transitions) {
    for ((from, to), events) in seen.runs.iter().chain(&seen.tasks) {
        let is_final = ![NONE, "created", "running", "paused", "open"].contains(from);
        assert!(!is_final, "{from} became {to} by {events:?}");
    }
}

/// A state that no scenario reaches would be missing from the page without anyone noticing.
fn every_state_is_reached(seen: &Transitions) {
    let reached = |changes: &Changes| changes.keys().map(|(_, to)| *to).collect::<BTreeSet<_>>();
    let runs = ["cancelled", "completed", "failed", "paused", "running"];
    assert_eq!(reached(&seen.runs), BTreeSet::from(runs));
    let tasks = ["cancelled", "done", "expired", "open", "superseded"];
    assert_eq!(reached(&seen.tasks), BTreeSet::from(tasks));
    let nodes =
        ["AWAITING_HITL", "CANCELLED", "ERROR_HANDLED", "FAILED", "RETRYING", "RUNNING", "SKIPPED", "SUCCEEDED"];
    assert_eq!(reached(&seen.nodes), BTreeSet::from(nodes));
}

#[test]
fn gen_the_page_of_states_lists_every_transition_and_no_final_state_is_left() {
    let seen = transitions();
    let page = format!(
        "# States of runs, nodes and tasks\n\n\
         Generated from the scenarios in `tests/scenarios` by `testkit/tests/testkit/states.rs`; do not edit. Only an event\n\
         changes a state. Each row is a transition that occurs in a scenario, or when a run of a scenario is paused, resumed\n\
         after a crash, cancelled, or replaced by a re-run; the events are those that cause it.\n\n\
         ## Runs\n\n`completed`, `failed` and `cancelled` are final.\n\n{}\n\
         ## Nodes\n\nThe state of a node at the top level. A node inside a container has a state for each iteration; its row in a\n\
         summary combines them. A node of a run that repeats steps of another run begins with the state it had there.\n\n{}\n\
         ## Tasks\n\nEvery state except `open` is final. A claim, a comment, a snooze, a hold and an escalation leave a task open.\n\n{}",
        table(&seen.runs),
        table(&seen.nodes),
        table(&seen.tasks)
    );
    let path = root().join("docs/states.md");
    if std::env::var_os("SIGNALBOX_GEN").is_some() {
        fs::write(&path, &page).expect("written");
    }
    final_states_stay(&seen);
    every_state_is_reached(&seen);
    assert!(text(&path) == page, "docs/states.md is stale: cargo xtask gen");
}
