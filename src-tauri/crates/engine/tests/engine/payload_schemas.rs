//! The published schemas of the error object and of the envelope refuse what the requirements refuse.

use crate::driver::{World, compile};
use serde_json::{Value, json};
use signalbox_engine::RunState;
use signalbox_engine::schema::Schema;
use std::sync::Arc;

fn published(text: &str) -> Arc<Schema> {
    Schema::compile(&serde_json::from_str(text).expect("the file is JSON")).expect("the schema compiles")
}

/// `sample` with the value at a JSON pointer replaced, or taken away by `None`.
fn changed(sample: &Value, pointer: &str, value: Option<Value>) -> Value {
    let mut sample = sample.clone();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let parent = sample.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
    match value {
        Some(value) => parent.insert(key.to_owned(), value),
        None => parent.shift_remove(key),
    };
    sample
}

#[test]
fn ts_033_an_error_payload_that_breaks_the_definition_is_refused() {
    let schema = published(include_str!("../../../../../schemas/error-payload.schema.json"));
    let minimal = json!({
        "type": "ToolError", "message": "no stock", "timestamp": "2026-01-01T00:00:00Z", "originNode": "order",
        "retryable": false
    });
    assert_eq!(schema.validate(&minimal), Ok(()), "five fields are enough");
    let required = ["type", "message", "timestamp", "originNode", "retryable"];
    // Every combination of missing fields but the empty one.
    for missing in 1..1_u32 << required.len() {
        let mut payload = minimal.clone();
        for (bit, field) in required.iter().enumerate() {
            if missing & (1 << bit) != 0 {
                payload = changed(&payload, &format!("/{field}"), None);
            }
        }
        assert!(schema.validate(&payload).is_err(), "{payload}");
    }
    for (field, wrong) in [
        ("type", json!("Oops")),
        ("type", json!("toolerror")),
        ("type", json!(null)),
        ("message", json!(5)),
        ("retryable", json!("yes")),
        ("originNode", json!(["order"])),
        ("attempt", json!(-1)),
        ("attempt", json!(1.5)),
        ("maxAttempts", json!(-1)),
        ("timestamp", json!("yesterday")),
        ("timestamp", json!("2026-13-01T00:00:00Z")),
        ("timestamp", json!(1_767_225_600)),
        ("suggestedAction", json!("panic")),
        ("details", json!("because")),
        ("stack", json!("at main.rs:1")),
    ] {
        let payload = changed(&minimal, &format!("/{field}"), Some(wrong));
        assert!(schema.validate(&payload).is_err(), "{payload}");
    }
    let full = json!({
        "type": "Timeout", "message": "slow", "timestamp": "2026-01-01T00:00:00.250+02:00", "originNode": "order",
        "originRunId": "r", "retryable": true, "attempt": 0, "maxAttempts": 3, "suggestedAction": "auto_fix",
        "provenanceRef": "audit:7", "details": { "code": "TIMEOUT", "any": [1] }
    });
    assert_eq!(schema.validate(&full), Ok(()));
}

#[test]
fn ts_160_an_envelope_that_breaks_the_definition_is_refused() {
    let schema = published(include_str!("../../../../../schemas/execution-payload.schema.json"));
    let valid = json!({
        "runId": "0190b8a0-0000-7000-8000-000000000001",
        "items": [{ "id": "1", "data": { "n": 1 } }, { "id": "2", "data": null, "pairedItem": 0 }],
        "context": { "total": 3 },
        "meta": { "startTime": "2026-01-01T00:00:00Z", "lastNode": "order", "further": true }
    });
    assert_eq!(schema.validate(&valid), Ok(()));
    for pointer in ["/runId", "/items", "/context", "/meta", "/meta/startTime"] {
        assert!(schema.validate(&changed(&valid, pointer, None)).is_err(), "without {pointer}");
    }
    for field in ["id", "data"] {
        let mut payload = valid.clone();
        payload["items"][1].as_object_mut().expect("an item").shift_remove(field);
        assert!(schema.validate(&payload).is_err(), "an item without {field}");
    }
    for (pointer, wrong) in [
        ("/runId", json!("run-1")),
        ("/runId", json!("0190b8a0-0000-7000-8000")),
        ("/items", json!({})),
        ("/items", json!(["text"])),
        ("/items", json!([{ "id": 1, "data": {} }])),
        ("/items", json!([{ "id": "1", "data": {}, "error": { "message": "m", "nodeId": "n" } }])),
        ("/items", json!([{ "id": "1", "data": {}, "pairedItem": -1 }])),
        ("/context", json!([])),
        ("/meta/startTime", json!("now")),
        ("/extra", json!(1)),
    ] {
        let payload = changed(&valid, pointer, Some(wrong));
        assert!(schema.validate(&payload).is_err(), "{payload}");
    }
}

/// D-12, K-61: in debug builds each step holds what arrives against the definition. Here the id of the run has the length of a UUID
/// and is none.
#[cfg(debug_assertions)]
#[test]
fn d_12_an_envelope_that_breaks_the_definition_fails_its_step() {
    let compiled = compile(json!({
        "signalbox": 1, "id": "w", "name": "w", "settings": { "errorPolicy": "fail" },
        "nodes": { "a": { "type": "t.pass" }, "b": { "type": "t.pass" } },
        "edges": [{ "from": "a.success", "to": "b" }]
    }));
    let ended = |run: &str| {
        let mut world = World::new(&compiled, &|_, _, _| None, 0);
        world.state = RunState::new(&compiled, run, None);
        world.start(json!({}));
        world.run_to_end();
        serde_json::to_string(&world.events).expect("JSON")
    };
    let broken = ended("a-run-id-of-thirty-six-letters-xxxxx");
    assert!(broken.contains("is no ExecutionPayload: ") && broken.contains("/runId"), "{broken}");
    let good = ended("0190b8a0-0000-7000-8000-000000000001");
    assert!(!good.contains("ExecutionPayload"), "{good}");
}
