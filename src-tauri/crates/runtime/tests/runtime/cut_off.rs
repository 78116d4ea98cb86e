//! Snapshots and bursts: the numbers that bound recovery and commits.

use crate::support::{Die, chain, options, runtime, runtime_with, start, store, trace, until};
use serde_json::{Value, json};
use signalbox_model::RunStatus;
use signalbox_runtime::Options;

#[tokio::test]
async fn a_long_run_leaves_snapshots_and_goes_on_from_the_last() {
    let dir = tempfile::tempdir().expect("a folder");
    let few = Options { snapshot_calls: 10, ..options(dir.path()) };
    let first = runtime_with(dir.path(), store(dir.path()), Die::Never, few);
    let mut data = chain(60);
    data["nodes"]["s60"] = json!({ "type": "http.request", "config": { "url": "http://api.example/hang" } });
    let run = start(&first, data).await;
    until("the last request", || trace(dir.path()).last().is_some_and(|path| path == "/hang")).await;
    let snapshot = first.store().latest_snapshot(&run).expect("readable").expect("there is one");
    let last = first.store().run(&run).expect("listed").last_seq;
    assert!(snapshot.seq + 40 > last, "snapshot at {}, log at {last}", snapshot.seq);
    first.shutdown().await;
    drop(first);
    std::fs::write(dir.path().join("go"), "").expect("written");
    let second = runtime(dir.path());
    assert_eq!(second.resume_all().await.expect("readable").len(), 1);
    assert_eq!(second.wait(&run).await, Ok(RunStatus::Completed));
    let summary = second.store().summary::<Value>(&run).expect("readable").expect("ended");
    assert_eq!(summary["context"]["sum"], json!((1..30).map(|n| n * 2).sum::<i32>()));
    assert_eq!(trace(dir.path()).iter().filter(|path| *path != "/hang").count(), 30, "no finished request again");
}

#[tokio::test]
async fn a_burst_without_effects_is_one_commit_up_to_its_limit() {
    let dir = tempfile::tempdir().expect("a folder");
    let patient = Options { burst: std::time::Duration::from_secs(60), burst_events: 50, ..options(dir.path()) };
    let runtime = runtime_with(dir.path(), store(dir.path()), Die::Never, patient);
    let nodes: serde_json::Map<String, serde_json::Value> =
        (0..100).map(|n| (format!("n{n}"), json!({ "type": "flow.noop" }))).collect();
    let edges: Vec<_> =
        (1..100).map(|n| json!({ "from": format!("n{}.success", n - 1), "to": format!("n{n}") })).collect();
    let run = start(&runtime, json!({ "nodes": nodes, "edges": edges })).await;
    let mut subscription = runtime.subscribe(&run, 0).await.expect("known");
    let mut last = 0;
    while let Some(batch) = subscription.next().await {
        last = batch.expect("readable").last().and_then(|event| event.seq).expect("stored");
    }
    assert_eq!(last, 202);
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
}

#[tokio::test]
async fn many_runs_at_once_share_the_store() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let mut runs = Vec::new();
    for _ in 0..64 {
        runs.push(start(&runtime, chain(5)).await);
    }
    for run in &runs {
        assert_eq!(runtime.wait(run).await, Ok(RunStatus::Completed));
    }
    assert_eq!(trace(dir.path()).len(), 64 * 3);
}
