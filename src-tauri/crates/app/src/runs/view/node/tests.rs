use super::NodeData;
use serde_json::{Value, json};
use signalbox_model::RunEvent;

fn event(kind: &str, payload: &Value) -> RunEvent {
    let event =
        json!({ "runId": "r", "ts": "2026-01-01T00:00:00.000Z", "type": kind, "stepId": "a", "payload": payload });
    serde_json::from_value(event).expect("an event")
}

/// A step that works through its items in parts of 1,000, as the engine calls it.
fn in_parts(items: usize, mut node: NodeData) -> NodeData {
    for first in (0..items).step_by(1_000) {
        let input: Vec<_> = (first..first + 1_000).map(|n| json!({ "item": n, "data": { "n": n } })).collect();
        let output: Vec<_> =
            (first..first + 1_000).map(|n| json!({ "id": n.to_string(), "data": { "n": n } })).collect();
        let start = json!({ "type": "data.filter", "meta": {}, "resolvedInputs": null, "config": {}, "input": input });
        let done = json!({ "outputs": null, "ports": { "success": 1_000 }, "items": { "success": output } });
        node.take(&event("step_start", &start), 1, "");
        node.take(&event("step_done", &done), 2, "");
    }
    node
}

fn lengths(node: &NodeData) -> (Option<usize>, Option<usize>) {
    let (input, output) = (node.input("r"), node.output("r"));
    (input.as_array().map(Vec::len), output["success"].as_array().map(Vec::len))
}

/// ADR 62 and 206: the parts of a step count together, so that a panel gets the beginning of a long list, and how long it is.
#[test]
fn of_a_long_list_in_parts_people_see_the_beginning() {
    let long = in_parts(12_000, NodeData::shown());
    assert_eq!(lengths(&long), (Some(1_000), Some(1_000)));
    assert_eq!((long.counts().input, long.counts().output["success"]), (12_000, 12_000));
    assert_eq!(long.input("r")[999], json!({ "item": 999, "data": { "n": 999 } }));
    let all = in_parts(10_000, NodeData::shown());
    assert_eq!(lengths(&all), (Some(10_000), Some(10_000)));
    let expressions = in_parts(12_000, NodeData::default());
    assert_eq!(lengths(&expressions), (Some(12_000), Some(12_000)), "expressions see more");
}
