//! Runs that were handed over and that nothing has taken yet are a queue that people see: their places, how many there are, and why
//! they are not taken where the host knows it.

use crate::common::{Place, place};
use serde_json::{Value, json};
use signalbox_app::Caller;
use signalbox_runtime::{HandedRun, RunHost};
use std::sync::{Arc, Mutex};

/// Takes no runs, for a reason that it may say.
#[derive(Default)]
struct Slow(Mutex<Option<String>>);

impl RunHost for Slow {
    fn name(&self) -> &'static str {
        "test"
    }

    fn begin(&self, _run: HandedRun) {}

    fn go_on(&self, _runs: Vec<HandedRun>) {}

    fn trouble(&self) -> Option<String> {
        self.0.lock().expect("no panic").clone()
    }
}

async fn ask(place: &Place, command: &str, request: Value) -> Value {
    let answer = place.app.dispatch(&Caller::here(), command, request).await;
    answer.unwrap_or_else(|error| panic!("{command}: {error} {:?}", error.details))
}

async fn begin(place: &Place) -> String {
    let asks = json!({ "type": "builtin.human_approval", "config": { "title": "Go on?" } });
    let document = json!({ "signalbox": 1, "id": "w", "name": "W", "nodes": { "a": asks }, "edges": [] });
    ask(place, "run_start", json!({ "document": document, "params": {} })).await["runId"]
        .as_str()
        .expect("an id")
        .to_owned()
}

/// Status and place of each of these runs in the list.
async fn listed(place: &Place, runs: &[String; 2]) -> [(String, Option<u64>); 2] {
    let page = ask(place, "run_list", json!({})).await;
    let row =
        |id: &String| page["runs"].as_array().expect("rows").iter().find(|row| row["runId"] == *id).expect("a row");
    runs.each_ref().map(|id| {
        let row = row(id);
        (row["status"].as_str().expect("a status").to_owned(), row["place"].as_u64())
    })
}

fn waiting(metrics: &str) -> &str {
    let line = metrics.lines().find(|line| line.starts_with("signalbox_runs_waiting_for_worker "));
    line.and_then(|line| line.rsplit(' ').next()).expect("a line")
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_that_no_worker_has_taken_are_a_queue_with_a_reason() {
    let (place, host) = (place(), Arc::new(Slow::default()));
    place.app.runtime().hand_runs_to(Arc::<Slow>::clone(&host));
    let runs = [begin(&place).await, begin(&place).await];
    let [first, second] = &runs;
    let running = |place| ("running".to_owned(), place);
    assert_eq!(listed(&place, &runs).await, [running(Some(1)), running(Some(2))]);
    assert_eq!(waiting(&place.app.metrics().await.expect("numbers")), "2");

    let get = |run: &str| json!({ "runId": run });
    *host.0.lock().expect("no panic") = Some("It refuses.".to_owned());
    let found = ask(&place, "run_get", get(second)).await;
    assert_eq!((&found["place"], &found["driven"]), (&json!(2), &json!(false)));
    assert_eq!(found["trouble"], json!({ "code": "WAITS_FOR_WORKER", "message": "It refuses." }));

    // A worker takes the first one.
    let runtime = place.app.runtime();
    let beginning = runtime.journal_beginning(first).await.expect("reads").expect("it has not ended");
    let mut taken = runtime.journaled(first, beginning).await.expect("it is taken");
    assert_eq!(listed(&place, &runs).await, [running(None), running(Some(1))]);
    let found = ask(&place, "run_get", get(first)).await;
    assert_eq!((found.get("place"), &found["driven"], found.get("trouble")), (None, &json!(true), None));

    // It waits for a person and for no worker, until it is answered.
    taken.begin().await.expect("it is carried out");
    drop(taken);
    assert_eq!(listed(&place, &runs).await, [("paused".to_owned(), None), running(Some(1))]);
    let tasks = ask(&place, "task_list", json!({ "state": "open" })).await;
    let task = tasks["tasks"][0]["id"].as_str().expect("a task").to_owned();
    ask(&place, "task_complete", json!({ "taskId": task, "action": "approve" })).await;
    // A run that has begun is as old as its first event.
    let mut found = listed(&place, &runs).await;
    found.sort_by_key(|(_, place)| *place);
    assert_eq!(found.each_ref().map(|(_, place)| *place), [Some(1), Some(2)]);
    assert_eq!(waiting(&place.app.metrics().await.expect("numbers")), "2");
}
