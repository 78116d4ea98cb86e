use crate::people::record;
use crate::support::{count, open, temporary};
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
    crate::support::change(folder.path(), "UPDATE audit_checkpoint SET frontier = '{}' WHERE cp_seq = 1");
    let store = open(folder.path());
    store.audit_append(record("NOTE", "r", json!({})), None, false).expect("records");
    let error = store.audit_checkpoint("2026-11-22T00:00:02.000Z").expect_err("the frontier is gone");
    assert!(error.to_string().contains("verify the audit chain"), "{error}");
}

/// TS-047 at the level of the store: each change of the file is named, at its place.
#[test]
fn ts_047_a_changed_chain_is_named() {
    let cases = [
        ("UPDATE audit_entry SET entry = replace(entry, '\"n\":7', '\"n\":8') WHERE seq = 7", 7, "MODIFIED"),
        ("DELETE FROM audit_entry WHERE seq = 7", 7, "MISSING"),
        ("DELETE FROM audit_entry WHERE seq = 29", 29, "TRUNCATED"),
        (
            "UPDATE audit_entry SET seq = 1000 + CASE WHEN seq = 8 THEN 1 ELSE 0 END WHERE seq IN (7, 8); \
          UPDATE audit_entry SET seq = 8 - (seq - 1000) WHERE seq >= 1000",
            7,
            "REORDERED",
        ),
        (
            "INSERT INTO audit_entry (seq, entry, hash, run_id, node_id, event, level, actor_type, ts, ts_high) \
          SELECT 30, entry, hash, run_id, node_id, event, level, actor_type, ts, ts_high FROM audit_entry WHERE seq = 3",
            30,
            "DUPLICATED",
        ),
        ("UPDATE audit_checkpoint SET checkpoint = replace(checkpoint, '\"size\":30', '\"size\":29')", 29, ""),
    ];
    for (sql, seq, kind) in cases {
        let (folder, store) = temporary();
        store.set_audit_signer(Signer::from_secret([7; 32])).expect("keeps the key");
        for n in 0..30 {
            store.audit_append(record("NOTE", "r", json!({"n": n})), None, false).expect("records");
        }
        drop(store);
        crate::support::change(folder.path(), sql);
        let store = open(folder.path());
        let keys = signalbox_audit::PublicKey::all_from_text(&store.audit_state().expect("reads").keys).expect("keys");
        match store.audit_verify(keys, Vec::new(), None).expect("reads") {
            signalbox_audit::verify::Verdict::Broken(broken) => {
                assert!(
                    broken.first_bad_seq <= seq && (kind.is_empty() || broken.kind.as_str() == kind),
                    "{sql}: {broken}"
                );
                assert!(kind.is_empty() || broken.first_bad_seq == seq, "{sql}: {broken}");
            }
            intact => panic!("{sql}: {intact}"),
        }
    }
    // The last entry and its checkpoint are gone: the mark beside the store still knows them.
    let (folder, store) = temporary();
    for n in 0..3 {
        store.audit_append(record("NOTE", "r", json!({"n": n})), None, false).expect("records");
    }
    drop(store);
    crate::support::change(folder.path(), "DELETE FROM audit_entry WHERE seq = 2; DELETE FROM audit_checkpoint");
    let store = open(folder.path());
    assert_eq!(store.alarms(), [signalbox_store::StoreAlarm::AuditBehind { expected: 3, found: 2 }]);
    assert!(!store.audit_verify(Vec::new(), Vec::new(), None).expect("reads").is_intact());
}
