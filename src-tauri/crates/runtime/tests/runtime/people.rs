//! Runs that wait for a person: a row, not a task; the answer may come from anywhere, also after the process has died.

use crate::support::{Die, options, runtime, runtime_later, runtime_with, start, store, trace, until};
use serde_json::{Value, json};
use signalbox_model::task::Answer;
use signalbox_model::{RunStatus, TaskAction, TaskState, time};
use signalbox_ports::Clock as _;
use signalbox_runtime::Runtime;
use signalbox_store::audit::{Actor, Level, Record, verify::Verdict};
use signalbox_store::{AnswerTask, AuditQuery, Store, TaskAct};
use std::sync::Arc;

/// A GET that works, then one that does not.
pub(crate) fn asks(config: &Value) -> Value {
    json!({
        "nodes": {
            "first": { "type": "http.request", "config": { "url": "http://api.example/1" } },
            "second": { "type": "flow.fail", "config": { "error": { "message": "refused", "retryable": false } } },
            "ask": { "type": "builtin.human_decision", "config": config },
            "last": { "type": "flow.noop" }
        },
        "edges": [
            { "from": "first.success", "to": "second" }, { "from": "second.error", "to": "ask" },
            { "from": "ask.skip", "to": "last" }
        ]
    })
}

fn now() -> i64 {
    crate::support::RealClock.now_ms()
}

pub(crate) fn answer(store: &Store, task: &str, action: TaskAction) {
    answer_with(store, task, action, None);
}

fn answer_with(store: &Store, task: &str, action: TaskAction, corrected: Option<Value>) {
    let row = store.task(task).expect("readable").expect("listed");
    let answer = Answer {
        action,
        corrected_input: corrected.map(Arc::new),
        target_node_id: None,
        budget_micros: None,
        tool_grant: None,
        notes: None,
        operator_id: Some("user:ada".into()),
    };
    let record = Record::new(
        time::format(now()),
        row.run_id,
        row.step,
        "HITL_COMPLETED",
        Level::Info,
        Actor::operator("user:ada"),
    );
    let mut facts = serde_json::Map::new();
    facts.insert("taskId".into(), task.into());
    facts.insert("action".into(), action.as_str().into());
    store
        .answer_task(AnswerTask {
            task_id: task.into(),
            expected_revision: None,
            answer,
            via: "cli".into(),
            request_id: None,
            secret: None,
            patch: None,
            at_ms: now(),
            record: record.with_metadata(facts),
        })
        .expect("the answer is taken");
}

async fn paused(runtime: &Runtime, config: Value) -> (String, String) {
    let run = start(runtime, asks(&config)).await;
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Paused));
    let tasks = runtime.store().open_tasks_of(&run).expect("readable");
    assert_eq!(tasks.len(), 1);
    (run, tasks[0].clone())
}

fn events(store: &Store, run: &str) -> Vec<String> {
    let page = store.audit_page(&AuditQuery { run: Some(run.into()), limit: 1_000, ..AuditQuery::default() });
    let mut names: Vec<String> =
        page.expect("readable").rows.iter().filter_map(|row| row.entry()).map(|entry| entry.event).collect();
    names.reverse();
    names
}

pub(crate) fn intact(store: &Store) {
    let verdict = store.audit_verify(Vec::new(), Vec::new(), None).expect("readable");
    assert!(matches!(verdict, Verdict::Intact { .. }), "{verdict}");
}

