use crate::child::Process;
use crate::people::{answer, ask, asked, escalate, new_task, record};
use crate::support::{T0, commit, count, delete, end, open, print, started, temporary};
use serde_json::{Value, json};
use signalbox_model::TaskState;
use signalbox_store::{
    RunCommit, Store, TaskChange, TaskNews, WEBHOOK_REST_MS, Webhook, WebhookAdded, WebhookDelivery, WebhookTried,
};
use std::collections::BTreeSet;

fn add(store: &Store, id: &str, events: &[TaskNews], made_ms: i64) {
    let one = Webhook {
        id: id.into(),
        url: format!("https://desk.example/{id}"),
        events: events.to_vec(),
        secret: "desk".into(),
        here: false,
        made_by: "user:anna".into(),
        made_ms,
        failures: 0,
        next_ms: None,
    };
    let added = store.webhook_add(one, 16, record("WEBHOOK_CHANGED", "r", json!({}))).expect("is kept");
    assert_eq!(added, WebhookAdded::Added);
}

fn told(store: &Store, id: &str) -> Vec<String> {
    store.webhook_log(Some(id), 50).expect("reads").into_iter().rev().map(|one| one.event).collect()
}

fn failed(at_ms: i64, again_ms: Option<i64>) -> WebhookTried {
    WebhookTried {
        at_ms,
        status: Some(503),
        error: Some("it answered 503".into()),
        again_ms,
        next_ms: Some(at_ms + 10_000),
        stale_ms: Some(at_ms - 1_000_000),
    }
}

fn taken(at_ms: i64) -> WebhookTried {
    WebhookTried { at_ms, status: Some(200), error: None, again_ms: None, next_ms: None, stale_ms: None }
}

fn tried(store: &Store, one: &WebhookDelivery, tried: WebhookTried) -> WebhookDelivery {
    store.webhook_tried(one.clone(), tried, record("WEBHOOK_FAILED", "r", json!({}))).expect("is kept");
    store.webhook_delivery(&one.id).expect("reads").expect("is there")
}

fn take(store: &Store, id: &str, now_ms: i64) -> Option<WebhookDelivery> {
    store.webhook_take(id, None, now_ms, now_ms + 60_000).expect("reads").map(|(_, one)| one)
}

/// UX D2.10.
#[test]
fn every_address_hears_of_what_it_asked_for_and_of_nothing_masked() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    add(&store, "all", &TaskNews::ALL, T0);
    add(&store, "some", &[TaskNews::Answered], T0 + 1);
    let mut created = ask("t", json!({ "password": "hunter22" }));
    created.title = "Call ada@example.org about hunter22".into();
    asked(&store, "r", &owner, 2, created);
    asked(&store, "r", &owner, 3, ask("left", json!(1)));
    let tasks = vec![escalate("t", "user:carl", T0 + 90_000)];
    store.commit(RunCommit { tasks, ..commit("r", &owner, Vec::new()) }).expect("escalates");
    store.answer_task(answer("t", "r", "user:carl")).expect("answers");
    assert_eq!(
        told(&store, "all"),
        ["task.created", "task.created", "task.overdue", "task.escalated", "task.answered"]
    );
    assert_eq!(told(&store, "some"), ["task.answered"]);
    let last = store.webhook_log(Some("some"), 1).expect("reads").remove(0);
    let body: Value = serde_json::from_str(&last.body).expect("JSON");
    assert_eq!((&body["type"], &body["data"]["taskId"]), (&json!("task.answered"), &json!("t")));
    assert_eq!((&body["data"]["action"], &body["data"]["decidedBy"]), (&json!("retry"), &json!("user:carl")));
    assert_eq!((&body["data"]["state"], &body["data"]["escalationLevel"]), (&json!("done"), &json!(1)));
    let all: String = store.webhook_log(None, 50).expect("reads").into_iter().map(|one| one.body).collect();
    for secret in ["ada@example.org", "hunter22", "by user:carl"] {
        assert!(!all.contains(secret), "{secret}: {all}");
    }
    // docs/formats.md shows nothing that is not sent.
    let page = include_str!("../../../../../../docs/formats.md");
    let example =
        page.split("```json webhook\n").nth(1).and_then(|rest| rest.split("\n```").next()).expect("an example");
    let example: Value = serde_json::from_str(example).expect("JSON");
    let named = |value: &Value| -> BTreeSet<String> { value.as_object().expect("an object").keys().cloned().collect() };
    assert_eq!(named(&example), named(&body));
    let rest: Vec<_> = named(&example["data"]).difference(&named(&body["data"])).cloned().collect();
    assert_eq!(rest, ["errorCode", "errorType"], "this task has no error");
    // A refused answer tells nothing.
    store.answer_task(answer("t", "r", "user:bob")).expect_err("answered already");
    assert_eq!(told(&store, "some").len(), 1);
    let close = TaskChange::CloseOne { task_id: "left".into(), state: TaskState::Cancelled, at_ms: T0 + 9_000 };
    store.commit(RunCommit { tasks: vec![close], ..commit("r", &owner, Vec::new()) }).expect("closes");
    assert_eq!(told(&store, "all").last().map(String::as_str), Some("task.closed"));

    assert!(store.webhook_remove("some", record("WEBHOOK_CHANGED", "r", json!({}))).expect("removes"));
    assert!(told(&store, "some").is_empty() && store.webhook_delivery(&last.id).expect("reads").is_none());
    assert!(!store.webhook_remove("some", record("WEBHOOK_CHANGED", "r", json!({}))).expect("is no error"));
    // What is deleted with its run is not told either.
    end(&store, "r", &owner, 4);
    delete(&store, "r").expect("deletes");
    assert!(told(&store, "all").is_empty());
}

