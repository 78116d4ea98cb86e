//! What the tasks of a time say together, and the rules that decisions suggest (UX D2.14).

use crate::support;

use serde_json::{Value, json};
use support::{TestHome, VIEWER, with_roles, workflow};

#[test]
fn three_decisions_alike_suggest_a_rule() {
    let place = TestHome::new();
    let mut file = workflow(
        json!({
            "check": { "type": "flow.fail", "title": "Check", "config": { "error": {
                "type": "ToolError", "retryable": false, "message": "no \"{{item.id}}\"", "details": { "code": "NO_STOCK" } } } },
            "ask": { "type": "builtin.human_decision" },
        }),
        json!([{ "from": "check.error", "to": "ask" }]),
    );
    file["id"] = "stock".into();
    let path = place.file("flow.signalbox.json", file.to_string()).display().to_string();
    let decide = |n: u32| {
        assert_eq!(place.run(&["run", &path, "--params", &json!({ "id": n }).to_string()]).code, 3);
        let task = place.run(&["tasks", "list", "--json"]).json()[0]["id"].as_str().expect("a task").to_owned();
        assert_eq!(place.run(&["tasks", "complete", &task, "--action", "abort"]).code, 0);
    };
    let stats = || place.run(&["tasks", "stats", "--json"]).json();
    assert_eq!((&stats()["created"], &stats()["causes"]), (&json!(0), &json!([])));
    decide(1);
    decide(2);
    assert_eq!(stats()["causes"][0].get("suggestion"), None, "twice may be chance");
    decide(3);
    let told = stats();
    assert_eq!((&told["created"], &told["decided"], &told["open"]), (&json!(3), &json!(3), &json!(0)));
    assert_eq!(told["actions"], json!([{ "action": "abort", "count": 3 }]));
    assert_eq!((&told["workflows"][0]["workflowId"], &told["workflows"][0]["decided"]), (&json!("stock"), &json!(3)));
    let cause = &told["causes"][0];
    assert_eq!(
        (&cause["nodeId"], &cause["nodeTitle"], &cause["decided"]),
        (&json!("check"), &json!("Check"), &json!(3))
    );
    let suggestion = &cause["suggestion"];
    assert_eq!((&suggestion["decisions"], &suggestion["action"]), (&json!(3), &json!("abort")));
    assert_eq!(
        suggestion["when"],
        r#"error.type == "ToolError" && has(error.details.code) && error.details.code == "NO_STOCK""#
    );
    assert!(place.run(&["tasks", "stats"]).out.contains("as a rule: abort when error.type"));
    assert_eq!(place.run(&["tasks", "stats", "--since", "yesterday", "--json"]).code, 2);

    // The rule holds what it says: with it in the file nobody is asked.
    let mut ruled = file.clone();
    ruled["nodes"]["handle"] = json!({ "type": "builtin.error_handler", "config": { "rules": [
        { "name": suggestion["name"], "when": suggestion["when"], "action": suggestion["action"] },
        { "name": "ask", "when": "true", "action": "human_review" } ] } });
    ruled["edges"] = json!([{ "from": "check.error", "to": "handle" }, { "from": "handle.human_review", "to": "ask" }]);
    let path = place.file("ruled.signalbox.json", ruled.to_string()).display().to_string();
    let done = place.run(&["run", &path, "--params", "{\"id\":4}", "--json"]);
    assert_eq!((done.code, &done.last()["status"]), (1, &json!("failed")), "{}\n{}", done.out, done.err);
}

#[test]
fn a_viewer_reads_the_figures_over_rest() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let get = |query: &str| serving.ask_as(VIEWER, "GET", &format!("/human-tasks/stats{query}"), &Value::Null, &[]);
    let all = get("?since=2026-01-01T00:00:00Z&workflow=none");
    assert_eq!(all.status, 200, "{}", all.body);
    assert_eq!((&all.json()["created"], &all.json()["since"]), (&json!(0), &json!("2026-01-01T00:00:00.000Z")));
    assert_eq!(get("?since=x").status, 400);
    assert_eq!(get("?until=x").status, 400);
}
