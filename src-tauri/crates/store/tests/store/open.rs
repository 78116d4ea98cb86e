//! Opening: faults 25 and what a folder can be.

use crate::support::{open, raw, started, temporary};
use signalbox_store::{Error, Store, StoreOptions};
use std::fs;

fn refused(folder: &std::path::Path) -> Error {
    Store::open(folder, &StoreOptions::default()).map(|_| ()).expect_err("is refused")
}

#[test]
fn a_newer_store_is_refused_and_left_as_it_is() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    started(&store, "r");
    drop(store);
    raw(folder.path()).pragma_update(None, "user_version", 999).expect("sets");
    let before = fs::read(folder.path().join("signalbox.db")).expect("reads");
    let error = refused(folder.path());
    assert_eq!(error.code(), "NEWER_STORE");
    assert!(error.to_string().contains("signalbox.db") && error.to_string().contains("999"), "{error}");
    assert!(error.hint().contains("--data"));
    assert_eq!(fs::read(folder.path().join("signalbox.db")).expect("reads"), before);
}

#[test]
fn another_programs_database_and_a_text_file_are_refused() {
    crate::support::files_only!();
    let folder = tempfile::tempdir().expect("folder");
    crate::support::change(folder.path(), "CREATE TABLE theirs (x)");
    assert_eq!(refused(folder.path()).code(), "NOT_A_STORE");
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("signalbox.db"), "a shopping list, by no means a database".repeat(50))
        .expect("writes");
    assert_eq!(refused(folder.path()).code(), "STORE_DAMAGED");
}

#[test]
fn a_folder_that_cannot_be_written_is_said() {
    crate::support::files_only!();
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("writes");
    let mut places = vec![file];
    #[cfg(target_os = "linux")]
    places.push("/proc/self/store".into());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let locked = folder.path().join("locked");
        fs::create_dir(&locked).expect("creates");
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).expect("locks");
        // Root may write anywhere.
        if fs::write(locked.join("probe"), "").is_err() {
            places.push(locked);
        }
    }
    for place in places {
        let error = refused(&place);
        assert_eq!(error.code(), "FOLDER_UNUSABLE", "{error}");
        assert!(error.to_string().contains(&place.display().to_string()), "{error}");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn many_threads_create_one_store_together() {
    let folder = tempfile::tempdir().expect("folder");
    std::thread::scope(|scope| {
        for index in 0..8 {
            let folder = folder.path();
            scope.spawn(move || {
                started(&open(folder), &format!("r{index}"));
            });
        }
    });
    assert_eq!(crate::support::count(folder.path(), "SELECT count(*) FROM run"), 8);
}

#[test]
fn a_closed_store_leaves_no_lock_and_no_wal() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    started(&store, "r");
    drop(store);
    let locks = fs::read_dir(folder.path().join("instances")).expect("folder");
    let names: Vec<_> = locks.map(|entry| entry.expect("entry").file_name()).collect();
    assert_eq!(names, ["setup.guard"]);
    assert!(!folder.path().join("signalbox.db-wal").exists());
}

#[test]
fn a_backup_is_a_whole_store() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    started(&store, "r");
    let copy = tempfile::tempdir().expect("folder");
    store.back_up(&copy.path().join("signalbox.db"), std::sync::Arc::new(|| ())).expect("copies");
    drop((folder, store));
    assert_eq!(open(copy.path()).events("r", 0, 10).expect("reads").len(), 1);
}

#[test]
fn an_upgrade_keeps_a_copy_of_the_older_store() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    started(&store, "r");
    drop(store);
    let known = signalbox_store::known_version();
    // Its tables are of this release all the same: what the upgrade makes of them is not looked at here.
    raw(folder.path()).pragma_update(None, "user_version", known - 1).expect("sets");
    fs::write(folder.path().join("signalbox.db.version-3"), "of an earlier upgrade").expect("writes");
    let _opened = Store::open(folder.path(), &StoreOptions::default());
    let copy = folder.path().join(format!("signalbox.db.version-{}", known - 1));
    let facts = signalbox_store::check_copy(&copy, std::sync::Arc::new(|| ())).expect("is sound");
    assert_eq!((facts.version, facts.runs), (known - 1, 1));
    assert!(!folder.path().join("signalbox.db.version-3").exists(), "only the last copy stays");
}
