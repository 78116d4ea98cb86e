//! Invariants of ARCHITECTURE 4 over random graphs, failures and orders of completion.

use crate::driver::{World, cases, catalog, check, compile, finished, parted, takes};
use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_engine::{Compiled, RunState, summary};
use signalbox_model::{ErrorType, EventBody, NodeFailure, NodeState, RunEvent, RunStatus, TaskAction};
use std::collections::{BTreeMap, BTreeSet, HashMap};

#[derive(Debug, Clone)]
pub(crate) struct Graph {
    kinds: Vec<u8>,
    edges: Vec<(usize, usize, u8)>,
    fallbacks: Vec<Option<usize>>,
    retries: Vec<u8>,
    safe: bool,
    pub(crate) failures: u64,
    pub(crate) order: u64,
}

pub(crate) fn graphs() -> impl Strategy<Value = Graph> {
    (3_usize..9).prop_flat_map(|n| {
        (
            prop::collection::vec(0_u8..8, n),
            prop::collection::vec((0..n, 0..n, 0_u8..6), 0..(n * 2)),
            prop::collection::vec(prop::option::weighted(0.15, 0..n), n),
            prop::collection::vec(0_u8..3, n),
            any::<bool>(),
            any::<u64>(),
            any::<u64>(),
        )
            .prop_map(|(kinds, edges, fallbacks, retries, safe, failures, order)| Graph {
                kinds,
                edges,
                fallbacks,
                retries,
                safe,
                failures,
                order,
            })
    })
}

fn kind(code: u8) -> &'static str {
    ["t.pass", "t.split", "t.many", "t.read", "t.read", "t.all", "t.write", "t.pass"][usize::from(code)]
}

fn ports(kind: &str) -> &'static [&'static str] {
    if kind == "t.split" { &["true", "false", "error"] } else { &["success", "success", "error"] }
}

pub(crate) fn file(graph: &Graph) -> Value {
    let mut nodes = serde_json::Map::new();
    for (i, code) in graph.kinds.iter().enumerate() {
        let mut node = json!({ "type": kind(*code) });
        let mut handling = serde_json::Map::new();
        if graph.retries[i] > 0 {
            handling.insert("retryPolicy".into(), json!({ "maxAttempts": graph.retries[i], "initialDelayMs": 10 }));
        }
        if let Some(to) = graph.fallbacks[i].filter(|to| *to > i) {
            handling.insert("fallbackNodeId".into(), json!(format!("n{to}")));
        }
        if !handling.is_empty() {
            node["errorHandling"] = Value::Object(handling);
        }
        if matches!(kind(*code), "t.read") {
            node["out"] = json!({ (format!("$v{i}")): "=_result.from" });
        }
        nodes.insert(format!("n{i}"), node);
    }
    let mut seen = BTreeSet::new();
    let mut edges = Vec::new();
    for (a, b, port) in &graph.edges {
        let (from, to) = (a.min(b), a.max(b));
        let port = ports(kind(graph.kinds[*from]))[usize::from(*port) % 3];
        if from != to && seen.insert((*from, *to, port)) {
            edges.push(json!({ "from": format!("n{from}.{port}"), "to": format!("n{to}") }));
        }
    }
    json!({
        "signalbox": 1, "id": "g", "name": "g", "settings": { "errorPolicy": if graph.safe { "safe" } else { "fail" } },
        "nodes": nodes, "edges": edges
    })
}

/// Fails about a fifth of the calls; half of those retryably.
pub(crate) fn script(seed: u64) -> impl Fn(&str, usize, u32) -> Option<NodeFailure> {
    move |node: &str, item: usize, attempt: u32| {
        let mut h = seed ^ 0x9e37_79b9_7f4a_7c15;
        for b in node.bytes().chain([u8::try_from(item % 250).expect("small")]) {
            h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        }
        let fate = (h >> 40) % 10;
        let failure = NodeFailure::new(ErrorType::NetworkError, "CONNECTION", "scripted");
        match fate {
            0 => Some(failure),
            1 if attempt < 2 => Some(failure.retryable()),
            2 => Some(failure.retryable()),
            _ => None,
        }
    }
}

