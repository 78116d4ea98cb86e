use crate::app::{App, Options};
use crate::dto::{AuditCondition, Host};
use serde_json::json;
use signalbox_model::AuditEvent;
use signalbox_store::audit::{Actor, Level};
use std::path::Path;
use std::sync::Arc;

fn open(data: &Path) -> Arc<App> {
    App::open(data, Options { host: Host::Http, allow: Vec::new(), stays: false }).expect("opens")
}

/// UX E2: what was verified before and is changed afterwards is found at the next start, not only when somebody asks.
#[test]
fn ux_e2_damage_in_what_was_verified_before_is_found_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = open(folder.path());
    for note in ["before", "innocent", "after"] {
        let actor = Actor::operator("user:anna");
        let record = app.fact(AuditEvent::HitlCompleted, Level::Info, actor, json!({ "note": note }));
        app.store.audit_append(record, None, true).expect("is recorded");
    }
    assert_eq!(app.verify_audit(false).expect("verifies").state, AuditCondition::Intact);
    let file = app.data_dir().join("signalbox.db");
    drop(app);
    let mut bytes = std::fs::read(&file).expect("readable");
    let found: Vec<usize> = (0..bytes.len() - 8).filter(|at| &bytes[*at..*at + 8] == b"innocent").collect();
    assert!(!found.is_empty(), "the entry is in the file once the program has ended");
    for at in found {
        bytes[at..at + 8].copy_from_slice(b"INNOCENT");
    }
    std::fs::write(&file, bytes).expect("writable");
    let app = open(folder.path());
    assert_eq!(app.verify_audit_at_start().expect("verifies").state, AuditCondition::Broken);
}
