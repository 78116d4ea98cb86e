//! Faults 9, 10 and 11: what was committed and is not there any more, or is not the same.

use crate::child::Process;
use crate::support::{commit, count, delete, end, noise, open, print, started, step_done, step_start, temporary};
use serde_json::json;
use signalbox_store::{Error, Store, StoreAlarm, StoreOptions};
use std::fs;
use std::path::Path;

fn flip(folder: &Path, needle: &str) {
    let path = folder.join("signalbox.db");
    let mut bytes = fs::read(&path).expect("reads");
    let at = bytes.windows(needle.len()).position(|window| window == needle.as_bytes()).expect("is in the file");
    bytes[at] ^= 1;
    fs::write(&path, bytes).expect("writes");
}

#[test]
fn a_flipped_bit_in_an_event_is_found_when_it_is_read() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let big = format!("blob-needle{}", noise(7, 9_000));
    let events = vec![
        step_start("r", 2, "a", json!("before")),
        step_done("r", 3, "a", json!("event-needle")),
        print("r", 4, json!(big)),
        print("r", 5, json!("after")),
    ];
    store.commit(commit("r", &owner, events)).expect("commits");
    drop(store);
    flip(folder.path(), "event-needle");
    flip(folder.path(), "blob-needle");
    let store = open(folder.path());
    let corrupt = |seq| Err(Error::Corrupt { run: "r".into(), seq });
    assert_eq!(store.event("r", 3), corrupt(3));
    assert_eq!(store.event("r", 4), corrupt(4));
    assert_eq!(store.events("r", 0, 100).map(|_| None), corrupt(3));
    assert!(store.event("r", 5).expect("is intact").is_some());
    assert_eq!(store.events("r", 0, 2).expect("are intact").len(), 2);
}

#[test]
fn a_missing_event_is_found() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    store.commit(commit("r", &owner, vec![print("r", 2, json!(2)), print("r", 3, json!(3))])).expect("commits");
    for (gone, seq) in [("3", 3), ("2", 2)] {
        crate::support::raw(folder.path())
            .execute("DELETE FROM run_event WHERE id & 4294967295 = CAST(? AS INTEGER)", [gone])
            .expect("deletes");
        assert_eq!(store.events("r", 0, 10), Err(Error::Corrupt { run: "r".into(), seq }));
    }
}

#[test]
fn random_flips_are_never_taken_for_the_truth() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let events: Vec<_> = (2..60).map(|seq| print("r", seq, json!({"n": seq, "text": noise(seq, 1_200)}))).collect();
    store.commit(commit("r", &owner, events)).expect("commits");
    end(&store, "r", &owner, 60);
    let truth = store.events("r", 0, 100).expect("reads");
    drop(store);
    let original = fs::read(folder.path().join("signalbox.db")).expect("reads");
    let (mut found, mut random) = (0, 0x2545_f491_4f6c_dd1d_u64);
    for _ in 0..150 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let copy = tempfile::tempdir().expect("folder");
        let mut bytes = original.clone();
        let at = usize::try_from(random % bytes.len() as u64).expect("fits");
        bytes[at] ^= 1 << (random >> 40 & 7);
        fs::write(copy.path().join("signalbox.db"), bytes).expect("writes");
        let read = Store::open(copy.path(), &StoreOptions::default()).and_then(|store| store.events("r", 0, 100));
        match read {
            Ok(events) => assert_eq!(events, truth, "flip at {at}"),
            Err(_) => found += 1,
        }
    }
    // Most of the file is tables and indices of other things; what hits the run is found.
    assert!(found > 10, "{found}");
}

