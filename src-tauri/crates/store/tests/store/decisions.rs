//! Decisions of people: one of many stands, and what was said to be saved is saved (faults 5, 14).

use crate::child::Process;
use crate::people::{answer, ask, asked, new_task};
use crate::support::{commit, count, noise, open, print, started, temporary};
use serde_json::json;
use signalbox_store::{CommitError, RunCommit, Store, StoreOptions, TaskChange, TaskError};
use std::sync::Barrier;

fn many(store: &Store, tasks: usize) {
    let owner = started(store, "r");
    let create = |n: usize| TaskChange::Create(Box::new(new_task(ask(&format!("t{n}"), json!(n)))));
    let tasks = (0..tasks).map(create).collect();
    store.commit(RunCommit { tasks, ..commit("r", &owner, vec![print("r", 2, json!(1))]) }).expect("asks");
}

fn intact(store: &Store) -> u64 {
    let verdict = store.audit_verify(store.audit_key().into_iter().collect(), Vec::new(), None).expect("reads");
    match verdict {
        signalbox_audit::verify::Verdict::Intact(intact) => intact.entries,
        broken => panic!("{broken}"),
    }
}

/// TS-019, fault 14.
#[test]
fn ts_019_two_people_and_a_thousand_tasks_give_a_thousand_answers() {
    let (folder, store) = temporary();
    many(&store, 1_000);
    let start = Barrier::new(2);
    let work = |person: &'static str| {
        let (store, start) = (&store, &start);
        move || {
            start.wait();
            let mut won = 0;
            for n in 0..1_000 {
                match store.answer_task(answer(&format!("t{n}"), "r", person)) {
                    Ok(told) => {
                        assert!(!told.repeated && told.driven);
                        won += 1;
                    }
                    Err(TaskError::AlreadyAnswered { who, at_ms }) => {
                        assert!(who.is_some_and(|who| who != person) && at_ms.is_some());
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            won
        }
    };
    let (anna, bob) = std::thread::scope(|scope| {
        let (anna, bob) = (scope.spawn(work("user:anna")), scope.spawn(work("user:bob")));
        (anna.join().expect("answers"), bob.join().expect("answers"))
    });
    assert_eq!(anna + bob, 1_000);
    for (table, expected) in
        [("run_input", 1_000), ("task_body WHERE part = 'decision'", 1_000), ("audit_entry", 1_000)]
    {
        assert_eq!(count(folder.path(), &format!("SELECT count(*) FROM {table}")), expected, "{table}");
    }
    assert_eq!(intact(&store), 1_000);
}

/// TS-020.
#[test]
fn ts_020_the_same_request_gets_the_same_answer_and_has_one_effect() {
    let (folder, store) = temporary();
    many(&store, 1);
    let ask = |person: &str, request: &str| {
        let mut answer = answer("t0", "r", person);
        answer.request_id = Some(request.into());
        store.answer_task(answer)
    };
    let start = Barrier::new(4);
    let told: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    ask("user:anna", "q1").expect("is the same request")
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("answers")).collect()
    });
    assert_eq!(told.iter().filter(|told| !told.repeated).count(), 1);
    assert!(
        told.iter().all(|one| (&one.run_id, one.state, one.driven) == (&told[0].run_id, told[0].state, told[0].driven))
    );
    assert!(matches!(ask("user:anna", "q2"), Err(TaskError::AlreadyAnswered { .. })));
    assert!(matches!(ask("user:bob", "q1"), Err(TaskError::AlreadyAnswered { .. })), "somebody else's request");
    assert_eq!(count(folder.path(), "SELECT count(*) FROM run_input"), 1);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_entry"), 1);
}

/// Fault 5: never said to be saved and then lost; what is refused is not there in any part.
#[test]
fn a_decision_that_finds_the_disk_full_is_not_saved_and_can_be_made_again() {
    crate::support::files_only!();
    let folder = tempfile::tempdir().expect("folder");
    let options = StoreOptions { max_pages: Some(160), ..StoreOptions::default() };
    let store = Store::open(folder.path(), &options).expect("opens");
    let owner = started(&store, "r");
    asked(&store, "r", &owner, 2, ask("t", json!({"a": 1})));
    let mut seq = 3;
    while store.commit(commit("r", &owner, vec![print("r", seq, json!(noise(seq, 5_000)))])).is_ok() {
        seq += 1;
    }
    let decide = || {
        let mut answer = answer("t", "r", "user:anna");
        // Large enough that it does not fit into what happens to be left.
        answer.answer.notes = Some(noise(7, 7_000));
        answer.answer.corrected_input = Some(std::sync::Arc::new(json!([noise(8, 30_000), noise(9, 30_000)])));
        answer
    };
    assert_eq!(store.answer_task(decide()), Err(TaskError::Store(signalbox_store::Error::DiskFull)));
    let row = store.task("t").expect("reads").expect("there");
    assert_eq!((row.revision, row.decided_by), (1, None));
    for table in ["run_input", "task_body WHERE part = 'decision'", "task_history WHERE what = 'decided'"] {
        assert_eq!(count(folder.path(), &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    assert_eq!(intact(&store), 1);
    let entry = || crate::people::record("NOTE", "r", json!({"text": noise(3, 60_000)}));
    assert!(store.audit_append(entry(), None, true).is_err(), "the chain says so, too");
    // Fail closed: with an entry that does not fit, the events do not go in either.
    let audited = RunCommit { audit: vec![entry()], ..commit("r", &owner, vec![print("r", seq, json!(1))]) };
    assert_eq!(store.commit(audited), Err(CommitError::DiskFull));
    assert_eq!(store.run("r").expect("reads").last_seq, seq - 1);

    store.set_max_pages(None).expect("room");
    store.answer_task(decide()).expect("now");
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.alarms(), []);
    assert_eq!(intact(&store), 2);
}

/// A process that answers, killed at any moment: what it said is there, and the chain is whole.
#[test]
fn answers_survive_a_kill_and_the_chain_verifies_after_each() {
    let folder = tempfile::tempdir().expect("folder");
    many(&open(folder.path()), 400);
    let mut said = 0;
    for round in 0..6 {
        let mut process = Process::start("answer", folder.path());
        for _ in 0..=round * 3 {
            process.says();
        }
        said += round * 3 + 1 + process.kill().len();
        let store = open(folder.path());
        assert_eq!(store.alarms(), []);
        let entries = intact(&store);
        let done = count(folder.path(), "SELECT count(*) FROM task WHERE state = 'done'");
        let inputs = count(folder.path(), "SELECT count(*) FROM run_input");
        assert_eq!((done, inputs), (i64::try_from(entries).expect("few"), done), "all of an answer, or nothing");
        assert!(done >= i64::try_from(said).expect("few"), "{done} answers are there, {said} were acknowledged");
    }
}

/// Two processes answer and record at the same time: one chain, no entry twice, none lost.
#[test]
fn two_processes_write_one_chain() {
    let folder = tempfile::tempdir().expect("folder");
    let store = open(folder.path());
    many(&store, 400);
    let mut other = Process::start("answer", folder.path());
    other.says();
    let mut won = 0;
    for n in (0..400).rev() {
        won += i64::from(store.answer_task(answer(&format!("t{n}"), "r", "user:bob")).is_ok());
    }
    while other.says() != "done" {}
    other.wait();
    let by = |who: &str| count(folder.path(), &format!("SELECT count(*) FROM task WHERE decided_by = '{who}'"));
    assert_eq!((by("user:bob"), by("user:anna")), (won, 400 - won));
    assert_eq!(intact(&store), 400);
}
