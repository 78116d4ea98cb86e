//! Looking at a whole store, repairs, copies, and room that is given back.

use crate::support::{commit, count, delete, end, noise, open, raw, started, step_done, temporary};
use serde_json::json;
use signalbox_store::{DamagedEvent, StoreCheck, check_copy, known_version};

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A run with a value of `length` letters.
fn run_with_value(store: &signalbox_store::Store, run: &str, seed: u64, length: usize) {
    let owner = started(store, run);
    store.commit(commit(run, &owner, vec![step_done(run, 2, "a", json!(noise(seed, length)))])).expect("commits");
    end(store, run, &owner, 3);
}

#[test]
fn a_sound_store_has_no_findings() {
    let (_folder, store) = temporary();
    run_with_value(&store, "r", 1, 20_000);
    assert_eq!(store.check().expect("reads"), StoreCheck { runs: 1, ..StoreCheck::default() });
}

#[test]
fn orphaned_values_are_found_and_removed_and_others_stay() {
    let (folder, store) = temporary();
    run_with_value(&store, "r", 1, 20_000);
    run_with_value(&store, "gone", 2, 30_000);
    // What a deletion of an older release could leave.
    crate::support::change(
        folder.path(),
        "DELETE FROM run_event WHERE id > (SELECT no << 32 FROM run WHERE id = 'gone');
             DELETE FROM run WHERE id = 'gone';",
    );
    let found = store.check().expect("reads");
    assert_eq!((found.orphaned_values, found.runs), (1, 1), "{found:?}");
    assert!(found.orphaned_bytes >= 30_000);
    assert_eq!(store.repair(&found).expect("repairs").orphaned_values, 1);
    assert_eq!(store.check().expect("reads"), StoreCheck { runs: 1, ..StoreCheck::default() });
    assert_eq!(store.events("r", 0, 10).expect("reads").len(), 3);
}

#[test]
fn damaged_events_and_values_are_named_and_no_repair_hides_them() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    run_with_value(&store, "r", 1, 20_000);
    run_with_value(&store, "s", 2, 30_000);
    let owner = started(&store, "t");
    store.commit(commit("t", &owner, vec![step_done("t", 2, "a", json!({ "x": 1 }))])).expect("commits");
    crate::support::change(
        folder.path(),
        "UPDATE run_event SET ts = ts + 1 WHERE id = (SELECT no << 32 | 2 FROM run WHERE id = 't');
             UPDATE blob SET data = CAST('x' || substr(data, 2) AS BLOB) WHERE size > 25000;
             DELETE FROM blob WHERE size < 25000;",
    );
    let found = store.check().expect("reads");
    assert_eq!((found.damaged_values.len(), found.missing_values.len()), (1, 1), "{found:?}");
    assert!(found.damaged_events.contains(&DamagedEvent { run: "t".into(), seq: 2 }), "{found:?}");
    store.repair(&found).expect("repairs");
    let again = store.check().expect("reads");
    assert_eq!((again.damaged_values.len(), again.missing_values.len()), (1, 1), "{again:?}");
}

#[test]
fn a_copy_is_checked_without_being_opened_as_a_store() {
    crate::support::files_only!();
    let (_folder, store) = temporary();
    run_with_value(&store, "r", 1, 20_000);
    let place = tempfile::tempdir().expect("folder");
    let copy = place.path().join("signalbox.db");
    store.back_up(&copy, Arc::new(|| ())).expect("copies");
    let facts = check_copy(&copy, Arc::new(|| ())).expect("is sound");
    assert_eq!((facts.version, facts.runs), (known_version(), 1));
    assert_eq!(std::fs::read_dir(place.path()).expect("folder").count(), 1, "no log beside it");
    let mut bytes = std::fs::read(&copy).expect("reads");
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 64].fill(0xff);
    std::fs::write(&copy, bytes).expect("writes");
    assert_eq!(check_copy(&copy, Arc::new(|| ())).expect_err("is damaged").code(), "STORE_DAMAGED");
}

