//! Breakpoints on wires (ADR 53): what comes along one wire stops the run, what comes along another does not.

use crate::driver::{World, check, compile, told};
use serde_json::{Value, json};
use signalbox_engine::{Compiled, Input, debug};
use signalbox_model::{
    ErrorType, EventBody, NodeFailure, RunStatus, TaskAction,
    debug::{Breakpoint, DebugRequest, DebugStart, PauseReason},
    task::Answer,
};

fn flow(nodes: Value, edges: &[(&str, &str)]) -> Compiled {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    compile(json!({ "signalbox": 1, "id": "w", "name": "w", "settings": { "errorPolicy": "fail" }, "nodes": nodes,
                    "edges": edges }))
}

fn along(from: &str, node: &str, when: Option<&str>) -> Breakpoint {
    Breakpoint { node: node.into(), from: Some(from.into()), when: when.map(str::to_owned) }
}

fn calm(_: &str, _: usize, _: u32) -> Option<NodeFailure> {
    None
}

/// Runs to the end, people answering as the driver does; where it stopped, and along which wire.
fn stops(
    compiled: &Compiled,
    script: &dyn Fn(&str, usize, u32) -> Option<NodeFailure>,
    params: Value,
    breakpoints: Vec<Breakpoint>,
) -> Vec<String> {
    let mut world = World::new(compiled, script, 1);
    world.keep_states = true;
    world.start_watched(params, Some(DebugStart { breakpoints, ..DebugStart::default() }));
    let mut found = Vec::new();
    loop {
        world.run_to_end();
        let Some(stopped) = world.state.stopped() else { break };
        assert_eq!(stopped.reason, PauseReason::Breakpoint);
        let path = stopped.path.as_ref().map_or_else(String::new, |path| format!("{path}/"));
        let item = stopped.item.map_or_else(String::new, |item| format!("[{item}]"));
        let (from, step) = (stopped.from.as_deref().unwrap_or("-"), stopped.step_id.as_deref().unwrap_or("-"));
        found.push(format!("{from} > {path}{step}{item}"));
        assert!(found.len() < 50, "{found:?}");
        world.ask(DebugRequest::Continue);
    }
    check(compiled, &world.events, &world.states);
    found
}

#[test]
fn a_join_tells_which_wire_brought_which_item() {
    let nodes = json!({ "m": { "type": "t.many" }, "a": { "type": "t.pass" }, "b": { "type": "t.read" } });
    let compiled = flow(nodes, &[("a.success", "b"), ("m.success", "b")]);
    let run = |point| stops(&compiled, &calm, json!({ "n": 9 }), vec![point]);
    let brought = run(along("m.success", "b", None));
    assert_eq!(brought.len(), 3, "{brought:?}");
    let other = run(along("a.success", "b", None));
    assert_eq!(other.len(), 1, "{other:?}");
    assert!(!brought.contains(&other[0].replace("a.success", "m.success")), "{brought:?} {other:?}");
    assert_eq!(run(along("m.success", "b", Some("item.n == 1"))).len(), 1);
    assert_eq!(run(along("a.success", "b", Some("item.n == 1"))), [""; 0], "the item stands on the other wire");
    assert_eq!(run(along("a.success", "b", Some("size(items) == 4"))).len(), 1, "all items are seen");
}

#[test]
fn a_step_that_takes_all_stops_for_one_item_of_the_wire_and_a_dead_wire_stops_nothing() {
    let nodes = json!({ "s": { "type": "t.pass" }, "f": { "type": "t.read" }, "x": { "type": "t.pass" },
                        "all": { "type": "t.all" } });
    let edges = [("s.success", "all"), ("f.success", "all"), ("f.error", "x"), ("x.success", "all")];
    let compiled = flow(nodes, &edges);
    let fails = |node: &str, _: usize, _: u32| (node == "f").then(|| NodeFailure::tool("X", "no"));
    let points = || vec![along("f.success", "all", None), along("f.error", "x", None), along("x.success", "all", None)];
    assert_eq!(stops(&compiled, &fails, json!({}), points()), ["f.error > x", "x.success > all"], "the red way");
    assert_eq!(stops(&compiled, &calm, json!({}), points()), ["f.success > all"], "the green way");
}

#[test]
fn a_batch_of_pure_calls_stops_only_when_one_of_its_items_came_along_the_wire() {
    let nodes = json!({ "m": { "type": "t.many" }, "f": { "type": "t.pass" }, "p": { "type": "t.pass" } });
    let compiled = flow(nodes, &[("m.success", "p"), ("f.success", "p")]);
    let run = |when| stops(&compiled, &calm, json!({ "n": 7 }), vec![along("f.success", "p", Some(when))]);
    assert_eq!(run("item.n == 7"), ["f.success > p"]);
    assert_eq!(run("item.n == 2"), [""; 0], "it is there, but came along the other wire");
}

