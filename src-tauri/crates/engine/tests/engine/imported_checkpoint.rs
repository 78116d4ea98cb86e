//! Runs that begin at a checkpoint of source 003 (K-30, C-01 to C-21).

use crate::driver::{World, compile, told};
use serde_json::{Value, json};
use signalbox_engine::imported_checkpoint::{Checkpoint, Refused, read};
use signalbox_engine::rerun::{Original, Overrides, Rerun, plan};
use signalbox_engine::{Compiled, RunState, checkpoint, fold, params, summary};
use signalbox_model::{EventBody, NodeFailure, NodeState, RunEvent, RunStatus};

fn flow(nodes: Value, edges: &[(&str, &str)]) -> Value {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    json!({ "signalbox": 1, "id": "w", "name": "w", "settings": {}, "nodes": nodes, "edges": edges })
}

fn never(_: &str, _: usize, _: u32) -> Option<NodeFailure> {
    None
}

/// A checkpoint as source 003 writes it, with these fields besides.
fn taken(current: &str, besides: Value) -> Value {
    let mut all = json!({
        "_type": "vl_workflow_checkpoint", "_version": 2, "workflowID": "wf_1710000000000", "currentStepID": current,
        "status": "running", "params": {}, "paramTypes": {}, "variables": {}, "varTypes": {}, "localVars": {},
        "artifacts": {}, "completedSteps": [], "completedBranches": {}, "loopProgress": {}, "eventSeq": 12,
        "version": "3.16", "createdAt": "2026-03-14T10:00:00.000Z"
    });
    let all_of = all.as_object_mut().expect("an object");
    all_of.extend(besides.as_object().expect("an object").clone());
    all
}

fn begun(compiled: &Compiled, known: Checkpoint) -> Result<Rerun, Refused> {
    let params = params::complete(&compiled.workflow, &Value::Object(known.params.clone()));
    known.begin(compiled, params)
}

fn imported<'a>(compiled: &'a Compiled, checkpoint: &Value, script: crate::driver::Script<'a>) -> World<'a> {
    let rerun = read(checkpoint).and_then(|known| begun(compiled, known)).expect("it fits");
    let mut world = World::again(compiled, script, 1, rerun);
    world.run_to_end();
    let mut again = RunState::new(compiled, "run", None);
    for event in &world.events {
        fold(compiled, &mut again, event).expect("its own events fold");
    }
    assert_eq!(again, world.state, "the log alone rebuilds it");
    world
}

fn refusal(compiled: &Compiled, checkpoint: &Value) -> Refused {
    read(checkpoint).and_then(|known| begun(compiled, known)).expect_err("it does not fit")
}

/// Steps that ran, in order.
fn steps(events: &[RunEvent]) -> Vec<String> {
    told(events).into_iter().filter_map(|line| line.strip_prefix("step_start ").map(str::to_owned)).collect()
}

fn resumed(world: &World<'_>) -> Option<String> {
    let EventBody::WorkflowStart(start) = &world.events[0].body else { panic!("no start") };
    start.resumed_from.clone()
}

fn chain() -> Compiled {
    compile(flow(
        json!({ "one": { "type": "t.read" }, "two": { "type": "t.read" },
                "three": { "type": "t.read", "in": { "plan": "=context.plan" }, "out": { "$seen": "=item.plan" } } }),
        &[("one.success", "two"), ("two.success", "three")],
    ))
}

fn forked() -> Compiled {
    compile(flow(
        json!({ "Noop_Fork": { "type": "t.pass" }, "A": { "type": "t.read" }, "B1": { "type": "t.read" },
                "B2": { "type": "t.read" }, "C": { "type": "t.read" }, "next": { "type": "t.read", "mode": "all" } }),
        &[
            ("Noop_Fork.success", "A"),
            ("Noop_Fork.success", "B1"),
            ("Noop_Fork.success", "C"),
            ("B1.success", "B2"),
            ("A.success", "next"),
            ("B2.success", "next"),
            ("C.success", "next"),
        ],
    ))
}

