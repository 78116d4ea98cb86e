//! Power loss (TRUST, fault 27): the real program ends or dies, and of what it did not sync nothing is left, or some of it,
//! torn and in any order, names of files among it. What it told before holds.

use crate::dying;
use crate::power_disk;
use crate::support;

use dying::{ABORTED, Case, copy, every_point, file, finished, last_run, points, store};
use power_disk::{Loss, Power, Watch};
use serde_json::{Value, json};
use signalbox_model::event::EventBody;
use signalbox_model::{RunEvent, RunStatus};
use signalbox_store::audit::verify::{Kind, Verdict};
use signalbox_store::failpoint::Point;
use signalbox_store::{AuditQuery, RunRow, StoreAlarm};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Loopback, Serving, TestHome, eventually, workflow};

/// Nothing of it is left, or some by a number: one of the two for each place. `SIGNALBOX_POWER_LOSSES` says how many more by
/// numbers, to look by hand.
fn losses(what: &str) -> impl Iterator<Item = Loss> {
    let more = std::env::var("SIGNALBOX_POWER_LOSSES").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let from = what.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let usual = if from % 3 == 0 { Loss::All } else { Loss::Some(from) };
    std::iter::once(usual).chain((1..=more).map(move |n| Loss::Some(from.wrapping_add(n))))
}

/// The store opens; the chain verifies, or its end is missing and that is said.
fn look(place: &TestHome, what: &str) -> Option<(RunRow, Vec<RunEvent>)> {
    let store = store(place);
    let behind = |alarm: &StoreAlarm| matches!(alarm, StoreAlarm::Behind { .. } | StoreAlarm::AuditBehind { .. });
    assert!(store.alarms().iter().all(behind), "{what}: {:?}", store.alarms());
    let verdict = store.audit_verify(store.audit_key().into_iter().collect(), Vec::new(), None).expect("reads");
    match verdict {
        Verdict::Intact(_) => {}
        Verdict::Broken(broken) => {
            assert_eq!(broken.kind, Kind::Truncated, "{what}: {broken}");
            assert!(!store.audit_cuts().expect("readable").is_empty(), "{what}: {broken}");
        }
    }
    last_run(&store, what)
}

/// Runs the program with a point armed.
fn killed(watch: &Watch<'_>, place: &TestHome, args: &[&str], point: Point, nth: usize) -> (bool, Output) {
    let mut command = place.command(args);
    command.env("SIGNALBOX_FAILPOINT", format!("{}:{nth}", point.name())).env("SIGNALBOX_KEY_STORE", "off");
    let output = watch.over(&mut command).stdin(Stdio::null()).output().expect("it starts");
    let died = output.status.signal().is_some();
    assert!(!died || output.status.signal() == ABORTED, "{output:?}");
    (died, output)
}

/// The program dies at every point, and with it what was not synced. The store is whole, its chain verifies; a write that was
/// sent stands in it, and one that was told as done is not sent again. Reads and what follows from them may be gone: they
/// are done again.
#[test]
fn fault_27_what_was_not_synced_is_gone_and_no_write_is_lost_or_repeated() {
    let (server, power) = (Loopback::start(), Power::new());
    let on_its_way = AtomicUsize::new(0);
    let died = every_point(4, |point, nth| {
        let case = Case::new(&server, format!("power-{}-{nth}", point.name()));
        let file = file(&case.place, &server, &case.name);
        let watch = power.watch(case.place.dir.path());
        let (died, told) = killed(&watch, &case.place, &["run", &file, "--events", "--json"], point, nth);
        assert!(died || told.status.code() == Some(3), "{}: {told:?}", case.name);
        let disk = watch.end();
        on_its_way.fetch_add(disk.on_its_way(), Ordering::Relaxed);
        for loss in std::iter::once(Loss::All).chain(losses(&case.name)) {
            disk.leave(loss);
            run_goes_on(&case, &format!("{} {loss:?}", case.name), &told.stdout);
        }
        died
    });
    assert!(died.contains(&Point::Called) && died.contains(&Point::Committed));
    assert!(on_its_way.into_inner() > 0, "nothing was taken back: the test proves nothing");
}

