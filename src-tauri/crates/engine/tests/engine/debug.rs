//! Looking into a run (UX C27, ADR 33): breakpoints, steps, a pause while calls are under way, an edited input.

use crate::driver::{World, check, compile, told};
use serde_json::{Value, json};
use signalbox_engine::{
    Compiled, Input,
    debug::{self, EditRefused, Place},
    effect::Timer,
    summary,
};
use signalbox_model::{
    ErrorType, EventBody, NodeFailure, RunStatus,
    debug::{Breakpoint, DebugRequest, DebugStart, PauseReason},
};

fn flow(nodes: Value, edges: &[(&str, &str)]) -> Compiled {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    compile(json!({ "signalbox": 1, "id": "w", "name": "w", "settings": { "errorPolicy": "fail" }, "nodes": nodes,
                    "edges": edges }))
}

fn at(node: &str, when: Option<&str>) -> Breakpoint {
    Breakpoint { node: node.into(), from: None, when: when.map(str::to_owned) }
}

fn watched(breakpoints: Vec<Breakpoint>) -> Option<DebugStart> {
    Some(DebugStart { breakpoints, paused: false, operator_id: Some("user:eve".into()) })
}

fn calm(_: &str, _: usize, _: u32) -> Option<NodeFailure> {
    None
}

fn begin<'a>(
    compiled: &'a Compiled,
    script: crate::driver::Script<'a>,
    params: Value,
    start: Option<DebugStart>,
) -> World<'a> {
    let mut world = World::new(compiled, script, 1);
    world.keep_states = true;
    world.start_watched(params, start);
    world.run_to_end();
    world
}

fn here(world: &World) -> Option<String> {
    let stopped = world.state.stopped()?;
    let path = stopped.path.as_ref().map_or_else(String::new, |path| format!("{path}/"));
    let item = stopped.item.map_or_else(String::new, |item| format!("[{item}]"));
    Some(format!("{} {path}{}{item}", stopped.reason.as_str(), stopped.step_id.as_deref().unwrap_or("-")))
}

/// Goes on until the end; where it stopped.
fn stops(world: &mut World, request: &DebugRequest) -> Vec<String> {
    let mut found = Vec::new();
    while let Some(place) = here(world) {
        assert_eq!(world.state.status(), RunStatus::Paused, "{place}");
        found.push(place);
        assert!(found.len() < 200, "{found:?}");
        world.ask(request.clone());
        world.run_to_end();
    }
    check(world.compiled, &world.events, &world.states);
    found
}

fn chain() -> Compiled {
    flow(
        json!({ "a": { "type": "t.pass" }, "b": { "type": "t.read", "out": { "$got": "=item" } }, "c": { "type": "t.pass" } }),
        &[("a.success", "b"), ("b.success", "c")],
    )
}

#[test]
fn a_breakpoint_stops_before_the_call_and_the_run_goes_on_from_there() {
    let compiled = chain();
    let mut world = begin(&compiled, &calm, json!({ "n": 1 }), watched(vec![at("b", None)]));
    assert_eq!(
        told(&world.events),
        ["workflow_start", "breakpoints_set", "step_start a", "step_done a", "workflow_paused b"]
    );
    let whole = summary::of(&compiled, &world.state);
    assert_eq!(whole.status, RunStatus::Paused);
    let stopped = whole.stopped.expect("says where it stands");
    assert_eq!((stopped.step_id.as_deref(), stopped.reason), (Some("b"), PauseReason::Breakpoint));
    assert_eq!(whole.steps["b"].attempts, 0, "nothing of the step has begun");
    assert_eq!(stops(&mut world, &DebugRequest::Continue), ["breakpoint b"]);
    assert_eq!(
        told(&world.events)[5..],
        [
            "workflow_continued",
            "step_start b",
            "var_changed b",
            "step_done b",
            "step_start c",
            "step_done c",
            "workflow_done"
        ]
    );
    assert!(summary::of(&compiled, &world.state).stopped.is_none());
}

