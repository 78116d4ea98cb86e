//! Re-run from a step, story by story (SEMANTICS 9, K-34).

use crate::driver::{World, compile, told};
use serde_json::{Value, json};
use signalbox_engine::rerun::{
    Change, Original, Overrides, Plan, Reopen, RerunError, StepDisposition, plan, plan_reopened,
};
use signalbox_engine::{Compiled, Input, summary};
use signalbox_model::{
    ErrorType, EventBody, Map, NodeFailure, NodeState, RunEvent, RunStatus, TaskAction, task::Answer,
};
use std::collections::BTreeSet;

fn flow(nodes: Value, edges: &[(&str, &str)]) -> Value {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    json!({ "signalbox": 1, "id": "w", "name": "w", "settings": {}, "nodes": nodes, "edges": edges })
}

fn never(_: &str, _: usize, _: u32) -> Option<NodeFailure> {
    None
}

fn ran<'a>(compiled: &'a Compiled, script: crate::driver::Script<'a>) -> World<'a> {
    let mut world = World::new(compiled, script, 1);
    world.start(json!({ "x": 1 }));
    world.run_to_end();
    world
}

/// Calls end as they begin.
fn in_order<'a>(compiled: &'a Compiled, script: crate::driver::Script<'a>) -> World<'a> {
    let mut world = World::new(compiled, script, 1);
    world.in_order = true;
    world.start(json!({}));
    world.run_to_end();
    world
}

fn look(world: &World<'_>, target: &Compiled, from: &str) -> Result<Plan, RerunError> {
    plan(Original { compiled: world.compiled, events: &world.events }, target, from)
}

fn again<'a>(
    world: &World<'_>,
    target: &'a Compiled,
    from: &str,
    overrides: Overrides,
    script: crate::driver::Script<'a>,
) -> World<'a> {
    let made = look(world, target, from).expect("a plan").with(target, overrides).expect("fits");
    let mut second = World::again(target, script, 2, made);
    second.run_to_end();
    second
}

fn fates(plan: &Plan) -> Vec<(&str, StepDisposition, Change)> {
    plan.steps.iter().map(|step| (step.step.as_str(), step.fate, step.change)).collect()
}

fn chain() -> Value {
    flow(
        json!({ "one": { "type": "t.read", "out": { "$plan": "first", "$seen": ["one"] } },
                "two": { "type": "t.read", "in": { "got": "=context.plan" }, "out": { "$two": "=item.got" } },
                "three": { "type": "t.read", "out": { "$late": true } },
                "four": { "type": "t.pass" } }),
        &[("one.success", "two"), ("two.success", "three"), ("three.success", "four")],
    )
}

fn context(changed: Value) -> Overrides {
    Overrides { context: changed.as_object().cloned().expect("an object"), ..Overrides::default() }
}

#[test]
fn ts_091_a_rerun_begins_with_the_values_before_its_step() {
    let compiled = compile(chain());
    let first = ran(&compiled, &never);
    let plan = look(&first, &compiled, "two").expect("a plan");
    assert_eq!(json!(plan.context), json!({ "plan": "first", "seen": ["one"] }), "what step three wrote is absent");
    assert_eq!(fates(&plan)[0], ("one", StepDisposition::Kept, Change::None));
    let second = again(&first, &compiled, "two", context(json!({ "plan": "edited" })), &never);
    assert_eq!(
        told(&second.events),
        [
            "workflow_start",
            "step_start two",
            "var_changed two",
            "step_done two",
            "step_start three",
            "var_changed three",
            "step_done three",
            "step_start four",
            "step_done four",
            "workflow_done"
        ]
    );
    let EventBody::WorkflowStart(start) = &second.events[0].body else { panic!("no start") };
    assert_eq!((start.resumed_from.as_deref(), start.parent_run_id.as_deref()), (Some("two"), Some("run")));
    assert_eq!(start.base_seq, first.events.last().and_then(|event| event.seq));
    let sum = summary::of(&compiled, &second.state);
    assert_eq!(json!(sum.context), json!({ "plan": "edited", "seen": ["one"], "two": "edited", "late": true }));
    assert_eq!(sum.parent_run_id.as_deref(), Some("run"));
    assert_eq!(sum.steps["one"].state, NodeState::Succeeded, "kept");
}

