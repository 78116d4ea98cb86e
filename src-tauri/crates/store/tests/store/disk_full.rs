//! Faults 4 and 5: no room.

#[cfg(target_os = "linux")]
use crate::small_disk::SmallDisk;
use crate::support::{commit, noise, open, print, started};
use serde_json::json;
use signalbox_model::DurableInput;
use signalbox_store::{CommitError, Owner, RunCommit, Store, StoreOptions};
use std::sync::mpsc;

fn small(folder: &std::path::Path) -> Store {
    Store::open(folder, &StoreOptions { max_pages: Some(180), ..StoreOptions::default() }).expect("opens")
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
    crate::support::files_only!();
    let folder = tempfile::tempdir().expect("folder");
    let store = small(folder.path());
    let owner = started(&store, "r");
    let (seq, refused) = until_full(&store, &owner);
    assert!(seq > 3, "some fitted");
    assert_eq!(store.run("r").expect("reads").last_seq, seq - 1);
    assert_eq!(store.events("r", 0, 1_000).expect("reads").len() as u64, seq - 1);
    let input = store.add_input("r", &DurableInput::Cancel { superseded_by: Some(noise(1, 30_000)) });
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
    crate::support::files_only!();
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
    crate::support::files_only!();
    let Some(disk) = SmallDisk::new("900k") else { return };
    let store = open(disk.path());
    let owner = started(&store, "r");
    let (seq, refused) = until_full(&store, &owner);
    assert_eq!(store.events("r", 0, 1_000).expect("reads").len() as u64, seq - 1);
    assert!(disk.mount("remount,size=8m"));
    store.commit(refused).expect("there is room again");
    assert_eq!(store.events("r", 0, 1_000).expect("reads").len() as u64, seq);
}

/// Reading needs no room: who only reads opens a store that was closed, or that a crash left with its log, on a disk without any.
#[cfg(target_os = "linux")]
#[test]
fn a_store_on_a_full_disk_is_opened_by_who_only_reads() {
    crate::support::files_only!();
    for crashed in [false, true] {
        let Some(disk) = SmallDisk::new("4m") else { return };
        let folder = tempfile::tempdir().expect("folder");
        let at = if crashed { folder.path() } else { disk.path() };
        let store = open(at);
        let owner = started(&store, "r");
        store.commit(commit("r", &owner, vec![print("r", 2, json!("kept"))])).expect("fits");
        if crashed {
            std::fs::create_dir(disk.path().join("instances")).expect("a folder");
            for name in ["signalbox.db", "signalbox.db-wal", "signalbox.mark"] {
                std::fs::copy(at.join(name), disk.path().join(name)).expect("copied");
            }
        }
        drop(store);
        disk.fill();
        let refused = Store::open(disk.path(), &StoreOptions::default()).map(drop);
        assert_eq!(refused.map_err(|error| error.code()), Err("DISK_FULL"));
        let reads = StoreOptions { reads: true, ..StoreOptions::default() };
        for _ in 0..2 {
            let store = Store::open(disk.path(), &reads).expect("opens");
            assert_eq!((store.alarms(), store.events("r", 0, 10).expect("reads").len()), (&[][..], 2));
            assert!(store.audit_verify(Vec::new(), Vec::new(), None).expect("reads").is_intact());
            let large = commit("r", &owner, vec![print("r", 3, json!(noise(3, 200_000)))]);
            assert_eq!(store.commit(large), Err(CommitError::DiskFull), "crashed: {crashed}");
        }
    }
}

/// What the system says is told, not that SQLite could not open a file.
#[cfg(target_os = "linux")]
#[test]
fn a_store_on_a_read_only_disk_says_so() {
    crate::support::files_only!();
    let Some(disk) = SmallDisk::new("4m") else { return };
    drop(open(disk.path()));
    assert!(disk.mount("remount,ro"));
    let refused = Store::open(disk.path(), &StoreOptions::default()).map(drop).expect_err("cannot be written");
    assert_eq!(refused.code(), "FOLDER_UNUSABLE");
    assert!(refused.to_string().ends_with("cannot be used: its disk is read-only"), "{refused}");
}