#[test]
fn a_step_is_one_call() {
    let compiled = chain();
    let start = DebugStart { paused: true, operator_id: Some("user:eve".into()), ..DebugStart::default() };
    let mut world = begin(&compiled, &calm, json!({}), Some(start));
    assert_eq!(told(&world.events), ["workflow_start", "workflow_paused"]);
    assert_eq!(stops(&mut world, &DebugRequest::Step), ["request -", "step b", "step c"]);
    assert_eq!(world.state.status(), RunStatus::Completed);
}

#[test]
fn a_condition_decides_per_item_and_one_that_breaks_stops_and_says_why() {
    let nodes = json!({ "m": { "type": "t.many" }, "r": { "type": "t.read" } });
    let compiled = flow(nodes, &[("m.success", "r")]);
    let mut world = begin(&compiled, &calm, json!({}), watched(vec![at("r", Some("item.n == 1"))]));
    assert_eq!(stops(&mut world, &DebugRequest::Continue), ["breakpoint r[1]"]);

    let mut world = begin(&compiled, &calm, json!({}), watched(vec![at("r", Some("item.missing > 1"))]));
    let stopped = world.state.stopped().expect("stopped").clone();
    assert_eq!(stopped.condition.as_deref(), Some("item.missing > 1"));
    assert!(stopped.condition_error.is_some_and(|why| why.contains("missing")));
    assert_eq!(stops(&mut world, &DebugRequest::Continue).len(), 3);

    // A batch of pure calls stops once, when one of its items is meant.
    let nodes = json!({ "m": { "type": "t.many" }, "p": { "type": "t.pass" } });
    let compiled = flow(nodes, &[("m.success", "p")]);
    let mut world = begin(&compiled, &calm, json!({}), watched(vec![at("p", Some("item.n == 2 && size(items) == 3"))]));
    assert_eq!(stops(&mut world, &DebugRequest::Continue), ["breakpoint p"]);
}

#[test]
fn a_pause_cuts_nothing_off_and_begins_nothing() {
    let nodes = json!({ "a": { "type": "t.read" }, "b": { "type": "t.read" }, "a2": { "type": "t.pass" },
                        "b2": { "type": "t.pass" } });
    let compiled = flow(nodes, &[("a.success", "a2"), ("b.success", "b2")]);
    let mut world = World::new(&compiled, &calm, 1);
    world.keep_states = true;
    world.start(json!({}));
    world.ask(DebugRequest::Pause);
    assert_eq!(world.state.status(), RunStatus::Running, "calls are under way");
    world.ask(DebugRequest::Pause);
    world.run_to_end();
    assert_eq!(world.state.status(), RunStatus::Paused);
    let told = told(&world.events);
    assert_eq!(told.iter().filter(|event| event.starts_with("step_done")).count(), 2, "{told:?}");
    assert_eq!(told.iter().filter(|event| *event == "workflow_paused").count(), 1);
    assert!(!told.iter().any(|event| event.contains("a2") || event.contains("b2")));
    let waits: Vec<String> = debug::waiting(&compiled, &world.state).into_iter().map(|one| one.step_id).collect();
    assert_eq!(waits, ["a2", "b2"]);
    assert_eq!(stops(&mut world, &DebugRequest::Continue), ["request -"]);
    assert_eq!(world.state.status(), RunStatus::Completed);
}

#[test]
fn breakpoints_meet_every_iteration_or_the_one_that_a_path_names() {
    let nodes = json!({ "l": { "type": "t.loop", "config": { "source": "=params.list" } },
                        "b": { "type": "t.read", "parent": "l" }, "end": { "type": "t.all" } });
    let compiled = flow(nodes, &[("l.success", "end")]);
    let run = |breakpoints: Vec<Breakpoint>| {
        let mut world = begin(&compiled, &calm, json!({ "list": [5, 6, 7] }), watched(breakpoints));
        stops(&mut world, &DebugRequest::Continue)
    };
    assert_eq!(run(vec![at("b", None)]), ["breakpoint l[0]/b", "breakpoint l[1]/b", "breakpoint l[2]/b"]);
    assert_eq!(run(vec![at("l[1]/b", None)]), ["breakpoint l[1]/b"]);
    assert_eq!(run(vec![at("b", Some("_item == 7"))]), ["breakpoint l[2]/b"]);
    assert_eq!(run(vec![at("l", None)]), ["breakpoint l"]);
}