fn run_goes_on(case: &Case<'_>, what: &str, told: &[u8]) {
    let sent = case.hits("p");
    let written = String::from_utf8_lossy(told).lines().any(|line| {
        let event: Value = serde_json::from_str(line).unwrap_or_default();
        event["type"] == "step_done" && event["stepId"] == "p"
    });
    let Some((_, before)) = look(&case.place, what) else {
        assert_eq!((sent, written), (0, false), "{what}: the run is gone, its write is not");
        return;
    };
    let begun =
        |event: &&RunEvent| matches!(event.body, EventBody::StepStart(_)) && event.step_id.as_deref() == Some("p");
    assert!(sent == 0 || before.iter().any(|event| begun(&event)), "{what}: sent, not recorded");
    let done = finished(&before).contains("p");
    assert!(done || !written, "{what}: a write was told as done and is not there");
    let on = case.place.run(&["resume", "--json"]);
    assert!(matches!(on.code, 0 | 3), "{what}: {}{}", on.out, on.err);
    let (row, events) = look(&case.place, what).expect("the run is there");
    assert_eq!((row.status, &events[..before.len()]), (RunStatus::Paused, &before[..]), "{what}");
    let again = case.hits("p") - sent;
    assert!(again == usize::from(!done), "{what}: sent {again} times more, done before: {done}");
}

/// What each commit passes, and each checkpoint.
const COMMIT: [Point; 7] =
    [Point::Begin, Point::Begun, Point::Written, Point::Committed, Point::Told, Point::Sealing, Point::Sealed];

/// Waits at its question.
fn asked(server: &Loopback, name: &str) -> (TestHome, String) {
    let place = TestHome::new();
    let path = file(&place, server, name);
    let begun = place.run(&["run", &path, "--json"]);
    assert_eq!(begun.code, 3, "{}{}", begun.out, begun.err);
    let task = begun.json()["openTasks"][0].as_str().expect("a task").to_owned();
    (place, task)
}

/// Once in the run, once in the chain; the run has come to its end.
fn answered_once(place: &TestHome, what: &str) {
    let (row, events) = look(place, what).expect("the run is there");
    assert_eq!(row.status, RunStatus::Completed, "{what}");
    let answers = events.iter().filter(|event| matches!(event.body, EventBody::HumanTaskCompleted(_))).count();
    let query = AuditQuery { event: Some("HITL_COMPLETED".into()), ..AuditQuery::default() };
    assert_eq!((answers, store(place).audit_page(&query).expect("readable").total), (1, 1), "{what}");
}

/// Does this to copies of a data folder, ends it at each point of a commit, and looks at what each loss of power leaves.
fn at_each_point(first: &TestHome, name: &str, args: &[&str], left: impl Fn(&TestHome, &Output, &str) + Sync) {
    let power = Power::new();
    let died = points(
        &COMMIT,
        |_| 1,
        |point, nth| {
            let place = TestHome::new();
            copy(&first.data(), &place.data());
            let what = format!("{name} {} {nth}", point.name());
            let watch = power.watch(place.dir.path());
            let (died, told) = killed(&watch, &place, args, point, nth);
            assert!(died || told.status.code() == Some(0), "{what}: {told:?}");
            // Who comes through is the same at each point.
            if !died && point != Point::Begin {
                return false;
            }
            let disk = watch.end();
            for loss in losses(&what) {
                disk.leave(loss);
                let what = format!("{what} {loss:?}");
                look(&place, &what).expect("the run is there");
                left(&place, &told, &what);
            }
            died
        },
    );
    assert_eq!(died, COMMIT.into(), "a point is not met");
}

/// An answer at the terminal: one that was told as taken is there, one that was not can be given, once.
#[test]
fn fault_27_an_answer_that_was_told_is_there_and_one_that_was_not_can_be_given_once() {
    let server = Loopback::start();
    let (first, task) = asked(&server, "power-answer");
    let answer = ["tasks", "complete", &task, "--action", "approve", "--as", "user:anna", "--json"];
    at_each_point(&first, "answer", &answer, |place, told, what| {
        let again = place.run(&answer);
        assert!(matches!(again.code, 0 | 5), "{what}: {}{}", again.out, again.err);
        assert!(told.stdout.is_empty() || again.code == 5, "{what}: it was told and is not there");
        assert_eq!(place.run(&["resume", "--json"]).code, 0, "{what}");
        answered_once(place, what);
    });
}

/// An answer to the server, which is ended at once when it has told, while it drives the run on.
#[test]
fn fault_27_an_answer_that_the_server_told_is_there() {
    let (server, power) = (Loopback::start(), Power::new());
    let (place, task) = asked(&server, "power-rest");
    let watch = power.watch(place.dir.path());
    let mut command = place.command(&["serve", "--addr", "127.0.0.1:0"]);
    command.env("SIGNALBOX_KEY_STORE", "off").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let serving = Serving::of(watch.over(&mut command).spawn().expect("it starts"));
    let body = json!({ "action": "approve" });
    let told = serving.ask("POST", &format!("/human-tasks/{task}/complete"), &body);
    assert_eq!(told.status, 200, "{}", told.body);
    let token = (serving.token.clone(), serving.token_file.clone());
    drop(serving);
    let disk = watch.end();
    for loss in [Loss::All, Loss::Some(1), Loss::Some(2)].into_iter().chain(losses("power-rest")) {
        disk.leave(loss);
        let what = format!("power-rest {loss:?}");
        assert_eq!(std::fs::read_to_string(&token.1).ok().as_deref().map(str::trim), Some(&*token.0), "{what}");
        let again = place.run(&["tasks", "complete", &task, "--action", "approve", "--as", "user:anna", "--json"]);
        assert_eq!(again.code, 5, "{what}: it was told and is not there\n{}{}", again.out, again.err);
        assert_eq!(place.run(&["resume", "--json"]).code, 0, "{what}");
        answered_once(&place, &what);
    }
}

