//! Invariants of ARCHITECTURE 4 over random graphs with error handlers, healers, people and Audits on the way.

use crate::driver::{World, cases, catalog, check};
use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_engine::{Compiled, RunState, fold, summary};
use signalbox_model::{
    ErrorType, EventBody, NodeFailure, NodeState, RunEvent, RunStatus, TaskAction, Workflow, task::Origin,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A wire out of a recovery node: (node, port, where to, which one). A choice that cannot be drawn is left out.
type Wire = (usize, u8, u8, usize);

#[derive(Debug, Clone)]
pub(crate) struct Graph {
    kinds: Vec<u8>,
    edges: Vec<(usize, usize, bool)>,
    fallbacks: Vec<Option<usize>>,
    own: Vec<u8>,
    recovery: Vec<(u8, u64)>,
    /// Red wires from a step to a recovery node.
    red: Vec<(usize, usize)>,
    wires: Vec<Wire>,
    policy: u8,
    pub(crate) failures: u64,
    pub(crate) order: u64,
}

pub(crate) fn graphs() -> impl Strategy<Value = Graph> {
    (3_usize..8, 1_usize..6).prop_flat_map(|(n, r)| {
        (
            prop::collection::vec(0_u8..6, n),
            prop::collection::vec((0..n, 0..n, prop::bool::weighted(0.2)), 0..(n * 2)),
            prop::collection::vec(prop::option::weighted(0.15, 0..n), n),
            prop::collection::vec(0_u8..6, n),
            prop::collection::vec((0_u8..5, any::<u64>()), r),
            prop::collection::vec((0..n, 0..r), 1..(n + 1)),
            prop::collection::vec((0..r, 0_u8..6, 0_u8..4, 0_usize..8), 0..(r * 5)),
            (0_u8..3, any::<u64>(), any::<u64>()),
        )
            .prop_map(|(kinds, edges, fallbacks, own, recovery, red, wires, (policy, failures, order))| {
                Graph { kinds, edges, fallbacks, own, recovery, red, wires, policy, failures, order }
            })
    })
}

const STEPS: [&str; 6] = ["t.pass", "t.many", "t.read", "t.read", "t.write", "t.all"];
const RECOVERY: [&str; 5] = [
    "builtin.error_handler",
    "builtin.error_handler",
    "builtin.self_healing",
    "builtin.human_decision",
    "builtin.audit",
];

fn ports(kind: &str) -> &'static [&'static str] {
    match kind {
        "builtin.error_handler" => &["retry", "auto_fix", "human_review", "fallback", "context", "abort"],
        "builtin.human_decision" => &["retry", "corrected", "skip", "alternative", "abort", "error"],
        _ => &["success", "error"],
    }
}

fn may_reenter(kind: &str, port: &str) -> bool {
    match kind {
        "builtin.error_handler" => matches!(port, "retry" | "auto_fix"),
        "builtin.human_decision" => matches!(port, "retry" | "corrected"),
        _ => port == "success",
    }
}