/// Whether the calls of a file are numbered is known when the step is entered: a place means what the log names.
#[test]
fn a_place_in_another_file_is_each_of_its_calls_or_the_one_that_is_named() {
    let read = |file: Value| std::sync::Arc::new(serde_json::from_value(file).expect("a workflow"));
    let file = |id: &str, nodes: Value, edges: Value| {
        read(json!({ "signalbox": 1, "id": id, "name": id, "settings": { "errorPolicy": "fail" }, "nodes": nodes,
                     "edges": edges }))
    };
    let charge = |of: &str| json!({ "type": "t.sub", "config": { "workflow": of } });
    let inner = file(
        "inner",
        json!({ "post": { "type": "t.read" }, "l": { "type": "t.loop", "config": { "source": [1] } },
                "x": { "type": "t.read", "parent": "l" } }),
        json!([{ "from": "post.success", "to": "l" }]),
    );
    let main = file(
        "w",
        json!({ "one": charge("inner"), "m": { "type": "t.many" }, "charge": charge("inner"),
                "far": { "type": "t.loop", "config": { "source": [1] } },
                "inside": { "type": "t.sub", "parent": "far", "config": { "workflow": "inner" } },
                "p": { "type": "t.par" }, "b1": { "type": "t.all", "parent": "p" } }),
        json!([{ "from": "one.success", "to": "far" }, { "from": "far.success", "to": "m" }, { "from": "m.success", "to": "charge" }, { "from": "charge.success", "to": "p" }]),
    );
    let others = std::iter::once(("inner".to_owned(), inner)).collect();
    let compiled = Compiled::with_files(main, "hash", &crate::driver::catalog(), &others).expect("valid");
    let run = |node: &str| {
        assert_eq!(debug::check(&compiled, &[at(node, None)]), Ok(()), "{node}");
        let mut world = begin(&compiled, &calm, json!({}), watched(vec![at(node, None)]));
        stops(&mut world, &DebugRequest::Continue)
    };
    let each = |step: &str| (0..3).map(|n| format!("breakpoint charge[{n}]/{step}")).collect::<Vec<_>>();
    assert_eq!(run("charge/post"), each("post"));
    assert_eq!(run("charge/l[0]/x"), each("l[0]/x"));
    assert_eq!(run("charge[1]/post"), ["breakpoint charge[1]/post"]);
    assert_eq!(run("one/post"), ["breakpoint one/post"]);
    assert_eq!(run("one[0]/post"), ["breakpoint one/post"], "the first of one is the only one");
    assert_eq!(run("far[0]/inside/post"), ["breakpoint far[0]/inside/post"]);
    assert_eq!(run("p/b1/b1"), ["breakpoint p/b1/b1"]);
    // What nothing stands at is told, not waited for.
    for node in [
        "charge/x",
        "charge[x]/post",
        "m/post",
        "p/b1",
        "p/x/b1",
        "p[1]/b1/b1",
        "charge/post/x",
        "charge[01]/post",
        "charge[+1]/post",
        "/charge/post",
        "charge//post",
        "inside/post",
        "one/l[0]/post",
    ] {
        let why = debug::check(&compiled, &[at(node, None)]).expect_err(node).reason;
        assert!(why.contains("no step of the workflow stands there"), "{node}: {why}");
    }
    let why = debug::check(&compiled, &[at("charge/l/x", None)]).expect_err("a loop").reason;
    assert!(why.contains("'l[0]' is its first"), "{why}");
}

