use crate::support::{T0, commit, end, new_run, started, step_start, temporary};
use serde_json::json;
use signalbox_store::{LastCall, NewRun};

#[test]
fn the_last_call_of_a_node_is_found_in_a_run_and_over_runs() {
    let (_folder, store) = temporary();
    for (index, run, node) in [(0, "old", "a"), (1, "new", "b")] {
        let owner = store.create_run(NewRun { started_ms: T0 + index, ..new_run(run) }).expect("is created");
        store.commit(commit(run, &owner, vec![step_start(run, 2, node, json!(1))])).expect("commits");
    }
    let call = |run: &str, started_ms, seq| Some(LastCall { run_id: run.into(), started_ms, seq });
    assert_eq!(store.last_called_step("wf", "b", None).expect("reads"), call("new", T0 + 1, 2));
    assert_eq!(store.last_called_step("wf", "a", None).expect("reads"), call("old", T0, 2));
    assert_eq!(store.last_called_step("wf", "a", Some("new")).expect("reads"), None);
    assert_eq!(store.last_called_step("wf", "c", None).expect("reads"), None);
    assert_eq!(store.last_called_step("other", "a", None).expect("reads"), None);
}

#[test]
fn it_stays_found_in_a_long_run() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let node = |seq: u64| if seq == 10 || seq == 400 { "rare".to_owned() } else { format!("n{}", seq % 7) };
    let mut latest = std::collections::BTreeMap::new();
    for seq in 2..=1_000_u64 {
        let name = node(seq);
        store.commit(commit("r", &owner, vec![step_start("r", seq, &name, json!(1))])).expect("commits");
        latest.insert(name, seq);
        if seq % 111 == 0 {
            for (name, seq) in &latest {
                let found = store.last_called_step("wf", name, Some("r")).expect("reads").map(|call| call.seq);
                assert_eq!(found, Some(*seq), "{name}");
            }
        }
    }
    end(&store, "r", &owner, 1_001);
    assert_eq!(store.last_called_step("wf", "rare", None).expect("reads").map(|call| call.seq), Some(400));
}