#[test]
fn semantics_e_a_finished_sibling_keeps_what_it_wrote() {
    let file = flow(
        json!({ "a": { "type": "t.pass" }, "b": { "type": "t.read", "out": { "$b": "=context" } },
                "x": { "type": "t.read", "out": { "$x": 1 } }, "j": { "type": "t.all" } }),
        &[("a.success", "b"), ("a.success", "x"), ("b.success", "j"), ("x.success", "j")],
    );
    let compiled = compile(file);
    let first = ran(&compiled, &never);
    let second = again(&first, &compiled, "b", Overrides::default(), &never);
    let steps: Vec<String> = told(&second.events).into_iter().filter(|line| !line.starts_with("var_changed")).collect();
    assert_eq!(
        steps,
        ["workflow_start", "step_start b", "step_done b", "step_start j", "step_done j", "workflow_done"]
    );
    let sum = summary::of(&compiled, &second.state);
    assert_eq!(sum.context["b"], json!({ "x": 1 }), "x is kept, also what it wrote after b began");
    assert_eq!(sum.steps["x"].state, NodeState::Succeeded);
    assert_eq!(sum.output, summary::of(&compiled, &first.state).output);
}

#[test]
fn ts_092_from_a_fork_all_children_run_again() {
    let file = flow(
        json!({ "fork": { "type": "t.pass" }, "a": { "type": "t.read" }, "b": { "type": "t.read" },
                "c": { "type": "t.read" } }),
        &[("fork.success", "a"), ("fork.success", "b"), ("fork.success", "c")],
    );
    let compiled = compile(file);
    let first = ran(&compiled, &never);
    let second = again(&first, &compiled, "fork", Overrides::default(), &never);
    for child in ["a", "b", "c"] {
        assert_eq!(second.calls[&(child.to_owned(), 0)], 1, "{child}");
    }
}

fn looped() -> Compiled {
    compile(flow(
        json!({ "l": { "type": "t.loop", "config": { "source": [10, 20, 30], "collect": "_result.from" } },
                "a": { "type": "t.read", "parent": "l" }, "b": { "type": "t.write", "parent": "l" },
                "end": { "type": "t.pass" } }),
        &[("a.success", "b"), ("l.success", "end")],
    ))
}

#[test]
fn a_step_of_a_loop_that_was_entered_again_gets_what_it_got_last() {
    let compiled = compile(flow(
        json!({ "m": { "type": "t.many" }, "l": { "type": "t.loop", "config": { "collect": "_item" } }, "b": { "type": "t.read", "parent": "l" },
                "ask": { "type": "builtin.human_decision" } }),
        &[("m.success", "l"), ("l.error", "ask"), ("ask.corrected", "l")],
    ));
    let calls = std::cell::Cell::new(0);
    let fails_once = |node: &str, _: usize, _: u32| {
        calls.set(calls.get() + u32::from(node == "l[0]/b"));
        (node == "l[0]/b" && calls.get() == 1).then(|| NodeFailure::tool("X", "no"))
    };
    let mut first = World::new(&compiled, &fails_once, 1);
    first.start(json!({ "x": 1 }));
    while first.state.open_tasks().next().is_none() {
        assert!(first.turn(), "it asks");
    }
    let task_id = first.state.open_tasks().next().expect("a task").to_owned();
    let answer = Answer {
        action: TaskAction::Correct,
        corrected_input: Some(std::sync::Arc::new(json!([{ "x": 7 }, { "x": 8 }]))),
        target_node_id: None,
        budget_micros: None,
        tool_grant: None,
        notes: None,
        operator_id: Some("user:anna".to_owned()),
    };
    first.give(Input::Decision { task_id, answer, request_id: None, now: 1_100_000 });
    first.run_to_end();
    let whole = summary::of(&compiled, &first.state);
    assert_eq!(whole.output, [json!({ "x": 7 }), json!({ "x": 8 })], "two elements are left of three");
    let plan = look(&first, &compiled, "l[0]/b").expect("a plan");
    assert_eq!(*plan.input[0].data, json!({ "x": 7 }));
    let second = again(&first, &compiled, "l[0]/b", Overrides::default(), &never);
    let sum = summary::of(&compiled, &second.state);
    assert_eq!((sum.status, sum.output), (RunStatus::Completed, whole.output));
    assert_eq!(second.calls.get(&("l[1]/b".to_owned(), 0)), None, "the other iteration stays");
}

