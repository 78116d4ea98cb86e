use super::{Place, message, task};
use serde_json::{Value, json};

#[test]
fn a_path_names_the_agent_or_one_skill() {
    let one = |id: &str| Some(id.to_owned());
    let known = [
        ("/.well-known/agent-card.json", Place::Card(None)),
        ("/a2a", Place::Messages(None)),
        ("/a2a/.well-known/agent-card.json", Place::Card(None)),
        ("/a2a/greet", Place::Messages(one("greet"))),
        ("/a2a/greet/.well-known/agent-card.json", Place::Card(one("greet"))),
    ];
    for (path, place) in known {
        assert_eq!(Place::of(path), Some(place), "{path}");
    }
    for path in ["/", "/a2ab", "/a2a/greet/more", "/workflow", "/mcp"] {
        assert_eq!(Place::of(path), None, "{path}");
    }
}

#[test]
fn a_message_becomes_the_params() {
    let of = |parts: Value, schema: &Value| message::arguments(&json!({ "parts": parts }), schema).map(Value::Object);
    let none = json!({ "type": "object" });
    let name = json!({ "properties": { "name": { "type": "string" }, "age": { "type": "integer" } } });
    let two = json!({ "properties": { "from": { "type": "string" }, "to": { "type": "string" } } });
    assert_eq!(of(json!([{ "text": "Hi" }]), &none), Ok(json!({ "message": "Hi" })));
    assert_eq!(of(json!([{ "text": "Ada" }, { "data": { "age": 3 } }]), &name), Ok(json!({ "age": 3, "name": "Ada" })));
    assert_eq!(of(json!([{ "text": "{\"from\":\"a\"}" }]), &two), Ok(json!({ "from": "a" })));
    for (parts, schema) in [
        (json!([]), &none),
        (json!([{ "text": "Hi" }]), &two),
        (json!([{ "data": 7 }]), &none),
        (json!([{ "url": "file:///etc" }]), &none),
    ] {
        assert!(of(parts.clone(), schema).is_err(), "{parts}");
    }
}

#[test]
fn a_run_is_a_task() {
    let of = |summary: Value| task::of("r", "c", &summary);
    let done = of(json!({ "status": "completed", "output": [{ "text": "Hello" }] }));
    assert_eq!(done["artifacts"][0]["parts"][0]["text"], "Hello");
    assert_eq!(done["artifacts"][0]["parts"][1]["data"], json!({ "text": "Hello" }));
    let many = of(json!({ "status": "completed", "output": [1, 2] }));
    assert_eq!(many["artifacts"][0]["parts"][0]["text"], "{\"items\":[1,2]}");
    let failed = of(json!({ "status": "failed", "error": { "message": "No paper" } }));
    assert_eq!(failed["status"]["message"]["parts"][0]["text"], "No paper");
    let waits = of(json!({ "status": "paused" }));
    assert_eq!(waits["status"]["state"], "TASK_STATE_WORKING");
    assert!(task::is_over(&failed) && !task::is_over(&waits));
}
