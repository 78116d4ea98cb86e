//! Containers (SEMANTICS 6): loops, parallels, breaks, their errors, people in them, and being cut off anywhere.

use crate::driver::{Script, World, check, compile, told};
use crate::properties_containers::timeless;
use serde_json::{Value, json};
use signalbox_engine::{Compiled, summary};
use signalbox_model::{ErrorType, EventBody, NodeFailure, NodeState, RunEvent, RunStatus, RunSummary};

fn flow(policy: &str, nodes: Value, edges: &[(&str, &str)]) -> Value {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    json!({ "signalbox": 1, "id": "w", "name": "w", "settings": { "errorPolicy": policy }, "nodes": nodes,
            "edges": edges })
}

fn run(file: Value, script: Script) -> (Vec<RunEvent>, RunSummary) {
    let compiled = compile(file);
    let world = World::ran(&compiled, script, 1, json!({ "list": [10, 20, 30] }));
    let whole = summary::of(&compiled, &world.state);
    (world.events, whole)
}

fn fails(name: &'static str) -> impl Fn(&str, usize, u32) -> Option<NodeFailure> {
    move |node, _, _| (node == name).then(|| NodeFailure::tool("X", "no"))
}

#[test]
fn a_serial_loop_runs_its_body_once_per_element_in_order() {
    let file = flow(
        "fail",
        json!({ "l": { "type": "t.loop", "config": { "source": "=params.list" } },
                "b": { "type": "t.read", "parent": "l", "out": { "$seen": "=[_item, _index, item]" } },
                "c": { "type": "t.pass", "parent": "l", "in": { "v": "=_item * 2", "from": "=nodes.b.output.from" } },
                "after": { "type": "t.all" } }),
        &[("b.success", "c"), ("l.success", "after")],
    );
    let (events, sum) = run(file, &|_, _, _| None);
    assert_eq!(
        told(&events),
        [
            "workflow_start",
            "step_start l",
            "step_start l[0]/b",
            "var_changed l[0]/b",
            "step_done l[0]/b",
            "step_start l[0]/c",
            "step_done l[0]/c",
            "step_start l[1]/b",
            "var_changed l[1]/b",
            "step_done l[1]/b",
            "step_start l[1]/c",
            "step_done l[1]/c",
            "step_start l[2]/b",
            "var_changed l[2]/b",
            "step_done l[2]/b",
            "step_start l[2]/c",
            "step_done l[2]/c",
            "step_done l",
            "step_start after",
            "step_done after",
            "workflow_done",
        ]
    );
    assert_eq!(sum.status, RunStatus::Completed);
    assert_eq!(
        sum.output,
        [json!({"v": 20, "from": "b"}), json!({"v": 40, "from": "b"}), json!({"v": 60, "from": "b"})]
    );
    assert_eq!(sum.context["seen"], json!([30, 2, 30]));
    assert_eq!((sum.steps["b"].state, sum.steps["b"].visits, sum.steps["b"].attempts), (NodeState::Succeeded, 3, 3));
}

#[test]
fn an_empty_source_gives_no_items_and_success_is_still_taken() {
    let file = flow(
        "fail",
        json!({ "l": { "type": "t.loop", "config": { "source": [] } }, "b": { "type": "t.read", "parent": "l" },
                "all": { "type": "t.all" }, "each": { "type": "t.read" } }),
        &[("l.success", "all"), ("l.success", "each")],
    );
    let (events, sum) = run(file, &|_, _, _| None);
    assert_eq!(
        told(&events),
        ["workflow_start", "step_start l", "step_done l", "step_start all", "step_done all", "workflow_done"]
    );
    assert_eq!(sum.steps["b"].state, NodeState::Skipped);
    assert_eq!(sum.steps["each"].state, NodeState::Succeeded);
}

#[test]
fn a_loop_goes_through_its_items_as_they_are_after_in() {
    let file = flow(
        "fail",
        json!({ "m": { "type": "t.many" },
                "l": { "type": "t.loop", "in": { "all": "=items.map(i, i.n)" } },
                "b": { "type": "t.pass", "parent": "l" } }),
        &[("m.success", "l")],
    );
    let (_, sum) = run(file, &|_, _, _| None);
    assert_eq!(sum.output, [json!({ "all": [0, 1, 2] })], "`in` makes one item of the three");
}

