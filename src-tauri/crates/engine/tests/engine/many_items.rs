//! Many items (ADR 62): they begin in parts, what has ended is not kept, and what has no room is told. Counted, not timed.

use crate::driver::{Script, World, check, compile, told};
use serde_json::{Value, json};
use signalbox_engine::{Compiled, RunState, snapshot, summary};
use signalbox_model::{EventBody, NodeFailure, NodeState, RunEvent, RunStatus};
use std::cell::Cell;
use std::sync::Arc;

fn flow(policy: &str, nodes: Value, edges: &[(&str, &str)]) -> Value {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    json!({ "signalbox": 1, "id": "w", "name": "w", "settings": { "errorPolicy": policy }, "nodes": nodes,
            "edges": edges })
}

/// 150 items, taken one by one, and together again.
fn hundreds() -> Value {
    flow(
        "fail",
        json!({ "l": { "type": "t.hundreds" }, "b": { "type": "t.pass", "out": { "$sum": "=context.sum + 1" } },
                "all": { "type": "t.all" } }),
        &[("l.success", "b"), ("b.success", "all")],
    )
}

fn counting(mut file: Value) -> Value {
    file["context"] = json!({ "initial": { "sum": 0 } });
    file
}

fn ran<'a>(compiled: &'a Compiled, script: Script<'a>) -> World<'a> {
    World::ran(compiled, script, 1, json!({}))
}

/// The items that each call of a step began with.
fn parts(events: &[RunEvent], step: &str) -> Vec<Vec<usize>> {
    let begins = events.iter().filter(|event| event.step_id.as_deref() == Some(step));
    let of = |event: &RunEvent| match &event.body {
        EventBody::StepStart(start) => Some(start.input.iter().map(|input| input.item).collect()),
        _ => None,
    };
    begins.filter_map(of).collect()
}

#[test]
fn many_items_begin_in_parts_and_leave_together_in_their_order() {
    let whole = compile(counting(hundreds()));
    let (compiled, at_once) = (compile(counting(hundreds())).in_parts_of(40), ran(&whole, &|_, _, _| None));
    let world = ran(&compiled, &|_, _, _| None);
    let sizes: Vec<usize> = parts(&world.events, "b").iter().map(Vec::len).collect();
    assert_eq!(sizes, [40, 40, 40, 30]);
    let order: Vec<usize> = parts(&world.events, "b").concat();
    assert_eq!(order, (0..150).collect::<Vec<_>>());
    assert_eq!(world.state.context()["sum"], Arc::new(json!(150)), "each item sees the writes before it");
    let came_to = |compiled: &Compiled, state: &RunState| {
        let sum = summary::of(compiled, state);
        (sum.status, sum.context, sum.output, sum.steps)
    };
    let (parted, one) = (came_to(&compiled, &world.state), came_to(&whole, &at_once.state));
    assert_eq!(parted, one, "what a run comes to does not depend on its parts");
    // The end of one part and the beginning of the next are decided together, so that they are one commit.
    let lines = told(&world.events);
    let end = lines.iter().position(|line| line.starts_with("step_done b")).expect("an end");
    assert!(lines[end + 1].starts_with("step_start b"), "{lines:#?}");
}

/// An item that is left over is not a call of its own: it would be told as that of one item.
#[test]
fn no_part_is_one_item() {
    let compiled = compile(counting(hundreds())).in_parts_of(149);
    let world = ran(&compiled, &|_, _, _| None);
    assert_eq!(parts(&world.events, "b").iter().map(Vec::len).collect::<Vec<_>>(), [150]);
}

