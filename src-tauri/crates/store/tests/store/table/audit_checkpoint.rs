use crate::people::record;
use crate::support::{count, open, raw, temporary};
use serde_json::json;
use signalbox_audit::Signer;

#[test]
fn a_thousand_entries_and_the_end_of_the_process_are_sealed() {
    let (folder, store) = temporary();
    for _ in 0..1_001 {
        store.audit_append(record("NOTE", "r", json!({})), None, false).expect("records");
    }
    let sizes = || count(folder.path(), "SELECT max(size) FROM audit_checkpoint");
    assert_eq!(sizes(), 1_000);
    drop(store);
    assert_eq!(sizes(), 1_001);
    let store = open(folder.path());
    drop(store);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_checkpoint"), 2, "nothing new, nothing to seal");
}

#[test]
fn checkpoints_follow_each_other_and_say_who_signed() {
    let (folder, store) = temporary();
    assert_eq!(store.audit_checkpoint("2026-11-22T00:00:00.000Z").expect("asks"), None, "nothing to seal");
    store.audit_append(record("NOTE", "r", json!({})), None, false).expect("records");
    let first = store.audit_checkpoint("2026-11-22T00:00:00.000Z").expect("seals").expect("one");
    assert_eq!((first.signature, first.checkpoint.key_id), (None, None));
    let signer = Signer::from_secret([7; 32]);
    let key = signer.public_key();
    store.set_audit_signer(signer).expect("keeps the key");
    let second = store.audit_checkpoint("2026-11-22T00:00:01.000Z").expect("seals").expect("now signed");
    assert!(second.is_signed_by(&key));
    assert_eq!(second.checkpoint.prev_cp_hash, first.checkpoint.hash());
    assert_eq!(store.audit_checkpoints().expect("reads"), [first, second.clone()]);
    assert_eq!(store.audit_state().expect("reads").checkpoint, Some(second));
    assert!(store.audit_state().expect("reads").keys.contains(&key.to_pem()));
    drop(store);
    raw(folder.path()).execute_batch("UPDATE audit_checkpoint SET frontier = '{}' WHERE cp_seq = 1").expect("writes");
    let store = open(folder.path());
    store.audit_append(record("NOTE", "r", json!({})), None, false).expect("records");
    let error = store.audit_checkpoint("2026-11-22T00:00:02.000Z").expect_err("the frontier is gone");
    assert!(error.to_string().contains("verify the audit chain"), "{error}");
}