#[test]
fn semantics_d_a_parallel_loop_keeps_what_is_done_when_it_is_cut_off() {
    let file = flow(
        "fail",
        json!({ "l": { "type": "t.loop", "config": { "source": [0, 1, 2, 3], "mode": "parallel", "maxConcurrency": 2 } },
                "b": { "type": "t.read", "parent": "l" }, "c": { "type": "t.pass", "parent": "l" } }),
        &[("b.success", "c")],
    );
    let compiled = compile(file);
    let mut world = World::new(&compiled, &|_, _, _| None, 1);
    world.start(json!({}));
    world.run_to_end();
    check(&compiled, &world.events, &[]);
    let whole = summary::of(&compiled, &world.state);
    assert_eq!(whole.output.len(), 4);
    let most = world.events.iter().scan(0_i32, |open, e| {
        if e.step_id.as_deref() == Some("b") {
            *open += if matches!(e.body, EventBody::StepStart(_)) { 1 } else { -1 };
        }
        Some(*open)
    });
    assert_eq!(most.max(), Some(2), "two at once");
    for cut in 1..world.events.len() {
        let mut again = World::resume(&compiled, &world.events[..cut], &|_, _, _| None, 3);
        again.run_to_end();
        check(&compiled, &again.events, &[]);
        let sum = summary::of(&compiled, &again.state);
        assert_eq!((sum.status, &sum.output), (RunStatus::Completed, &whole.output), "cut after {cut}");
        let done = |event: &&RunEvent| matches!(event.body, EventBody::StepDone(_));
        for finished in world.events[..cut].iter().filter(done) {
            let repeated = again.events[cut..].iter().any(|e| {
                matches!(e.body, EventBody::StepStart(_)) && e.step_id == finished.step_id && e.path == finished.path
            });
            assert!(!repeated, "{:?} ran again after {cut}", finished.path);
        }
    }
}

#[test]
fn a_while_goes_on_until_its_condition_is_false_and_a_limit_stops_it() {
    let looping = |limit: u64| {
        flow(
            "fail",
            json!({ "l": { "type": "t.loop", "config": { "while": "_index == 0 || context.n < 4", "maxIterations": limit,
                                                         "collect": "[_index, _result.from]" } },
                    "b": { "type": "t.read", "parent": "l", "out": { "$n": "=_index + 1" } } }),
            &[],
        )
    };
    let (_, sum) = run(looping(10), &|_, _, _| None);
    assert_eq!(sum.output, [json!([0, "b"]), json!([1, "b"]), json!([2, "b"]), json!([3, "b"])]);
    let (events, sum) = run(looping(3), &|_, _, _| None);
    assert_eq!(sum.status, RunStatus::Failed);
    assert_eq!(sum.error.as_ref().map(|e| e.code().to_owned()), Some("LOOP_LIMIT".into()));
    assert_eq!(events.iter().filter(|e| e.path.is_some() && matches!(e.body, EventBody::StepStart(_))).count(), 3);
}

#[test]
fn a_longer_source_is_refused_before_anything_runs() {
    let file = flow(
        "fail",
        json!({ "l": { "type": "t.loop", "config": { "source": "=params.list", "maxIterations": 2 } },
                "b": { "type": "t.read", "parent": "l" } }),
        &[],
    );
    let (events, sum) = run(file, &|_, _, _| None);
    assert_eq!(sum.error.as_ref().map(|e| e.code().to_owned()), Some("LOOP_LIMIT".into()));
    assert!(events.iter().all(|e| e.path.is_none()));
}

#[test]
fn a_break_ends_the_loop_after_its_iteration() {
    let file = flow(
        "fail",
        json!({ "l": { "type": "t.loop", "config": { "source": [1, 2, 3, 4] } },
                "b": { "type": "t.read", "parent": "l" },
                "stop": { "type": "t.break", "parent": "l", "if": null },
                "rest": { "type": "t.read", "parent": "l" } }),
        &[("b.error", "stop"), ("b.success", "rest")],
    );
    let mut file = file;
    file["nodes"]["stop"].as_object_mut().expect("object").remove("if");
    let (events, sum) = run(file, &fails("l[1]/b"));
    assert_eq!(sum.status, RunStatus::Completed);
    assert_eq!(sum.output, [json!({"from": "rest", "item": 0}), Value::Null]);
    assert!(events.iter().all(|e| e.path.as_deref() != Some("l[2]")));
}

