use super::*;
use serde_json::json;

fn event(ts: &str, kind: &str, item: usize, payload: serde_json::Value) -> RunEvent {
    serde_json::from_value(json!({
        "runId": "r", "seq": 1, "ts": ts, "type": kind, "stepId": "a", "item": item, "payload": payload
    }))
    .unwrap()
}

fn start(ts: &str, item: usize) -> RunEvent {
    let input = json!([{ "item": item, "data": {} }]);
    event(
        ts,
        "step_start",
        item,
        json!({ "type": "k", "meta": {}, "resolvedInputs": null, "config": {}, "input": input }),
    )
}

fn done(ts: &str, item: usize) -> RunEvent {
    event(ts, "step_done", item, json!({ "outputs": null, "ports": {}, "items": {} }))
}

fn text(collector: &Collector) -> String {
    let mut out = String::new();
    collector.write(&mut out, 0);
    out
}

#[test]
fn durations_fall_into_their_buckets_and_open_calls_are_counted_by_items() {
    let collector = Collector::default();
    let none = |_: &RunEvent| None;
    collector.count(&[start("2026-01-01T00:00:00.000Z", 0), start("2026-01-01T00:00:00.000Z", 1)], none);
    assert!(text(&collector).contains("agent_items_queue_length 2"));
    collector.count(&[done("2026-01-01T00:00:00.005Z", 0), done("2026-01-01T00:20:00.001Z", 1)], none);
    let shown = text(&collector);
    for line in [
        "agent_node_duration_seconds_bucket{nodeType=\"k\",le=\"0.001\"} 0",
        "agent_node_duration_seconds_bucket{nodeType=\"k\",le=\"0.005\"} 1",
        "agent_node_duration_seconds_bucket{nodeType=\"k\",le=\"600\"} 1",
        "agent_node_duration_seconds_bucket{nodeType=\"k\",le=\"+Inf\"} 2",
        "agent_node_duration_seconds_sum{nodeType=\"k\"} 1200.006",
        "agent_node_duration_seconds_count{nodeType=\"k\"} 2",
        "agent_node_executions_total{nodeType=\"k\",status=\"ok\"} 2",
        "agent_items_queue_length 0",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
}

#[test]
fn a_call_that_began_in_another_process_counts_without_a_duration() {
    let collector = Collector::default();
    collector.count(&[done("2026-01-01T00:00:00.005Z", 0)], |_| Some(Arc::from("human")));
    let shown = text(&collector);
    assert!(shown.contains("agent_node_executions_total{nodeType=\"human\",status=\"ok\"} 1"), "{shown}");
    assert!(!shown.contains("_bucket"), "{shown}");
}

#[test]
fn the_end_of_a_run_forgets_its_calls() {
    let collector = Collector::default();
    collector.count(&[start("2026-01-01T00:00:00.000Z", 0)], |_| None);
    let end = event("2026-01-01T00:00:01.000Z", "workflow_cancelled", 0, json!({ "duration_ms": 1000 }));
    collector.count(&[end], |_| None);
    let shown = text(&collector);
    assert!(shown.contains("agent_items_queue_length 0"), "{shown}");
    assert!(shown.contains("agent_runs_completed_total{status=\"cancelled\"} 1"), "{shown}");
    assert_eq!(collector.counts().calls, 0);
}