/// A loop that is tried once more when a call in it fails.
fn retried() -> Compiled {
    let mut file = flow(
        json!({ "l": { "type": "t.loop", "config": { "source": [0, 1], "mode": "parallel" } },
                "x": { "type": "t.read", "parent": "l" }, "q": { "type": "t.par", "parent": "l" },
                "b": { "type": "t.read", "parent": "q" } }),
        &[("x.success", "q")],
    );
    file["settings"]["errorPolicy"] = json!({ "rules": [
        { "name": "again", "when": "error.originNode == 'l' && error.attempt < 1", "action": "retry" },
        { "name": "enough", "when": "true", "action": "abort" }] });
    compile(file)
}

/// The call that is named fails the first time.
fn once(name: &'static str) -> impl Fn(&str, usize, u32) -> Option<NodeFailure> {
    let left = std::cell::Cell::new(1);
    move |node, _, _| {
        let fails = node == name && left.replace(left.get() - i32::from(node == name)) > 0;
        fails.then(|| NodeFailure::tool("X", "no"))
    }
}

#[test]
fn an_iteration_that_ended_before_its_loop_was_tried_again_runs_again_alone() {
    let compiled = retried();
    let script = once("l[1]/q/b/b");
    let first = in_order(&compiled, &script);
    let lines = told(&first.events);
    let at = |what: &str| lines.iter().position(|line| line == what).unwrap_or_else(|| panic!("{what} in {lines:#?}"));
    assert!(at("step_done l[0]/q") < at("step_error l"), "{lines:#?}");
    assert!(at("step_start l a1") < at("step_done l[1]/x v2"), "the failed iteration began anew: {lines:#?}");
    let second = again(&first, &compiled, "l[0]/q/b/b", Overrides::default(), &never);
    assert_eq!(second.state.status(), RunStatus::Completed);
    let called: Vec<&str> = second.calls.keys().map(|(name, _)| &**name).collect();
    assert_eq!(called, ["l[0]/q/b/b"], "{:#?}", told(&second.events));
}

#[test]
fn what_was_tried_of_a_container_around_the_step_counts_for_the_original() {
    let compiled = retried();
    let script = once("l[0]/q/b/b");
    let first = in_order(&compiled, &script);
    assert!(told(&first.events).contains(&"step_start l a1".to_owned()), "{:#?}", told(&first.events));
    let script = once("l[0]/q/b/b");
    let second = again(&first, &compiled, "l[0]/q/b/b", Overrides::default(), &script);
    assert_eq!(second.state.status(), RunStatus::Completed, "{:#?}", told(&second.events));
}

#[test]
fn a_step_that_ends_well_was_not_cut_off_by_an_earlier_round_of_its_loop() {
    let mut file = flow(
        json!({ "l": { "type": "t.loop", "config": { "source": [0] } },
                "x": { "type": "t.read", "parent": "l" }, "b": { "type": "t.read", "parent": "l" } }),
        &[],
    );
    file["settings"]["errorPolicy"] = json!({ "rules": [
        { "name": "again", "when": "error.originNode == 'l' && error.attempt < 1", "action": "retry" },
        { "name": "enough", "when": "true", "action": "abort" }] });
    let compiled = compile(file);
    let script = once("l[0]/b");
    let first = in_order(&compiled, &script);
    let lines = told(&first.events);
    assert!(lines.contains(&"step_done l[0]/x v2".to_owned()), "{lines:#?}");
    let second = again(&first, &compiled, "l[0]/x", Overrides::default(), &never);
    let states = summary::of(&compiled, &second.state).steps;
    assert_eq!(states["x"].state, NodeState::Succeeded, "{:#?}", told(&second.events));
}