#[test]
fn branches_run_side_by_side_and_join_in_the_order_of_the_file() {
    let file = flow(
        "fail",
        json!({ "p": { "type": "t.par" },
                "b1": { "type": "t.read", "parent": "p" }, "b2": { "type": "t.write", "parent": "p" },
                "b3": { "type": "t.pass", "parent": "p" }, "c1": { "type": "t.read", "parent": "p" } }),
        &[("b1.success", "c1")],
    );
    let (events, sum) = run(file, &|_, _, _| None);
    assert_eq!(sum.output[0], json!({"from": "b2", "item": 0}));
    assert_eq!(sum.output.len(), 3);
    assert_eq!(sum.output[2], json!({"from": "c1", "item": 0}));
    let paths: Vec<_> = told(&events).into_iter().filter(|line| line.starts_with("step_start p")).collect();
    assert_eq!(paths[..4], ["step_start p", "step_start p/b1/b1", "step_start p/b2/b2", "step_start p/b3/b3"]);
}

#[test]
fn without_items_a_branch_that_takes_them_one_by_one_ends_at_once() {
    let file = flow(
        "fail",
        json!({ "l": { "type": "t.loop", "config": { "source": [] } }, "x": { "type": "t.read", "parent": "l" },
                "p": { "type": "t.par" },
                "a": { "type": "t.write", "parent": "p" }, "a2": { "type": "t.pass", "parent": "p" },
                "b": { "type": "t.all", "parent": "p" }, "c": { "type": "t.write", "parent": "p" },
                "d": { "type": "t.all", "parent": "p" } }),
        &[("l.success", "p"), ("a.success", "a2")],
    );
    let (events, sum) = run(file.clone(), &|_, _, _| None);
    assert_eq!(
        told(&events),
        [
            "workflow_start",
            "step_start l",
            "step_done l",
            "step_start p",
            "step_start p/b/b",
            "step_done p/b/b",
            "step_start p/d/d",
            "step_done p/d/d",
            "step_done p",
            "workflow_done",
        ]
    );
    assert_eq!((sum.steps["a"].state, sum.steps["a"].visits), (NodeState::Succeeded, 0));
    assert_eq!(sum.steps["a2"].state, NodeState::Skipped);
    let compiled = compile(file);
    for cut in 1..events.len() {
        let mut again = World::resume(&compiled, &events[..cut], &|_, _, _| None, 1);
        again.run_to_end();
        let after = summary::of(&compiled, &again.state);
        assert_eq!(after.status, RunStatus::Completed, "cut after {cut}");
        assert!(after.steps.iter().all(|(id, step)| step.state == sum.steps[id].state), "cut after {cut}");
    }
}

#[test]
fn k_53_fail_fast_cancels_the_siblings_and_the_container_fails() {
    let file = flow(
        "fail",
        json!({ "l": { "type": "t.loop", "config": { "source": [1, 2, 3], "mode": "parallel" } },
                "b": { "type": "t.write", "parent": "l" }, "red": { "type": "t.pass" } }),
        &[("l.error", "red")],
    );
    let (events, sum) = run(file, &fails("l[1]/b"));
    assert_eq!(sum.status, RunStatus::Completed, "{:#?}", told(&events));
    assert_eq!(sum.steps["l"].state, NodeState::ErrorHandled);
    let error = events.iter().find_map(|e| match &e.body {
        EventBody::StepError(failed) if e.step_id.as_deref() == Some("l") => Some(failed.error.clone()),
        _ => None,
    });
    let error = error.expect("the container failed");
    assert_eq!((error.origin_node.as_str(), error.code(), error.retryable), ("l", "X", false));
    let children = error.details.as_ref().and_then(|d| d.get("childErrors")).expect("told");
    assert_eq!(children[0]["originNode"], "b");
    // Whatever had begun has an end.
    let (mut begun, mut ended) = (0, 0);
    for event in &events {
        match event.body {
            EventBody::StepStart(_) => begun += 1,
            EventBody::StepDone(_) | EventBody::StepError(_) | EventBody::StepInterrupted(_) => ended += 1,
            _ => {}
        }
    }
    assert_eq!(begun, ended, "{:#?}", told(&events));
}

