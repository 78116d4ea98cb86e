use crate::support::{T0, commit, finish, noise, started, temporary};
use serde_json::{Value, json};
use signalbox_model::RunStatus;
use signalbox_store::{RunCommit, RunEnd};

#[test]
fn the_summary_comes_back_whole_and_a_damaged_one_is_none() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    assert_eq!(store.summary::<Value>("r").expect("reads"), None);
    let summary = json!({"runId": "r", "output": [noise(3, 50_000)], "context": {"z": 1, "a": 2}});
    let end = RunEnd { ended_ms: T0 + 2, summary: Some(summary.to_string()), ..RunEnd::default() };
    let status = Some(RunStatus::Completed);
    store.commit(RunCommit { status, end: Some(end), ..commit("r", &owner, vec![finish("r", 2)]) }).expect("ends");
    let read = store.summary::<Value>("r").expect("reads").expect("is there");
    assert_eq!(read.to_string(), summary.to_string(), "in the order it was written");
    crate::support::change(folder.path(), "UPDATE run_summary SET body = '{}'");
    assert_eq!(store.summary::<Value>("r").expect("reads"), None);
}