/// The same fork as a container.
fn framed() -> Compiled {
    compile(flow(
        json!({ "before": { "type": "t.read" }, "fork": { "type": "t.par" }, "A": { "type": "t.read", "parent": "fork" },
                "B1": { "type": "t.read", "parent": "fork" }, "B2": { "type": "t.read", "parent": "fork" },
                "C": { "type": "t.read", "parent": "fork" }, "next": { "type": "t.read", "mode": "all" } }),
        &[("before.success", "fork"), ("B1.success", "B2"), ("fork.success", "next")],
    ))
}

fn looped(length: usize, config: Value) -> Compiled {
    let mut all = json!({ "source": (0..length).map(|n| json!(format!("e{n}"))).collect::<Vec<_>>() });
    all.as_object_mut().expect("an object").extend(config.as_object().expect("an object").clone());
    compile(flow(
        json!({ "before": { "type": "t.read" }, "l": { "type": "t.loop", "config": all },
                "body": { "type": "t.read", "parent": "l", "in": { "at": "=_index", "item": "=_item" },
                          "out": { "$last": "=item" } },
                "next": { "type": "t.read", "mode": "all" } }),
        &[("before.success", "l"), ("l.success", "next")],
    ))
}

#[test]
fn ts_080_a_chain_goes_on_at_its_third_step() {
    let compiled = chain();
    let checkpoint = taken("three", json!({ "completedSteps": ["one", "two"], "variables": { "$plan": "kept" } }));
    let world = imported(&compiled, &checkpoint, &never);
    assert_eq!(resumed(&world).as_deref(), Some("three"));
    assert_eq!(steps(&world.events), ["three"], "one and two are not called");
    assert_eq!(checkpoint::of(&compiled, &world.state).completed, ["one", "two", "three"]);
    let sum = summary::of(&compiled, &world.state);
    assert_eq!((sum.status, &sum.context["seen"]), (RunStatus::Completed, &json!("kept")));
    assert_eq!((sum.steps["one"].state, sum.steps["one"].attempts), (NodeState::Succeeded, 0));
    let from = sum.imported_from.expect("it says where it came from");
    assert_eq!((from.version, from.run_id.as_deref()), (2, Some("wf_1710000000000")));
    assert_eq!(sum.parent_run_id, None);
}

#[test]
fn ts_081_only_the_branch_that_had_not_ended_runs() {
    for (compiled, fork, expected) in
        [(forked(), "Noop_Fork", vec!["Noop_Fork", "C", "next"]), (framed(), "fork", vec!["fork", "fork/C/C", "next"])]
    {
        let checkpoint = taken(fork, json!({ "completedBranches": { fork: ["A", "B1"] } }));
        let world = imported(&compiled, &checkpoint, &never);
        assert_eq!(steps(&world.events), expected);
        assert_eq!(world.state.status(), RunStatus::Completed);
    }
}

#[test]
fn ts_082_a_branch_that_is_half_done_runs_again_as_a_whole() {
    for (compiled, fork, expected) in [
        (forked(), "Noop_Fork", vec!["Noop_Fork", "B1", "C", "B2", "next"]),
        (framed(), "fork", vec!["fork", "fork/B1/B1", "fork/C/C", "fork/B1/B2", "next"]),
    ] {
        let besides = json!({ "completedBranches": { fork: ["A"] }, "completedSteps": ["A", "B1"] });
        let mut ran = steps(&imported(&compiled, &taken(fork, besides), &never).events);
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        ran.sort();
        expected.sort();
        assert_eq!(ran, expected);
    }
    // The step that ran last may be one inside: it begins again with the container.
    let inside = taken("B2", json!({ "completedBranches": { "fork": ["A", "C"] } }));
    let world = imported(&framed(), &inside, &never).events;
    assert_eq!(steps(&world), ["fork", "fork/B1/B1", "fork/B1/B2", "next"]);
}

