//! A run that ends after a step, and one that runs a step alone (UX C16, ADR 75).

use crate::driver::{Script, World, compile, told};
use serde_json::{Value, json};
use signalbox_engine::rerun::{Fate, Original, Overrides, RerunError, plan};
use signalbox_engine::until::{UntilError, check};
use signalbox_engine::{Compiled, snapshot, summary};
use signalbox_model::{ErrorType, EventBody, NodeFailure, NodeState, RunStatus};

fn flow(nodes: Value, edges: &[(&str, &str)]) -> Compiled {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    compile(json!({ "signalbox": 1, "id": "w", "name": "w", "settings": {}, "nodes": nodes, "edges": edges }))
}

fn never(_: &str, _: usize, _: u32) -> Option<NodeFailure> {
    None
}

/// Two ways from the first step, one of them with a step beside it that writes; they meet in the last.
fn forked() -> Compiled {
    flow(
        json!({ "one": { "type": "t.read", "out": { "$n": 1 } },
                "two": { "type": "t.read", "in": { "n": "=context.n" } },
                "side": { "type": "t.write" }, "three": { "type": "t.read" }, "last": { "type": "t.all" } }),
        &[
            ("one.success", "two"),
            ("one.success", "side"),
            ("two.success", "three"),
            ("three.success", "last"),
            ("side.success", "last"),
        ],
    )
}

fn to<'a>(compiled: &'a Compiled, step: &str, script: Script<'a>) -> World<'a> {
    let mut world = World::new(compiled, script, 1);
    world.start_until(json!({ "x": 1 }), step);
    world.run_to_end();
    world
}

fn ran<'a>(compiled: &'a Compiled, script: Script<'a>) -> World<'a> {
    let mut world = World::new(compiled, script, 1);
    world.start(json!({ "x": 1 }));
    world.run_to_end();
    world
}

/// Runs a step of another run alone.
fn alone<'a>(world: &World<'_>, target: &'a Compiled, step: &str, overrides: Overrides) -> World<'a> {
    let looked = plan(Original { compiled: world.compiled, events: &world.events }, target, step).expect("a plan");
    let made = looked.ending(target, step).expect("ends").with(target, overrides).expect("fits");
    let mut second = World::again(target, &never, 2, made);
    second.run_to_end();
    second
}

fn started(world: &World<'_>) -> Vec<String> {
    told(&world.events).into_iter().filter_map(|line| line.strip_prefix("step_start ").map(str::to_owned)).collect()
}

#[test]
fn c16_run_to_here_runs_only_what_leads_there() {
    let compiled = forked();
    let world = to(&compiled, "two", &never);
    assert_eq!(started(&world), ["one", "two"]);
    let EventBody::WorkflowStart(start) = &world.events[0].body else { panic!("no start") };
    assert_eq!(start.until.as_deref(), Some("two"));
    let sum = summary::of(&compiled, &world.state);
    assert_eq!(sum.status, RunStatus::Completed);
    assert_eq!(sum.steps["two"].state, NodeState::Succeeded);
    for left in ["side", "three", "last"] {
        assert_eq!(sum.steps[left].state, NodeState::Skipped, "{left}");
    }
    assert_eq!(sum.output.len(), 1, "what the step puts out is what the run puts out");
    assert_eq!(ran(&compiled, &never).calls[&("side".to_owned(), 0)], 1, "a whole run writes");
}

#[test]
fn c16_run_to_here_goes_on_after_a_crash_at_every_event() {
    let compiled = forked();
    let whole = to(&compiled, "three", &never);
    for keep in 1..whole.events.len() {
        let mut again = World::resume(&compiled, &whole.events[..keep], &never, 3);
        let kept = snapshot::decode(&compiled, &snapshot::encode(&compiled, &again.state)).expect("reads");
        assert_eq!(kept, again.state, "a snapshot knows where it ends");
        again.run_to_end();
        assert_eq!(again.state.status(), RunStatus::Completed);
        assert!(
            !started(&again).contains(&"side".to_owned()) && !started(&again).contains(&"last".to_owned()),
            "{keep}"
        );
        let outputs = |world: &World<'_>| summary::of(&compiled, &world.state).output;
        assert_eq!(outputs(&again), outputs(&whole));
    }
}

#[test]
fn c16_what_works_on_failures_of_what_runs_runs_and_nothing_else() {
    let compiled = flow(
        json!({ "a": { "type": "t.read" }, "b": { "type": "t.read" }, "c": { "type": "t.read" }, "d": { "type": "t.read" },
                "ask": { "type": "builtin.human_decision" } }),
        &[("a.success", "b"), ("b.success", "c"), ("b.error", "ask"), ("c.error", "ask"), ("ask.skip", "d")],
    );
    let fails = |step: &str, _: usize, _: u32| {
        (step == "b").then(|| NodeFailure::new(ErrorType::ValidationError, "BAD", "no good"))
    };
    let mut world = World::new(&compiled, &fails, 1);
    world.start_until(json!({}), "b");
    while world.state.open_tasks().next().is_none() {
        assert!(world.turn(), "it asks");
    }
    world.run_to_end();
    assert!(world.state.status().is_terminal());
    let steps = started(&world);
    assert!(!steps.contains(&"c".to_owned()) && !steps.contains(&"d".to_owned()), "{:?}", told(&world.events));
}

