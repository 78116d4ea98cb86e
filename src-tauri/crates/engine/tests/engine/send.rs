//! A failed run is sent to the inbox (ADR 58): the failed call stands, a person is asked about it, and the answer goes on.

use crate::driver::{Script, World, cases, catalog, compile, told};
use crate::{properties, properties_containers, properties_people};
use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_engine::rerun::{Original, Overrides, Plan, RerunError, Send, plan_sent};
use signalbox_engine::{Compiled, Input, RunState, fold, summary};
use signalbox_model::{
    ErrorType, EventBody, NodeFailure, NodeState, RunEvent, RunStatus, TaskAction, base::named, task::Answer,
    task::HumanTaskCreated,
};
use std::collections::{BTreeMap, BTreeSet};

fn flow(nodes: Value, edges: &[(&str, &str)]) -> Compiled {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    compile(json!({ "signalbox": 1, "id": "w", "name": "w", "settings": {}, "nodes": nodes, "edges": edges }))
}

fn ran<'a>(compiled: &'a Compiled, script: Script<'a>) -> World<'a> {
    let mut world = World::new(compiled, script, 1);
    world.start(json!({ "x": 1 }));
    world.run_to_end();
    world
}

fn plan(world: &World<'_>) -> Result<Plan, RerunError> {
    let wanted = Send { reason: Some("the address has changed".into()), by: "user:anna".into() };
    plan_sent(Original { compiled: world.compiled, events: &world.events }, &wanted)
}

/// The new run, until it waits or ends.
fn sent<'a>(world: &World<'_>, compiled: &'a Compiled, script: Script<'a>) -> World<'a> {
    let made = plan(world).expect("a plan").with(compiled, Overrides::default()).expect("nothing is changed");
    let mut second = World::again(compiled, script, 2, made);
    while second.state.status() == RunStatus::Running {
        assert!(second.turn(), "{:#?}", told(&second.events));
    }
    second
}

fn asked(world: &World<'_>) -> Vec<HumanTaskCreated> {
    let created = |event: &RunEvent| match &event.body {
        EventBody::HumanTaskCreated(created) => Some((**created).clone()),
        _ => None,
    };
    world.events.iter().filter_map(created).collect()
}

fn answer(world: &mut World<'_>, action: TaskAction, corrected: Option<Value>) {
    let task_id = world.state.open_tasks().next().expect("a task").to_owned();
    let answer = Answer {
        action,
        corrected_input: corrected.map(std::sync::Arc::new),
        target_node_id: None,
        budget_micros: None,
        tool_grant: None,
        notes: None,
        operator_id: Some("user:bob".into()),
    };
    world.give(Input::Decision { task_id, answer, request_id: None, now: 3_100_000 });
    world.run_to_end();
}

fn never(_: &str, _: usize, _: u32) -> Option<NodeFailure> {
    None
}

fn wrong(node: &str, _: usize, _: u32) -> Option<NodeFailure> {
    (node == "b").then(|| NodeFailure::new(ErrorType::ToolError, "X", "no"))
}

fn chain() -> Compiled {
    flow(
        json!({ "a": { "type": "t.write", "out": { "$a": 1 } }, "b": { "type": "t.read" }, "c": { "type": "t.read" } }),
        &[("a.success", "b"), ("b.success", "c")],
    )
}

#[test]
fn a_failed_run_asks_about_its_failed_call_and_goes_on_with_the_answer() {
    let compiled = chain();
    let first = ran(&compiled, &wrong);
    assert_eq!(first.state.status(), RunStatus::Failed);
    for (action, corrected, calls) in
        [(TaskAction::Retry, None, 1), (TaskAction::Correct, Some(json!({ "x": 2 })), 1), (TaskAction::Skip, None, 0)]
    {
        let mut second = sent(&first, &compiled, &never);
        assert_eq!(told(&second.events), ["workflow_start", "human_task_created b"]);
        let task = asked(&second).remove(0);
        let from = task.sent_from.expect("it says where from");
        assert_eq!((from.run_id.as_str(), from.by.as_str()), ("run", "user:anna"));
        assert_eq!(from.reason.as_deref(), Some("the address has changed"));
        assert_eq!(task.allowed_actions, [TaskAction::Retry, TaskAction::Correct, TaskAction::Skip, TaskAction::Abort]);
        answer(&mut second, action, corrected);
        let saw = told(&second.events);
        assert_eq!(second.state.status(), RunStatus::Completed, "{saw:#?}");
        assert_eq!(second.calls.get(&("a".to_owned(), 0)), None, "what is done is not done again");
        assert_eq!(second.calls.get(&("b".to_owned(), 0)).copied().unwrap_or(0), calls, "{saw:#?}");
        let sum = summary::of(&compiled, &second.state);
        assert_eq!((sum.context["a"].clone(), sum.steps["a"].state), (json!(1), NodeState::Succeeded));
    }
}