#[test]
fn ts_091_what_stands_beside_the_step_in_its_containers_is_kept_in_the_plan_too() {
    let compiled = compile(flow(
        json!({ "l": { "type": "t.loop", "config": { "source": [0, 1] } },
                "a": { "type": "t.read", "parent": "l" }, "b": { "type": "t.read", "parent": "l" },
                "q": { "type": "t.par", "parent": "l" },
                "x": { "type": "t.read", "parent": "q" }, "y": { "type": "t.read", "parent": "q" },
                "c": { "type": "t.read", "parent": "l" }, "end": { "type": "t.pass" } }),
        &[("a.success", "b"), ("b.success", "q"), ("q.success", "c"), ("l.success", "end")],
    ));
    let first = ran(&compiled, &never);
    let again = |from: &str| {
        let plan = look(&first, &compiled, from).expect("a plan");
        let steps = plan.steps.iter().filter(|step| step.fate == StepDisposition::Again);
        steps.map(|step| step.step.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(again("l[1]/q/x/x"), "l q x c end", "neither what was before it nor the branch beside it");
    assert_eq!(again("l[1]/b"), "l b q x y c end");
    assert_eq!(again("l[0]/c"), "l c end");
    assert_eq!(again("l"), "l a b q x y c end");
    let second = self::again(&first, &compiled, "l[1]/q/x/x", Overrides::default(), &never);
    let called: BTreeSet<&str> = second.calls.keys().map(|(name, _)| &**name).collect();
    assert_eq!(called, BTreeSet::from(["end", "l[1]/c", "l[1]/q/x/x"]), "as the plan said");
}

#[test]
fn one_iteration_runs_again_and_the_others_stay() {
    let compiled = looped();
    let first = ran(&compiled, &never);
    let second = again(&first, &compiled, "l[1]/b", Overrides::default(), &never);
    assert_eq!(
        told(&second.events),
        [
            "workflow_start",
            "step_start l[1]/b",
            "step_done l[1]/b",
            "step_done l",
            "step_start end",
            "step_done end",
            "workflow_done"
        ]
    );
    let sum = summary::of(&compiled, &second.state);
    assert_eq!(sum.output, summary::of(&compiled, &first.state).output, "all three iterations, in order");
    let twice = again(&second, &compiled, "l[2]/a", Overrides::default(), &never);
    assert!(told(&twice.events).contains(&"step_start l[2]/a".to_owned()));
    assert!(!told(&twice.events).iter().any(|line| line.contains("l[1]")), "kept in the run of a re-run too");
}

#[test]
fn an_iteration_that_failed_the_run_can_be_run_again() {
    let compiled = looped();
    let fails =
        |node: &str, _: usize, _: u32| (node == "l[1]/b").then(|| NodeFailure::new(ErrorType::ToolError, "X", "no"));
    let first = ran(&compiled, &fails);
    assert_eq!(first.state.status(), RunStatus::Failed);
    let second = again(&first, &compiled, "l[1]/b", Overrides::default(), &never);
    assert_eq!(second.state.status(), RunStatus::Completed, "{:#?}", told(&second.events));
    assert!(!second.calls.contains_key(&("l[0]/b".to_owned(), 0)), "iteration 0 is done");
    assert_eq!(second.calls[&("l[2]/b".to_owned(), 0)], 1, "iteration 2 had not begun");
}

fn asking() -> Compiled {
    compile(flow(
        json!({ "a": { "type": "t.read" }, "b": { "type": "t.read" },
                "ask": { "type": "builtin.human_decision" }, "c": { "type": "t.read" } }),
        &[("a.success", "b"), ("b.error", "ask"), ("ask.skip", "c")],
    ))
}

fn wrong(node: &str, _: usize, _: u32) -> Option<NodeFailure> {
    (node == "b").then(|| NodeFailure::new(ErrorType::ToolError, "X", "no"))
}

fn decide<'a>(compiled: &'a Compiled, action: TaskAction) -> World<'a> {
    let mut world = World::new(compiled, &wrong, 1);
    world.start(json!({ "x": 1 }));
    while world.state.status() == RunStatus::Running {
        world.turn();
    }
    let task = world.state.open_tasks().next().expect("a task").to_owned();
    let answer = Answer {
        action,
        corrected_input: None,
        target_node_id: None,
        budget_micros: None,
        tool_grant: None,
        notes: None,
        operator_id: Some("user:anna".into()),
    };
    world.give(Input::Decision { task_id: task, answer, request_id: None, now: 1_000_500 });
    world.run_to_end();
    world
}

