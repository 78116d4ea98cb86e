//! Killed with -9 inside loops, parallel branches and sub-workflows: what had finished does not run again.

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use support::{Loopback, TestHome, workflow};

/// Long enough that a process is killed in it.
const WAIT_MS: u64 = 2_500;

/// Starts a run and kills it when `enough` says so of what it has told; gives the run's id.
fn killed_when(place: &TestHome, file: &str, params: &Value, enough: impl Fn(&[Value]) -> bool) -> String {
    let mut child = place.spawn(&["run", file, "--params", &params.to_string(), "--events", "--json"]);
    let mut events: Vec<Value> = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
        events.push(serde_json::from_str(&line.expect("text")).expect("json"));
        if enough(&events) {
            break;
        }
    }
    assert!(enough(&events), "the run ended before: {events:#?}");
    child.kill().expect("kill -9");
    child.wait().expect("gone");
    events[0]["runId"].as_str().expect("an id").to_owned()
}

fn told(events: &[Value], kind: &str, step: &str) -> usize {
    events.iter().filter(|event| event["type"] == kind && event["stepId"] == step).count()
}

fn resumed(place: &TestHome, run: &str) -> Value {
    let done = place.run(&["resume", run, "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let events = place.run(&["runs", "events", run]).lines();
    let seqs: Vec<u64> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    done.json()
}

fn get(server: &Loopback, path: &str) -> Value {
    json!({ "type": "http.request", "config": { "url": format!("{}{path}", server.base) } })
}

fn inside(container: &str, mut node: Value) -> Value {
    node["parent"] = json!(container);
    node
}

/// An own run knows which branches are done.
#[test]
fn ts_081_a_branch_that_is_done_does_not_run_again() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let flow = workflow(
        json!({
            "par": { "type": "flow.parallel" },
            "a": inside("par", get(&server, "/a")), "b": inside("par", get(&server, "/b")),
            "c": inside("par", get(&server, "/c")),
            "w": inside("par", json!({ "type": "flow.wait", "config": { "ms": WAIT_MS } })),
            "d": inside("par", get(&server, "/d")),
            "next": get(&server, "/next"),
        }),
        json!([{ "from": "c.success", "to": "w" }, { "from": "w.success", "to": "d" }, { "from": "par.success", "to": "next" }]),
    );
    let file = place.file("par.signalbox.json", flow.to_string()).display().to_string();
    let run = killed_when(&place, &file, &json!({}), |events| {
        told(events, "step_done", "a") + told(events, "step_done", "b") + told(events, "step_start", "w") == 3
    });
    let summary = resumed(&place, &run);
    assert_eq!(summary["status"], "completed", "{summary}");
    for path in ["/a", "/b", "/c", "/d"] {
        assert_eq!(server.hits(path), 1, "{path}");
    }
    // What comes after the container gets the items of its leaves: a, b, d.
    assert_eq!(server.hits("/next"), 3);
}

/// Of a parallel loop of ten, six had finished: the other four go on, and the items come in order.
#[test]
fn ts_086_a_parallel_loop_keeps_which_iterations_are_done() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let flow = workflow(
        json!({
            "each": { "type": "flow.loop", "config": {
                "source": "=params.list", "mode": "parallel", "maxConcurrency": 10, "collect": "_index * 10 + _item" } },
            "first": inside("each", get(&server, "/first/{{_index}}")),
            "late": inside("each", json!({ "type": "flow.if", "config": { "condition": "_index % 3 == 0" } })),
            "w": inside("each", json!({ "type": "flow.wait", "config": { "ms": WAIT_MS } })),
            "last": inside("each", get(&server, "/last/{{_index}}")),
            "done": inside("each", json!({ "type": "flow.noop" })),
        }),
        json!([
            { "from": "first.success", "to": "late" }, { "from": "late.true", "to": "w" },
            { "from": "w.success", "to": "last" }, { "from": "late.false", "to": "done" },
        ]),
    );
    let file = place.file("loop.signalbox.json", flow.to_string()).display().to_string();
    let list: Vec<u64> = (0..10).collect();
    let run = killed_when(&place, &file, &json!({ "list": list }), |events| {
        told(events, "step_done", "done") == 6 && told(events, "step_start", "w") == 4
    });
    let summary = resumed(&place, &run);
    assert_eq!(summary["status"], "completed", "{summary}");
    assert_eq!(summary["output"], json!((0..10).map(|n| n * 11).collect::<Vec<u64>>()), "{summary}");
    for n in 0..10 {
        assert_eq!(server.hits(&format!("/first/{n}")), 1, "{n}");
        assert_eq!(server.hits(&format!("/last/{n}")), usize::from(n % 3 == 0), "{n}");
    }
}