#[tokio::test]
async fn ts_040_h_22_a_task_survives_the_process_and_its_answer_resumes_the_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let first = runtime(dir.path());
    let (run, task) = paused(&first, json!({})).await;
    until("the paused run is a row", || first.driven().is_empty()).await;
    first.shutdown().await;
    drop(first);

    let second = runtime(dir.path());
    assert_eq!(second.store().open_tasks_of(&run).expect("readable"), std::slice::from_ref(&task));
    assert!(second.resume_all().await.expect("readable").is_empty(), "nobody answered: nothing is to be done");
    answer(second.store(), &task, TaskAction::Skip);
    second.wake(&run).await.expect("it goes on");
    assert_eq!(second.wait(&run).await, Ok(RunStatus::Completed));
    assert_eq!(trace(dir.path()), ["/1"], "no earlier step ran again");
    let kinds: Vec<&str> =
        second.store().events(&run, 0, 100).expect("readable").iter().map(|e| e.body.type_name()).collect();
    assert!(!kinds.contains(&"workflow_resumed"), "a paused run stood still: {kinds:?}");
    assert_eq!(second.store().pending_inputs(&run).expect("readable").len(), 0);
    intact(second.store());
}

#[tokio::test]
async fn an_answer_of_another_process_is_found_by_one_that_stays() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut how = options(dir.path());
    how.adopt = true;
    let here = runtime_with(dir.path(), store(dir.path()), Die::Never, how);
    let (run, task) = paused(&here, json!({})).await;
    let there = store(dir.path());
    answer(&there, &task, TaskAction::Skip);
    until("the run goes on by itself", || there.run(&run).is_ok_and(|row| row.status == RunStatus::Completed)).await;
}

#[tokio::test]
async fn what_another_version_asked_of_a_paused_run_stays_for_that_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let here = runtime(dir.path());
    let (run, task) = paused(&here, json!({})).await;
    until("the paused run is a row", || here.driven().is_empty()).await;
    let other = rusqlite::Connection::open(dir.path().join("signalbox.db")).expect("opens");
    for input in [json!({ "type": "of-tomorrow" }), json!({ "type": "decision", "taskId": task, "answer": 1 })] {
        let row = (&run, input.to_string());
        other.execute("INSERT INTO run_input (run, body) VALUES (?, ?)", row).expect("written");
    }
    assert!(here.resume_all().await.expect("readable").is_empty(), "nothing that this program can do");
    answer(here.store(), &task, TaskAction::Skip);
    assert_eq!(here.resume_all().await.expect("readable").len(), 1);
    assert_eq!(here.wait(&run).await, Ok(RunStatus::Completed));
}

#[tokio::test]
async fn ts_041_h_19_a_time_that_ended_while_nobody_ran_is_noticed_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let first = runtime(dir.path());
    const HOUR: i64 = 3_600_000;
    let config = json!({ "ttlMs": HOUR, "onExpiry": { "action": "escalate", "to": "group:senior-ops" } });
    let (run, task) = paused(&first, config).await;
    first.shutdown().await;
    drop(first);
    let second = runtime_later(dir.path(), 2 * HOUR);
    assert!(
        second.store().runs_with_pending_input_or_due(now()).is_ok_and(|runs| runs.is_empty()),
        "not due by our clock"
    );
    second.resume_all().await.expect("readable");
    assert_eq!(second.wait(&run).await, Ok(RunStatus::Paused));
    until("it is a row again", || second.driven().is_empty()).await;
    second.resume_all().await.expect("readable");
    let row = second.store().task(&task).expect("readable").expect("listed");
    assert_eq!((row.escalation_level, row.candidate_groups), (1, vec!["group:senior-ops".to_owned()]));
    assert_eq!(events(second.store(), &run).iter().filter(|name| *name == "ESCALATED").count(), 1);
}

/// SEMANTICS 5, "nobody in time": what the policy decided is the end of the task, too.
#[tokio::test]
async fn a_task_that_a_policy_answered_is_not_open_any_more() {
    const HOUR: i64 = 3_600_000;
    let dir = tempfile::tempdir().expect("a folder");
    let first = runtime(dir.path());
    let config = json!({ "ttlMs": HOUR, "onExpiry": "skip" });
    let (run, task) = paused(&first, config).await;
    first.shutdown().await;
    drop(first);
    let second = runtime_later(dir.path(), 2 * HOUR);
    second.resume_all().await.expect("readable");
    assert_eq!(second.wait(&run).await, Ok(RunStatus::Completed));
    let record = second.store().task_record(&task).expect("readable").expect("listed");
    let row = &record.row;
    assert_eq!((row.state, row.action, row.decided_by.as_deref()), (TaskState::Expired, Some(TaskAction::Skip), None));
    assert_eq!(record.decision.expect("a decision")["via"], "policy");
}