/// Others write at every pause of the copy.
#[test]
fn a_copy_beside_writes_is_whole() {
    crate::support::files_only!();
    const WRITTEN: usize = 20;
    let (_folder, store) = temporary();
    for seed in 0..40 {
        run_with_value(&store, &format!("r{seed}"), seed, 20_000);
    }
    let place = tempfile::tempdir().expect("folder");
    let copy = place.path().join("signalbox.db");
    let (writer, pauses) = (store.clone(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&pauses);
    let write = move || {
        let pause = counted.fetch_add(1, Ordering::SeqCst);
        if pause < WRITTEN {
            run_with_value(&writer, &format!("late{pause}"), 100 + pause as u64, 20_000);
        }
    };
    store.back_up(&copy, Arc::new(write)).expect("copies");
    assert!(pauses.load(Ordering::SeqCst) >= WRITTEN, "it paused {pauses:?} times");
    assert_eq!(store.check().expect("reads").runs, 40 + WRITTEN as u64, "nobody had to wait");
    let checks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&checks);
    let count = move || {
        counted.fetch_add(1, Ordering::SeqCst);
    };
    let facts = check_copy(&copy, Arc::new(count)).expect("is sound");
    assert!(checks.load(Ordering::SeqCst) > 0, "the check pauses, too");
    assert!((40..40 + WRITTEN as u64).contains(&facts.runs), "as it was when the copy began: {facts:?}");
    let copied = open(place.path());
    assert_eq!(copied.check().expect("reads"), StoreCheck { runs: facts.runs, ..StoreCheck::default() });
}

#[test]
fn deleting_runs_gives_room_back_to_the_disk() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    for run in ["a", "b", "c"] {
        run_with_value(&store, run, u64::from(run.as_bytes()[0]), 3_000_000);
    }
    let before = store.size().expect("asks");
    assert!(before.shrinks && before.bytes > 9_000_000, "{before:?}");
    delete(&store, "a").expect("deletes");
    delete(&store, "b").expect("deletes");
    assert!(store.size().expect("asks").free > 5_000_000);
    let freed = store.shrink().expect("shrinks");
    let after = store.size().expect("asks");
    assert!(freed > 4_000_000 && after.bytes < before.bytes - 4_000_000, "{freed} {after:?}");
    assert_eq!(store.shrink().expect("asks"), 0, "nothing is left to give back");
    assert_eq!(store.check().expect("reads").integrity, Vec::<String>::new());
    drop(store);
    let file = std::fs::metadata(folder.path().join("signalbox.db")).expect("there").len();
    assert!(file < before.bytes - 4_000_000, "the file itself is shorter: {file}");
}

#[test]
fn a_store_of_an_older_release_shrinks_once_it_was_compacted() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    run_with_value(&store, "a", 1, 3_000_000);
    run_with_value(&store, "b", 2, 100_000);
    drop(store);
    crate::support::change(folder.path(), "PRAGMA auto_vacuum = NONE; VACUUM;");
    let store = open(folder.path());
    assert!(!store.size().expect("asks").shrinks);
    delete(&store, "a").expect("deletes");
    assert_eq!(store.shrink().expect("asks"), 0);
    assert_eq!(store.other_processes(), 0);
    assert!(store.compact().expect("compacts") > 2_000_000);
    assert!(store.size().expect("asks").shrinks);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM run"), 1);
    assert_eq!(store.check().expect("reads").runs, 1);
}

#[test]
fn wrong_indexes_are_built_again() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    run_with_value(&store, "r", 1, 20_000);
    drop(store);
    // An index that knows nothing of the rows: what a copy of a file in use may end as.
    let connection = raw(folder.path());
    connection
        .execute_batch(
            "CREATE TABLE scrap (x, y); CREATE INDEX scrap_x ON scrap (x); INSERT INTO scrap VALUES (1, 4), (2, 5);
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = 'CREATE INDEX scrap_x ON scrap (y)' WHERE name = 'scrap_x';
             PRAGMA writable_schema = OFF;",
        )
        .expect("damaged");
    drop(connection);
    let store = open(folder.path());
    let found = store.check().expect("reads");
    assert!(found.integrity.iter().any(|line| line.contains("index")), "{found:?}");
    assert!(store.repair(&found).expect("repairs").reindexed);
    assert_eq!(store.check().expect("reads").integrity, Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn a_new_database_is_for_its_owner_only() {
    crate::support::files_only!();
    use std::os::unix::fs::PermissionsExt;
    let (folder, store) = temporary();
    started(&store, "r");
    for name in ["signalbox.db", "signalbox.db-wal", "signalbox.db-shm", "signalbox.mark", "instances/setup.guard"] {
        let mode = std::fs::metadata(folder.path().join(name)).expect(name).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn sizes_of_ended_runs_are_told_oldest_first() {
    let (_folder, store) = temporary();
    run_with_value(&store, "small", 1, 10);
    run_with_value(&store, "large", 2, 50_000);
    started(&store, "goes-on");
    let sizes = store.run_sizes(None).expect("reads");
    let of = |run: &str| sizes.iter().find(|size| size.run == run).map(|size| size.bytes);
    assert_eq!(sizes.len(), 2, "{sizes:?}");
    assert!(
        of("small").is_some_and(|bytes| bytes < 5_000) && of("large").is_some_and(|bytes| bytes > 50_000),
        "{sizes:?}"
    );
    assert_eq!(store.run_sizes(Some("other")).expect("reads"), []);
}
