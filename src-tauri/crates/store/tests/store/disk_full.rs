//! Faults 4 and 5: no room.

use crate::support::{commit, noise, open, print, started};
use serde_json::json;
use signalbox_store::{CommitError, Owner, RunCommit, Store, StoreOptions};
use std::sync::mpsc;

fn small(folder: &std::path::Path) -> Store {
    Store::open(folder, &StoreOptions { max_pages: Some(100), ..StoreOptions::default() }).expect("opens")
}

/// Adds large events to the run until there is no room: the first that does not fit, and its commit.
fn until_full(store: &Store, owner: &Owner) -> (u64, RunCommit) {
    for seq in 2.. {
        let next = commit("r", owner, vec![print("r", seq, json!(noise(seq, 20_000)))]);
        if let Err(error) = store.commit(next.clone()) {
            assert_eq!(error, CommitError::DiskFull, "event {seq}");
            return (seq, next);
        }
    }
    unreachable!("the disk has an end");
}

#[test]
fn a_full_disk_is_said_and_the_same_commit_goes_through_when_there_is_room() {
    let folder = tempfile::tempdir().expect("folder");
    let store = small(folder.path());
    let owner = started(&store, "r");
    let (seq, refused) = until_full(&store, &owner);
    assert!(seq > 3, "some fitted");
    assert_eq!(store.run("r").expect("reads").last_seq, seq - 1);
    assert_eq!(store.events("r", 0, 1_000).expect("reads").len() as u64, seq - 1);
    let input = store.add_input("r", json!(noise(1, 30_000)));
    assert_eq!(input.map_err(|error| error.code()), Err("DISK_FULL"));

    store.set_max_pages(None).expect("room");
    store.commit(refused).expect("now");
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.alarms(), []);
    assert_eq!(store.events("r", 0, 1_000).expect("reads").len() as u64, seq);
}

#[test]
fn what_is_refused_in_a_group_is_not_there_and_what_is_accepted_is() {
    let folder = tempfile::tempdir().expect("folder");
    let store = small(folder.path());
    let runs: Vec<_> = (0..30).map(|index| format!("r{index}")).collect();
    let (sender, receiver) = mpsc::channel();
    let owners: Vec<_> = runs.iter().map(|run| started(&store, run)).collect();
    for (run, owner) in runs.iter().zip(&owners) {
        let size = if run.ends_with('3') { 60 } else { 12_000 };
        let next = commit(run, owner, vec![print(run, 2, json!(noise(run.len() as u64 + owner.epoch, size)))]);
        let (sender, run) = (sender.clone(), run.clone());
        store.submit(next, Box::new(move |outcome| sender.send((run, outcome)).expect("is heard")));
    }
    drop(sender);
    for (run, outcome) in receiver {
        let expected = if outcome.is_ok() { 2 } else { 1 };
        assert_eq!(store.run(&run).expect("reads").last_seq, expected, "{run} {outcome:?}");
        assert_eq!(store.events(&run, 0, 10).expect("reads").len(), expected as usize);
    }
}

/// A real full disk, where a root user can mount one; elsewhere the page limit above stands for it.
#[cfg(target_os = "linux")]
#[test]
fn a_real_full_file_system_leaves_the_store_usable() {
    use std::process::Command;
    let folder = tempfile::tempdir().expect("folder");
    let mount = |options: &str| {
        Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(folder.path())
            .stderr(std::process::Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if !mount("size=900k") {
        eprintln!("skipped: only root may mount a small file system");
        return;
    }
    let outcome = std::panic::catch_unwind(|| {
        let store = open(folder.path());
        let owner = started(&store, "r");
        let (seq, refused) = until_full(&store, &owner);
        assert_eq!(store.events("r", 0, 1_000).expect("reads").len() as u64, seq - 1);
        assert!(mount("remount,size=8m"));
        store.commit(refused).expect("there is room again");
        assert_eq!(store.events("r", 0, 1_000).expect("reads").len() as u64, seq);
    });
    Command::new("umount").arg("-l").arg(folder.path()).status().expect("umount");
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}
