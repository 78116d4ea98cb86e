use super::print;
use serde_json::{Value, json};

#[test]
fn printing_is_stable_and_keeps_what_it_does_not_know() {
    let document = json!({
        "layout": {"b": [248, 0], "a": [0, 0]}, "zeta": {"odd": [1, 2.0, -0.5, 1e30]}, "name": "Name", "edges":
        [{"to": "b", "note": "kept", "from": "a.success"}], "nodes": {"b": {"config": {"text": "x".repeat(200)},
        "type": "data.set", "later": null}, "a": {"type": "flow.noop", "config": {}}}, "id": "i", "signalbox": 1,
    });
    let once = print(&document);
    let again: Value = serde_json::from_str(&once).expect("json");
    assert_eq!(print(&again), once);
    assert_eq!(again, document);
    let keys: Vec<_> = again.as_object().expect("object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["signalbox", "id", "name", "nodes", "edges", "zeta", "layout"]);
    assert!(once.contains("    \"a\": { \"type\": \"flow.noop\", \"config\": {} }\n"), "{once}");
    assert!(once.contains("{ \"from\": \"a.success\", \"to\": \"b\", \"note\": \"kept\" }"), "{once}");
    assert!(once.contains("    \"b\": [248, 0],\n    \"a\": [0, 0]\n"), "{once}");
}

#[test]
fn an_empty_workflow_is_short() {
    let text = print(&json!({"signalbox": 1, "id": "i", "name": "n", "nodes": {}, "edges": []}));
    let want = "{\n  \"signalbox\": 1,\n  \"id\": \"i\",\n  \"name\": \"n\",\n  \"nodes\": {},\n  \"edges\": []\n}\n";
    assert_eq!(text, want);
}
