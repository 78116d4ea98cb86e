//! Checkpoints in the form of source 003 (K-30, C-01 to C-04, C-16 to C-21): what is written can be read, and another run
//! begins where the first one was.

use crate::driver::{Script, World, cases, compile};
use crate::{properties, properties_containers};
use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_engine::exported_checkpoint::{self, Exported, Trail};
use signalbox_engine::imported_checkpoint::read;
use signalbox_engine::{Compiled, RunState, fold, params};
use signalbox_model::{EventBody, Map, NodeFailure, NodeState, RunEvent, RunStatus};
use std::collections::BTreeSet;

fn never(_: &str, _: usize, _: u32) -> Option<NodeFailure> {
    None
}

fn flow(nodes: &Value, edges: &[(&str, &str)]) -> Compiled {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    compile(json!({ "signalbox": 1, "id": "w", "name": "w", "settings": {}, "nodes": nodes, "edges": edges }))
}

/// Where a run stands after some of its events.
fn at(compiled: &Compiled, events: &[RunEvent]) -> (RunState, Trail) {
    let (mut state, mut trail) = (RunState::new(compiled, "run", None), Trail::default());
    for event in events {
        fold(compiled, &mut state, event).expect("recorded events fold");
        trail.note(event);
    }
    (state, trail)
}

/// The checkpoint after some events, as text and back.
fn written(compiled: &Compiled, events: &[RunEvent]) -> Option<(Exported, Value)> {
    let (state, trail) = at(compiled, events);
    let exported = exported_checkpoint::of(compiled, &state, &trail).ok()?;
    let all = exported_checkpoint::checkpoint(compiled, &state, &exported, &Map::new());
    Some((exported, signalbox_engine::json::parse(&all.to_string()).expect("JSON")))
}

/// A run that begins at a checkpoint.
fn resumed<'a>(compiled: &'a Compiled, checkpoint: &Value, script: Script<'a>, order: u64) -> World<'a> {
    let known = read(checkpoint).unwrap_or_else(|refused| panic!("{refused} in {checkpoint}"));
    let params = params::complete(&compiled.workflow, &Value::Object(known.params.clone()));
    let rerun = known.begin(compiled, params).unwrap_or_else(|refused| panic!("{refused} in {checkpoint}"));
    let mut world = World::again(compiled, script, order, rerun);
    world.run_to_end();
    world
}

fn begun(events: &[RunEvent]) -> Vec<String> {
    let own = events.iter().filter(|event| matches!(event.body, EventBody::StepStart(_)) && event.path.is_none());
    own.filter(|event| event.body.origin().is_none()).filter_map(|event| event.step_id.clone()).collect()
}

fn resumed_from(world: &World<'_>) -> Option<String> {
    let EventBody::WorkflowStart(start) = &world.events[0].body else { panic!("no start") };
    start.resumed_from.clone()
}