/// The graph as a file, or nothing when what was drawn is no workflow.
pub(crate) fn file(graph: &Graph) -> Value {
    let n = graph.kinds.len();
    let kind = |r: usize| RECOVERY[usize::from(graph.recovery[r].0)];
    // Whom a recovery node serves: known from the front, because recovery nodes are wired forwards only.
    let mut origins: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); graph.recovery.len()];
    let mut edges: Vec<(String, String)> = Vec::new();
    for (from, to) in &graph.red {
        // An Audit behind a red port is an ordinary step.
        if kind(*to) != "builtin.audit" && !edges.iter().any(|(f, _)| *f == format!("n{from}.error")) {
            origins[*to].insert(*from);
            edges.push((format!("n{from}.error"), format!("r{to}")));
        }
    }
    for r in 0..graph.recovery.len() {
        for (_, port, sort, which) in graph.wires.iter().filter(|wire| wire.0 == r) {
            if origins[r].is_empty() {
                break;
            }
            let ports = ports(kind(r));
            let port = ports[usize::from(*port) % ports.len()];
            let own: Vec<usize> = origins[r].iter().copied().collect();
            let to = match sort {
                0 if may_reenter(kind(r), port) => format!("n{}", own[which % own.len()]),
                1 | 0 if r + 1 < graph.recovery.len() => {
                    let next = r + 1 + which % (graph.recovery.len() - r - 1);
                    origins[next].extend(own);
                    format!("r{next}")
                }
                _ if port == "retry" => continue,
                _ => {
                    let first = own.last().map_or(0, |o| o + 1);
                    if first >= n {
                        continue;
                    }
                    format!("n{}", first + which % (n - first))
                }
            };
            edges.push((format!("r{r}.{port}"), to));
        }
    }
    for (a, b, red) in &graph.edges {
        let (from, to) = (a.min(b), a.max(b));
        if from != to {
            edges.push((format!("n{from}.{}", if *red { "error" } else { "success" }), format!("n{to}")));
        }
    }
    let mut seen = BTreeSet::new();
    edges.retain(|edge| seen.insert(edge.clone()));
    let mut nodes = serde_json::Map::new();
    for (i, code) in graph.kinds.iter().enumerate() {
        let mut node = json!({ "type": STEPS[usize::from(*code)] });
        let mut handling = serde_json::Map::new();
        match graph.own[i] {
            1 => handling.insert("retryPolicy".into(), json!({ "maxAttempts": 1, "initialDelayMs": 10 })),
            2 => handling.insert("retryPolicy".into(), json!({ "maxAttempts": 0 })),
            3 => handling.insert("humanReviewThreshold".into(), json!("ERROR")),
            4 => handling.insert("autoFix".into(), json!(true)),
            _ => None,
        };
        if let Some(to) = graph.fallbacks[i].filter(|to| *to > i) {
            handling.insert("fallbackNodeId".into(), json!(format!("n{to}")));
        }
        if !handling.is_empty() {
            node["errorHandling"] = Value::Object(handling);
        }
        if STEPS[usize::from(*code)] == "t.read" {
            node["out"] = json!({ (format!("$v{i}")): "=_result.from" });
        }
        nodes.insert(format!("n{i}"), node);
    }
    for (r, (_, seed)) in graph.recovery.iter().enumerate() {
        if origins[r].is_empty() {
            continue;
        }
        let wired = |port: &str| edges.iter().any(|(from, _)| *from == format!("r{r}.{port}"));
        let config = match kind(r) {
            "builtin.error_handler" => rules(*seed, wired("context")),
            "builtin.self_healing" if seed % 3 == 0 => json!({ "validationSchema": repairable() }),
            "builtin.human_decision" if seed % 4 == 0 => {
                let then = ["escalate", "abort", "retry", "skip"][usize::try_from(seed / 4 % 4).expect("small")];
                json!({ "ttlMs": 1000, "onExpiry": then })
            }
            _ => json!({}),
        };
        nodes.insert(format!("r{r}"), json!({ "type": kind(r), "config": config }));
    }
    let policy = match graph.policy {
        0 => json!("safe"),
        1 => json!("fail"),
        _ => json!({ "rules": [{ "name": "broken", "when": "error.nope.x > 1", "action": "abort" },
                               { "name": "again", "when": "error.retryable", "action": "retry" },
                               { "name": "ask", "when": "true", "action": "escalate" }] }),
    };
    let edges: Vec<Value> = edges.into_iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    json!({
        "signalbox": 1, "id": "g", "name": "g", "settings": { "errorPolicy": policy }, "nodes": nodes, "edges": edges
    })
}

fn rules(seed: u64, context: bool) -> Value {
    let pick = |shift: u32, count: u64| usize::try_from((seed >> shift) % count).expect("small");
    let whens = ["error.type == 'ValidationError'", "error.attempt < 1", "error.nope.x > 1", "error.retryable", "true"];
    let actions = ["retry", "auto_fix", "human_review", "fallback", "abort", "escalate", "error_as_context"];
    let list: Vec<Value> = (0..pick(0, 4))
        .map(|i| {
            let shift = u32::try_from(i).expect("small") * 8 + 4;
            let action = actions[pick(shift + 4, if context { 7 } else { 6 })];
            json!({ "name": format!("rule{i}"), "when": whens[pick(shift, 5)], "action": action })
        })
        .collect();
    json!({ "rules": list })
}

