use super::shorten;
use signalbox_model::{AuditEvent, time};
use signalbox_store::audit::{Actor, Level, PublicKey, RUN_LEVEL, Record, Signer};
use signalbox_store::{Store, StoreOptions};

/// Seconds since 1970: later than what the store writes by itself.
const BEGIN: i64 = 4_000_000_000;

fn entries(store: &Store, from_s: i64, count: i64) {
    for second in from_s..from_s + count {
        let at = time::format(second * 1_000);
        let event = AuditEvent::WorkflowActivated;
        let record = Record::new(at.clone(), "$store", RUN_LEVEL, event, Level::Info, Actor::system());
        store.audit_append(record, None, false).expect("appended");
        if second % 10 == 0 {
            store.audit_checkpoint(&at).expect("sealed");
        }
    }
}

fn there(store: &Store) -> u64 {
    let gone = store.audit_tombstone().expect("read").map_or(0, |(_, tombstone)| tombstone.removed);
    store.audit_state().expect("read").head.size - gone
}

#[test]
fn the_oldest_entries_go_and_the_rest_verifies() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(dir.path(), &StoreOptions::default()).expect("a store");
    store.set_audit_signer(Signer::from_secret([7; 32])).expect("a key");
    entries(&store, BEGIN, 100);
    let before = there(&store);
    shorten(&store, 200, 0).expect("nothing to do");
    assert_eq!(there(&store), before);
    for round in 1..4 {
        shorten(&store, 30, 10).expect("shortened");
        let left = there(&store);
        // Cut at a checkpoint, and an entry stands for what is gone.
        assert!((30..=45).contains(&left), "{left}");
        let keys = PublicKey::all_from_text(&store.audit_state().expect("read").keys).unwrap_or_default();
        assert!(store.audit_verify(keys, Vec::new(), None).expect("verified").is_intact());
        entries(&store, BEGIN + 100 * round, 100);
    }
    store.close();
}