#[test]
fn k_53_collect_errors_lets_all_finish_and_asks_nobody() {
    for policy in ["fail", "safe"] {
        let file = flow(
            policy,
            json!({ "l": { "type": "t.loop", "config": { "source": ["a", "b", "c"], "onChildError": "collect_errors",
                                                         "mode": "parallel", "collect": "_result[0].from" } },
                    "b": { "type": "t.read", "parent": "l" }, "c": { "type": "t.wait", "parent": "l", "config": { "ms": 50 } } }),
            &[],
        );
        let (events, sum) = run(file, &fails("l[1]/b"));
        assert_eq!(sum.status, RunStatus::Completed, "{:#?}", told(&events));
        assert_eq!(sum.output.len(), 3);
        let states: Vec<&Value> = sum.output.iter().map(|o| &o["status"]).collect();
        assert_eq!(states, ["fulfilled", "rejected", "fulfilled"]);
        assert_eq!((&sum.output[1]["index"], &sum.output[1]["itemId"]), (&json!(1), &json!("2")));
        assert_eq!(sum.output[1]["error"]["details"]["code"], "X");
        assert!(events.iter().all(|e| !matches!(e.body, EventBody::HumanTaskCreated(_))));
    }
}

#[test]
fn an_unhandled_error_in_a_container_fails_the_run_and_names_the_child() {
    let file = flow(
        "fail",
        json!({ "o": { "type": "t.loop", "config": { "source": [1, 2] } }, "p": { "type": "t.par", "parent": "o" },
                "x": { "type": "t.read", "parent": "p" }, "y": { "type": "t.wait", "parent": "p", "config": { "ms": 90 } } }),
        &[],
    );
    let (events, sum) = run(file, &fails("o[1]/p/x/x"));
    assert_eq!(sum.status, RunStatus::Failed, "{:#?}", told(&events));
    assert_eq!(sum.failed_step_id.as_deref(), Some("x"));
    let error = sum.error.expect("error");
    assert_eq!(error.origin_node, "o");
    assert_eq!(error.details.as_ref().expect("d")["childErrors"][0]["originNode"], "p");
    assert_eq!(sum.steps["x"].state, NodeState::Failed);
}

#[test]
fn a_container_that_is_entered_again_keeps_fulfilled_iterations() {
    let mut file = flow(
        "fail",
        json!({ "l": { "type": "t.loop", "config": { "source": [1, 2, 3] } }, "b": { "type": "t.read", "parent": "l" } }),
        &[],
    );
    file["settings"]["errorPolicy"] = json!({ "rules": [
        { "name": "again", "when": "error.originNode == 'l' && error.attempt < 2", "action": "retry" },
        { "name": "enough", "when": "true", "action": "abort" } ] });
    let compiled = compile(file);
    let failing = |node: &str, _: usize, _: u32| (node == "l[1]/b").then(|| NodeFailure::tool("X", "no"));
    let world = World::ran(&compiled, &failing, 1, json!({}));
    let lines = told(&world.events);
    assert_eq!(lines.iter().filter(|line| line.starts_with("step_start l[0]/b")).count(), 1, "{lines:#?}");
    let again: Vec<_> = lines.iter().filter(|line| line.starts_with("step_start l[1]/b")).collect();
    assert_eq!(again, ["step_start l[1]/b", "step_start l[1]/b v2", "step_start l[1]/b v3"]);
    assert_eq!(summary::of(&compiled, &world.state).status, RunStatus::Failed);
}

#[test]
fn people_are_asked_for_each_iteration_at_its_path() {
    let file = flow(
        "safe",
        json!({ "l": { "type": "t.loop", "config": { "source": [1, 2, 3], "mode": "parallel" } },
                "b": { "type": "t.read", "parent": "l" } }),
        &[],
    );
    let compiled = compile(file);
    let failing = |node: &str, _: usize, attempt: u32| {
        (node != "l[0]/b" && attempt == 0).then(|| NodeFailure::new(ErrorType::ToolError, "X", "no"))
    };
    let mut world = World::new(&compiled, &failing, 1);
    world.keep_states = true;
    world.start(json!({}));
    while world.state.status() != RunStatus::Paused && world.turn() {}
    assert_eq!(world.state.open_tasks().count(), 2);
    let asked: Vec<_> = world
        .events
        .iter()
        .filter(|e| matches!(e.body, EventBody::HumanTaskCreated(_)))
        .map(|e| e.path.clone().unwrap_or_default())
        .collect();
    assert_eq!(asked.len(), 2);
    assert!(asked.contains(&"l[1]".into()) && asked.contains(&"l[2]".into()));
    world.run_to_end();
    check(&compiled, &world.events, &world.states);
}

