use crate::support::{commit, end, print, started, temporary};
use serde_json::json;
use signalbox_model::DurableInput;
use signalbox_store::{CommitError, RunCommit};

#[test]
fn an_input_is_consumed_once_and_in_the_commit_that_acts_on_it() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let cancel = DurableInput::Cancel { superseded_by: None };
    let first = store.add_input("r", &cancel).expect("adds");
    let second = store.add_input("r", &cancel).expect("adds");
    let pending = |store: &signalbox_store::Store| -> Vec<i64> {
        store.pending_inputs("r").expect("lists").into_iter().map(|input| input.id).collect()
    };
    assert_eq!(pending(&store), [first, second]);
    assert_eq!(store.pending_inputs("r").expect("lists")[0].body, Some(cancel.clone()));
    let acts = |seq| RunCommit { consumed_inputs: vec![first], ..commit("r", &owner, vec![print("r", seq, json!(1))]) };
    store.commit(acts(2)).expect("commits");
    assert_eq!(pending(&store), [second]);
    assert_eq!(store.commit(acts(3)), Err(CommitError::Fenced { run: "r".into() }));
    assert_eq!(store.run("r").expect("reads").last_seq, 2, "nothing of the second was written");
    end(&store, "r", &owner, 3);
    assert_eq!(store.add_input("r", &cancel).expect_err("has ended").code(), "RUN_ENDED");
    assert_eq!(store.add_input("none", &cancel).expect_err("is unknown").code(), "UNKNOWN_RUN");
}