#[tokio::test]
async fn ts_045_a_20_every_run_leaves_its_entries_without_an_audit_node() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let (run, task) = paused(&runtime, json!({})).await;
    answer(runtime.store(), &task, TaskAction::Skip);
    runtime.wake(&run).await.expect("it goes on");
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
    assert_eq!(
        events(runtime.store(), &run),
        [
            "WORKFLOW_STARTED",
            "NODE_START",
            "NODE_SUCCESS",
            "NODE_START",
            "NODE_ERROR",
            "NODE_START",
            "HITL_CREATED",
            "HITL_COMPLETED",
            "NODE_SUCCESS",
            "NODE_START",
            "NODE_SUCCESS",
            "WORKFLOW_COMPLETED",
        ]
    );
    let page = runtime.store().audit_page(&AuditQuery { run: Some(run), limit: 1, ..AuditQuery::default() });
    let last = page.expect("readable").rows[0].entry().expect("an entry");
    assert_eq!(last.metadata.expect("facts")["entryCount"], json!(12));
    intact(runtime.store());
}

#[tokio::test]
async fn ts_013_k_18_aborting_ends_the_run_and_closes_its_tasks() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let (run, task) = paused(&runtime, json!({})).await;
    answer(runtime.store(), &task, TaskAction::Abort);
    runtime.wake(&run).await.expect("it goes on");
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Failed));
    let summary = runtime.store().summary::<Value>(&run).expect("readable").expect("ended");
    assert_eq!(summary["failedStepId"], json!("second"));
    assert_eq!(summary["openTasks"], json!([]));
}

#[tokio::test]
async fn ts_016_h_14_a_corrected_call_is_made_after_a_restart() {
    let dir = tempfile::tempdir().expect("a folder");
    let first = runtime(dir.path());
    let call = json!({
        "settings": { "errorPolicy": { "rules": [{ "name": "ask", "when": "true", "action": "human_review" }] } },
        "nodes": {
            "where": { "type": "data.set", "config": { "assign": { "path": "fail" } } },
            "call": { "type": "http.request", "config": { "url": "http://api.example/{{item.path}}" } }
        },
        "edges": [{ "from": "where.success", "to": "call" }]
    });
    let run = start(&first, call).await;
    assert_eq!(first.wait(&run).await, Ok(RunStatus::Paused));
    first.shutdown().await;
    drop(first);
    let second = runtime(dir.path());
    let task = second.store().open_tasks_of(&run).expect("readable").remove(0);
    answer_with(second.store(), &task, TaskAction::Correct, Some(json!({ "path": "ok" })));
    second.resume_all().await.expect("readable");
    assert_eq!(second.wait(&run).await, Ok(RunStatus::Completed));
    assert_eq!(trace(dir.path()), ["/fail", "/ok"]);
}

