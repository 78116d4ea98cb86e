//! Small stories of SEMANTICS, each one run.

use crate::driver::{World, compile};
use serde_json::{Value, json};
use signalbox_engine::{Input, RunState, effect::Timer, summary};
use signalbox_model::{
    ErrorType, EventBody, NodeFailure, NodeState, RunEvent, RunStatus, TaskAction, TaskReason, task::Answer,
};
use std::sync::Arc;

fn network() -> NodeFailure {
    NodeFailure::new(ErrorType::NetworkError, "SERVICE_UNAVAILABLE", "down").retryable()
}

fn flow(settings: Value, nodes: Value, edges: &[(&str, &str)]) -> Value {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    json!({ "signalbox": 1, "id": "w", "name": "w", "settings": settings, "nodes": nodes, "edges": edges })
}

fn told(events: &[RunEvent]) -> Vec<String> {
    events
        .iter()
        .map(|e| {
            let item = e.item.map_or_else(String::new, |i| format!("[{i}]"));
            let step =
                e.step_id.as_deref().map_or_else(String::new, |s| format!(" {s}{item} a{}", e.attempt.unwrap_or(0)));
            format!("{}{step}", e.body.type_name())
        })
        .collect()
}

fn finish(
    file: Value,
    script: &dyn Fn(&str, usize, u32) -> Option<NodeFailure>,
) -> (Vec<RunEvent>, RunState, signalbox_model::RunSummary) {
    let compiled = compile(file);
    let mut world = World::new(&compiled, script, 1);
    world.start(json!({ "x": 1 }));
    world.run_to_end();
    let sum = summary::of(&compiled, &world.state);
    (world.events, world.state, sum)
}

#[test]
fn what_fails_in_an_audit_beside_the_recovery_is_a_case_of_its_own() {
    let rules = |action: &str| json!({ "rules": [{ "name": "r", "when": "true", "action": action }] });
    let file = flow(
        json!({}),
        json!({ "call": { "type": "t.read" }, "first": { "type": "builtin.error_handler", "config": rules("error_as_context") },
                "note": { "type": "builtin.audit" },
                "second": { "type": "builtin.error_handler", "config": rules("fallback") },
                "rest": { "type": "t.pass" } }),
        &[("call.error", "first"), ("first.context", "note"), ("note.error", "second"), ("second.fallback", "rest")],
    );
    let (events, _, sum) = finish(file, &|node, _, _| (node != "rest").then(|| NodeFailure::tool("X", "no")));
    assert_eq!(sum.status, RunStatus::Completed);
    assert_eq!(sum.steps["rest"].state, NodeState::Succeeded, "{:#?}", told(&events));
}

#[test]
fn semantics_c_items_split_at_a_red_wire_and_join_once() {
    let file = flow(
        json!({}),
        json!({ "mk": { "type": "t.many" }, "call": { "type": "t.read" }, "good": { "type": "t.pass" },
                "bad": { "type": "t.pass" }, "all": { "type": "t.all" } }),
        &[
            ("mk.success", "call"),
            ("call.success", "good"),
            ("call.error", "bad"),
            ("good.success", "all"),
            ("bad.success", "all"),
        ],
    );
    let (events, _, sum) =
        finish(file, &|node, item, _| (node == "call" && item == 1).then(|| NodeFailure::tool("X", "no")));
    assert_eq!(sum.status, RunStatus::Completed);
    assert_eq!(sum.steps["call"].state, NodeState::ErrorHandled);
    let joined = events.iter().find_map(|e| match &e.body {
        EventBody::StepStart(s) if e.step_id.as_deref() == Some("all") => Some(s.input.len()),
        _ => None,
    });
    assert_eq!(joined, Some(3), "the join fires once with three items");
    let order: Vec<String> = told(&events).into_iter().filter(|e| e.contains("good") || e.contains("bad")).collect();
    assert_eq!(order, ["step_start good a0", "step_done good a0", "step_start bad a0", "step_done bad a0"]);
    // TS-034: the second of three items fails
    let error = sum.output.iter().find(|o| o.get("originNode").is_some()).expect("the error travelled");
    assert_eq!(error["details"]["input"], json!({ "n": 1 }));
}

