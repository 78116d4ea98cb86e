//! Files of steps with the real program: the data folder stays closed, and a killed process leaves nothing.

use crate::support;

use serde_json::{Value, json};
use signalbox_model::hash::sha256_hex;
use support::{Serving, TestHome, eventually, workflow};

/// A run of one step.
fn run(place: &TestHome, kind: &str, config: Value, grant: &str) -> Value {
    let file = place.file(
        "test.json",
        workflow(
            json!({ "start": { "type": "trigger.manual" }, "file": { "type": kind, "config": config } }),
            json!([{ "from": "start.success", "to": "file" }]),
        )
        .to_string(),
    );
    place.run(&["run", file.to_str().expect("text"), "--allow-dir", grant, "--json"]).last()
}

/// A table that is kept as text comes out of the run, of its events and of a step that looks at it as the values that it is.
#[test]
fn a_large_table_comes_through_whole() {
    let place = TestHome::new();
    let home = place.dir.path().canonicalize().expect("there");
    let grant = home.display().to_string();
    let mut text = "id,name\n".to_owned();
    let mut rows = Vec::new();
    for id in 0..40_000 {
        text.push_str(&format!("{id},\"Ada \"\"{id}\"\" é\"\n"));
        rows.push(json!({ "id": id.to_string(), "name": format!("Ada \"{id}\" é") }));
    }
    std::fs::write(home.join("large.csv"), &text).expect("written");
    std::fs::write(home.join("large.json"), Value::from(rows.clone()).to_string()).expect("written");
    for (name, kind) in [("large.csv", "csv"), ("large.json", "json")] {
        let nodes = json!({
            "read": { "type": "file.read", "config": { "path": name, "as": kind } },
            "same": { "type": "flow.noop" },
            "count": { "type": "data.transform", "config": { "expression": "size(item.content)" } },
            "end": { "type": "flow.stop" },
        });
        let edges = json!([
            { "from": "read.success", "to": "same" }, { "from": "same.success", "to": "count" }, { "from": "same.success", "to": "end" }
        ]);
        let file = place.file("test.json", workflow(nodes, edges).to_string());
        let file = file.to_str().expect("text");
        let done = place.run(&["run", file, "--allow-dir", &grant, "--json"]).last();
        let output = done["output"].as_array().expect("a list");
        assert!(output.contains(&json!(40_000)), "{}", output.len());
        let read = output.iter().find(|one| one.is_object()).expect("what was read");
        assert_eq!((&read["path"], read["size"].as_u64().is_some()), (&json!(name), true));
        assert!(read["content"] == json!(rows), "{name}: the rows are other ones");
        let shown = place.run(&["runs", "show", done["runId"].as_str().expect("an id"), "--json"]).last();
        assert!(shown["output"] == done["output"], "{name}: what is kept is something else");
    }
}

/// Whoever grants the folder above the data folder, as the home folder is, grants neither the audit key nor the store.
#[test]
fn a_granted_home_folder_does_not_hand_out_the_data_folder() {
    let place = TestHome::new();
    let home = place.dir.path().canonicalize().expect("there");
    let grant = format!("{}:rw", home.display());
    std::fs::write(home.join("table.csv"), "artikel;menge\nstuhl;4\n").expect("written");
    let read = run(&place, "file.read", json!({ "path": "table.csv", "as": "csv" }), &grant);
    assert_eq!(read["output"][0]["content"], json!([{ "artikel": "stuhl", "menge": "4" }]), "{read}");

    let key = home.join("data/audit.key");
    let before = sha256_hex(&std::fs::read(&key).expect("the key of the audit chain"));
    std::fs::hard_link(&key, home.join("harmless.txt")).expect("linked");
    for (kind, config) in [
        ("file.read", json!({ "path": "data/audit.key" })),
        ("file.read", json!({ "path": "data/signalbox.db", "as": "binary" })),
        ("file.read", json!({ "path": "harmless.txt" })),
        ("file.write", json!({ "path": "data/audit.key", "content": "x" })),
        ("file.write", json!({ "path": "data/workflows/mine.json", "content": "x", "mode": "failIfExists" })),
        ("file.list", json!({ "path": "data" })),
    ] {
        let refused = run(&place, kind, config.clone(), &grant);
        let error = &refused["error"];
        assert_eq!(error["details"]["code"], "PATH_REFUSED", "{kind} {config}: {refused}");
        let words = error["message"].as_str().unwrap_or_default();
        assert!(words.contains("data folder of Signalbox, which is closed to steps"), "{kind} {config}: {words}");
    }
    assert_eq!(sha256_hex(&std::fs::read(&key).expect("the key")), before);

    // Nor does a tool server get to work in it.
    let data = home.join("data").display().to_string();
    for args in [
        vec!["tools", "set", "files", "--cwd", &data, "--", "some-server"],
        vec!["tools", "set", "files", "--", "some-server", &data],
    ] {
        let told = place.run(&args);
        assert!(told.code != 0 && told.err.contains("data folder of Signalbox"), "{args:?}: {} {}", told.out, told.err);
    }
}

#[test]
fn a_temporary_file_of_a_killed_process_is_removed_at_the_next_start() {
    let place = TestHome::new();
    let folder = place.dir.path().canonicalize().expect("there");
    let (left, other) =
        (folder.join(".signalbox-write-00000000000000aa"), folder.join(".signalbox-write-00000000000000bb"));
    let notes = folder.join("data/pending-writes");
    std::fs::create_dir_all(&notes).expect("made");
    for file in [&left, &other] {
        std::fs::write(file, "half of it").expect("written");
    }
    std::fs::write(notes.join("1"), left.to_str().expect("text")).expect("written");
    let listed = place.run(&["runs", "list"]);
    assert_eq!(listed.code, 0, "{}", listed.err);
    assert!(!left.exists() && other.exists(), "the file of the note is gone, and no other");
    assert_eq!(std::fs::read_dir(&notes).expect("there").count(), 0);
}

