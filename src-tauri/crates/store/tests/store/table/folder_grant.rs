use crate::support::temporary;
use signalbox_store::FolderGrant;

#[test]
fn a_folder_is_granted_per_workflow_or_for_all() {
    let (_folder, store) = temporary();
    let grant = |workflow: Option<&str>, writable| FolderGrant {
        folder: "/data".into(),
        workflow_id: workflow.map(str::to_owned),
        writable,
        library: workflow.is_none(),
    };
    for (workflow, writable) in [(None, false), (Some("w"), false), (Some("w"), true)] {
        store.folder_grant(grant(workflow, writable)).expect("writes");
    }
    assert_eq!(store.folders().expect("lists"), [grant(None, false), grant(Some("w"), true)]);
    assert!(store.folder_revoke("/data", Some("w")).expect("revokes"));
    assert!(!store.folder_revoke("/data", Some("w")).expect("revokes once"));
    assert_eq!(store.folders().expect("lists"), [grant(None, false)]);
}