#[test]
fn ts_002_four_calls_then_abort() {
    let file = flow(
        json!({ "errorPolicy": "fail" }),
        json!({ "t": { "type": "t.read", "errorHandling": { "retryPolicy": {
            "maxAttempts": 3, "backoff": "exponential", "initialDelayMs": 500, "jitter": false } } } }),
        &[],
    );
    let (events, _, sum) = finish(file, &|_, _, _| Some(network()));
    let delays: Vec<u64> = events
        .iter()
        .filter_map(|e| match &e.body {
            EventBody::RetryScheduled(r) => Some(r.delay_ms),
            _ => None,
        })
        .collect();
    assert_eq!(delays, [500, 1000, 2000]);
    assert_eq!((sum.status, sum.steps["t"].attempts), (RunStatus::Failed, 4));
    assert_eq!(sum.failed_step_id.as_deref(), Some("t"));
}

#[test]
fn ts_005_the_orchestrator_caps_a_rule_that_always_retries() {
    let file = flow(
        json!({ "errorPolicy": { "rules": [{ "name": "again", "when": "true", "action": "retry" }] } }),
        json!({ "t": { "type": "t.read", "errorHandling": {} } }),
        &[],
    );
    let (events, _, sum) = finish(file.clone(), &|_, _, _| Some(NodeFailure::tool("X", "no")));
    assert_eq!(sum.steps["t"].attempts, 4, "three retries by the default");
    // A failure that its author calls like a call that was cut off is none: nothing was sent.
    let (_, _, of_its_own) = finish(file, &|_, _, _| Some(NodeFailure::tool("INTERRUPTED", "no")));
    assert_eq!(of_its_own.steps["t"].attempts, 4);
    let error = sum.error.expect("failed");
    assert_eq!(error.details.expect("details")["reason"], json!("max_attempts_exceeded"));
    let last = events.iter().rev().find_map(|e| match &e.body {
        EventBody::ErrorHandled(h) => Some((h.action.clone(), h.wanted.clone())),
        _ => None,
    });
    assert_eq!(last, Some(("abort".into(), Some("retry".into()))));
}

#[test]
fn ts_024_no_rule_matches_and_ts_025_a_broken_rule_is_passed_over() {
    let rules = json!([{ "name": "broken", "when": "error.nope.x > 1", "action": "abort" },
                       { "name": "fb", "when": "err.type == 'ToolError'", "action": "fallback" }]);
    let file = flow(
        json!({ "errorPolicy": { "rules": rules } }),
        json!({ "t": { "type": "t.read", "errorHandling": { "fallbackNodeId": "f" } }, "f": { "type": "t.pass" } }),
        &[],
    );
    let (events, _, sum) = finish(file.clone(), &|node, _, _| (node == "t").then(|| NodeFailure::tool("X", "no")));
    assert_eq!(sum.status, RunStatus::Completed);
    assert_eq!(sum.steps["t"].state, NodeState::ErrorHandled);
    assert!(
        events
            .iter()
            .any(|e| matches!(&e.body, EventBody::ErrorHandled(h) if h.rule == "policy:fb" && h.rule_error.is_some()))
    );
    let (_, _, sum) = finish(file, &|node, _, _| (node == "t").then(network));
    assert_eq!(sum.status, RunStatus::Failed);
}

#[test]
fn ts_032_a_red_wire_to_a_plain_step_handles_the_error() {
    let file = flow(json!({}), json!({ "t": { "type": "t.read" }, "h": { "type": "t.pass" } }), &[("t.error", "h")]);
    let (_, _, sum) = finish(file, &|node, _, _| (node == "t").then(|| NodeFailure::tool("X", "no")));
    assert_eq!((sum.status, sum.steps["t"].state), (RunStatus::Completed, NodeState::ErrorHandled));
    assert_eq!(sum.output[0]["type"], "ToolError");
}

