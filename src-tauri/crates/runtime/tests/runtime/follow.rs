//! Subscribers: replay, live, slow ones, broken ones.

use crate::support::{Die, chain, collect, lines, options, runtime, runtime_with, start, store, trace, until};
use serde_json::json;
use signalbox_model::RunStatus;
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn ts_097_a_client_that_comes_back_after_5_gets_6_and_the_rest_once_in_order() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let run = start(&runtime, chain(20)).await;
    let mut first = runtime.subscribe(&run, 0).await.expect("known");
    let mut seen = Vec::new();
    while seen.len() < 5 {
        seen.extend(first.next().await.expect("not over").expect("readable"));
    }
    // What the client has really taken in.
    seen.truncate(5);
    drop(first);
    seen.extend(collect(runtime.subscribe(&run, 5).await.expect("known")).await);
    let whole = collect(runtime.subscribe(&run, 0).await.expect("known")).await;
    assert_eq!(seen, whole);
    let seqs: Vec<u64> = seen.iter().filter_map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=whole.len() as u64).collect::<Vec<_>>());
    // After the last event there is nothing, and that is said at once.
    assert_eq!(collect(runtime.subscribe(&run, whole.len() as u64).await.expect("known")).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_subscriber_gets_every_event_once_whenever_it_comes() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let run = start(&runtime, chain(120)).await;
    let mut tasks = Vec::new();
    for n in 0..20_u64 {
        let (runtime, run) = (runtime.clone(), run.clone());
        tasks.push(tokio::spawn(async move {
            let after = n * 7 % 40;
            let events = collect(runtime.subscribe(&run, after).await.expect("known")).await;
            (after, events.iter().filter_map(|event| event.seq).collect::<Vec<_>>())
        }));
        tokio::task::yield_now().await;
    }
    runtime.wait(&run).await.expect("it ends");
    let last = runtime.store().run(&run).expect("listed").last_seq;
    for task in tasks {
        let (after, seqs) = task.await.expect("no panic");
        assert_eq!(seqs, (after + 1..=last).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_slow_subscriber_loses_nothing_and_holds_nobody_up() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let run = start(&runtime, chain(700)).await;
    let mut slow = runtime.subscribe(&run, 0).await.expect("known");
    let mut events = slow.next().await.expect("not over").expect("readable");
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
    events.extend(collect(slow).await);
    let last = runtime.store().run(&run).expect("listed").last_seq;
    assert_eq!(events.iter().filter_map(|event| event.seq).collect::<Vec<_>>(), (1..=last).collect::<Vec<_>>());
}

#[tokio::test]
async fn ts_098_a_consumer_that_panics_does_not_touch_the_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let run = start(
        &runtime,
        json!({ "nodes": { "slow": { "type": "http.request", "config": { "url": "http://api.example/hang" } }, "next": { "type": "flow.noop" } },
                "edges": [{ "from": "slow.success", "to": "next" }] }),
    )
    .await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let _bad = runtime.follow(&run, 0, |_| panic!("the consumer of this test panics on purpose"));
    drop(runtime.follow(&run, 0, |_| true));
    let _good = runtime.follow(&run, 0, move |batch| {
        sink.lock().expect("not poisoned").extend(batch.expect("readable"));
        true
    });
    until("the request", || trace(dir.path()) == ["/hang"]).await;
    std::fs::write(dir.path().join("go"), "").expect("written");
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
    until("the last event", || seen.lock().expect("not poisoned").len() == 6).await;
    assert_eq!(
        lines(&seen.lock().expect("not poisoned")),
        ["workflow_start", "step_start slow", "step_done slow", "step_start next", "step_done next", "workflow_done"]
    );
}

#[tokio::test]
async fn a_run_of_another_instance_is_followed_waited_for_and_cancelled() {
    let dir = tempfile::tempdir().expect("a folder");
    let driving = runtime(dir.path());
    let watching = runtime_with(dir.path(), store(dir.path()), Die::Never, options(dir.path()));
    let run = start(&driving, json!({ "nodes": { "w": { "type": "flow.wait", "config": { "ms": 600_000 } } } })).await;
    let subscription = watching.subscribe(&run, 0).await.expect("known");
    assert_eq!(watching.resume(&run).await, Err(signalbox_runtime::Error::DrivenElsewhere { run: run.clone() }));
    watching.cancel(&run).await.expect("asked");
    assert_eq!(watching.wait(&run).await, Ok(RunStatus::Cancelled));
    assert_eq!(
        lines(&collect(subscription).await),
        ["workflow_start", "step_start w", "step_interrupted w", "workflow_cancelled"]
    );
    assert_eq!(driving.wait(&run).await, Ok(RunStatus::Cancelled));
}

#[tokio::test]
async fn an_unknown_run_is_said_so() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    assert!(runtime.subscribe("nobody", 0).await.err().expect("refused").is_unknown_run());
    assert!(runtime.wait("nobody").await.expect_err("refused").is_unknown_run());
    assert!(runtime.cancel("nobody").await.expect_err("refused").is_unknown_run());
    assert!(runtime.resume("nobody").await.expect_err("refused").is_unknown_run());
}

