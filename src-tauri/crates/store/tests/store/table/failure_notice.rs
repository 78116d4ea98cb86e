//! Failures of active workflows: told once an hour, in the transaction of the failure.

use crate::support::{T0, commit, finish, new_run, temporary};
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, RunStatus};
use signalbox_store::audit::{Actor, Level, RUN_LEVEL, Record};
use signalbox_store::{Activation, FAILURE_EVERY_MS, NewRun, NewTrigger, RunCommit, RunEnd, Store, TaskNews, Webhook};

fn record(event: AuditEvent) -> Record {
    Record::new("2026-01-01T00:00:00.000Z", "r", RUN_LEVEL, event, Level::Info, Actor::system())
}

fn activate(store: &Store, version: &str) {
    let activation = Activation {
        workflow: "wf".into(),
        name: "Work".into(),
        version: version.into(),
        active: true,
        here: true,
        person: "user:anna".into(),
        at_ms: T0,
    };
    let trigger = NewTrigger {
        id: "wf.t".into(),
        node: "t".into(),
        kind: "trigger.schedule".into(),
        title: None,
        config: "{}".into(),
    };
    store.activate(activation, "{}".into(), vec![trigger], record(AuditEvent::WorkflowActivated)).expect("is active");
}

fn hears(store: &Store, id: &str, events: Vec<TaskNews>) {
    let one = Webhook {
        id: id.into(),
        url: format!("https://{id}.example/hook"),
        events,
        secret: "desk".into(),
        here: true,
        made_by: "user:anna".into(),
        made_ms: T0,
        failures: 0,
        next_ms: None,
    };
    store.webhook_add(one, 8, record(AuditEvent::WebhookChanged)).expect("is kept");
}

fn fails(store: &Store, run: &str, status: RunStatus, at_ms: i64) {
    let owner = store.create_run(NewRun { started_ms: at_ms, ..new_run(run) }).expect("begins");
    let end = RunEnd {
        ended_ms: at_ms,
        failed_step: Some("book".into()),
        error_code: Some("NO_ACCOUNT".into()),
        error_message: Some("hunter22 is wrong".into()),
        ..RunEnd::default()
    };
    let ended = RunCommit { status: Some(status), end: Some(end), ..commit(run, &owner, vec![finish(run, 2)]) };
    store.commit(ended).expect("ends");
}

fn told(store: &Store) -> Vec<String> {
    let log = store.webhook_log(Some("all"), 100).expect("reads");
    log.iter()
        .rev()
        .map(|one| serde_json::from_str::<Value>(&one.body).expect("JSON")["data"]["runId"].to_string())
        .collect()
}

#[test]
fn a_failure_of_the_active_version_is_told_once_an_hour() {
    let (_folder, store) = temporary();
    hears(&store, "all", TaskNews::ALL.to_vec());
    hears(&store, "tasks", vec![TaskNews::Created]);
    fails(&store, "before", RunStatus::Failed, T0);
    activate(&store, "definition");
    fails(&store, "fine", RunStatus::Completed, T0 + 1);
    fails(&store, "first", RunStatus::Failed, T0 + 2);
    fails(&store, "again", RunStatus::Failed, T0 + 1 + FAILURE_EVERY_MS);
    fails(&store, "later", RunStatus::Failed, T0 + 2 + FAILURE_EVERY_MS);
    // Put back, the clock keeps nobody from hearing of the next one.
    fails(&store, "back", RunStatus::Failed, T0);
    assert_eq!(told(&store), ["\"first\"", "\"later\"", "\"back\""]);
    assert_eq!(store.webhook_log(Some("tasks"), 100).map(|log| log.len()), Ok(0));
    let notices = store.failure_notices(0).expect("reads");
    assert_eq!(notices.iter().map(|one| (one.run.as_deref(), one.at_ms)).collect::<Vec<_>>(), [(Some("back"), T0)]);
    let one = store.webhook_log(Some("all"), 1).expect("reads").remove(0);
    assert_eq!((one.event.as_str(), one.task.as_str()), ("workflow.failed", ""));
    assert!(!one.body.contains("hunter22"), "{}", one.body);
    let body: Value = serde_json::from_str(&one.body).expect("JSON");
    assert_eq!(body["data"]["errorCode"], json!("NO_ACCOUNT"));
    assert_eq!(body["data"]["failedStepId"], json!("book"));
}

#[test]
fn a_failure_of_a_draft_or_of_a_workflow_that_is_not_active_is_not_told() {
    let (_folder, store) = temporary();
    hears(&store, "all", TaskNews::ALL.to_vec());
    activate(&store, "another version");
    fails(&store, "draft", RunStatus::Failed, T0);
    activate(&store, "definition");
    store.deactivate("wf", record(AuditEvent::WorkflowDeactivated)).expect("is off");
    fails(&store, "off", RunStatus::Failed, T0 + 1);
    assert_eq!(told(&store), Vec::<String>::new());
    assert_eq!(
        store.workflow_activity("wf", T0).map(|all| (all.runs, all.failed, all.last_failed)),
        Ok((2, 2, Some("off".into())))
    );
}