/// A missing member with a default: the ladder always mends that, once.
fn repairable() -> Value {
    json!({ "type": "object", "required": ["q"], "properties": { "q": { "type": "integer", "default": 1 } } })
}

/// Fails about half of the calls, in every way.
pub(crate) fn script(seed: u64) -> impl Fn(&str, usize, u32) -> Option<NodeFailure> {
    move |node: &str, item: usize, attempt: u32| {
        let mut h = seed ^ 0x9e37_79b9_7f4a_7c15;
        for b in node.bytes().chain([u8::try_from(item % 250).expect("small")]) {
            h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        }
        let network = NodeFailure::new(ErrorType::NetworkError, "CONNECTION", "scripted");
        let wrong = NodeFailure::validation("INPUT_INVALID", "scripted");
        match (h >> 40) % 12 {
            0 => Some(network),
            1 if attempt < 2 => Some(network.retryable()),
            2 => Some(network.retryable()),
            3 if attempt < 1 => Some(wrong.detail("schema", repairable())),
            4 => Some(wrong.detail("schema", repairable())),
            5 => Some(wrong.detail("schema", json!({ "type": "object", "required": ["z"] }))),
            6 => Some(wrong),
            _ => None,
        }
    }
}

pub(crate) struct Ran {
    pub(crate) compiled: Compiled,
    file: Value,
    pub(crate) events: Vec<RunEvent>,
    state: RunState,
    states: Vec<(u64, RunState)>,
}

pub(crate) fn build(graph: &Graph) -> Option<(Value, Compiled)> {
    let file = file(graph);
    let workflow: Workflow = serde_json::from_value(file.clone()).expect("a workflow");
    Compiled::new(Arc::new(workflow), "hash", &catalog()).ok().map(|compiled| (file, compiled))
}

pub(crate) fn run(graph: &Graph) -> Option<Ran> {
    let (file, compiled) = build(graph)?;
    let script = script(graph.failures);
    let mut world = World::new(&compiled, &script, graph.order);
    world.keep_states = true;
    world.every_answer = true;
    world.start(json!({ "p": 1 }));
    world.run_to_end();
    let (events, state, states) = (world.events, world.state, world.states);
    Some(Ran { compiled, file, events, state, states })
}

/// (step, path through it): what was called.
type CallOf = (String, Option<usize>, u32, u32, Option<Origin>);

fn call_of(event: &RunEvent) -> Option<CallOf> {
    let step = event.step_id.clone()?;
    Some((step, event.item, event.visit.unwrap_or(0), event.attempt.unwrap_or(0), event.body.origin().cloned()))
}

/// The failed slot that an event is about when a recovery node or a person works on it.
fn origin_of(event: &RunEvent) -> Option<&Origin> {
    match &event.body {
        EventBody::HumanTaskCompleted(done) => done.origin.as_ref(),
        EventBody::Escalated(told) => told.origin.as_ref(),
        body => body.origin(),
    }
}

/// What a port of a recovery node leads to for cases of one step, read from the file alone.
enum Leads {
    On,
    Out(Vec<(String, String)>),
}

struct Map<'f> {
    file: &'f Value,
    recovery: BTreeSet<String>,
}

impl<'f> Map<'f> {
    fn of(file: &'f Value) -> Self {
        // An Audit belongs to the recovery when it stands on the way to a recovery node, or back to the origin.
        let kind = |id: &str| file["nodes"][id]["type"].as_str().unwrap_or_default().to_owned();
        let ids = || file["nodes"].as_object().into_iter().flatten().map(|(id, _)| id.clone());
        let mut recovery: BTreeSet<String> =
            ids().filter(|id| id.starts_with('r') && kind(id) != "builtin.audit").collect();
        let audits: Vec<String> = ids().filter(|id| kind(id) == "builtin.audit").collect();
        let mut this = Self { file, recovery: recovery.clone() };
        loop {
            for audit in &audits {
                let on = this
                    .wires(audit, "success")
                    .into_iter()
                    .any(|(_, to)| this.recovery.contains(&to) || this.serves(audit).contains(&to));
                if on {
                    recovery.insert(audit.clone());
                }
            }
            if recovery == this.recovery {
                return this;
            }
            this.recovery.clone_from(&recovery);
        }
    }

