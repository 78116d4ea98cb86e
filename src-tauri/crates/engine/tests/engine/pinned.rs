//! A step with pinned output is recorded and not called (UX C15, ADR 102).

use crate::driver::{World, compile, told};
use serde_json::{Value, json};
use signalbox_engine::{Compiled, summary};
use signalbox_model::{ErrorType, EventBody, NodeFailure, RunStatus};

fn flow(nodes: Value, edges: &[(&str, &str)]) -> Compiled {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    compile(json!({ "signalbox": 1, "id": "w", "name": "w", "settings": {}, "nodes": nodes, "edges": edges }))
}

/// Every call fails: only what is pinned can succeed.
fn broken(_: &str, _: usize, _: u32) -> Option<NodeFailure> {
    Some(NodeFailure::new(ErrorType::ToolError, "DOWN", "it is down"))
}

fn ran<'a>(compiled: &'a Compiled, params: Value) -> World<'a> {
    let mut world = World::new(compiled, &broken, 1);
    world.start(params);
    world.run_to_end();
    world
}

fn items(world: &World<'_>, step: &str) -> Vec<(Option<usize>, Value)> {
    let mut found = Vec::new();
    for event in world.events.iter().filter(|event| event.step_id.as_deref() == Some(step)) {
        if let EventBody::StepDone(done) = &event.body {
            assert!(done.pinned, "the event says it");
            found.extend(done.items.values().flatten().map(|item| (item.paired_item, (*item.data).clone())));
        }
    }
    found
}

#[test]
fn a_pinned_write_puts_its_items_out_without_a_call() {
    let compiled = flow(
        json!({ "one": { "type": "t.write", "pinned": { "success": [{ "n": 1 }, { "n": 2 }] } },
                "two": { "type": "t.write", "out": { "$last": "=_result.n" }, "pinned": { "success": [{ "n": 5 }, { "n": 6 }] } } }),
        &[("one.success", "two")],
    );
    let world = ran(&compiled, json!({}));
    assert_eq!(world.state.status(), RunStatus::Completed, "{:#?}", told(&world.events));
    // As many as came: one for one. They are put into variables like any output.
    assert_eq!(items(&world, "two"), [(Some(0), json!({ "n": 5 })), (Some(1), json!({ "n": 6 }))]);
    let told = summary::of(&compiled, &world.state);
    assert_eq!(told.context["last"], 6);
    assert!(told.steps.values().all(|step| step.pinned));
}

#[test]
fn another_number_of_items_than_came_is_put_out_whole() {
    let compiled = flow(
        json!({ "one": { "type": "t.pass", "pinned": { "success": [1, 2, 3] } },
                "two": { "type": "t.read", "pinned": { "success": [{ "n": 9 }] } } }),
        &[("one.success", "two")],
    );
    let world = ran(&compiled, json!({}));
    assert_eq!(items(&world, "two"), [(Some(0), json!({ "n": 9 }))]);
    assert_eq!(summary::of(&compiled, &world.state).output, [json!({ "n": 9 })]);
}

#[test]
fn a_pinned_loop_does_not_enter_its_body_and_a_pinned_approval_asks_nobody() {
    let compiled = flow(
        json!({ "each": { "type": "t.loop", "config": { "source": "=[1, 2]" }, "pinned": { "success": [{ "sum": 3 }] } },
                "in": { "type": "t.write", "parent": "each" },
                "ask": { "type": "t.approval", "pinned": { "success": [{ "yes": true }] } } }),
        &[("each.success", "ask")],
    );
    let world = ran(&compiled, json!({}));
    assert_eq!(world.state.status(), RunStatus::Completed, "{:#?}", told(&world.events));
    assert_eq!(summary::of(&compiled, &world.state).output, [json!({ "yes": true })]);
    assert_eq!(items(&world, "in"), []);
}

#[test]
fn a_disabled_step_stays_disabled() {
    let compiled =
        flow(json!({ "one": { "type": "t.pass", "disabled": true, "pinned": { "success": [{ "n": 9 }] } } }), &[]);
    let world = ran(&compiled, json!({ "x": 1 }));
    assert_eq!(summary::of(&compiled, &world.state).output, [json!({ "x": 1 })]);
}
