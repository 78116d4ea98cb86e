//! What the plan of a re-run says of steps that the original had not come to everywhere (UX C24).

use crate::driver::{World, catalog, compile};
use serde_json::{Value, json};
use signalbox_engine::rerun::{Change, Original, Overrides, Plan, StepDisposition, plan};
use signalbox_engine::{Compiled, Input};
use signalbox_model::{Effects, EventBody, NodeFailure, RunStatus, TaskAction, Workflow, task::Answer};
use std::collections::BTreeMap;
use std::sync::Arc;

fn flow(nodes: Value, edges: &[(&str, &str)]) -> Value {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    json!({ "signalbox": 1, "id": "w", "name": "w", "settings": { "errorPolicy": "fail" }, "nodes": nodes, "edges": edges })
}

/// A run in which the named call fails and ends it; calls end as they begin.
fn failed<'a>(compiled: &'a Compiled, script: crate::driver::Script<'a>) -> World<'a> {
    let mut world = World::new(compiled, script, 1);
    world.in_order = true;
    world.start(json!({}));
    world.run_to_end();
    assert_eq!(world.state.status(), RunStatus::Failed);
    world
}

fn look(world: &World<'_>, from: &str) -> Plan {
    plan(Original { compiled: world.compiled, events: &world.events }, world.compiled, from).expect("a plan")
}

fn fate(plan: &Plan, step: &str) -> StepDisposition {
    plan.steps.iter().find(|one| one.step == step).expect("a step").fate
}

#[test]
fn iterations_that_had_not_begun_are_told() {
    for mode in ["serial", "parallel"] {
        let compiled = compile(flow(
            json!({ "first": { "type": "t.write" },
                    "l": { "type": "t.loop", "config": { "source": [1, 2, 3, 4], "mode": mode, "maxConcurrency": 1 } },
                    "book": { "type": "t.write", "parent": "l" }, "mail": { "type": "t.write", "parent": "l" } }),
            &[("first.success", "l"), ("book.success", "mail")],
        ));
        for (failing, expected) in [("l[0]/mail", StepDisposition::Open), ("l[3]/mail", StepDisposition::Kept)] {
            let script = |node: &str, _: usize, _: u32| (node == failing).then(|| NodeFailure::tool("X", "no"));
            let plan = look(&failed(&compiled, &script), failing);
            assert_eq!(fate(&plan, "book"), expected, "{mode} {failing}");
            assert_eq!(
                (fate(&plan, "first"), fate(&plan, "mail")),
                (StepDisposition::Kept, StepDisposition::Again),
                "{mode}"
            );
        }
    }
}

#[test]
fn a_file_that_is_called_for_items_to_come_is_told_whole() {
    let read = |file: Value| Arc::new(serde_json::from_value::<Workflow>(file).expect("a workflow"));
    let outer = flow(
        json!({ "m": { "type": "t.many" }, "s": { "type": "t.sub", "config": { "workflow": "inner" } } }),
        &[("m.success", "s")],
    );
    let mut inner =
        flow(json!({ "book": { "type": "t.write" }, "note": { "type": "t.read" } }), &[("book.success", "note")]);
    inner["id"] = json!("inner");
    let files = BTreeMap::from([("inner".to_owned(), read(inner))]);
    let compiled = Compiled::with_files(read(outer), "hash", &catalog(), &files).expect("valid");
    for (failing, expected) in [("s[0]/note", Effects::Write), ("s[2]/note", Effects::Read)] {
        let script = |node: &str, _: usize, _: u32| (node == failing).then(|| NodeFailure::tool("X", "no"));
        let plan = look(&failed(&compiled, &script), failing);
        let step = plan.steps.iter().find(|one| one.step == "s").expect("a step");
        assert_eq!((step.fate, step.effects), (StepDisposition::Again, expected), "{failing}");
    }
}

#[test]
fn what_was_recorded_about_a_kept_failure_is_kept() {
    let handler = json!({ "rules": [{ "name": "all", "when": "true", "action": "error_as_context" }] });
    let compiled = compile(flow(
        json!({ "a": { "type": "t.read" }, "x": { "type": "t.read" }, "rest": { "type": "t.pass" },
                "h": { "type": "builtin.error_handler", "config": handler }, "note": { "type": "builtin.audit" } }),
        &[("a.error", "h"), ("h.context", "note"), ("note.success", "rest"), ("rest.success", "x")],
    ));
    let script = |node: &str, _: usize, _: u32| matches!(node, "a" | "x").then(|| NodeFailure::tool("X", "no"));
    let world = failed(&compiled, &script);
    for (from, expected) in [("x", StepDisposition::Kept), ("a", StepDisposition::Again)] {
        let plan = look(&world, from);
        let note = plan.steps.iter().find(|one| one.step == "note").expect("a step");
        assert_eq!((note.fate, note.change), (expected, Change::None), "{from}");
    }
}

