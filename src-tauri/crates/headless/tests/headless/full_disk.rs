//! What the real program does on a disk without room: reading and verifying need none.

#[path = "../../../store/tests/store/small_disk.rs"]
pub(crate) mod small_disk;
use crate::sinks::{chain, held, run_once};
use crate::support;

use serde_json::{Value, json};
use small_disk::SmallDisk;
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};
use support::{Done, Serving, TestHome, workflow};

/// A data folder with a run in it that waits for a person, on a disk that is full.
struct Full {
    place: TestHome,
    disk: SmallDisk,
}

impl Full {
    fn new() -> Option<Self> {
        let full = Self { place: TestHome::new(), disk: SmallDisk::new("6m")? };
        let asks = json!({ "ask": { "type": "builtin.human_approval", "config": { "title": "Shall we?" } } });
        let file = full.place.file("w.signalbox.json", workflow(asks, json!([])).to_string());
        assert_eq!(full.run(&["run", &file.display().to_string(), "--json"]).code, 3);
        full.put_log_away();
        full.disk.fill();
        Some(full)
    }

    /// A process that ends may leave the log of writes, which later ones write over without new room: one of them puts it
    /// away, so that only the disk says what fits.
    fn put_log_away(&self) {
        let log = self.disk.path().join("signalbox.db-wal");
        for _ in (0..100).take_while(|_| log.exists()) {
            assert_eq!(self.run(&["audit", "status"]).code, 0);
        }
        assert!(!log.exists(), "the log of writes stays");
    }

    fn run(&self, args: &[&str]) -> Done {
        let data = self.disk.path().display().to_string();
        self.place.run(&[args, &["--data", &data]].concat())
    }
}

/// A copy of the audit chain on a disk that becomes full: it is late and says so, and is whole when there is room again.
#[test]
fn k_22_a_copy_on_a_full_disk_is_late_and_catches_up() {
    let Some(disk) = SmallDisk::new("256k") else { return };
    let place = TestHome::new();
    run_once(&place);
    let file = disk.path().join("audit.jsonl");
    let sink = |args: &[&str]| place.run(&[&["audit", "sinks"], args, &["--json"]].concat());
    assert_eq!(sink(&["add", "--file", &file.display().to_string()]).code, 0);
    let next = sink(&["list"]).json()[0]["next"].as_u64().expect("a number");
    disk.fill();
    // The last block of the file takes the beginning of what is written.
    (0..3).for_each(|_| run_once(&place));
    let late = sink(&["now"]);
    let told = &late.json()[0];
    assert_eq!((late.code, told["next"].as_u64()), (1, Some(next)), "{told}");
    assert!(told["waiting"].as_u64() > Some(6), "{told}");
    assert!(told["error"].as_str().is_some_and(|why| why.contains("disk is full")), "{told}");
    let listed = place.run(&["audit", "sinks", "list"]).out;
    assert!(listed.contains("disk is full") && listed.contains("wait"), "{listed}");
    assert_eq!(place.run(&["audit", "verify"]).code, 0, "the chain of record is whole");
    disk.free();
    assert_eq!(sink(&["now"]).code, 0);
    assert_eq!(held(&file), chain(&place));
    let told = place.run(&["audit", "verify", &file.display().to_string()]);
    assert!(told.code == 0 && told.out.starts_with("OK: "), "{}{}", told.out, told.err);
}

/// What is verified counts; that it could not be recorded stands beside it.
#[test]
fn the_chain_is_verified_and_read_on_a_full_disk() {
    let Some(full) = Full::new() else { return };
    let told = full.run(&["audit", "verify"]);
    assert_eq!(told.code, 0, "{}{}", told.out, told.err);
    assert!(told.out.starts_with("OK: "), "{}", told.out);
    assert!(told.out.contains("The verification could not be recorded: The disk is full."), "{}", told.out);
    let verdict = full.run(&["audit", "verify", "--json"]).json();
    assert_eq!((&verdict["state"], &verdict["notRecorded"]), (&json!("intact"), &json!("The disk is full.")));
    for (command, holds) in [
        (&["audit", "status"][..], "entries; last verification: unknown"),
        (&["audit", "list"], "HITL_CREATED"),
        (&["runs", "list"], "1 task waits for a person"),
        (&["tasks", "list"], "Shall we?"),
    ] {
        let told = full.run(command);
        assert_eq!(told.code, 0, "{command:?} {}{}", told.out, told.err);
        assert!(told.out.contains(holds), "{command:?} {}", told.out);
    }
    // Whoever would change something is told at once. What the ones before left behind when they ended made room.
    full.disk.fill();
    let refused = full.run(&["tasks", "complete", "any", "--action", "approve", "--json"]);
    assert_eq!((refused.code, refused.json()["error"]["code"].as_str()), (2, Some("DISK_FULL")), "{}", refused.out);
    full.disk.free();
    let verdict = full.run(&["audit", "verify", "--json"]).json();
    assert_eq!((&verdict["state"], verdict.get("notRecorded")), (&json!("intact"), None));
}