/// Entries that a checkpoint outside stands for are in the store, and what was told as anchored is outside.
#[test]
fn fault_27_a_checkpoint_that_was_told_is_outside_and_its_entries_are_in_the_store() {
    let server = Loopback::start();
    let (first, _) = asked(&server, "power-anchor");
    let outside = "anchors.jsonl";
    let anchor = ["audit", "anchor", "add", "--file", outside, "--json"];
    at_each_point(&first, "anchor", &anchor, |place, told, what| {
        let lines = std::fs::read(place.dir.path().join(outside)).unwrap_or_default();
        let is_whole = |line: &[u8]| line.ends_with(b"}\n") && line.starts_with(b"{") && !line.contains(&0);
        let kept = lines.split_inclusive(|byte| *byte == b'\n').any(is_whole);
        assert!(kept || told.stdout.is_empty(), "{what}: it was told and is not outside");
        if kept {
            let verified = place.run(&["audit", "verify", "--anchor", outside, "--json"]);
            let verdict = verified.json();
            assert!(verified.code == 0 && verdict["anchoredUpTo"].as_u64() > Some(0), "{what}: {verdict}");
        }
        // It goes on from there, whatever was left of a line.
        let again = place.run(&anchor);
        assert!(again.code == 0 || again.out.contains("ANCHOR_EXISTS"), "{what}: {}{}", again.out, again.err);
        let on = place.run(&["audit", "anchor", "now", "--json"]);
        assert_eq!(on.code, 0, "{what}: {}{}", on.out, on.err);
        let verified = place.run(&["audit", "verify", "--anchor", outside, "--json"]);
        assert_eq!(verified.code, 0, "{what}: {}{}", verified.out, verified.err);
    });
}

/// Entries are copied to files outside as they come, also those that nobody waited to have on the disk: what is outside is
/// in the store all the same.
#[test]
fn fault_27_a_copy_outside_holds_only_what_is_on_the_disk_here() {
    let (power, place) = (Power::new(), TestHome::new());
    let copy = "copy.jsonl";
    assert_eq!(place.run(&["audit", "sink", "add", "--file", copy, "--json"]).code, 0);
    let watch = power.watch(place.dir.path());
    let mut command = place.command(&["serve", "--addr", "127.0.0.1:0"]);
    command.env("SIGNALBOX_KEY_STORE", "off").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let serving = Serving::of(watch.over(&mut command).spawn().expect("it starts"));
    let flow = workflow(json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } } } }), json!([]));
    assert_eq!(serving.ask("PUT", "/workflows/test", &flow).status, 200);
    let told = serving.ask("POST", "/workflow/run", &json!({ "workflow": "test" }));
    assert!(matches!(told.status, 200..=202), "{}", told.body);
    let path = place.dir.path().join(copy);
    eventually("the copy of the last entry", || {
        std::fs::read_to_string(&path).is_ok_and(|text| text.contains("WORKFLOW_COMPLETED"))
    });
    drop(serving);
    let disk = watch.end();
    assert!(disk.on_its_way() > 0, "nothing is taken back: the test proves nothing");
    for loss in [Loss::All, Loss::Some(1), Loss::Some(2)].into_iter().chain(losses("copy")) {
        disk.leave(loss);
        let outside = std::fs::read_to_string(&path).unwrap_or_default();
        let entries = outside.lines().filter(|line| line.starts_with("{\"entry\":")).count() as u64;
        let size = store(&place).audit_state().expect("readable").head.size;
        assert!(entries > 0 && size >= entries, "{loss:?}: {entries} entries are outside, {size} are here");
        let now = place.run(&["audit", "sink", "now", "--json"]);
        assert_eq!(now.code, 0, "{loss:?}: {}{}", now.out, now.err);
        assert_eq!(place.run(&["audit", "verify", copy, "--json"]).code, 0, "{loss:?}");
    }
}

/// Files that were told of, all but those that are about this process or say less when they are lost.
fn told_files(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let of_the_moment = name.starts_with("signalbox.") || name == "instances" || name.ends_with("lock");
        match path.is_dir() {
            _ if of_the_moment => {}
            true => told_files(&path, found),
            false => drop(found.insert(path.clone(), std::fs::read(&path).expect("readable"))),
        }
    }
}