#[test]
fn what_is_told_stands_in_the_transaction_of_what_it_tells_of() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    add(&store, "a", &TaskNews::ALL, T0);
    asked(&store, "r", &owner, 2, ask("t", json!(1)));
    store.answer_task(answer("t", "r", "user:anna")).expect("answers");
    // The policy comes too late: its whole commit is refused, with the task that it would have made.
    let tasks =
        vec![TaskChange::Create(Box::new(new_task(ask("other", json!(2))))), escalate("t", "user:carl", T0 + 90_000)];
    store.commit(RunCommit { tasks, ..commit("r", &owner, Vec::new()) }).expect_err("is decided");
    assert_eq!(told(&store, "a"), ["task.created", "task.answered"]);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM task"), 1);
}

/// A process is killed while it answers: what was answered is to be told, and nothing else.
#[test]
fn a_crash_leaves_no_answer_untold_and_tells_none_that_is_not_there() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let create = |n: usize| TaskChange::Create(Box::new(new_task(ask(&format!("t{n}"), json!(n)))));
    let tasks = (0..400).map(create).collect();
    store.commit(RunCommit { tasks, ..commit("r", &owner, vec![print("r", 2, json!(1))]) }).expect("asks");
    add(&store, "a", &[TaskNews::Answered], T0);
    let mut child = Process::start("answer", folder.path());
    child.says();
    child.kill();
    drop(store);
    let store = open(folder.path());
    let done = count(folder.path(), "SELECT count(*) FROM task WHERE state = 'done'");
    let both = "SELECT count(*) FROM webhook_delivery d JOIN task t ON t.id = d.task AND t.state = 'done'";
    assert!(done >= 1, "{done}");
    assert_eq!(
        (count(folder.path(), both), count(folder.path(), "SELECT count(*) FROM webhook_delivery")),
        (done, done)
    );
    assert_eq!(store.webhooks_due(T0 + 5_000).expect("reads"), ["a"], "another process sends them");
}

#[test]
fn one_message_at_a_time_goes_to_an_address() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    for (id, made_ms) in [("a", T0), ("b", T0 + 1)] {
        add(&store, id, &[TaskNews::Created], made_ms);
    }
    for (seq, id) in [(2, "t1"), (3, "t2")] {
        asked(&store, "r", &owner, seq, ask(id, json!(1)));
    }
    assert!(store.webhooks_due(T0).expect("reads") == ["a", "b"]);
    let first = take(&store, "a", T0).expect("is due");
    assert_eq!((first.task.as_str(), take(&store, "a", T0)), ("t1", None), "somebody sends to this address");
    let second = open(folder.path());
    assert_eq!(take(&second, "a", T0), None, "nor does another process");
    assert_eq!(store.webhooks_due(T0).expect("reads"), ["b"]);
    assert_eq!(take(&second, "b", T0).expect("is due").task, "t1");
    assert!(tried(&store, &first, taken(T0 + 10)).done_ms.is_some());
    let next = take(&store, "a", T0 + 20).expect("is due");
    assert_eq!(next.task, "t2");
    // Who had it could not write what came of it: after its time the message is there again.
    assert_eq!(take(&store, "a", T0 + 60_020).map(|one| one.id), Some(next.id));
}

/// Who sends dies: nobody waits for the end of its time.
#[test]
fn a_killed_process_keeps_no_message() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    add(&store, "a", &[TaskNews::Created], T0);
    asked(&store, "r", &owner, 2, ask("t", json!(1)));
    let mut child = Process::start("send", folder.path());
    let held = child.says();
    assert_eq!(take(&store, "a", T0), None);
    child.kill();
    crate::support::until(|| !store.webhooks_due(T0).expect("reads").is_empty());
    assert_eq!(take(&store, "a", T0).map(|one| one.id), Some(held), "the same message, with the same id");
}

