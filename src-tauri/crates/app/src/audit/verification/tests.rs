use crate::app::{App, Options};
use crate::dto::{AuditCondition, Host};
use serde_json::json;
use signalbox_model::AuditEvent;
use signalbox_store::audit::{Actor, Level};
use std::path::Path;
use std::sync::Arc;

fn open(data: &Path) -> Arc<App> {
    App::open(data, Options { host: Host::Http, allow: Vec::new(), stays: false, reads: false }).expect("opens")
}

/// Three entries, verified, and one of them changed behind the program's back.
fn changed_after_it_was_verified(folder: &Path) -> Arc<App> {
    let app = open(folder);
    for note in ["before", "innocent", "after"] {
        let actor = Actor::operator("user:anna");
        let record = app.fact(AuditEvent::HitlCompleted, Level::Info, actor, json!({ "note": note }));
        app.store.audit_append(record, None, true).expect("is recorded");
    }
    app.store.audit_checkpoint("2026-01-01T00:00:00.000Z").expect("is sealed");
    assert_eq!(app.verify_audit(false).expect("verifies").state, AuditCondition::Intact);
    let file = app.data_dir().join("signalbox.db");
    drop(app);
    let raw = rusqlite::Connection::open(file).expect("opens");
    let changed = raw.execute(
        "UPDATE audit_entry SET entry = replace(entry, 'innocent', 'INNOCENT') WHERE entry LIKE '%innocent%'",
        [],
    );
    assert_eq!(changed.expect("changes"), 1);
    drop(raw);
    open(folder)
}

/// UX E2: what was verified before and is changed afterwards is found at the next start, not only when somebody asks.
#[test]
fn ux_e2_damage_in_what_was_verified_before_is_found_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = changed_after_it_was_verified(folder.path());
    assert_eq!(app.verify_audit_at_start().expect("verifies").state, AuditCondition::Broken);
}

/// A chain that is too long to be read in seconds is taken up where it was verified last: the damage before is found when
/// somebody asks for all of it.
#[test]
fn a_long_chain_is_taken_up_where_it_was_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = changed_after_it_was_verified(folder.path());
    assert_eq!(app.verify_audit_above(2).expect("verifies").state, AuditCondition::Intact);
    assert_eq!(app.verify_audit(true).expect("verifies").state, AuditCondition::Broken);
}
