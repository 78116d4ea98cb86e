//! Pinned outputs (UX C15, ADR 102): runs in the builder use them, no other run does.

use crate::common::{Place, place, wait};
use serde_json::{Value, json};
use signalbox_app::NewRun;
use std::path::PathBuf;

/// `fetch` fails on every machine; what it would put out is doubled.
fn flow() -> Value {
    json!({
        "signalbox": 1, "id": "orders", "name": "Orders",
        "nodes": {
            "fetch": { "type": "http.request", "config": { "url": "http://127.0.0.1:9/orders" } },
            "double": { "type": "data.set", "config": { "assign": { "twice": "=item.n * 2" } } },
        },
        "edges": [{ "from": "fetch.success", "to": "double" }],
        "settings": { "errorPolicy": "fail" },
    })
}

/// The workflow in the library: its `ref` and its file.
fn stored(place: &Place, document: &Value) -> (Value, PathBuf) {
    let made = place.ok("workflow_create", json!({ "name": "Orders" }));
    place.ok("workflow_save", json!({ "ref": made["ref"], "document": document, "baseRevision": made["revision"] }));
    (made["ref"].clone(), PathBuf::from(made["path"].as_str().expect("a path")))
}

fn ended(place: &Place, request: Value) -> Value {
    let run = place.ok("run_start", request)["runId"].as_str().expect("an id").to_owned();
    wait(place.app.wait(run)).expect("ends")
}

fn pin(place: &Place, reference: &Value, step: &str, items: Value) {
    place.ok("workflow_pin", json!({ "ref": reference, "stepId": step, "ports": { "success": items } }));
}

#[test]
fn a_run_in_the_builder_uses_what_is_pinned_and_says_so() {
    let place = place();
    let document = flow();
    let (reference, file) = stored(&place, &document);
    let request = json!({ "ref": reference, "document": document, "params": {}, "pinned": true });
    assert_eq!(ended(&place, request.clone())["status"], "failed", "nothing is pinned yet");
    pin(&place, &reference, "fetch", json!([{ "n": 3 }, { "n": 5 }]));
    let summary = ended(&place, request);
    assert_eq!(summary["output"], json!([{ "n": 3, "twice": 6 }, { "n": 5, "twice": 10 }]));
    assert_eq!(
        (&summary["steps"]["fetch"]["pinned"], &summary["steps"]["double"]["pinned"]),
        (&json!(true), &Value::Null)
    );
    let events = place.ok("run_events", json!({ "runId": summary["runId"], "after": 0 }));
    let of = |kind: &str| {
        let all = events.as_array().expect("a list").iter();
        all.filter(|event| event["stepId"] == "fetch" && event["type"] == kind).cloned().collect::<Vec<_>>()
    };
    assert_eq!(of("step_start")[0]["payload"]["pinned"], true);
    assert_eq!(of("step_done")[0]["payload"]["pinned"], true);
    // It is kept beside the workflow, never in its file, and the audit chain has none of it.
    let beside = file.with_file_name("orders.signalbox.pins.json");
    assert!(std::fs::read_to_string(&beside).expect("there").contains("\"n\": 3"));
    assert!(!std::fs::read_to_string(&file).expect("there").contains("pinned"));
    let chain = place.ok("audit_list", json!({ "limit": 200 })).to_string();
    assert!(!chain.contains("\"n\":3") && !chain.contains("twice"), "{chain}");
    place.ok("workflow_unpin", json!({ "ref": reference, "stepId": "fetch" }));
    assert!(!beside.exists(), "a file without pinned outputs is removed");
}

#[test]
fn other_runs_never_use_what_is_pinned() {
    let place = place();
    let document = flow();
    let (reference, file) = stored(&place, &document);
    pin(&place, &reference, "fetch", json!([{ "n": 3 }]));
    // A start that does not ask for it; by file, as the terminal and an exported program do; by id, as REST and triggers do.
    assert_eq!(ended(&place, json!({ "ref": reference, "params": {} }))["status"], "failed");
    for started in [
        wait(place.app.start_file(file.clone(), NewRun::default())),
        wait(place.app.start_stored("orders".into(), NewRun::default())),
    ] {
        assert_eq!(wait(place.app.wait(started.expect("starts").run_id())).expect("ends")["status"], "failed");
    }
    // `--pinned` asks for it.
    let asked = wait(place.app.start_file(file, NewRun { pinned: true, ..NewRun::default() })).expect("starts");
    assert_eq!(wait(place.app.wait(asked.run_id())).expect("ends")["status"], "completed");
    // A file cannot bring pinned output along.
    let mut smuggled = document;
    smuggled["nodes"]["fetch"]["pinned"] = json!({ "success": [{ "n": 1 }] });
    let refused = place.ask("run_start", json!({ "document": smuggled, "params": {} })).expect_err("is refused");
    assert_eq!(refused.code, "INVALID_WORKFLOW");
}

