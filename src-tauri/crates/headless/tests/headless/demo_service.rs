//! The first sample waits for a person; whoever goes on with it needs the demo service where it was.

use crate::support;

use serde_json::{Value, json};
use support::{Serving, TestHome, eventually};

const SAMPLE: &str = include_str!("../../../app/samples/an-order-that-mends-itself.signalbox.json");

fn paused_at_the_terminal(place: &TestHome) -> (String, String) {
    let file = place.file("order.signalbox.json", SAMPLE).display().to_string();
    let done = place.run(&["run", &file, "--json"]);
    assert_eq!(done.code, 3, "{}\n{}", done.out, done.err);
    let summary = done.last();
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    (text(&summary["runId"]), text(&summary["openTasks"][0]))
}

fn answer(place: &TestHome, task: &str) -> support::Done {
    place.run(&["tasks", "complete", task, "--action", "correct", "--input", "{\"customer\":2}"])
}

/// The run's end, and that nobody was asked again.
fn confirmed(place: &TestHome, run: &str) {
    let events = place.run(&["runs", "events", run]).lines();
    let asked = events.iter().filter(|event| event["type"] == "human_task_created").count();
    assert_eq!(asked, 1, "asked once");
    let done = events.iter().find(|event| event["type"] == "step_done" && event["stepId"] == "done").expect("it ran");
    assert!(done.to_string().contains("Order 7 for "), "{done}");
}

/// The run belongs to an open host; the answer is written by another process, which only writes it down.
#[test]
fn a_host_goes_on_with_its_sample_that_the_terminal_answered() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &[]);
    let document: Value = serde_json::from_str(SAMPLE).expect("json");
    let started = serving.ask("POST", "/rpc/run_start", &json!({ "document": document, "params": {} })).json();
    let run = started["runId"].as_str().expect("an id").to_owned();
    let summary = || serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json();
    eventually("the question", || summary()["status"] == "paused");
    let list = place.run(&["tasks", "list", "--json"]).json();
    let task = list[0]["id"].as_str().expect("an id");

    let answered = answer(&place, task);
    assert_eq!(answered.code, 0, "{}{}", answered.out, answered.err);
    assert!(answered.out.contains(&format!("Run {run} continues in the open app")), "{}", answered.out);
    eventually("the end", || !["paused", "running"].contains(&summary()["status"].as_str().unwrap_or_default()));
    assert_eq!(summary()["status"], "completed");
    confirmed(&place, &run);
}

/// The run began at the terminal, whose process is gone with its demo service; a host that opened later has the answer.
#[test]
fn a_host_goes_on_with_a_sample_of_the_terminal() {
    let place = TestHome::new();
    let (run, task) = paused_at_the_terminal(&place);
    let serving = Serving::start(&place, &[]);
    let request = json!({ "taskId": task, "action": "correct", "correctedInput": { "customer": 2 } });
    let answered = serving.ask("POST", "/rpc/task_complete", &request).json();
    assert_eq!(answered["driven"], true, "{answered}");
    let status = || serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json()["status"].clone();
    eventually("the end", || !["paused", "running"].contains(&status().as_str().unwrap_or_default()));
    assert_eq!(status(), "completed");
    confirmed(&place, &run);
}

/// Nobody is open: the answer waits for `resume`, as the terminal says.
#[test]
fn the_terminal_alone_goes_on_with_a_sample() {
    let place = TestHome::new();
    let (run, task) = paused_at_the_terminal(&place);
    let answered = answer(&place, &task);
    assert!(answered.out.contains(&format!("`signalbox resume {run}`")), "{}", answered.out);
    let resumed = place.run(&["resume", &run, "--json"]);
    assert_eq!((resumed.code, resumed.json()["status"].as_str()), (0, Some("completed")), "{}", resumed.err);
    confirmed(&place, &run);
}
