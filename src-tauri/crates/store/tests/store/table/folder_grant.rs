use crate::support::temporary;
use signalbox_model::AuditEvent;
use signalbox_store::audit::{Actor, Level, Record};
use signalbox_store::{AuditQuery, FolderGrant};

#[test]
fn a_folder_is_granted_per_workflow_or_for_all() {
    let (_folder, store) = temporary();
    let grant = |workflow: Option<&str>, writable| FolderGrant {
        folder: "/data".into(),
        workflow_id: workflow.map(str::to_owned),
        writable,
        library: workflow.is_none(),
    };
    let record = || {
        Record::new("2026-01-01T00:00:00.000Z", "store", "run", AuditEvent::FolderGranted, Level::Warn, Actor::system())
    };
    for (workflow, writable) in [(None, false), (Some("w"), false), (Some("w"), true)] {
        store.folder_grant(grant(workflow, writable), record()).expect("writes");
    }
    assert_eq!(store.folders().expect("lists"), [grant(None, false), grant(Some("w"), true)]);
    assert!(store.folder_revoke("/data", Some("w"), record()).expect("revokes"));
    assert!(!store.folder_revoke("/data", Some("w"), record()).expect("revokes once"));
    assert_eq!(store.folders().expect("lists"), [grant(None, false)]);
    let chain = store
        .audit_page(&AuditQuery { event: Some("FOLDER_GRANTED".into()), limit: 10, ..AuditQuery::default() })
        .expect("lists");
    assert_eq!(chain.rows.len(), 4, "three grants and one revocation; what changed nothing is not recorded");
}
