//! Runs that hosts leave to something else.

use crate::support::{begin, commit, new_run, print, temporary};
use serde_json::json;
use signalbox_model::{DurableInput, RunStatus};
use signalbox_store::{CommitError, Handed, HandedRun, NewRun, Owner, RunCommit, Store};

fn handed(id: &str) -> NewRun {
    let handed = Handed { to: "test".into(), start: Some(json!({ "params": { "n": 7 } }).to_string()) };
    NewRun { events: Vec::new(), rests: true, status: RunStatus::Running, handed: Some(handed), ..new_run(id) }
}

fn claimed(store: &Store, run: &str) -> Owner {
    store.claim(run).expect("asks").and_then(|row| row.owner).expect("is claimed")
}

#[test]
fn hosts_leave_a_run_alone_that_was_handed_over_and_each_claim_takes_it() {
    let (_folder, store) = temporary();
    store.create_run(handed("r")).expect("is created");
    assert_eq!(store.run("r").expect("reads").handed_to.as_deref(), Some("test"));
    assert_eq!(store.run_start("r").expect("reads"), Some(json!({ "params": { "n": 7 } })));
    assert_eq!(store.take_over("r").expect("asks"), None);
    assert_eq!(store.unowned_unfinished_runs().expect("lists"), Vec::<String>::new());
    let run = HandedRun { run_id: "r".into(), epoch: 1, is_driven: false, is_asked: false };
    assert_eq!(store.handed_runs().expect("lists"), std::slice::from_ref(&run));

    let first = claimed(&store, "r");
    assert_eq!((first.epoch, first.instance.as_str()), (2, store.instance()));
    store.commit(commit("r", &first, vec![begin("r")])).expect("writes");
    assert_eq!(store.run_start("r").expect("reads"), None, "its log has it");
    assert_eq!(store.handed_runs().expect("lists"), [HandedRun { epoch: 2, is_driven: true, ..run.clone() }]);
    let second = claimed(&store, "r");
    let late = store.commit(commit("r", &first, vec![print("r", 2, json!(1))]));
    assert_eq!(late, Err(CommitError::Fenced { run: "r".into() }));
    store.commit(commit("r", &second, vec![print("r", 2, json!(2))])).expect("writes");

    let paused = RunCommit {
        status: Some(RunStatus::Paused),
        rests: true,
        ..commit("r", &second, vec![print("r", 3, json!(3))])
    };
    store.commit(paused).expect("writes");
    assert_eq!(store.handed_runs().expect("lists"), [], "it waits");
    store.add_input("r", &DurableInput::Cancel { superseded_by: None }).expect("is written");
    assert_eq!(store.handed_runs().expect("lists"), [HandedRun { epoch: 3, is_asked: true, ..run }]);
    assert_eq!(store.runs_with_pending_input_or_due(i64::MAX).expect("lists"), Vec::<String>::new());
    let third = claimed(&store, "r");
    let end = RunCommit { status: Some(RunStatus::Cancelled), ..commit("r", &third, vec![print("r", 4, json!(4))]) };
    store.commit(end).expect("writes");
    assert_eq!(store.claim("r").expect("asks"), None);
    assert_eq!(store.handed_runs().expect("lists"), []);
}

#[test]
fn a_run_that_was_not_handed_over_is_claimed_by_nobody() {
    let (_folder, store) = temporary();
    store.create_run(new_run("r")).expect("is created");
    assert_eq!(store.claim("r").expect("asks"), None);
    assert_eq!(store.handed_runs().expect("lists"), []);
}
