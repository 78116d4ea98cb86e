//! Killed with -9 in mid-run: the run goes on, and no finished step runs again.

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use support::{Loopback, Serving, TestHome, eventually, workflow};

/// `a` (a call that is finished) → `w` (a wait) → `b` (a call).
fn file(place: &TestHome, server: &Loopback, ms: u64) -> String {
    let flow = workflow(
        json!({
            "a": { "type": "http.request", "config": { "url": format!("{}/a", server.base) } },
            "w": { "type": "flow.wait", "config": { "ms": ms } },
            "b": { "type": "http.request", "config": { "url": format!("{}/b", server.base) } },
        }),
        json!([{ "from": "a.success", "to": "w" }, { "from": "w.success", "to": "b" }]),
    );
    place.file("crash.signalbox.json", flow.to_string()).display().to_string()
}

/// Starts a run and kills it when the wait has begun; gives the run's id.
fn killed_in_the_wait(place: &TestHome, file: &str) -> String {
    let mut child = place.spawn(&["run", file, "--events", "--json"]);
    let mut run = String::new();
    for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
        let event: Value = serde_json::from_str(&line.expect("text")).expect("json");
        run = event["runId"].as_str().expect("an id").to_owned();
        if event["type"] == "step_start" && event["stepId"] == "w" {
            break;
        }
    }
    child.kill().expect("kill -9");
    child.wait().expect("gone");
    run
}

#[test]
fn resume_goes_on_after_kill_9() {
    let place = TestHome::new();
    let server = Loopback::start();
    let run = killed_in_the_wait(&place, &file(&place, &server, 1_500));
    let left = place.run(&["runs", "list"]);
    assert!(left.out.contains(&format!("(not executing; `signalbox resume {run}`)")), "{}", left.out);
    assert_eq!(place.run(&["runs", "list", "--json"]).json()[0]["status"], "running");
    assert_eq!(place.run(&["runs", "show", &run, "--json"]).json()["status"], "running");
    let done = place.run(&["resume", &run, "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let summary = done.json();
    assert_eq!((summary["runId"].as_str(), summary["status"].as_str()), (Some(run.as_str()), Some("completed")));
    assert_eq!((server.hits("/a"), server.hits("/b")), (1, 1));
    let events = place.run(&["runs", "events", &run]).lines();
    let seqs: Vec<u64> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    assert!(events.iter().any(|event| event["type"] == "workflow_resumed"));
    assert_eq!(events.iter().filter(|event| event["type"] == "workflow_done").count(), 1);
}

#[test]
fn a_server_takes_up_what_a_crash_left() {
    let place = TestHome::new();
    let server = Loopback::start();
    let run = killed_in_the_wait(&place, &file(&place, &server, 800));
    let serving = Serving::start(&place, &[]);
    let status = || serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json()["status"].clone();
    eventually("the end", || status() == "completed");
    assert_eq!((server.hits("/a"), server.hits("/b")), (1, 1));
}

#[test]
fn the_terminal_works_beside_a_server_on_one_store() {
    let place = TestHome::new();
    let server = Loopback::start();
    let serving = Serving::start(&place, &[]);
    let document: Value =
        serde_json::from_str(&std::fs::read_to_string(file(&place, &server, 600_000)).expect("there")).expect("json");
    let started = serving.ask("POST", "/rpc/run_start", &json!({ "document": document, "params": {} })).json();
    let run = started["runId"].as_str().expect("an id").to_owned();
    assert_eq!(place.run(&["runs", "list", "--json"]).json()[0]["runId"], json!(run));
    let busy = place.run(&["resume", &run, "--json"]);
    assert_eq!((busy.code, busy.json()["error"]["code"].as_str()), (2, Some("DRIVEN_ELSEWHERE")));
    assert_eq!(place.run(&["runs", "delete", &run, "--json"]).code, 2, "it runs");
    let cancelled = place.run(&["cancel", &run, "--json"]);
    assert_eq!((cancelled.code, cancelled.json()["status"].as_str()), (0, Some("cancelled")), "{}", cancelled.err);
    // Who ended it stands in the chain, and a pack of the run is whole with it.
    let told = place.run(&["audit", "list", "--query", "event:RUN_CANCELLED", "--json"]).json();
    assert_eq!((told.as_array().map(Vec::len), &told[0]["runId"]), (Some(1), &json!(run)), "{told}");
    assert!(told[0]["actor"]["id"].as_str().is_some_and(|id| id.starts_with("user:")), "{told}");
    assert_eq!(place.run(&["audit", "export", "--run", &run, "--out", "run.zip"]).code, 0);
    assert_eq!(place.run(&["audit", "verify", "run.zip"]).code, 0);
    // A run of the terminal while the server has the store.
    let quick = place.file("q.json", workflow(json!({ "a": { "type": "flow.noop" } }), json!([])).to_string());
    assert_eq!(place.run(&["run", &quick.display().to_string(), "--json"]).code, 0);
}

#[test]
fn a_long_step_is_named_while_it_takes_its_time() {
    let place = TestHome::new();
    let flow = workflow(
        json!({ "w": { "type": "flow.wait", "title": "Let it rest", "config": { "ms": 600_000 } } }),
        json!([]),
    );
    let file = place.file("long.signalbox.json", flow.to_string()).display().to_string();
    let mut child = place.spawn(&["run", &file]);
    let first = BufReader::new(child.stderr.take().expect("piped")).lines().next().expect("a line").expect("text");
    child.kill().expect("kill -9");
    child.wait().expect("gone");
    assert_eq!(first, "… Let it rest");
}

#[test]
fn ctrl_c_leaves_a_run_that_can_be_resumed() {
    let place = TestHome::new();
    let server = Loopback::start();
    let file = file(&place, &server, 1_500);
    let mut child = place.spawn(&["run", &file, "--events", "--json"]);
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let run = loop {
        let event: Value = serde_json::from_str(&lines.next().expect("a line").expect("text")).expect("json");
        if event["stepId"] == "w" {
            break event["runId"].as_str().expect("an id").to_owned();
        }
    };
    let stopped = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(stopped.success());
    let mut words = String::new();
    std::io::Read::read_to_string(child.stderr.as_mut().expect("piped"), &mut words).expect("text");
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    assert!(words.contains(&format!("signalbox resume {run}")), "{words}");
    assert_eq!(place.run(&["resume", &run, "--json"]).code, 0);
    assert_eq!(server.hits("/a"), 1);
}

#[test]
fn a_store_of_a_newer_release_is_refused() {
    let place = TestHome::new();
    let quick = place.file("q.json", workflow(json!({ "a": { "type": "flow.noop" } }), json!([])).to_string());
    assert_eq!(place.run(&["run", &quick.display().to_string(), "--json"]).code, 0);
    let store = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
    store.pragma_update(None, "user_version", 9_999).expect("written");
    drop(store);
    let done = place.run(&["runs", "list", "--json"]);
    assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some("NEWER_STORE")), "{}", done.out);
}
