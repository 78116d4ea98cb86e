//! Copies of the audit chain outside, with the real program (K-22, TS-050).

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use support::{TestHome, eventually, workflow};

pub(crate) fn run_once(place: &TestHome) {
    let document = workflow(json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } } } }), json!([]));
    let file = place.file("flow.signalbox.json", document.to_string());
    assert_eq!(place.run(&["run", &file.display().to_string(), "--json"]).code, 0);
}

/// Numbers and hashes of a file, each line one entry.
pub(crate) fn held(file: &Path) -> Vec<(u64, String)> {
    let text = std::fs::read_to_string(file).expect("the file");
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        (line["entry"]["seq"].as_u64().expect("a number"), line["hash"].as_str().expect("a hash").to_owned())
    };
    text.lines().map(line).collect()
}

/// What the store has.
pub(crate) fn chain(place: &TestHome) -> Vec<(u64, String)> {
    let store = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
    let mut rows = store.prepare("SELECT seq, hash FROM audit_entry ORDER BY seq").expect("reads");
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("reads");
    rows.collect::<Result<_, _>>().expect("rows")
}

fn add(place: &TestHome, file: &Path) -> (i32, Value) {
    let done = place.run(&["audit", "sink", "add", "--file", &file.display().to_string(), "--json"]);
    (done.code, done.json())
}

fn events(place: &TestHome, event: &str) -> usize {
    let list = place.run(&["audit", "list", "--query", &format!("event:{event}"), "--json"]).json();
    list.as_array().map_or(0, Vec::len)
}

