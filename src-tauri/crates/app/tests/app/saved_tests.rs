//! Runs that become tests of a workflow in the library, and their tests and proofs.

use crate::common::{Place, place, wait};
use serde_json::{Value, json};
use std::path::PathBuf;

/// `fetch` fails on every machine; what it would put out is doubled when it is large.
fn flow() -> Value {
    json!({
        "signalbox": 1, "id": "orders", "name": "Orders",
        "nodes": {
            "fetch": { "type": "http.request", "config": { "url": "http://127.0.0.1:9/orders" } },
            "large": { "type": "flow.if", "config": { "condition": "item.n > 3" } },
            "double": { "type": "data.set", "config": { "assign": { "twice": "=item.n * 2", "for": "=params.password" }, "keep": false } },
        },
        "edges": [{ "from": "fetch.success", "to": "large" }, { "from": "large.true", "to": "double" }],
        "settings": { "errorPolicy": "fail" },
    })
}

fn stored(place: &Place) -> (Value, PathBuf) {
    let made = place.ok("workflow_create", json!({ "name": "Orders" }));
    let save = json!({ "ref": made["ref"], "document": flow(), "baseRevision": made["revision"] });
    place.ok("workflow_save", save);
    (made["ref"].clone(), PathBuf::from(made["path"].as_str().expect("a path")))
}

#[test]
fn a_run_becomes_a_test_next_to_its_workflow() {
    let place = place();
    let (reference, file) = stored(&place);
    let pins = json!({ "success": [{ "n": 3 }, { "n": 5 }] });
    place.ok("workflow_pin", json!({ "ref": reference, "stepId": "fetch", "ports": pins }));
    let start = json!({ "ref": reference, "document": flow(), "params": { "password": "hunter22" }, "pinned": true });
    let run = place.ok("run_start", start)["runId"].as_str().expect("an id").to_owned();
    wait(place.app.wait(run.clone())).expect("ends");
    assert_eq!(place.ok("test_list", json!({ "ref": reference })), json!([]));
    let saved = place.ok("run_save_test", json!({ "runId": run, "name": "Two orders" }));
    assert_eq!(saved["file"], "orders.two-orders.signalbox-test.yaml");
    assert!(saved["notes"][0].as_str().expect("a note").contains("params/password"), "{saved}");
    // Pinned output is an answer; a password is a mask.
    let text = std::fs::read_to_string(file.with_file_name("orders.two-orders.signalbox-test.yaml")).expect("there");
    assert!(!text.contains("hunter22") && text.contains("•••1•") && text.contains("- step: fetch"), "{text}");
    let list = place.ok("test_list", json!({ "ref": reference }));
    assert_eq!(list, json!([{ "file": saved["file"], "name": "Two orders" }]));
    let report = place.ok("test_run", json!({ "ref": reference }));
    assert_eq!(report["tests"][0]["result"]["passed"], true, "{report}");
    assert_eq!(report["coverage"]["missingSteps"], json!([]), "{report}");
    // The same name again is another file; hidden values are kept when that is asked for.
    let again = place.ok("run_save_test", json!({ "runId": run, "name": "Two orders", "unmasked": true }));
    assert_eq!((&again["file"], &again["notes"]), (&json!("orders.two-orders-2.signalbox-test.yaml"), &json!([])));
    let one = place.ok("test_run", json!({ "ref": reference, "files": [again["file"]] }));
    assert_eq!(one["tests"].as_array().map(Vec::len), Some(1));
    assert_eq!(one["tests"][0]["result"]["passed"], true, "{one}");
    // The tests are the runs that a proof starts from.
    let proof = place.ok("workflow_prove", json!({ "ref": reference }));
    assert_eq!(proof["base"].as_array().map(Vec::len), Some(2));
    assert!(proof["totals"]["endsFailed"].as_u64() > Some(0), "{}", proof["totals"]);
    // One that cannot be read says so and stops no other.
    std::fs::write(file.with_file_name("orders.cut.signalbox-test.yaml"), "signalboxTest: 1\nname: [")
        .expect("written");
    let report = place.ok("test_run", json!({ "ref": reference }));
    let problem = report["tests"][0]["problem"].as_str().expect("a problem");
    assert!(problem.contains("orders.cut.signalbox-test.yaml: The test is no valid YAML"), "{problem}");
    assert_eq!(report["tests"].as_array().map(Vec::len), Some(3));
}

/// `book` needs a number and gets a text.
fn booking() -> Value {
    json!({
        "signalbox": 1, "id": "orders", "name": "Orders", "settings": { "errorPolicy": "fail" },
        "nodes": {
            "a": { "type": "data.set", "config": { "assign": { "amount": "=params.amount", "by": "=params.password" }, "keep": false } },
            "book": { "type": "data.set", "config": { "assign": { "total": "=item.amount * 2.0" } } },
        },
        "edges": [{ "from": "a.success", "to": "book" }],
    })
}