#[test]
fn a_retry_and_a_recovery_are_calls_too() {
    let nodes = json!({ "c": { "type": "t.read", "errorHandling": { "retryPolicy": { "maxAttempts": 1 } } },
                        "ask": { "type": "builtin.human_decision" } });
    let compiled = flow(nodes, &[("c.error", "ask")]);
    let fails = |node: &str, _: usize, _: u32| {
        (node == "c").then(|| NodeFailure::new(ErrorType::NetworkError, "CONNECTION", "scripted").retryable())
    };
    let mut world =
        begin(&compiled, &fails, json!({}), watched(vec![at("c", None), at("ask", Some("error.attempt == 1"))]));
    let found = stops(&mut world, &DebugRequest::Continue);
    assert_eq!(found[..3], ["breakpoint c", "breakpoint c", "breakpoint ask"]);
    assert!(told(&world.events).contains(&"workflow_paused c a1".to_owned()), "before the second attempt");
}

#[test]
fn what_comes_due_while_the_run_is_stopped_begins_when_it_goes_on() {
    let nodes = json!({ "w": { "type": "t.wait", "config": { "ms": 1000 } }, "next": { "type": "t.pass" } });
    let compiled = flow(nodes, &[("w.success", "next")]);
    let mut world = World::new(&compiled, &calm, 1);
    world.keep_states = true;
    world.start(json!({}));
    world.ask(DebugRequest::Pause);
    assert_eq!(world.state.status(), RunStatus::Paused, "a timer is nothing that is under way");
    world.run_to_end();
    assert_eq!(told(&world.events), ["workflow_start", "step_start w", "workflow_paused"]);
    assert_eq!(stops(&mut world, &DebugRequest::Continue), ["request -"]);
    assert_eq!(world.state.status(), RunStatus::Completed);
}

#[test]
fn a_person_may_answer_while_the_run_is_stopped_and_what_follows_waits() {
    let nodes =
        json!({ "c": { "type": "t.read" }, "ask": { "type": "builtin.human_decision" }, "s": { "type": "t.pass" } });
    let compiled = flow(nodes, &[("c.error", "ask"), ("ask.skip", "s")]);
    let fails = |node: &str, _: usize, _: u32| (node == "c").then(|| NodeFailure::tool("X", "no"));
    let mut world = World::new(&compiled, &fails, 1);
    world.keep_states = true;
    world.start(json!({}));
    while world.state.open_tasks().next().is_none() {
        assert!(world.turn());
    }
    world.ask(DebugRequest::Pause);
    let task = world.state.open_tasks().next().expect("asked").to_owned();
    let answer = signalbox_model::task::Answer {
        action: signalbox_model::TaskAction::Skip,
        corrected_input: None,
        target_node_id: None,
        budget_micros: None,
        tool_grant: None,
        notes: None,
        operator_id: Some("user:ann".into()),
    };
    world.give(Input::Decision { task_id: task.clone(), answer, request_id: None, now: 1_000_009 });
    world.give(Input::TimerFired { timer: Timer::Task(task), now: 9_000_000 });
    let last = told(&world.events).pop();
    assert_eq!(last.as_deref(), Some("human_task_completed ask"), "the answer is kept, nothing follows yet");
    assert_eq!(stops(&mut world, &DebugRequest::Continue), ["request -"]);
    assert_eq!(world.state.status(), RunStatus::Completed);
    assert!(told(&world.events).contains(&"step_done s".to_owned()));
}