#[test]
fn ts_031_an_unwired_error_fails_the_run() {
    let file = flow(json!({}), json!({ "t": { "type": "t.read" } }), &[]);
    let (events, _, _) = finish(file, &|_, _, _| Some(NodeFailure::tool("X", "no")));
    assert_eq!(
        told(&events),
        ["workflow_start", "step_start t a0", "step_error t a0", "error_handled t a0", "workflow_failed"]
    );
}

#[test]
fn ts_078_equal_writes_are_silent() {
    let file = flow(
        json!({}),
        json!({ "a": { "type": "t.pass", "out": { "$v": 1 } }, "b": { "type": "t.pass", "out": { "$v": 1 } },
                "c": { "type": "t.pass", "out": { "$v": 2 }, "print": "v is {{context.v}}" } }),
        &[("a.success", "b"), ("b.success", "c")],
    );
    let (events, _, sum) = finish(file, &|_, _, _| None);
    let changes: Vec<&Value> = events
        .iter()
        .filter_map(|e| match &e.body {
            EventBody::VarChanged(v) => Some(v.new_value.as_ref()),
            _ => None,
        })
        .collect();
    assert_eq!(changes, [&json!(1), &json!(2)]);
    assert_eq!(sum.context["v"], json!(2));
    // TS-077: print stands before step_done
    let names = told(&events);
    let print = names.iter().position(|n| n.starts_with("step_print")).expect("printed");
    assert!(names[print + 1].starts_with("step_done c"));
}

#[test]
fn ts_071_073_inputs_outputs_and_artifacts() {
    let file = flow(
        json!({}),
        json!({ "a": { "type": "t.pass" },
                "b": { "type": "t.pass", "in": { "y": "=item.x + 1" }, "out": { "/p.txt": "=_result.y" } } }),
        &[("a.success", "b")],
    );
    let (events, _, _) = finish(file, &|_, _, _| None);
    let bodies: Vec<Value> = events.iter().map(|e| serde_json::to_value(e).expect("json")).collect();
    assert_eq!(bodies[1]["payload"]["resolvedInputs"], Value::Null);
    assert_eq!(bodies[2]["payload"]["outputs"], Value::Null);
    assert_eq!(bodies[3]["payload"]["resolvedInputs"], json!({ "y": 2 }));
    let done = bodies.iter().find(|b| b["type"] == "step_done" && b["stepId"] == "b").expect("done");
    assert_eq!(done["payload"]["outputs"]["/p.txt"], json!({ "_file": true, "path": "/p.txt" }));
}

#[test]
fn if_false_and_disabled_pass_the_items_on() {
    let file = flow(
        json!({}),
        json!({ "a": { "type": "t.read", "if": "item.x > 5" }, "b": { "type": "t.read", "disabled": true }, "c": { "type": "t.pass" } }),
        &[("a.success", "b"), ("b.success", "c")],
    );
    let (events, _, sum) = finish(file, &|_, _, _| None);
    assert_eq!(told(&events)[1..3], ["step_skipped a a0", "step_skipped b a0"]);
    assert_eq!(sum.output, [json!({ "x": 1 })]);
    assert_eq!(sum.steps["a"].attempts, 0);
}

#[test]
fn a_stop_cancels_the_rest() {
    let file = flow(
        json!({}),
        json!({ "a": { "type": "t.pass" }, "slow": { "type": "t.wait", "config": { "ms": 60000 } },
                "end": { "type": "t.stop", "config": { "stopId": "early" } } }),
        &[("a.success", "slow"), ("a.success", "end")],
    );
    let (events, _, sum) = finish(file, &|_, _, _| None);
    assert_eq!(sum.status, RunStatus::Completed);
    assert!(
        matches!(&events.last().expect("events").body, EventBody::WorkflowDone(d) if d.stop_id.as_deref() == Some("early"))
    );
    assert_eq!(sum.steps["slow"].state, NodeState::Cancelled);
}