/// A builder in a browser allows folders below the named roots and nowhere else; it is a problem before the run until then, it is recorded, and it
/// can be taken back.
#[test]
fn a_builder_allows_folders_below_the_roots_only() {
    let place = TestHome::new();
    let home = place.dir.path().canonicalize().expect("there");
    for folder in ["root/orders", "root/.keys", "other"] {
        std::fs::create_dir_all(home.join(folder)).expect("made");
    }
    std::fs::write(home.join("root/orders/a.txt"), "hello").expect("written");
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.join("other"), home.join("root/out")).expect("linked");
    let at = |name: &str| home.join(name).display().to_string();
    let root = at("root");
    let serving = Serving::start(&place, &["--grant-root", &root]);
    let ask = |command: &str, body: Value| serving.ask("POST", &format!("/rpc/{command}"), &body);

    assert_eq!(ask("folder_browse", json!({})).json(), json!({ "folders": [root], "more": false }));
    assert_eq!(
        ask("folder_browse", json!({ "folder": root })).json(),
        json!({ "folder": root, "folders": [at("root/orders")], "more": false }),
        "hidden folders and links are left out, and nothing is above a root"
    );
    assert_eq!(ask("folder_browse", json!({ "folder": at("root/orders") })).json()["parent"], root);
    let grant = |folder: &str| json!({ "folder": folder, "workflowId": "read", "access": "ro", "library": false });
    for refused in ["other", "root/.keys", "root/out", "root/../other", "nowhere", "data"] {
        assert_eq!(ask("folder_grant", grant(&at(refused))).status, 403, "{refused}");
        assert_eq!(ask("folder_browse", json!({ "folder": at(refused) })).status, 403, "{refused}");
    }
    let mut library = grant(&at("root/orders"));
    library["library"] = json!(true);
    assert_eq!(ask("folder_grant", library).status, 403);

    let mut document =
        workflow(json!({ "r": { "type": "file.read", "config": { "path": at("root/orders/a.txt") } } }), json!([]));
    document["id"] = json!("read");
    let problems = || {
        let found = ask("workflow_validate", json!({ "document": document })).json();
        let missing = found.as_array().expect("a list").iter().filter(|one| one["code"] == "MISSING_GRANT");
        missing.map(|one| (one["severity"].clone(), one["path"].clone())).collect::<Vec<_>>()
    };
    let file = place.file("read.signalbox.json", document.to_string());
    let told = || place.run(&["validate", file.to_str().expect("text"), "--json"]);
    assert_eq!(problems(), [(json!("warning"), json!("/nodes/r/config/path"))]);
    assert_eq!((told().code, told().out.contains("MISSING_GRANT")), (0, true), "{}", told().out);
    assert_eq!(ask("folder_grant", grant(&at("root/orders"))).status, 200);
    assert_eq!(problems(), []);
    assert!(!told().out.contains("MISSING_GRANT"), "{}", told().out);
    let revoke = json!({ "folder": at("root/orders"), "workflowId": "read" });
    assert_eq!(ask("folder_revoke", revoke.clone()).status, 200);
    assert_eq!(ask("folder_revoke", revoke).status, 404);
    assert_eq!(problems().len(), 1);
    let recorded =
        |event: &str| ask("audit_list", json!({ "query": format!("event:{event}") })).json()["total"].as_u64();
    assert_eq!((recorded("FOLDER_GRANTED"), recorded("FOLDER_REVOKED")), (Some(1), Some(1)));
}

/// What was allowed right before the run is open to it, in the server that the person asked and in another process.
#[test]
fn a_step_reads_from_the_folder_that_was_allowed_right_before_the_run() {
    let place = TestHome::new();
    let home = place.dir.path().canonicalize().expect("there");
    std::fs::create_dir_all(home.join("root/orders")).expect("made");
    std::fs::write(home.join("root/orders/a.txt"), "hello").expect("written");
    let serving = Serving::start(&place, &["--grant-root", &home.join("root").display().to_string()]);
    let orders = home.join("root/orders").display().to_string();
    let nodes = json!({ "r": { "type": "file.read", "config": { "path": format!("{orders}/a.txt") } } });
    let mut document = workflow(nodes, json!([]));
    document["settings"] = json!({ "errorPolicy": "fail" });
    let ended = || {
        let request = json!({ "document": document, "params": {} });
        let run = serving.ask("POST", "/rpc/run_start", &request).json()["runId"].as_str().expect("an id").to_owned();
        let mut summary = Value::Null;
        eventually("the run ends", || {
            summary = serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json();
            summary["status"] == "completed" || summary["status"] == "failed"
        });
        summary
    };
    let refused = ended();
    assert_eq!((&refused["status"], &refused["error"]["details"]["code"]), (&json!("failed"), &json!("PATH_REFUSED")));
    let grant = json!({ "folder": orders, "workflowId": "test", "access": "ro", "library": false });
    assert_eq!(serving.ask("POST", "/rpc/folder_grant", &grant).status, 200);
    let read = ended();
    assert_eq!((&read["status"], &read["output"][0]["content"]), (&json!("completed"), &json!("hello")), "{read}");
    let file = place.file("read.signalbox.json", document.to_string());
    let elsewhere = place.run(&["run", file.to_str().expect("text"), "--json"]).last();
    assert_eq!(elsewhere["output"][0]["content"], "hello", "{elsewhere}");
}