#[test]
fn an_edited_input_is_checked_recorded_with_its_diff_and_sent_under_a_new_key() {
    let compiled = chain();
    let mut world =
        begin(&compiled, &calm, json!({ "n": 1, "keep": true }), watched(vec![at("c", None), at("b", None)]));
    let place = Place { step: "b", path: None, item: None };
    let waits = debug::waiting(&compiled, &world.state);
    assert_eq!((waits[0].step_id.as_str(), &waits[0].input), ("b", &json!({ "n": 1, "keep": true })));
    assert_eq!(
        debug::edit(&compiled, &world.state, place, &json!(3)),
        Err(EditRefused::Shape("an object, as the input is now"))
    );
    let elsewhere = Place { step: "c", ..place };
    assert_eq!(debug::edit(&compiled, &world.state, elsewhere, &json!({})), Err(EditRefused::NotWaiting));
    let edit = |input: Value| DebugRequest::Edit { step: "b".into(), path: None, item: None, input };
    // What does not fit the state changes nothing.
    let before = world.state.last_seq();
    world.ask(edit(json!([])));
    assert_eq!(world.state.last_seq(), before);
    world.ask(edit(json!({ "n": 2, "keep": true })));
    let Some(EventBody::InputEdited(edited)) = world.events.last().map(|event| &event.body) else { panic!("edited") };
    assert_eq!(json!(edited.patch), json!([{ "op": "replace", "path": "/n", "value": 2 }]));
    assert_eq!(edited.operator_id.as_deref(), Some("user:eve"));
    world.ask(DebugRequest::Continue);
    world.run_to_end();
    let started = world.events.iter().find_map(|event| match &event.body {
        EventBody::StepStart(start) if event.step_id.as_deref() == Some("b") => Some(start.input[0].data.value()),
        _ => None,
    });
    assert_eq!(started.as_deref(), Some(&json!({ "n": 2, "keep": true })));
    stops(&mut world, &DebugRequest::Continue);
    let moved = debug::edit(&compiled, &world.state, place, &json!({}));
    assert_eq!(moved, Err(EditRefused::NotStopped), "the run has ended");
    assert_eq!(summary::of(&compiled, &world.state).context["got"], json!({ "n": 2, "keep": true }));
}

#[test]
fn a_list_is_edited_as_a_list_and_one_item_of_a_batch_alone() {
    let nodes = json!({ "m": { "type": "t.many" }, "p": { "type": "t.pass" }, "all": { "type": "t.all" } });
    let compiled = flow(nodes, &[("m.success", "p"), ("p.success", "all")]);
    let mut world = begin(&compiled, &calm, json!({}), watched(vec![at("p", None), at("all", None)]));
    assert_eq!(debug::waiting(&compiled, &world.state).len(), 3, "each item of the batch");
    world.ask(DebugRequest::Edit { step: "p".into(), path: None, item: Some(1), input: json!({ "n": 10 }) });
    world.ask(DebugRequest::Continue);
    world.run_to_end();
    let waits = debug::waiting(&compiled, &world.state);
    assert_eq!(waits[0].input, json!([{ "n": 0 }, { "n": 10 }, { "n": 2 }]));
    world.ask(DebugRequest::Edit { step: "all".into(), path: None, item: None, input: json!([{ "n": 7 }]) });
    assert_eq!(stops(&mut world, &DebugRequest::Continue), ["breakpoint all"]);
    assert_eq!(summary::of(&compiled, &world.state).output, [json!({ "n": 7 })]);
}

/// `in` made one item of three; who corrected it made two of that one: both are shown, and both may be edited.
#[test]
fn a_corrected_list_is_edited_as_a_list_also_behind_in() {
    let nodes = json!({ "m": { "type": "t.many" }, "all": { "type": "t.all", "in": { "n": "=size(items)" } },
                        "ask": { "type": "builtin.human_decision" } });
    let compiled = flow(nodes, &[("m.success", "all"), ("all.error", "ask"), ("ask.corrected", "all")]);
    let calls = std::cell::Cell::new(0);
    let fails_once = |node: &str, _: usize, _: u32| {
        (node == "all" && calls.replace(calls.get() + 1) == 0).then(|| NodeFailure::tool("X", "no"))
    };
    let mut world = World::new(&compiled, &fails_once, 1);
    world.keep_states = true;
    world.start_watched(json!({}), watched(vec![at("all", None)]));
    while world.state.open_tasks().next().is_none() {
        if world.state.stopped().is_some() {
            world.ask(DebugRequest::Continue);
        } else {
            assert!(world.turn(), "it asks");
        }
    }
    let task_id = world.state.open_tasks().next().expect("a task").to_owned();
    let answer = signalbox_model::task::Answer {
        action: signalbox_model::TaskAction::Correct,
        corrected_input: Some(std::sync::Arc::new(json!([{ "n": 1 }, { "n": 2 }]))),
        target_node_id: None,
        budget_micros: None,
        tool_grant: None,
        notes: None,
        operator_id: Some("user:ann".into()),
    };
    world.give(Input::Decision { task_id, answer, request_id: None, now: 1_000_009 });
    assert_eq!(debug::waiting(&compiled, &world.state)[0].input, json!([{ "n": 1 }, { "n": 2 }]));
    let input = json!([{ "n": 5 }, { "n": 6 }]);
    world.ask(DebugRequest::Edit { step: "all".into(), path: None, item: None, input });
    assert_eq!(stops(&mut world, &DebugRequest::Continue), ["breakpoint all"]);
    let started = world.events.iter().rev().find_map(|event| match &event.body {
        EventBody::StepStart(start) if event.step_id.as_deref() == Some("all") => Some(start.input.len()),
        _ => None,
    });
    assert_eq!((started, world.state.status()), (Some(2), RunStatus::Completed));
}

