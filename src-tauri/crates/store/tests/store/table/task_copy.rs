use crate::people::{answer, ask, asked, escalate, record};
use crate::support::{T0, commit, delete, end, started, temporary};
use serde_json::{Value, json};
use signalbox_model::TaskState;
use signalbox_store::{
    RunCommit, Store, TaskChange, TaskCopy, TaskCopyTried, TaskDestination, TaskDestinationAdded, TaskRules,
};

fn add(store: &Store, id: &str, rules: TaskRules) {
    let one = TaskDestination {
        id: id.into(),
        name: id.into(),
        rules,
        config: "{}".into(),
        here: false,
        made_by: "user:anna".into(),
        made_ms: T0,
        failures: 0,
        next_ms: None,
        opened: 0,
    };
    let added = store.task_destination_add(one, 16, record("TASK_DESTINATION_CHANGED", "r", json!({})));
    assert_eq!(added.expect("is kept"), TaskDestinationAdded::Added);
}

fn copy(store: &Store, task: &str) -> TaskCopy {
    store.task_copies(task).expect("reads").remove(0)
}

fn wanted(store: &Store, task: &str) -> Value {
    serde_json::from_str(&copy(store, task).wanted).expect("JSON")
}

fn take(store: &Store, now_ms: i64) -> Option<TaskCopy> {
    store.task_copy_take("desk", None, now_ms, now_ms + 60_000).expect("reads").map(|(_, one)| one)
}

fn tried(store: &Store, one: &TaskCopy, tried: TaskCopyTried) {
    store.task_copy_tried(one.clone(), tried, record("TASK_COPY_FAILED", "r", json!({}))).expect("is kept");
}

/// H-21: what is to stand elsewhere is in the transaction of the task, however it changes and ends; masked.
#[test]
fn h_21_a_copy_follows_its_task_and_hides_what_lists_hide() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    add(&store, "desk", TaskRules::default());
    add(&store, "others", TaskRules { workflows: vec!["another".into()], ..TaskRules::default() });
    let mut created = ask("t", json!({ "password": "hunter22" }));
    created.title = "Call ada@example.org about hunter22".into();
    asked(&store, "r", &owner, 2, created);
    assert_eq!(store.task_copies("t").expect("reads").len(), 1);
    let one = take(&store, T0).expect("is due");
    assert!(take(&store, T0).is_none(), "the destination is busy");
    let remote = Some((json!({ "id": "7" }).to_string(), "7".to_owned()));
    let sent = Some(one.wanted.clone());
    tried(&store, &one, TaskCopyTried { at_ms: T0, sent, remote, ..TaskCopyTried::default() });
    assert!(take(&store, T0).is_none(), "it stands there");
    assert_eq!(store.task_copy_external("desk", "7").expect("reads").map(|one| one.task), Some("t".into()));

    let tasks = vec![escalate("t", "user:carl", T0 + 90_000)];
    store.commit(RunCommit { tasks, ..commit("r", &owner, Vec::new()) }).expect("escalates");
    assert_eq!(wanted(&store, "t")["assignee"], "user:carl");
    assert_eq!(wanted(&store, "t")["overdue"], true);
    let one = take(&store, T0 + 1).expect("a change is due");
    // What changes while it is sent is sent next.
    store.answer_task(answer("t", "r", "user:carl")).expect("answers");
    tried(&store, &one, TaskCopyTried { at_ms: T0 + 1, sent: Some(one.wanted.clone()), ..TaskCopyTried::default() });
    let last = take(&store, T0 + 2).expect("the answer is due");
    assert_eq!(
        (wanted(&store, "t")["state"].as_str(), wanted(&store, "t")["open"].as_bool()),
        (Some("done"), Some(false))
    );
    for secret in ["ada@example.org", "hunter22", "by user:carl"] {
        assert!(!last.wanted.contains(secret), "{secret}: {}", last.wanted);
    }
    let sent = Some(last.wanted.clone());
    tried(&store, &last, TaskCopyTried { at_ms: T0 + 2, sent, closed: true, ..TaskCopyTried::default() });
    assert!(copy(&store, "t").closed && take(&store, T0 + 3).is_none());

    asked(&store, "r", &owner, 3, ask("left", json!(1)));
    let close = TaskChange::CloseOne { task_id: "left".into(), state: TaskState::Cancelled, at_ms: T0 + 9_000 };
    store.commit(RunCommit { tasks: vec![close], ..commit("r", &owner, Vec::new()) }).expect("closes");
    assert_eq!(wanted(&store, "left")["state"], "cancelled");
    end(&store, "r", &owner, 4);
    delete(&store, "r").expect("deletes");
    assert!(store.task_copy_log(None, 10).expect("reads").is_empty());
}

#[test]
fn h_21_an_interrupted_creation_stays_known_and_failures_are_counted() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    add(&store, "desk", TaskRules { assignees: vec!["user:bob".into()], min_priority: 1, ..TaskRules::default() });
    asked(&store, "r", &owner, 2, ask("nobody", json!(1)));
    assert!(store.task_copies("nobody").expect("reads").is_empty());
    let mut mine = ask("t", json!(1));
    mine.assignee = Some("user:bob".into());
    mine.priority = 50;
    asked(&store, "r", &owner, 3, mine);
    let one = take(&store, T0).expect("is due");
    store.task_copy_creating(&one.id, T0).expect("is kept");
    let failed = TaskCopyTried {
        at_ms: T0,
        unknown: true,
        error: Some("no answer".into()),
        again_ms: Some(T0 + 10_000),
        next_ms: Some(T0 + 10_000),
        ..TaskCopyTried::default()
    };
    tried(&store, &one, failed.clone());
    assert!(take(&store, T0 + 5_000).is_none());
    let again = take(&store, T0 + 10_000).expect("is due again");
    assert_eq!((again.creating_ms, again.attempts, again.since_ms), (Some(T0), 1, Some(T0)));
    // It is given up; a person has it sent again.
    tried(&store, &again, TaskCopyTried { again_ms: None, ..failed });
    let counts = store.task_destinations().expect("reads")[0].1;
    assert_eq!((counts.waiting, counts.failed, counts.open), (0, 1, 1));
    assert!(store.task_copy_again(&again.id, record("TASK_COPY_AGAIN", "r", json!({}))).expect("writes"));
    assert_eq!(store.task_destinations_due(T0 + 900_000).expect("reads"), ["desk"]);

    assert_eq!(store.task_copy_opened(&again.id).expect("writes").map(|one| one.opened), Some(1));
    assert!(
        store.task_destination_opened("desk").expect("writes") && !store.task_destination_opened("x").expect("writes")
    );
    store.task_decision_see("desk", "delivery 1", T0, T0 + 10).expect("writes");
    assert!(store.task_decision_seen("desk", "delivery 1", T0).expect("reads"));
    assert!(!store.task_decision_seen("desk", "delivery 1", T0 + 10).expect("reads"));
    assert!(
        store.task_destination_remove("desk", record("TASK_DESTINATION_CHANGED", "r", json!({}))).expect("removes")
    );
    assert!(store.task_copies("t").expect("reads").is_empty());
}