#[test]
fn what_fails_in_a_part_is_tried_again_before_the_next_and_a_cut_goes_on() {
    let mut file = hundreds();
    file["nodes"]["b"] = json!({ "type": "t.pass", "errorHandling": { "retryPolicy": {
        "maxAttempts": 2, "backoff": "fixed", "initialDelayMs": 0, "jitter": false } } });
    file["nodes"]["bad"] = json!({ "type": "t.all" });
    file["edges"].as_array_mut().expect("a list").push(json!({ "from": "b.error", "to": "bad" }));
    let compiled = compile(file).in_parts_of(50);
    let script: Script<'_> = &|node, item, attempt| {
        (node == "b" && (item == 3 && attempt == 0 || item == 70)).then(|| NodeFailure::tool("X", "no").retryable())
    };
    let mut world = World::new(&compiled, script, 1);
    world.keep_states = true;
    world.start(json!({}));
    world.run_to_end();
    check(&compiled, &world.events, &world.states);
    let whole = summary::of(&compiled, &world.state);
    assert_eq!(whole.status, RunStatus::Completed);
    assert_eq!(whole.steps["b"].state, NodeState::ErrorHandled);
    let count = |step: &str| {
        let node = world.events.iter().find_map(|event| match &event.body {
            EventBody::StepStart(start) if event.step_id.as_deref() == Some(step) => Some(start.input.len()),
            _ => None,
        });
        node.unwrap_or_default()
    };
    assert_eq!((count("all"), count("bad")), (149, 1));
    for cut in (1..world.events.len()).step_by(3) {
        let mut again = World::resume(&compiled, &world.events[..cut], script, 3);
        again.run_to_end();
        let resumed = summary::of(&compiled, &again.state);
        assert_eq!(resumed.status, whole.status, "cut after {cut}");
        // Behind them is what failed, with the time when it did.
        assert_eq!(resumed.output.len(), 150);
        assert_eq!(resumed.output[..149], whole.output[..149], "cut after {cut}");
    }
}

/// What a snapshot tells of a step in its middle.
fn slots(compiled: &Compiled, state: &RunState) -> Value {
    let body: Value = serde_json::from_str(&snapshot::encode(compiled, state)).expect("JSON");
    let nodes = body["state"]["nodes"]["top"].as_array().cloned().unwrap_or_default();
    nodes
        .into_iter()
        .map(|node| node["activation"]["slots"].clone())
        .find(|slots| slots["count"] == 150)
        .unwrap_or_default()
}

/// A list that is kept as text (ADR 72) is the same list, whoever looks at it and whenever: what failed in it, what was tried
/// again, what comes from two wires, cut anywhere.
#[test]
fn a_list_that_is_kept_as_text_is_the_same_list() {
    let file = flow(
        "fail",
        json!({
            "l": { "type": "t.thousands" },
            "b": { "type": "t.pass", "errorHandling": { "retryPolicy": {
                "maxAttempts": 2, "backoff": "fixed", "initialDelayMs": 0, "jitter": false } } },
            "s": { "type": "t.split" }, "even": { "type": "t.pass" }, "bad": { "type": "t.all" }, "all": { "type": "t.all" },
        }),
        &[
            ("l.success", "b"),
            ("b.success", "s"),
            ("b.error", "bad"),
            ("s.true", "even"),
            ("even.success", "all"),
            ("s.false", "all"),
        ],
    );
    let compiled = compile(file);
    let script: Script<'_> = &|node, item, attempt| {
        (node == "b" && (item == 3 && attempt == 0 || item == 700)).then(|| NodeFailure::tool("X", "no").retryable())
    };
    let mut world = World::new(&compiled, script, 1);
    world.keep_states = true;
    world.start(json!({}));
    world.run_to_end();
    check(&compiled, &world.events, &world.states);
    let input = |step: &str| {
        let of = |event: &RunEvent| match &event.body {
            EventBody::StepStart(start) if event.step_id.as_deref() == Some(step) => Some(start.input.clone()),
            _ => None,
        };
        world
            .events
            .iter()
            .filter_map(of)
            .flat_map(|input| input.to_vec())
            .map(|input| input.data.value()["n"].clone())
            .collect::<Vec<_>>()
    };
    // Even places of what is left first, as the wires stand in the file; 700 is gone, so behind it places move by one.
    let left: Vec<usize> = (0..1_200).filter(|n| *n != 700).collect();
    let way = |rest: usize| left.iter().skip(rest).step_by(2).copied();
    assert_eq!(input("all"), way(0).chain(way(1)).map(|n| json!(n)).collect::<Vec<_>>());
    assert_eq!(input("bad").len(), 1);
    for cut in (1..world.events.len()).step_by(6) {
        let mut again = World::resume(&compiled, &world.events[..cut], script, 3);
        again.run_to_end();
        let (resumed, whole) = (summary::of(&compiled, &again.state), summary::of(&compiled, &world.state));
        // The first is what failed, with the time when it did.
        let same = resumed.output[1..] == whole.output[1..] && resumed.status == whole.status;
        assert!(same, "cut after {cut}");
    }
}

