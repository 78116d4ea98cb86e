//! Starting, ending, cancelling, time, artifacts.

use crate::support::{
    Die, chain, collect, lines, new_run, options, runtime, runtime_with, start, store, trace, until, workflow,
};
use serde_json::{Value, json};
use signalbox_model::RunStatus;
use signalbox_runtime::{Error, Phase, Resumed};
use signalbox_store::audit::Actor;
use std::time::Duration;

#[tokio::test]
async fn a_run_is_recorded_from_start_to_summary() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let run = start(&runtime, chain(4)).await;
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
    let row = runtime.store().run(&run).expect("the run is listed");
    assert_eq!((row.status, row.workflow_id.as_str()), (RunStatus::Completed, "scenario"));
    let summary = runtime.store().summary::<Value>(&run).expect("readable").expect("an ended run has a summary");
    assert_eq!(summary["context"], json!({ "paths": ["/1", "/3"], "sum": 6 }));
    assert_eq!(summary["steps"]["s4"], json!({ "state": "SUCCEEDED", "visits": 1, "attempts": 1 }));
    let events = collect(runtime.subscribe(&run, 0).await.expect("the run is known")).await;
    let mut wrong = Vec::new();
    signalbox_testkit::scenario::oracles(&events, &mut wrong);
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(row.last_seq, events.len() as u64);
    assert_eq!(runtime.driven(), Vec::<String>::new());
}

/// What a start holds while it waits is copied when it is handed to another task, and a large block of memory is mapped anew each time.
#[tokio::test]
async fn a_start_is_small_while_it_waits() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let new = new_run(&runtime, workflow(chain(1)), json!({})).await;
    let size = size_of_val(&runtime.start(new));
    assert!(size <= 4_096, "{size} bytes");
}

#[tokio::test]
async fn the_definition_is_pinned_with_the_versions_of_its_kinds() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let run = start(&runtime, json!({ "nodes": { "a": { "type": "flow.noop" } } })).await;
    runtime.wait(&run).await.expect("it ends");
    let hash = runtime.store().run(&run).expect("listed").definition_hash;
    let text = runtime.store().definition_get(&hash).expect("readable").expect("stored with the run");
    let definition: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(definition["nodes"]["a"]["typeVersion"], json!(1));
}

#[tokio::test]
async fn a_retry_waits_its_delay() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let policy = json!({ "maxAttempts": 2, "backoff": "fixed", "initialDelayMs": 30, "jitter": false });
    let run = start(
        &runtime,
        json!({ "nodes": { "call": { "type": "http.request", "config": { "url": "http://api.example/fail" },
            "errorHandling": { "retryPolicy": policy } } } }),
    )
    .await;
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Failed));
    assert_eq!(trace(dir.path()), ["/fail", "/fail", "/fail"]);
    let summary = runtime.store().summary::<Value>(&run).expect("readable").expect("ended");
    assert!(summary["durationMs"].as_i64() >= Some(60), "{summary}");
    let row = runtime.store().run(&run).expect("listed");
    assert_eq!((row.failed_step.as_deref(), row.error_code.as_deref()), (Some("call"), Some("SERVICE_UNAVAILABLE")));
}

#[tokio::test]
async fn ts_079_a_cancel_ends_the_run_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let run = start(
        &runtime,
        json!({ "nodes": { "slow": { "type": "flow.wait", "config": { "ms": 600_000 } }, "next": { "type": "flow.noop" } },
                "edges": [{ "from": "slow.success", "to": "next" }] }),
    )
    .await;
    runtime.cancel(&run).await.expect("it is running");
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Cancelled));
    assert_eq!(runtime.cancel(&run).await, Err(Error::Ended { run: run.clone(), status: RunStatus::Cancelled }));
    let events = collect(runtime.subscribe(&run, 0).await.expect("known")).await;
    assert_eq!(lines(&events), ["workflow_start", "step_start slow", "step_interrupted slow", "workflow_cancelled"]);
}

#[tokio::test]
async fn a_cancel_lets_a_call_report_in_its_grace() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let run = start(
        &runtime,
        json!({ "nodes": { "slow": { "type": "http.request", "config": { "url": "http://api.example/hang" } } } }),
    )
    .await;
    until("the request", || trace(dir.path()) == ["/hang"]).await;
    runtime.cancel(&run).await.expect("it is running");
    std::fs::write(dir.path().join("go"), "").expect("written");
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Cancelled));
    let events = collect(runtime.subscribe(&run, 0).await.expect("known")).await;
    assert_eq!(lines(&events), ["workflow_start", "step_start slow", "step_done slow", "workflow_cancelled"]);
}

#[tokio::test]
async fn an_artifact_stands_in_the_folder_of_its_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let run = start(
        &runtime,
        json!({ "nodes": { "a": { "type": "data.set", "config": { "assign": { "n": 1 } }, "out": { "/out/p.txt": "n is {{_result.n}}" } } } }),
    )
    .await;
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
    let file = runtime.artifact(&run, "/out/p.txt");
    assert!(file.starts_with(dir.path().join("artifacts").join(&run)));
    assert_eq!(std::fs::read_to_string(&file).expect("written"), "n is 1");
    runtime.delete(&run, Actor::system()).await.expect("it has ended");
    assert!(!file.exists());
    assert!(runtime.delete(&run, Actor::system()).await.expect_err("it is gone").is_unknown_run());
}

