use crate::support::{commit, count, delete, end, new_run, open, print, started, temporary};
use serde_json::json;

#[test]
fn a_running_run_is_not_deleted_and_a_deleted_id_stays_used() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let error = delete(&store, "r").expect_err("is running");
    assert_eq!((error.code(), error.to_string().contains("running")), ("DELETE_REFUSED", true));
    end(&store, "r", &owner, 2);
    delete(&store, "r").expect("deletes");
    assert_eq!(delete(&store, "r").expect_err("is gone").code(), "UNKNOWN_RUN");
    assert_eq!(store.events("r", 0, 1).expect_err("is gone").code(), "UNKNOWN_RUN");
    assert!(store.create_run(new_run("r")).is_err());
}

#[test]
fn a_long_run_goes_in_steps_and_a_deletion_cut_off_is_ended_at_the_next_start() {
    let (folder, store) = temporary();
    for run in ["whole", "cut"] {
        let owner = started(&store, run);
        let events = (2..5_000).map(|seq| print(run, seq, json!(seq))).collect();
        store.commit(commit(run, &owner, events)).expect("commits");
        end(&store, run, &owner, 5_000);
    }
    delete(&store, "whole").expect("deletes");
    assert_eq!(count(folder.path(), "SELECT count(*) FROM run_event WHERE id >> 32 = 1"), 0);
    drop(store);
    // As a crash after the first transaction leaves it.
    crate::support::change(
        folder.path(),
        "INSERT INTO run_deleted (run, no) SELECT id, no FROM run WHERE id = 'cut'; DELETE FROM run WHERE id = 'cut'",
    );
    drop(open(folder.path()));
    for table in ["run_event", "run_node", "run_summary", "run_snapshot", "run_input"] {
        assert_eq!(count(folder.path(), &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
}

/// A run begins beside the deletion of another one that stands as these words leave it; gives how many events and unfinished
/// deletions there are after the next start.
fn begun_beside(cut: &str) -> (i64, i64) {
    let (folder, store) = temporary();
    let owner = started(&store, "cut");
    store.commit(commit("cut", &owner, (2..50).map(|seq| print("cut", seq, json!(seq))).collect())).expect("commits");
    end(&store, "cut", &owner, 50);
    crate::support::change(folder.path(), cut);
    let owner = started(&store, "next");
    store.commit(commit("next", &owner, vec![print("next", 2, json!(2))])).expect("commits");
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.events("next", 0, 10).expect("are there").len(), 2);
    let count = |sql| count(folder.path(), sql);
    (count("SELECT count(*) FROM run_event"), count("SELECT count(*) FROM run_deleted WHERE purged = 0"))
}

#[test]
fn a_new_run_never_takes_up_events_that_a_deletion_has_not_reached() {
    // As a crash before the events were reached leaves it; the process goes on here.
    let cut = "INSERT INTO run_deleted (run, no) SELECT id, no FROM run; DELETE FROM run WHERE id = 'cut'";
    assert_eq!(begun_beside(cut), (2, 0));
}

#[test]
fn a_deletion_that_is_still_at_work_takes_no_event_of_a_new_run() {
    // As it stands when the events are gone and bytes beside them are not yet.
    let cut = "INSERT INTO run_deleted (run, no) SELECT id, no FROM run; DELETE FROM run WHERE id = 'cut'; DELETE FROM run_event";
    assert_eq!(begun_beside(cut), (2, 0));
}