#[test]
fn ts_083_when_all_branches_have_ended_the_next_step_runs() {
    let all = json!(["A", "B1", "C"]);
    let plain =
        imported(&forked(), &taken("Noop_Fork", json!({ "completedBranches": { "Noop_Fork": all } })), &never).events;
    assert_eq!(steps(&plain), ["next"]);
    let world = imported(&framed(), &taken("fork", json!({ "completedBranches": { "fork": all } })), &never).events;
    assert_eq!(steps(&world), ["fork", "next"]);
}

#[test]
fn ts_084_a_serial_loop_goes_on_at_its_true_index() {
    let compiled = looped(100, json!({ "collect": "_result.from" }));
    let checkpoint = taken("l", json!({ "completedSteps": ["before"], "loopProgress": { "l": 60 } }));
    let world = imported(&compiled, &checkpoint, &never);
    let ran = steps(&world.events);
    assert_eq!((ran.len(), ran[1].as_str(), ran[41].as_str()), (42, "l[60]/body", "next"));
    let first = world.events.iter().find_map(|event| match &event.body {
        EventBody::StepStart(start) if event.path.as_deref() == Some("l[60]") => {
            Some((*start.input[0].data.value()).clone())
        }
        _ => None,
    });
    assert_eq!(first, Some(json!({ "at": 60, "item": "e60" })));
    assert_eq!(summary::of(&compiled, &world.state).status, RunStatus::Completed);
}

#[test]
fn ts_085_a_loop_that_is_through_does_not_run_its_body() {
    for config in [json!({}), json!({ "mode": "parallel" })] {
        let compiled = looped(100, config);
        let world = imported(&compiled, &taken("l", json!({ "loopProgress": { "l": 100 } })), &never);
        assert_eq!(steps(&world.events), ["l", "next"]);
    }
}

#[test]
fn ts_086_a_parallel_loop_runs_again_unless_its_state_names_what_ended() {
    let compiled = looped(10, json!({ "mode": "parallel" }));
    let second = taken("l", json!({ "loopProgress": { "l": 6 } }));
    assert_eq!(steps(&imported(&compiled, &second, &never).events).len(), 1 + 10 + 1, "a number names no iteration");
    let state = json!({ "l": { "completed": [0, 1, 2, 4, 6, 9], "active": [3, 5] } });
    let third = taken("l", json!({ "_version": 3, "loopState": state }));
    let mut ran = steps(&imported(&compiled, &third, &never).events);
    ran.sort();
    assert_eq!(ran, ["l", "l[3]/body", "l[5]/body", "l[7]/body", "l[8]/body", "next"]);
}

#[test]
fn ts_087_version_1_runs_all_branches() {
    let mut first = taken("Noop_Fork", json!({ "_version": 1 }));
    for map in ["completedBranches", "loopProgress"] {
        first.as_object_mut().expect("an object").remove(map);
    }
    let world = imported(&forked(), &first, &never).events;
    assert_eq!(steps(&world).len(), 6);
    // What version 1 does not have is not taken over from a file that has it.
    let odd = taken("Noop_Fork", json!({ "_version": 1, "completedBranches": { "Noop_Fork": ["A"] } }));
    assert_eq!(read(&odd).expect("read").left_out(), ["/completedBranches"]);
    assert_eq!(steps(&imported(&forked(), &odd, &never).events).len(), 6);
}

#[test]
fn a_parallel_loop_that_is_not_the_whole_of_it_runs_again_and_is_named() {
    let file = |mode: &str, source: Value| {
        compile(flow(
            json!({ "l": { "type": "t.loop", "config": { "source": source, "mode": mode } },
                    "b": { "type": "t.read", "parent": "l" } }),
            &[],
        ))
    };
    let typed = json!([1, 2, 3]);
    let made = json!("=context.list");
    for (mode, source, done, left_out, ran) in [
        ("parallel", &typed, 2, vec!["/loopProgress/l"], 3),
        ("parallel", &made, 2, vec!["/loopProgress/l"], 3),
        ("parallel", &made, 3, vec![], 0),
        ("sequential", &made, 2, vec![], 1),
    ] {
        let compiled = file(mode, source.clone());
        let besides = json!({ "variables": { "$list": [1, 2, 3] }, "loopProgress": { "l": done } });
        let world = imported(&compiled, &taken("l", besides), &never);
        let sum = summary::of(&compiled, &world.state);
        let told = sum.imported_from.expect("it says where from").left_out;
        assert_eq!(told, left_out, "{mode} {source} {done}");
        assert_eq!(
            steps(&world.events).iter().filter(|step| step.ends_with("/b")).count(),
            ran,
            "{mode} {source} {done}"
        );
    }
}