#[test]
fn a_task_of_a_cancelled_iteration_is_closed() {
    let file = flow(
        "fail",
        json!({ "p": { "type": "t.par" },
                "a": { "type": "t.read", "parent": "p" }, "b": { "type": "t.wait", "parent": "p", "config": { "ms": 100_000 } },
                "x": { "type": "t.write", "parent": "p" }, "hd": { "type": "builtin.human_decision", "parent": "p" },
                "red": { "type": "t.pass" } }),
        &[("a.error", "hd"), ("b.success", "x"), ("p.error", "red")],
    );
    let compiled = compile(file);
    let failing =
        |node: &str, _: usize, _: u32| (node == "p/a/a" || node == "p/b/x").then(|| NodeFailure::tool("X", "no"));
    let world = World::ran(&compiled, &failing, 1, json!({}));
    let lines = told(&world.events);
    assert!(lines.contains(&"human_task_closed p/a/hd".into()), "{lines:#?}");
    assert!(lines.contains(&"step_interrupted p/a/hd".into()), "{lines:#?}");
    assert_eq!(world.state.open_tasks().count(), 0);
    assert_eq!(world.state.status(), RunStatus::Completed);
}

#[test]
fn a_stop_inside_ends_the_run_and_a_cancel_ends_every_container() {
    let file = flow(
        "fail",
        json!({ "o": { "type": "t.loop", "config": { "source": [1, 2, 3] } }, "l": { "type": "t.loop", "parent": "o", "config": { "source": [1, 2] } },
                "b": { "type": "t.read", "parent": "l" }, "s": { "type": "t.stop", "parent": "l" } }),
        &[("b.success", "s")],
    );
    let (events, sum) = run(file, &|_, _, _| None);
    assert_eq!(sum.status, RunStatus::Completed);
    assert_eq!(sum.output, [json!({"from": "b", "item": 0})]);
    assert_eq!(told(&events)[events.len() - 3..], ["step_interrupted o[0]/l", "step_interrupted o", "workflow_done"]);
}

#[test]
fn ten_thousand_iterations_leave_a_small_state() {
    let list: Vec<usize> = (0..10_000).collect();
    let file = flow(
        "fail",
        json!({ "l": { "type": "t.loop", "config": { "collect": "_index", "source": list } }, "b": { "type": "t.pass", "parent": "l" } }),
        &[],
    );
    let compiled = compile(file);
    let mut world = World::new(&compiled, &|_, _, _| None, 1);
    world.checked = false;
    world.start(json!({}));
    world.run_to_end();
    assert_eq!(summary::of(&compiled, &world.state).output.len(), 10_000);
}

/// A run of a file with its sub-workflows.
fn run_with(file: Value, others: &[(&str, Value)], script: Script) -> (Vec<RunEvent>, RunSummary) {
    let read = |file: Value| std::sync::Arc::new(serde_json::from_value(file).expect("a workflow"));
    let others = others.iter().map(|(id, file)| ((*id).to_owned(), read(file.clone()))).collect();
    let compiled = Compiled::with_files(read(file), "hash", &crate::driver::catalog(), &others)
        .unwrap_or_else(|found| panic!("{found:#?}"));
    let world = World::ran(&compiled, script, 1, json!({ "list": [10, 20] }));
    let whole = summary::of(&compiled, &world.state);
    for cut in 1..world.events.len() {
        let mut again = World::resume(&compiled, &world.events[..cut], script, 3);
        again.run_to_end();
        check(&compiled, &again.events, &[]);
        let sum = summary::of(&compiled, &again.state);
        assert_eq!(
            (sum.status, timeless(&sum.output[0])),
            (whole.status, timeless(&whole.output[0])),
            "cut after {cut}"
        );
    }
    (world.events, whole)
}