#[test]
fn cases_are_told_by_the_wire_they_go_along_to_a_recovery_node_and_back() {
    let rules = json!({ "rules": [{ "when": "true", "action": "retry" }] });
    let nodes = json!({ "c": { "type": "t.read", "errorHandling": { "retryPolicy": { "maxAttempts": 0 } } },
                        "d": { "type": "t.read" },
                        "eh": { "type": "builtin.error_handler", "config": rules }, "end": { "type": "t.all" } });
    let edges = [("c.error", "eh"), ("eh.retry", "c"), ("d.error", "eh"), ("c.success", "end"), ("eh.abort", "end")];
    let compiled = flow(nodes, &edges);
    let fails = |node: &str, _: usize, attempt: u32| {
        (node == "d" && attempt == 0)
            .then(|| NodeFailure::new(ErrorType::NetworkError, "CONNECTION", "scripted").retryable())
    };
    let points = || vec![along("c.error", "eh", None), along("eh.retry", "c", None)];
    assert_eq!(stops(&compiled, &fails, json!({}), points()), [""; 0], "the error of the other step");
    assert_eq!(stops(&compiled, &fails, json!({}), vec![along("d.error", "eh", None)]), ["d.error > eh"]);

    let nodes = json!({ "c": { "type": "t.read" }, "ask": { "type": "builtin.human_decision" } });
    let compiled = flow(nodes, &[("c.error", "ask"), ("ask.retry", "c")]);
    let fails = |node: &str, _: usize, _: u32| (node == "c").then(|| NodeFailure::tool("X", "no"));
    let mut world = World::new(&compiled, &fails, 1);
    let breakpoints = vec![along("c.error", "ask", None), along("ask.retry", "c", None)];
    world.start_watched(json!({}), Some(DebugStart { breakpoints, ..DebugStart::default() }));
    world.run_to_end();
    let from = |world: &World| world.state.stopped().and_then(|stopped| stopped.from.clone());
    assert_eq!(from(&world).as_deref(), Some("c.error"), "before the person is asked");
    world.ask(DebugRequest::Continue);
    while world.state.open_tasks().next().is_none() {
        assert!(world.turn());
    }
    let task_id = world.state.open_tasks().next().expect("asked").to_owned();
    let answer = Answer {
        action: TaskAction::Retry,
        corrected_input: None,
        target_node_id: None,
        budget_micros: None,
        tool_grant: None,
        notes: None,
        operator_id: Some("user:ann".into()),
    };
    world.give(Input::Decision { task_id, answer, request_id: None, now: 1_000_009 });
    assert_eq!(
        from(&world).as_deref(),
        Some("ask.retry"),
        "before the call that the answer leads to: {:?}",
        told(&world.events)
    );
    assert_eq!(world.state.stopped().and_then(|stopped| stopped.step_id.as_deref()), Some("c"));
}

#[test]
fn a_retry_comes_along_no_wire_and_iterations_have_wires_of_their_own() {
    let nodes = json!({ "l": { "type": "t.loop", "config": { "source": "=params.list" } },
                        "a": { "type": "t.pass", "parent": "l" },
                        "b": { "type": "t.read", "parent": "l", "errorHandling": { "retryPolicy": { "maxAttempts": 1 } } } });
    let compiled = flow(nodes, &[("a.success", "b")]);
    let once = |node: &str, _: usize, attempt: u32| {
        (node == "b" && attempt == 0)
            .then(|| NodeFailure::new(ErrorType::NetworkError, "CONNECTION", "scripted").retryable())
    };
    let run = |point| stops(&compiled, &once, json!({ "list": [5, 6] }), vec![point]);
    assert_eq!(run(along("a.success", "b", None)), ["a.success > l[0]/b", "a.success > l[1]/b"]);
    assert_eq!(run(along("a.success", "l[1]/b", None)), ["a.success > l[1]/b"]);
}

#[test]
fn the_wire_to_a_fallback_is_named_like_a_port() {
    let nodes =
        json!({ "c": { "type": "t.read", "errorHandling": { "fallbackNodeId": "f" } }, "f": { "type": "t.pass" } });
    let compiled = flow(nodes, &[]);
    let fails = |node: &str, _: usize, _: u32| (node == "c").then(|| NodeFailure::tool("X", "no"));
    assert_eq!(stops(&compiled, &fails, json!({}), vec![along("c.fallback", "f", None)]), ["c.fallback > f"]);
}

#[test]
fn a_wire_that_is_not_drawn_is_refused_and_a_stop_survives_a_restart() {
    let nodes = json!({ "a": { "type": "t.pass" }, "b": { "type": "t.read" }, "c": { "type": "t.pass" } });
    let compiled = flow(nodes, &[("a.success", "b"), ("b.success", "c")]);
    for (from, node) in [("a.error", "b"), ("a.success", "c"), ("a", "b"), ("", "b"), ("gone.success", "b")] {
        let refused = debug::check(&compiled, &[along(from, node, None)]).expect_err(from);
        assert!(refused.reason.contains("no wire leads there"), "{}", refused.reason);
    }
    assert_eq!(debug::check(&compiled, &[along("a.success", "b", Some("item.n > 1"))]), Ok(()));
    let mut world = World::new(&compiled, &calm, 1);
    let breakpoints = vec![along("a.success", "b", None)];
    world.start_watched(json!({}), Some(DebugStart { breakpoints, ..DebugStart::default() }));
    world.run_to_end();
    let Some(EventBody::WorkflowPaused(paused)) = world.events.last().map(|event| &event.body) else {
        panic!("paused")
    };
    assert_eq!(paused.from.as_deref(), Some("a.success"));
    let events = world.events.clone();
    let mut world = World::resume(&compiled, &events, &calm, 1);
    assert_eq!(world.state.stopped().and_then(|stopped| stopped.from.as_deref()), Some("a.success"));
    world.ask(DebugRequest::Continue);
    world.run_to_end();
    assert_eq!(world.state.status(), RunStatus::Completed);
}