#[test]
fn an_answer_that_fails_again_can_be_sent_again() {
    let compiled = chain();
    let first = ran(&compiled, &wrong);
    let mut second = sent(&first, &compiled, &wrong);
    answer(&mut second, TaskAction::Retry, None);
    assert_eq!(second.state.status(), RunStatus::Failed, "the policy decides about the new call");
    let third = sent(&second, &compiled, &never);
    assert_eq!(asked(&third).len(), 1);
    // Given up by a person: the same question, without the word on who gave it up.
    let mut fourth = sent(&second, &compiled, &never);
    answer(&mut fourth, TaskAction::Abort, None);
    let fifth = sent(&fourth, &compiled, &never);
    let error = asked(&fifth).remove(0).error.expect("an error");
    assert_eq!(error.details.as_ref().and_then(|details| details.get("reason")), None);
    assert!(fifth.calls.is_empty());
}

#[test]
fn what_a_handler_decided_about_the_failure_does_not_stand() {
    let compiled = flow(
        json!({ "b": { "type": "t.read", "errorHandling": { "retryPolicy": { "maxAttempts": 1 } } },
                "eh": { "type": "builtin.error_handler", "config": { "rules": [{ "when": "true", "action": "abort" }] } },
                "c": { "type": "t.pass" } }),
        &[("b.error", "eh"), ("eh.retry", "b"), ("b.success", "c")],
    );
    let first = ran(&compiled, &wrong);
    assert_eq!(first.state.status(), RunStatus::Failed);
    let mut second = sent(&first, &compiled, &never);
    assert_eq!(told(&second.events), ["workflow_start", "human_task_created b"], "the last attempt of the call");
    answer(&mut second, TaskAction::Retry, None);
    assert_eq!(second.state.status(), RunStatus::Completed);
}

#[test]
fn of_many_items_only_the_one_that_failed_the_run_is_asked_about() {
    let compiled = flow(
        json!({ "m": { "type": "t.many" }, "b": { "type": "t.write", "mode": "each" }, "c": { "type": "t.pass" } }),
        &[("m.success", "b"), ("b.success", "c")],
    );
    let second_item = |node: &str, item: usize, _: u32| {
        (node == "b" && item == 1).then(|| NodeFailure::new(ErrorType::ToolError, "X", "no"))
    };
    let first = ran(&compiled, &second_item);
    assert_eq!(first.state.status(), RunStatus::Failed);
    let done: BTreeSet<usize> = first
        .events
        .iter()
        .filter(|event| matches!(event.body, EventBody::StepDone(_)) && event.step_id.as_deref() == Some("b"))
        .filter_map(|event| event.item)
        .collect();
    let mut second = sent(&first, &compiled, &never);
    assert_eq!(asked(&second).len(), 1);
    answer(&mut second, TaskAction::Retry, None);
    assert_eq!(second.state.status(), RunStatus::Completed, "{:#?}", told(&second.events));
    for item in done {
        assert_eq!(second.calls.get(&("b".to_owned(), item)), None, "item {item} was done");
    }
    assert_eq!(summary::of(&compiled, &second.state).output.len(), 3);
}