#[test]
fn of_many_items_the_first_are_listed_and_each_can_be_edited() {
    let nodes = json!({ "m": { "type": "t.hundreds" }, "p": { "type": "t.pass", "in": { "n": "=item.n" } } });
    let compiled = flow(nodes, &[("m.success", "p")]);
    let mut world =
        begin(&compiled, &calm, json!({}), watched(vec![at("p", Some("size(items) == 150 && item.n == 149"))]));
    assert_eq!(debug::waiting(&compiled, &world.state).len(), 100);
    world.ask(DebugRequest::Edit { step: "p".into(), path: None, item: Some(149), input: json!({ "n": -1 }) });
    assert_eq!(stops(&mut world, &DebugRequest::Continue), ["breakpoint p"]);
    assert_eq!(summary::of(&compiled, &world.state).output.last(), Some(&json!({ "n": -1 })));
}

#[test]
fn a_stopped_run_is_cancelled_and_taken_up_again_like_any_other() {
    let compiled = chain();
    let stopped = begin(&compiled, &calm, json!({}), watched(vec![at("b", None)]));
    let events = stopped.events.clone();
    let mut world = begin(&compiled, &calm, json!({}), watched(vec![at("b", None)]));
    world.give(Input::Cancel { superseded_by: None, now: 1_000_010 });
    assert_eq!(world.state.status(), RunStatus::Cancelled);
    // Another process takes it up: it stays where it is until somebody lets it go on.
    let mut world = World::resume(&compiled, &events, &calm, 1);
    world.run_to_end();
    assert_eq!((here(&world).as_deref(), world.events.len()), (Some("breakpoint b"), events.len()));
    world.ask(DebugRequest::Step);
    world.run_to_end();
    assert_eq!(here(&world).as_deref(), Some("step c"));
    world.ask(DebugRequest::Continue);
    world.run_to_end();
    assert_eq!(world.state.status(), RunStatus::Completed);
}

#[test]
fn breakpoints_are_refused_that_name_nothing_or_cannot_be_read() {
    let compiled = chain();
    let why = |node: &str, when: Option<&str>| debug::check(&compiled, &[at(node, when)]).err().map(|no| no.reason);
    assert_eq!(why("b", Some("item.n > 1")), None);
    assert!(why("x", None).is_some_and(|why| why.contains("no such step")));
    assert!(why("x[1]/b", None).is_some_and(|why| why.contains("no step of the workflow stands there")));
    assert!(why("b", Some("item.n >")).is_some());
    assert!(why("b", Some("nodes.a.output.n > 1")).is_some_and(|why| why.contains("`nodes`")));
    // What could never be met is no breakpoint: the run would go past it.
    let body = flow(
        json!({ "l": { "type": "t.loop", "config": { "source": [1, 2] } }, "x": { "type": "t.read", "parent": "l" } }),
        &[],
    );
    let why = |node: &str| debug::check(&body, &[at(node, None)]).err().map(|no| no.reason);
    assert_eq!((why("x"), why("l[1]/x")), (None, None));
    assert!(why("l/x").is_some_and(|why| why.contains("l[0]")));
    assert!(why("l[a]/x").is_some_and(|why| why.contains("l[0]")));
}
