use super::{HOUR_MS, NAME, remove_old};
use crate::caller::Caller;
use crate::dto::Host;
use crate::{App, Options};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn opened(folder: &Path) -> Arc<App> {
    App::open(folder, Options { host: Host::Http, allow: Vec::new(), stays: false, reads: false }).expect("opens")
}

fn archives(folder: &Path) -> usize {
    fs::read_dir(folder)
        .expect("readable")
        .flatten()
        .filter(|file| file.file_name().to_string_lossy().ends_with(".tar.gz"))
        .count()
}

#[test]
fn a_backup_is_made_when_it_is_due_and_not_before() {
    let (data, backups) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let app = opened(data.path());
    app.back_up_if_due().expect("nothing is set");
    let set = app.backup_schedule_set(&Caller::here(), Some(24), Some(backups.path().to_owned()), None).expect("set");
    assert_eq!((set.every_hours, set.keep, set.last_at), (Some(24), 7, None));
    app.back_up_if_due().expect("the first is due at once");
    app.back_up_if_due().expect("the next is not");
    let view = app.backup_schedule().expect("readable");
    assert_eq!((archives(backups.path()), view.error), (1, None));
    assert!(view.last_file.is_some_and(|file| Path::new(&file).is_file()) && view.next_at > view.last_at);

    // Another process that looks while one is at work finds nothing due.
    app.store.setting_set(NAME, Some(json!({ "everyHours": 1, "folder": backups.path(), "dueMs": 0 }))).expect("set");
    assert!(app.claim_backup(HOUR_MS).expect("readable").is_some());
    assert!(app.claim_backup(HOUR_MS).expect("readable").is_none());
    assert!(app.claim_backup(3 * HOUR_MS).expect("a process that died is followed by another").is_some());
    let off = app.backup_schedule_set(&Caller::here(), None, None, None).expect("off");
    assert_eq!((off.every_hours, off.next_at), (None, None));
}

#[test]
fn what_fails_is_told_and_tried_again() {
    let (data, backups) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let app = opened(data.path());
    let place = backups.path().join("gone");
    fs::create_dir(&place).expect("made");
    app.backup_schedule_set(&Caller::here(), Some(1), Some(place.clone()), Some(1)).expect("set");
    fs::remove_dir(&place).expect("removed");
    app.back_up_if_due().expect("it is kept");
    let view = app.backup_schedule().expect("readable");
    assert!(view.error.is_some_and(|error| error.contains("gone")) && view.last_at.is_none());
}

#[test]
fn a_schedule_that_cannot_work_is_refused() {
    let data = tempfile::tempdir().expect("a folder");
    let app = opened(data.path());
    let set = |hours, folder: Option<&Path>, keep| {
        app.backup_schedule_set(&Caller::here(), hours, folder.map(Path::to_owned), keep)
    };
    let message =
        |tried: crate::ApiResult<_>| tried.map(|_: crate::dto::BackupSchedule| ()).expect_err("refused").message;
    assert!(message(set(Some(0), Some(data.path()), None)).contains("1 to 744"));
    assert!(message(set(Some(24), None, None)).contains("No folder"));
    assert!(message(set(Some(24), Some(data.path()), None)).contains("data folder"));
    assert!(message(set(Some(24), Some(&data.path().join("gone")), None)).contains("gone"));
    assert!(message(set(Some(24), None, Some(0))).contains("Between 1"));
}

#[test]
fn only_old_archives_of_the_schedule_are_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = [
        "signalbox-backup-2026-01-01.tar.gz",
        "signalbox-backup-2026-01-02.tar.gz",
        "signalbox-backup-2026-01-03.tar.gz",
        "mine.tar.gz",
        "signalbox-backup-notes.txt",
    ];
    for name in names {
        fs::write(folder.path().join(name), name).expect("written");
    }
    remove_old(folder.path(), 2);
    let left: Vec<_> = names.iter().filter(|name| folder.path().join(name).exists()).collect();
    assert_eq!(left, [&names[1], &names[2], &names[3], &names[4]]);
}