#[test]
fn in_a_loop_the_child_is_asked_about_and_the_other_iterations_stay() {
    let compiled = flow(
        json!({ "l": { "type": "t.loop", "config": { "source": [10, 20, 30], "collect": "_result.from" } },
                "a": { "type": "t.read", "parent": "l" }, "b": { "type": "t.write", "parent": "l" },
                "end": { "type": "t.pass" } }),
        &[("a.success", "b"), ("l.success", "end")],
    );
    let fails =
        |node: &str, _: usize, _: u32| (node == "l[1]/b").then(|| NodeFailure::new(ErrorType::ToolError, "X", "no"));
    let first = ran(&compiled, &fails);
    assert_eq!(first.state.status(), RunStatus::Failed);
    let mut second = sent(&first, &compiled, &never);
    let asks = told(&second.events);
    assert!(asks.contains(&"human_task_created l[1]/b".to_owned()), "{asks:#?}");
    answer(&mut second, TaskAction::Retry, None);
    let saw = told(&second.events);
    assert_eq!(second.state.status(), RunStatus::Completed, "{saw:#?}");
    assert_eq!(second.calls.get(&("l[0]/b".to_owned(), 0)), None, "iteration 0 is done");
    assert_eq!(second.calls.get(&("l[1]/a".to_owned(), 0)), None, "the step before it is done");
    assert_eq!((second.calls[&("l[1]/b".to_owned(), 0)], second.calls[&("l[2]/b".to_owned(), 0)]), (1, 1));
    assert_eq!(summary::of(&compiled, &second.state).output, [json!("b"), json!("b"), json!("b")]);
}

#[test]
fn of_a_container_with_many_items_the_call_inside_the_failed_one_is_asked_about() {
    let read = |file: Value| std::sync::Arc::new(serde_json::from_value(file).expect("a workflow"));
    let inner = json!({ "signalbox": 1, "id": "inner", "name": "inner", "settings": { "errorPolicy": "fail" },
        "nodes": { "b": { "type": "t.write" } }, "edges": [] });
    let file = json!({ "signalbox": 1, "id": "w", "name": "w", "settings": { "errorPolicy": "safe" },
        "nodes": { "m": { "type": "t.many" }, "s": { "type": "t.sub", "config": { "workflow": "inner" } }, "c": { "type": "t.all" } },
        "edges": [{ "from": "m.success", "to": "s" }, { "from": "s.success", "to": "c" }] });
    let others = BTreeMap::from([("inner".to_owned(), read(inner))]);
    let compiled = Compiled::with_files(read(file), "hash", &catalog(), &others).expect("compiles");
    let fails =
        |node: &str, _: usize, _: u32| (node == "s[1]/b").then(|| NodeFailure::new(ErrorType::ToolError, "X", "no"));
    // A person is asked about the failed item; the last one is entered meanwhile, then the person gives up.
    let mut first = World::new(&compiled, &fails, 1);
    first.start(json!({ "x": 1 }));
    while first.state.status() == RunStatus::Running {
        assert!(first.turn(), "{:#?}", told(&first.events));
    }
    answer(&mut first, TaskAction::Abort, None);
    let lines = told(&first.events);
    assert_eq!(first.state.status(), RunStatus::Failed, "{lines:#?}");
    let at = |what: &str| lines.iter().position(|line| line == what);
    assert!(at("step_error s[1]/b").is_some() && at("step_error s[1]/b") < at("step_start s[2]"), "{lines:#?}");
    let mut second = sent(&first, &compiled, &never);
    let asks = told(&second.events);
    assert!(asks.contains(&"human_task_created s[1]/b".to_owned()), "{asks:#?}");
    answer(&mut second, TaskAction::Retry, None);
    let saw = told(&second.events);
    assert_eq!(second.state.status(), RunStatus::Completed, "{saw:#?}");
    assert_eq!(second.calls.get(&("s[0]/b".to_owned(), 0)), None, "item 0 is done");
}

#[test]
fn a_step_beside_it_whose_failure_nothing_was_decided_about_begins_again() {
    let compiled = flow(
        json!({ "a": { "type": "t.read" }, "b": { "type": "t.read" },
                "h": { "type": "builtin.error_handler", "config": { "rules": [{ "name": "r", "when": "true", "action": "abort" }] } } }),
        &[("b.error", "h")],
    );
    let fails = |_: &str, _: usize, _: u32| Some(NodeFailure::new(ErrorType::ToolError, "X", "no"));
    let mut first = World::new(&compiled, &fails, 1);
    first.in_order = true;
    first.start(json!({}));
    first.run_to_end();
    // b fails while the run ends, so nothing is decided about it any more.
    let end = ["step_error a", "error_handled a", "step_error b", "workflow_failed"];
    assert_eq!(told(&first.events)[3..], end, "{:#?}", told(&first.events));
    let mut second = sent(&first, &compiled, &never);
    assert_eq!(told(&second.events), ["workflow_start", "human_task_created a", "step_start b", "step_done b"]);
    answer(&mut second, TaskAction::Retry, None);
    assert_eq!(second.state.status(), RunStatus::Completed, "{:#?}", told(&second.events));
}

