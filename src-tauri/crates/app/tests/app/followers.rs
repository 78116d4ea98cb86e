//! Many followers of one run: each gets everything, and each event is encoded once for all who may see the same of it.

use crate::common;

use bytes::Bytes;
use common::{Place, place};
use serde_json::{Value, json};
use signalbox_app::dto::CallerRole;
use signalbox_app::{App, Caller, Follower, Followers};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Followers whose events are lines of JSON, and how often one was encoded.
fn counted(app: &Arc<App>) -> (Followers, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&count);
    let followers = Followers::new(Arc::clone(app), move |event, out| {
        counting.fetch_add(1, Ordering::SeqCst);
        out.push_str(&event.text);
        out.push('\n');
    });
    (followers, count)
}

fn lines(bytes: &Bytes) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).expect("a text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

async fn rest(mut follower: Follower) -> Vec<Value> {
    let mut events = Vec::new();
    while let Some(bytes) = follower.next().await {
        events.extend(lines(&bytes));
    }
    events
}

fn seqs(events: &[Value]) -> Vec<u64> {
    events.iter().map(|event| event["seq"].as_u64().expect("a seq")).collect()
}

/// A run that waits for a person before its long part, with a field that viewers see masked.
fn document(text: usize) -> Value {
    let assign = json!({ "password": "canary-31", "text": "x".repeat(text) });
    json!({
        "signalbox": 1, "id": "w", "name": "W",
        "nodes": {
            "wait": { "type": "builtin.human_approval", "config": { "title": "Go on?" } },
            "each": { "type": "flow.loop", "config": { "source": "=params.rows" } },
            "after": { "type": "data.set", "parent": "each", "config": { "assign": assign, "keep": false } }
        },
        "edges": [{ "from": "wait.approved", "to": "each" }],
    })
}

async fn ask(place: &Place, command: &str, request: Value) -> Value {
    let answer = place.app.dispatch(&Caller::here(), command, request).await;
    answer.unwrap_or_else(|error| panic!("{command}: {error} {:?}", error.details))
}

async fn begin(place: &Place, rows: usize, text: usize) -> String {
    let rows: Vec<Value> = (0..rows).map(|n| json!({ "n": n })).collect();
    let request = json!({ "document": document(text), "params": { "rows": rows } });
    ask(place, "run_start", request).await["runId"].as_str().expect("an id").to_owned()
}

async fn go_on(place: &Place, run: &str) {
    let tasks = ask(place, "task_list", json!({})).await;
    let task = &tasks["tasks"][0]["id"];
    ask(place, "task_complete", json!({ "taskId": task, "action": "approve" })).await;
    // Unless the answer has already done so.
    drop(place.app.resume(run.to_owned()).await);
}

fn viewer() -> Caller {
    Caller::http(CallerRole::Viewer, false, "vera")
}

#[test]
fn ts_097_each_of_many_followers_gets_everything_and_each_event_is_encoded_once_for_an_audience() {
    let place = place();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    runtime.block_on(async {
        let (followers, encoded) = counted(&place.app);
        let run = begin(&place, 30, 10).await;
        let mut all = Vec::new();
        for n in 0..60 {
            let caller = if n % 3 == 0 { viewer() } else { Caller::here() };
            let follower = followers.follow(&caller, run.clone(), 0).await.expect("follows");
            all.push((n % 3 == 0, tokio::spawn(rest(follower))));
        }
        place.app.wait(run.clone()).await.expect("waits for a person");
        go_on(&place, &run).await;
        let mut count = 0;
        for (masked, follower) in all {
            let events = follower.await.expect("ends");
            count = events.len();
            assert_eq!(seqs(&events), (1..=count as u64).collect::<Vec<_>>());
            assert_eq!(events.last().expect("events")["type"], "workflow_done");
            let text = json!(events).to_string();
            assert_eq!(text.contains("canary-31"), !masked, "{text}");
        }
        assert_eq!(encoded.load(Ordering::SeqCst), 2 * count, "once with masks and once without");

        // A broken connection goes on behind what it has, also when the run has ended.
        let again = rest(followers.follow(&viewer(), run.clone(), 4).await.expect("follows")).await;
        assert_eq!(seqs(&again), (5..=count as u64).collect::<Vec<_>>());
        let nothing = followers.follow(&viewer(), run.clone(), count as u64).await.expect("follows");
        assert_eq!(rest(nothing).await, Vec::<Value>::new());
        let unknown = followers.follow(&viewer(), "nobody".into(), 0).await.err().expect("refused");
        assert_eq!(unknown.code, "NOT_FOUND");
    });
    runtime.block_on(place.app.shut_down());
}

/// What does not fit into memory is read from the store, once for those who are at the same place.
#[test]
fn who_is_slow_reads_on_from_the_store_and_misses_nothing() {
    let place = place();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    runtime.block_on(async {
        let (followers, encoded) = counted(&place.app);
        let run = begin(&place, 400, 9_000).await;
        let mut slow = Vec::new();
        for _ in 0..20 {
            let mut follower = followers.follow(&Caller::here(), run.clone(), 0).await.expect("follows");
            let first = lines(&follower.next().await.expect("the first"));
            slow.push((follower, first));
        }
        place.app.wait(run.clone()).await.expect("waits for people");
        go_on(&place, &run).await;
        // One is quick: what it got is more than is kept for the others.
        let quick = rest(followers.follow(&Caller::here(), run.clone(), 0).await.expect("follows")).await;
        let count = quick.len();
        assert!(json!(quick).to_string().len() > 3 * 1024 * 1024, "more than is kept");
        let before = encoded.load(Ordering::SeqCst);
        // Nobody is ahead of the others by more than a piece.
        let (mut ended, mut got) = (0, vec![Vec::new(); slow.len()]);
        for (one, (_, first)) in got.iter_mut().zip(&slow) {
            one.extend(first.clone());
        }
        while ended < slow.len() {
            ended = 0;
            for (one, (follower, _)) in got.iter_mut().zip(&mut slow) {
                match follower.next().await {
                    Some(bytes) => one.extend(lines(&bytes)),
                    None => ended += 1,
                }
            }
        }
        for one in got {
            assert_eq!(seqs(&one), (1..=count as u64).collect::<Vec<_>>());
        }
        let again = encoded.load(Ordering::SeqCst) - before;
        assert!(again <= 2 * count, "{again} encodings of {count} events for 20 who are behind");
    });
    runtime.block_on(place.app.shut_down());
}
