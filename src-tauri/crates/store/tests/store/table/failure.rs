//! Failures by what makes them alike: written with the end of the run, kept in step with what becomes of it.

use crate::support::{T0, commit, event, finish, new_run, temporary};
use serde_json::{Value, json};
use signalbox_model::event::WorkflowCancelled;
use signalbox_model::{ErrorPayload, EventBody, RunStatus};
use signalbox_store::audit::Actor;
use signalbox_store::{FailureQuery, FailureState, NewRun, RunCommit, RunEnd, Store};

fn error(message: &str, input: Value) -> ErrorPayload {
    serde_json::from_value(json!({
        "type": "ToolError", "message": message, "retryable": false, "originNode": "book",
        "timestamp": "2026-01-01T00:00:00.000Z", "details": { "code": "NO_ACCOUNT", "input": input },
    }))
    .expect("an error")
}

pub(super) fn fails(store: &Store, new: NewRun, message: &str, input: Value, at_ms: i64) {
    let run = new.run_id.clone();
    let owner = store.create_run(new).expect("begins");
    let error = error(message, input);
    let end = RunEnd {
        ended_ms: at_ms,
        failed_step: Some("book".into()),
        error_code: Some("NO_ACCOUNT".into()),
        error_message: Some(message.into()),
        summary: Some(json!({ "error": error }).to_string()),
        error: Some(Box::new(error)),
    };
    let ended =
        RunCommit { status: Some(RunStatus::Failed), end: Some(end), ..commit(&run, &owner, vec![finish(&run, 2)]) };
    store.commit(ended).expect("ends");
}

fn of(run: &str, parent: &str) -> NewRun {
    NewRun { parent_run_id: Some(parent.into()), ..new_run(run) }
}

pub(super) fn open(store: &Store) -> Vec<(String, u64)> {
    let page = store.failure_groups(&FailureQuery::default()).expect("reads");
    assert_eq!(page.total, page.groups.len() as u64);
    page.groups.into_iter().map(|group| (group.message, group.open)).collect()
}

#[test]
fn failures_that_differ_in_values_only_are_one_group() {
    let (_folder, store) = temporary();
    for n in 0..3 {
        fails(&store, new_run(&format!("r{n}")), &format!("No account {n}"), json!({ "id": n }), T0 + n);
    }
    fails(&store, new_run("text"), "No account 9", json!({ "id": "9" }), T0 + 9);
    assert_eq!(
        open(&store),
        [("No account #".to_owned(), 1), ("No account #".to_owned(), 3)],
        "by shape, the newest first"
    );
    let page = store.failure_groups(&FailureQuery { limit: 1, ..FailureQuery::default() }).expect("reads");
    let next =
        store.failure_groups(&FailureQuery { limit: 1, after: page.next, ..FailureQuery::default() }).expect("reads");
    let (first, second) = (&page.groups[0], &next.groups[0]);
    assert_eq!((first.kind == second.kind, first.key == second.key, next.next), (true, false, None));
    assert_eq!((second.first_ms, second.last_ms, &*second.sample), (T0, T0 + 2, "No account 2"));
    assert_eq!(
        store
            .failure_groups(&FailureQuery { workflow: Some("other".into()), ..FailureQuery::default() })
            .map(|page| page.groups.len()),
        Ok(0)
    );
    let members = store.failures(&second.key, None, 2).expect("reads");
    let older = store.failures(&second.key, Some(members[1].id), 2).expect("reads");
    let ids: Vec<&str> = members.iter().chain(&older).map(|one| one.run_id.as_str()).collect();
    assert_eq!(ids, ["r2", "r1", "r0"]);
    assert!(store.failures("nothing", None, 1).is_err());
}

#[test]
fn a_failure_is_dealt_with_by_a_re_run_and_open_again_when_that_is_cancelled() {
    let (_folder, store) = temporary();
    fails(&store, new_run("first"), "No account", json!({}), T0);
    let key = store.failure_groups(&FailureQuery::default()).expect("reads").groups.remove(0).key;
    let id = store.failures(&key, None, 1).expect("reads")[0].id;
    let owner = store.create_run(of("again", "first")).expect("begins");
    let one = store.failure(id).expect("reads").expect("is there");
    assert_eq!((one.state, one.by_run.as_deref()), (FailureState::Rerun, Some("again")));
    assert_eq!(open(&store), []);
    let body = EventBody::WorkflowCancelled(WorkflowCancelled { duration_ms: 1, superseded_by: None });
    let end = RunCommit {
        status: Some(RunStatus::Cancelled),
        ..commit("again", &owner, vec![event("again", 2, None, body)])
    };
    store.commit(end).expect("ends");
    assert_eq!(open(&store), [("No account".to_owned(), 1)]);
    // A re-run that fails, too, is a failure itself.
    fails(&store, of("third", "first"), "No account", json!({}), T0 + 5);
    assert_eq!(open(&store), [("No account".to_owned(), 1)]);
    store.delete_run("third", Actor::system(), T0).expect("is deleted");
    assert_eq!(open(&store), []);
}

#[test]
fn failures_of_before_an_upgrade_are_taken_in_later_in_parts() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    for n in 0..5 {
        fails(
            &store,
            NewRun { started_ms: T0 + n, ..new_run(&format!("r{n}")) },
            &format!("No account {n}"),
            json!({ "id": n }),
            T0 + n,
        );
    }
    drop(store.create_run(of("again", "r0")).expect("begins"));
    drop(store);
    let file = rusqlite::Connection::open(folder.path().join("signalbox.db")).expect("opens");
    file.execute_batch(
        "DELETE FROM failure; DELETE FROM failure_group; \
         INSERT INTO failure_fill (id, before_ms, before_run) VALUES (1, 9223372036854775807, '');",
    )
    .expect("as before");
    drop(file);
    let store = Store::open(folder.path(), &crate::support::options(folder.path())).expect("opens");
    // One that happens meanwhile is not taken in twice.
    fails(&store, NewRun { started_ms: T0 + 9, ..new_run("new") }, "No account 9", json!({ "id": 9 }), T0 + 9);
    let mut parts = 0;
    while store.failures_fill(2).expect("fills") {
        parts += 1;
    }
    assert!(parts >= 2, "{parts}");
    assert_eq!(store.failures_fill(2), Ok(false));
    let page = store.failure_groups(&FailureQuery::default()).expect("reads");
    assert!(!page.filling);
    assert_eq!(page.groups.iter().map(|one| (one.open, one.total)).collect::<Vec<_>>(), [(5, 6)], "one was re-run");
}

#[test]
fn a_hundred_thousand_failures_of_one_kind_are_counted_once_and_read_by_pages() {
    // Written one by one, which a server takes minutes for.
    crate::support::files_only!();
    let (folder, store) = temporary();
    fails(&store, new_run("r"), "No account 1", json!({ "id": 1 }), T0);
    let more = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO failure (run, task, of_group, place, at_ms, state)
        SELECT 'r' || i, task, of_group, place, at_ms + i, state FROM failure, n";
    crate::support::change(folder.path(), more);
    let page = store.failure_groups(&FailureQuery::default()).expect("reads");
    let group = &page.groups[0];
    assert_eq!((page.groups.len(), group.open, group.last_ms), (1, 100_001, T0 + 100_000));
    let first = store.failures(&group.key, None, 100).expect("reads");
    let second = store.failures(&group.key, first.last().map(|one| one.id), 100).expect("reads");
    assert_eq!((first.len(), first[0].run_id.as_str(), second[0].run_id.as_str()), (100, "r100000", "r99900"));
}