#[test]
fn c16_a_step_alone_gets_its_last_input_with_the_definition_of_now() {
    let compiled = forked();
    let first = ran(&compiled, &never);
    let mut file = serde_json::to_value(&*compiled.workflow).expect("a file");
    file["nodes"]["two"]["out"] = json!({ "$now": "=item.n" });
    let edited = compile(file);
    let looked = plan(Original { compiled: &compiled, events: &first.events }, &edited, "two").expect("a plan");
    let fates = |plan: &signalbox_engine::rerun::Plan| -> Vec<(String, Fate)> {
        plan.steps.iter().map(|step| (step.step.clone(), step.fate)).collect()
    };
    let of = |list: [(&str, Fate); 5]| list.map(|(step, fate)| (step.to_owned(), fate)).to_vec();
    let ending = looked.ending(&edited, "two").expect("ends");
    assert_eq!(
        fates(&ending),
        of([
            ("one", Fate::Kept),
            ("two", Fate::Again),
            ("side", Fate::Kept),
            ("three", Fate::Left),
            ("last", Fate::Left)
        ])
    );
    let second = alone(&first, &edited, "two", Overrides::default());
    assert_eq!(started(&second), ["two"]);
    assert_eq!(json!(summary::of(&edited, &second.state).context["now"]), json!(1));
    assert_eq!(second.calls.get(&("side".to_owned(), 0)), None, "nothing is written");
    let input = Some(vec![json!({ "typed": true })]);
    let third = alone(&first, &edited, "two", Overrides { input, ..Overrides::default() });
    let EventBody::WorkflowStart(start) = &third.events[0].body else { panic!("no start") };
    assert_eq!(start.until.as_deref(), Some("two"));
    assert_eq!(started(&third), ["two"]);
}

#[test]
fn c16_what_the_original_left_open_beside_the_step_stays_there() {
    let compiled = flow(
        json!({ "a": { "type": "t.read" }, "b": { "type": "t.read" }, "x": { "type": "t.read" }, "y": { "type": "t.read" },
                "ask": { "type": "builtin.human_decision" } }),
        &[("a.success", "b"), ("a.success", "x"), ("x.error", "ask"), ("ask.skip", "y")],
    );
    let fails = |step: &str, _: usize, _: u32| {
        (step == "x").then(|| NodeFailure::new(ErrorType::ValidationError, "BAD", "no good"))
    };
    let mut first = World::new(&compiled, &fails, 1);
    first.in_order = true;
    first.start(json!({}));
    while first.state.open_tasks().next().is_none() || !told(&first.events).contains(&"step_done b".to_owned()) {
        assert!(first.turn(), "it asks");
    }
    let second = alone(&first, &compiled, "b", Overrides::default());
    assert_eq!(told(&second.events), ["workflow_start", "step_start b", "step_done b", "workflow_done"]);
}

#[test]
fn c16_a_re_run_of_one_that_ended_early_goes_to_the_end() {
    let compiled = forked();
    let first = to(&compiled, "two", &never);
    let looked = plan(Original { compiled: &compiled, events: &first.events }, &compiled, "two").expect("a plan");
    let mut second = World::again(&compiled, &never, 2, looked.with(&compiled, Overrides::default()).expect("fits"));
    second.run_to_end();
    let EventBody::WorkflowStart(start) = &second.events[0].body else { panic!("no start") };
    assert_eq!(start.until, None);
    let mut steps = started(&second);
    steps.sort();
    assert_eq!(steps, ["last", "side", "three", "two"], "what was left out runs now, too");
}

#[test]
fn c16_a_run_ends_only_after_a_step_of_the_top_that_comes_by_itself() {
    let compiled = flow(
        json!({ "a": { "type": "t.read" }, "b": { "type": "t.read" }, "ask": { "type": "builtin.human_decision" },
                "each": { "type": "t.loop", "config": { "source": "=[1, 2]" } }, "in": { "type": "t.read", "parent": "each" } }),
        &[("a.success", "b"), ("b.error", "ask"), ("ask.skip", "each"), ("b.success", "each")],
    );
    assert_eq!(check(&compiled, "each", None), Ok(()));
    let inside = UntilError::Inside { step: "in".into(), container: "each".into() };
    assert_eq!(inside.to_string(), "The step 'in' stands inside 'each': a run ends after the whole of it");
    assert_eq!(check(&compiled, "in", None), Err(inside));
    assert_eq!(check(&compiled, "ask", None), Err(UntilError::Aside { step: "ask".into() }));
    assert_eq!(check(&compiled, "zzz", None), Err(UntilError::Unknown { step: "zzz".into() }));
    assert_eq!(check(&compiled, "each", Some("each[1]/in")), Ok(()));
    let before = UntilError::Before { step: "a".into(), from: "b".into() };
    assert_eq!((check(&compiled, "a", Some("b")), before.code()), (Err(before.clone()), "STEP_NOT_AN_END"));
    let first = ran(&compiled, &never);
    let looked = plan(Original { compiled: &compiled, events: &first.events }, &compiled, "b").expect("a plan");
    assert_eq!(looked.ending(&compiled, "a").map(|_| ()), Err(RerunError::Until(before)));
}

/// ARCHITECTURE: no error is lost. What a red wire would lead to is left out: the policy decides, as where nothing is wired.
#[test]
fn c16_a_failure_whose_red_wire_leads_out_of_the_run_is_no_success() {
    let compiled = flow(
        json!({ "a": { "type": "t.read" }, "b": { "type": "t.read" }, "c": { "type": "t.read" } }),
        &[("a.success", "b"), ("b.error", "c")],
    );
    let fails = |step: &str, _: usize, _: u32| {
        (step == "b").then(|| NodeFailure::new(ErrorType::ValidationError, "BAD", "no good"))
    };
    let mut world = World::new(&compiled, &fails, 1);
    world.start_until(json!({}), "b");
    world.run_to_end();
    let sum = summary::of(&compiled, &world.state);
    assert_eq!(sum.status, RunStatus::Failed, "{:?}", told(&world.events));
    assert!(!started(&world).contains(&"c".to_owned()));
}
