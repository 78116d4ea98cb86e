//! Indexes of documents as commands, on what a run has indexed.

use crate::common::place;
use serde_json::json;

#[test]
fn e_46_indexes_are_listed_shown_searched_and_deleted() {
    let place = place();
    assert_eq!(place.ok("index_list", json!({})), json!([]));
    let documents = r#"=[{"id": "refunds", "text": "Money comes back within seven days.", "title": "Terms"}, {"id": "canteen", "text": "The canteen opens at noon.", "title": "House"}]"#;
    let document = json!({
        "signalbox": 1, "id": "fill", "name": "Fill",
        "nodes": {
            "texts": { "type": "data.set", "config": { "assign": { "documents": documents }, "keep": false } },
            "each": { "type": "data.split", "config": { "field": "documents" } },
            "keep": { "type": "rag.index", "config": { "index": "manuals", "id": "item.id", "title": "item.title" } },
        },
        "edges": [{ "from": "texts.success", "to": "each" }, { "from": "each.success", "to": "keep" }],
    });
    let summary = place.run(&document, json!({}));
    assert_eq!(summary["status"], "completed", "{summary}");
    let all = place.ok("index_list", json!({}));
    assert_eq!((&all[0]["name"], &all[0]["documents"], &all[0]["vectors"]), (&json!("manuals"), &json!(2), &json!(0)));
    let first = place.ok("index_show", json!({ "name": "manuals", "limit": 1 }));
    assert_eq!((&first["documents"][0]["id"], &first["next"]), (&json!("canteen"), &json!("canteen")), "{first}");
    let next = place.ok("index_show", json!({ "name": "manuals", "after": "canteen" }));
    assert_eq!((&next["documents"][0]["id"], next.get("next")), (&json!("refunds"), None), "{next}");
    let found = place.ok("index_search", json!({ "name": "manuals", "query": "money back" }));
    assert_eq!((&found[0]["source"]["id"], &found[0]["rank"]), (&json!("refunds"), &json!(1)), "{found}");
    assert_eq!(place.ok("index_search", json!({ "name": "manuals", "query": "zebra" })), json!([]));
    assert_eq!(place.code("index_search", json!({ "name": "none", "query": "x" })), "INDEX_MISSING");
    assert_eq!(place.code("index_show", json!({ "name": "../x" })), "INPUT_INVALID");
    assert_eq!(place.code("index_delete", json!({ "name": "none" })), "INDEX_MISSING");
    assert_eq!(place.ok("index_delete", json!({ "name": "manuals" })), json!([]));
    assert_eq!(place.code("index_show", json!({ "name": "manuals" })), "INDEX_MISSING");
    assert_eq!(place.ok("audit_list", json!({ "query": "event:INDEX_DELETED" }))["total"], 1);
}