#[test]
fn an_output_is_pinned_from_any_run_and_goes_with_its_step() {
    let place = place();
    let mut document = flow();
    let (reference, file) = stored(&place, &document);
    pin(&place, &reference, "fetch", json!([{ "n": 4 }]));
    let first = ended(&place, json!({ "ref": reference, "document": document, "params": {}, "pinned": true }));
    place.ok("workflow_pin", json!({ "ref": reference, "stepId": "double", "runId": first["runId"] }));
    let pins = place.ok("workflow_pins", json!({ "ref": reference }));
    assert_eq!(pins["steps"]["double"]["ports"]["success"], json!([{ "n": 4, "twice": 8 }]));
    assert_eq!(pins["steps"]["double"]["runId"], first["runId"]);
    // The same run again is the same, with what was pinned then.
    let again = place.ok("run_again", json!({ "runId": first["runId"] }))["runId"].as_str().expect("an id").to_owned();
    assert_eq!(wait(place.app.wait(again)).expect("ends")["output"], first["output"]);
    // A step whose id is changed keeps it: the editor copies it to the new id, and the next save drops the old one.
    let moved = place.ok("workflow_pin", json!({ "ref": reference, "stepId": "doubled", "fromStep": "double" }));
    assert_eq!(moved, pins["steps"]["double"]);
    assert_eq!(
        place.code("workflow_pin", json!({ "ref": reference, "stepId": "x", "fromStep": "nothing" })),
        "BAD_REQUEST"
    );
    // A step that goes takes it along, and so does the workflow.
    document["nodes"].as_object_mut().expect("nodes").shift_remove("double");
    document["edges"] = json!([]);
    place.ok("workflow_save", json!({ "ref": reference, "document": document, "baseRevision": "", "overwrite": true }));
    let left = place.ok("workflow_pins", json!({ "ref": reference }))["steps"].clone();
    assert_eq!(left.as_object().expect("steps").keys().collect::<Vec<_>>(), ["fetch"]);
    place.ok("workflow_delete", json!({ "ref": reference }));
    assert!(!file.with_file_name("orders.signalbox.pins.json").exists());
}

#[test]
fn what_cannot_be_pinned_is_refused_with_a_reason() {
    let place = place();
    let document = flow();
    let (reference, file) = stored(&place, &document);
    let wanted = |ports: Value| json!({ "ref": reference, "stepId": "fetch", "ports": ports });
    let large = json!({ "success": [{ "text": "x".repeat(1024 * 1024) }] });
    assert_eq!(place.code("workflow_pin", wanted(large)), "TOO_LARGE");
    assert_eq!(place.code("workflow_pin", wanted(json!({ "error": [{}] }))), "BAD_REQUEST");
    assert_eq!(place.code("workflow_pin", json!({ "ref": reference, "stepId": "fetch" })), "BAD_REQUEST");
    // A port that the step no longer has would be a step that puts out nothing under a green tick.
    place.ok("workflow_pin", wanted(json!({ "accepted": [{}] })));
    let start = json!({ "ref": reference, "params": {}, "pinned": true });
    assert_eq!(place.code("run_start", start.clone()), "BAD_PINS");
    std::fs::write(file.with_file_name("orders.signalbox.pins.json"), "{").expect("written");
    assert_eq!(place.code("run_start", start), "BAD_PINS");
}

/// "Run from here" and "Run this step" are runs in the builder, too.
#[test]
fn a_rerun_in_the_builder_uses_what_is_pinned() {
    let place = place();
    let document = flow();
    let (reference, _) = stored(&place, &document);
    let failed = ended(&place, json!({ "ref": reference, "params": {} }));
    pin(&place, &reference, "fetch", json!([{ "n": 7 }]));
    let again = json!({ "runId": failed["runId"], "stepId": "fetch", "definition": "current", "document": document, "pins": reference });
    let look = place.ok("rerun_look", again.clone());
    assert_eq!(look["steps"][0]["effect"], "none", "what is pinned is not called");
    let run = place.ok("run_rerun", again)["runId"].as_str().expect("an id").to_owned();
    assert_eq!(wait(place.app.wait(run)).expect("ends")["output"], json!([{ "n": 7, "twice": 14 }]));
}

