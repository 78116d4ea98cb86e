//! Ended tasks that are asked again (UX D2.15): the command line and REST, with the real program.

use crate::support;

use serde_json::{Value, json};
use support::{Loopback, OPERATOR, TestHome, VIEWER, eventually, with_roles, workflow};

/// a → b (asks the server, which refuses) → a person → c (tells the server).
fn flow(id: &str) -> Value {
    let mut file = workflow(
        json!({
            "a": { "type": "data.set", "config": { "assign": { "n": 1 } } },
            "b": { "type": "http.request", "title": "Send", "config": { "method": "POST", "url": "{{params.base}}/down", "body": {} } },
            "ask": { "type": "builtin.human_decision", "title": "Ask" },
            "c": { "type": "http.request", "config": { "method": "POST", "url": "{{params.base}}/after", "body": {} } },
        }),
        json!([{ "from": "a.success", "to": "b" }, { "from": "b.error", "to": "ask" }, { "from": "ask.skip", "to": "c" }]),
    );
    file["id"] = id.into();
    file
}

fn paused(place: &TestHome, server: &Loopback) -> (String, String) {
    let path = place.file("flow.signalbox.json", flow("reopen").to_string());
    let params = json!({ "base": server.base }).to_string();
    let done = place.run(&["run", &path.display().to_string(), "--params", &params, "--json"]);
    assert_eq!(done.code, 3, "{}\n{}", done.out, done.err);
    let task = place.run(&["tasks", "list", "--json"]).json()[0]["id"].as_str().expect("a task").to_owned();
    (done.last()["runId"].as_str().expect("an id").to_owned(), task)
}