#[test]
fn what_was_settled_before_the_end_is_not_cut_off_by_it() {
    let rules = json!({ "rules": [{ "name": "r", "when": "true", "action": "retry" }] });
    let file = flow(
        json!({}),
        json!({ "a": { "type": "t.split" },
                "unused": { "type": "t.loop", "config": { "source": [1] } },
                "inside": { "type": "t.read", "parent": "unused" },
                "nested": { "type": "t.loop", "parent": "unused", "config": { "source": [1] } },
                "deep": { "type": "t.pass", "parent": "nested" },
                "idle": { "type": "builtin.error_handler", "config": rules },
                "empty": { "type": "t.loop", "config": { "source": [] } },
                "none": { "type": "t.read", "parent": "empty" },
                "open": { "type": "t.loop", "config": { "source": [1, 2] } },
                "quick": { "type": "t.read", "parent": "open" },
                "beside": { "type": "builtin.error_handler", "parent": "open", "config": rules },
                "slow": { "type": "t.wait", "parent": "open", "config": { "ms": 60000 } },
                "never": { "type": "builtin.error_handler", "parent": "open", "config": rules },
                "short": { "type": "t.wait", "config": { "ms": 1000 } },
                "end": { "type": "t.stop" } }),
        &[
            ("a.false", "unused"),
            ("a.error", "idle"),
            ("a.true", "empty"),
            ("a.true", "open"),
            ("quick.error", "beside"),
            ("quick.success", "slow"),
            ("slow.error", "never"),
            ("a.true", "short"),
            ("short.success", "end"),
        ],
    );
    let compiled = compile(file);
    let script = |_: &str, _: usize, _: u32| None;
    for (ending, status) in [("stop", RunStatus::Completed), ("cancel", RunStatus::Cancelled)] {
        let mut world = World::new(&compiled, &script, 1);
        world.in_order = true;
        world.start(json!({ "x": 1 }));
        if ending == "cancel" {
            while !told(&world.events).iter().any(|told| told.starts_with("step_start slow")) {
                world.turn();
            }
            world.give(Input::Cancel { superseded_by: None, now: 1_000_500 });
        }
        world.run_to_end();
        let sum = summary::of(&compiled, &world.state);
        assert_eq!(sum.status, status, "{:#?}", told(&world.events));
        for id in ["unused", "inside", "nested", "deep", "idle", "none", "beside"] {
            assert_eq!(sum.steps[id].state, NodeState::Skipped, "{ending}: {id}");
        }
        for id in ["slow", "never"] {
            assert_eq!(sum.steps[id].state, NodeState::Cancelled, "{ending}: {id}: {:#?}", told(&world.events));
        }
    }
}

#[test]
fn an_abort_runs_the_on_abort_chain_once() {
    let file = flow(
        json!({ "onAbort": "tidy" }),
        json!({ "t": { "type": "t.read" }, "tidy": { "type": "t.pass", "out": { "$why": "=item.message" } }, "tidy2": { "type": "t.read" } }),
        &[("tidy.success", "tidy2")],
    );
    let (events, _, sum) = finish(file, &|node, _, _| (node != "tidy").then(|| NodeFailure::tool("X", "no")));
    assert_eq!(sum.status, RunStatus::Failed);
    assert_eq!(sum.failed_step_id.as_deref(), Some("t"), "the chain's own error changes nothing");
    assert_eq!(sum.context["why"], json!("no"));
    assert!(told(&events).contains(&"step_start tidy2 a0".to_owned()));
}

#[test]
fn a_cancel_ends_once_and_late_results_change_nothing() {
    let compiled = compile(flow(json!({}), json!({ "t": { "type": "t.read" } }), &[]));
    let script = |_: &str, _: usize, _: u32| None;
    let mut world = World::new(&compiled, &script, 1);
    world.start(json!({}));
    world.give(Input::Cancel { superseded_by: None, now: 1_000_100 });
    world.give(Input::TimerFired { timer: Timer::Grace, now: 1_005_100 });
    assert_eq!(world.state.status(), RunStatus::Cancelled);
    let count = world.events.len();
    world.run_to_end();
    assert_eq!(world.events.len(), count);
    assert_eq!(told(&world.events)[2..], ["step_interrupted t a0", "workflow_cancelled"]);
}

