//! The invariants over random graphs in which containers nest (SEMANTICS 6): any order of completion, any failures, cut
//! off after any event.

use crate::driver::{World, cases, catalog, compile, finished_calls, parted, takes, told};
use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_engine::{Compiled, RunState, fold, summary};
use signalbox_model::{ErrorType, EventBody, NodeFailure, RunEvent, RunStatus, RunSummary};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(crate) struct Nested {
    /// Kind, container (an earlier node), settings.
    nodes: Vec<(u8, usize, u8)>,
    edges: Vec<(usize, usize, u8)>,
    policy: u8,
    /// The graph is the body of a sub-workflow that is called for each of several items.
    within: bool,
    pub(crate) failures: u64,
    pub(crate) order: u64,
}

pub(crate) fn nested() -> impl Strategy<Value = Nested> {
    (4_usize..11).prop_flat_map(|n| {
        (
            prop::collection::vec((0_u8..14, 0..n, any::<u8>()), n),
            prop::collection::vec((0..n, 0..n, 0_u8..5), 0..(n * 2)),
            0_u8..4,
            prop::bool::weighted(0.3),
            any::<u64>(),
            any::<u64>(),
        )
            .prop_map(|(nodes, edges, policy, within, failures, order)| Nested {
                nodes,
                edges,
                policy,
                within,
                failures,
                order,
            })
    })
}

const KINDS: [&str; 14] = [
    "t.loop", "t.loop", "t.loop", "t.par", "t.par", "t.pass", "t.read", "t.read", "t.write", "t.wait", "t.split",
    "t.all", "t.break", "t.read",
];

impl Nested {
    /// Some step may be a break.
    pub(crate) fn breaks(&self) -> bool {
        self.nodes.iter().any(|(kind, _, _)| KINDS[usize::from(*kind)] == "t.break")
    }
}

/// The graph, at the top or as what a step calls for each of its items.
pub(crate) fn build(nested: &Nested) -> Compiled {
    let file = file(nested);
    if !nested.within {
        return compile(file);
    }
    let read = |file: Value| Arc::new(serde_json::from_value(file).expect("a workflow"));
    let outer = json!({ "signalbox": 1, "id": "w", "name": "w", "settings": file["settings"],
        "nodes": { "m": { "type": "t.many" }, "s": { "type": "t.sub", "config": { "workflow": "g" } }, "c": { "type": "t.all" } },
        "edges": [{ "from": "m.success", "to": "s" }, { "from": "s.success", "to": "c" }] });
    let others = BTreeMap::from([("g".to_owned(), read(file))]);
    Compiled::with_files(read(outer), "hash", &catalog(), &others).unwrap_or_else(|found| panic!("{found:#?}"))
}