#[test]
fn a_message_comes_again_until_it_is_taken_or_given_up() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    add(&store, "a", &[TaskNews::Created], T0);
    asked(&store, "r", &owner, 2, ask("t1", json!(1)));
    asked(&store, "r", &owner, 3, ask("t2", json!(1)));
    assert_eq!(take(&store, "a", T0 - 1).map(|one| one.task).as_deref(), Some("t1"), "the clock was put back");
    let one = store.webhook_log(None, 2).expect("reads").remove(1);
    let now = tried(&store, &one, failed(T0, Some(T0 + 20_000)));
    assert_eq!((now.attempts, now.status, now.due_ms, now.done_ms), (1, Some(503), Some(T0 + 20_000), None));
    // The address is left alone for a while, then the other message has its turn.
    assert!(take(&store, "a", T0 + 9_999).is_none() && store.webhooks_due(T0 + 9_999).expect("reads").is_empty());
    let other = take(&store, "a", T0 + 10_000).expect("is due");
    assert_eq!(other.task, "t2");
    tried(&store, &other, taken(T0 + 10_001));
    assert_eq!(store.webhook("a").expect("reads").map(|one| (one.failures, one.next_ms)), Some((0, None)));
    assert_eq!(take(&store, "a", T0 + 19_999), None, "not due yet");

    let given_up = || count(folder.path(), "SELECT count(*) FROM audit_entry WHERE entry LIKE '%WEBHOOK_FAILED%'");
    let one = take(&store, "a", T0 + 20_000).expect("is due");
    assert_eq!(given_up(), 0);
    let now = tried(&store, &one, failed(T0 + 20_001, None));
    assert_eq!((now.attempts, now.due_ms, now.done_ms, given_up()), (2, None, None, 1));
    assert_eq!(take(&store, "a", T0 + WEBHOOK_REST_MS), None);
    let state = store.webhooks().expect("reads").remove(0);
    assert_eq!((state.waiting, state.failed), (0, 1));

    // A person has it sent again, although the address is left alone.
    let record = || record("WEBHOOK_AGAIN", "r", json!({}));
    assert!(store.webhook_again(&one.id, T0 + 21_000, record()).expect("is written"));
    assert_eq!(take(&store, "a", T0 + 21_000), None);
    let only = store.webhook_take("a", Some(&one.id), T0 + 21_000, T0 + 80_000).expect("reads");
    assert_eq!(only.map(|(_, again)| (again.id, again.attempts)), Some((one.id.clone(), 0)));
    let now = tried(&store, &one, taken(T0 + 21_001));
    assert_eq!((now.attempts, now.error, now.done_ms.is_some(), now.due_ms), (1, None, true, None));
    assert!(!store.webhook_again("msg_none", T0, record()).expect("is no error"));
}

/// An address that is gone does not keep its messages for ever: when their day is over, all of them are given up.
#[test]
fn messages_that_are_too_old_are_given_up_together() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    add(&store, "a", &[TaskNews::Created], T0);
    for (seq, id) in [(2, "t1"), (3, "t2"), (4, "t3")] {
        asked(&store, "r", &owner, seq, ask(id, json!(1)));
    }
    let late = T0 + 2_000_000;
    let one = take(&store, "a", late).expect("is due");
    let again = store.webhook_log(None, 1).expect("reads").remove(0);
    assert!(store.webhook_again(&again.id, late, record("WEBHOOK_AGAIN", "r", json!({}))).expect("is written"));
    tried(&store, &one, failed(late, None));
    let states: Vec<_> = store.webhook_log(None, 3).expect("reads").into_iter().map(|one| one.due_ms).collect();
    assert_eq!(states, [Some(late), None, None], "the one that a person had sent again has its time");
    let other = store.webhook_log(None, 2).expect("reads").remove(1);
    assert_eq!((other.attempts, other.error.as_deref()), (0, Some("it answered 503")));
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_entry WHERE entry LIKE '%WEBHOOK_FAILED%'"), 1);
}

#[test]
fn only_the_last_messages_of_an_address_are_kept() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    add(&store, "a", &[TaskNews::Created], T0);
    let create = |n: usize| TaskChange::Create(Box::new(new_task(ask(&format!("t{n}"), json!(n)))));
    let tasks = (0..510).map(create).collect();
    store.commit(RunCommit { tasks, ..commit("r", &owner, Vec::new()) }).expect("asks");
    let all = store.webhook_log(None, 1_000).expect("reads");
    assert_eq!(all.len(), 510, "what waits is never dropped");
    for _ in 0..20 {
        let one = take(&store, "a", T0).expect("is due");
        tried(&store, &one, taken(T0));
    }
    asked(&store, "r", &owner, 2, ask("last", json!(1)));
    let left = store.webhook_log(None, 1_000).expect("reads");
    assert_eq!((left.len(), left.iter().filter(|one| one.done_ms.is_some()).count()), (500, 9));
}
