//! Proofs in the builder: in the background, kept, and out of date after an edit.

use crate::common::{Place, place};
use serde_json::{Value, json};

fn flow() -> Value {
    json!({
        "signalbox": 1, "id": "orders", "name": "Orders",
        "nodes": {
            "fetch": { "type": "http.request", "config": { "url": "https://example.org/orders" } },
            "double": { "type": "data.set", "config": { "assign": { "twice": 2 }, "keep": false } },
        },
        "edges": [{ "from": "fetch.success", "to": "double" }],
        "settings": { "errorPolicy": "fail" },
    })
}

fn stored(place: &Place) -> Value {
    let made = place.ok("workflow_create", json!({ "name": "Orders" }));
    place.ok("workflow_save", json!({ "ref": made["ref"], "document": flow(), "baseRevision": made["revision"] }));
    made["ref"].clone()
}

/// Asks until the proof has ended.
fn proved(place: &Place, reference: &Value, document: &Value) -> Value {
    place.ok("proof_start", json!({ "ref": reference, "document": document, "pairs": 5 }));
    loop {
        let view = place.ok("proof_get", json!({ "ref": reference }));
        if view["running"].is_null() {
            return view;
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_proof_is_kept_and_is_one_of_exactly_its_definition() {
    let place = place();
    let reference = stored(&place);
    assert_eq!(place.ok("proof_get", json!({ "ref": reference })), json!({}));
    let mut document = flow();
    let view = proved(&place, &reference, &document);
    let report = &view["last"]["report"];
    assert!(report["score"].as_u64() < Some(100), "{view}");
    let of = |step: &str, fault: &str| {
        let all = report["results"].as_array().expect("results").iter();
        let has =
            |one: &&Value| one["step"] == step && one["faults"].as_array().expect("faults").contains(&json!(fault));
        all.clone().find(has).unwrap_or_else(|| panic!("{step} {fault}: {report}")).clone()
    };
    let failed = of("fetch", "ToolError AUTH");
    assert_eq!(
        (&failed["outcome"], &failed["fixes"][1]["label"]),
        (&json!("endsFailed"), &json!("Use the default error handling"))
    );
    let coverage = |document: &Value| place.ok("error_coverage", json!({ "document": document }))["proof"].clone();
    assert_eq!(
        (&coverage(&document)["isCurrent"], &coverage(&document)["steps"]["fetch"]),
        (&json!(true), &json!("unhandled"))
    );
    // The fix is an edit like any other: the proof is out of date, and the next one says that the step is proved.
    document["settings"]["errorPolicy"] = failed["fixes"][1]["edits"][0]["value"].clone();
    assert_eq!((&coverage(&document)["isCurrent"], &coverage(&document)["steps"]), (&json!(false), &json!({})));
    proved(&place, &reference, &document);
    assert_eq!(coverage(&document)["steps"], json!({ "fetch": "proved", "double": "proved" }));
    // A place on the canvas is no change.
    document["layout"] = json!({ "fetch": { "x": 10, "y": 20 } });
    assert_eq!(coverage(&document)["isCurrent"], true);
    // A fault becomes a test that passes.
    let save = json!({ "ref": reference, "document": document, "name": "No access", "fault": { "step": "fetch", "fault": "ToolError AUTH" } });
    let saved = place.ok("proof_save_test", save);
    assert_eq!(saved["file"], "orders.no-access.signalbox-test.yaml");
    place.ok("workflow_save", json!({ "ref": reference, "document": document, "baseRevision": "", "overwrite": true }));
    let ran = place.ok("test_run", json!({ "ref": reference }));
    assert_eq!(ran["tests"][0]["result"]["passed"], true, "{ran}");
    let gone = json!({ "ref": reference, "name": "Gone", "fault": { "step": "fetch", "fault": "ToolError GONE" } });
    assert_eq!(place.code("proof_save_test", gone), "NOT_REPEATABLE");
    // Health has its score.
    assert_eq!(place.ok("health_get", json!({ "workflowId": "orders" }))["numbers"]["proofScore"], 100);
}

#[test]
fn what_cannot_be_proved_is_refused_at_once() {
    let place = place();
    let reference = stored(&place);
    let mut broken = flow();
    broken["nodes"]["double"]["type"] = json!("data.unknown");
    assert_eq!(place.code("proof_start", json!({ "ref": reference, "document": broken })), "INVALID_WORKFLOW");
    assert_eq!(place.code("proof_start", json!({ "ref": reference, "pairs": 1001 })), "BAD_REQUEST");
    // To cancel what is over changes nothing.
    assert_eq!(place.ok("proof_cancel", json!({ "ref": reference })), json!({}));
}

#[test]
fn a_proof_is_out_of_date_when_a_called_workflow_changes() {
    let place = place();
    let save = |name: &str, document: &Value| {
        let made = place.ok("workflow_create", json!({ "name": name }));
        place
            .ok("workflow_save", json!({ "ref": made["ref"], "document": document, "baseRevision": made["revision"] }));
        made["ref"].clone()
    };
    let called = |value: u32| {
        json!({
            "signalbox": 1, "id": "called", "name": "Called",
            "nodes": { "set": { "type": "data.set", "config": { "assign": { "value": value } } } }, "edges": [],
        })
    };
    let calls = json!({
        "signalbox": 1, "id": "calls", "name": "Calls",
        "nodes": { "sub": { "type": "flow.subworkflow", "config": { "workflow": "called" } } }, "edges": [],
    });
    let inner = save("Called", &called(1));
    let reference = save("Calls", &calls);
    proved(&place, &reference, &calls);
    let is_current = || place.ok("error_coverage", json!({ "document": calls }))["proof"]["isCurrent"].clone();
    assert_eq!(is_current(), true);
    let put = |value: u32| {
        place.ok(
            "workflow_save",
            json!({ "ref": inner, "document": called(value), "baseRevision": "", "overwrite": true }),
        )
    };
    put(2);
    assert_eq!(is_current(), false);
    put(1);
    assert_eq!(is_current(), true);
}
