//! Sub-workflows: which file a step means, what is wrong with it, and that a run keeps the files it was started with.

use crate::common::{Place, place, wait};
use serde_json::{Value, json};
use std::path::Path;

fn write(folder: &Path, name: &str, file: &Value) {
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(folder.join(format!("{name}.signalbox.json")), file.to_string()).expect("written");
}

fn calls(id: &str, named: &str) -> Value {
    json!({
        "signalbox": 1, "id": id, "name": id, "edges": [],
        "nodes": { "sub": { "type": "flow.subworkflow", "config": { "workflow": named, "params": { "n": "=params.n" } } } },
    })
}

fn adds(id: &str, to: i64) -> Value {
    json!({
        "signalbox": 1, "id": id, "name": id, "edges": [],
        "params": { "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" } } },
        "nodes": { "add": { "type": "data.set", "config": { "keep": false, "assign": { "sum": format!("=params.n + {to}") } } } },
    })
}

fn codes(place: &Place, document: &Value) -> Vec<String> {
    let found = place.ok("workflow_validate", json!({ "document": document }));
    let code = |one: &Value| one["code"].as_str().expect("a code").to_owned();
    found.as_array().expect("a list").iter().map(code).collect()
}

#[test]
fn a_step_runs_a_workflow_of_the_library() {
    let place = place();
    write(&place.library(), "any-name", &adds("adds", 100));
    assert_eq!(codes(&place, &calls("main", "adds")), [] as [&str; 0]);
    let summary = place.run(&calls("main", "adds"), json!({ "n": 1 }));
    assert_eq!((&summary["status"], &summary["output"]), (&json!("completed"), &json!([{ "sum": 101 }])), "{summary}");
    assert_eq!(summary["steps"].as_object().map(|steps| steps.keys().cloned().collect()), Some(vec!["sub".to_owned()]));
    let told = place.ok("run_paths", json!({ "runId": summary["runId"] }));
    assert_eq!((&told["paths"][0]["path"], &told["containers"]["sub"]["done"]), (&json!("sub"), &json!(1)), "{told}");
    let got = place.ok("run_get", json!({ "runId": summary["runId"] }));
    assert_eq!(got["definition"].get("pinnedFiles"), None, "{got}");

    // A path of a run leads into that file; without one the step of this name is one of the run's own.
    let data = |wanted: Value| place.ok("run_step_data", wanted);
    let inside = data(json!({ "workflowId": "main", "runId": summary["runId"], "nodeId": "add", "path": "sub" }));
    assert_eq!(inside["output"]["success"][0]["data"], json!({ "sum": 101 }), "{inside}");
    assert_eq!(data(json!({ "workflowId": "main", "runId": summary["runId"], "nodeId": "add" })), Value::Null);

    // What does not fit is the step's error.
    let mut wrong = calls("main", "adds");
    wrong["nodes"]["sub"]["config"]["params"]["n"] = json!("many");
    let summary = place.run(&wrong, json!({ "n": 1 }));
    assert_eq!((&summary["status"], &summary["error"]["details"]["code"]), (&json!("failed"), &json!("BAD_PARAM")));
}

#[test]
fn the_file_beside_the_own_one_goes_before_the_library() {
    let place = place();
    write(&place.library(), "adds", &adds("adds", 1));
    write(&place.library().join("team"), "adds", &adds("adds", 1_000));
    write(&place.library().join("team"), "main", &calls("main", "adds"));
    let list = place.ok("workflow_list", json!({}));
    let main =
        list.as_array().expect("a list").iter().find(|file| file["id"] == "main").expect("listed")["ref"].clone();
    let sum = |request: Value| {
        let run = place.ok("run_start", request)["runId"].as_str().expect("an id").to_owned();
        wait(place.app.wait(run)).expect("ends")["output"][0]["sum"].clone()
    };
    assert_eq!(sum(json!({ "ref": main, "params": { "n": 1 } })), 1_001);
    // What the editor shows, as this file and as none.
    let document = calls("main", "adds");
    assert_eq!(sum(json!({ "ref": main, "document": document, "params": { "n": 1 } })), 1_001);
    assert_eq!(sum(json!({ "document": document, "params": { "n": 1 } })), 2);
}

