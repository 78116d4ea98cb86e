//! Two runs beside each other (UX C28): what the steps of a log came to at each path, where two values differ, and what
//! two definitions do differently. Which values of a run are laid beside each other is not decided here.

use crate::{
    compiled::Compiled,
    fold::{FoldError, fold, place::path_of},
    patch::pointer::push,
    rerun::{same, same_inside, wires},
    state::{Gone, NodeRun, RunState},
};
use serde_json::{Map, Value};
use signalbox_model::{NodeState, RunEvent, base::named};
use std::collections::BTreeMap;

/// What a step came to at one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stand {
    /// Its state.
    pub state: NodeState,
    /// Rounds.
    pub visits: u32,
    /// Calls.
    pub calls: u32,
}

impl Stand {
    fn of(run: &NodeRun) -> Self {
        // As in a summary: without a call there was no round.
        Self { state: run.state, visits: if run.calls == 0 { 0 } else { run.visits }, calls: run.calls }
    }
}

/// Follows a log from its first event.
#[derive(Debug)]
pub struct Follow<'a> {
    compiled: &'a Compiled,
    state: RunState,
}

impl<'a> Follow<'a> {
    /// Before the first event.
    pub fn new(compiled: &'a Compiled, run_id: &str) -> Self {
        let mut state = RunState::new(compiled, run_id, None);
        state.gone = Gone(Some(Vec::new()));
        Self { compiled, state }
    }

    /// The next event.
    pub fn take(&mut self, event: &RunEvent) -> Result<(), FoldError> {
        fold(self.compiled, &mut self.state, event)
    }

    /// What all steps came to, by their names: those in containers with their paths, `loop[3]/step`. A step in a container
    /// that was not reached there has no line.
    pub fn stands(&self) -> BTreeMap<String, Stand> {
        let (compiled, state) = (self.compiled, &self.state);
        let top = compiled.nodes.iter().zip(state.nodes.top()).filter(|(node, _)| node.file == 0 && node.region == 0);
        let mut found: BTreeMap<String, Stand> = top.map(|(node, run)| (node.id.to_string(), Stand::of(run))).collect();
        let open = state.nodes.inner().filter_map(|(node, run)| {
            Some((named(Some(&*path_of(compiled, state, node)?), &compiled.nodes[node].id), Stand::of(run)))
        });
        let gone = state.gone.0.iter().flatten().map(|(name, run)| (name.clone(), Stand::of(run)));
        for (name, stand) in gone.chain(open).filter(|(_, stand)| stand.state != NodeState::Pending) {
            // A container that was entered again was at the same paths before.
            let before = found.get(&name).map_or((0, 0), |before| (before.visits, before.calls));
            let (visits, calls) = (stand.visits.saturating_add(before.0), stand.calls.saturating_add(before.1));
            found.insert(name, Stand { visits, calls, ..stand });
        }
        found
    }
}

/// One place where two values differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// JSON Pointer of the place: in the first value when it is there, else in the second.
    pub pointer: String,
    /// What stands there in the first one; absent when nothing does.
    pub a: Option<Value>,
    /// In the second one.
    pub b: Option<Value>,
}

/// Fields of an error that tell which run it was and when: they are never the same twice.
const OF_THE_RUN: &[&str] = &["timestamp", "originRunId", "provenanceRef", "traceId"];

/// Where two values differ; at most so many places, and how many more there are. Of an error, wherever it stands, run and
/// time are no difference.
pub fn differences(a: Option<&Value>, b: Option<&Value>, most: usize) -> (Vec<Difference>, usize) {
    let mut found = Found { list: Vec::new(), most, more: 0 };
    found.either(a, b, "");
    (found.list, found.more)
}

struct Found {
    list: Vec<Difference>,
    most: usize,
    more: usize,
}

impl Found {
    fn either(&mut self, a: Option<&Value>, b: Option<&Value>, at: &str) {
        match (a, b) {
            (Some(Value::Object(a)), Some(Value::Object(b))) => self.objects(a, b, at),
            (Some(Value::Array(a)), Some(Value::Array(b))) => self.lists(a, b, at),
            _ if a == b => {}
            _ if self.list.len() >= self.most => self.more += 1,
            _ => self.list.push(Difference { pointer: at.to_owned(), a: a.cloned(), b: b.cloned() }),
        }
    }

    fn objects(&mut self, a: &Map<String, Value>, b: &Map<String, Value>, at: &str) {
        let errors = is_error(a) && is_error(b);
        let told = |name: &&String| !(errors && OF_THE_RUN.contains(&name.as_str()));
        for name in a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))).filter(told) {
            self.either(a.get(name), b.get(name), &push(at, name));
        }
    }

    /// What both have in common at their ends is no difference, so of a list that lost one in its middle that one is told.
    fn lists(&mut self, a: &[Value], b: &[Value], at: &str) {
        let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(a, b)| a == b).count();
        let (a, b) = (&a[..a.len() - tail], &b[..b.len() - tail]);
        for index in head..a.len().max(b.len()) {
            self.either(a.get(index), b.get(index), &push(at, &index.to_string()));
        }
    }
}

/// An error as the engine completes it.
fn is_error(map: &Map<String, Value>) -> bool {
    ["type", "message", "retryable", "originNode", "timestamp"].iter().all(|name| map.contains_key(*name))
}

/// What becomes of a step between two definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Only the second one has it.
    Added,
    /// Only the first one has it.
    Removed,
    /// Its settings or its wires.
    Changed,
    /// Only the file that it calls, or one further in.
    Inside,
}

/// What two definitions do differently.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Definitions {
    /// Steps, those of the first one first. Names, notes and places do not matter.
    pub steps: Vec<(String, Change)>,
    /// Other parts: `params`, `context`, `settings`.
    pub parts: Vec<&'static str>,
}

/// What two definitions do differently.
pub fn definitions(a: &Compiled, b: &Compiled) -> Definitions {
    let (one, other) = (&a.workflow, &b.workflow);
    let mut steps = Vec::new();
    for (id, node) in &one.nodes {
        let change = match other.nodes.get(id) {
            None => Change::Removed,
            Some(now) if !same(node, now) || wires(a, id) != wires(b, id) => Change::Changed,
            Some(_) if !same_inside(a, b, id) => Change::Inside,
            Some(_) => continue,
        };
        steps.push((id.clone(), change));
    }
    let added = other.nodes.keys().filter(|id| !one.nodes.contains_key(*id));
    steps.extend(added.map(|id| (id.clone(), Change::Added)));
    let parts = [
        ("params", one.params != other.params),
        ("context", one.context != other.context),
        ("settings", one.settings != other.settings),
    ];
    Definitions { steps, parts: parts.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect() }
}

/// The wires into a step of a definition, in the order of their names.
pub fn wires_into<'a>(compiled: &'a Compiled, id: &str) -> Vec<&'a str> {
    wires(compiled, id).into_iter().collect()
}