#[test]
fn an_ended_task_is_asked_again_as_a_linked_one_at_the_terminal() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let (run, task) = paused(&place, &server);
    let open = place.run(&["tasks", "reopen", &task, "--reason", "too early", "--json"]);
    assert_eq!((open.code, open.json()["error"]["code"].as_str()), (5, Some("STILL_OPEN")), "{}", open.out);
    assert_eq!(place.run(&["tasks", "complete", &task, "--action", "skip"]).code, 0);
    place.run(&["resume", &run]);
    assert_eq!((server.hits("/down"), server.hits("/after")), (1, 1));
    let before = place.run(&["tasks", "show", &task, "--json"]).json();

    let none = place.run(&["tasks", "reopen", &task, "--reason", "  ", "--json"]);
    assert_eq!(none.code, 2, "a reason is needed: {}", none.out);
    let done = place.run(&["tasks", "reopen", &task, "--reason", "the wrong customer", "--as", "user:anna", "--json"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let told = done.json();
    let (new_run, new_task) = (told["runId"].as_str().expect("a run"), told["newTaskId"].as_str().expect("a task"));
    assert_eq!(told["status"], "paused");
    assert_eq!((server.hits("/down"), server.hits("/after")), (1, 1), "nothing is called before somebody decides");

    // Both show the link; what the first one was stays.
    let old = place.run(&["tasks", "show", &task, "--json"]).json();
    assert_eq!(old["reopenedAs"], json!({ "runId": new_run, "taskId": new_task }));
    assert_eq!(
        (&old["state"], &old["decision"], &old["revision"]),
        (&before["state"], &before["decision"], &before["revision"])
    );
    let last = old["history"].as_array().and_then(|all| all.last()).cloned().expect("a line");
    assert_eq!(
        (&last["what"], &last["by"], &last["text"]),
        (&json!("reopened"), &json!("user:anna"), &json!("the wrong customer"))
    );
    let new = place.run(&["tasks", "show", new_task, "--json"]).json();
    assert_eq!(new["reopens"], json!({ "runId": run, "taskId": task }));
    assert_eq!(
        (&new["state"], &new["fingerprint"], &new["runId"]),
        (&json!("open"), &old["fingerprint"], &json!(new_run))
    );
    let rows = place.run(&["runs", "list", "--json"]).json();
    assert_eq!((&rows[0]["runId"], &rows[0]["parentRunId"]), (&json!(new_run), &json!(run)));
    let entries = place.run(&["audit", "list", "--query", "event:TASK_REOPENED", "--json"]).json();
    assert_eq!((&entries[0]["runId"], &entries[0]["metadata"]["taskId"]), (&json!(run), &json!(task)));
    assert_eq!(
        (&entries[0]["metadata"]["reason"], &entries[0]["actor"]["id"]),
        (&json!("the wrong customer"), &json!("user:anna"))
    );
    assert_eq!(entries[0]["metadata"]["newRunId"], json!(new_run));

    // A second time only when the first is over.
    let twice = place.run(&["tasks", "reopen", &task, "--reason", "again", "--json"]);
    assert_eq!((twice.code, twice.json()["error"]["code"].as_str()), (5, Some("ALREADY_REOPENED")), "{}", twice.out);
    assert_eq!(place.run(&["tasks", "complete", new_task, "--action", "abort"]).code, 0);
    place.run(&["resume", new_run]);
    assert_eq!((server.hits("/down"), server.hits("/after")), (1, 1), "the second decision was another one");
    let third = place.run(&["tasks", "reopen", &task, "--reason", "skip after all", "--json"]).json();
    assert_ne!(third["newTaskId"], json!(new_task));
    assert_eq!(
        place.run(&["tasks", "show", new_task, "--json"]).json()["reopens"]["taskId"],
        json!(task),
        "history stays"
    );
    assert_eq!(place.run(&["audit", "verify", "--json"]).code, 0);
}

#[test]
fn an_operator_opens_an_approval_again_over_rest_and_a_viewer_may_not() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let mut file = workflow(
        json!({
            "a": { "type": "data.set", "config": { "assign": { "n": 1 } } },
            "ask": { "type": "builtin.human_approval", "config": { "title": "Good?" } },
            "c": { "type": "data.set", "config": { "assign": { "end": true } } },
        }),
        json!([{ "from": "a.success", "to": "ask" }, { "from": "ask.approved", "to": "c" }]),
    );
    file["id"] = "approve".into();
    assert_eq!(serving.ask("PUT", "/workflows/approve", &file).status, 200);
    let run = serving.ask("POST", "/workflow/run", &json!({ "workflow": "approve" })).json()["runId"].clone();
    let run = run.as_str().expect("a run").to_owned();
    let status = |run: &str| serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json();
    eventually("it waits", || status(&run)["status"] == "paused");
    let task = status(&run)["openTasks"][0].as_str().expect("a task").to_owned();
    let post = |token: &str, act: &str, task: &str, body: Value| {
        serving.ask_as(token, "POST", &format!("/human-tasks/{task}/{act}"), &body, &[])
    };
    assert_eq!(post(OPERATOR, "complete", &task, json!({ "action": "reject" })).status, 200);
    eventually("it ends", || status(&run)["status"] == "completed");

    let why = json!({ "reason": "the figures have come" });
    assert_eq!(post(VIEWER, "reopen", &task, why.clone()).status, 403);
    assert_eq!(post(OPERATOR, "reopen", &task, json!({ "reason": "" })).status, 400);
    assert_eq!(post(OPERATOR, "reopen", "nope", why.clone()).status, 404);
    let done = post(OPERATOR, "reopen", &task, why.clone());
    assert_eq!(done.status, 200, "{}", done.body);
    let new_run = done.json()["runId"].as_str().expect("a run").to_owned();
    eventually("it waits again", || status(&new_run)["status"] == "paused");
    assert_eq!(post(OPERATOR, "reopen", &task, why).status, 409);
    let new_task = status(&new_run)["openTasks"][0].as_str().expect("a task").to_owned();
    let new = serving.ask("GET", &format!("/human-tasks/{new_task}"), &Value::Null).json();
    assert_eq!(new["reopens"]["taskId"], json!(task));
    assert_eq!(post(OPERATOR, "complete", &new_task, json!({ "action": "approve" })).status, 200);
    eventually("it ends well", || status(&new_run)["status"] == "completed");
    assert_eq!(status(&new_run)["output"], json!([{ "n": 1, "end": true }]));
}