#[test]
fn files_that_cannot_be_used_are_told_before_anything_runs() {
    let place = place();
    let library = place.library();
    let outside = place.dir.path().join("elsewhere");
    write(&outside, "secret", &adds("secret", 1));
    write(&library, "a", &calls("a", "b"));
    write(&library, "b", &calls("b", "a"));
    write(&library, "no-start", &json!({ "signalbox": 1, "id": "no-start", "name": "n", "nodes": {}, "edges": [] }));
    write(&library, "newer", &json!({ "signalbox": 7, "id": "newer", "name": "n", "nodes": {}, "edges": [] }));
    let mut faulty = adds("faulty", 1);
    faulty["nodes"]["add"]["config"]["assign"]["sum"] = json!("=params.");
    write(&library, "faulty", &faulty);
    std::fs::write(library.join("torn.signalbox.json"), r#"{ "id": "torn", "#).expect("written");
    for n in 1..=17 {
        let named =
            if n == 17 { adds(&format!("deep{n}"), 1) } else { calls(&format!("deep{n}"), &format!("deep{}", n + 1)) };
        write(&library, &format!("deep{n}"), &named);
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.join("secret.signalbox.json"), library.join("secret.signalbox.json"))
        .expect("linked");
    for (named, code) in [
        ("nowhere", "UNKNOWN_WORKFLOW"),
        // A folder that nobody opened, by a path, and by a link.
        ("../../elsewhere/secret", "BAD_CONFIG"),
        ("/etc/passwd", "BAD_CONFIG"),
        ("secret", "UNKNOWN_WORKFLOW"),
        // Without JSON nobody knows which id it has.
        ("torn", "UNKNOWN_WORKFLOW"),
        ("main", "CYCLE"),
        ("a", "CYCLE"),
        ("no-start", "EMPTY_WORKFLOW"),
        ("newer", "NEWER_VERSION"),
        ("faulty", "CEL_SYNTAX"),
        ("deep1", "BAD_PARENT"),
        ("=params.which", "BAD_CONFIG"),
        ("\u{1F600}\u{0}", "BAD_CONFIG"),
    ] {
        let document = calls("main", named);
        assert_eq!(codes(&place, &document), [code], "{named:?}");
        let refused =
            place.ask("run_start", json!({ "document": document, "params": { "n": 1 } })).expect_err("no run");
        assert_eq!(refused.code, "INVALID_WORKFLOW", "{named:?}");
        let details = refused.details.expect("details");
        assert_eq!(details["diagnostics"][0]["path"], "/nodes/sub/config/workflow", "{named:?}: {details}");
    }
    assert_eq!(codes(&place, &calls("main", "deep2")), [] as [&str; 0], "sixteen are allowed");
    assert_eq!(place.ok("run_list", json!({}))["runs"], json!([]), "nothing was started");
}

#[test]
fn a_run_keeps_the_files_it_was_started_with() {
    let place = place();
    let library = place.library();
    let mut asks = adds("asks", 5);
    asks["settings"] = json!({ "errorPolicy": "safe" });
    asks["nodes"]["ask"] =
        json!({ "type": "builtin.human_approval", "config": { "title": "Add?", "redact": ["/pin"] } });
    asks["edges"] = json!([{ "from": "ask.approved", "to": "add" }]);
    write(&library, "asks", &asks);
    let mut main = calls("main", "asks");
    main["settings"] = json!({ "errorPolicy": "safe" });
    let summary = place.run(&main, json!({ "n": 1 }));
    assert_eq!(summary["status"], "paused", "{summary}");
    let run = summary["runId"].as_str().expect("an id").to_owned();

    // Changed, and then gone: the run does not care, also in the next process.
    write(&library, "asks", &adds("asks", 1_000_000));
    let place = place.reopen();
    let task = place.ok("task_get", json!({ "taskId": summary["openTasks"][0] }));
    assert_eq!((&task["path"], &task["upstream"]), (&json!("sub"), &json!([])), "{task}");
    std::fs::remove_file(library.join("asks.signalbox.json")).expect("removed");
    place.ok("task_complete", json!({ "taskId": summary["openTasks"][0], "action": "approve" }));
    place.ok("run_resume", json!({ "runId": run }));
    let ended = wait(place.app.wait(run.clone())).expect("ends");
    assert_eq!((&ended["status"], &ended["output"][0]["sum"]), (&json!("completed"), &json!(6)), "{ended}");
    // The same file with another sub-workflow is another definition.
    let version =
        |run: &str| place.ok("run_events", json!({ "runId": run, "after": 0 }))[0]["payload"]["version"].clone();
    write(&library, "asks", &adds("asks", 7));
    let other = place.run(&main, json!({ "n": 1 }));
    assert_eq!(other["output"][0]["sum"], 8);
    assert_ne!(version(&run), version(other["runId"].as_str().expect("an id")));
}