#[test]
fn progress_beyond_the_list_of_a_loop_is_refused() {
    for (besides, place, words) in [
        (json!({ "loopProgress": { "l": 11 } }), "/loopProgress/l", "11 iterations of 'l' have ended"),
        (
            json!({ "_version": 3, "loopState": { "l": { "completed": [0, 10] } } }),
            "/loopState/l",
            "iteration 10 of 'l' has ended",
        ),
    ] {
        for config in [json!({}), json!({ "mode": "parallel" })] {
            let compiled = looped(10, config);
            let read = read(&taken("l", besides.clone())).expect("read");
            let refused = read.begin(&compiled, json!({})).expect_err("another list");
            assert_eq!((refused.code, refused.path.as_str()), ("OTHER_WORKFLOW", place));
            assert!(refused.message.contains(words) && refused.message.contains("10 elements"), "{}", refused.message);
        }
    }
}

#[test]
fn progress_of_a_loop_that_the_run_does_not_begin_with_is_named() {
    let compiled = compile(flow(
        json!({ "init": { "type": "t.read" }, "l": { "type": "t.loop", "config": { "source": [1, 2, 3] } },
                "b": { "type": "t.read", "parent": "l" } }),
        &[("init.success", "l")],
    ));
    for (besides, left_out) in [
        (json!({ "loopProgress": { "l": 2 } }), vec!["/loopProgress/l"]),
        (json!({ "loopProgress": { "l": 0 } }), vec![]),
        (json!({ "loopProgress": { "l": 3 }, "completedSteps": ["l"] }), vec![]),
        (json!({ "_version": 3, "loopState": { "l": { "completed": [0, 2] } } }), vec!["/loopState/l"]),
    ] {
        let world = imported(&compiled, &taken("init", besides.clone()), &never);
        let sum = summary::of(&compiled, &world.state);
        assert_eq!(sum.imported_from.expect("it says where from").left_out, left_out, "{besides}");
    }
}

#[test]
fn ts_088_overrides_take_the_place_of_what_was_restored() {
    let compiled = compile(flow(
        json!({ "one": { "type": "t.read" },
                "two": { "type": "t.read", "in": { "plan": "=context.plan", "tmp": "=context._tmp", "name": "=params.projectName" },
                         "out": { "$saw": "=item" } } }),
        &[("one.success", "two")],
    ));
    let checkpoint = taken(
        "two",
        json!({ "params": { "projectName": "A" }, "variables": { "$plan": "old" }, "localVars": { "_tmp": 0, "_meta": {} } }),
    );
    let mut known = read(&checkpoint).expect("read");
    let overrides = json!({ "$plan": "X", "_tmp": 1, "projectName": "B" });
    known.override_with(overrides.as_object().expect("an object").clone()).expect("they have places");
    let mut world = World::again(&compiled, &never, 1, begun(&compiled, known).expect("it fits"));
    world.run_to_end();
    let sum = summary::of(&compiled, &world.state);
    assert_eq!(sum.context["saw"], json!({ "plan": "X", "tmp": 1, "name": "B" }));
}

#[test]
fn ts_089_a_minimal_checkpoint_runs_to_the_end() {
    let compiled = chain();
    let minimal = json!({ "currentStepID": "two", "params": { "n": 1 }, "variables": { "plan": "mine" } });
    let world = imported(&compiled, &minimal, &never);
    assert_eq!(steps(&world.events), ["two", "three"]);
    let sum = summary::of(&compiled, &world.state);
    assert_eq!((sum.status, &sum.context["seen"]), (RunStatus::Completed, &json!("mine")));
    assert_eq!(sum.steps["one"].state, NodeState::Skipped, "the checkpoint does not say that it ran");
    let only = imported(&compiled, &json!({ "currentStepID": "one", "variables": { "plan": 1 } }), &never).events;
    assert_eq!(steps(&only), ["one", "two", "three"]);
}