fn file(nested: &Nested) -> Value {
    let count = nested.nodes.len();
    let mut kinds: Vec<&str> = nested.nodes.iter().map(|(kind, _, _)| KINDS[usize::from(*kind)]).collect();
    // The container of a node: the one it names, when that comes before it and is one.
    let parents: Vec<Option<usize>> = (0..count)
        .map(|i| {
            let wanted = nested.nodes[i].1;
            (wanted < i && matches!(kinds[wanted], "t.loop" | "t.par")).then_some(wanted)
        })
        .collect();
    let in_loop = |i: usize| {
        let around = std::iter::successors(parents[i], |outer| parents[*outer]);
        around.into_iter().any(|outer| KINDS[usize::from(nested.nodes[outer].0)] == "t.loop")
    };
    for (i, kind) in kinds.iter_mut().enumerate() {
        let empty = !parents.contains(&Some(i));
        if matches!(*kind, "t.loop" | "t.par") && empty || *kind == "t.break" && !in_loop(i) {
            *kind = "t.read";
        }
    }
    let mut nodes = serde_json::Map::new();
    for i in 0..count {
        let setting = nested.nodes[i].2;
        let config = match kinds[i] {
            "t.loop" => {
                let mut config = match setting % 4 {
                    0 => json!({ "source": (0..setting / 64).collect::<Vec<u8>>() }),
                    1 => json!({ "while": format!("_index < {}", setting % 3) }),
                    2 => json!({ "source": [1, 2, 3], "mode": "parallel", "maxConcurrency": 2 }),
                    _ => json!({ "mode": "parallel", "collect": "[_index, _result]", "source": ["a", "b"] }),
                };
                config["onChildError"] = json!(if setting & 32 == 0 { "fail_fast" } else { "collect_errors" });
                config
            }
            "t.par" => json!({ "onChildError": if setting & 32 == 0 { "fail_fast" } else { "collect_errors" } }),
            "t.wait" => json!({ "ms": setting }),
            _ => json!({}),
        };
        let mut node = json!({ "type": kinds[i], "config": config });
        if let Some(parent) = parents[i] {
            node["parent"] = json!(format!("n{parent}"));
        }
        if kinds[i] == "t.read" && setting & 16 != 0 {
            node["errorHandling"] = json!({ "retryPolicy": { "maxAttempts": 1, "initialDelayMs": 10 } });
        }
        nodes.insert(format!("n{i}"), node);
    }
    let mut seen = BTreeSet::new();
    let mut fed = BTreeSet::new();
    let mut edges = Vec::new();
    for (a, b, port) in &nested.edges {
        let (from, to) = (*a.min(b), *a.max(b));
        let port = match (kinds[from], port % 5) {
            ("t.break", _) => continue,
            (_, 4) => "error",
            ("t.split", port) => ["true", "false"][usize::from(port % 2)],
            _ => "success",
        };
        // In a parallel every step has one way in, so that no branches meet.
        let alone = parents[to].is_some_and(|parent| kinds[parent] == "t.par");
        if from == to || parents[from] != parents[to] || alone && fed.contains(&to) || !seen.insert((from, to, port)) {
            continue;
        }
        fed.insert(to);
        edges.push(json!({ "from": format!("n{from}.{port}"), "to": format!("n{to}") }));
    }
    let policy = match nested.policy {
        0 => json!("safe"),
        1 => json!({ "rules": [{ "name": "again", "when": "error.attempt < 1", "action": "retry" },
                               { "name": "enough", "when": "true", "action": "abort" }] }),
        _ => json!("fail"),
    };
    json!({ "signalbox": 1, "id": "g", "name": "g", "settings": { "errorPolicy": policy }, "nodes": nodes, "edges": edges })
}

/// Fails about a tenth of the calls, some of them retryably, some only once.
pub(crate) fn script(seed: u64) -> impl Fn(&str, usize, u32) -> Option<NodeFailure> {
    move |node: &str, item: usize, attempt: u32| {
        let mut h = seed ^ 0x9e37_79b9_7f4a_7c15;
        for b in node.bytes().chain([u8::try_from(item % 250).expect("small")]) {
            h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        }
        let failure = NodeFailure::new(ErrorType::NetworkError, "CONNECTION", "scripted");
        match (h >> 40) % 24 {
            0 => Some(failure),
            1 if attempt < 1 => Some(failure.retryable()),
            2 => Some(failure.retryable()),
            _ => None,
        }
    }
}

pub(crate) fn run(nested: &Nested, compiled: &Compiled) -> (Vec<RunEvent>, RunState) {
    let script = script(nested.failures);
    let world = World::ran(compiled, &script, nested.order, json!({ "p": 1 }));
    (world.events, world.state)
}

/// Every call has one end, and nothing ends that has not begun.
pub(crate) fn calls_end_once(events: &[RunEvent]) -> Result<(), TestCaseError> {
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    for event in events {
        let Some(step) = &event.step_id else { continue };
        let origin = event.body.origin().map(|origin| format!("{origin:?}"));
        let key = |item: Option<usize>| {
            format!("{:?}/{step} {item:?} {:?} {:?} {origin:?}", event.path, event.visit, event.attempt)
        };
        let own = if open.contains_key(&key(event.item)) { key(event.item) } else { key(None) };
        match &event.body {
            EventBody::StepStart(start) => {
                let before = open.insert(key(event.item), start.input.len().max(1));
                prop_assert!(before.is_none(), "begun twice: {} in {:#?}", key(event.item), told(events));
            }
            EventBody::StepDone(_) | EventBody::StepInterrupted(_) => {
                prop_assert!(open.remove(&own).is_some(), "ended without a beginning: {own} in {:#?}", told(events));
            }
            EventBody::StepError(_) => match open.get_mut(&own) {
                Some(left) if *left > 1 && event.item.is_some() => *left -= 1,
                Some(_) => {
                    open.remove(&own);
                }
                None => prop_assert!(false, "failed without a beginning: {own} in {:#?}", told(events)),
            },
            _ => {}
        }
    }
    prop_assert!(open.is_empty(), "without an end: {open:?} in {:#?}", told(events));
    Ok(())
}

