use crate::support::{
    begin, commit, count, delete, end, new_run, print, started, step_done, step_start, temporary, var_changed,
};
use serde_json::json;
use signalbox_model::base::{Base, Begun};
use signalbox_model::{BinaryRef, EventBody, Item, Map};
use signalbox_store::{NewRun, StoreError};

#[test]
fn a_large_value_is_stored_once_and_freed_with_the_last_run_that_needs_it() {
    let (folder, store) = temporary();
    let big = json!({"text": "x".repeat(20_000), "small": 1});
    let other = json!("y".repeat(9_000));
    for run in ["one", "two"] {
        let owner = started(&store, run);
        let mut events = vec![
            step_start(run, 2, "a", big.clone()),
            step_done(run, 3, "a", big.clone()),
            var_changed(run, 4, big.clone()),
        ];
        if run == "one" {
            events.push(print(run, 5, other.clone()));
        }
        let last = events.len() as u64 + 2;
        store.commit(commit(run, &owner, events)).expect("commits");
        end(&store, run, &owner, last);
    }
    assert_eq!(count(folder.path(), "SELECT count(*) FROM blob"), 2);
    assert_eq!(count(folder.path(), "SELECT max(length(payload)) < 1000 FROM run_event"), 1);
    assert_eq!(store.event("one", 3).expect("reads"), Some(step_done("one", 3, "a", big.clone())));

    delete(&store, "one").expect("deletes");
    assert_eq!(count(folder.path(), "SELECT count(*) FROM blob"), 1);
    assert_eq!(store.event("two", 4).expect("reads"), Some(var_changed("two", 4, big)));
    delete(&store, "two").expect("deletes");
    assert_eq!(count(folder.path(), "SELECT (SELECT count(*) FROM blob) + (SELECT count(*) FROM blob_use)"), 0);
}

/// From 1 MiB on a value is written and read in its place.
#[test]
fn a_value_of_several_megabytes_is_kept_whole() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    for (seq, length) in (2..).zip([1024 * 1024 - 7, 1024 * 1024 - 6, 3_500_000]) {
        let value = json!({ "text": format!("é\"{}", "x".repeat(length)), "around": { "n": seq } });
        store.commit(commit("r", &owner, vec![print("r", seq, value.clone())])).expect("commits");
        assert!(store.event("r", seq).expect("reads") == Some(print("r", seq, value)), "{length}");
    }
    assert_eq!(count(folder.path(), "SELECT count(*) FROM blob WHERE length(data) = size AND size >= 1048575"), 3);
    crate::support::change(folder.path(), "UPDATE blob SET data = zeroblob(size)");
    assert!(matches!(store.event("r", 4), Err(StoreError::Corrupt { .. })));
}

#[test]
fn a_value_of_a_user_that_looks_like_a_reference_stays_what_it_is() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let value = json!({"_ref": "abc", "blob": ["/value", "x".repeat(9_000)], "null": null});
    store.commit(commit("r", &owner, vec![print("r", 2, value.clone())])).expect("commits");
    assert_eq!(store.event("r", 2).expect("reads"), Some(print("r", 2, value)));
}

#[test]
fn k_37_bytes_of_a_run_are_its_own_and_go_with_it() {
    let (folder, store) = temporary();
    let (one, two) = (started(&store, "one"), started(&store, "two"));
    let bytes = vec![0_u8, 0xff, b'x', 0x80];
    let hash = store.binary_keep("one", bytes.clone()).expect("kept");
    assert_eq!(hash, signalbox_model::hash::sha256_hex(&bytes));
    assert_eq!(store.binary_keep("one", bytes.clone()).expect("kept twice"), hash);
    assert_eq!(store.binary("one", &hash).expect("reads"), Some(bytes.clone()));
    // The bytes are there, but this run does not need them.
    assert_eq!(store.binary("two", &hash).expect("reads"), None);
    assert_eq!(store.binary("one", &hash[..63]).expect("reads"), None);
    assert!(matches!(store.binary("nobody", &hash), Err(StoreError::UnknownRun { .. })));
    store.binary_keep("two", bytes.clone()).expect("kept");
    assert_eq!(count(folder.path(), "SELECT count(*) FROM blob"), 1);

    end(&store, "one", &one, 2);
    end(&store, "two", &two, 2);
    assert!(matches!(store.binary_keep("one", bytes.clone()), Err(StoreError::RunEnded { .. })));
    delete(&store, "one").expect("deletes");
    assert_eq!(store.binary("two", &hash).expect("reads"), Some(bytes));

    crate::support::change(folder.path(), "UPDATE blob SET data = x'00'");
    assert!(matches!(store.binary("two", &hash), Err(StoreError::Damaged { .. })));
    delete(&store, "two").expect("deletes");
    assert_eq!(count(folder.path(), "SELECT (SELECT count(*) FROM blob) + (SELECT count(*) FROM blob_use)"), 0);
}

/// What an original cannot give, its re-run does not get.
#[test]
fn k_34_a_run_needs_what_its_base_names() {
    let (_folder, store) = temporary();
    let (one, _two) = (started(&store, "one"), started(&store, "two"));
    let hash = store.binary_keep("one", b"mine".to_vec()).expect("kept");
    let foreign = store.binary_keep("two", b"not of the original".to_vec()).expect("kept");
    end(&store, "one", &one, 2);
    let item = |hash: &str| Item {
        binary: Some([("content".to_owned(), BinaryRef::new(hash.to_owned(), "text/plain", 4))].into_iter().collect()),
        ..Item::new("1", json!({ "content": { "sha256": foreign } }))
    };
    let begun = Begun { step: "b".into(), input: vec![item(&hash), item(&foreign)], context: Map::new() };
    let mut first = begin("again");
    if let EventBody::WorkflowStart(start) = &mut first.body {
        start.base = Some(Box::new(Base { begun: vec![begun], ..Base::default() }));
    }
    let new = NewRun { parent_run_id: Some("one".into()), events: vec![first], ..new_run("again") };
    store.create_run(new).expect("created");
    delete(&store, "one").expect("deletes");
    assert_eq!(store.binary("again", &hash).expect("reads").as_deref(), Some(&b"mine"[..]));
    assert_eq!(store.binary("again", &foreign).expect("reads"), None);
}
