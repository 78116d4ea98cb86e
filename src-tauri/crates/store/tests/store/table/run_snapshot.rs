use crate::support::{commit, count, noise, print, started, temporary, var_changed};
use serde_json::{Value, json};
use signalbox_store::{RunCommit, Snapshot};

fn snapshot(seq: u64, body: Value) -> Option<Snapshot> {
    Some(Snapshot { seq, version: 3, body: body.to_string() })
}

#[test]
fn the_last_two_are_kept_and_a_damaged_one_falls_back() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    assert_eq!(store.latest_snapshot("r").expect("reads"), None);
    for seq in 2..=5 {
        let next = commit("r", &owner, vec![print("r", seq, json!(seq))]);
        store.commit(RunCommit { snapshot: snapshot(seq, json!({"at": seq})), ..next }).expect("commits");
    }
    assert_eq!(count(folder.path(), "SELECT count(*) FROM run_snapshot"), 2);
    assert_eq!(store.latest_snapshot("r").expect("reads"), snapshot(5, json!({"at": 5})));
    crate::support::change(folder.path(), "UPDATE run_snapshot SET body = '{\"at\":6}' WHERE seq = 5");
    assert_eq!(store.latest_snapshot("r").expect("reads"), snapshot(4, json!({"at": 4})));
    crate::support::change(folder.path(), "DELETE FROM run_snapshot WHERE seq = 4");
    assert_eq!(store.latest_snapshot("r").expect("reads"), None, "the events alone rebuild the state");
}

#[test]
fn a_value_that_an_event_holds_is_not_stored_again() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let (known, unknown) = (json!(noise(1, 100_000)), json!(noise(2, 10_000)));
    let body = json!({"context": {"v": known, "list": [known, unknown]}});
    let next = commit("r", &owner, vec![var_changed("r", 2, known)]);
    store.commit(RunCommit { snapshot: snapshot(2, body.clone()), ..next }).expect("commits");
    assert!(count(folder.path(), "SELECT length(body) FROM run_snapshot") < 11_000);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM blob"), 1);
    assert_eq!(store.latest_snapshot("r").expect("reads"), snapshot(2, body));
}

#[test]
fn one_of_the_future_is_refused() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let next = commit("r", &owner, vec![print("r", 2, json!(2))]);
    assert!(store.commit(RunCommit { snapshot: snapshot(3, json!(1)), ..next }).is_err());
    assert_eq!(store.run("r").expect("reads").last_seq, 1);
}
