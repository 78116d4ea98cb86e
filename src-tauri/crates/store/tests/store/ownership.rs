//! Fault 17 and 1, 2: several processes on one store, and processes that die.

use crate::child::Process;
use crate::support::{at_server, commit, end, is_free, new_run, open, print, started, temporary, until};
use serde_json::json;
use signalbox_model::DurableInput;
use signalbox_store::{CommitError, Error, NewRun, Owner, RunCommit, RunQuery, Store, Thread, Written};

#[test]
fn a_killed_process_loses_nothing_that_it_was_told_is_committed() {
    for round in 0..5 {
        let folder = tempfile::tempdir().expect("folder");
        let mut child = Process::start("write", folder.path());
        let mut said = child.says();
        while said.parse::<u64>().expect("a number") < 20 + round * 7 {
            said = child.says();
        }
        let acknowledged: u64 = child.kill().last().unwrap_or(&said).parse().expect("a number");

        let store = open(folder.path());
        assert_eq!(store.alarms(), []);
        let row = store.run("r").expect("is there");
        assert!(row.last_seq >= acknowledged, "{} of {acknowledged}", row.last_seq);
        let events = store.events("r", 0, usize::MAX).expect("reads");
        assert_eq!(events.len() as u64, row.last_seq);
        is_free(&store, "r");
        assert_eq!(store.unowned_unfinished_runs().expect("lists"), ["r"]);
        let owner = store.take_over("r").expect("asks").expect("is free");
        assert_eq!(owner.epoch, 2);
        store.commit(commit("r", &owner, vec![print("r", row.last_seq + 1, json!(0))])).expect("goes on");
    }
}

#[test]
fn a_stopped_process_keeps_its_run_and_a_dead_one_loses_it_at_once() {
    let (folder, store) = temporary();
    let mut child = Process::start("hold", folder.path());
    let instance = child.says();
    child.signal("-STOP");
    assert_eq!(store.runs(&RunQuery::default()).expect("lists").runs.len(), 1);
    assert!(store.is_driven("r").expect("asks"));
    assert_eq!(store.take_over("r").expect("asks"), None);
    assert_eq!(store.unowned_unfinished_runs().expect("lists"), Vec::<String>::new());
    store.add_input("r", &DurableInput::Cancel { superseded_by: None }).expect("is written beside it");

    child.kill();
    is_free(&store, "r");
    assert!(!store.is_driven("r").expect("asks"));
    let owner = store.take_over("r").expect("asks").expect("is free");
    assert_eq!((owner.instance.as_str(), owner.epoch), (store.instance(), 2));
    let old = signalbox_store::Owner { instance, epoch: 1 };
    let refused = store.commit(commit("r", &old, vec![print("r", 2, json!("old"))]));
    assert_eq!(refused, Err(CommitError::Fenced { run: "r".into() }));
    assert_eq!(store.run("r").expect("reads").last_seq, 1);
}

#[test]
fn a_process_that_no_longer_owns_a_run_writes_nothing() {
    let (folder, store) = temporary();
    let mut child = Process::start("late", folder.path());
    assert_eq!(child.says(), "released");
    let owner = store.take_over("r").expect("asks").expect("is free");
    child.go();
    assert_eq!(child.says(), "true");
    assert_eq!(store.run("r").expect("reads").last_seq, 1);
    store.commit(commit("r", &owner, vec![print("r", 2, json!("mine"))])).expect("commits");
    child.wait();
}

#[test]
fn two_processes_write_side_by_side() {
    let (folder, store) = temporary();
    let mut child = Process::start("many", folder.path());
    for index in 0..50 {
        let run = format!("own-{index}");
        let owner = started(&store, &run);
        store.commit(commit(&run, &owner, vec![print(&run, 2, json!(index))])).expect("commits");
    }
    assert_eq!(child.says(), "done");
    assert_eq!(store.runs(&RunQuery { limit: 1_000, ..RunQuery::default() }).expect("lists").runs.len(), 100);
    child.wait();
}

#[test]
fn the_other_process_sees_a_commit_in_data_version() {
    let (folder, store) = temporary();
    let beside = open(folder.path());
    let before = beside.data_version().expect("reads");
    assert_eq!(beside.data_version().expect("reads"), before);
    started(&store, "r");
    assert_ne!(beside.data_version().expect("reads"), before);
}