#[test]
fn an_interrupted_unsafe_write_is_a_question_and_never_fires_by_itself() {
    let compiled = compile(flow(json!({ "errorPolicy": "fail" }), json!({ "t": { "type": "t.write" } }), &[]));
    let script = |_: &str, _: usize, _: u32| None;
    let mut world = World::new(&compiled, &script, 1);
    world.start(json!({}));
    let resumed = World::resume(&compiled, &world.events, &script, 1);
    let created = resumed.events.iter().find_map(|event| match &event.body {
        EventBody::HumanTaskCreated(created) => Some(created),
        _ => None,
    });
    let created = created.expect("a task");
    let details = created.error.as_ref().and_then(|e| e.details.as_ref()).expect("details");
    assert_eq!((resumed.state.status(), &details["effect"]), (RunStatus::Paused, &json!("unknown")));
    assert!(resumed.calls.is_empty(), "{:?}", resumed.calls);
}

#[test]
fn a_write_after_an_abort_that_was_cut_off_asks_nobody_and_its_error_goes_its_way() {
    let nodes = json!({ "t": { "type": "t.fail" }, "tidy": { "type": "t.write" }, "next": { "type": "t.read" },
                        "red": { "type": "t.read" },
                        "eh": { "type": "builtin.error_handler",
                                "config": { "rules": [{ "name": "again", "when": "true", "action": "retry" }] } } });
    let script = |node: &str, _: usize, _: u32| (node == "t").then(|| NodeFailure::tool("X", "no"));
    // What is wired to its red port runs; else the chain is over, whatever policy or rule would ask or repeat it.
    for (edges, after) in [
        (vec![("tidy.success", "next"), ("tidy.error", "red")], vec!["step_start red a0", "step_done red a0"]),
        (vec![("tidy.success", "next")], vec!["error_handled tidy a0"]),
        (vec![("tidy.success", "next"), ("tidy.error", "eh"), ("eh.retry", "tidy")], vec!["error_handled eh a0"]),
    ] {
        let mut file = flow(json!({ "errorPolicy": "fail", "onAbort": "tidy" }), nodes.clone(), &edges);
        for (id, aside) in [("red", "tidy.error"), ("eh", "tidy.error")] {
            if !edges.contains(&(aside, id)) {
                file["nodes"].as_object_mut().expect("nodes").remove(id);
            }
        }
        for policy in ["safe", "fail"] {
            // Else a person is asked before the run is given up.
            file["settings"]["errorPolicy"] = json!({ "rules": [
                { "name": "t", "when": "error.originNode == 't'", "action": "abort" },
                { "name": "rest", "when": "true", "action": if policy == "safe" { "human_review" } else { "retry" } }] });
            let compiled = compile(file.clone());
            let mut world = World::new(&compiled, &script, 1);
            world.start(json!({}));
            while !told(&world.events).contains(&"step_start tidy a0".to_owned()) {
                assert!(world.turn());
            }
            let cut = world.events.len();
            let mut resumed = World::resume(&compiled, &world.events, &script, 1);
            resumed.run_to_end();
            let mut wanted = vec!["workflow_resumed", "step_error tidy a0"];
            wanted.extend(after.iter().copied().chain(["workflow_failed"]));
            assert_eq!(told(&resumed.events)[cut..], wanted, "{policy}");
            let EventBody::StepError(error) = &resumed.events[cut + 1].body else { panic!("it failed") };
            let details = error.error.details.as_ref().expect("details");
            assert_eq!((error.error.code(), &details["effect"]), ("INTERRUPTED", &json!("unknown")));
            assert_eq!(resumed.calls.get(&("tidy".to_owned(), 0)), None, "it is not sent again");
        }
    }
}