#[test]
fn a_deleted_wal_is_noticed_by_the_high_water_mark() {
    crate::support::files_only!();
    let folder = tempfile::tempdir().expect("folder");
    // A first, clean session, so that the store exists without the WAL.
    drop(open(folder.path()));
    let mut child = Process::start("write", folder.path());
    while child.says() != "12" {}
    let acknowledged: u64 = child.kill().last().map_or(12, |said| said.parse().expect("a number"));
    fs::remove_file(folder.path().join("signalbox.db-wal")).expect("is there");
    let _ = fs::remove_file(folder.path().join("signalbox.db-shm"));
    let store = open(folder.path());
    match store.alarms() {
        [StoreAlarm::Behind { run, expected, found }] => {
            assert_eq!(run, "r");
            assert!(*expected >= acknowledged && found < expected, "{acknowledged} {expected} {found}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_truncated_wal_tail_loses_the_last_transactions_at_most_and_is_said() {
    crate::support::files_only!();
    let folder = tempfile::tempdir().expect("folder");
    drop(open(folder.path()));
    let mut child = Process::start("write", folder.path());
    while child.says() != "12" {}
    child.kill();
    let wal = folder.path().join("signalbox.db-wal");
    let length = fs::metadata(&wal).expect("is there").len();
    fs::OpenOptions::new().write(true).open(&wal).expect("opens").set_len(length * 3 / 4).expect("cuts");
    let store = open(folder.path());
    assert!(matches!(store.alarms(), [StoreAlarm::Behind { found, .. }] if *found > 0), "{:?}", store.alarms());
    let row = store.run("r").expect("is there");
    assert_eq!(store.events("r", 0, 1_000).expect("are intact").len() as u64, row.last_seq);
}

#[test]
fn a_mark_behind_the_store_or_of_a_deleted_run_is_no_alarm() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let old = fs::read(folder.path().join("signalbox.mark")).expect("reads");
    end(&store, "r", &owner, 2);
    drop(store);
    fs::write(folder.path().join("signalbox.mark"), old).expect("writes");
    let store = open(folder.path());
    assert_eq!(store.alarms(), []);
    delete(&store, "r").expect("deletes");
    drop(store);
    assert_eq!(open(folder.path()).alarms(), []);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM run_event"), 0);
}

/// Killed while it wrote; gives the bytes of the WAL and what was acknowledged at least.
fn killed_writer(folder: &Path) -> (std::path::PathBuf, Vec<u8>, u64) {
    drop(open(folder));
    let mut child = Process::start("write", folder);
    while child.says() != "12" {}
    let acknowledged = child.kill().last().map_or(12, |said| said.parse().expect("a number"));
    let wal = folder.join("signalbox.db-wal");
    let bytes = fs::read(&wal).expect("is there");
    (wal, bytes, acknowledged)
}

/// Fault 10: SQLite stops reading at the first frame whose checksum is wrong, and says nothing.
#[test]
fn a_bit_that_flipped_in_the_middle_of_the_wal_is_noticed_and_what_is_left_is_true() {
    crate::support::files_only!();
    let folder = tempfile::tempdir().expect("folder");
    let (wal, bytes, acknowledged) = killed_writer(folder.path());
    let mut noticed = 0;
    for part in [3, 4, 5] {
        let other = tempfile::tempdir().expect("folder");
        for name in ["signalbox.db", "signalbox.mark"] {
            fs::copy(folder.path().join(name), other.path().join(name)).expect("copies");
        }
        let mut bad = bytes.clone();
        bad[bytes.len() * part / 8] ^= 4;
        fs::write(other.path().join(wal.file_name().expect("a name")), bad).expect("writes");
        let store = open(other.path());
        match store.alarms() {
            [StoreAlarm::Behind { expected, found, .. }] => {
                assert!(*expected >= acknowledged && found < expected, "{acknowledged} {expected} {found}");
                noticed += 1;
            }
            others => panic!("{others:?}"),
        }
        if let Ok(row) = store.run("r") {
            assert_eq!(store.events("r", 0, 10_000).expect("are intact").len() as u64, row.last_seq);
        }
    }
    assert_eq!(noticed, 3);
}

/// Fault 10: a tail of zeroes is what a file system leaves of a file that was made longer and not written.
#[test]
fn a_zeroed_tail_of_the_wal_loses_the_last_transactions_at_most_and_is_said() {
    crate::support::files_only!();
    let folder = tempfile::tempdir().expect("folder");
    let (wal, mut bytes, _) = killed_writer(folder.path());
    let from = bytes.len() * 3 / 4;
    bytes[from..].fill(0);
    fs::write(&wal, bytes).expect("writes");
    let store = open(folder.path());
    assert!(matches!(store.alarms(), [StoreAlarm::Behind { found, .. }] if *found > 0), "{:?}", store.alarms());
    let row = store.run("r").expect("is there");
    assert_eq!(store.events("r", 0, 10_000).expect("are intact").len() as u64, row.last_seq);
}
