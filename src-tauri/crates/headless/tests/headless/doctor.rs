//! `doctor` and `check-data`: findings with what to do, and an exit code by the result.

use crate::support::{Done, Serving, TestHome, eventually, workflow};
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;

fn asked(place: &TestHome, more: &[&str]) -> (i32, Vec<Value>) {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).expect("a port");
    let mut command = place.command(&["doctor", "--json"]);
    command.args(more).env("SIGNALBOX_KEY_STORE", "off");
    if !more.contains(&"--addr") {
        command.args(["--addr", &free.to_string()]);
    }
    let out = command.output().expect("it starts");
    let text = String::from_utf8(out.stdout).expect("text");
    let value: Value = serde_json::from_str(text.trim()).unwrap_or_else(|_| panic!("no JSON: {text}"));
    (out.status.code().unwrap_or(-1), value["checks"].as_array().expect("a list").clone())
}

fn state_of<'a>(checks: &'a [Value], name: &str) -> &'a str {
    let found = checks.iter().find(|check| check["name"] == name);
    found.and_then(|check| check["state"].as_str()).unwrap_or("missing")
}

fn with_a_run(place: &TestHome) -> Done {
    let document = workflow(json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } } } }), json!([]));
    let file = place.file("flow.signalbox.json", document.to_string());
    let done = place.run(&["run", &file.display().to_string(), "--json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    done
}

#[test]
fn a_machine_without_data_is_no_problem_and_gets_none() {
    let place = TestHome::new();
    let (code, checks) = asked(&place, &[]);
    assert_eq!((code, state_of(&checks, "dataFolder")), (0, "warning"), "{checks:?}");
    assert!(!place.data().exists());
    // What does not depend on data is checked all the same.
    let states = ["keyStore", "secrets", "folders", "providers", "toolServers"].map(|name| state_of(&checks, name));
    assert_eq!(states, ["warning", "warning", "ok", "ok", "ok"], "{checks:?}");
    // Where the key store is switched off, only what works without it is proposed.
    let fix = |name: &str| {
        let found = checks.iter().find(|check| check["name"] == name);
        found.and_then(|check| check["fix"].as_str()).unwrap_or_default()
    };
    assert!(fix("keyStore").starts_with("Unset SIGNALBOX_KEY_STORE, or keep keys in files"), "{checks:?}");
    assert!(fix("secrets").contains("choose passphrase") && !fix("secrets").contains("choose system"), "{checks:?}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_not_taken_for_a_new_one() {
    let place = TestHome::new();
    std::os::unix::fs::symlink(place.data(), place.data()).expect("a link to itself");
    let (code, checks) = asked(&place, &[]);
    let found = checks.iter().find(|check| check["name"] == "dataFolder").expect("the check");
    assert_eq!((code, &found["state"]), (1, &json!("problem")), "{checks:?}");
    assert!(found["message"].as_str().is_some_and(|text| text.contains("cannot be read")), "{found}");
    assert!(found["fix"].as_str().is_some_and(|fix| fix.contains("--data")), "{found}");
}

#[test]
fn findings_come_with_a_fix() {
    let place = TestHome::new();
    with_a_run(&place);
    let (code, checks) = asked(&place, &[]);
    for name in [
        "version",
        "store",
        "disk",
        "clock",
        "permissions",
        "audit",
        "folders",
        "providers",
        "toolServers",
        "updates",
        "port",
    ] {
        assert_ne!(state_of(&checks, name), "missing", "{name}");
    }
    assert_eq!((code, state_of(&checks, "store"), state_of(&checks, "port")), (0, "ok", "ok"), "{checks:?}");
    assert_eq!(state_of(&checks, "keyStore"), "warning", "it is switched off here");
    let fixes: Vec<&str> = checks.iter().filter_map(|check| check["fix"].as_str()).collect();
    assert!(!fixes.iter().any(|fix| fix.contains("in your session") || fix.contains("choose system")), "{fixes:?}");
    for check in checks.iter().filter(|check| check["state"] != "ok") {
        assert!(check["fix"].as_str().is_some_and(|fix| fix.len() > 5), "{check}");
    }

    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let addr = taken.local_addr().expect("an address").to_string();
    let (code, checks) = asked(&place, &["--addr", &addr]);
    assert_eq!((code, state_of(&checks, "port")), (0, "warning"), "{checks:?}");

    // A provider that nobody answers for.
    drop(taken);
    let url = format!("http://{addr}");
    assert_eq!(place.run(&["models", "set", "gone", "--kind", "ollama", "--url", &url]).code, 0);
    let (code, checks) = asked(&place, &[]);
    assert_eq!((code, state_of(&checks, "providers")), (1, "problem"), "{checks:?}");
    let (code, checks) = asked(&place, &["--offline"]);
    assert_eq!((code, state_of(&checks, "providers")), (0, "ok"), "{checks:?}");
}

#[cfg(unix)]
#[test]
fn files_that_others_may_read_are_found_and_closed() {
    use std::os::unix::fs::PermissionsExt;
    let place = TestHome::new();
    with_a_run(&place);
    let mode = |name: &str| fs::metadata(place.data().join(name)).expect(name).permissions().mode() & 0o777;
    assert_eq!((mode(""), mode("signalbox.db")), (0o700, 0o600));
    for name in ["", "signalbox.db", "workflows"] {
        fs::set_permissions(place.data().join(name), fs::Permissions::from_mode(0o755)).expect("opened");
    }
    let (code, checks) = asked(&place, &[]);
    assert_eq!((code, state_of(&checks, "permissions")), (1, "problem"), "{checks:?}");
    let done = place.run(&["check-data", "--json"]);
    assert_eq!((done.code, &done.json()["findings"][0]["area"]), (1, &json!("permissions")), "{}", done.out);
    let done = place.run(&["check-data", "--repair", "--json"]);
    assert_eq!((done.code, &done.json()["findings"][0]["state"]), (0, &json!("repaired")), "{}", done.out);
    assert_eq!((mode(""), mode("signalbox.db"), mode("workflows")), (0o700, 0o700, 0o700));
    // A closed folder keeps others out, and what is in it is told all the same.
    fs::set_permissions(place.data().join("signalbox.db"), fs::Permissions::from_mode(0o644)).expect("opened");
    let done = place.run(&["check-data", "--json"]);
    let message = done.json()["findings"][0]["message"].as_str().unwrap_or_default().to_owned();
    assert!(done.code == 1 && message.starts_with("Only the closed folder keeps other accounts from"), "{}", done.out);
    assert_eq!(place.run(&["check-data", "--repair"]).code, 0);
    assert_eq!(mode("signalbox.db"), 0o600);
    assert_eq!(asked(&place, &[]).0, 0);
}

#[cfg(unix)]
#[test]
fn every_file_in_the_data_folder_is_for_its_owner_only() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &[]);
    let rpc = |command: &str, payload: &Value| {
        let answer = serving.ask("POST", &format!("/rpc/{command}"), payload);
        assert_eq!(answer.status, 200, "{command}: {}", answer.body);
        answer.json()
    };
    rpc("workflow_create", &json!({ "name": "New" }));
    let nodes = json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } }, "out": { "/reports/a.txt": "=_result" } } });
    rpc("run_start", &json!({ "document": workflow(nodes, json!([])), "params": {} }));
    rpc("audit_export", &json!({ "format": "jsonl" }));
    let artifacts = place.data().join("artifacts");
    // The scheduler takes its lock, and the run writes its artifact.
    eventually("files of a server", || {
        place.data().join("triggers.lock").exists()
            && fs::read_dir(&artifacts)
                .is_ok_and(|runs| runs.flatten().any(|run| run.path().join("reports/a.txt").exists()))
    });
    let open = signalbox_app::readable_by_others(&place.data()).expect("read");
    assert_eq!(open, Vec::<std::path::PathBuf>::new());
}

