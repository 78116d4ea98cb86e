use super::{has, put_into, take_from, told};
use crate::dto::FaultSpecs;
use serde_json::{Value, json};
use signalbox_model::{StepFault, Workflow};

fn workflow() -> Workflow {
    let file = json!({
        "signalbox": 1, "id": "w", "name": "W",
        "nodes": {
            "pay": { "type": "http.request", "config": { "method": "POST", "url": "https://example.org" } },
            "ask": { "type": "builtin.human_approval", "config": { "title": "OK?" } },
        },
        "edges": [ { "from": "pay.success", "to": "ask" } ],
    });
    serde_json::from_value(file).expect("a workflow")
}

fn put(faults: &Value) -> Result<Workflow, String> {
    let faults: FaultSpecs = serde_json::from_value(faults.clone()).expect("faults");
    let mut workflow = workflow();
    put_into(&mut workflow, &faults).map(|()| workflow).map_err(|error| format!("{} {}", error.message, error.hint))
}

#[test]
fn a_fault_has_what_the_kind_declares() {
    let mut made = put(&json!({ "pay": { "error": "CONNECTION", "firstCallOnly": true } })).expect("fits");
    assert!(has(&made));
    let fault: StepFault = serde_json::from_value(made.nodes["pay"].fault.clone().expect("a fault")).expect("reads");
    let error = fault.error.expect("an error");
    assert!(fault.first_call_only && error.retryable);
    assert_eq!(serde_json::to_value(error.error_type).expect("a name"), "NetworkError");
    assert_eq!(take_from(&mut made), ["pay"]);
    assert!(!has(&made));
    put(&json!({ "pay": { "output": { "success": [ { "status": 500 } ] }, "delayMs": 1000 } })).expect("fits");
    let faults: FaultSpecs =
        serde_json::from_value(json!({ "pay": { "error": "AUTH" }, "x": { "delayMs": 1 } })).expect("faults");
    assert_eq!(told(&faults), ["pay: AUTH", "x: delay"]);
}

#[test]
fn what_a_step_cannot_have_is_refused() {
    let why = |faults: Value| put(&faults).expect_err("is refused");
    assert!(why(json!({ "gone": { "error": "AUTH" } })).contains("no such step"));
    assert!(why(json!({ "ask": { "error": "AUTH" } })).contains("the engine itself"));
    assert!(why(json!({ "pay": { "error": "MADE_UP" } })).contains("Choose one of"));
    assert!(why(json!({ "pay": {} })).contains("does nothing"));
    assert!(why(json!({ "pay": { "error": "AUTH", "output": { "success": [] } } })).contains("one of the two"));
    assert!(why(json!({ "pay": { "output": { "error": [] } } })).contains("no port 'error'"));
    assert!(why(json!({ "pay": { "delayMs": 4_000_000 } })).contains("more than an hour"));
}