#[tokio::test]
async fn a_full_disk_suspends_the_run_and_it_goes_on_when_there_is_room() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let run = start(
        &runtime,
        json!({ "context": { "initial": { "text": "y".repeat(6_000) } }, "nodes": {
            "wait": { "type": "http.request", "config": { "url": "http://api.example/hang" } },
            "fill": { "type": "data.transform", "config": { "expression": "[1, 2, 3, 4, 5, 6, 7, 8].map(n, {'n': n, 'text': context.text})", "split": true } },
            "last": { "type": "http.request", "mode": "all", "config": { "url": "http://api.example/last" } } },
            "edges": [{ "from": "wait.success", "to": "fill" }, { "from": "fill.success", "to": "last" }] }),
    )
    .await;
    until("the request", || trace(dir.path()) == ["/hang"]).await;
    runtime.store().set_max_pages(Some(1)).expect("a limit below what is there keeps what is there");
    // What is there may have free pages; they are used up first.
    while runtime.store().setting_set(&format!("filler{}", rand()), Some(json!("x".repeat(4_000)))).is_ok() {}
    std::fs::write(dir.path().join("go"), "").expect("written");
    let mut phase = runtime.watch_phase(&run).expect("driven here");
    let suspended =
        tokio::time::timeout(Duration::from_secs(10), phase.wait_for(|phase| matches!(phase, Phase::Suspended(_))));
    let seen = suspended.await.expect("in time").expect("the run is driven").clone();
    assert!(matches!(&seen, Phase::Suspended(trouble) if trouble.code() == "DISK_FULL"), "{seen:?}");
    assert_eq!(trace(dir.path()), ["/hang"], "no effect starts before what decided it is recorded");
    runtime.store().set_max_pages(None).expect("room again");
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
    assert_eq!(trace(dir.path()), ["/hang", "/last"]);
}

fn rand() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[tokio::test]
async fn after_a_shutdown_the_run_goes_on_in_the_next_runtime() {
    let dir = tempfile::tempdir().expect("a folder");
    let first = runtime(dir.path());
    let run = start(&first, chain(6)).await;
    let wait = start(&first, json!({ "nodes": { "w": { "type": "flow.wait", "config": { "ms": 300 } } } })).await;
    first.wait(&run).await.expect("it ends");
    first.shutdown().await;
    assert_eq!(first.driven(), Vec::<String>::new());
    assert_eq!(first.resume(&wait).await, Err(Error::Closing));
    drop(first);
    let second = runtime(dir.path());
    assert!(matches!(second.resume(&run).await, Err(Error::Ended { .. })));
    assert_eq!(second.resume(&wait).await, Ok(Resumed::TakenOver));
    assert_eq!(second.wait(&wait).await, Ok(RunStatus::Completed));
    let events = collect(second.subscribe(&wait, 0).await.expect("known")).await;
    assert_eq!(lines(&events), ["workflow_start", "step_start w", "workflow_resumed", "step_done w", "workflow_done"]);
}

#[tokio::test]
async fn a_workflow_that_cannot_be_recorded_is_not_started() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = store(dir.path());
    let runtime = runtime_with(dir.path(), store.clone(), Die::Never, options(dir.path()));
    let new = new_run(&runtime, workflow(chain(2)), json!({ "text": "y".repeat(20_000) })).await;
    store.set_max_pages(Some(1)).expect("set");
    while store.setting_set(&format!("filler{}", rand()), Some(json!("x".repeat(4_000)))).is_ok() {}
    let error = runtime.start(new).await.expect_err("there is no room");
    assert_eq!(error.code(), "DISK_FULL");
    assert_eq!(runtime.driven(), Vec::<String>::new());
    assert_eq!(trace(dir.path()), Vec::<String>::new());
}

#[tokio::test]
async fn a_shutdown_waits_for_a_write_under_way() {
    let dir = tempfile::tempdir().expect("a folder");
    let first = runtime(dir.path());
    let run = start(
        &first,
        json!({ "nodes": {
            "pay": { "type": "http.request", "config": { "method": "POST", "url": "http://api.example/hang" } },
            "next": { "type": "flow.wait", "config": { "ms": 50 } } },
            "edges": [{ "from": "pay.success", "to": "next" }] }),
    )
    .await;
    until("the request", || trace(dir.path()) == ["/hang"]).await;
    let closing = tokio::spawn({
        let first = first.clone();
        async move { first.shutdown().await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!closing.is_finished(), "a payment is under way");
    std::fs::write(dir.path().join("go"), "").expect("written");
    closing.await.expect("no panic");
    drop(first);
    let second = runtime(dir.path());
    second.resume(&run).await.expect("nobody drives it");
    assert_eq!(second.wait(&run).await, Ok(RunStatus::Completed));
    assert_eq!(trace(dir.path()), ["/hang"]);
}

/// Threads of this process; nothing where the system does not tell it.
fn threads() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("Threads:"))?.trim().parse().ok()
}

/// Each start once took a thread that waited for the store: a thousand at once had five hundred of them.
#[tokio::test]
async fn p6_many_starts_at_once_take_no_thread_each() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let mut ready = Vec::new();
    for _ in 0..200 {
        ready.push(new_run(&runtime, workflow(chain(1)), json!({})).await);
    }
    let start = |new| {
        let runtime = runtime.clone();
        async move { runtime.start(new).await }
    };
    let starting: tokio::task::JoinSet<_> = ready.into_iter().map(start).collect();
    for started in starting.join_all().await {
        started.expect("starts");
    }
    // Threads that waited stay for seconds.
    assert!(threads().is_none_or(|threads| threads < 100), "{:?} threads", threads());
}
