//! Faults that a person puts into steps for one run of the builder (ADR 144).

use crate::common::{Place, place, wait};
use serde_json::{Value, json};
use signalbox_app::{Caller, NewRun};

/// `note` succeeds everywhere; its errors go to `told`.
fn flow() -> Value {
    json!({
        "signalbox": 1, "id": "notes", "name": "Notes",
        "nodes": {
            "note": { "type": "data.set", "config": { "assign": { "n": 1 }, "keep": false } },
            "told": { "type": "data.set", "config": { "assign": { "problem": "=error.details.code" }, "keep": false } },
            "done": { "type": "flow.noop" },
        },
        "edges": [{ "from": "note.success", "to": "done" }, { "from": "note.error", "to": "told" }],
    })
}

fn ended(place: &Place, request: Value) -> Value {
    let run = place.ok("run_start", request)["runId"].as_str().expect("an id").to_owned();
    wait(place.app.wait(run)).expect("ends")
}

fn code_of(place: &Place, kind: &str) -> String {
    let all = place.ok("catalog_list", json!({}));
    let found = all["kinds"].as_array().or(all.as_array()).expect("kinds").iter().find(|one| one["type"] == kind);
    found.expect("a kind")["errors"][0]["code"].as_str().expect("a code").to_owned()
}

#[test]
fn a_fault_holds_for_one_run_and_is_recorded() {
    let place = place();
    let document = flow();
    let code = code_of(&place, "data.set");
    let start = json!({ "document": document, "params": {}, "faults": { "note": { "error": code } } });
    let summary = ended(&place, start);
    assert_eq!((&summary["status"], &summary["output"]), (&json!("completed"), &json!([{ "problem": code }])));
    assert_eq!(
        (&summary["steps"]["note"]["faulted"], &summary["steps"]["told"]["faulted"]),
        (&json!(true), &Value::Null)
    );
    let events = place.ok("run_events", json!({ "runId": summary["runId"], "after": 0 }));
    let starts = events.as_array().expect("a list").iter().filter(|event| event["type"] == "step_start");
    let faulted: Vec<bool> = starts.map(|event| event["payload"]["faulted"] == true).collect();
    assert_eq!(faulted, [true, false]);
    let run = place.ok("run_get", json!({ "runId": summary["runId"] }));
    assert_eq!(run["definition"]["nodes"]["note"]["fault"]["error"]["code"], code);
    let chain = place.ok("audit_list", json!({ "limit": 200 })).to_string();
    assert!(chain.contains("RUN_FAULTED") && chain.contains(&format!("note: {code}")), "{chain}");
    // The same run again, and a re-run, have none.
    let again =
        place.ok("run_again", json!({ "runId": summary["runId"] }))["runId"].as_str().expect("an id").to_owned();
    assert_eq!(wait(place.app.wait(again)).expect("ends")["output"], json!([{ "n": 1 }]));
    let rerun = json!({ "runId": summary["runId"], "stepId": "note", "definition": "original", "keepAnswers": true });
    let rerun = place.ok("run_rerun", rerun)["runId"].as_str().expect("an id").to_owned();
    assert_eq!(wait(place.app.wait(rerun)).expect("ends")["output"], json!([{ "n": 1 }]));
    // It says nothing about how the workflow does.
    let health = place.ok("health_get", json!({ "workflowId": "notes" }));
    assert_eq!((&health["numbers"]["runs"], &health["errors"]), (&json!(2), &json!([])), "{health}");
}

#[test]
fn a_result_and_a_delay() {
    let place = place();
    let document = flow();
    let start = |fault: Value| json!({ "document": document, "params": {}, "faults": { "note": fault } });
    let result = ended(&place, start(json!({ "output": { "success": [{ "n": 7 }, { "n": 8 }] }, "delayMs": 1 })));
    assert_eq!(result["output"], json!([{ "n": 7 }, { "n": 8 }]));
    let delayed = ended(&place, start(json!({ "delayMs": 1 })));
    assert_eq!((&delayed["output"], &delayed["steps"]["note"]["faulted"]), (&json!([{ "n": 1 }]), &json!(true)));
}

/// The second attempt is a real call, here to an address that answers nobody.
#[test]
fn only_the_first_attempt_fails_when_that_is_asked_for() {
    let place = place();
    let retry = json!({ "maxAttempts": 1, "backoff": "fixed", "initialDelayMs": 0, "maxDelayMs": 0, "jitter": false });
    let document = json!({
        "signalbox": 1, "id": "once", "name": "Once", "edges": [], "settings": { "errorPolicy": "fail" },
        "nodes": { "fetch": {
            "type": "http.request", "config": { "url": "http://127.0.0.1:9/" }, "errorHandling": { "retryPolicy": retry },
        } },
    });
    let fault = json!({ "error": "SERVICE_UNAVAILABLE", "firstCallOnly": true });
    let summary = ended(&place, json!({ "document": document, "params": {}, "faults": { "fetch": fault } }));
    let events = place.ok("run_events", json!({ "runId": summary["runId"], "after": 0 }));
    let of = |kind: &str, pointer: &str| -> Vec<Value> {
        let all = events.as_array().expect("a list").iter().filter(|event| event["type"] == kind);
        all.map(|event| event.pointer(pointer).cloned().unwrap_or_default()).collect()
    };
    assert_eq!(of("step_start", "/payload/faulted"), [json!(true), Value::Null]);
    assert_eq!(of("step_error", "/payload/error/details/code")[0], "SERVICE_UNAVAILABLE");
    assert_ne!(of("step_error", "/payload/error/details/code")[1], "SERVICE_UNAVAILABLE");
}

#[test]
fn nobody_else_can_put_faults_into_runs() {
    let place = place();
    let code = code_of(&place, "data.set");
    let faults = json!({ "note": { "error": code } });
    // Only who builds may.
    let made = place.ok("workflow_create", json!({ "name": "Notes" }));
    place.ok("workflow_save", json!({ "ref": made["ref"], "document": flow(), "baseRevision": made["revision"] }));
    let operator = Caller { role: signalbox_app::dto::CallerRole::Operator, ..Caller::here() };
    let asked = json!({ "ref": made["ref"], "params": {}, "faults": faults });
    let refused = wait(place.app.dispatch(&operator, "run_start", asked)).expect_err("is refused");
    assert_eq!(refused.code, "FORBIDDEN");
    // What is started by id, as REST and triggers do, has no way to say so, and a file cannot bring one along.
    let started = wait(place.app.start_stored("notes".into(), NewRun::default())).expect("starts");
    assert_eq!(wait(place.app.wait(started.run_id())).expect("ends")["output"], json!([{ "n": 1 }]));
    let mut smuggled = flow();
    smuggled["nodes"]["note"]["fault"] = json!({ "delayMs": 1 });
    assert_eq!(place.code("run_start", json!({ "document": smuggled, "params": {} })), "INVALID_WORKFLOW");
    let unknown = json!({ "document": flow(), "params": {}, "faults": { "note": { "error": "MADE_UP" } } });
    assert_eq!(place.code("run_start", unknown), "BAD_FAULTS");
}
