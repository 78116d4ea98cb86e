//! Retention: what is old goes up to a checkpoint, and what is left says so.

use crate::people::record;
use crate::support::{count, temporary};
use serde_json::json;
use signalbox_audit::{Actor, Level, Record, Signer, Tombstone};

fn told(facts: serde_json::Map<String, serde_json::Value>) -> Record {
    Record::new("2026-11-22T00:00:00.000Z", "$store", "$run", "AUDIT_RETENTION", Level::Warn, Actor::system())
        .with_metadata(facts)
}

#[test]
fn a_run_that_loses_a_part_keeps_its_count_and_a_run_that_has_not_ended_keeps_its_entries() {
    let (folder, store) = temporary();
    let signer = Signer::from_secret([7; 32]);
    let key = signer.public_key();
    store.set_audit_signer(signer).expect("keeps the key");
    let at = "2026-11-22T00:00:00.000Z";
    for n in 0..4 {
        store.audit_append(record("NOTE", "long", json!({ "n": n })), None, false).expect("records");
    }
    store.audit_checkpoint(at).expect("seals");
    for _ in 0..2 {
        store.audit_append(record("NOTE", "long", json!({})), None, false).expect("records");
    }
    store.audit_append(record("WORKFLOW_COMPLETED", "long", json!({})), None, false).expect("records");
    store.audit_append(record("NOTE", "open", json!({})), None, false).expect("records");
    store.audit_checkpoint(at).expect("seals");
    let sql = "INSERT INTO run (id, workflow_id, workflow_name, definition_hash, status, epoch, started_ms, last_seq)
               VALUES ('open', 'w', 'W', 'h', 'paused', 1, 1, 1)";
    crate::support::change(folder.path(), sql);

    assert_eq!(store.audit_retain(0, told).expect("asks"), None, "nothing is that old");
    let done = store.audit_retain(i64::MAX, told).expect("removes").expect("something");
    assert_eq!((done.removed, done.record.seq), (4, 8), "up to the checkpoint before the run that has not ended");
    assert_eq!(store.audit_held().expect("asks").map(|held| (held.run, held.seq)), Some(("open".into(), 7)));
    let (seq, tombstone) = store.audit_tombstone().expect("asks").expect("one");
    assert_eq!((seq, tombstone.removed, tombstone.cut_runs.get("long")), (8, 4, Some(&4)));
    let row = store.audit_entry(seq).expect("reads").expect("there");
    assert!(row.signature.is_some() && row.entry().and_then(|entry| Tombstone::of(&entry)) == Some(tombstone));
    let verdict = store.audit_verify(vec![key], Vec::new(), None).expect("verifies");
    assert!(verdict.is_intact() && verdict.to_string().contains("first 4 were removed"), "{verdict}");
    assert_eq!(store.audit_retain(i64::MAX, told).expect("asks"), None, "the run still keeps the rest");
    crate::support::change(folder.path(), "UPDATE run SET ended_ms = 2");
    let done = store.audit_retain(i64::MAX, told).expect("removes").expect("something");
    assert!(done.removed >= 4, "{done:?}");
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_entry WHERE run_id = 'long'"), 0);
}

#[test]
fn a_snapshot_that_only_removed_entries_name_goes_with_them() {
    let (folder, store) = temporary();
    let digest = |text: &str| signalbox_audit::Digest::of(&[text.as_bytes()]);
    let keep = |text: &str| {
        let mut one = record("NOTE", "r", json!({}));
        one.context_snapshot_hash = Some(digest(text));
        store.audit_append_with(one, Some((digest(text).to_hex(), text.to_owned()))).expect("records");
    };
    keep("{\"only\":\"old\"}");
    keep("{\"both\":1}");
    store.audit_checkpoint("2026-11-22T00:00:00.000Z").expect("seals");
    keep("{\"both\":1}");
    store.audit_checkpoint("2026-11-22T00:00:00.000Z").expect("seals");
    store.audit_append(record("NOTE", "r", json!({})), None, false).expect("records");
    // Only the first checkpoint lies before what is young.
    crate::support::change(folder.path(), "UPDATE audit_entry SET ts_high = 1, ts = 1 WHERE seq < 2");
    assert_eq!(store.audit_retain(1_000, told).expect("removes").map(|done| done.removed), Some(2));
    assert_eq!(count(folder.path(), "SELECT count(*) FROM blob"), 1);
    let found = store.audit_payloads().expect("looks");
    assert_eq!((found.kept, found.lost.len(), found.changed.len()), (1, 0, 0));
}