#[test]
fn ts_090_what_does_not_fit_is_refused_before_anything_starts() {
    let compiled = chain();
    let unknown = refusal(&compiled, &taken("nobody", json!({})));
    assert_eq!((unknown.code, unknown.path.as_str()), ("UNKNOWN_STEP", "/currentStepID"));
    assert!(unknown.hint.contains("one, two, three"), "{}", unknown.hint);
    for (checkpoint, code, path) in [
        (json!([]), "NOT_A_CHECKPOINT", ""),
        (json!({}), "BAD_CHECKPOINT", "/currentStepID"),
        (json!({ "currentStepID": 7 }), "BAD_CHECKPOINT", "/currentStepID"),
        (taken("two", json!({ "_type": "signalbox_checkpoint" })), "NOT_A_CHECKPOINT", "/_type"),
        (taken("two", json!({ "_type": "other" })), "NOT_A_CHECKPOINT", "/_type"),
        (taken("two", json!({ "_version": 4 })), "NEWER_VERSION", "/_version"),
        (taken("two", json!({ "_version": "2" })), "BAD_CHECKPOINT", "/_version"),
        (taken("two", json!({ "completedSteps": ["elsewhere"] })), "OTHER_WORKFLOW", "/completedSteps/0"),
        (taken("two", json!({ "completedSteps": [1] })), "BAD_CHECKPOINT", "/completedSteps/0"),
        (taken("two", json!({ "completedBranches": { "x": [] } })), "OTHER_WORKFLOW", "/completedBranches/x"),
        (taken("two", json!({ "completedBranches": { "two": ["one"] } })), "OTHER_WORKFLOW", "/completedBranches/two"),
        (taken("two", json!({ "loopProgress": { "two": -1 } })), "BAD_CHECKPOINT", "/loopProgress/two"),
        (taken("two", json!({ "loopProgress": { "two": 1_000_001 } })), "BAD_CHECKPOINT", "/loopProgress/two"),
        (taken("two", json!({ "loopState": { "two": {} } })), "BAD_CHECKPOINT", "/loopState/two/completed"),
        (taken("two", json!({ "variables": [] })), "BAD_CHECKPOINT", "/variables"),
        (taken("two", json!({ "variables": { "$a": 1, "a": 2 } })), "BAD_VARIABLE", "/variables/a"),
        (taken("two", json!({ "variables": { "_t": 1 }, "localVars": { "_t": 2 } })), "BAD_VARIABLE", "/localVars/_t"),
        (taken("two", json!({ "artifacts": { "/a": 1 } })), "BAD_CHECKPOINT", "/artifacts/~1a"),
        (taken("two", json!({ "eventSeq": "x" })), "BAD_CHECKPOINT", "/eventSeq"),
    ] {
        let refused = refusal(&compiled, &checkpoint);
        assert_eq!((refused.code, refused.path.as_str()), (code, path), "{checkpoint}");
        assert!(!refused.message.is_empty() && !refused.hint.is_empty());
    }
    let mut closed = flow(json!({ "one": { "type": "t.read" } }), &[]);
    closed["context"] = json!({ "schema": { "type": "object", "properties": { "n": { "type": "integer" } }, "additionalProperties": false } });
    let closed = compile(closed);
    for variables in [json!({ "$n": "x" }), json!({ "$m": 1 })] {
        assert_eq!(refusal(&closed, &taken("one", json!({ "variables": variables }))).code, "BAD_VARIABLE");
    }
    let handled = compile(flow(
        json!({ "one": { "type": "t.read" }, "eh": { "type": "builtin.error_handler" } }),
        &[("one.error", "eh"), ("eh.retry", "one")],
    ));
    assert_eq!(refusal(&handled, &taken("eh", json!({}))).code, "STEP_NOT_A_START");
}

