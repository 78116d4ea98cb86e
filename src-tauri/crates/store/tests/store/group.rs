//! Group commit: one transaction for all that wait, and nobody poisons the others.

use crate::support::{change, commit, print, raw, started, temporary};
use serde_json::json;
use signalbox_store::{CommitError, Store, StoreOptions, Thread, Written};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// Frames of the WAL that end a transaction have the size of the database in their header.
fn transactions(folder: &Path) -> usize {
    let wal = std::fs::read(folder.join("signalbox.db-wal")).expect("reads");
    wal[32..].chunks(24 + 4096).filter(|frame| frame[4..8] != [0; 4]).count()
}

#[test]
fn waiting_commits_share_a_transaction_and_a_fenced_one_fails_alone() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let owners: Vec<_> = (0..100).map(|index| started(&store, &format!("r{index}"))).collect();
    let before = transactions(folder.path());
    let other = raw(folder.path());
    other.execute_batch("BEGIN IMMEDIATE").expect("holds the store");
    let (sender, receiver) = mpsc::channel();
    for (index, owner) in owners.iter().enumerate() {
        let run = format!("r{index}");
        let seq = if index % 10 == 7 { 9 } else { 2 };
        let next = commit(&run, owner, vec![print(&run, seq, json!(index))]);
        let sender = sender.clone();
        store.submit(next, Box::new(move |outcome| sender.send((index, outcome)).expect("is heard")));
    }
    drop(sender);
    other.execute_batch("COMMIT").expect("lets go");
    let mut seen = Vec::new();
    for (index, outcome) in receiver {
        let run = format!("r{index}");
        if index % 10 == 7 {
            assert_eq!(outcome, Err(CommitError::Fenced { run: run.clone() }));
            assert_eq!(store.run(&run).expect("reads").last_seq, 1);
        } else {
            assert_eq!(outcome, Ok(()));
            assert_eq!(store.events(&run, 1, 5).expect("is readable when it is answered").len(), 1);
        }
        seen.push(index);
    }
    assert_eq!(seen.len(), 100);
    let used = transactions(folder.path()) - before;
    assert!(used <= 3, "{used} transactions");
}

#[test]
fn a_commit_with_a_statement_that_fails_writes_nothing_and_the_others_are_told_what_is_true() {
    let (folder, store) = temporary();
    let owners: Vec<_> = (0..30).map(|index| started(&store, &format!("r{index:02}"))).collect();
    // Its fence lets it through, and its event has no place.
    change(
        folder.path(),
        "INSERT INTO run_event (id, ts, type, node, path, item, visit, attempt, hash, payload, blobs) \
         SELECT e.id + 1, e.ts, e.type, e.node, e.path, e.item, e.visit, e.attempt, e.hash, e.payload, e.blobs \
         FROM run_event e JOIN run ON run.no = (e.id >> 32) WHERE run.id = 'r07'",
    );
    let (sender, receiver) = mpsc::channel();
    let submit = |index: usize| {
        let run = format!("r{index:02}");
        let next = commit(&run, &owners[index], vec![print(&run, 2, json!(index))]);
        let sender = sender.clone();
        store.submit(next, Box::new(move |outcome| sender.send((index, outcome.is_ok())).expect("is heard")));
    };
    // Alone, then among others: those that share its transaction may be refused, and then go through.
    let mut left = vec![7];
    for others in [Vec::from_iter(0..owners.len()), Vec::new()] {
        left.iter().copied().for_each(submit);
        let answers: Vec<_> = left.iter().map(|_| receiver.recv().expect("each is answered")).collect();
        for (index, is_written) in &answers {
            let row = store.run(&format!("r{index:02}")).expect("reads");
            assert_eq!(row.last_seq, if *is_written { 2 } else { 1 }, "{index}");
            assert!(*index != 7 || !is_written);
        }
        let refused = answers.iter().filter(|(_, is_written)| !is_written).map(|(index, _)| *index);
        left = if others.is_empty() { refused.filter(|index| *index != 7).collect() } else { others };
    }
    for index in left {
        submit(index);
        assert_eq!(receiver.recv(), Ok((index, true)));
    }
}

#[test]
fn a_panic_in_an_answer_and_a_wait_inside_one_do_not_stop_the_store() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let (sender, receiver) = mpsc::channel();
    let inside = store.clone();
    let first = commit("r", &owner, vec![print("r", 2, json!(2))]);
    store.submit(
        first,
        Box::new(move |_| {
            sender.send(inside.setting_set("a", Some(json!(1))).map_err(|error| error.code())).expect("is heard");
            panic!("in the answer");
        }),
    );
    assert_eq!(receiver.recv().expect("answers"), Err("INVALID_DATA"));
    store.commit(commit("r", &owner, vec![print("r", 3, json!(3))])).expect("goes on");
}

#[test]
fn what_is_queued_when_the_store_is_closed_is_still_written() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    for seq in 2..200 {
        store.submit(
            commit("r", &owner, vec![print("r", seq, json!(seq))]),
            Box::new(|outcome| outcome.expect("is written")),
        );
    }
    drop(store);
    assert_eq!(crate::support::open(folder.path()).run("r").expect("reads").last_seq, 199);
}

#[test]
fn a_store_that_stays_busy_is_a_typed_error() {
    crate::support::files_only!();
    let folder = tempfile::tempdir().expect("folder");
    let options = StoreOptions { busy_timeout: Duration::from_millis(20), ..crate::support::options(folder.path()) };
    let store = Store::open(folder.path(), &options).expect("opens");
    let owner = started(&store, "r");
    let other = raw(folder.path());
    other.execute_batch("BEGIN IMMEDIATE").expect("holds the store");
    let next = commit("r", &owner, vec![print("r", 2, json!(2))]);
    assert_eq!(store.commit(next.clone()), Err(CommitError::Busy));
    assert_eq!(store.run("r").expect("readers go on").last_seq, 1);
    other.execute_batch("COMMIT").expect("lets go");
    store.commit(next).expect("later");
}

/// Whoever writes: each commit is answered once and cannot wait for the store inside its answer.
#[test]
fn commits_of_several_threads_are_all_written() {
    let (_folder, store) = temporary();
    let names = ["a", "b", "c"];
    let owners = names.map(|name| started(&store, name));
    std::thread::scope(|scope| {
        for ((name, owner), thread) in names.iter().zip(&owners).zip([Thread::Here, Thread::Here, Thread::Writer]) {
            let store = &store;
            scope.spawn(move || {
                for seq in 2..200 {
                    let (sender, receiver) = mpsc::channel();
                    let inside = store.clone();
                    let told = move |outcome: Result<Written, CommitError>| {
                        let refused = inside.setting_set("a", Some(json!(1))).map_err(|error| error.code());
                        sender.send((outcome.map(drop), refused)).expect("is heard");
                    };
                    let mut next = commit(name, owner, vec![print(name, seq, json!(seq))]);
                    store.submit_lent(&mut next, thread, Box::new(told));
                    assert_eq!(receiver.recv().expect("answers"), (Ok(()), Err("INVALID_DATA")));
                }
            });
        }
    });
    assert_eq!(names.map(|name| store.run(name).expect("reads").last_seq), [199; 3]);
    store.setting_set("a", Some(json!(1))).expect("outside an answer it can wait");
}