fn run(graph: &Graph, compiled: &Compiled) -> (Vec<RunEvent>, RunState) {
    let script = script(graph.failures);
    let mut world = World::new(compiled, &script, graph.order);
    (world.keep_states, world.talks) = (true, true);
    world.start(json!({ "p": 1 }));
    world.run_to_end();
    check(compiled, &world.events, &world.states);
    (world.events, world.state)
}

/// Items per port that left a node, told by its events alone.
#[derive(Default)]
struct Left {
    ports: BTreeMap<String, usize>,
    errors: usize,
    retried: usize,
    fallback: usize,
    aborted: usize,
    has_fallback: bool,
    together: bool,
    input: BTreeSet<usize>,
}

/// A second, much simpler account of settlement: a node gets the items that its wires carry, and runs exactly when there
/// are some. Holds for runs that were not aborted.
fn check_settlement(graph: &Graph, file: &Value, events: &[RunEvent]) -> Result<(), TestCaseError> {
    let mut left: BTreeMap<String, Left> = BTreeMap::new();
    for event in events {
        let Some(step) = &event.step_id else { continue };
        let index: usize = step.trim_start_matches('n').parse().expect("number");
        let node = left.entry(step.clone()).or_default();
        node.has_fallback = graph.fallbacks[index].is_some_and(|to| to > index);
        node.together = matches!(kind(graph.kinds[index]), "t.all" | "t.many");
        match &event.body {
            EventBody::StepStart(start) => node.input.extend(start.input.iter().map(|i| i.item)),
            EventBody::StepDone(done) => {
                for (port, count) in &done.ports {
                    *node.ports.entry(port.clone()).or_default() += count;
                }
            }
            EventBody::StepError(_) => node.errors += 1,
            EventBody::RetryScheduled(_) => node.retried += 1,
            EventBody::ErrorHandled(handled) if handled.action == "fallback" => node.fallback += 1,
            EventBody::ErrorHandled(handled) if handled.action == "abort" => node.aborted += 1,
            EventBody::HumanTaskCompleted(done) => match done.answer.action {
                TaskAction::Retry => node.retried += 1,
                TaskAction::Skip if node.has_fallback => node.fallback += 1,
                TaskAction::Skip => {
                    node.aborted += 1;
                    // The input items go on: all of them where the step takes them together.
                    let items = if node.together { node.input.len() } else { 1 };
                    *node.ports.entry("success".into()).or_default() += items;
                }
                _ => node.aborted += 1,
            },
            _ => {}
        }
    }
    let carried = |from: &str, port: &str| {
        let Some(node) = left.get(from) else { return 0 };
        match port {
            "error" => node.errors - node.retried - node.fallback - node.aborted,
            "fallback" => node.fallback,
            _ => node.ports.get(port).copied().unwrap_or_default(),
        }
    };
    for index in 0..graph.kinds.len() {
        let id = format!("n{index}");
        let drawn = file["edges"].as_array().into_iter().flatten().filter(|e| e["to"] == *id);
        let drawn =
            drawn.filter_map(|e| e["from"].as_str()?.rsplit_once('.')).map(|(from, port)| (from.to_owned(), port));
        let implicit = (0..graph.kinds.len())
            .filter(|i| graph.fallbacks[*i].filter(|to| to > i) == Some(index))
            .map(|i| (format!("n{i}"), "fallback"));
        let wires: Vec<(String, &str)> = drawn.chain(implicit).collect();
        let expected = if wires.is_empty() { 1 } else { wires.iter().map(|(from, port)| carried(from, port)).sum() };
        let got = left.get(&id).map_or(0, |node| node.input.len());
        prop_assert_eq!(got, expected, "items into {}", id);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(100), max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_run_and_its_calls_end_once_and_items_leave_by_one_port(graph in graphs()) {
        let compiled = parted(compile(file(&graph)), graph.order);
        let (events, state) = run(&graph, &compiled);
        prop_assert!(state.status().is_terminal());
        prop_assert_eq!(events.iter().filter(|e| e.body.is_terminal()).count(), 1);
        prop_assert!(events.last().is_some_and(|e| e.body.is_terminal()));
        // every call has exactly one end
        let mut open: HashMap<(String, Option<usize>, u32, u32), usize> = HashMap::new();
        let mut items: BTreeMap<String, (BTreeSet<usize>, BTreeMap<usize, usize>)> = BTreeMap::new();
        for event in &events {
            let Some(step) = &event.step_id else { continue };
            let key = (step.clone(), event.item, event.visit.unwrap_or(0), event.attempt.unwrap_or(0));
            let entry = items.entry(step.clone()).or_default();
            match &event.body {
                EventBody::StepStart(start) => {
                    *open.entry(key).or_default() += start.input.len().max(1);
                    entry.0.extend(start.input.iter().map(|i| i.item));
                }
                EventBody::StepDone(done) => {
                    // invariant 1: neither an error nor a failed input is on `success`
                    for (port, list) in &done.items {
                        prop_assert!(port != "error");
                        for item in list {
                            if let Some(paired) = item.paired_item && step_splits_not(&graph, step) {
                                *entry.1.entry(paired).or_default() += 1;
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        for (step, (_, left)) in &items {
            for (item, times) in left {
                prop_assert_eq!(*times, 1, "item {} of {} left {} times", item, step, times);
            }
        }
        // invariant 5: a handled run never ends failed, an unhandled one never completed
        let aborted = events.iter().any(|e| match &e.body {
            EventBody::ErrorHandled(h) => h.action == "abort",
            EventBody::HumanTaskCompleted(done) => done.answer.action == TaskAction::Abort,
            _ => false,
        });
        let expected = if aborted { RunStatus::Failed } else { RunStatus::Completed };
        prop_assert_eq!(state.status(), expected);
        let sum = summary::of(&compiled, &state);
        prop_assert_eq!(aborted, sum.steps.values().any(|s| s.state == NodeState::Failed));
        if !aborted {
            check_settlement(&graph, &file(&graph), &events)?;
        }
    }

}

proptest! {
    // Each case resumes its run after each of its events.
    #![proptest_config(ProptestConfig { cases: cases(40), max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_run_cut_anywhere_ends_the_same(graph in graphs()) {
        let compiled = parted(compile(file(&graph)), graph.order);
        let script = script(graph.failures);
        let (events, state) = run(&graph, &compiled);
        let whole = summary::of(&compiled, &state);
        for cut in 1..events.len() {
            let mut world = World::resume(&compiled, &events[..cut], &script, graph.order);
            world.talks = true;
            world.run_to_end();
            let resumed = summary::of(&compiled, &world.state);
            // An interrupted `write` that may have happened is a question instead of firing twice.
            let asked = world.events.iter().any(|e| {
                matches!(&e.body, EventBody::StepInterrupted(i) if i.effect.is_some())
            });
            if asked || whole.status == RunStatus::Failed {
                prop_assert!(world.state.status().is_terminal());
                continue;
            }
            prop_assert_eq!(resumed.status, whole.status, "cut after event {}", cut);
            let context = |s: &signalbox_model::RunSummary| s.context.clone().into_iter().collect::<BTreeMap<_, _>>();
            prop_assert_eq!(context(&resumed), context(&whole));
            for (id, step) in &resumed.steps {
                prop_assert_eq!(step.state, whole.steps[id].state, "{} after cut {}", id, cut);
            }
            // no finished step runs again
            let done = finished(events[..cut].iter());
            for (step, items) in world.events[cut..].iter().filter_map(takes) {
                for item in items {
                    let again = done.contains(&(step.clone(), item));
                    prop_assert!(!again, "item {} of {} ran again after cut {}", item, step, cut);
                }
            }
        }
    }
}

fn step_splits_not(graph: &Graph, step: &str) -> bool {
    let index: usize = step.trim_start_matches('n').parse().expect("number");
    matches!(kind(graph.kinds[index]), "t.pass" | "t.split" | "t.read" | "t.write")
}

#[test]
fn the_made_up_catalog_is_valid() {
    assert!(catalog().iter().count() > 5);
}