/// UX D2.8: the person stops the time while no process drives the run, and it is heard of before the time is over.
#[tokio::test]
async fn ux_d2_8_h_22_a_task_on_hold_does_not_expire_while_nobody_runs() {
    const HOUR: i64 = 3_600_000;
    let dir = tempfile::tempdir().expect("a folder");
    let first = runtime(dir.path());
    let (run, task) = paused(&first, json!({ "ttlMs": HOUR, "onExpiry": "abort" })).await;
    first.shutdown().await;
    drop(first);
    let hold = |store: &Store, held: bool, at_ms: i64| {
        let record =
            Record::new(time::format(at_ms), run.clone(), "ask", "TASK_HELD", Level::Info, Actor::operator("user:ada"));
        store.act_on_task(&task, TaskAct::Hold { held }, "user:ada", None, at_ms, record).expect("is taken");
    };
    let held_at = now();
    hold(&store(dir.path()), true, held_at);

    let second = runtime_later(dir.path(), 2 * HOUR);
    second.resume_all().await.expect("readable");
    assert_eq!(second.wait(&run).await, Ok(RunStatus::Paused));
    until("it is a row again", || second.driven().is_empty()).await;
    let row = second.store().task(&task).expect("readable").expect("listed");
    assert_eq!((row.state, row.expires_ms), (TaskState::Open, None));
    let left = row.remaining_ms.expect("the run has heard of it");
    assert!(left > 0 && left <= HOUR, "{left}");
    assert!(second.store().runs_with_pending_input_or_due(held_at + 9 * HOUR).expect("readable").is_empty());

    hold(second.store(), false, held_at + 2 * HOUR);
    second.resume_all().await.expect("readable");
    assert_eq!(second.wait(&run).await, Ok(RunStatus::Paused));
    until("it is a row again", || second.driven().is_empty()).await;
    let row = second.store().task(&task).expect("readable").expect("listed");
    assert_eq!((row.held_ms, row.expires_ms), (None, Some(held_at + 2 * HOUR + left)));
    intact(second.store());
}

/// UX D2.7: what comes after the hundredth is one task that says for how many it stands.
#[tokio::test]
async fn ux_d2_7_above_a_hundred_tasks_of_one_fingerprint_the_rest_is_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime(dir.path());
    let numbers: Vec<String> = (0..104).map(|n| n.to_string()).collect();
    let run = start(
        &runtime,
        json!({
            "settings": { "errorPolicy": { "rules": [{ "name": "ask", "when": "true", "action": "human_review" }] } },
            "nodes": {
                "many": { "type": "data.transform", "config": { "expression": format!("[{}]", numbers.join(",")), "split": true } },
                "call": { "type": "http.request", "config": { "url": "http://api.example/fail" } }
            },
            "edges": [{ "from": "many.success", "to": "call" }]
        }),
    )
    .await;
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Paused));
    let tasks = runtime.store().open_tasks_of(&run).expect("readable");
    assert_eq!(tasks.len(), 101);
    let cases: Vec<usize> =
        tasks.iter().map(|id| runtime.store().task(id).expect("readable").expect("listed").cases).collect();
    assert_eq!(cases.iter().sum::<usize>(), 104);
    assert_eq!(cases.iter().max(), Some(&4));
}

/// UX D2.8: reminders stand in the chain, also one that fell due while nobody ran; each once.
#[tokio::test]
async fn ux_d2_8_a_reminder_leaves_an_entry() {
    let folder = tempfile::tempdir().expect("folder");
    let first = runtime(folder.path());
    let config = json!({ "ttlMs": 600_000, "onExpiry": { "action": "escalate", "to": "group:senior-ops" } });
    let (run, _) = paused(&first, config).await;
    first.shutdown().await;
    drop(first);
    let later = runtime_later(folder.path(), 400_000);
    later.resume_all().await.expect("resumes");
    let store = later.store();
    until("the reminder", || events(store, &run).iter().any(|event| event == "TASK_REMINDED")).await;
    let query = AuditQuery { run: Some(run), event: Some("TASK_REMINDED".into()), ..AuditQuery::default() };
    let page = store.audit_page(&query).expect("lists");
    let entry = page.rows[0].entry().expect("an entry");
    assert_eq!((page.total, entry.node_id.as_str(), entry.level), (1, "ask", Level::Info));
    let told = serde_json::to_value(entry.metadata.expect("facts")).expect("JSON");
    assert_eq!((&told["reminder"], told["taskId"].is_string()), (&json!(1), true));
    intact(store);
}