#[test]
fn a_commit_with_a_gap_a_repeat_or_a_wrong_owner_writes_nothing() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    store.commit(commit("r", &owner, vec![print("r", 2, json!(2))])).expect("commits");
    let fenced = Err(CommitError::Fenced { run: "r".into() });
    for (owner, seqs) in [
        (owner.clone(), vec![2]),
        (owner.clone(), vec![4]),
        (owner.clone(), vec![3, 5]),
        (signalbox_store::Owner { epoch: 2, ..owner.clone() }, vec![3]),
        (signalbox_store::Owner { instance: "other".into(), epoch: 1 }, vec![3]),
    ] {
        let events = seqs.iter().map(|seq| print("r", *seq, json!("wrong"))).collect();
        assert_eq!(store.commit(commit("r", &owner, events)), fenced, "{seqs:?}");
    }
    let nothing = RunCommit { status: Some(signalbox_model::RunStatus::Paused), ..commit("r", &owner, vec![]) };
    store.commit(nothing).expect("a status alone");
    end(&store, "r", &owner, 3);
    assert_eq!(store.commit(commit("r", &owner, vec![print("r", 4, json!("after the end"))])), fenced);
    assert_eq!(store.events("r", 0, 100).expect("reads").len(), 3);
    assert_eq!(store.take_over("r").expect("asks"), None);
}

#[test]
fn a_released_run_can_be_taken_again_and_an_id_is_used_once() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    assert_eq!(store.take_over("r").expect("asks"), None, "this process drives it");
    assert!(store.release("r", &owner).expect("releases"));
    assert!(!store.release("r", &owner).expect("releases once"));
    assert_eq!(store.take_over("r").expect("asks").map(|owner| owner.epoch), Some(2));
    assert_eq!(store.create_run(new_run("r")), Err(CommitError::Store(Error::RunExists { run: "r".into() })));
    assert_eq!(store.take_over("none"), Err(Error::UnknownRun { run: "none".into() }));
}

/// What is asked before the commit keeps the run with its owner; what is asked after it finds a run that nobody drives.
#[test]
fn p6_a_run_that_rests_is_nobodys_with_its_commit_unless_it_was_asked() {
    let (_folder, store) = temporary();
    let written = |store: &Store, mut commit: RunCommit| {
        let (sender, receiver) = std::sync::mpsc::channel();
        store.submit_lent(&mut commit, Thread::Here, Box::new(move |told| sender.send(told).expect("is heard")));
        receiver.recv().expect("answers").expect("is written")
    };
    let rests = |owner: &Owner, seq| RunCommit { rests: true, ..commit("r", owner, vec![print("r", seq, json!(seq))]) };

    let owner = store.create_run(NewRun { rests: true, ..new_run("r") }).expect("is created");
    assert_eq!(store.run("r").expect("reads").owner, None, "it never was anybody's");
    let fenced = Err(CommitError::Fenced { run: "r".into() });
    assert_eq!(store.commit(rests(&owner, 2)), fenced, "its maker has it no more");

    let owner = store.take_over("r").expect("asks").expect("is free");
    assert_eq!(
        written(&store, rests(&owner, 2)),
        Written { owner: owner.clone(), rests: true, admitted: Vec::new(), replaced: Vec::new() }
    );
    assert_eq!(store.commit(commit("r", &owner, vec![print("r", 3, json!(3))])), fenced);
    assert!(!store.is_driven("r").expect("reads"));

    let owner = store.take_over("r").expect("asks").expect("is free");
    assert_eq!(owner.epoch, 3);
    let asked = store.add_input("r", &DurableInput::Cancel { superseded_by: None }).expect("is asked");
    assert_eq!(
        written(&store, rests(&owner, 3)),
        Written { owner: owner.clone(), rests: false, admitted: Vec::new(), replaced: Vec::new() }
    );
    let consumes = RunCommit { consumed_inputs: vec![asked], ..rests(&owner, 4) };
    assert!(written(&store, consumes).rests, "this commit answers it");
}

#[test]
fn p6_several_runs_are_taken_over_in_one_transaction_and_each_is_told_of() {
    let (_folder, store) = temporary();
    for run in ["free", "ended", "driven"] {
        let owner = started(&store, run);
        match run {
            "free" => assert!(store.release(run, &owner).expect("releases")),
            "ended" => end(&store, run, &owner, 2),
            _ => {}
        }
    }
    let wanted = ["free", "ended", "driven", "none", "free"].map(str::to_owned).to_vec();
    let told = store.take_over_all(wanted).expect("is written");
    let row = told[0].clone().expect("is there").expect("is free");
    assert_eq!(row, store.run("free").expect("reads"), "the row is the one after it was taken");
    assert_eq!(row.epoch, 2);
    let none = Err(Error::UnknownRun { run: "none".into() });
    assert_eq!(told[1..], [Ok(None), Ok(None), none, Ok(None)], "once");
}

/// Work that one of several hosts on one history does for all; with files nobody asks for it.
#[test]
fn one_host_does_the_work_of_all_until_it_is_gone() {
    let (folder, one) = temporary();
    let other = open(folder.path());
    let does = |store: &Store, work: &str| store.try_exclusive(work).expect("asks");
    assert!(does(&one, "triggers") && does(&one, "triggers"), "it stays with the first that asked");
    assert_eq!(does(&other, "triggers"), !at_server());
    assert!(does(&other, "it's another") && does(&one, "it's another") != at_server());
    one.close();
    drop(one);
    until(|| does(&other, "triggers"));
    assert!(does(&other, "triggers"));
}