/// Names are lost with the folders that were not synced: every file that the program made and told of is there, the data
/// folder itself among them, with what was in it.
#[test]
fn fault_27_files_that_were_told_are_there_with_their_names() {
    let (server, power, place) = (Loopback::start(), Power::new(), TestHome::new());
    let flow = workflow(
        json!({
            "a": { "type": "http.request", "config": { "url": format!("{}/names/a", server.base) },
                   "out": { "/deep/a.txt": "=_result.response.name" } },
        }),
        json!([]),
    );
    let path = place.file("w.signalbox.json", flow.to_string()).display().to_string();
    let watch = power.watch(place.dir.path());
    let told = |args: &[&str], input: &str| {
        let mut command = place.command(args);
        command.env("SIGNALBOX_KEY_STORE", "off").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = watch.over(&mut command).spawn().expect("it starts");
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("sent");
        let done = child.wait_with_output().expect("it ends");
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stdout));
    };
    told(&["secret", "choose", "file"], "");
    told(&["secret", "set", "erp", "--host", "erp.example"], "a-secret-of-the-erp\n");
    told(&["run", &path], "");
    let mut serve = place.command(&["serve", "--addr", "127.0.0.1:0"]);
    serve.env("SIGNALBOX_KEY_STORE", "off").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let serving = Serving::of(watch.over(&mut serve).spawn().expect("it starts"));
    assert_eq!(serving.ask("PUT", "/workflows/test", &flow).status, 200);
    drop(serving);
    for name in ["all.zip", "all.csv", "all.jsonl"] {
        told(&["audit", "export", "--out", name], "");
    }
    told(&["audit", "anchor", "add", "--file", "anchors.jsonl"], "");
    told(&["audit", "sink", "add", "--file", "copy.jsonl"], "");

    let mut files = BTreeMap::new();
    told_files(place.dir.path(), &mut files);
    let names: BTreeSet<_> = files.keys().filter_map(|path| path.file_name()?.to_str()).collect();
    for name in ["audit.key", "serve.token", "vault.age", "vault.json", "a.txt", "test.signalbox.json", "copy.jsonl"] {
        assert!(names.contains(name), "{name} is none of {names:?}");
    }
    let disk = watch.end();
    for loss in [Loss::All, Loss::Some(1), Loss::Some(2)].into_iter().chain(losses("names")) {
        disk.leave(loss);
        let mut left = BTreeMap::new();
        told_files(place.dir.path(), &mut left);
        for (path, bytes) in &files {
            assert!(left.get(path) == Some(bytes), "{loss:?}: {} is not as it was told", path.display());
        }
        for (args, by) in
            [(&["audit", "verify", "--json"][..], "signed"), (&["audit", "verify", "all.zip", "--json"], "pinned")]
        {
            let verified = place.run(args);
            let verdict = verified.json();
            assert_eq!((verified.code, &verdict[by]), (0, &json!(true)), "{loss:?}: {verdict}");
        }
        assert_eq!(place.run(&["audit", "verify", "copy.jsonl", "--json"]).code, 0, "{loss:?}");
    }
}

/// Below folders that are granted names are made by calls that nobody can stand in front of: the syncs are seen.
#[test]
fn fault_27_a_file_that_a_step_wrote_is_synced_with_its_name() {
    let (power, place, granted) = (Power::new(), TestHome::new(), tempfile::tempdir().expect("a folder"));
    for (mode, name) in [("overwrite", "new/deep/a.txt"), ("failIfExists", "other/b.txt"), ("append", "third/c.txt")] {
        let path = granted.path().join(name);
        let config = json!({ "path": path, "content": "done", "mode": mode });
        let flow = workflow(json!({ "w": { "type": "file.write", "config": config } }), json!([]));
        let file = place.file("w.signalbox.json", flow.to_string()).display().to_string();
        let watch = power.watch(granted.path());
        let mut command = place.command(&["run", &file, "--allow-dir", &format!("{}:rw", granted.path().display())]);
        let done = watch.over(&mut command).stdin(Stdio::null()).output().expect("it starts");
        assert!(done.status.success(), "{mode}: {done:?}");
        let (disk, root) = (watch.end(), granted.path().canonicalize().expect("a folder"));
        assert_eq!(std::fs::read_to_string(path).ok().as_deref(), Some("done"), "{mode}");
        let file = root.join(name);
        for folder in file.ancestors().skip(1).take_while(|folder| folder.starts_with(&root)) {
            assert!(disk.has_synced(folder), "{mode}: {} can be lost with its name", folder.display());
        }
    }
}