/// A host that stays tells the verdict to who asks, and keeps it for who looks later.
#[test]
fn a_server_verifies_on_a_full_disk() {
    let Some(full) = Full::new() else { return };
    full.disk.free();
    let data = full.disk.path().display().to_string();
    let serving = Serving::start(&full.place, &["--data", &data]);
    let ask = |command: &str| -> Value { serving.ask("POST", &format!("/rpc/{command}"), &json!({})).json() };
    assert_eq!(ask("audit_verify").get("notRecorded"), None);
    full.disk.fill();
    // What fits into pages that the log has already may still be written; until one does not.
    let told = (0..200).map(|_| ask("audit_verify")).find(|verdict| verdict["notRecorded"].is_string());
    let told = told.expect("the disk has an end");
    assert_eq!((&told["state"], &told["notRecorded"]), (&json!("intact"), &json!("The disk is full.")));
    let status = ask("audit_status");
    assert_eq!((&status["state"], &status["at"]), (&json!("intact"), &told["at"]));
    full.disk.free();
    assert_eq!(ask("audit_verify").get("notRecorded"), None);
    assert_eq!(ask("audit_status").get("notRecorded"), None);
}

/// A run that waits, whose process was killed; its id.
fn left_by_a_crash(full: &Full, data: &str) -> String {
    let waits = json!({ "w": { "type": "flow.wait", "config": { "ms": 3_600_000 } } });
    let file = full.place.file("waits.signalbox.json", workflow(waits, json!([])).to_string()).display().to_string();
    let mut child = full.place.spawn(&["run", &file, "--events", "--json", "--data", data]);
    let mut run = String::new();
    for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
        let event: Value = serde_json::from_str(&line.expect("text")).expect("json");
        run = event["runId"].as_str().expect("an id").to_owned();
        if event["type"] == "step_start" {
            break;
        }
    }
    child.kill().expect("kill -9");
    child.wait().expect("gone");
    run
}

/// A host that starts on a full disk cannot take up what a crash left: it says why of each run, and takes them up when it can.
#[test]
fn a_run_that_a_crash_left_says_that_the_disk_is_full_and_goes_on_when_there_is_room() {
    let Some(full) = Full::new() else { return };
    full.disk.free();
    let data = full.disk.path().display().to_string();
    // The token is written once.
    drop(Serving::start(&full.place, &["--data", &data]));
    let run = left_by_a_crash(&full, &data);
    // Its log of writes lies there, and has no room to grow.
    full.disk.fill();
    let serving = Serving::start(&full.place, &["--data", &data]);
    let look = || serving.ask("POST", "/rpc/run_get", &json!({ "runId": run })).json();
    let told = look();
    assert_eq!((&told["driven"], &told["trouble"]["code"]), (&json!(false), &json!("DISK_FULL")), "{told}");
    full.disk.free();
    let begun = Instant::now();
    loop {
        let told = look();
        if told["driven"] == true && told.get("trouble").is_none() {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "it is not taken up: {told}");
    }
}

/// What the disk keeps from going on is no success, and no slip of who asked: 1, and the reason.
#[test]
fn resume_on_a_full_disk_says_so_and_exits_with_1() {
    let Some(full) = Full::new() else { return };
    full.disk.free();
    let data = full.disk.path().display().to_string();
    let run = left_by_a_crash(&full, &data);
    full.put_log_away();
    full.disk.fill();
    for args in [&["resume"][..], &["resume", &run]] {
        let told = full.run(args);
        assert_eq!(told.code, 1, "{args:?} {}{}", told.out, told.err);
        assert!(told.err.contains("The disk is full"), "{args:?} {}{}", told.out, told.err);
        assert!(!told.out.contains("Nothing to resume"), "{}", told.out);
        let told = full.run(&[args, &["--json"]].concat());
        assert_eq!(told.code, 1, "{args:?} {}{}", told.out, told.err);
        assert!(format!("{}{}", told.out, told.err).contains("isk is full"), "{args:?} {}{}", told.out, told.err);
    }
    full.disk.free();
    let done = full.run(&["cancel", &run, "--json"]);
    assert_eq!((done.code, done.json()["status"].as_str()), (0, Some("cancelled")), "{}{}", done.out, done.err);
}

/// Whatever is exported where there is no room: one sentence, and nothing is left there.
#[test]
fn an_export_for_which_there_is_no_room_says_so_in_one_sentence() {
    let Some(disk) = SmallDisk::new("1m") else { return };
    let place = TestHome::new();
    let file = place.file("w.signalbox.json", workflow(json!({ "a": { "type": "flow.noop" } }), json!([])).to_string());
    assert_eq!(place.run(&["run", &file.display().to_string(), "--json"]).code, 0);
    disk.fill();
    for name in ["a.zip", "a.csv", "a.jsonl"] {
        let out = disk.path().join(name).display().to_string();
        let told = place.run(&["audit", "export", "--out", &out]);
        let expected = format!("error: {out} could not be written: the disk is full.");
        assert_eq!((told.code, told.err.lines().next()), (2, Some(expected.as_str())), "{}", told.err);
    }
    let sink = disk.path().join("copy.jsonl").display().to_string();
    let told = place.run(&["audit", "sink", "add", "--file", &sink]);
    assert!(told.out.contains("does not take entries: the disk is full."), "{}{}", told.out, told.err);
    let left: Vec<_> = std::fs::read_dir(disk.path()).expect("there").flatten().map(|one| one.file_name()).collect();
    assert_eq!(left.len(), 2, "the filler and the empty copy: {left:?}");
    let missing = place.run(&["audit", "export", "--out", "nowhere/x.zip"]);
    assert!(missing.err.contains("The folder nowhere does not exist."), "{}", missing.err);
}