/// What an expression gives under its field, and which run it is of.
fn preview(place: &Place, reference: &Value, document: &Value, (node, text): (&str, &str)) -> Value {
    place.ok(
        "expression_preview",
        json!({ "document": document, "nodeId": node, "text": text, "kind": "cel", "pins": reference }),
    )
}

/// The data picker and the line under a field show what the next run in the builder will have.
#[test]
fn previews_use_pinned_output_before_the_first_run_and_while_it_is_pinned() {
    let place = place();
    let mut document = flow();
    document["nodes"]["last"] = json!({ "type": "data.set", "config": { "assign": { "n": "=item.twice" } } });
    document["edges"] =
        json!([{ "from": "fetch.success", "to": "double" }, { "from": "double.success", "to": "last" }]);
    let (reference, _) = stored(&place, &document);
    let of = |node: &str, text: &str| preview(&place, &reference, &document, (node, text));
    assert_eq!(of("double", "item.n * 2")["state"], "no_data");
    pin(&place, &reference, "fetch", json!([{ "n": 3 }, { "n": 5 }]));
    let first = of("double", "item.n * 2");
    assert_eq!(
        (&first["value"], &first["itemCount"], &first["pinned"], &first["runId"]),
        (&json!(6), &json!(2), &json!(true), &json!("")),
        "{first}"
    );
    for (node, text, value) in
        [("double", "size(nodes.fetch.items)", json!(2)), ("double", "paired('fetch').n", json!(3))]
    {
        assert_eq!(of(node, text)["value"], value, "{node}: {text}");
    }
    assert_eq!(of("last", "item.twice")["state"], "no_data", "double is not pinned, and never ran");
    let names = place.ok("expression_names", json!({ "document": document, "nodeId": "double", "pins": reference }));
    assert!(names.as_array().expect("a list").iter().any(|name| name["label"] == "item.n"), "{names}");
    // Without the file, as somebody sees it who may not build, nothing is known.
    let bare = json!({ "document": document, "nodeId": "double", "text": "item.n", "kind": "cel" });
    assert_eq!(place.ok("expression_preview", bare.clone())["state"], "no_data");

    // A run had other data; what is pinned now is what the next one has.
    ended(&place, json!({ "ref": reference, "document": document, "params": {}, "pinned": true }));
    assert_eq!(of("last", "nodes.fetch.items[1].n")["value"], json!(5));
    assert_eq!(of("last", "item.twice")["value"], json!(6), "double is not pinned: the run's");
    pin(&place, &reference, "fetch", json!([{ "n": 40 }]));
    let changed = of("double", "item.n * 2");
    assert_eq!((&changed["value"], &changed["itemCount"]), (&json!(80), &json!(1)));
    assert_eq!(place.ok("expression_preview", bare)["value"], json!(3), "the run is as it was");
    assert_eq!(of("last", "nodes.fetch.output.n")["value"], json!(40));
    // A step that is not before this one is not seen.
    place.ok("workflow_unpin", json!({ "ref": reference, "stepId": "fetch" }));
    pin(&place, &reference, "last", json!([{ "n": 1 }]));
    let other = of("double", "item.n");
    assert_eq!((&other["value"], &other["pinned"]), (&json!(3), &Value::Null));
}

/// Who looks at data sees more than fits below a text that is being typed.
#[test]
fn a_preview_for_who_looks_gives_long_lists_item_by_item() {
    let place = place();
    let document = flow();
    let (reference, _) = stored(&place, &document);
    let items = |count: usize, text: usize| -> Value {
        (0..count).map(|n| json!({ "n": n, "note": "x".repeat(text) })).collect()
    };
    let seen = |whole: bool| {
        let asked = json!({ "document": document, "nodeId": "double", "text": "items", "kind": "cel", "pins": reference, "whole": whole });
        place.ok("expression_preview", asked)["value"].clone()
    };
    pin(&place, &reference, "fetch", items(300, 60));
    assert_eq!(seen(false)["_truncated"], true, "a line under a field is short");
    assert_eq!(seen(true), items(300, 60));
    pin(&place, &reference, "fetch", items(10, 60_000));
    assert_eq!(seen(true).as_array().map(Vec::len), Some(10), "large items too");
}
