//! A tool server that asks back in the middle of a call (ADR 126), with the real program and a real server.

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Child;
use support::{TestHome, workflow};

fn approve(place: &TestHome) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/mcp/server.mjs");
    let (server, log) = (path.canonicalize().expect("the test server"), place.dir.path().join("log"));
    let (server, log) = (server.display().to_string(), log.display().to_string());
    let set = place.run(&["tools", "set", "one", "--", "node", &server, "--log", &log]);
    assert_eq!(set.code, 0, "{}{}", set.out, set.err);
    let hash = place.run(&["tools", "connect", "one", "--json"]).json()["hash"].as_str().expect("a hash").to_owned();
    assert_eq!(place.run(&["tools", "approve", "one", "--hash", &hash]).code, 0);
}

fn called(place: &TestHome) -> usize {
    let log = std::fs::read_to_string(place.dir.path().join("log")).unwrap_or_default();
    log.lines().filter(|line| line.contains("\"called\"")).count()
}

/// Starts a run, and waits until its tool asks: the events so far are read, the rest is still to come.
fn asking(place: &TestHome, arguments: &Value) -> (Child, impl Iterator<Item = Value> + use<>, Value) {
    let node = json!({ "type": "mcp.tool", "config": { "server": "one", "tool": "asks", "arguments": arguments } });
    let file = place.file("asks.signalbox.json", workflow(json!({ "ask": node }), json!([])).to_string());
    let mut child = place.spawn(&["run", &file.display().to_string(), "--events", "--json"]);
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut events = lines.map(|line| serde_json::from_str::<Value>(&line.expect("text")).expect("json"));
    let task = events.find(|event| event["type"] == "human_task_created").expect("a task");
    (child, events, task)
}

#[test]
fn e_17_a_question_of_a_tool_is_answered_in_the_inbox_while_the_call_stays_open() {
    let place = TestHome::new();
    approve(&place);
    let (mut child, mut events, task) = asking(&place, &json!({}));
    let told = &task["payload"];
    assert_eq!(
        (&told["reason"], &told["instructions"], &told["input"]),
        (&json!("question"), &json!("Which colour?"), &json!({ "size": "M" }))
    );
    let id = told["taskId"].as_str().expect("an id");
    let unfit = place.run(&["tasks", "complete", id, "--action", "submit", "--input", r#"{"colour":7}"#, "--json"]);
    assert_eq!(unfit.code, 2, "the answer is checked: {}", unfit.out);
    let done = place.run(&["tasks", "complete", id, "--action", "submit", "--input", r#"{"colour":"red"}"#, "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let end = events.find(|event| event["type"] == "step_done").expect("it continues");
    let told = end["payload"]["items"]["success"][0]["data"]["told"].clone();
    assert_eq!(told, json!([{ "action": "accept", "content": { "colour": "red", "size": "M" } }]), "{end}");
    events.for_each(drop);
    assert!(child.wait().expect("it ends").success());
    assert_eq!(called(&place), 1, "it was not called again");
    // The chain has who answered.
    let chain = place.run(&["audit", "list", "--query", "event:HITL_CREATED", "--json"]).json();
    assert_eq!(chain.as_array().map(Vec::len), Some(1), "{chain}");
}

#[test]
fn a_question_whose_process_was_killed_is_closed_when_the_run_goes_on() {
    let place = TestHome::new();
    approve(&place);
    let (mut child, events, task) = asking(&place, &json!({}));
    let run = task["runId"].as_str().expect("an id").to_owned();
    child.kill().expect("kill -9");
    child.wait().expect("gone");
    drop(events);
    let done = place.run(&["resume", &run, "--json"]);
    let summary = done.json();
    assert_eq!((&summary["status"], &summary["error"]["details"]["code"]), (&json!("failed"), &json!("INPUT_LOST")));
    assert_eq!(place.run(&["tasks", "list", "--json"]).json(), json!([]), "nobody is asked any more");
    assert_eq!(called(&place), 1, "what may have happened is not done again");
}

#[test]
fn a_question_that_asks_for_a_secret_carries_a_warning() {
    let place = TestHome::new();
    approve(&place);
    let (mut child, mut events, task) = asking(&place, &json!({ "secret": true }));
    let told = task["payload"]["instructions"].as_str().expect("words");
    assert!(told.starts_with("Warning: this asks for what looks like a secret (apiKey)"), "{told}");
    let id = task["payload"]["taskId"].as_str().expect("an id");
    assert_eq!(place.run(&["tasks", "complete", id, "--action", "reject"]).code, 0);
    let end = events.find(|event| event["type"] == "step_done").expect("it continues");
    assert_eq!(end["payload"]["items"]["success"][0]["data"]["told"], json!([{ "action": "decline" }]));
    events.for_each(drop);
    assert!(child.wait().expect("it ends").success());
}