/// Bounded memory, by counting: the slots that are there are those of one part.
#[test]
fn slots_are_there_while_their_part_is_under_way() {
    let compiled = compile(counting(hundreds())).in_parts_of(10);
    let world = ran(&compiled, &|_, _, _| None);
    let mut most = 0;
    for (_, state) in &world.states {
        let open = slots(&compiled, state)["open"].as_array().map_or(0, Vec::len);
        most = most.max(open);
    }
    assert_eq!(most, 10);
}

/// What an iteration came to is put aside as its text, beside a number, until the loop ends.
#[test]
fn a_loop_keeps_of_an_iteration_its_result_only() {
    let file = flow(
        "fail",
        json!({ "l": { "type": "t.loop", "config": { "source": "=params.list" } }, "b": { "type": "t.pass", "parent": "l",
                "in": { "v": "=_item * 2" } } }),
        &[],
    );
    let compiled = compile(file);
    let mut world = World::new(&compiled, &|_, _, _| None, 1);
    world.keep_states = true;
    world.start(json!({ "list": (0..400).collect::<Vec<_>>() }));
    world.run_to_end();
    assert_eq!(summary::of(&compiled, &world.state).output[399], json!({ "v": 798 }));
    let mut sizes = Vec::new();
    for (_, state) in &world.states {
        let body: Value = serde_json::from_str(&snapshot::encode(&compiled, state)).expect("JSON");
        let slot = &body["state"]["nodes"]["top"][0]["activation"]["slots"]["open"][0][1];
        let done = slot["body"]["done"].as_array().cloned().unwrap_or_default();
        let frames = body["state"]["frames"]["open"].as_object().map_or(0, serde_json::Map::len);
        assert!(frames <= 1, "one iteration is open at a time");
        if let Some(last) = done.last() {
            sizes.push((done.len(), last.to_string().len()));
        }
    }
    assert!(sizes.iter().any(|(count, _)| *count > 390), "{sizes:?}");
    assert!(sizes.iter().all(|(_, length)| *length < 60), "each is as small as its result: {sizes:?}");
}

#[test]
fn items_for_which_there_is_no_room_end_the_run_and_say_so() {
    for policy in ["fail", "safe"] {
        let mut file = hundreds();
        file["settings"]["errorPolicy"] = policy.into();
        file["nodes"]["b"] = json!({ "type": "t.pass", "in": { "n": "=item.n", "text": "long ".repeat(400) } });
        // A red wire does not carry them: the error of each would take more than the item.
        file["nodes"]["bad"] = json!({ "type": "t.all" });
        file["edges"].as_array_mut().expect("a list").push(json!({ "from": "b.error", "to": "bad" }));
        let compiled = compile(file.clone()).in_parts_of(50).with_room_for(room_of_the_list(&file));
        let world = ran(&compiled, &|_, _, _| None);
        let sum = summary::of(&compiled, &world.state);
        assert_eq!(sum.status, RunStatus::Failed, "{:#?}", told(&world.events));
        let error = sum.error.expect("an error");
        assert_eq!(error.code(), "STEP_TOO_LARGE");
        assert!(error.message.contains("What this step makes of its items would take about"), "{}", error.message);
        assert!(error.message.contains("filter earlier"), "{}", error.message);
        assert_eq!(sum.failed_step_id.as_deref(), Some("b"));
        assert!(told(&world.events).iter().any(|line| line.starts_with("error_handled b")), "it is told who decided");
    }
}

/// So many bytes that the list itself has room, and at most twice that: what is made of its items takes more.
fn room_of_the_list(file: &Value) -> usize {
    let mut room = 1 << 20;
    while room > 1 {
        let compiled = compile(file.clone()).with_room_for(room / 2);
        let world = World::ran(&compiled, &|_, _, _| None, 1, json!({}));
        let first = world
            .events
            .iter()
            .any(|event| matches!(&event.body, EventBody::StepError(_)) && event.step_id.as_deref() == Some("l"));
        if first {
            break;
        }
        room /= 2;
    }
    room
}