    fn all(&self) -> impl Iterator<Item = (String, String)> {
        self.file["edges"].as_array().into_iter().flatten().map(|edge| {
            let text = |name: &str| edge[name].as_str().expect("text").to_owned();
            (text("from"), text("to"))
        })
    }

    fn wires(&self, node: &str, port: &str) -> Vec<(String, String)> {
        self.all().filter(|(from, _)| *from == format!("{node}.{port}")).collect()
    }

    /// The steps whose cases can come to a recovery node (or to an Audit among them).
    fn serves(&self, node: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (from, _) in self.all().filter(|(_, to)| to == node) {
            let (from, port) = from.rsplit_once('.').expect("a port");
            if from.starts_with('r') {
                found.extend(self.serves(from));
            } else if port == "error" {
                found.insert(from.to_owned());
            }
        }
        found
    }

    fn is_exit(&self, from: &str, port: &str, to: &str) -> bool {
        let kind = self.file["nodes"][from]["type"].as_str().unwrap_or_default();
        self.recovery.contains(from)
            && !self.recovery.contains(to)
            && !(may_reenter(kind, port) && self.serves(from).contains(to))
    }

    fn leads(&self, node: &str, port: &str, origin: &str) -> Leads {
        let wires = self.wires(node, port);
        let back = |to: &String| to == origin && !self.is_exit(node, port, to);
        if wires.iter().any(|(_, to)| self.recovery.contains(to) || back(to)) {
            return Leads::On;
        }
        Leads::Out(wires.into_iter().filter(|(_, to)| self.is_exit(node, port, to)).collect())
    }
}