#[test]
fn ts_092_a_rerun_of_an_imported_run_from_its_fork_runs_all_branches() {
    let compiled = framed();
    let checkpoint =
        taken("fork", json!({ "completedSteps": ["before"], "completedBranches": { "fork": ["A", "C"] } }));
    let first = imported(&compiled, &checkpoint, &never);
    let original = || Original { compiled: &compiled, events: &first.events };
    let made = |from: &str| plan(original(), &compiled, from).expect("a plan").with(&compiled, Overrides::default());
    let again = |from: &str| {
        let mut world = World::again(&compiled, &never, 2, made(from).expect("fits"));
        world.run_to_end();
        (steps(&world.events), world.state.status())
    };
    let (mut ran, status) = again("fork");
    ran.sort();
    assert_eq!(ran, ["fork", "fork/A/A", "fork/B1/B1", "fork/B1/B2", "fork/C/C", "next"]);
    assert_eq!(status, RunStatus::Completed);
    assert_eq!(again("next").0, ["next"], "what the checkpoint kept stays");
    assert_eq!(again("fork/B1/B2").0, ["fork/B1/B2", "next"]);
}

#[test]
fn ts_093_a_failed_step_leaves_the_checkpoint_before_it() {
    let compiled = chain();
    let fails = |node: &str, _: usize, _: u32| (node == "three").then(|| NodeFailure::tool("X", "no"));
    let world =
        imported(&compiled, &taken("two", json!({ "completedSteps": ["one"], "variables": { "plan": 1 } })), &fails);
    assert_eq!(world.state.status(), RunStatus::Failed);
    let at = |until: &dyn Fn(&EventBody) -> bool| {
        let mut state = RunState::new(&compiled, "run", None);
        for event in &world.events {
            if until(&event.body) {
                break;
            }
            fold(&compiled, &mut state, event).expect("folds");
        }
        checkpoint::of(&compiled, &state).completed
    };
    let before = at(&|body| matches!(body, EventBody::StepError(_)));
    assert_eq!((&before, &at(&|_| false)), (&vec!["one".to_owned(), "two".to_owned()], &before));
}

#[test]
fn ts_095_a_checkpoint_that_was_written_and_read_begins_the_same_run() {
    let compiled = looped(5, json!({}));
    let checkpoint = taken("l", json!({ "loopProgress": { "l": 3 }, "variables": { "$n": 1.5, "$t": "ä\u{1F600}" } }));
    let text = serde_json::to_string_pretty(&checkpoint).expect("writes");
    let read_again = signalbox_engine::json::parse(&text).expect("reads");
    let (first, second) = (imported(&compiled, &checkpoint, &never), imported(&compiled, &read_again, &never));
    assert_eq!(first.events, second.events);
    // A run that was cut off after any event goes on from its own log.
    for cut in 1..first.events.len() {
        let mut world = World::resume(&compiled, &first.events[..cut], &never, 1);
        world.run_to_end();
        assert_eq!(world.state.status(), RunStatus::Completed, "cut after {cut}");
        assert_eq!(world.state.context(), first.state.context());
    }
}

#[test]
fn the_example_of_the_formats_page_begins_a_run() {
    let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/formats.md"));
    let example =
        page.split("```json checkpoint").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let compiled = compile(flow(
        json!({ "init": { "type": "t.read" }, "fork": { "type": "t.par" }, "a": { "type": "t.read", "parent": "fork" },
                "b": { "type": "t.read", "parent": "fork" },
                "each": { "type": "t.loop", "config": { "source": [0, 1, 2, 3, 4, 5, 6, 7] } },
                "body": { "type": "t.read", "parent": "each" } }),
        &[("init.success", "fork"), ("fork.success", "each")],
    ));
    let world = imported(&compiled, &serde_json::from_str(example).expect("JSON"), &never);
    assert_eq!(steps(&world.events), ["each", "each[2]/body", "each[3]/body", "each[5]/body", "each[6]/body"]);
}
