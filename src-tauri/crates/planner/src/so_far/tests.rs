use super::{draft_so_far, patch_so_far};
use crate::Draft;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn only_whole_steps_are_there() {
    let text =
        r#"{"nodes":[{"id":"a","kind":"data.set","config":{"t":"}]{\\\""}},{"id":"b","kind":"flow.if"},{"id":"c","ki"#;
    let ids: Vec<String> = draft_so_far(text).expect("two steps").nodes.into_keys().collect();
    assert_eq!(ids, ["a", "b"]);
    assert!(draft_so_far("Sure! Here is what I think about your nodes").is_none());
}

fn base() -> Draft {
    let nodes = json!({ "a": { "type": "data.set" }, "b": { "type": "data.set" } });
    Draft::of_document(&json!({ "nodes": nodes, "edges": [{ "from": "a.success", "to": "b" }] }))
}

#[test]
fn whole_changes_are_made_and_wrong_ones_left_out() {
    let text = r#"{"patch":[{"op":"set","node":"a","path":"/config/x","value":[{"y":1}]},{"op":"remove","node":"no"},
        {"op":"remove","node":"b"},{"op":"add","node":{"id":"c","kind":"flow.if"}},{"op":"add","node":{"id":"d","#;
    let changed = patch_so_far(&base(), text).expect("changes");
    assert_eq!(changed.nodes.keys().collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(changed.nodes["a"].fields["config"], json!({ "x": [{ "y": 1 }] }));
    assert_eq!(changed.edges, []);
    assert_eq!(patch_so_far(&base(), r#"{"patch":[{"op":"set","node":"a","path":"/config/x","va"#), None);
    assert_eq!(patch_so_far(&base(), "I would change the patch"), None);
}

proptest! {
    #[test]
    fn any_patch_is_read_without_a_fault(text in "\\PC{0,80}") {
        patch_so_far(&base(), &format!("{{\"patch\":[{{\"op\":\"remove\",\"node\":\"b\"}},{text}"));
    }

    #[test]
    fn any_text_is_read_without_a_fault(text in "\\PC{0,80}") {
        draft_so_far(&format!("{{\"nodes\":[{text}"));
    }
}