/// A list may hold null: it is the item all the same after a snapshot was read, and hides that of the loop around it.
#[test]
fn an_iteration_about_null_knows_its_item_after_a_crash() {
    let file = flow(
        "fail",
        json!({ "l": { "type": "t.loop", "config": { "source": [7] } },
                "in": { "type": "t.loop", "parent": "l", "config": { "source": [null, 8] } },
                "a": { "type": "t.read", "parent": "in" },
                "b": { "type": "t.pass", "parent": "in", "in": { "item": "=_item", "index": "=_index" } } }),
        &[("a.success", "b")],
    );
    let (_, sum) = run_with(file, &[], &|_, _, _| None);
    assert_eq!(sum.output, [json!([{ "item": null, "index": 0 }, { "item": 8, "index": 1 }])]);
}

#[test]
fn a_sub_workflow_has_params_and_context_of_its_own() {
    let inner = json!({ "signalbox": 1, "id": "inner", "name": "inner", "edges": [{ "from": "b.success", "to": "c" }],
        "params": { "type": "object", "required": ["x"], "properties": { "x": { "type": "integer" }, "y": { "default": 5 } } },
        "context": { "initial": { "n": 100 } },
        "nodes": { "b": { "type": "t.read", "out": { "$n": "=context.n + params.x" } },
                   "c": { "type": "t.pass", "in": { "n": "=context.n", "y": "=params.y", "of": "=workflow.id" } } } });
    let file = flow(
        "fail",
        json!({ "mk": { "type": "t.loop", "config": { "source": "=params.list" } }, "m": { "type": "t.pass", "parent": "mk" },
                "s": { "type": "t.sub", "config": { "workflow": "inner", "params": { "x": "=item" } }, "out": { "$last": "=_result.n" } },
                "after": { "type": "t.all" } }),
        &[("mk.success", "s"), ("s.success", "after")],
    );
    let (events, sum) = run_with(file, &[("inner", inner)], &|_, _, _| None);
    assert_eq!(sum.status, RunStatus::Completed);
    assert_eq!(sum.output, [json!({"n": 110, "y": 5, "of": "inner"}), json!({"n": 120, "y": 5, "of": "inner"})]);
    assert_eq!(sum.context, json!({ "last": 120 }).as_object().cloned().expect("object"));
    let lines = told(&events);
    assert!(lines.contains(&"step_start s[1]/b".into()) && lines.contains(&"step_done s[0]".into()), "{lines:#?}");
    assert!(!sum.steps.contains_key("b"), "steps of another file are not the run's");
}

#[test]
fn a_stop_in_a_sub_workflow_ends_it_alone_and_its_error_is_the_steps() {
    let inner = json!({ "signalbox": 1, "id": "inner", "name": "inner", "edges": [{ "from": "b.success", "to": "stop" }],
        "nodes": { "b": { "type": "t.read" }, "stop": { "type": "t.stop" }, "w": { "type": "t.wait", "config": { "ms": 90_000 } } } });
    let outer = json!({ "signalbox": 1, "id": "outer", "name": "outer", "edges": [],
        "nodes": { "deep": { "type": "t.sub", "config": { "workflow": "inner" } } } });
    let file = flow(
        "fail",
        json!({ "s": { "type": "t.sub", "config": { "workflow": "outer" } }, "after": { "type": "t.pass" }, "red": { "type": "t.pass" } }),
        &[("s.success", "after"), ("s.error", "red")],
    );
    let others = [("inner", inner), ("outer", outer)];
    let (events, sum) = run_with(file.clone(), &others, &|_, _, _| None);
    assert_eq!((sum.status, &sum.output[..]), (RunStatus::Completed, &[json!({"from": "b", "item": 0})][..]));
    assert!(told(&events).contains(&"step_interrupted s/deep/w".into()), "{:#?}", told(&events));
    let compiled_error = |script: Script| run_with(file.clone(), &others, script);
    let failing = fails("s/deep/b");
    let read = compiled_error(&failing).1;
    assert_eq!(read.status, RunStatus::Completed);
    assert_eq!(read.steps["s"].state, NodeState::ErrorHandled);
    assert_eq!(read.output[0]["originNode"], "s");
}

