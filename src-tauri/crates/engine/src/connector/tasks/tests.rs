use super::problems;
use serde_json::{Value, json};
use signalbox_model::Connector;

fn base() -> Value {
    json!({
        "connector": 1, "name": "desk", "title": "Desk", "servers": [{ "url": "https://desk.example" }],
        "operations": {
            "list": { "title": "List", "method": "GET", "path": "/t", "parameters": [
                { "name": "q", "in": "query", "required": true, "schema": { "type": "string" } }] },
            "make": { "title": "Make", "method": "POST", "path": "/t", "parameters": [
                { "name": "title", "in": "body", "required": true, "schema": { "type": "string" } }] },
        },
        "tasks": {
            "settings": { "queue": { "title": "Queue" } },
            "templates": { "title": "{{item.task.title}}" },
            "find": [{ "operation": "list", "params": { "q": "{{item.marker}}" }, "keep": { "id": "item.answer.id" } }],
            "create": [{ "operation": "make", "params": { "title": "{{item.text.title}}" }, "keep": { "id": "item.answer.id" } }],
            "close": [{ "operation": "make", "params": { "title": "closed" } }],
            "decisions": {
                "auth": { "type": "hmac", "preset": "github" }, "id": "item.body.id", "value": "item.body.state",
                "person": "item.body.by", "values": { "Done": "approve" } },
        },
    })
}

fn found(change: impl FnOnce(&mut Value)) -> Vec<(String, String)> {
    let mut file = base();
    change(&mut file["tasks"]);
    let connector: Connector = serde_json::from_value(file).expect("it has the shape");
    problems(&connector).into_iter().map(|one| (one.path, format!("{} {}", one.message, one.hint))).collect()
}

#[test]
fn a_good_section_has_no_problems() {
    assert_eq!(found(|_| ()), []);
}

#[test]
fn each_slip_of_the_section_has_its_place() {
    for (pointer, value, path, words) in [
        ("/create/0/operation", json!("mak"), "/tasks/create/0/operation", "Did you mean 'make'?"),
        (
            "/create/0/params",
            json!({ "titel": "x", "title": "y" }),
            "/tasks/create/0/params/titel",
            "Did you mean 'title'?",
        ),
        ("/close/0/params", json!({}), "/tasks/close/0/params", "'title'"),
        ("/close", json!([]), "/tasks/close", "closed"),
        ("/create/0/keep", json!({}), "/tasks/create", "'id'"),
        ("/find/0/operation", json!("make"), "/tasks/find/0/operation", "only look"),
        ("/find/0/keep/id", json!("item."), "/tasks/find/0/keep/id", "cannot be read"),
        ("/templates/title", json!("{{item.}}"), "/tasks/templates/title", "cannot be read"),
        ("/settings/queue/title", json!(""), "/tasks/settings/queue/title", "empty"),
        ("/decisions/auth", json!({}), "/tasks/decisions/auth/type", "never taken from just anybody"),
        ("/decisions/auth", json!({ "type": "none" }), "/tasks/decisions/auth/type", "never"),
        ("/decisions/auth/preset", json!("jira"), "/tasks/decisions/auth", "no signature preset"),
        ("/decisions/values/Done", json!("correct"), "/tasks/decisions/values/Done", "Use one of approve"),
        ("/decisions/value", json!("item.body.("), "/tasks/decisions/value", "cannot be read"),
    ] {
        let told = found(|tasks| *tasks.pointer_mut(pointer).expect(pointer) = value);
        assert!(told.iter().any(|(at, what)| at == path && what.contains(words)), "{pointer}: {told:?}");
    }
    // The wrong parameter leaves the right one missing; nothing else is told.
    let told = found(|tasks| tasks["decisions"]["auth"]["secret"] = json!("secret://x"));
    assert_eq!(told[0].0, "/tasks/decisions/auth/secret");
}