fn asked(events: &[RunEvent]) -> usize {
    events.iter().filter(|event| matches!(event.body, EventBody::HumanTaskCreated(_))).count()
}

#[test]
fn answers_are_asked_again_unless_they_are_kept() {
    let compiled = asking();
    let first = decide(&compiled, TaskAction::Skip);
    assert_eq!(look(&first, &compiled, "b").expect("a plan").answers.len(), 1);
    let keep = |keep_answers| {
        let overrides = Overrides { keep_answers, ..Overrides::default() };
        let made = look(&first, &compiled, "b").expect("a plan").with(&compiled, overrides).expect("fits");
        let mut world = World::again(&compiled, &wrong, 1, made);
        while world.state.status() == RunStatus::Running {
            world.turn();
        }
        world
    };
    let asks = keep(false);
    assert_eq!(asks.state.status(), RunStatus::Paused, "{:#?}", told(&asks.events));
    let kept = keep(true);
    assert_eq!(kept.state.status(), RunStatus::Completed, "{:#?}", told(&kept.events));
    let answer = kept.events.iter().find_map(|event| match &event.body {
        EventBody::HumanTaskCompleted(done) => Some(done),
        _ => None,
    });
    let answer = answer.expect("given again");
    assert_eq!((answer.kept_from.as_deref(), answer.answer.operator_id.as_deref()), (Some("run"), Some("user:anna")));
}

/// UX D2.9: what one person said about one input is no word about another.
#[test]
fn a_kept_answer_is_given_only_about_the_same_input() {
    let compiled = asking();
    let first = decide(&compiled, TaskAction::Skip);
    let with = |input: Value| {
        let overrides = Overrides { keep_answers: true, input: Some(vec![input]), ..Overrides::default() };
        let made = look(&first, &compiled, "b").expect("a plan").with(&compiled, overrides).expect("fits");
        let mut world = World::again(&compiled, &wrong, 1, made);
        while world.state.status() == RunStatus::Running {
            world.turn();
        }
        world.state.status()
    };
    let own = look(&first, &compiled, "b").expect("a plan").input[0].data.as_ref().clone();
    assert_eq!(with(own), RunStatus::Completed, "the same is not asked twice");
    assert_eq!(with(json!({ "amount": 9_000_000 })), RunStatus::Paused, "somebody has to look at this one");
}

fn reopened(world: &World<'_>, task: &str) -> Result<Plan, RerunError> {
    let wanted = Reopen { task_id: task.into(), reason: "it was the wrong customer".into(), by: "user:bob".into() };
    plan_reopened(Original { compiled: world.compiled, events: &world.events }, &wanted)
}

fn tasks(events: &[RunEvent]) -> Vec<(String, Option<String>)> {
    let created = |event: &RunEvent| match &event.body {
        EventBody::HumanTaskCreated(task) => Some((task.task_id.clone(), task.reopens.clone())),
        _ => None,
    };
    events.iter().filter_map(created).collect()
}