#[test]
fn sub_workflows_that_are_missing_or_lead_back_are_refused() {
    let sub = |id: &str, names: &str| {
        let file = json!({ "signalbox": 1, "id": id, "name": id, "edges": [],
            "nodes": { "s": { "type": "t.sub", "config": { "workflow": names } } } });
        std::sync::Arc::new(serde_json::from_value::<signalbox_model::Workflow>(file).expect("a workflow"))
    };
    let codes = |names: &str| -> Vec<String> {
        let files = [("a", "b"), ("b", "a"), ("w", "w")].map(|(id, names)| (id.to_owned(), sub(id, names))).into();
        let found = Compiled::with_files(sub("w", names), "hash", &crate::driver::catalog(), &files);
        found.map_or_else(|found| found.iter().map(|d| d.code.as_str()).collect(), |_| Vec::new())
    };
    assert_eq!(codes("nowhere"), ["UNKNOWN_WORKFLOW"]);
    assert_eq!(codes("w"), ["CYCLE"]);
    assert_eq!(codes("a"), ["CYCLE"]);
    assert_eq!(codes("=params.which"), ["BAD_CONFIG"]);
    assert_eq!(codes("../b.signalbox.json"), ["BAD_CONFIG"]);
}

/// A workflow whose steps run others.
fn calls(id: &str, names: &[String]) -> std::sync::Arc<signalbox_model::Workflow> {
    let step =
        |(n, named): (usize, &String)| (format!("s{n}"), json!({ "type": "t.sub", "config": { "workflow": named } }));
    let nodes: serde_json::Map<String, Value> = match names {
        [] => [("t".to_owned(), json!({ "type": "t.pass" }))].into_iter().collect(),
        names => names.iter().enumerate().map(step).collect(),
    };
    let file = json!({ "signalbox": 1, "id": id, "name": id, "edges": [], "nodes": nodes });
    std::sync::Arc::new(serde_json::from_value(file).expect("a workflow"))
}

#[test]
fn sub_workflows_in_each_other_have_a_limit_and_each_is_looked_at_once() {
    // Each file runs the next one five times: without a memory there would be 5^16 ways.
    let chain = |levels: usize| -> std::collections::BTreeMap<String, std::sync::Arc<signalbox_model::Workflow>> {
        let next = |n: usize| if n == levels { Vec::new() } else { vec![format!("f{}", n + 1); 5] };
        (1..=levels).map(|n| (format!("f{n}"), calls(&format!("f{n}"), &next(n)))).collect()
    };
    let found = |levels: usize| {
        let main = calls("w", &["f1".to_owned(), "f2".to_owned()]);
        Compiled::with_files(main, "hash", &crate::driver::catalog(), &chain(levels))
            .map_or_else(|found| found, |_| Vec::new())
    };
    assert_eq!(found(16), []);
    for levels in [17, 40, 2_000] {
        let found = found(levels);
        let codes: Vec<String> = found.iter().map(|d| d.code.as_str()).collect();
        assert_eq!(codes, ["BAD_PARENT"], "{levels}: {found:?}");
        assert_eq!(found[0].path, "/nodes/s0/config/workflow");
    }
}

#[test]
fn what_is_wrong_with_a_sub_workflow_is_told_at_the_step_of_the_own_file() {
    use signalbox_engine::validate::{Called, check_called, read};
    let broken = |text: &str| read(text.as_bytes()).diagnostics.into_iter().next().expect("a problem");
    let files = [
        ("good".to_owned(), calls("good", &["torn".to_owned(), "nowhere".to_owned()])),
        ("empty".to_owned(), std::sync::Arc::new(signalbox_model::Workflow::empty("empty", "Empty"))),
    ];
    let problems = [
        ("torn".to_owned(), broken("{\"signalbox\": 1,")),
        ("newer".to_owned(), broken(r#"{"signalbox":99,"id":"newer","name":"n","nodes":{},"edges":[]}"#)),
    ];
    let called = Called { files: files.into(), problems: problems.into(), ..Called::default() };
    let main = calls("w", &["good", "newer", "empty"].map(str::to_owned));
    let found = check_called(&main, &crate::driver::catalog(), &called);
    let told: Vec<_> = found.iter().map(|d| (d.code.as_str(), d.path.as_str())).collect();
    let at = ["/nodes/s0/config/workflow", "/nodes/s1/config/workflow", "/nodes/s2/config/workflow"];
    assert_eq!(
        told,
        [
            ("BAD_JSON".to_owned(), at[0]),
            ("UNKNOWN_WORKFLOW".to_owned(), at[0]),
            ("NEWER_VERSION".to_owned(), at[1]),
            ("EMPTY_WORKFLOW".to_owned(), at[2]),
        ],
        "{found:#?}"
    );
    assert!(found[0].message.starts_with("In the workflow 'good': "), "{}", found[0].message);
}