#[test]
fn leftovers_are_found_and_removed_and_damage_stays_said() {
    let place = TestHome::new();
    with_a_run(&place);
    let gone = place.data().join("artifacts/0199a1b2-0000-7000-8000-000000000000");
    fs::create_dir_all(&gone).expect("made");
    fs::write(gone.join("x.txt"), "x").expect("written");
    let own = place.data().join("artifacts/notes");
    fs::create_dir_all(&own).expect("made");
    fs::write(place.data().join("workflows/bad.signalbox.json"), "{").expect("written");
    let done = place.run(&["check-data", "--repair", "--json"]);
    let report = done.json();
    let states: Vec<(&str, &str)> = report["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|finding| Some((finding["area"].as_str()?, finding["state"].as_str()?)))
        // The folders that this test made.
        .filter(|(area, _)| *area != "permissions")
        .collect();
    assert_eq!((done.code, states), (1, vec![("library", "found"), ("files", "repaired")]), "{report}");
    assert!(!gone.exists() && own.exists(), "a folder of a person stays");
    assert_eq!((report["runs"].as_u64(), report["workflows"].as_u64()), (Some(1), Some(1)), "{report}");
    assert_eq!(place.run(&["check-data", "--compact", "--json"]).code, 1, "the file is still bad");
}

#[test]
fn runs_are_pruned_after_a_preview() {
    let place = TestHome::new();
    for _ in 0..3 {
        with_a_run(&place);
    }
    let left = || place.run(&["runs", "list", "--json"]).json().as_array().map_or(0, Vec::len);
    assert_eq!(place.run(&["runs", "prune", "--json"]).code, 2, "a rule is wanted");
    let preview = place.run(&["runs", "prune", "--keep", "1", "--json"]).json();
    assert_eq!((preview["runs"].as_array().map(Vec::len), &preview["deleted"]), (Some(2), &json!(false)), "{preview}");
    assert!(preview["bytes"].as_u64().is_some_and(|bytes| bytes > 100));
    assert_eq!(left(), 3);
    let done = place.run(&["runs", "prune", "--keep", "1", "--delete", "--json"]).json();
    assert_eq!((done["runs"] == preview["runs"], left()), (true, 1), "{done}");
    let entries = place.run(&["audit", "list", "--json"]).out;
    assert_eq!(entries.matches("RUN_DELETED").count(), 2);
    assert_eq!(place.run(&["audit", "verify", "--json"]).code, 0);
}
