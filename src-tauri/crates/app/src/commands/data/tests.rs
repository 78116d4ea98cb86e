use crate::caller::Caller;
use crate::dto::Host;
use crate::{App, Options};
use serde_json::json;
use std::fs;

/// What the settings do: look at the room, look what would go, delete it, check what is left.
#[test]
fn old_runs_are_shown_before_they_are_deleted_and_the_folder_is_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { host: Host::Http, allow: Vec::new(), stays: false, reads: false };
    let app = App::open(folder.path(), options).expect("opens");
    let calling = tokio::runtime::Builder::new_current_thread().build().expect("a thread");
    let call = |name: &str, request| calling.block_on(app.dispatch(&Caller::here(), name, request));
    let before = call("data_size", json!({})).expect("a size");
    assert!(before["storeBytes"].as_u64().is_some_and(|bytes| bytes > 0), "{before}");
    assert_eq!(before["folder"], folder.path().display().to_string());
    let log = fs::metadata(folder.path().join("signalbox.db-wal")).map_or(0, |meta| meta.len());
    assert!(
        log > 0 && before["otherBytes"].as_u64().is_some_and(|other| other < log),
        "the log counts as the database: {before}"
    );
    fs::write(folder.path().join("a-file-of-mine"), [0; 5_000]).expect("written");
    let after = call("data_size", json!({})).expect("a size");
    assert!(after["otherBytes"].as_u64() >= before["otherBytes"].as_u64().map(|bytes| bytes + 5_000), "{after}");

    let refused = call("run_prune", json!({})).expect_err("nothing says which");
    assert_eq!(refused.code, "BAD_REQUEST");
    let nothing = call("run_prune_preview", json!({ "keep": 0 })).expect("a preview");
    assert_eq!((&nothing["count"], &nothing["deleted"]), (&json!(0), &json!(false)));
    let gone = call("run_prune", json!({ "olderThanDays": 0, "mostMegabytes": 1 })).expect("nothing to delete");
    assert_eq!((&gone["count"], &gone["deleted"]), (&json!(0), &json!(true)));

    let report = call("data_check", json!({ "repair": true })).expect("a report");
    let open = |finding: &serde_json::Value| finding["state"] == "found";
    assert!(!report["findings"].as_array().expect("a list").iter().any(open), "{report}");
}
