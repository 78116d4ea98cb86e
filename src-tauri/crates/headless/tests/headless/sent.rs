//! Failed runs that are sent to the inbox (ADR 58): the command line and REST, with the real program.

use crate::support;

use serde_json::{Value, json};
use support::{Loopback, OPERATOR, TestHome, VIEWER, eventually, with_roles, workflow};

/// a → b (asks the server, which refuses; nobody handles it) → c (tells the server).
fn flow(id: &str) -> Value {
    let mut file = workflow(
        json!({
            "a": { "type": "http.request", "config": { "method": "POST", "url": "{{params.base}}/before", "body": {} } },
            "b": { "type": "http.request", "title": "Send", "config": { "method": "POST", "url": "{{params.base}}/down", "body": {} } },
            "c": { "type": "http.request", "config": { "method": "POST", "url": "{{params.base}}/after", "body": {} } },
        }),
        json!([{ "from": "a.success", "to": "b" }, { "from": "b.success", "to": "c" }]),
    );
    file["id"] = id.into();
    file["settings"] = json!({ "errorPolicy": "fail" });
    file
}

#[test]
fn a_failed_run_is_sent_to_the_inbox_once_at_the_terminal() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let path = place.file("flow.signalbox.json", flow("sent").to_string());
    let params = json!({ "base": server.base }).to_string();
    let done = place.run(&["run", &path.display().to_string(), "--params", &params, "--json"]);
    assert_eq!(done.code, 1, "{}\n{}", done.out, done.err);
    let run = done.last()["runId"].as_str().expect("an id").to_owned();

    let sent = place.run(&["runs", "send", &run, "--reason", "they moved", "--as", "user:anna", "--json"]);
    assert_eq!(sent.code, 0, "{}\n{}", sent.out, sent.err);
    let told = sent.json();
    let (new_run, task) = (told["sentRunId"].as_str().expect("a run"), told["taskId"].as_str().expect("a task"));
    assert_eq!((&told["runId"], &told["status"], &told["already"]), (&json!(run), &json!("paused"), &json!(false)));
    let twice = place.run(&["runs", "send", &run, "--json"]).json();
    assert_eq!(
        (&twice["sentRunId"], &twice["taskId"], &twice["already"]),
        (&json!(new_run), &json!(task), &json!(true)),
        "a second time says where it is"
    );
    assert!(place.run(&["runs", "send", &run]).out.contains("already"));
    assert_eq!(place.run(&["tasks", "list", "--json"]).json().as_array().map(Vec::len), Some(1));

    let shown = place.run(&["tasks", "show", task, "--json"]).json();
    assert_eq!(shown["sentFrom"], json!({ "runId": run, "by": "user:anna", "reason": "they moved" }));
    let lines: Vec<(&str, &str)> = shown["history"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|line| Some((line["what"].as_str()?, line["by"].as_str()?)))
        .collect();
    assert_eq!(lines, [("created", "system"), ("sent", "user:anna")]);
    let entries = place.run(&["audit", "list", "--query", "event:RUN_SENT_TO_INBOX", "--json"]).json();
    assert_eq!(entries.as_array().map(Vec::len), Some(1));
    let (facts, entry) = (&entries[0]["metadata"], &entries[0]);
    assert_eq!(
        (&entry["runId"], &entry["nodeId"], &entry["actor"]["id"]),
        (&json!(run), &json!("b"), &json!("user:anna"))
    );
    assert_eq!((&facts["newRunId"], &facts["reason"]), (&json!(new_run), &json!("they moved")));

    assert_eq!((server.hits("/before"), server.hits("/down"), server.hits("/after")), (1, 1, 0));
    assert_eq!(place.run(&["tasks", "complete", task, "--action", "skip"]).code, 0);
    let ended = place.run(&["resume", new_run, "--json"]);
    assert_eq!(ended.code, 0, "{}\n{}", ended.out, ended.err);
    assert_eq!((server.hits("/before"), server.hits("/down"), server.hits("/after")), (1, 1, 1), "only what was left");
    let rows = place.run(&["runs", "list", "--json"]).json();
    assert_eq!(
        (&rows[0]["runId"], &rows[0]["parentRunId"], &rows[0]["status"]),
        (&json!(new_run), &json!(run), &json!("completed"))
    );

    // Only failed runs, in words.
    let well = place.run(&["runs", "send", new_run, "--json"]);
    assert_eq!((well.code, well.json()["error"]["code"].as_str()), (2, Some("NOT_FAILED")), "{}", well.out);
    assert_eq!(place.run(&["runs", "send", "nope"]).code, 2);
    // That one is over: who sends it again asks anew.
    let third = place.run(&["runs", "send", &run, "--json"]).json();
    assert_eq!(third["already"], false);
    assert_ne!(third["sentRunId"], json!(new_run));
    assert_eq!(place.run(&["audit", "verify", "--json"]).code, 0);
}

#[test]
fn an_operator_sends_it_over_rest_and_two_at_once_make_one_task() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let serving = with_roles(&place);
    assert_eq!(serving.ask("PUT", "/workflows/sent", &flow("sent")).status, 200);
    let start = json!({ "workflow": "sent", "params": { "base": server.base } });
    let run = serving.ask("POST", "/workflow/run", &start).json()["runId"].as_str().expect("a run").to_owned();
    let status = |run: &str| serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json();
    eventually("it fails", || status(&run)["status"] == "failed");
    let send = |token: &str, run: &str, body: Value| {
        serving.ask_as(token, "POST", &format!("/workflow/{run}/inbox"), &body, &[])
    };
    assert_eq!(send(VIEWER, &run, json!({})).status, 403);
    assert_eq!(send(OPERATOR, "nope", json!({})).status, 404);
    assert_eq!(send(OPERATOR, &run, json!({ "why": 1 })).status, 400);
    let both: Vec<Value> = std::thread::scope(|scope| {
        let one = || {
            let done = send(OPERATOR, &run, json!({ "reason": "they moved" }));
            assert_eq!(done.status, 200, "{}", done.body);
            done.json()
        };
        let threads = [scope.spawn(one), scope.spawn(one)];
        threads.into_iter().map(|thread| thread.join().expect("it answers")).collect()
    });
    assert_eq!(both[0]["sentRunId"], both[1]["sentRunId"], "{both:?}");
    assert!(both.iter().any(|sent| sent["already"] == true), "{both:?}");
    let asks = both[0]["sentRunId"].as_str().expect("a run");
    eventually("it waits", || status(asks)["status"] == "paused");
    let tasks = serving.ask("GET", "/human-tasks", &Value::Null).json()["tasks"].clone();
    assert_eq!(tasks.as_array().map(Vec::len), Some(1), "{tasks}");
    let details = serving.ask_as(VIEWER, "POST", "/rpc/run_get", &json!({ "runId": run }), &[]).json();
    assert_eq!(details["sentAs"], json!({ "runId": asks, "taskId": tasks[0]["id"] }));
}