/// UX D2.15: the failed call stands, only its decision is asked again, and what followed from it happens again.
#[test]
fn a_reopened_decision_is_asked_again_without_a_call() {
    let compiled = asking();
    for action in [TaskAction::Skip, TaskAction::Abort] {
        let first = decide(&compiled, action);
        let (task, _) = tasks(&first.events).remove(0);
        let made = reopened(&first, &task).expect("a plan").with(&compiled, Overrides::default()).expect("fits");
        let mut second = World::again(&compiled, &wrong, 1, made);
        while second.state.status() == RunStatus::Running {
            second.turn();
        }
        assert_eq!(second.state.status(), RunStatus::Paused, "{:#?}", told(&second.events));
        let asked = tasks(&second.events);
        assert_eq!((asked.len(), asked[0].1.as_deref()), (1, Some(task.as_str())));
        assert!(second.calls.is_empty(), "nothing was called: {:?}", second.calls);
        second.run_to_end();
        // Opened again once more: the link goes to the task of the second run.
        let made = reopened(&second, &asked[0].0).expect("a plan").with(&compiled, Overrides::default()).expect("fits");
        let third = World::again(&compiled, &wrong, 1, made);
        assert_eq!(tasks(&third.events)[0].1.as_ref(), Some(&asked[0].0), "{:#?}", told(&third.events));
    }
    let first = decide(&compiled, TaskAction::Skip);
    assert_eq!(reopened(&first, "t0").expect_err("no such task").code(), "UNKNOWN_TASK");
}

#[test]
fn a_step_beside_it_that_waits_for_a_person_gets_a_new_task() {
    let compiled = compile(flow(
        json!({ "a": { "type": "t.pass" }, "b": { "type": "t.read" }, "x": { "type": "t.read" },
                "ask": { "type": "builtin.human_decision" } }),
        &[("a.success", "b"), ("a.success", "x"), ("b.error", "ask")],
    ));
    let mut first = World::new(&compiled, &wrong, 1);
    first.start(json!({}));
    while first.state.status() == RunStatus::Running {
        first.turn();
    }
    // As the runtime does it: the original is cancelled first, then its log is looked at.
    for cancelled in [false, true] {
        if cancelled {
            first.give(Input::Cancel { superseded_by: Some("again".into()), now: 1_000_900 });
            let Some(EventBody::WorkflowCancelled(end)) = first.events.last().map(|event| &event.body) else {
                panic!("not cancelled: {:#?}", told(&first.events));
            };
            assert_eq!(end.superseded_by.as_deref(), Some("again"));
        }
        let made = look(&first, &compiled, "x").expect("a plan").with(&compiled, Overrides::default()).expect("fits");
        let mut second = World::again(&compiled, &wrong, 1, made);
        while second.state.status() == RunStatus::Running {
            second.turn();
        }
        assert_eq!(second.state.status(), RunStatus::Paused);
        assert_eq!(asked(&second.events), 1, "{:#?}", told(&second.events));
        assert!(!second.calls.contains_key(&("b".to_owned(), 0)), "its call is not made again");
    }
}