/// How many items each wire out of the recovery nodes carries, told by the events and the file alone.
fn left(
    map: &Map<'_>,
    events: &[RunEvent],
    inputs: &BTreeMap<(String, usize), usize>,
) -> BTreeMap<(String, String), usize> {
    let mut carried: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut chosen: Option<String> = None;
    for event in events {
        let Some(step) = &event.step_id else { continue };
        let Some(origin) = origin_of(event) else { continue };
        let port = match &event.body {
            EventBody::HumanTaskCompleted(done) => {
                chosen = done.answer.target_node_id.clone();
                continue;
            }
            EventBody::ErrorHandled(handled) => match handled.action.as_str() {
                "error_as_context" => "context".to_owned(),
                action => action.to_owned(),
            },
            EventBody::StepDone(done) => done.ports.keys().next().cloned().expect("a port"),
            EventBody::StepError(_) => "error".to_owned(),
            _ => continue,
        };
        // `retry` goes back whatever the picture shows.
        if port == "retry" {
            continue;
        }
        if let Leads::Out(wires) = map.leads(step, &port, &origin.step_id) {
            let items = match port.as_str() {
                "skip" => inputs.get(&(origin.step_id.clone(), origin.item.unwrap_or(0))).copied().unwrap_or(1),
                _ => 1,
            };
            for wire in wires {
                if port != "alternative" || chosen.as_ref() == Some(&wire.1) {
                    *carried.entry(wire).or_default() += items;
                }
            }
        }
    }
    carried
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(40), max_shrink_iters: 600, max_global_rejects: 20_000, ..ProptestConfig::default()
    })]

    #[test]
    fn every_run_ends_once_and_folds_to_its_state(graph in graphs()) {
        let Some(Ran { compiled, events, state, states, .. }) = run(&graph) else { return Err(TestCaseError::reject("no workflow")) };
        prop_assert!(state.status().is_terminal());
        prop_assert_eq!(events.iter().filter(|e| e.body.is_terminal()).count(), 1);
        prop_assert!(events.last().is_some_and(|e| e.body.is_terminal()));
        check(&compiled, &events, &states);
        // A run rests only because somebody is asked.
        let rests = |state: &RunState| state.status() == RunStatus::Paused && state.open_tasks().next().is_none();
        prop_assert!(!states.iter().any(|(_, state)| rests(state)));
    }

    #[test]
    fn calls_end_once_and_every_error_takes_one_way(graph in graphs()) {
        let Some(Ran { compiled, file, events, state, .. }) = run(&graph) else { return Err(TestCaseError::reject("no workflow")) };
        let mut open: BTreeMap<CallOf, usize> = BTreeMap::new();
        let mut begun: BTreeSet<CallOf> = BTreeSet::new();
        let mut tries: BTreeMap<(String, usize, u32), u32> = BTreeMap::new();
        let mut heals: BTreeMap<(String, usize, u32), u32> = BTreeMap::new();
        let mut inputs: BTreeMap<(String, usize), usize> = BTreeMap::new();
        let mut tasks: BTreeMap<String, usize> = BTreeMap::new();
        for event in &events {
            let Some(call) = call_of(event) else { continue };
            let whole: CallOf = (call.0.clone(), None, call.2, call.3, call.4.clone());
            match &event.body {
                EventBody::StepStart(start) => {
                    prop_assert!(begun.insert(call.clone()), "begun twice: {call:?}");
                    // In `each` without an item the call is a batch.
                    let each = !["t.all", "t.many"].contains(&start.kind.as_str());
                    open.insert(call.clone(), if each { start.input.len() } else { 1 });
                    if call.4.is_none() {
                        let slots: Vec<usize> = if each { start.input.iter().map(|i| i.item).collect() } else { vec![0] };
                        for slot in slots {
                            *tries.entry((call.0.clone(), slot, call.2)).or_default() += 1;
                            inputs.entry((call.0.clone(), slot)).or_insert(if each { 1 } else { start.input.len() });
                        }
                    }
                }
                EventBody::StepDone(_) | EventBody::StepInterrupted(_) => {
                    prop_assert!(open.remove(&call).is_some() || open.remove(&whole).is_some(), "no call: {call:?}");
                }
                EventBody::StepError(_) => {
                    let key = if open.contains_key(&call) { call } else { whole };
                    let Some(count) = open.get_mut(&key) else {
                        return Err(TestCaseError::fail(format!("no call: {key:?}")));
                    };
                    *count -= 1;
                    if *count == 0 {
                        open.remove(&key);
                    }
                }
                EventBody::AutoFixAttempt(_) => {
                    let (step, item, visit) = match &call.4 {
                        Some(origin) => (origin.step_id.clone(), origin.item, origin.visit),
                        None => (call.0.clone(), call.1, call.2),
                    };
                    *heals.entry((step, item.unwrap_or(0), visit)).or_default() += 1;
                }
                EventBody::HumanTaskCreated(created) => {
                    prop_assert!(tasks.insert(created.task_id.clone(), 0).is_none(), "a task is asked once");
                }
                EventBody::HumanTaskCompleted(done) => {
                    let times = tasks.get_mut(&done.task_id).expect("asked before");
                    *times += 1;
                    prop_assert_eq!(*times, 1, "invariant 6");
                }
                _ => {}
            }
        }
        prop_assert!(open.is_empty(), "calls without an end: {open:?}");
        // The bound of calls of a visit.
        for ((step, slot, visit), count) in &tries {
            let own = file["nodes"][step]["errorHandling"]["retryPolicy"]["maxAttempts"].as_u64().unwrap_or(3);
            let tried = heals.get(&(step.clone(), *slot, *visit)).copied().unwrap_or(0);
            prop_assert!(tried <= 1, "one deterministic try per visit");
            prop_assert!(u64::from(*count) <= 1 + own + u64::from(tried), "{step}[{slot}] v{visit}: {count} calls");
        }
        // Invariant 5.
        let map = Map::of(&file);
        let aborted = events.iter().any(|event| matches!(event.body, EventBody::WorkflowFailed(_)));
        let sum = summary::of(&compiled, &state);
        prop_assert_eq!(aborted, state.status() == RunStatus::Failed);
        // An Audit that stands outside of any recovery is an ordinary step, and may be the one that failed.
        prop_assert_eq!(aborted, sum.steps.values().any(|step| step.state == NodeState::Failed));
        if !aborted {
            settled(&graph, &map, &events, &inputs)?;
        }
    }

    #[test]
    fn a_run_cut_anywhere_ends_the_same(graph in graphs()) {
        let Some(Ran { compiled, events, state, .. }) = run(&graph) else { return Err(TestCaseError::reject("no workflow")) };
        let script = script(graph.failures);
        let whole = summary::of(&compiled, &state);
        for cut in 1..events.len() {
            let mut world = World::new(&compiled, &script, graph.order);
            world.every_answer = true;
            let mut world = world.after(&events[..cut]);
            world.run_to_end();
            let resumed = summary::of(&compiled, &world.state);
            prop_assert!(world.state.status().is_terminal());
            prop_assert_eq!(world.events.iter().filter(|e| e.body.is_terminal()).count(), 1);
            let mut folded = RunState::new(&compiled, "run", None);
            for event in &world.events {
                fold(&compiled, &mut folded, event).expect("folds");
            }
            prop_assert_eq!(&folded, &world.state);
            let done: BTreeSet<CallOf> = events[..cut]
                .iter()
                .filter(|e| matches!(e.body, EventBody::StepDone(_) | EventBody::StepError(_)))
                .filter_map(call_of)
                .collect();
            for event in &world.events[cut..] {
                if let (EventBody::StepStart(_), Some(call)) = (&event.body, call_of(event)) {
                    prop_assert!(!done.contains(&call), "{:?} ran again after cut {}", call, cut);
                }
            }
            // An interrupted `write` that may have happened is a question instead of firing twice.
            let asked = world.events.iter().any(|e| {
                matches!(&e.body, EventBody::StepInterrupted(i) if i.effect.is_some())
            });
            if asked || whole.status == RunStatus::Failed {
                continue;
            }
            prop_assert_eq!(resumed.status, whole.status, "cut after event {}", cut);
            let context = |s: &signalbox_model::RunSummary| s.context.clone().into_iter().collect::<BTreeMap<_, _>>();
            prop_assert_eq!(context(&resumed), context(&whole));
            // A shared recovery node shows its last case, and which that is depends on the order.
            for (id, step) in resumed.steps.iter().filter(|(id, _)| id.starts_with('n')) {
                prop_assert_eq!(step.state, whole.steps[id].state, "{} after cut {}", id, cut);
            }
            let outputs = |s: &signalbox_model::RunSummary| {
                let mut all: Vec<String> = s.output.iter().map(masked).collect();
                all.sort();
                all
            };
            prop_assert_eq!(outputs(&resumed), outputs(&whole), "cut after event {}", cut);
        }
    }
}