/// When an error happened differs after a crash.
pub(crate) fn timeless(data: &Value) -> Value {
    match data {
        Value::Object(map) => map
            .iter()
            .filter(|(name, _)| !["timestamp", "provenanceRef"].contains(&name.as_str()))
            .map(|(name, data)| (name.clone(), timeless(data)))
            .collect(),
        Value::Array(list) => list.iter().map(timeless).collect(),
        other => other.clone(),
    }
}

/// A failed child cut something off, and what it cuts off depends on when it fails: a call was interrupted, or a retry was
/// decided and never began.
pub(crate) fn cuts_off(events: &[RunEvent]) -> bool {
    let place = |event: &RunEvent| (event.path.clone(), event.step_id.clone(), event.visit);
    let given_up = |(index, event): (usize, &RunEvent)| {
        let begins = |later: &RunEvent| {
            let item = event.item.unwrap_or(0);
            place(later) == place(event) && takes(later).is_some_and(|(_, items)| items.contains(&item))
        };
        matches!(event.body, EventBody::RetryScheduled(_)) && !events[index..].iter().any(begins)
    };
    has(events, |body| matches!(body, EventBody::StepInterrupted(_))) || events.iter().enumerate().any(given_up)
}

fn has(events: &[RunEvent], what: impl Fn(&EventBody) -> bool) -> bool {
    events.iter().any(|event| what(&event.body))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(30), max_shrink_iters: 3_000,
        failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn containers_end_once_and_the_log_rebuilds_them(nested in nested()) {
        let compiled = parted(build(&nested), nested.order);
        let (events, state) = run(&nested, &compiled);
        prop_assert!(state.status().is_terminal());
        prop_assert_eq!(events.iter().filter(|e| e.body.is_terminal()).count(), 1);
        calls_end_once(&events)?;
        // Invariant 5: an error that nobody handled at the top fails the run, and nothing else does.
        let decided = |event: &&RunEvent| match &event.body {
            EventBody::ErrorHandled(handled) => handled.action == "abort" && event.path.is_none(),
            EventBody::HumanTaskCompleted(done) => done.answer.action == signalbox_model::TaskAction::Abort,
            _ => false,
        };
        let failed = events.iter().any(|event| decided(&event));
        prop_assert_eq!(failed, state.status() == RunStatus::Failed, "{:#?}", told(&events));
    }

    #[test]
    fn containers_cut_anywhere_end_the_same(nested in nested()) {
        let compiled = parted(build(&nested), nested.order);
        let script = script(nested.failures);
        let (events, state) = run(&nested, &compiled);
        let whole = summary::of(&compiled, &state);
        // What a break cuts off depends on when it happens, too.
        let timed = cuts_off(&events) || nested.breaks();
        // Long runs are cut at every so many events, beginning at different ones.
        let stride = events.len().div_ceil(24);
        let first = 1 + usize::try_from(nested.order % 1_000).expect("small") % stride;
        for cut in (first..events.len()).step_by(stride) {
            let mut world = World::new(&compiled, &script, nested.order ^ 5);
            world.checked = false;
            let mut world = world.after(&events[..cut]);
            world.run_to_end();
            let mut folded = RunState::new(&compiled, "run", None);
            for event in &world.events {
                fold(&compiled, &mut folded, event).expect("folds");
            }
            prop_assert_eq!(&folded, &world.state);
            calls_end_once(&world.events)?;
            prop_assert!(world.state.status().is_terminal());
            // No finished step runs again.
            let done = finished_calls(events[..cut].iter());
            for event in &world.events[cut..] {
                let Some((step, items)) = takes(event) else { continue };
                let entered = (event.path.as_deref().map(str::to_owned), step, event.visit);
                let again = items.into_iter().any(|item| done.contains(&(entered.clone(), item)));
                prop_assert!(!again, "{entered:?} ran again after {cut} of {:#?}", told(&world.events));
            }
            let asked = has(&world.events, |body| matches!(body, EventBody::StepInterrupted(i) if i.effect.is_some()));
            if timed || asked || whole.status != RunStatus::Completed {
                continue;
            }
            let resumed = summary::of(&compiled, &world.state);
            let output = |sum: &RunSummary| {
                let mut all: Vec<String> = sum.output.iter().map(|data| timeless(data).to_string()).collect();
                all.sort();
                all
            };
            prop_assert_eq!(resumed.status, whole.status, "cut after {} of {:#?}", cut, told(&world.events));
            prop_assert_eq!(output(&resumed), output(&whole), "cut after {} of {:#?}", cut, told(&world.events));
            for (id, step) in &resumed.steps {
                prop_assert_eq!(step.state, whole.steps[id].state, "{} after cut {} of {:#?}", id, cut, told(&world.events));
            }
        }
    }
}
