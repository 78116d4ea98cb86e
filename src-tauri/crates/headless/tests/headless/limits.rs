//! Limits of a workflow, from outside: what a caller is told, what lists show, and what a killed server leaves.

use crate::support;

use serde_json::{Value, json};
use support::{Answer, Serving, TestHome, eventually, workflow};

/// A run waits for a person, and is under way as long as it does.
fn store(serving: &Serving, id: &str, limits: Value) {
    let nodes = json!({ "ask": { "type": "builtin.human_approval", "config": { "title": "Shall we?" } } });
    let mut file = workflow(nodes, json!([]));
    file["id"] = json!(id);
    file["settings"] = limits;
    assert_eq!(serving.ask("PUT", &format!("/workflows/{id}"), &file).status, 200);
}

fn start(serving: &Serving, id: &str, customer: &str) -> Answer {
    serving.ask("POST", "/workflow/run", &json!({ "workflow": id, "params": { "customer": customer } }))
}

fn rpc(serving: &Serving, command: &str, body: &Value) -> Value {
    let answer = serving.ask("POST", &format!("/rpc/{command}"), body);
    assert_eq!(answer.status, 200, "{command}: {}", answer.body);
    answer.json()
}

fn run_of(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["runId"].as_str().expect("an id").to_owned()
}

fn status(serving: &Serving, run: &str) -> Value {
    rpc(serving, "run_get", &json!({ "runId": run }))["status"].clone()
}

#[test]
fn a_queued_start_says_so_keeps_its_place_over_kill_9_and_begins_when_its_turn_comes() {
    let place = TestHome::new();
    let mut serving = support::with_roles(&place);
    store(&serving, "orders", json!({ "concurrency": { "max": 1, "key": "params.customer" } }));
    let first = start(&serving, "orders", "ada");
    assert_eq!(first.json().get("queued"), None);
    let (first, second, third) = (run_of(&first), start(&serving, "orders", "ada"), start(&serving, "orders", "ada"));
    assert_eq!(second.json()["queued"], json!(true));
    let (second, third) = (run_of(&second), run_of(&third));
    assert_eq!(start(&serving, "orders", "bob").json().get("queued"), None, "another key");
    let listed = rpc(&serving, "run_list", &json!({ "status": "queued" }));
    let listed: Vec<(&Value, &Value)> =
        listed["runs"].as_array().expect("a list").iter().map(|run| (&run["runId"], &run["place"])).collect();
    assert_eq!(listed, [(&json!(third), &json!(2)), (&json!(second), &json!(1))]);
    assert_eq!(status(&serving, &second), "queued");

    serving.child.kill().expect("kill -9");
    serving.child.wait().expect("gone");
    let listed = place.run(&["runs", "list", "--status", "queued", "--json"]);
    assert!(listed.out.contains(&second) && listed.out.contains(&third), "{}", listed.out);
    let serving = support::with_roles(&place);
    assert_eq!(rpc(&serving, "run_get", &json!({ "runId": third }))["place"], json!(2));
    rpc(&serving, "run_cancel", &json!({ "runId": second }));
    eventually("the cancelled run", || status(&serving, &second) == "cancelled");
    assert_eq!(rpc(&serving, "run_get", &json!({ "runId": third }))["place"], json!(1));
    rpc(&serving, "run_cancel", &json!({ "runId": first }));
    eventually("the turn of the third", || status(&serving, &third) == "paused");
    assert_eq!(rpc(&serving, "run_list", &json!({ "status": "queued" }))["runs"], json!([]));
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

#[test]
fn a_start_without_room_is_refused_where_the_workflow_does_not_queue() {
    let place = TestHome::new();
    let serving = support::with_roles(&place);
    store(&serving, "orders", json!({ "concurrency": { "max": 1, "onLimit": "skip" } }));
    run_of(&start(&serving, "orders", "ada"));
    let refused = start(&serving, "orders", "bob");
    assert_eq!((refused.status, refused.code().as_str()), (409, "RUN_LIMIT"));
    assert!(refused.json()["error"]["hint"].as_str().is_some_and(|hint| hint.contains("workflow settings")));
    // A key without a value is told before anything is started.
    store(&serving, "regions", json!({ "concurrency": { "max": 1, "key": "params.region" } }));
    let refused = start(&serving, "regions", "bob");
    assert_eq!((refused.status, refused.code().as_str()), (422, "LIMIT_KEY"), "{}", refused.body);
    // A start that is debugged does not wait.
    store(&serving, "single", json!({ "concurrency": { "max": 1 } }));
    run_of(&start(&serving, "single", "ada"));
    let debugged = json!({ "workflow": "single", "params": {}, "paused": true });
    let refused = serving.ask("POST", "/workflow/run", &debugged);
    assert_eq!((refused.status, refused.code().as_str()), (409, "RUN_LIMIT"), "{}", refused.body);
}