#[test]
fn a_re_run_becomes_a_test_that_begins_where_it_began() {
    let place = place();
    let made = place.ok("workflow_create", json!({ "name": "Orders" }));
    let file = PathBuf::from(made["path"].as_str().expect("a path"));
    let saved = json!({ "ref": made["ref"], "document": booking(), "baseRevision": made["revision"] });
    let saved = place.ok("workflow_save", saved);
    let start = json!({ "ref": made["ref"], "params": { "amount": "12.5", "password": "hunter22" } });
    let run = place.ok("run_start", start)["runId"].as_str().expect("an id").to_owned();
    wait(place.app.wait(run.clone())).expect("ends");
    let input = json!([{ "amount": 12.5, "by": "ada" }]);
    let again = place.ok("run_rerun", json!({ "runId": run, "stepId": "book", "input": input }));
    let again = again["runId"].as_str().expect("an id").to_owned();
    wait(place.app.wait(again.clone())).expect("ends");
    let test = place.ok("run_save_test", json!({ "runId": again, "name": "A number" }));
    let path = file.with_file_name(test["file"].as_str().expect("a file"));
    let text = std::fs::read_to_string(path).expect("there");
    assert!(text.contains("rerun:") && text.contains("from: book"), "{text}");
    assert!(!text.contains("hunter22") && text.contains("•••1•"), "{text}");
    let report = place.ok("test_run", json!({ "ref": made["ref"] }));
    assert_eq!(report["tests"][0]["result"]["passed"], true, "{report}");
    // A proof runs the whole workflow.
    let proof = place.ok("workflow_prove", json!({ "ref": made["ref"] }));
    assert_eq!(proof["base"][0]["name"], "sample data", "{}", proof["base"]);
    // The workflow changes below it.
    let mut changed = booking();
    changed["nodes"]["first"] = changed["nodes"]["a"].take();
    changed["nodes"].as_object_mut().expect("nodes").shift_remove("a");
    changed["edges"][0]["from"] = json!("first.success");
    let save = json!({ "ref": made["ref"], "document": changed, "baseRevision": saved["revision"] });
    place.ok("workflow_save", save);
    let report = place.ok("test_run", json!({ "ref": made["ref"] }));
    let message = &report["tests"][0]["result"]["differences"][0]["message"];
    assert_eq!(message, "The workflow has no step 'a' any more.", "{report}");
}

#[test]
fn a_test_is_changed_and_saved_to_its_file() {
    let place = place();
    let (reference, file) = stored(&place);
    let path = file.with_file_name("orders.down.signalbox-test.yaml");
    let text = "signalboxTest: 1\nname: Down\nworkflow: orders.signalbox.json\nstartedAt: 2026-01-05T09:00:00Z\n\
                params: { password: x }\nmocks:\n- { step: fetch, output: { success: [ { n: 5 } ] } }\nexpect: { status: completed }\n";
    std::fs::write(&path, text.replace("orders.signalbox.json", &file.file_name().expect("a name").to_string_lossy()))
        .expect("written");
    let get = json!({ "ref": reference, "file": "orders.down.signalbox-test.yaml" });
    let opened = place.ok("test_get", get.clone());
    assert_eq!(opened["test"]["mocks"][0]["output"]["success"][0]["n"], 5);
    let mut test = opened["test"].clone();
    // The first call is late, the second has an error; a step that is gone is saved and told.
    test["mocks"] = json!([
        { "step": "fetch", "call": 1, "error": { "code": "CONNECTION" } },
        { "step": "gone", "crash": true },
    ]);
    test["expect"] = json!({ "status": "failed", "errorCode": "CONNECTION" });
    let mut save =
        json!({ "ref": reference, "file": opened["file"], "test": test, "baseRevision": opened["revision"] });
    let saved = place.ok("test_save", save.clone());
    assert!(saved["notes"][0].as_str().expect("a note").contains("no step 'gone'"), "{saved}");
    let again = place.ok("test_get", get);
    assert_eq!((&again["test"]["mocks"], &again["test"]["expect"]), (&test["mocks"], &test["expect"]));
    assert!(std::fs::read_to_string(&path).expect("there").contains("code: CONNECTION"));
    // What was changed elsewhere is not overwritten.
    let refused = place.ask("test_save", save.clone()).expect_err("refused");
    assert_eq!(refused.code, "CONFLICT", "{refused:?}");
    save["baseRevision"] = again["revision"].clone();
    for (mocks, why) in [
        (json!([{ "step": "fetch" }]), "exactly one of"),
        (json!([{ "step": "fetch", "crash": true, "never": true }]), "exactly one of"),
        (json!([{ "step": "fetch", "crash": true, "call": 0 }]), "counts from 1"),
        (json!([{ "step": "fetch", "crash": true, "afterMs": -1 }]), "negative"),
    ] {
        save["test"]["mocks"] = mocks;
        let refused = place.ask("test_save", save.clone()).expect_err("refused");
        assert!(refused.code == "BAD_TEST" && refused.message.contains(why) && !refused.hint.is_empty(), "{refused:?}");
    }
    save["test"]["mocks"] = json!([{ "step": "fetch", "output": { "success": [{ "n": 5 }] } }]);
    save["test"]["workflow"] = json!("../other.signalbox.json");
    assert_eq!(place.code("test_save", save), "BAD_REQUEST");
    let missing = place.code("test_get", json!({ "ref": reference, "file": "../../etc/passwd" }));
    assert_eq!(missing, "NOT_FOUND");
}
