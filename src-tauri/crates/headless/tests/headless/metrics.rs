//! Numbers for a monitoring program.

use crate::support;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use support::{Serving, TestHome, VIEWER, eventually, with_roles, workflow};

/// Each number with its labels. What stands under a family belongs to it.
fn metrics(serving: &Serving) -> BTreeMap<String, f64> {
    let answer = serving.ask_as(VIEWER, "GET", "/metrics", &Value::Null, &[]);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.head.to_lowercase().contains("content-type: text/plain; version=0.0.4"), "{}", answer.head);
    let (mut family, mut kind) = ("", "");
    let mut numbers = BTreeMap::new();
    for line in answer.body.lines() {
        if let Some(about) = line.strip_prefix("# TYPE ") {
            (family, kind) = about.split_once(' ').expect("a type");
        } else if !line.starts_with('#') {
            let (name, number) = line.rsplit_once(' ').expect("a number");
            let bare = name.split('{').next().expect("a name");
            let part = bare.strip_prefix(family).expect("a number stands under its own family");
            let parts: &[&str] = if kind == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
            assert!(parts.contains(&part), "{line}");
            assert!(numbers.insert(name.to_owned(), number.parse().expect("a number")).is_none(), "{line} twice");
        }
    }
    numbers
}

/// O-02 counters, O-03 durations by type of step, O-04 gauges; O-08: what succeeded and what failed is counted by itself.
#[test]
fn ts_165_runs_calls_and_their_durations_are_counted() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let before = metrics(&serving);
    assert_eq!((before["agent_runs_started_total"], before["agent_runs_inflight"]), (0.0, 0.0));
    let set = json!({ "type": "data.set", "config": { "assign": { "a": 1 } } });
    let fail = json!({ "type": "flow.fail", "config": { "error": { "message": "None is left" } } });
    let edges = json!([{ "from": "set.success", "to": "fail" }]);
    for document in [workflow(json!({ "set": set }), json!([])), workflow(json!({ "set": set, "fail": fail }), edges)] {
        let start = json!({ "document": document, "params": {} });
        let answer = serving.ask("POST", "/rpc/run_start", &start);
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let ended = |numbers: &BTreeMap<String, f64>, status: &str| {
        numbers[&format!("agent_runs_completed_total{{status=\"{status}\"}}")]
    };
    eventually("both runs end", || {
        let now = metrics(&serving);
        ended(&now, "completed") + ended(&now, "failed") == 2.0 && now["agent_runs_inflight"] == 0.0
    });
    let after = metrics(&serving);
    assert_eq!(after["agent_runs_started_total"], 2.0);
    assert_eq!((ended(&after, "completed"), ended(&after, "failed"), ended(&after, "cancelled")), (1.0, 1.0, 0.0));
    assert_eq!(after["agent_node_executions_total{nodeType=\"data.set\",status=\"ok\"}"], 2.0);
    assert_eq!(after["agent_node_executions_total{nodeType=\"flow.fail\",status=\"error\"}"], 1.0);
    assert_eq!(after["agent_node_duration_seconds_count{nodeType=\"data.set\"}"], 2.0);
    assert_eq!(after["agent_node_duration_seconds_bucket{nodeType=\"data.set\",le=\"+Inf\"}"], 2.0);
    assert_eq!(after["agent_items_queue_length"], 0.0);
}

#[test]
fn metrics_count_runs_tasks_and_entries_and_name_nobody() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let read = || metrics(&serving);
    let before = read();
    assert_eq!((before["signalbox_runs{status=\"paused\"}"], before["signalbox_tasks_open"]), (0.0, 0.0));
    let question = json!({ "type": "builtin.human_approval", "config": { "title": "Shall we?" } });
    let document = workflow(json!({ "q": question }), json!([]));
    let start = json!({ "document": document, "params": {} });
    assert_eq!(serving.ask("POST", "/rpc/run_start", &start).status, 200);
    eventually("the question", || read()["signalbox_runs{status=\"paused\"}"] == 1.0);
    let after = read();
    assert_eq!((after["signalbox_tasks_open"], after["signalbox_tasks_overdue"]), (1.0, 0.0));
    assert!(after["signalbox_audit_entries"] > before["signalbox_audit_entries"]);
    assert!(!serving.ask("GET", "/metrics", &Value::Null).body.contains("Shall we"));
}

#[test]
fn the_dashboard_asks_for_numbers_that_exist() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let answer = serving.ask_as(VIEWER, "GET", "/metrics", &Value::Null, &[]);
    let families: Vec<&str> =
        answer.body.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/grafana-dashboard.json");
    let dashboard: Value = serde_json::from_str(&std::fs::read_to_string(page).expect("the dashboard")).expect("JSON");
    let targets = dashboard["panels"].as_array().expect("panels").iter().flat_map(|panel| panel["targets"].as_array());
    let mut asked = 0;
    for expression in targets.flatten().map(|target| target["expr"].as_str().expect("an expression")) {
        let words = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for word in words.filter(|word| word.starts_with("agent_") || word.starts_with("signalbox_")) {
            let family = word.strip_suffix("_bucket").unwrap_or(word);
            assert!(families.contains(&family), "{word} in {expression}");
            asked += 1;
        }
    }
    assert!(asked > 8, "the dashboard asks for {asked} numbers");
}