#[test]
fn with_another_definition_a_result_that_no_longer_fits_runs_again() {
    let old = compile(chain());
    let first = ran(&old, &never);
    let mut file = chain();
    file["nodes"]["three"]["config"] = json!({ "url": "x" });
    file["nodes"]["extra"] = json!({ "type": "t.read" });
    file["nodes"]["four"] = json!({ "type": "t.stop" });
    file["edges"][0] = json!({ "from": "one.success", "to": "extra" });
    file["edges"].as_array_mut().expect("edges").push(json!({ "from": "extra.success", "to": "two" }));
    let new = compile(file);
    let plan = look(&first, &new, "three").expect("a plan");
    assert_eq!(
        fates(&plan),
        [
            ("one", StepDisposition::Kept, Change::None),
            ("two", StepDisposition::Again, Change::Incompatible),
            ("three", StepDisposition::Again, Change::Changed),
            ("four", StepDisposition::Again, Change::Changed),
            ("extra", StepDisposition::Open, Change::Added),
        ],
        "two cannot stand before what it waits for now"
    );
    let second = again(&first, &new, "three", Overrides::default(), &never);
    assert_eq!(second.state.status(), RunStatus::Completed, "{:#?}", told(&second.events));
    assert!(!second.calls.contains_key(&("one".to_owned(), 0)));

    let mut file = chain();
    file["nodes"].as_object_mut().expect("nodes").shift_remove("two");
    file["edges"] = json!([{ "from": "one.success", "to": "three" }, { "from": "three.success", "to": "four" }]);
    let new = compile(file);
    assert_eq!(look(&first, &new, "two").expect_err("gone"), RerunError::Gone { step: "two".into() });
    let plan = look(&first, &new, "four").expect("a plan");
    assert_eq!(fates(&plan).last(), Some(&("two", StepDisposition::Gone, Change::Removed)));
    let kept: Vec<&str> =
        plan.steps.iter().filter(|step| step.fate == StepDisposition::Kept).map(|step| step.step.as_str()).collect();
    assert_eq!(kept, ["one", "three"], "{:#?}", fates(&plan));
}

#[test]
fn what_cannot_be_run_again_is_refused_in_words() {
    let compiled = asking();
    let first = decide(&compiled, TaskAction::Abort);
    let refused = |from: &str| look(&first, &compiled, from).map(|_| ()).expect_err(from);
    assert!(matches!(refused("nobody"), RerunError::UnknownStep { .. }));
    assert!(matches!(refused("a/b"), RerunError::UnknownStep { .. }));
    assert!(matches!(refused("l[1]/b"), RerunError::UnknownStep { .. }));
    assert_eq!(refused("c"), RerunError::NeverRan { step: "c".into(), ran: vec![] });
    assert!(matches!(refused("ask"), RerunError::Recovery { .. }));

    let looped = looped();
    let first = ran(&looped, &never);
    let refused = |from: &str| {
        plan(Original { compiled: &looped, events: &first.events }, &looped, from).map(|_| ()).expect_err(from)
    };
    let RerunError::NeverRan { ran: known, .. } = refused("b") else { panic!("a step in a container has a place") };
    assert_eq!(known, ["l[0]/b", "l[1]/b", "l[2]/b"]);
    let RerunError::NeverRan { ran: known, .. } = refused("l[7]/b") else { panic!("not refused") };
    assert_eq!(known, ["l[0]/b", "l[1]/b", "l[2]/b"]);

    let mut file = chain();
    file["context"] = json!({ "schema": { "type": "object", "additionalProperties": false,
        "properties": { "plan": { "type": "string" }, "seen": {}, "two": {}, "late": {} } } });
    file["params"] = json!({ "type": "object", "properties": { "x": { "type": "integer" } } });
    let compiled = compile(file);
    let first = ran(&compiled, &never);
    let with =
        |overrides: Overrides| look(&first, &compiled, "two").expect("a plan").with(&compiled, overrides).map(|_| ());
    assert!(matches!(with(context(json!({ "plan": 7 }))), Err(RerunError::Variable { name, .. }) if name == "plan"));
    assert!(matches!(with(context(json!({ "other": 7 }))), Err(RerunError::Variable { name, .. }) if name == "other"));
    let params = Map::from_iter([("x".to_owned(), json!("no"))]);
    assert!(matches!(with(Overrides { params, ..Overrides::default() }), Err(RerunError::Params(_))));
    assert!(matches!(with(Overrides { input: Some(vec![]), ..Overrides::default() }), Err(RerunError::NoInput)));
    assert_eq!(with(Overrides { input: Some(vec![json!(1), json!(2)]), ..Overrides::default() }), Ok(()));
}
