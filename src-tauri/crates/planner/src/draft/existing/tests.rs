use crate::{Draft, apply};
use serde_json::json;
use signalbox_engine::Catalog;

fn document() -> serde_json::Value {
    json!({
        "signalbox": 1, "id": "w", "name": "W", "settings": { "errorPolicy": "fail" }, "notes": { "n": "kept" },
        "nodes": {
            "start": { "type": "trigger.manual" },
            "say": { "title": "Say", "type": "data.set", "config": { "assign": { "a": 1 } }, "errorHandling": { "mode": "fail" } },
        },
        "edges": [{ "from": "start.success", "to": "say", "label": "kept" }],
        "layout": { "start": [0, 0], "say": [280, 40] },
    })
}

#[test]
fn a_file_that_no_patch_changes_is_the_same_file() {
    let catalog = Catalog::new(Vec::new());
    let document = document();
    assert_eq!(Draft::of_document(&document).onto(&document, &catalog).to_string(), document.to_string());
}

#[test]
fn a_patch_changes_what_it_names_and_keeps_the_rest_of_the_file() {
    let catalog = Catalog::new(Vec::new());
    let base = document();
    let patch = [
        json!({ "op": "set", "node": "say", "path": "/config/assign/a", "value": 2 }),
        json!({ "op": "add", "node": { "id": "more", "kind": "data.set", "config": {} } }),
        json!({ "op": "connect", "from": "say.success", "to": "more" }),
    ];
    let (draft, changes) = apply(&Draft::of_document(&base), &patch).expect("it fits");
    assert_eq!(changes.len(), 3);
    let changed = draft.onto(&base, &catalog);
    assert_eq!(changed["nodes"]["say"]["config"]["assign"]["a"], 2);
    assert_eq!(changed["nodes"]["say"]["errorHandling"]["mode"], "fail");
    assert_eq!(changed["nodes"]["start"], base["nodes"]["start"]);
    assert_eq!(changed["edges"][0]["label"], "kept");
    assert_eq!((&changed["name"], &changed["notes"]["n"]), (&json!("W"), &json!("kept")));
    // The new step stands after the step before it and covers none.
    assert_eq!(changed["layout"]["say"], json!([280, 40]));
    assert_eq!(changed["layout"]["more"], json!([560, 200]));
}
