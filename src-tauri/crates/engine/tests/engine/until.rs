//! A run that ends after a step, and one that runs a step alone (UX C16, ADR 75).

use crate::driver::{Script, World, catalog, compile, told};
use serde_json::{Value, json};
use signalbox_engine::rerun::{Original, Overrides, RerunError, StepDisposition, plan};
use signalbox_engine::until::{UntilError, check};
use signalbox_engine::{Compiled, snapshot, summary};
use signalbox_model::{ErrorType, EventBody, NodeFailure, NodeState, RunStatus};
use std::{collections::BTreeMap, sync::Arc};

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
    let fates = |plan: &signalbox_engine::rerun::Plan| -> Vec<(String, StepDisposition)> {
        plan.steps.iter().map(|step| (step.step.clone(), step.fate)).collect()
    };
    let of = |list: [(&str, StepDisposition); 5]| list.map(|(step, fate)| (step.to_owned(), fate)).to_vec();
    let ending = looked.ending(&edited, "two").expect("ends");
    assert_eq!(
        fates(&ending),
        of([
            ("one", StepDisposition::Kept),
            ("two", StepDisposition::Again),
            ("side", StepDisposition::Kept),
            ("three", StepDisposition::Left),
            ("last", StepDisposition::Left)
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
fn c16_a_run_ends_only_after_a_step_that_comes_by_itself() {
    let compiled = flow(
        json!({ "a": { "type": "t.read" }, "b": { "type": "t.read" }, "ask": { "type": "builtin.human_decision" },
                "each": { "type": "t.loop", "config": { "source": "=[1, 2]" } }, "in": { "type": "t.read", "parent": "each" } }),
        &[("a.success", "b"), ("b.error", "ask"), ("ask.skip", "each"), ("b.success", "each")],
    );
    assert_eq!(check(&compiled, "each", None), Ok(()));
    assert_eq!(check(&compiled, "in", None), Ok(()));
    assert_eq!(check(&compiled, "in", Some("each[1]/in")), Ok(()));
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

/// Two items, each through three steps; one beside them in the body.
fn looped(config: Value) -> Compiled {
    let mut each = json!({ "source": "=params.list" });
    each.as_object_mut().expect("an object").extend(config.as_object().expect("an object").clone());
    flow(
        json!({ "first": { "type": "t.read" },
                "each": { "type": "t.loop", "config": each },
                "x": { "type": "t.read", "parent": "each" }, "y": { "type": "t.read", "parent": "each" },
                "z": { "type": "t.write", "parent": "each" }, "beside": { "type": "t.write", "parent": "each" },
                "after": { "type": "t.write" } }),
        &[
            ("first.success", "each"),
            ("x.success", "y"),
            ("y.success", "z"),
            ("x.success", "beside"),
            ("each.success", "after"),
        ],
    )
}

fn at(world: &World<'_>) -> Vec<String> {
    let starts = world.events.iter().filter(|event| matches!(event.body, EventBody::StepStart(_)));
    starts
        .map(|event| {
            let path = event.path.as_deref().map_or_else(String::new, |path| format!("{path}/"));
            format!("{path}{}", event.step_id.as_deref().unwrap_or_default())
        })
        .collect()
}

fn until_in<'a>(compiled: &'a Compiled, step: &str, script: Script<'a>) -> World<'a> {
    let mut world = World::new(compiled, script, 1);
    world.start_until(json!({ "list": [10, 20, 30] }), step);
    world.run_to_end();
    world
}

fn whole_of<'a>(compiled: &'a Compiled, script: Script<'a>) -> World<'a> {
    let mut world = World::new(compiled, script, 1);
    world.start(json!({ "list": [10, 20, 30] }));
    world.run_to_end();
    world
}

fn from_to<'a>(world: &World<'_>, target: &'a Compiled, from: &str, until: &str, script: Script<'a>) -> World<'a> {
    let looked = plan(Original { compiled: world.compiled, events: &world.events }, target, from).expect("a plan");
    let made = looked.ending(target, until).expect("ends").with(target, Overrides::default()).expect("fits");
    let mut second = World::again(target, script, 2, made);
    second.run_to_end();
    second
}

/// Every event of a run is where a crash may have been: what is left to do follows from those before.
fn goes_on_from_everywhere(compiled: &Compiled, whole: &World<'_>, script: Script<'_>) {
    for keep in 1..whole.events.len() {
        let mut again = World::resume(compiled, &whole.events[..keep], script, 3);
        let kept = snapshot::decode(compiled, &snapshot::encode(compiled, &again.state)).expect("reads");
        assert_eq!(kept, again.state, "a snapshot knows where it ends");
        again.run_to_end();
        let sums = |world: &World<'_>| summary::of(compiled, &world.state);
        assert_eq!(sums(&again).status, sums(whole).status, "{keep}: {:?}", told(&again.events));
        assert_eq!(sums(&again).output, sums(whole).output, "{keep}");
    }
}

#[test]
fn c16_run_to_a_step_in_a_loop_ends_when_it_has_ended_once() {
    for config in
        [json!({}), json!({ "mode": "parallel", "maxConcurrency": 3 }), json!({ "onChildError": "collect_errors" })]
    {
        let compiled = looped(config);
        let world = until_in(&compiled, "y", &never);
        assert_eq!(at(&world), ["first", "each", "each[0]/x", "each[0]/y"]);
        let sum = summary::of(&compiled, &world.state);
        assert_eq!((sum.status, sum.output.len()), (RunStatus::Completed, 1));
        assert_eq!(sum.steps["y"].state, NodeState::Succeeded);
        for left in ["z", "beside", "after"] {
            assert_eq!(sum.steps[left].state, NodeState::Skipped, "{left}");
        }
        goes_on_from_everywhere(&compiled, &world, &never);
    }
}

#[test]
fn c16_a_step_in_a_loop_runs_alone_in_the_iteration_that_is_named() {
    for config in [json!({}), json!({ "mode": "parallel", "maxConcurrency": 3 })] {
        let compiled = looped(config);
        let first = whole_of(&compiled, &never);
        let second = from_to(&first, &compiled, "each[1]/y", "y", &never);
        assert_eq!(at(&second), ["each[1]/y"], "{:?}", told(&second.events));
        assert_eq!(summary::of(&compiled, &second.state).output.len(), 1);
        goes_on_from_everywhere(&compiled, &second, &never);
        let third = from_to(&first, &compiled, "each[2]/x", "z", &never);
        assert_eq!(at(&third), ["each[2]/x", "each[2]/y", "each[2]/z"]);
        let fourth = from_to(&first, &compiled, "each", "y", &never);
        assert_eq!(at(&fourth), ["each", "each[0]/x", "each[0]/y"]);
        let looked =
            plan(Original { compiled: &compiled, events: &first.events }, &compiled, "each[1]/y").expect("a plan");
        let looked = looked.ending(&compiled, "y").expect("ends");
        let fates: Vec<_> = looked.steps.iter().map(|step| (&*step.step, step.fate)).collect();
        assert_eq!(
            fates,
            [
                ("first", StepDisposition::Kept),
                ("each", StepDisposition::Again),
                ("x", StepDisposition::Kept),
                ("y", StepDisposition::Again),
                ("z", StepDisposition::Left),
                ("beside", StepDisposition::Kept),
                ("after", StepDisposition::Left)
            ]
        );
        let refused =
            plan(Original { compiled: &compiled, events: &first.events }, &compiled, "each[1]/z").expect("a plan");
        let before = UntilError::Before { step: "y".into(), from: "each[1]/z".into() };
        assert_eq!(refused.ending(&compiled, "y").map(|_| ()), Err(RerunError::Until(before)));
    }
}

/// The original was cut off while three iterations were under way: only the named one goes on.
#[test]
fn c16_iterations_that_the_original_left_open_stay_there() {
    let compiled = looped(json!({ "mode": "parallel", "maxConcurrency": 3 }));
    let mut first = World::new(&compiled, &never, 1);
    first.start(json!({ "list": [10, 20, 30] }));
    while at(&first).iter().filter(|step| step.ends_with("/y")).count() < 2 {
        assert!(first.turn(), "both are reached");
    }
    let began = at(&first).into_iter().find(|step| step.ends_with("/y")).expect("began");
    let second = from_to(&first, &compiled, &began, "y", &never);
    assert_eq!(at(&second), [began]);
    goes_on_from_everywhere(&compiled, &second, &never);
}

/// A failure of the last step is its end, also where a loop collects the failures of its iterations.
#[test]
fn c16_the_failure_of_a_step_that_runs_alone_is_not_collected() {
    let compiled = looped(json!({ "onChildError": "collect_errors" }));
    let first = whole_of(&compiled, &never);
    let fails = |step: &str, _: usize, _: u32| {
        step.ends_with("y").then(|| NodeFailure::new(ErrorType::ValidationError, "BAD", "no good"))
    };
    for world in [until_in(&compiled, "y", &fails), from_to(&first, &compiled, "each[1]/y", "y", &fails)] {
        assert_eq!(at(&world).iter().filter(|step| step.ends_with("/y")).count(), 1, "{:?}", told(&world.events));
        assert_eq!(summary::of(&compiled, &world.state).status, RunStatus::Failed, "{:?}", told(&world.events));
        goes_on_from_everywhere(&compiled, &world, &fails);
    }
    let fails = |step: &str, _: usize, _: u32| {
        step.ends_with("x").then(|| NodeFailure::new(ErrorType::ValidationError, "BAD", "no good"))
    };
    let world = from_to(&first, &compiled, "each[1]/x", "y", &fails);
    assert_eq!(at(&world), ["each[1]/x"], "no other iteration is tried");
    let world = until_in(&compiled, "y", &fails);
    assert_eq!(at(&world), ["first", "each", "each[0]/x", "each[1]/x", "each[2]/x"], "the step is looked for");
}

#[test]
fn c16_a_container_that_is_tried_again_goes_on_where_the_run_began() {
    let mut file = serde_json::to_value(&*looped(json!({})).workflow).expect("a file");
    file["nodes"]["each"]["retry"] = json!({ "maxAttempts": 1, "delayMs": 10 });
    let compiled = compile(file);
    let first = whole_of(&compiled, &never);
    let fails = |step: &str, _: usize, attempt: u32| {
        (step.ends_with("y") && attempt == 0)
            .then(|| NodeFailure::new(ErrorType::NetworkError, "GONE", "no answer").retryable())
    };
    let world = from_to(&first, &compiled, "each[1]/y", "y", &fails);
    assert!(at(&world).iter().all(|step| !step.contains("[0]") && !step.contains("[2]")), "{:?}", told(&world.events));
    goes_on_from_everywhere(&compiled, &world, &fails);
}

#[test]
fn c16_of_branches_only_the_one_with_the_step_runs() {
    let compiled = flow(
        json!({ "par": { "type": "t.par" },
                "a": { "type": "t.read", "parent": "par" }, "a2": { "type": "t.read", "parent": "par" },
                "b": { "type": "t.read", "parent": "par" }, "b2": { "type": "t.read", "parent": "par" },
                "c": { "type": "t.write", "parent": "par" } }),
        &[("a.success", "a2"), ("b.success", "b2")],
    );
    let world = until_in(&compiled, "a2", &never);
    assert_eq!(at(&world), ["par", "par/a/a", "par/a/a2"], "{:?}", told(&world.events));
    goes_on_from_everywhere(&compiled, &world, &never);
    let world = until_in(&compiled, "b", &never);
    assert_eq!(at(&world), ["par", "par/b/b"]);
    goes_on_from_everywhere(&compiled, &world, &never);
    let first = whole_of(&compiled, &never);
    let second = from_to(&first, &compiled, "par/b/b", "b2", &never);
    assert_eq!(at(&second), ["par/b/b", "par/b/b2"]);
    goes_on_from_everywhere(&compiled, &second, &never);
}

#[test]
fn c16_a_step_in_a_loop_in_a_loop() {
    let compiled = flow(
        json!({ "outer": { "type": "t.loop", "config": { "source": "=params.list" } },
                "a": { "type": "t.read", "parent": "outer" },
                "inner": { "type": "t.loop", "parent": "outer", "config": { "source": "=[1, 2]" } },
                "b": { "type": "t.read", "parent": "inner" }, "c": { "type": "t.read", "parent": "inner" },
                "end": { "type": "t.write", "parent": "outer" } }),
        &[("a.success", "inner"), ("b.success", "c"), ("inner.success", "end")],
    );
    let world = until_in(&compiled, "c", &never);
    assert_eq!(at(&world), ["outer", "outer[0]/a", "outer[0]/inner", "outer[0]/inner[0]/b", "outer[0]/inner[0]/c"]);
    goes_on_from_everywhere(&compiled, &world, &never);
    let first = whole_of(&compiled, &never);
    let deep = "outer[2]/inner[1]/c";
    let second = from_to(&first, &compiled, deep, "c", &never);
    assert_eq!(at(&second), [deep]);
    goes_on_from_everywhere(&compiled, &second, &never);
    let third = from_to(&first, &compiled, "outer[1]/a", "c", &never);
    assert_eq!(at(&third), ["outer[1]/a", "outer[1]/inner", "outer[1]/inner[0]/b", "outer[1]/inner[0]/c"]);
    let fourth = from_to(&first, &compiled, "outer[1]/a", "inner", &never);
    assert_eq!(at(&fourth).iter().filter(|step| step.ends_with("/c")).count(), 2, "a container runs whole");
    assert!(at(&fourth).iter().all(|step| step.starts_with("outer[1]/")));
    goes_on_from_everywhere(&compiled, &fourth, &never);
}

/// With several beginnings, those that do not lead to the step have ended in the original, and stay.
#[test]
fn c16_a_step_alone_beside_another_beginning() {
    let compiled = flow(json!({ "a": { "type": "t.read" }, "b": { "type": "t.read" } }), &[]);
    let first = ran(&compiled, &never);
    let second = alone(&first, &compiled, "a", Overrides::default());
    assert_eq!(started(&second), ["a"]);
    assert_eq!(summary::of(&compiled, &second.state).steps["b"].state, NodeState::Succeeded);
}

/// A branch has the name of its first step, also when that is a step with a file of its own.
#[test]
fn c16_a_step_behind_a_sub_workflow_in_a_branch_runs_alone() {
    let read = |file: Value| Arc::new(serde_json::from_value(file).expect("a workflow"));
    let sub = json!({ "signalbox": 1, "id": "g", "name": "g", "edges": [], "nodes": { "deep": { "type": "t.read" } } });
    let file = json!({ "signalbox": 1, "id": "w", "name": "w", "settings": {},
        "nodes": { "par": { "type": "t.par" }, "s": { "type": "t.sub", "parent": "par", "config": { "workflow": "g" } },
                   "x": { "type": "t.read", "parent": "par" }, "y": { "type": "t.write", "parent": "par" } },
        "edges": [{ "from": "s.success", "to": "x" }, { "from": "x.success", "to": "y" }] });
    let others = BTreeMap::from([("g".to_owned(), read(sub))]);
    let compiled = Compiled::with_files(read(file), "hash", &catalog(), &others).expect("compiles");
    let world = until_in(&compiled, "x", &never);
    assert_eq!(at(&world), ["par", "par/s/s", "par/s/s/deep", "par/s/x"]);
    goes_on_from_everywhere(&compiled, &world, &never);
    let first = whole_of(&compiled, &never);
    let second = from_to(&first, &compiled, "par/s/x", "x", &never);
    assert_eq!(at(&second), ["par/s/x"]);
    let third = from_to(&first, &compiled, "par/s/s/deep", "x", &never);
    assert_eq!(at(&third), ["par/s/s/deep", "par/s/x"]);
    goes_on_from_everywhere(&compiled, &third, &never);
}
