use crate::support::{open, temporary};
use serde_json::json;

#[test]
fn a_store_keeps_the_name_of_its_chain_and_two_stores_have_two() {
    let (folder, store) = temporary();
    let (_other, second) = temporary();
    let name = store.audit_state().expect("reads").log_id;
    assert_eq!(name.len(), 32);
    assert_ne!(name, second.audit_state().expect("reads").log_id);
    assert_eq!(store.audit_note("verdict").expect("reads"), None);
    store.set_audit_note("verdict", &json!({"state": "intact"})).expect("keeps");
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.audit_state().expect("reads").log_id, name);
    assert_eq!(store.audit_note("verdict").expect("reads"), Some(json!({"state": "intact"})));
}