/// UX C24d: where a renamed step makes the one behind it ask again, the answer of before is there to be kept.
#[test]
fn the_answer_of_a_step_whose_result_no_longer_fits_can_be_kept() {
    let file = |make: &str, kind: &str| {
        compile(flow(
            json!({ make: { "type": "t.pass" }, "b": { "type": kind }, "ask": { "type": "builtin.human_decision" },
                    "send": { "type": "t.write" } }),
            &[(&format!("{make}.success"), "b"), ("b.error", "ask"), ("b.success", "send")],
        ))
    };
    let script = |node: &str, _: usize, _: u32| (node == "b").then(|| NodeFailure::tool("X", "no"));
    let compiled = file("make", "t.read");
    let mut world = World::new(&compiled, &script, 1);
    world.start(json!({}));
    while world.state.open_tasks().next().is_none() {
        assert!(world.turn(), "it asks");
    }
    let task_id = world.state.open_tasks().next().expect("a task").to_owned();
    let answer = Answer {
        action: TaskAction::Skip,
        corrected_input: None,
        target_node_id: None,
        budget_micros: None,
        tool_grant: None,
        notes: None,
        operator_id: Some("user:anna".to_owned()),
    };
    world.give(Input::Decision { task_id, answer, request_id: None, now: 1_100_000 });
    world.run_to_end();
    for now in [file("made", "t.read"), file("make", "t.write")] {
        let plan = plan(Original { compiled: &compiled, events: &world.events }, &now, "send").expect("a plan");
        assert_eq!((fate(&plan, "b"), plan.answers.len()), (StepDisposition::Again, 1));
        let made = plan.with(&now, Overrides { keep_answers: true, ..Overrides::default() }).expect("fits");
        let mut second = World::again(&now, &script, 2, made);
        while second.state.status() == RunStatus::Running {
            second.turn();
        }
        assert_eq!(second.state.status(), RunStatus::Completed, "nobody is asked again");
    }
    // A step that is gone asks nobody.
    let plan = plan(Original { compiled: &compiled, events: &world.events }, &without_b(), "send").expect("a plan");
    assert_eq!(plan.answers, []);
}

fn without_b() -> Compiled {
    compile(flow(json!({ "make": { "type": "t.read" }, "send": { "type": "t.write" } }), &[("make.success", "send")]))
}

/// Whether a call that was cut off happened, a person says: the plan does not promise that it simply runs again.
#[test]
fn a_write_that_was_cut_off_is_told_as_asked_about() {
    let compiled = compile(flow(
        json!({ "l": { "type": "t.loop", "config": { "source": [1, 2], "mode": "parallel" } },
                "post": { "type": "t.write", "parent": "l" }, "look": { "type": "t.read", "parent": "l" } }),
        &[("look.success", "post")],
    ));
    // The call of one iteration is under way when the other fails.
    let script = |node: &str, _: usize, _: u32| node.starts_with("l[0]/post").then(|| NodeFailure::tool("X", "no"));
    let mut cut_off = 0;
    for order in 0..20 {
        let mut world = World::new(&compiled, &script, order);
        world.start(json!({}));
        world.run_to_end();
        let interrupted = world.events.iter().any(|event| matches!(event.body, EventBody::StepInterrupted(_)));
        let plan = look(&world, "l[0]/post");
        let post = plan.steps.iter().find(|one| one.step == "post").expect("a step");
        if interrupted && post.asks {
            cut_off += 1;
        }
        let made = plan.clone().with(&compiled, Overrides::default()).expect("fits");
        let mut second = World::again(&compiled, &|_, _, _| None, order, made);
        while second.state.status() == RunStatus::Running {
            second.turn();
        }
        assert_eq!(post.asks, second.state.status() == RunStatus::Paused, "{order}");
    }
    assert!(cut_off > 0, "in one of them it was");
}