/// A run that was cut off after `cut` of its events, exported, and taken up elsewhere.
fn check(compiled: &Compiled, script: Script<'_>, order: u64) -> Result<(), TestCaseError> {
    let mut first = World::new(compiled, script, order);
    first.checked = false;
    first.start(json!({ "p": 1 }));
    first.run_to_end();
    let stride = first.events.len().div_ceil(4).max(1);
    let from = 1 + usize::try_from(order % 5).expect("small");
    let cuts: BTreeSet<usize> = (from..first.events.len()).step_by(stride).chain([first.events.len()]).collect();
    for cut in cuts {
        let Some((exported, checkpoint)) = written(compiled, &first.events[..cut]) else { continue };
        // A run with nothing left to do names the step that ended last.
        let left = |step: &String| !exported.completed.contains(step);
        let Some(current) = exported.current.clone().filter(left) else { continue };
        let again = resumed(compiled, &checkpoint, script, order ^ cut as u64);
        let saw =
            || format!("cut after {cut} of {:?}: {checkpoint}\nran {:?}", begun(&first.events), begun(&again.events));
        prop_assert_eq!(resumed_from(&again), Some(current.clone()), "{}", saw());
        prop_assert!(again.state.status().is_terminal(), "{}", saw());
        let ran = begun(&again.events);
        let stands = exported.completed.iter().find(|step| ran.contains(step));
        prop_assert_eq!(stands, None, "it had ended: {}", saw());
        // Its first step is the one that is named, unless it was skipped or all of its branches had ended.
        let skips = compiled.workflow.nodes[&current].condition.is_some();
        prop_assert!(skips || ran.is_empty() || ran.first() == Some(&current), "{}", saw());
        // A serial loop goes on with the first iteration that had not ended.
        if let Some(done) = exported.loops.get(&current) {
            let before = |event: &&RunEvent| {
                let path = event.path.as_deref().and_then(|path| path.strip_prefix(&format!("{current}[")));
                let index = path.and_then(|path| path.split(']').next()?.parse::<usize>().ok());
                index.is_some_and(|index| index < *done)
            };
            prop_assert!(again.events.iter().find(before).is_none(), "{}", saw());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(25), max_shrink_iters: 2_000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn c_12_an_exported_checkpoint_resumes_at_the_same_step(graph in properties::graphs()) {
        let compiled = compile(properties::file(&graph));
        check(&compiled, &properties::script(graph.failures), graph.order)?;
    }

    #[test]
    fn c_12_an_exported_checkpoint_of_containers_resumes_at_the_same_step(nested in properties_containers::nested()) {
        let compiled = properties_containers::build(&nested);
        check(&compiled, &properties_containers::script(nested.failures), nested.order)?;
    }
}

/// The events up to the first that a test is about.
fn until(events: &[RunEvent], wanted: impl Fn(&RunEvent) -> bool) -> &[RunEvent] {
    let found = events.iter().position(wanted).expect("it happens");
    &events[..=found]
}

fn ends(step: &'static str) -> impl Fn(&RunEvent) -> bool {
    move |event| matches!(event.body, EventBody::StepDone(_)) && event.step_id.as_deref() == Some(step)
}

fn whole<'a>(compiled: &'a Compiled, script: Script<'a>) -> World<'a> {
    let mut world = World::new(compiled, script, 1);
    world.in_order = true;
    world.start(json!({ "who": "Ada" }));
    world.run_to_end();
    world
}

#[test]
fn c_02_a_checkpoint_has_the_fields_of_the_source() {
    let compiled = compile(json!({
        "signalbox": 1, "id": "w", "name": "w", "settings": {},
        "params": { "type": "object", "properties": { "who": { "type": "string" } } },
        "context": { "schema": { "type": "object", "properties": { "plan": { "type": "integer" }, "_tmp": {} } },
                     "initial": { "plan": 7, "_tmp": true, "list": ["a"], "deep": { "x": 1.5 }, "half": 0.5 } },
        "nodes": { "one": { "type": "t.read" }, "two": { "type": "t.read" }, "three": { "type": "t.read" } },
        "edges": [{ "from": "one.success", "to": "two" }, { "from": "two.success", "to": "three" }],
    }));
    let world = whole(&compiled, &never);
    let (exported, checkpoint) = written(&compiled, until(&world.events, ends("two"))).expect("one step is next");
    assert_eq!(exported.current.as_deref(), Some("three"));
    let fixed = |name: &str| checkpoint[name].clone();
    assert_eq!((fixed("_type"), fixed("_version")), (json!("vl_workflow_checkpoint"), json!(2)));
    assert_eq!(
        (fixed("workflowID"), fixed("status"), fixed("version")),
        (json!("run"), json!("running"), json!("3.16"))
    );
    assert_eq!((fixed("params"), fixed("paramTypes")), (json!({ "who": "Ada" }), json!({ "who": "STRING" })));
    assert_eq!(
        fixed("variables"),
        json!({ "$plan": 7, "$list": ["a"], "$deep": { "x": 1.5 }, "$half": 0.5 }),
        "names that begin with _ are local"
    );
    assert_eq!(fixed("varTypes"), json!({ "$plan": "INT", "$list": "[STRING]", "$deep": "OBJECT", "$half": "FLOAT" }));
    assert_eq!(fixed("localVars"), json!({ "_tmp": true, "_result": { "from": "two", "item": 0 } }));
    assert_eq!(fixed("completedSteps"), json!(["one", "two"]), "in the order in which they ended");
    for (name, wanted) in [("completedBranches", json!({})), ("loopProgress", json!({})), ("artifacts", json!({}))] {
        assert_eq!(fixed(name), wanted, "{name}");
    }
    let names: BTreeSet<&str> = checkpoint.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(names.len(), 17, "{names:?}");
}

#[test]
fn c_03_ts_081_branches_that_have_ended_are_named_and_do_not_run_again() {
    let nodes = json!({ "fork": { "type": "t.pass" }, "A": { "type": "t.read" }, "B1": { "type": "t.read" },
        "B2": { "type": "t.read" }, "C": { "type": "t.read" }, "next": { "type": "t.all" } });
    let wires = [
        ("fork.success", "A"),
        ("fork.success", "B1"),
        ("fork.success", "C"),
        ("B1.success", "B2"),
        ("A.success", "next"),
        ("B2.success", "next"),
        ("C.success", "next"),
    ];
    let compiled = flow(&nodes, &wires);
    let world = whole(&compiled, &never);
    let events = until(&world.events, ends("A"));
    let (exported, checkpoint) = written(&compiled, events).expect("the fork leads to all");
    assert_eq!(exported.current.as_deref(), Some("fork"));
    assert_eq!(checkpoint["completedBranches"], json!({ "fork": ["A"] }));
    assert_eq!(checkpoint["completedSteps"], json!(["A"]), "the fork begins its other branches again");
    let again = resumed(&compiled, &checkpoint, &never, 3);
    assert_eq!(again.state.status(), RunStatus::Completed);
    assert!(!begun(&again.events).contains(&"A".to_owned()), "{:?}", begun(&again.events));

    // Two ways in, and both are under way: no step leads to both.
    let compiled = flow(&json!({ "a": { "type": "t.read" }, "b": { "type": "t.read" } }), &[]);
    let world = whole(&compiled, &never);
    let begun = until(&world.events, |event| event.step_id.is_some() && matches!(event.body, EventBody::StepStart(_)));
    let (state, trail) = at(&compiled, begun);
    let refused = exported_checkpoint::of(&compiled, &state, &trail).expect_err("two steps");
    assert_eq!(refused.steps, ["a", "b"]);
}

#[test]
fn c_04_c_09_c_10_loops_are_counted() {
    let of = |mode: &str| {
        flow(
            &json!({ "l": { "type": "t.loop", "config": { "source": [1, 2, 3, 4], "mode": mode } },
                     "body": { "type": "t.read", "parent": "l" }, "next": { "type": "t.read" } }),
            &[("l.success", "next")],
        )
    };
    let compiled = of("serial");
    let world = whole(&compiled, &never);
    let third = |event: &RunEvent| ends("body")(event) && event.path.as_deref() == Some("l[2]");
    let (_, checkpoint) = written(&compiled, until(&world.events, third)).expect("the loop");
    assert_eq!(checkpoint["loopProgress"], json!({ "l": 3 }));
    let (exported, checkpoint) = written(&compiled, until(&world.events, ends("l"))).expect("the step after it");
    assert_eq!((exported.current.as_deref(), &checkpoint["loopProgress"]), (Some("next"), &json!({ "l": 4 })));
    // Of a parallel loop only the whole counts.
    let compiled = of("parallel");
    let world = whole(&compiled, &never);
    let (_, checkpoint) = written(&compiled, until(&world.events, third)).expect("the loop");
    assert_eq!(checkpoint["loopProgress"], json!({ "l": 0 }));
}

#[test]
fn c_11_ts_093_a_run_that_failed_is_exported_at_the_step_that_failed() {
    let nodes = json!({ "one": { "type": "t.read" }, "two": { "type": "t.read" }, "three": { "type": "t.read" } });
    let compiled = flow(&nodes, &[("one.success", "two"), ("two.success", "three")]);
    let fails = |node: &str, _: usize, _: u32| (node == "two").then(|| NodeFailure::tool("X", "no"));
    let world = whole(&compiled, &fails);
    assert_eq!(world.state.status(), RunStatus::Failed);
    let (exported, checkpoint) = written(&compiled, &world.events).expect("one step failed");
    assert_eq!((exported.current.as_deref(), &checkpoint["status"]), (Some("two"), &json!("failed")));
    assert_eq!(checkpoint["completedSteps"], json!(["one"]));
    assert_eq!(checkpoint["localVars"]["_result"], json!({ "from": "one", "item": 0 }));
    let again = resumed(&compiled, &checkpoint, &never, 1);
    assert_eq!(begun(&again.events), ["two", "three"]);
    assert_eq!(again.state.status(), RunStatus::Completed);
    // The run that was taken up is a run like others: its own checkpoint says what the first one did.
    let (_, second) = written(&compiled, &again.events).expect("it has ended");
    assert_eq!(second["completedSteps"], json!(["one", "two", "three"]));
    let states = signalbox_engine::summary::of(&compiled, &again.state).steps;
    assert!(states.values().all(|step| step.state == NodeState::Succeeded), "{states:?}");
}

#[test]
fn d_07_a_run_knows_the_step_that_executed_last() {
    let compiled =
        flow(&json!({ "one": { "type": "t.read" }, "two": { "type": "t.read" } }), &[("one.success", "two")]);
    let world = whole(&compiled, &never);
    let last = |events| at(&compiled, events).0.last_node().map(str::to_owned);
    assert_eq!(last(&world.events[..1]), None);
    assert_eq!(last(until(&world.events, ends("one"))).as_deref(), Some("one"));
    assert_eq!(last(&world.events).as_deref(), Some("two"));
}