#[test]
fn a_write_in_a_loop_that_was_cut_off_after_an_abort_is_not_sent_again_by_a_rule_about_the_loop() {
    let always = json!([{ "name": "again", "when": "true", "action": "retry" }]);
    let inner = json!({ "type": "t.loop", "config": { "source": [1] }, "parent": "outer" });
    let nodes = json!({ "t": { "type": "t.fail" }, "outer": { "type": "t.loop", "config": { "source": [1, 2] } }, "inner": inner,
                        "w": { "type": "t.write", "parent": "inner" },
                        "eh": { "type": "builtin.error_handler", "config": { "rules": always } } });
    let script = |node: &str, _: usize, _: u32| (node == "t").then(|| NodeFailure::tool("X", "no"));
    let policy = json!({ "rules": [{ "name": "t", "when": "error.originNode == 't' || error.originNode == 'w'", "action": "abort" },
                                   { "name": "rest", "when": "true", "action": "retry" }] });
    for edges in [vec![("outer.error", "eh"), ("eh.retry", "outer")], vec![]] {
        let mut file = flow(json!({ "errorPolicy": policy, "onAbort": "outer" }), nodes.clone(), &edges);
        if edges.is_empty() {
            file["nodes"].as_object_mut().expect("nodes").remove("eh");
        }
        let compiled = compile(file);
        let mut world = World::new(&compiled, &script, 1);
        world.start(json!({}));
        while !told(&world.events).iter().any(|line| line.starts_with("step_start w")) {
            assert!(world.turn());
        }
        let mut resumed = World::resume(&compiled, &world.events, &script, 1);
        resumed.run_to_end();
        let after = told(&resumed.events);
        assert!(resumed.calls.keys().all(|(node, _)| node != "w"), "{after:#?}");
        let ends = resumed.events.iter().filter_map(|event| match &event.body {
            EventBody::StepError(error) => error.error.details.as_ref().and_then(|details| details.get("effect")),
            _ => None,
        });
        assert_eq!(
            ends.filter(|effect| **effect == json!("unknown")).count(),
            3,
            "the step and both loops: {after:#?}"
        );
    }
}

#[test]
fn a_failure_that_its_author_calls_interrupted_is_asked_about_as_any_other() {
    let file = flow(json!({ "errorPolicy": "safe" }), json!({ "t": { "type": "t.read" } }), &[]);
    let compiled = compile(file);
    let script = |_: &str, _: usize, _: u32| Some(NodeFailure::tool("INTERRUPTED", "no").detail("effect", "unknown"));
    let mut world = World::new(&compiled, &script, 1);
    world.start(json!({}));
    world.run_to_end();
    let created = world.events.iter().find_map(|event| match &event.body {
        EventBody::HumanTaskCreated(created) => Some(created),
        _ => None,
    });
    let created = created.expect("a task");
    assert_eq!(created.reason, TaskReason::Error);
    assert!(created.allowed_actions.contains(&TaskAction::Correct), "{:?}", created.allowed_actions);
}

#[test]
fn after_an_abort_a_rule_that_would_ask_ends_the_chain_without_a_question() {
    let rules = json!({ "rules": [{ "name": "ask", "when": "true", "action": "human_review" }] });
    let file = flow(
        json!({ "onAbort": "tidy" }),
        json!({ "t": { "type": "t.fail" }, "tidy": { "type": "t.write" },
                "eh": { "type": "builtin.error_handler", "config": rules } }),
        &[("tidy.error", "eh")],
    );
    let (events, ..) = finish(file, &|_, _, _| Some(NodeFailure::tool("X", "no")));
    let after: Vec<String> = told(&events).into_iter().skip_while(|line| line != "step_error tidy a0").collect();
    assert_eq!(after[1..], ["error_handled eh a0", "error_handled tidy a0", "workflow_failed"]);
}

