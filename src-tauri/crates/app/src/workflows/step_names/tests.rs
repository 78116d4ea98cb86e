use super::*;
use serde_json::json;

fn workflow(nodes: serde_json::Value) -> Workflow {
    serde_json::from_value(json!({ "signalbox": 1, "id": "w", "name": "W", "nodes": nodes, "edges": [] })).unwrap()
}

#[test]
fn a_step_has_the_name_of_the_file_that_it_stands_in() {
    let main = workflow(json!({
        "ask": { "type": "flow.noop", "title": "Ask the boss" },
        "each": { "type": "flow.loop", "config": {} },
        "both": { "type": "flow.parallel", "parent": "each" },
        "ask2": { "type": "flow.noop", "title": "In a branch", "parent": "both" },
        "check": { "type": "flow.subworkflow", "parent": "both", "config": { "workflow": "order" } },
        "bare": { "type": "flow.noop" }
    }));
    let order = workflow(json!({
        "ask": { "type": "builtin.human_approval", "title": "Approve order" },
        "deeper": { "type": "flow.subworkflow", "config": { "workflow": "tax" } }
    }));
    let tax = workflow(json!({ "ask": { "type": "flow.noop", "title": "Ask the office" } }));
    let called = [("order".to_owned(), Arc::new(order)), ("tax".to_owned(), Arc::new(tax))];
    let names = Names::of(&main, called.iter().map(|(id, file)| (id, file)));
    assert_eq!(names.get(None, "ask"), Some("Ask the boss"));
    assert_eq!(names.get(Some("each[2]/both/ask2"), "ask2"), Some("In a branch"));
    assert_eq!(names.get(Some("each[2]/both/check/check"), "ask"), Some("Approve order"));
    assert_eq!(names.get(Some("each[2]/both/check/check[0]/deeper"), "ask"), Some("Ask the office"));
    assert_eq!(names.get(None, "bare"), Some("Wait for branches"), "else that of its kind");
    assert_eq!(names.get(Some("gone[1]"), "ask"), None);
    assert_eq!(names.get(None, "gone"), None);
}
