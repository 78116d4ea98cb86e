//! Exporting, starting and damaging programs.

use crate::support::{Place, Server, workflow};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../app/samples")
}

fn codes(error: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = error["error"]["details"]["diagnostics"].as_array().cloned().unwrap_or_default();
    found.iter().map(|one| (text(&one["code"]), text(&one["path"]))).collect()
}

/// TS-167: without human steps there is no inbox; the program runs with nothing but itself.
#[test]
fn ts_167_a_program_runs_without_environment_and_says_what_it_is() {
    let place = Place::new();
    let program = place.program_of(&samples().join("orders-to-a-report.signalbox.json"), &[]);
    let told = program.run(&["--describe", "--json"]).assert_code(0).json();
    let libraries = told["libraries"].as_array().expect("a list of materials");
    let serde = libraries.iter().find(|one| one["name"] == "serde").expect("serde");
    assert!(serde["version"].as_str().is_some_and(|version| version.starts_with("1.")), "{serde}");
    assert_eq!(serde["licence"], "MIT OR Apache-2.0");
    assert!(libraries.iter().all(|one| !one["licence"].as_str().unwrap_or_default().is_empty()), "each has a licence");
    let text = program.run(&["--describe"]).assert_code(0).out;
    assert!(
        text.contains(&format!("Libraries: {} ", libraries.len())) && text.contains(" MIT OR Apache-2.0"),
        "{text}"
    );
    let modules: Vec<&str> =
        told["modules"].as_array().expect("modules").iter().filter_map(|m| m["name"].as_str()).collect();
    assert_eq!(modules, ["core", "files"]);
    assert_eq!(told["workflows"][0]["sha256"].as_str().map(str::len), Some(64));
    assert!(!program.data.exists(), "describing writes nothing");

    let ended = program.run(&["run", "--json"]).assert_code(0).json();
    assert_eq!(ended["status"], "completed");
    let runs = program.run(&["runs", "--json"]).assert_code(0).json();
    assert_eq!(runs[0]["runId"], ended["runId"]);
    let verified = program.run(&["audit", "verify", "--json"]).assert_code(0).json();
    assert_eq!(verified["intact"], true);
    assert!(verified["entries"].as_u64() > Some(0));
    // Nothing was unpacked beside it.
    assert_eq!(fs::read_dir(program.file.parent().expect("a folder")).expect("a list").count(), 1);
}

/// TS-168: steps that ask people are refused in words, with all places, and nothing is written.
#[test]
fn ts_168_what_cannot_leave_is_refused_with_its_place() {
    let place = Place::new();
    let refused = place.export(&samples().join("vacation-request.signalbox.json"), &[]).assert_code(2).json();
    assert_eq!(refused["error"]["code"], "CANNOT_EXPORT");
    let found = codes(&refused);
    assert!(
        found.iter().all(|(code, path)| code == "EXPORT_KIND" && path.ends_with("/type")) && found.len() == 1,
        "{found:?}"
    );
    let text = refused.to_string();
    assert!(text.contains("asks a person, and this export has no way to ask"), "{text}");

    let secret = workflow(
        "leaky",
        json!({ "a": { "type": "http.request", "config": { "url": "https://api.example.org", "headers": { "X-Api-Key": "0123456789abcdef" } } } }),
        &[],
    );
    let refused = place.export(&place.write(&secret), &[]).assert_code(2).json();
    assert_eq!(codes(&refused), [("PLAIN_SECRET".to_owned(), "/nodes/a/config/headers/X-Api-Key".to_owned())]);

    let waits = workflow("waits", json!({ "a": { "type": "trigger.error" } }), &[]);
    let refused = place.export(&place.write(&waits), &[]).assert_code(2).json();
    assert_eq!(codes(&refused), [("EXPORT_KIND".to_owned(), "/nodes/a/type".to_owned())]);

    let missing =
        workflow("outer", json!({ "a": { "type": "flow.subworkflow", "config": { "workflow": "nowhere" } } }), &[]);
    let refused = place.export(&place.write(&missing), &[]).assert_code(2).json();
    assert_eq!(refused["error"]["code"], "INVALID_WORKFLOW");
    assert!(refused.to_string().contains("nowhere"), "{refused}");
    assert!(!place.path().join("dist").exists());
}

#[test]
fn options_that_this_version_lacks_and_a_full_folder_are_refused() {
    let place = Place::new();
    let file = samples().join("orders-to-a-report.signalbox.json");
    for (arguments, code) in [
        (["--human", "callback=ftp://example.org"], "BAD_REQUEST"),
        (["--human", "callback=https://example.org/?token=a1b2c3d4e5f6a7b8c9d0e1"], "PLAIN_CREDENTIAL"),
        (["--target", "elsewhere"], "BAD_REQUEST"),
        (["--target", "source"], "SOURCES_MISSING"),
    ] {
        let refused = place.export(&file, &arguments).assert_code(2).json();
        assert_eq!(refused["error"]["code"], code, "{refused}");
    }
    fs::create_dir(place.path().join("dist")).expect("made");
    fs::write(place.path().join("dist/mine"), "x").expect("written");
    let refused = place.export(&file, &[]).assert_code(2).json();
    assert_eq!(refused["error"]["code"], "FOLDER_NOT_EMPTY");
}