#[test]
fn after_an_abort_nobody_is_asked_by_steps_that_ask_either() {
    let decides = flow(
        json!({ "onAbort": "tidy" }),
        json!({ "t": { "type": "t.fail" }, "tidy": { "type": "t.write" }, "ask": { "type": "builtin.human_decision" } }),
        &[("tidy.error", "ask")],
    );
    let (events, ..) = finish(decides, &|_, _, _| Some(NodeFailure::tool("X", "no")));
    let after: Vec<String> = told(&events).into_iter().skip_while(|line| line != "step_error tidy a0").collect();
    assert_eq!(after[1..], ["error_handled tidy a0", "workflow_failed"]);
    for kind in ["t.approval", "t.form", "t.pause"] {
        let file =
            flow(json!({ "onAbort": "ask" }), json!({ "t": { "type": "t.fail" }, "ask": { "type": kind } }), &[]);
        let (events, ..) = finish(file, &|node, _, _| (node == "t").then(|| NodeFailure::tool("X", "no")));
        let after: Vec<String> = told(&events).into_iter().skip_while(|line| line != "step_start ask a0").collect();
        assert_eq!(after[1..], ["step_error ask a0", "error_handled ask a0", "workflow_failed"], "{kind}");
    }
}

#[test]
fn the_third_interruption_is_a_crash_loop() {
    let compiled = compile(flow(json!({}), json!({ "t": { "type": "t.read" } }), &[]));
    let script = |_: &str, _: usize, _: u32| None;
    let mut world = World::new(&compiled, &script, 1);
    world.start(json!({}));
    let mut events = world.events.clone();
    for _ in 0..3 {
        events = World::resume(&compiled, &events, &script, 1).events;
    }
    let last = events.iter().rev().find_map(|e| match &e.body {
        EventBody::StepError(s) => Some(s.error.code().to_owned()),
        _ => None,
    });
    assert_eq!(last.as_deref(), Some("CRASH_LOOP"));
}

#[test]
fn ts_044_a_retry_waits_for_its_stored_time_after_a_restart() {
    let compiled = compile(flow(
        json!({}),
        json!({ "t": { "type": "t.read", "errorHandling": { "retryPolicy": { "maxAttempts": 1, "backoff": "fixed", "initialDelayMs": 2000, "jitter": false } } } }),
        &[],
    ));
    let script = |_: &str, _: usize, attempt: u32| (attempt == 0).then(network);
    let mut world = World::new(&compiled, &script, 1);
    world.start(json!({}));
    world.turn();
    let mut resumed = World::resume(&compiled, &world.events, &script, 1);
    resumed.run_to_end();
    let sum = summary::of(&compiled, &resumed.state);
    assert_eq!((sum.status, sum.steps["t"].attempts), (RunStatus::Completed, 2));
}

/// 150 items that all fail for one cause, and nobody wired to them.
fn a_hundred_and_fifty(settings: Value) -> Value {
    flow(
        settings,
        json!({ "mk": { "type": "t.hundreds" }, "call": { "type": "t.read" }, "clean": { "type": "t.pass" } }),
        &[("mk.success", "call")],
    )
}

