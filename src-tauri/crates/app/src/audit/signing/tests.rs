use crate::app::{App, Options};
use crate::audit::signing_key::tests::{Mood, TestKeyRing};
use crate::caller::Caller;
use crate::dto::{AuditCondition, AuditKeyChoose, Host, KeyPlace};
use serde_json::json;
use signalbox_adapters::keyring::KeyRing;
use signalbox_model::AuditEvent;
use signalbox_store::audit::{Actor, Level};
use std::path::Path;
use std::sync::Arc;

/// A process that looks for its key only when the test says so.
fn open(data: &Path, host: Host, ring: &Arc<TestKeyRing>) -> Arc<App> {
    let options = Options { host, allow: Vec::new(), stays: false, reads: false };
    App::open_with(data, options, Arc::clone(ring) as Arc<dyn KeyRing>).expect("opens")
}

/// A decision: what is signed when there is a key. Gives who signed it.
fn decide(app: &App) -> Option<String> {
    let record = app.fact(AuditEvent::HitlCompleted, Level::Info, Actor::operator("user:anna"), json!({}));
    let seq = app.store.audit_append(record, None, true).expect("is recorded").seq;
    let row = app.store.audit_entry(seq).expect("reads").expect("is there");
    row.signature.map(|signature| signature.split(':').nth(1).unwrap_or_default().to_owned())
}

fn intact(app: &App) {
    let verdict = app.verify_audit(true).expect("verifies");
    assert_eq!(verdict.state, AuditCondition::Intact, "{verdict:?}");
}

/// What the chain says about its key: where it went, and whether it is another one.
fn changes(app: &App) -> Vec<(String, bool)> {
    let head = app.store.audit_state().expect("reads").head.size;
    let entries = (0..head).filter_map(|seq| app.store.audit_entry(seq).expect("reads")?.entry());
    entries
        .filter(|entry| entry.event == "AUDIT_KEY_CHANGED")
        .filter_map(|entry| {
            let facts = entry.metadata?;
            Some((facts["to"].as_str()?.to_owned(), facts["new"].as_bool()?))
        })
        .collect()
}

#[test]
fn a_desktop_moves_the_key_and_every_process_signs_with_it() {
    let (folder, ring) = (tempfile::tempdir().expect("folder"), TestKeyRing::new(Mood::Open));
    let terminal = open(folder.path(), Host::Http, &ring);
    let first = decide(&terminal).expect("is signed");
    assert!(!terminal.look_for_key(), "a terminal or a server moves nothing by itself");
    assert_eq!((ring.count(), changes(&terminal)), (0, Vec::new()));
    drop(terminal);

    let desktop = open(folder.path(), Host::Desktop, &ring);
    assert!(!desktop.look_for_key(), "nothing is left to look for");
    let key = desktop.audit_status_now().expect("a status").key.expect("a key");
    assert_eq!((key.place, &key.key_id, ring.count()), (KeyPlace::System, &first, 1));
    assert_eq!(decide(&desktop).as_ref(), Some(&first));
    drop(desktop);

    let terminal = open(folder.path(), Host::Http, &ring);
    assert_eq!((decide(&terminal).as_ref(), terminal.alarms().len()), (Some(&first), 0));
    assert_eq!(changes(&terminal), [("system".to_owned(), false)]);
    intact(&terminal);
}

#[test]
fn a_locked_key_store_leaves_entries_unsigned_until_it_opens() {
    let (folder, ring) = (tempfile::tempdir().expect("folder"), TestKeyRing::new(Mood::Open));
    let first = {
        let desktop = open(folder.path(), Host::Desktop, &ring);
        desktop.look_for_key();
        decide(&desktop).expect("is signed")
    };
    ring.is(Mood::Locked);
    let desktop = open(folder.path(), Host::Desktop, &ring);
    assert_eq!(decide(&desktop), None, "and no second key");
    assert!(desktop.look_for_key(), "it may be unlocked");
    let status = desktop.audit_status_now().expect("a status");
    let unsigned = status.unsigned.expect("says why");
    assert!(status.key.is_none() && unsigned.locked && unsigned.place == Some(KeyPlace::System), "{unsigned:?}");
    assert!(desktop.alarms()[0].contains("Test key ring"), "{:?}", desktop.alarms());

    ring.is(Mood::Open);
    assert!(!desktop.look_for_key());
    assert_eq!(decide(&desktop), Some(first));
    assert!(desktop.audit_status_now().expect("a status").unsigned.is_none() && desktop.alarms().is_empty());
    intact(&desktop);
}

#[test]
fn a_key_that_is_made_later_is_on_record_as_well() {
    let (folder, ring) = (tempfile::tempdir().expect("folder"), TestKeyRing::new(Mood::Open));
    {
        let desktop = open(folder.path(), Host::Desktop, &ring);
        desktop.look_for_key();
        decide(&desktop).expect("is signed");
    }
    // A folder from a backup, at a key store that is locked at first and then has nothing.
    std::fs::remove_file(folder.path().join("audit.key")).expect("is removed");
    ring.is(Mood::Locked);
    let app = open(folder.path(), Host::Http, &ring);
    assert_eq!(decide(&app), None);
    ring.kept.lock().expect("a lock").clear();
    ring.is(Mood::Open);
    app.look_for_key();
    assert!(decide(&app).is_some());
    assert_eq!(changes(&app).last(), Some(&("file".to_owned(), true)));
    intact(&app);
}

#[test]
fn a_new_key_is_on_record_and_what_the_old_one_signed_verifies() {
    let (folder, ring) = (tempfile::tempdir().expect("folder"), TestKeyRing::new(Mood::Absent));
    let app = open(folder.path(), Host::Http, &ring);
    let first = decide(&app).expect("is signed");
    let caller = Caller::terminal(None).expect("a caller");
    let choose = |app: &App, place, new| app.audit_key_choose(&caller, &AuditKeyChoose { place, new });
    let refused = choose(&app, KeyPlace::System, false).expect_err("no key store answers");
    assert_eq!(refused.code, "KEY_UNAVAILABLE");
    assert_eq!((decide(&app).as_ref(), changes(&app)), (Some(&first), Vec::new()));

    let second = choose(&app, KeyPlace::File, true).expect("a new one").key.expect("a key").key_id;
    assert_eq!(decide(&app).as_ref(), Some(&second));
    drop(app);
    // A file that is lost is replaced, and that is on record as well.
    std::fs::remove_file(folder.path().join("audit.key")).expect("is removed");
    let app = open(folder.path(), Host::Http, &ring);
    let third = decide(&app).expect("is signed");
    assert!(third != second && second != first && third != first);
    assert_eq!(changes(&app), [("file".to_owned(), true), ("file".to_owned(), true)]);
    intact(&app);
}
