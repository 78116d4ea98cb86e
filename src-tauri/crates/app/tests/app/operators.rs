//! What operators do beside answering, as commands: the time of a task, answers by token that are not taken.

use serde_json::{Value, json};
use signalbox_app::dto::{Host, RunAnswer};
use signalbox_app::{ApiError, App, Caller, Options, WireEvent};
use std::sync::Arc;

struct Place {
    dir: tempfile::TempDir,
    app: Arc<App>,
}

fn place() -> Place {
    let dir = tempfile::tempdir().expect("a folder");
    let app = App::open(&dir.path().join("data"), options(true)).expect("opens");
    Place { dir, app }
}

fn options(stays: bool) -> Options {
    Options { host: Host::Desktop, allow: Vec::new(), stays, reads: false }
}

/// What was told, as a follower reads it.
fn read(told: &[WireEvent]) -> Vec<Value> {
    told.iter().map(|event| serde_json::from_str(&event.text).expect("JSON")).collect()
}

impl Place {
    async fn ask(&self, command: &str, request: Value) -> Result<Value, ApiError> {
        self.app.dispatch(&Caller::here(), command, request).await
    }
    async fn ok(&self, command: &str, request: Value) -> Value {
        self.ask(command, request).await.unwrap_or_else(|error| panic!("{command}: {error} {:?}", error.details))
    }
    /// A run that waits; gives run and task.
    async fn paused(&self, nodes: Value) -> (String, String) {
        let document = json!({ "signalbox": 1, "id": "waits", "name": "Waits", "nodes": nodes, "edges": [] });
        let run = self.ok("run_start", json!({ "document": document, "params": {} })).await["runId"].clone();
        let run = run.as_str().expect("an id").to_owned();
        let summary = self.app.wait(run.clone()).await.expect("pauses");
        assert_eq!(summary["status"], "paused");
        (run, summary["openTasks"][0].as_str().expect("a task").to_owned())
    }
    async fn refused(&self, run: &str, token: &str, payload: Value) -> ApiError {
        let answer = RunAnswer {
            run_id: run.into(),
            token: token.into(),
            payload: Some(payload),
            request_id: Some(format!("to {token}")),
        };
        self.app.resume_with(&Caller::here(), answer).await.expect_err("is refused")
    }
}

/// TS-096: a wrong, a late and a doubled answer tell themselves to who follows the run; the run is untouched.
#[tokio::test]
async fn ts_096_h_28_an_answer_by_token_that_is_not_taken_is_told() {
    let place = place();
    let schema = json!({ "type": "object", "required": ["ok"], "properties": { "ok": { "type": "boolean" } } });
    let (run, task) =
        place.paused(json!({ "p": { "type": "builtin.human_form", "config": { "schema": schema } } })).await;
    let seen = place.ok("run_get", json!({ "runId": run })).await["run"]["lastSeq"].as_u64().unwrap_or_default();
    let mut follow = place.app.subscribe(&Caller::here(), run.clone(), seen).await.expect("follows");
    // What is there already comes first.
    let token = place.ok("task_get", json!({ "taskId": task, "secret": true })).await["secret"].clone();
    let token = token.as_str().expect("a token").to_owned();

    let foreign = place.refused(&run, "0123456789abcdef0123456789abcdef", json!({})).await;
    assert_eq!(foreign.code, "BAD_TOKEN");
    let unfit = place.refused(&run, &token, json!({ "ok": "yes" })).await;
    assert_eq!(unfit.code, "INPUT_INVALID");
    let mut told = Vec::new();
    while told.len() < 2 {
        let events = read(&follow.next().await.expect("goes on"));
        told.extend(events.into_iter().filter(|event| event["type"] == "pause_rejected"));
    }
    let said = |event: &Value| (event["live"].clone(), event.get("seq").is_some(), event["payload"]["reason"].clone());
    assert_eq!(said(&told[0]), (json!(true), false, json!("bad_token")));
    assert_eq!(said(&told[1]), (json!(true), false, json!("invalid_payload")));
    assert_eq!((&told[0]["stepId"], &told[1]["stepId"]), (&Value::Null, &json!("p")));
    assert_eq!(told[1]["payload"]["requestId"], format!("to {token}"));

    // Without the process the answer waits, and the run does, too: who comes late is told.
    let held = place.ok("task_hold", json!({ "taskId": task, "held": true })).await;
    assert!(held["heldSince"].is_string(), "{held}");
    let stale = place.refused(&run, &token, json!({ "ok": true })).await;
    assert_eq!(stale.code, "STALE");
    place.ok("task_complete", json!({ "taskId": task, "action": "submit", "correctedInput": { "ok": true } })).await;
    let late = place.refused(&run, &token, json!({ "ok": true })).await;
    assert_eq!(late.code, "ALREADY_ANSWERED");
    let entries = place.ok("audit_list", json!({ "query": "event:ANSWER_REFUSED" })).await;
    assert_eq!(entries["total"], 4);
    let stored = place.ok("run_events", json!({ "runId": run, "after": 0 })).await.to_string();
    assert!(!stored.contains("pause_rejected"), "it is told, not stored");
}

/// UX D2.8: on hold from the inbox, with its entry and its history; a task without a time limit may wait, too.
#[tokio::test]
async fn ux_d2_8_a_task_waits_for_somebody_else() {
    let place = place();
    let (run, task) =
        place.paused(json!({ "ok": { "type": "builtin.human_approval", "config": { "ttlMs": 3_600_000 } } })).await;
    let row = place.ok("task_hold", json!({ "taskId": task, "held": true, "notes": "The supplier calls back" })).await;
    assert!(row["heldSince"].is_string());
    // The run hears of it by itself; a second process sees it in the log.
    let mut events = place.app.subscribe(&Caller::here(), run.clone(), 0).await.expect("follows");
    let mut heard = None;
    while heard.is_none() {
        let batch = read(&events.next().await.expect("goes on"));
        heard = batch.into_iter().find(|event| event["type"] == "human_task_held");
    }
    let left = heard.expect("is there")["payload"]["remainingMs"].as_i64().expect("a number");
    assert!(left > 0 && left <= 3_600_000);
    let shown = place.ok("task_get", json!({ "taskId": task })).await;
    assert_eq!((shown["remainingMs"].as_i64(), shown.get("expiresAt")), (Some(left), None));
    let last = shown["history"].as_array().and_then(|all| all.last()).expect("one");
    assert_eq!((last["what"].as_str(), last["text"].as_str()), (Some("held"), Some("The supplier calls back")));
    // Twice is once.
    place.ok("task_hold", json!({ "taskId": task, "held": true })).await;
    place.ok("task_hold", json!({ "taskId": task, "held": false })).await;
    let mut heard = None;
    while heard.is_none() {
        let batch = read(&events.next().await.expect("goes on"));
        heard = batch.into_iter().find(|event| event["type"] == "human_task_continued");
    }
    let shown = place.ok("task_get", json!({ "taskId": task })).await;
    assert_eq!(shown.get("heldSince"), None);
    assert_eq!(shown["expiresAt"], heard.expect("is there")["payload"]["expiresAt"]);
    for event in ["TASK_HELD", "TASK_CONTINUED"] {
        let entries = place.ok("audit_list", json!({ "query": format!("event:{event}") })).await;
        assert_eq!(entries["total"], 1, "{event}");
    }
    place.ok("task_complete", json!({ "taskId": task, "action": "approve" })).await;
    let done = place.ask("task_hold", json!({ "taskId": task, "held": true })).await.expect_err("is decided");
    assert_eq!(done.code, "ALREADY_ANSWERED");
    assert!(place.dir.path().join("data").is_dir());
}