#[test]
fn d2_7_after_a_hundred_alike_the_rest_is_one_task_whose_answer_acts_on_all() {
    for (action, status) in [(TaskAction::Skip, RunStatus::Completed), (TaskAction::Abort, RunStatus::Failed)] {
        let settings = json!({ "errorPolicy": "safe", "onAbort": "clean" });
        let compiled = compile(a_hundred_and_fifty(settings));
        let fails = |node: &str, _: usize, _: u32| (node == "call").then(|| NodeFailure::tool("X", "no"));
        let mut world = World::new(&compiled, &fails, 1);
        world.start(json!({}));
        while world.state.status() != RunStatus::Paused {
            assert!(world.turn());
        }
        let asked: Vec<(String, Option<usize>, Vec<TaskAction>)> = world
            .events
            .iter()
            .filter_map(|e| match &e.body {
                EventBody::HumanTaskCreated(c) => Some((c.task_id.clone(), c.cases, c.allowed_actions.clone())),
                _ => None,
            })
            .collect();
        assert_eq!(asked.len(), 150);
        assert_eq!(asked.iter().filter(|(_, cases, _)| cases.is_none()).count(), 100, "a hundred of their own");
        let (rest, cases, offered) = asked.last().expect("asked");
        assert_eq!((*cases, world.state.open_tasks().count()), (Some(50), 101), "and 50 more");
        assert!(asked.iter().skip(100).all(|(id, _, _)| id == rest));
        assert!(!offered.contains(&TaskAction::Correct), "one input cannot correct fifty");
        let answer = Answer::by_policy(action);
        world.give(Input::Decision { task_id: rest.clone(), answer, request_id: None, now: 9_000_000 });
        if action == TaskAction::Skip {
            assert_eq!(world.state.open_tasks().count(), 100);
            assert_eq!(world.state.status(), RunStatus::Paused);
            for (id, _, _) in asked.iter().take(100) {
                let answer = Answer::by_policy(action);
                world.give(Input::Decision { task_id: id.clone(), answer, request_id: None, now: 9_000_001 });
            }
        }
        world.run_to_end();
        let sum = summary::of(&compiled, &world.state);
        assert_eq!(sum.status, status);
        match action {
            TaskAction::Skip => assert_eq!((sum.steps["call"].state, sum.output.len()), (NodeState::Skipped, 150)),
            // Fifty aborts at once are one abort: the chain runs.
            _ => assert_eq!(sum.steps["clean"].state, NodeState::Succeeded),
        }
    }
}

#[test]
fn the_guards_of_the_formats_page_are_what_the_engine_reads() {
    let text = include_str!("../../../../../docs/formats.md");
    let example = text.split("```json node\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let node: signalbox_model::Node = serde_json::from_str(example).expect("a node");
    let guards = signalbox_engine::guard::Guardrails::read(&node).expect("readable").expect("there are guards");
    assert!(guards.enabled);
    assert_eq!((guards.before[0].name.as_str(), guards.after[0].name.as_str()), ("limit", "no-card-numbers"));
}

/// In one step, and so that each item sees all of them: neither may cost a list for every item.
#[test]
fn a_large_batch_sees_all_its_items() {
    let file = flow(
        json!({}),
        json!({ "l": { "type": "t.hundreds" }, "b": { "type": "t.pass", "out": { "$n": "=size(items)" } } }),
        &[("l.success", "b")],
    );
    let (events, state, sum) = finish(file, &|_, _, _| None);
    assert_eq!(sum.steps["b"].attempts, 150);
    assert_eq!(state.context()["n"], Arc::new(json!(150)));
    assert_eq!(told(&events).iter().filter(|line| line.starts_with("step_done b")).count(), 1);
    let paired = events.iter().find_map(|event| match &event.body {
        EventBody::StepDone(done) if event.step_id.as_deref() == Some("b") => {
            Some(done.items["success"].iter().map(|item| item.paired_item).collect::<Vec<_>>())
        }
        _ => None,
    });
    assert_eq!(paired, Some((0..150).map(Some).collect()), "every item leaves in its own slot");
}

/// A title whose values are not all there says what is known, in words; no braces reach a person.
#[test]
fn a_title_with_a_hole_that_cannot_be_filled_says_so() {
    let ask = json!({ "title": "No mean for {{item.name}} of {{error.type}}", "instructions": "{{item.nope.more}}!",
                      "assignee": "=item.who", "priority": 70 });
    let file = flow(
        json!({}),
        json!({ "call": { "type": "t.read" }, "ask": { "type": "builtin.human_decision", "config": ask } }),
        &[("call.error", "ask"), ("ask.retry", "call")],
    );
    let (events, ..) = finish(file, &|node, _, _| (node == "call").then(|| NodeFailure::tool("X", "no")));
    let task = events.iter().find_map(|e| match &e.body {
        EventBody::HumanTaskCreated(task) => Some(task),
        _ => None,
    });
    let task = task.expect("a person is asked");
    assert_eq!(task.title, "No mean for (item.name is not known) of ToolError");
    assert_eq!(task.instructions.as_deref(), Some("(item.nope.more is not known)!"));
    assert_eq!((task.assignee.as_deref(), task.priority), (None, 70));
}