#[test]
fn what_cannot_be_sent_is_refused_in_words() {
    let compiled = chain();
    let well = ran(&compiled, &never);
    let refused = plan(&well).map(|_| ()).expect_err("it ended well");
    assert_eq!(
        (refused.code(), refused.to_string().as_str()),
        ("NOT_FAILED", "The run has not failed, it is completed")
    );
    let mut waits = World::new(&compiled, &never, 1);
    waits.start(json!({}));
    assert_eq!(plan(&waits).map(|_| ()).expect_err("it runs"), RerunError::NotFailed { status: RunStatus::Running });
}

/// Steps that ended well, with their paths and items.
fn done(events: &[RunEvent]) -> BTreeSet<(String, Option<usize>)> {
    let own = |event: &&RunEvent| matches!(event.body, EventBody::StepDone(_)) && event.body.origin().is_none();
    let names = events
        .iter()
        .filter(own)
        .filter_map(|event| Some((named(event.path.as_deref(), event.step_id.as_deref()?), event.item)));
    names.collect()
}

/// A run that failed can always be sent: one task is about the failed call, which is not made before the answer, nothing
/// that stands executes again, and the log of the new run alone rebuilds it.
fn check(compiled: &Compiled, script: Script<'_>, order: u64, every: bool) -> Result<(), TestCaseError> {
    let mut first = World::new(compiled, script, order);
    (first.every_answer, first.checked) = (every, false);
    first.start(json!({ "p": 1 }));
    first.run_to_end();
    if first.state.status() != RunStatus::Failed {
        return Ok(());
    }
    let made = plan(&first).map_err(|error| TestCaseError::fail(format!("{error}: {:#?}", told(&first.events))))?;
    let made = made.with(compiled, Overrides::default()).expect("nothing is changed");
    let (kept, failed) = (done(&made.base.events), made.base.sent.clone().expect("sent"));
    let mut second = World::again(compiled, script, order, made);
    second.every_answer = every;
    second.run_to_end();
    let saw = || format!("{} of {:#?}\nsent {:#?}", failed.step, told(&first.events), told(&second.events));
    prop_assert!(second.state.status().is_terminal(), "{}", saw());
    let asks = second.events.iter().position(|event| match &event.body {
        EventBody::HumanTaskCreated(task) => task.sent_from.is_some(),
        _ => false,
    });
    prop_assert!(asks.is_some(), "it is asked: {}", saw());
    let own = |event: &RunEvent| matches!(event.body, EventBody::StepStart(_)) && event.body.origin().is_none();
    let name = |event: &RunEvent| named(event.path.as_deref(), event.step_id.as_deref().unwrap_or_default());
    for event in second.events[..asks.unwrap_or_default()].iter().filter(|event| own(event)) {
        let same = name(event) == failed.step && event.item.unwrap_or(0) == failed.item;
        prop_assert!(!same, "the failed call is not made before the answer: {}", saw());
    }
    for event in second.events.iter().filter(|event| own(event) && event.path.is_none()) {
        prop_assert!(!kept.contains(&(name(event), event.item)), "{} was done and ran: {}", name(event), saw());
    }
    let mut folded = RunState::new(compiled, "run", None);
    for event in &second.events {
        let text = serde_json::to_string(event).expect("writes");
        fold(compiled, &mut folded, &serde_json::from_str(&text).expect("reads")).expect("folds");
    }
    prop_assert_eq!(&folded, &second.state, "{}", saw());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(25), max_shrink_iters: 2_000,
        failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn any_failed_run_can_be_sent(graph in properties::graphs()) {
        let compiled = compile(properties::file(&graph));
        check(&compiled, &properties::script(graph.failures), graph.order, false)?;
    }

    #[test]
    fn any_failed_run_with_containers_can_be_sent(nested in properties_containers::nested()) {
        let compiled = properties_containers::build(&nested);
        check(&compiled, &properties_containers::script(nested.failures), nested.order, false)?;
    }

    #[test]
    fn any_failed_run_with_people_can_be_sent(graph in properties_people::graphs()) {
        if let Some((_, compiled)) = properties_people::build(&graph) {
            check(&compiled, &properties_people::script(graph.failures), graph.order, true)?;
        }
    }
}
