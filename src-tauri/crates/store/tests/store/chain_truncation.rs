//! A missing end of the audit chain is known until a person has accepted it.

use crate::people::record;
use crate::support::temporary;
use serde_json::json;
use signalbox_store::Store;

fn noted(store: &Store, times: u64, words: &str) {
    for n in 0..times {
        store.audit_append(record("NOTE", "r", json!({ words: n })), None, false).expect("records");
    }
}

#[test]
fn a_missing_end_is_known_although_others_are_written_behind_it() {
    let (folder, store) = temporary();
    noted(&store, 5, "first");
    drop(store);
    let cut = "DELETE FROM audit_entry WHERE seq >= 3; DELETE FROM audit_checkpoint WHERE size > 3";
    crate::support::change(folder.path(), cut);

    let open = || Store::open(folder.path(), &crate::support::options(folder.path())).expect("opens");
    let store = open();
    let known = store.audit_cut().expect("reads").expect("the end is missing");
    assert_eq!((known.expected, known.found, known.seq()), (5, 3, 3));
    // As many again, and a restart: the high-water file says nothing any more.
    noted(&store, 4, "later");
    drop(store);
    let store = open();
    assert_eq!(store.alarms(), []);
    assert_eq!(store.audit_cuts().expect("reads"), std::slice::from_ref(&known));

    let accepted = record("AUDIT_CUT_ACCEPTED", "$audit", json!({ "reason": "a power cut" }));
    let receipt = store.audit_accept_cut(&known, accepted.clone()).expect("writes").expect("something is missing");
    assert_eq!((receipt.seq, store.audit_cut().expect("reads")), (7, None));
    assert_eq!(store.audit_accept_cut(&known, accepted).expect("writes"), None, "nothing is accepted twice");
    assert_eq!(open().audit_cut().expect("reads"), None);
}

#[test]
fn an_end_that_goes_while_the_store_is_open_is_kept_before_the_next_entry() {
    let (folder, store) = temporary();
    noted(&store, 4, "first");
    store.audit_keep_cut(4).expect("nothing is missing");
    assert_eq!(store.audit_cut().expect("reads"), None);
    let cut = "CREATE TABLE kept AS SELECT * FROM audit_entry; DELETE FROM audit_entry WHERE seq = 3";
    crate::support::change(folder.path(), cut);
    store.audit_keep_cut(3).expect("keeps");
    noted(&store, 3, "later");
    store.audit_keep_cut(6).expect("the first finding stays");
    let known = store.audit_cut().expect("reads").expect("the end is missing");
    assert_eq!((known.expected, known.found), (4, 3));
    // From a backup: nothing is missing then.
    let back = "DELETE FROM audit_entry; INSERT INTO audit_entry SELECT * FROM kept";
    crate::support::change(folder.path(), back);
    assert_eq!(store.audit_cut().expect("reads"), None);
}

/// Nobody verifies while the store is open, and work goes on: the next entry finds it.
#[test]
fn an_end_that_goes_while_work_goes_on_is_found_by_the_next_entry() {
    let (folder, store) = temporary();
    let other = Store::open(folder.path(), &crate::support::options(folder.path())).expect("opens");
    noted(&store, 3, "first");
    // Entries of another process are none that are missing.
    noted(&other, 2, "other");
    noted(&store, 1, "again");
    noted(&other, 1, "and again");
    assert_eq!(store.audit_cut().expect("reads"), None);
    crate::support::change(folder.path(), "DELETE FROM audit_entry WHERE seq >= 5");
    noted(&store, 4, "later");
    let known = store.audit_cut().expect("reads").expect("the end is missing");
    assert_eq!((known.expected, known.found), (6, 5));
}

/// Other processes and the high-water file still know the old end.
#[test]
fn what_was_accepted_does_not_come_back() {
    let (folder, store) = temporary();
    let open = || Store::open(folder.path(), &crate::support::options(folder.path())).expect("opens");
    noted(&store, 9, "first");
    let other = open();
    noted(&other, 1, "other");
    drop(store);
    crate::support::change(folder.path(), "DELETE FROM audit_entry WHERE seq >= 4; DELETE FROM audit_checkpoint");
    // The acceptance is the first thing that is written.
    let store = open();
    let accepted = record("AUDIT_CUT_ACCEPTED", "$audit", json!({ "reason": "known" }));
    let known = store.audit_cut().expect("reads").expect("the end is missing");
    assert!(store.audit_accept_cut(&known, accepted).expect("writes").is_some());
    let intact = |store: &Store| store.audit_verify(Vec::new(), Vec::new(), None).expect("reads").is_intact();
    assert!(intact(&store) && store.audit_cut().expect("reads").is_none());
    noted(&other, 1, "goes on");
    store.audit_keep_cut(5).expect("nothing that is not known is missing");
    assert!(intact(&store) && store.audit_cut().expect("reads").is_none());
    drop((store, other));
    let store = open();
    assert_eq!((store.alarms(), store.audit_cut().expect("reads")), (&[][..], None));
    // What goes later is found again.
    noted(&store, 8, "later");
    crate::support::change(folder.path(), "DELETE FROM audit_entry WHERE seq >= 12");
    noted(&store, 1, "behind");
    assert!(store.audit_cut().expect("reads").is_some());
}

/// A second end that goes while the first one waits for a person is another one, and waits for its own word.
#[test]
fn a_second_missing_end_is_kept_beside_the_first() {
    let (folder, store) = temporary();
    noted(&store, 5, "first");
    crate::support::change(folder.path(), "DELETE FROM audit_entry WHERE seq >= 3");
    noted(&store, 17, "later");
    crate::support::change(folder.path(), "DELETE FROM audit_entry WHERE seq >= 15");
    noted(&store, 2, "behind");
    // The same again, by who knows less of it.
    store.audit_keep_cut(17).expect("nothing that is not known is missing");
    let cuts = store.audit_cuts().expect("reads");
    assert_eq!(cuts.iter().map(|cut| (cut.expected, cut.found)).collect::<Vec<_>>(), [(5, 3), (20, 15)]);

    let accepted = || record("AUDIT_CUT_ACCEPTED", "$audit", json!({ "reason": "known" }));
    assert!(store.audit_accept_cut(&cuts[0], accepted()).expect("writes").is_some());
    assert_eq!(store.audit_cuts().expect("reads"), cuts[1..], "what was not shown is not accepted");
    assert_eq!(store.audit_accept_cut(&cuts[0], accepted()).expect("writes"), None);
    assert!(store.audit_accept_cut(&cuts[1], accepted()).expect("writes").is_some());
    assert_eq!(store.audit_cuts().expect("reads"), []);
    // One of before was kept alone.
    let alone = serde_json::to_string(&cuts[0]).expect("writes");
    let set = format!("INSERT INTO audit_meta (name, value) VALUES ('cut', '{alone}')");
    crate::support::change(folder.path(), &set);
    assert_eq!(store.audit_cuts().expect("reads"), cuts[..1]);
}
