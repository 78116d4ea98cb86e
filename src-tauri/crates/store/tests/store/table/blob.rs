use crate::support::{commit, count, delete, end, print, started, step_done, step_start, temporary, var_changed};
use serde_json::json;

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

#[test]
fn a_value_of_a_user_that_looks_like_a_reference_stays_what_it_is() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let value = json!({"_ref": "abc", "blob": ["/value", "x".repeat(9_000)], "null": null});
    store.commit(commit("r", &owner, vec![print("r", 2, value.clone())])).expect("commits");
    assert_eq!(store.event("r", 2).expect("reads"), Some(print("r", 2, value)));
}