/// A person answers in each iteration, every answer in a process of its own.
#[test]
fn people_are_asked_in_a_loop_across_restarts() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let flow = workflow(
        json!({
            "each": { "type": "flow.loop", "config": { "source": ["a", "b", "c"] } },
            "before": inside("each", get(&server, "/before/{{_item}}")),
            "ask": inside("each", json!({ "type": "builtin.human_approval", "config": { "title": "Send {{_item}}?" } })),
            "w": inside("each", json!({ "type": "flow.wait", "config": { "ms": 20 } })),
            "after": inside("each", get(&server, "/after/{{_item}}")),
        }),
        json!([
            { "from": "before.success", "to": "ask" }, { "from": "ask.approved", "to": "w" },
            { "from": "w.success", "to": "after" },
        ]),
    );
    let file = place.file("ask.signalbox.json", flow.to_string()).display().to_string();
    let paused = place.run(&["run", &file, "--json"]);
    assert_eq!(paused.code, 3, "{}{}", paused.out, paused.err);
    let run = paused.json()["runId"].as_str().expect("an id").to_owned();
    let mut code = 3;
    for (n, letter) in ["a", "b", "c"].into_iter().enumerate() {
        let task = place.run(&["tasks", "list", "--json"]).json()[0].clone();
        assert_eq!((&task["title"], &task["path"]), (&json!(format!("Send {letter}?")), &json!(format!("each[{n}]"))));
        let id = task["id"].as_str().expect("an id").to_owned();
        assert_eq!(place.run(&["tasks", "complete", &id, "--action", "approve", "--json"]).code, 0);
        code = place.run(&["resume", &run, "--json"]).code;
        assert_eq!(code, if n < 2 { 3 } else { 0 });
    }
    assert_eq!(code, 0);
    for letter in ["a", "b", "c"] {
        assert_eq!((server.hits(&format!("/before/{letter}")), server.hits(&format!("/after/{letter}"))), (1, 1));
    }
}

/// The file is gone when the run goes on: it keeps what it was started with.
#[test]
fn a_sub_workflow_goes_on_without_its_file() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let mut inner = workflow(
        json!({
            "one": get(&server, "/one"), "w": { "type": "flow.wait", "config": { "ms": WAIT_MS } }, "two": get(&server, "/two"),
        }),
        json!([{ "from": "one.success", "to": "w" }, { "from": "w.success", "to": "two" }]),
    );
    inner["id"] = json!("inner");
    let kept = place.file("inner.signalbox.json", inner.to_string());
    let outer =
        workflow(json!({ "sub": { "type": "flow.subworkflow", "config": { "workflow": "inner" } } }), json!([]));
    let file = place.file("outer.signalbox.json", outer.to_string()).display().to_string();
    assert_eq!(place.run(&["validate", &file, "--json"]).code, 0, "it is found beside the file");
    let run = killed_when(&place, &file, &json!({}), |events| told(events, "step_start", "w") == 1);
    std::fs::remove_file(kept).expect("removed");
    let refused = place.run(&["run", &file, "--json"]);
    assert_eq!(
        (refused.code, &refused.json()["error"]["details"]["diagnostics"][0]["code"]),
        (2, &json!("UNKNOWN_WORKFLOW"))
    );
    assert_eq!(place.run(&["validate", &file, "--json"]).code, 2);
    let summary = resumed(&place, &run);
    assert_eq!(summary["status"], "completed", "{summary}");
    assert_eq!((server.hits("/one"), server.hits("/two")), (1, 1));
}

#[test]
fn half_a_character_in_a_list_is_refused() {
    let place = TestHome::new();
    let flow = workflow(
        json!({
            "each": { "type": "flow.loop", "config": { "source": "=params.list" } },
            "in": inside("each", json!({ "type": "flow.noop" })),
        }),
        json!([]),
    );
    let file = place.file("half.signalbox.json", flow.to_string()).display().to_string();
    let refused = place.run(&["run", &file, "--params", r#"{"list":["\ud800"]}"#, "--json"]);
    assert_eq!(refused.code, 2, "{}", refused.out);
    assert_eq!(place.run(&["runs", "list", "--json"]).json(), json!([]));
    let torn = flow.to_string().replace("=params.list", "\\ud800");
    let file = place.file("torn.signalbox.json", torn).display().to_string();
    let found = place.run(&["validate", &file, "--json"]);
    assert_eq!((found.code, &found.json()[0]["diagnostics"][0]["code"]), (2, &json!("BAD_JSON")), "{}", found.out);
}