/// The same entries with the same hashes in the file as in the store, each once, whatever happens to the file.
#[test]
fn ts_050_k_22_a_file_outside_has_every_entry_once_and_in_order() {
    let place = TestHome::new();
    run_once(&place);
    let file = place.dir.path().join("audit.jsonl");
    let (code, list) = add(&place, &file);
    assert_eq!((code, list[0]["waiting"].as_u64(), list[0]["error"].is_null()), (0, Some(0), true), "{list}");
    assert_eq!(held(&file), chain(&place));
    assert_eq!(events(&place, "AUDIT_SINK_CHANGED"), 1);
    assert_eq!(add(&place, &file).0, 2, "it is there already");

    run_once(&place);
    assert_eq!(place.run(&["audit", "sink", "now"]).code, 0);
    assert_eq!((held(&file), events(&place, "AUDIT_SINK_CHANGED")), (chain(&place), 1), "a copy leaves no entry");

    // The program verifies the copy, and finds a word that was changed in it.
    let verify = |file: &Path| place.run(&["audit", "verify", &file.display().to_string()]);
    let told = verify(&file);
    assert!(
        told.code == 0 && told.out.starts_with("OK: ") && told.out.contains("this data folder knows"),
        "{}",
        told.out
    );
    let text = std::fs::read_to_string(&file).expect("the copy");
    let changed = place.file("changed.jsonl", text.replacen("NODE_START", "NODE_STARS", 1));
    let told = verify(&changed);
    assert!(told.code == 1 && told.out.contains("MODIFIED"), "{} {}", told.code, told.out);
    let cut = place.file("cut.jsonl", &text.as_bytes()[..text.len() - 9]);
    let told = verify(&cut);
    assert!(told.code == 2 && told.err.contains("is no entry of an audit chain"), "{}{}", told.out, told.err);
    let elsewhere = TestHome::new().run(&["audit", "verify", &file.display().to_string(), "--json"]).json();
    assert_eq!((&elsewhere["intact"], &elsewhere["signaturesChecked"]), (&json!(true), &json!(false)), "{elsewhere}");

    // A crash cut a line off; the next copy replaces it.
    let text = std::fs::read_to_string(&file).expect("text");
    std::fs::write(&file, &text[..text.len() - 40]).expect("cut");
    assert_eq!(place.run(&["audit", "sink", "now"]).code, 0);
    run_once(&place);
    assert_eq!(place.run(&["audit", "sink", "now"]).code, 0);
    assert_eq!(held(&file), chain(&place));

    let listed = || place.run(&["audit", "sink", "list"]).out;
    assert!(!listed().contains("Starts at entry"), "{}", listed());
    // Somebody rotates it: the rest goes on in a new file, nothing is there twice.
    let old = place.dir.path().join("audit.1.jsonl");
    std::fs::rename(&file, &old).expect("rotated");
    run_once(&place);
    assert_eq!(place.run(&["audit", "sink", "now"]).code, 0);
    let both: Vec<_> = held(&old).into_iter().chain(held(&file)).collect();
    assert_eq!(both, chain(&place));
    // Of a file that begins in the middle that is told, in the list and by who is asked to verify it.
    let first = held(&old).len();
    assert!(listed().contains(&format!("Starts at entry {first}: earlier ones are not in this file.")), "{}", listed());
    assert!(listed().contains(&format!("  {} entries, last at", held(&file).len())), "{}", listed());
    let told = verify(&file);
    assert!(told.code == 2 && told.err.contains(&format!("begins at entry {first}")), "{}{}", told.out, told.err);
    assert!(told.err.contains("stand in the old file"), "{}", told.err);

    let id = place.run(&["audit", "sink", "list", "--json"]).json()[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(place.run(&["audit", "sink", "remove", &id]).code, 0);
    assert_eq!(place.run(&["audit", "sink", "remove", &id]).code, 2);
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

/// Killed at each step of a copy, also between the file and the position: the next copy continues, nothing is missing or there twice.
#[cfg(all(unix, debug_assertions))]
#[test]
fn k_22_a_process_killed_while_it_copies_to_a_file_loses_and_doubles_nothing() {
    use std::os::unix::process::ExitStatusExt;
    let place = TestHome::new();
    let file = place.dir.path().join("audit.jsonl");
    assert_eq!(add(&place, &file).0, 0);
    let (mut kills, mut copied) = (0, 0);
    for point in ["begun", "committed"] {
        for nth in 1.. {
            run_once(&place);
            let (before, all) = (held(&file).len(), chain(&place));
            let mut now = place.command(&["audit", "sink", "now"]);
            now.env("SIGNALBOX_FAILPOINT", format!("{point}:{nth}")).env("SIGNALBOX_KEY_STORE", "off");
            if now.output().expect("it starts").status.signal().is_none() {
                break;
            }
            kills += 1;
            copied += usize::from(held(&file).len() > before);
            assert!(all.starts_with(&held(&file)), "{point}:{nth}");
        }
        assert_eq!(place.run(&["audit", "sink", "now"]).code, 0);
        assert_eq!(held(&file), chain(&place), "{point}");
        let told = place.run(&["audit", "verify", &file.display().to_string()]);
        assert!(told.code == 0 && told.out.starts_with("OK: "), "{}{}", told.out, told.err);
    }
    assert!(kills >= 2 && copied >= 1, "{kills} kills, {copied} after the entries were in the file");
}

/// A file of something else, of another installation, or that cannot be written: told, nothing is touched or lost.
#[test]
fn a_file_that_cannot_take_entries_is_told_and_catches_up() {
    let (place, other) = (TestHome::new(), TestHome::new());
    run_once(&place);
    run_once(&other);
    let notes = place.file("notes.txt", "milk\n");
    let (code, said) = add(&place, &notes);
    assert_eq!((code, said["error"]["code"].as_str()), (2, Some("SINK_FAILED")), "{said}");
    assert_eq!(std::fs::read_to_string(&notes).expect("notes"), "milk\n");

    // Nor one of bytes: those of ours that a power loss leaves unwritten stand behind entries.
    let theirs = place.dir.path().join("theirs.db");
    for bytes in [&b"SQLite format 3\0\x10\0\x01"[..], b"n\0o\0\n\0", b"\0\0\0\0", b"{\"entry\":\0\0"] {
        std::fs::write(&theirs, bytes).expect("written");
        let (code, said) = add(&place, &theirs);
        assert_eq!((code, said["error"]["code"].as_str()), (2, Some("SINK_FAILED")), "{said}");
        assert_eq!(std::fs::read(&theirs).expect("bytes"), bytes);
    }

    let theirs = place.dir.path().join("theirs.jsonl");
    assert_eq!(add(&other, &theirs).0, 0);
    let before = std::fs::read(&theirs).expect("lines");
    let (code, said) = add(&place, &theirs);
    assert_eq!(code, 2, "{said}");
    assert!(said["error"]["message"].as_str().is_some_and(|text| text.contains("not of this chain")), "{said}");
    assert_eq!(std::fs::read(&theirs).expect("lines"), before);

    // Its folder goes away, and comes back.
    let folder = place.dir.path().join("mount");
    std::fs::create_dir(&folder).expect("a folder");
    let file = folder.join("audit.jsonl");
    assert_eq!(add(&place, &file).0, 0);
    let aside = place.dir.path().join("aside");
    std::fs::rename(&folder, &aside).expect("unmounted");
    run_once(&place);
    let failed = place.run(&["audit", "sink", "now", "--json"]);
    assert!(failed.json()[0]["error"].is_string(), "{}", failed.out);
    assert_eq!((failed.code, place.run(&["audit", "sink", "now"]).code), (1, 1));
    assert_eq!(events(&place, "AUDIT_SINK_FAILED"), 1, "once until it works");
    std::fs::rename(&aside, &folder).expect("mounted");
    assert_eq!(place.run(&["audit", "sink", "now"]).code, 0);
    assert_eq!(held(&file), chain(&place));
}

/// What was told as copied is never written again over what was done to it: that is all there is to see of it.
#[test]
fn k_22_an_entry_that_was_copied_and_damaged_stays_as_it_is() {
    let place = TestHome::new();
    run_once(&place);
    let file = place.dir.path().join("audit.jsonl");
    assert_eq!(add(&place, &file).0, 0);
    let before = std::fs::read(&file).expect("lines");
    let second = before.iter().position(|byte| *byte == b'\n').expect("a line") + 20;
    for at in [20, second] {
        let mut damaged = before.clone();
        damaged[at] = 0;
        std::fs::write(&file, &damaged).expect("written");
        run_once(&place);
        let now = place.run(&["audit", "sink", "now", "--json"]);
        let told = now.json()[0]["error"].as_str().map(str::to_owned);
        assert!(now.code == 1 && told.is_some_and(|told| told.contains("damaged")), "{at}: {}", now.out);
        assert_eq!(std::fs::read(&file).expect("lines"), damaged, "{at}");
    }
    std::fs::write(&file, &before).expect("mended");
    assert_eq!(place.run(&["audit", "sink", "now"]).code, 0);
    assert_eq!(held(&file), chain(&place));
}

/// `serve` copies by itself, to files and to its standard output.
#[test]
fn k_22_a_server_copies_by_itself_and_to_its_standard_output() {
    let place = TestHome::new();
    run_once(&place);
    let file = place.dir.path().join("audit.jsonl");
    assert_eq!(add(&place, &file).0, 0);
    let mut server = place.spawn(&["serve", "--addr", "127.0.0.1:0", "--audit-stdout"]);
    let mut said = BufReader::new(server.stdout.take().expect("piped")).lines();
    let mut next = || serde_json::from_str::<Value>(&said.next().expect("a line").expect("text")).expect("JSON");
    assert!(next()["url"].is_string());
    run_once(&place);
    let wanted = chain(&place).len();
    let lines: Vec<_> = (0..wanted)
        .map(|_| next())
        .map(|line| {
            (line["entry"]["seq"].as_u64().expect("a number"), line["hash"].as_str().expect("a hash").to_owned())
        })
        .collect();
    eventually("the copy", || held(&file).len() >= wanted);
    server.kill().ok();
    server.wait().ok();
    assert_eq!(lines, chain(&place)[..wanted]);
    assert_eq!(held(&file)[..wanted], chain(&place)[..wanted]);
}

/// It is recorded before anything leaves, so what became of it has a record of its own (ADR 73).
#[test]
fn an_export_that_failed_is_recorded_as_that() {
    let place = TestHome::new();
    run_once(&place);
    // A folder in the place of the file: nothing takes its place.
    let taken = place.dir.path().join("chain.zip");
    std::fs::create_dir_all(taken.join("full")).expect("a folder");
    let done = place.run(&["audit", "export", "--out", &taken.display().to_string()]);
    assert!(done.code != 0, "{}{}", done.out, done.err);
    let listed = |event: &str| place.run(&["audit", "list", "--query", &format!("event:{event}"), "--json"]).json();
    let (begun, failed) = (listed("AUDIT_EXPORTED"), listed("AUDIT_EXPORT_FAILED"));
    assert_eq!(
        (begun.as_array().map(Vec::len), failed.as_array().map(Vec::len)),
        (Some(1), Some(1)),
        "{begun} {failed}"
    );
    assert_eq!(failed[0]["metadata"]["of"], begun[0]["seq"], "{failed}");
    assert!(failed[0]["metadata"]["code"].is_string(), "{failed}");

    // Lines of an export with a profile are no damaged ones: they show entries in part.
    let part = place.dir.path().join("part.jsonl").display().to_string();
    assert_eq!(place.run(&["audit", "export", "--profile", "masked", "--hide", "/nodeId", "--out", &part]).code, 0);
    let told = place.run(&["audit", "verify", &part]);
    assert!(
        told.code == 2 && told.err.contains("shows an entry in part: this is an export with a profile"),
        "{}{}",
        told.out,
        told.err
    );

    // A folder is named as one where a pack is asked for, and what was cut off is damaged.
    let told = place.run(&["audit", "verify", &taken.display().to_string()]);
    assert!(told.code == 2 && told.err.contains("chain.zip is a folder."), "{}{}", told.out, told.err);
    let whole = place.dir.path().join("whole.zip");
    assert_eq!(place.run(&["audit", "export", "--out", &whole.display().to_string()]).code, 0);
    let bytes = std::fs::read(&whole).expect("a pack");
    for part in [&bytes[..0], &bytes[..bytes.len() / 2]] {
        let cut = place.file("cut.zip", part);
        let told = place.run(&["audit", "verify", &cut.display().to_string()]);
        assert!(told.code == 2 && told.err.contains("cut.zip is damaged ("), "{}{}", told.out, told.err);
    }
}