/// Without what a clock says.
fn masked(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let parts: Vec<String> = map
                .iter()
                .filter(|(k, _)| !["timestamp", "provenanceRef", "message", "violations"].contains(&k.as_str()))
                .map(|(k, v)| format!("{k}:{}", masked(v)))
                .collect();
            format!("{{{}}}", parts.join(","))
        }
        Value::Array(list) => format!("[{}]", list.iter().map(masked).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

/// A second, simpler account of settlement: a step gets what its wires carry, once, and only when all who could still
/// send something have ended.
fn settled(
    graph: &Graph,
    map: &Map<'_>,
    events: &[RunEvent],
    inputs: &BTreeMap<(String, usize), usize>,
) -> Result<(), TestCaseError> {
    let exits = left(map, events, inputs);
    let mut success: BTreeMap<String, usize> = BTreeMap::new();
    let mut error: BTreeMap<String, usize> = BTreeMap::new();
    let mut fallback: BTreeMap<String, usize> = BTreeMap::new();
    let mut got: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let mut first: BTreeMap<String, u64> = BTreeMap::new();
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    // Steps whose cases go to a handler, Audits outside of the recovery among them; a recovery node's own failure is no case.
    let handled: BTreeSet<String> = map
        .all()
        .filter(|(_, to)| map.recovery.contains(to))
        .filter_map(|(from, _)| from.strip_suffix(".error").map(str::to_owned))
        .filter(|step| !map.recovery.contains(step))
        .collect();
    let has_fallback = |step: &str| map.file["nodes"][step]["errorHandling"]["fallbackNodeId"].as_str().is_some();
    let unwired = |event: &RunEvent, port: &str| match origin_of(event) {
        Some(origin) => match map.leads(event.step_id.as_deref().unwrap_or_default(), port, &origin.step_id) {
            Leads::On => false,
            Leads::Out(wires) => wires.is_empty(),
        },
        None => true,
    };
    for event in events {
        let Some(step) = &event.step_id else { continue };
        let seq = event.seq.unwrap_or_default();
        let (slot_of, item) = match origin_of(event) {
            Some(origin) => (origin.step_id.clone(), origin.item),
            None => (step.clone(), event.item),
        };
        first.entry(slot_of.clone()).or_insert(seq);
        last.insert(slot_of.clone(), seq);
        match &event.body {
            EventBody::StepStart(start) if origin_of(event).is_none() => {
                got.entry(step.clone()).or_default().extend(start.input.iter().map(|i| i.item));
            }
            EventBody::StepDone(done) if origin_of(event).is_none() => {
                *success.entry(step.clone()).or_default() += done.ports.get("success").copied().unwrap_or_default();
                prop_assert!(!done.ports.contains_key("error"), "invariant 1");
            }
            EventBody::StepError(_) if origin_of(event).is_none() => *error.entry(step.clone()).or_default() += 1,
            EventBody::RetryScheduled(_) => *error.entry(step.clone()).or_default() -= 1,
            EventBody::ErrorHandled(done) if done.action == "fallback" && unwired(event, "fallback") => {
                *fallback.entry(slot_of).or_default() += 1;
            }
            _ => {}
        }
        // A person's skip: at the human node, or at a task of the engine's own.
        let skipped = match &event.body {
            EventBody::HumanTaskCompleted(done) => done.answer.action == TaskAction::Skip,
            EventBody::Escalated(told) => told.action == signalbox_model::task::ExpiryAction::Skip,
            _ => false,
        };
        if skipped && unwired(event, "skip") {
            let slot_of = origin_of(event).map_or_else(|| step.clone(), |o| o.step_id.clone());
            if has_fallback(&slot_of) {
                *fallback.entry(slot_of).or_default() += 1;
            } else {
                let items = inputs.get(&(slot_of.clone(), item.unwrap_or(0))).copied().unwrap_or(1);
                *success.entry(slot_of).or_default() += items;
            }
        }
    }
    for index in 0..graph.kinds.len() {
        let id = format!("n{index}");
        let mut wires = 0;
        let mut expected = 0;
        for (from, to) in map.all().filter(|(_, to)| *to == id) {
            let (node, port) = from.rsplit_once('.').expect("a port");
            if map.recovery.contains(node) {
                if !map.is_exit(node, port, &to) {
                    continue;
                }
                expected += exits.get(&(from.clone(), to.clone())).copied().unwrap_or_default();
                // The exit settled after all whose cases could have left through it.
                for origin in map.serves(node) {
                    if let (Some(began), Some(ended)) = (first.get(&id), last.get(&origin)) {
                        prop_assert!(began > ended, "{id} began at {began} before {origin} ended at {ended}");
                    }
                }
            } else if port == "error" {
                if !handled.contains(node) {
                    expected += error.get(node).copied().unwrap_or_default();
                }
            } else {
                expected += success.get(node).copied().unwrap_or_default();
            }
            wires += 1;
        }
        for (from, node) in map.file["nodes"].as_object().into_iter().flatten() {
            if node["errorHandling"]["fallbackNodeId"].as_str() == Some(&id) {
                expected += fallback.get(from).copied().unwrap_or_default();
                wires += 1;
            }
        }
        let expected = if wires == 0 { 1 } else { expected };
        prop_assert_eq!(got.get(&id).map_or(0, BTreeSet::len), expected, "items into {}", id);
    }
    Ok(())
}