/// Who asks again and again, and waits for no answer, gets it all the same: each look goes on with the same read.
#[tokio::test]
async fn a_page_comes_however_often_its_reader_is_called_away() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let run = start(&runtime, chain(20)).await;
    runtime.wait(&run).await.expect("it ends");
    let mut events = runtime.subscribe(&run, 0).await.expect("known");
    let got = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&got);
    let reader = tokio::spawn(async move {
        loop {
            // Looked at once, then dropped.
            if let Ok(page) = tokio::time::timeout(std::time::Duration::ZERO, events.next()).await {
                *kept.lock().expect("whole") = page;
                return;
            }
            tokio::task::yield_now().await;
        }
    });
    until("the page", || got.lock().expect("whole").is_some()).await;
    reader.await.expect("no panic");
    let page = got.lock().expect("whole").take().expect("a page").expect("readable");
    assert_eq!(page.first().and_then(|event| event.seq), Some(1));
}

/// A program that prints the events of a run until it waits for a person hears that it waits before it has read them: under load one
/// start in twenty printed none.
#[tokio::test]
async fn all_that_a_waiting_run_has_written_is_given_then_the_end() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let flow = json!({
        "nodes": { "first": { "type": "flow.noop" }, "ask": { "type": "builtin.human_approval", "config": { "title": "Go on?" } } },
        "edges": [{ "from": "first.success", "to": "ask" }]
    });
    let run = start(&runtime, flow).await;
    let mut early = runtime.subscribe(&run, 0).await.expect("known");
    // A page is asked for while the run goes on, and it may come before anybody waits for the next one.
    let asked = tokio::time::timeout(std::time::Duration::ZERO, early.next()).await;
    let mut seen = asked.ok().flatten().map_or_else(Vec::new, |page| page.expect("readable"));
    assert!(!runtime.wait(&run).await.expect("it waits").is_terminal());
    let written = store(dir.path()).events(&run, 0, 1_000).expect("readable");
    assert!(written.len() > 4);
    early.end_with_what_is_stored();
    seen.extend(collect(early).await);
    assert_eq!(seen, written);
    // The same for one that has read all, and waits for more.
    let mut late = runtime.subscribe(&run, 0).await.expect("known");
    let mut seen = Vec::new();
    while seen.len() < written.len() {
        seen.extend(late.next().await.expect("not over").expect("readable"));
    }
    late.end_with_what_is_stored();
    assert_eq!((seen, collect(late).await), (written, Vec::new()));
}

/// Who follows a run of large values holds little of it, however long it is.
#[tokio::test]
async fn events_with_large_values_come_in_small_pages() {
    const TEXT: usize = 300_000;
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let mut many = json!({ "nodes": {}, "edges": [], "context": { "initial": { "text": "x".repeat(TEXT) } } });
    for n in 1..=12 {
        let assign = json!({ "v": "=context.text" });
        many["nodes"][format!("s{n}")] = json!({ "type": "data.set", "config": { "assign": assign, "keep": false } });
        if n > 1 {
            let edge = json!({ "from": format!("s{}.success", n - 1), "to": format!("s{n}") });
            many["edges"].as_array_mut().expect("a list").push(edge);
        }
    }
    let run = start(&runtime, many).await;
    let size = |events: &[signalbox_model::RunEvent]| serde_json::to_string(events).expect("JSON").len();
    // While it goes on, slowly, and when it has ended.
    for is_over in [false, true] {
        if is_over {
            runtime.wait(&run).await.expect("it ends");
        }
        let mut events = runtime.subscribe(&run, 0).await.expect("known");
        let (mut seqs, mut most, mut all) = (Vec::new(), 0, 0);
        while let Some(page) = events.next().await {
            let page = page.expect("readable");
            (most, all) = (most.max(size(&page)), all + size(&page));
            seqs.extend(page.iter().filter_map(|event| event.seq));
        }
        assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
        assert!(all > 30 * TEXT, "{all} bytes");
        // A page may be 4 MiB, and the event that fills it holds its text twice.
        assert!(most < 17 * TEXT, "{most} of {all} bytes at once");
    }
}