#[test]
fn a_cut_and_an_edited_program_are_refused_at_the_start() {
    let place = Place::new();
    let program = place.program_of(&samples().join("sort-the-mail.signalbox.json"), &[]);
    let whole = fs::read(&program.file).expect("read");
    let again = |bytes: &[u8]| {
        // In place: the file keeps its rights.
        fs::File::create(&program.file).and_then(|mut file| file.write_all(bytes)).expect("written");
        program.run(&["run", "--json"]).assert_code(2).json()
    };
    let at = whole.len() - 1_000;
    let mut edited = whole.clone();
    edited[at] ^= 1;
    let refused = again(&edited);
    assert_eq!(refused["error"]["code"], "BUNDLE_DAMAGED");
    assert!(
        refused["error"]["message"].as_str().expect("a message").ends_with("its hash does not match."),
        "{refused}"
    );
    let mut shifted = whole[..at].to_vec();
    shifted.extend(&whole[at + 1..]);
    assert_eq!(again(&shifted)["error"]["code"], "BUNDLE_DAMAGED");
    assert_eq!(again(&whole[..whole.len() - 1])["error"]["code"], "NO_WORKFLOW");
    assert!(!program.data.exists(), "a refused program writes nothing");
}

#[test]
fn a_missing_need_is_named_before_anything_starts() {
    let place = Place::new();
    let mut flow = workflow(
        "needy",
        json!({
            "ask": { "type": "http.request", "config": { "url": "{{params.base}}/x", "credential": "secret://erp" } },
            "keep": { "type": "file.write", "config": { "path": place.path().join("out/a.txt"), "content": "x" } },
        }),
        &[("ask", "keep")],
    );
    flow["params"] = json!({ "type": "object", "required": ["base"], "properties": { "base": { "type": "string" } } });
    let program = place.program(&flow, &[]);
    let (base, headers) = Server::answering("{}");
    let params = json!({ "base": base }).to_string();
    let code = |ended: crate::support::Ended| ended.assert_code(2).json()["error"]["code"].clone();
    assert_eq!(code(program.run(&["run", "--json"])), "MISSING_PARAM");
    let arguments = ["run", "--json", "--params", &params];
    let missing = program.run(&arguments).assert_code(2).json();
    assert_eq!(missing["error"]["code"], "MISSING_SECRET");
    assert!(missing["error"]["hint"].as_str().expect("a hint").contains("SIGNALBOX_SECRET_ERP"), "{missing}");
    let secret = json!({ "value": "hunter2hunter2", "kind": "header", "name": "X-Erp", "hosts": [base] }).to_string();
    let with_secret = |arguments: &[&str]| {
        let mut command = program.command(arguments);
        crate::support::Ended::from(command.env("SIGNALBOX_SECRET_ERP", &secret).output().expect("it starts"))
    };
    let missing = with_secret(&arguments);
    assert_eq!(code(missing), "MISSING_FOLDER");
    let out = place.path().join("out");
    fs::create_dir(&out).expect("made");
    let allow = format!("{}:rw", out.display());
    let ended = with_secret(&["run", "--events", "--json", "--params", &params, "--allow-dir", &allow]).assert_code(0);
    assert_eq!(ended.json()["status"], "completed");
    assert_eq!(headers.lock().expect("no panic")[0].get("x-erp").map(String::as_str), Some("hunter2hunter2"));
    assert!(!ended.out.contains("hunter2hunter2"), "{}", ended.out);
    assert_eq!(fs::read_to_string(out.join("a.txt")).expect("written"), "x");
}

/// K-22: the copy as JSON lines has every entry once, and the verifier of Signalbox accepts it.
#[test]
fn the_audit_chain_is_also_a_file_of_lines() {
    let place = Place::new();
    let program = place.program_of(&samples().join("sort-the-mail.signalbox.json"), &["--audit", "jsonl"]);
    for _ in 0..2 {
        program.run(&["run", "--json"]).assert_code(0);
    }
    let lines = fs::read_to_string(program.data.join("audit.jsonl")).expect("a file");
    let entries = program.run(&["audit", "verify", "--json"]).assert_code(0).json()["entries"].as_u64();
    assert_eq!(entries, Some(lines.lines().count() as u64));
    let verified = crate::support::signalbox()
        .args(["audit", "verify", "--json", "--data"])
        .arg(place.path().join("app"))
        .arg(program.data.join("audit.jsonl"))
        .output()
        .expect("signalbox starts");
    assert!(verified.status.success(), "{verified:?}");
}