/// One call that would hand on too much is an error like others: it leaves through its red port.
#[test]
fn a_list_for_which_there_is_no_room_is_an_error_of_the_step_that_makes_it() {
    let file = flow(
        "fail",
        json!({ "l": { "type": "t.hundreds" }, "bad": { "type": "t.all" }, "b": { "type": "t.pass" } }),
        &[("l.success", "b"), ("l.error", "bad")],
    );
    let compiled = compile(file).with_room_for(20_000);
    let world = ran(&compiled, &|_, _, _| None);
    let sum = summary::of(&compiled, &world.state);
    assert_eq!((sum.status, sum.steps["bad"].state), (RunStatus::Completed, NodeState::Succeeded));
    let told = world.events.iter().find_map(|event| match &event.body {
        EventBody::StepError(failed) => Some(failed.error.message.clone()),
        _ => None,
    });
    assert!(told.is_some_and(|message| message.starts_with("The 150 items that this step makes would take about")));
}

/// A loop does not begin what it could not hand on, and waits for what is under way.
#[test]
fn a_loop_whose_results_have_no_room_is_an_error_of_the_loop() {
    for mode in ["serial", "parallel"] {
        let file = flow(
            "fail",
            json!({ "l": { "type": "t.loop", "config": { "source": "=params.list", "mode": mode, "maxConcurrency": 3 } },
                    "b": { "type": "t.read", "parent": "l", "in": { "text": "a result of some length, again and again" } },
                    "bad": { "type": "t.all" } }),
            &[("l.error", "bad")],
        );
        let compiled = compile(file).with_room_for(15_000);
        let world = World::ran(&compiled, &|_, _, _| None, 1, json!({ "list": (0..100).collect::<Vec<_>>() }));
        let sum = summary::of(&compiled, &world.state);
        assert_eq!((sum.status, sum.steps["bad"].state), (RunStatus::Completed, NodeState::Succeeded), "{mode}");
        let lines = told(&world.events);
        let count = |what: &str| lines.iter().filter(|line| line.starts_with(what) && line.ends_with("/b")).count();
        assert!(count("step_start") < 60, "{lines:#?}");
        assert_eq!(count("step_start"), count("step_done"), "what had begun has ended: {lines:#?}");
        let error = world.events.iter().find_map(|event| match &event.body {
            EventBody::StepError(failed) => Some(failed.error.clone()),
            _ => None,
        });
        let error = error.expect("an error");
        assert!(error.message.starts_with("The results of "), "{}", error.message);
    }
}

/// What failed and runs again weighs nothing any more: a loop that is tried again has the room it began with.
#[test]
fn iterations_that_failed_and_run_again_take_no_room() {
    for mode in ["serial", "parallel"] {
        let mut file = flow(
            "fail",
            json!({ "l": { "type": "t.loop", "config": { "source": [1, 2, 3], "mode": mode } },
                    "b": { "type": "t.read", "parent": "l" } }),
            &[],
        );
        file["settings"]["errorPolicy"] = json!({ "rules": [
            { "name": "again", "when": "error.originNode == 'l' && error.attempt < 4", "action": "retry" },
            { "name": "enough", "when": "true", "action": "abort" } ] });
        // Room for the error of one iteration, and for less than two.
        let compiled = compile(file).with_room_for(7_000);
        let tries = Cell::new(0);
        let failing = |node: &str, _: usize, _: u32| {
            let fails = node == "l[1]/b" && tries.replace(tries.get() + 1) < 3;
            fails.then(|| NodeFailure::tool("X", "no"))
        };
        let world = World::ran(&compiled, &failing, 1, json!({}));
        let sum = summary::of(&compiled, &world.state);
        assert_eq!(sum.status, RunStatus::Completed, "{mode}: {:#?}", told(&world.events));
        assert_eq!((tries.get(), sum.output.len()), (4, 3), "{mode}");
    }
}

/// A long list is text, and takes ten times as much as values: who needs all of them at once is refused before they are made (ADR 95).
#[test]
fn a_list_that_fits_as_text_and_not_as_values_is_refused_where_values_are_made() {
    let file =
        flow("fail", json!({ "l": { "type": "t.thousands" }, "all": { "type": "t.all" } }), &[("l.success", "all")]);
    let compiled = compile(file).with_room_for(200_000);
    let world = ran(&compiled, &|_, _, _| None);
    let sum = summary::of(&compiled, &world.state);
    assert_eq!(sum.failed_step_id.as_deref(), Some("all"), "{:#?}", told(&world.events));
    let error = sum.error.expect("an error");
    assert_eq!(error.code(), "STEP_TOO_LARGE");
    assert!(error.message.starts_with("Values of all 1200 items, which this step needs at once,"), "{}", error.message);
    assert_eq!(error.details.expect("details")["input"], Value::Null, "they are not made for the error either");
}
