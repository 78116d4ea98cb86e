//! Power loss (TRUST, fault 27): the real program ends or dies, and of what it did not sync nothing is left, or some of it,
//! torn and in any order, names of files among it. What it told before holds.
#![cfg(all(target_os = "linux", debug_assertions))]

#[path = "support/dying.rs"]
mod dying;
#[path = "support/power.rs"]
mod power;
mod support;

use dying::{ABORTED, Case, copy, every_point, file, finished, last_run, store};
use power::{Loss, Power};
use serde_json::{Value, json};
use signalbox_model::event::EventBody;
use signalbox_model::{RunEvent, RunStatus};
use signalbox_store::audit::verify::{Kind, Verdict};
use signalbox_store::failpoint::Point;
use signalbox_store::{AuditQuery, RunRow, StoreAlarm};
use std::os::unix::process::ExitStatusExt;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Box, Loopback, Serving};

/// Nothing of it is left, or some by a number: one of the two for each place. `SIGNALBOX_POWER_LOSSES` says how many more by
/// numbers, to look by hand.
fn losses(what: &str) -> impl Iterator<Item = Loss> {
    let more = std::env::var("SIGNALBOX_POWER_LOSSES").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let from = what.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let usual = if from % 3 == 0 { Loss::All } else { Loss::Some(from) };
    std::iter::once(usual).chain((1..=more).map(move |n| Loss::Some(from.wrapping_add(n))))
}

/// The store opens; the chain verifies, or its end is missing and that is said.
fn look(place: &Box, what: &str) -> Option<(RunRow, Vec<RunEvent>)> {
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
fn killed(watch: &power::Watch<'_>, place: &Box, args: &[&str], point: Point, nth: usize) -> (bool, Output) {
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

/// Waits at its question.
fn asked(server: &Loopback, name: &str) -> (Box, String) {
    let place = Box::new();
    let path = file(&place, server, name);
    let begun = place.run(&["run", &path, "--json"]);
    assert_eq!(begun.code, 3, "{}{}", begun.out, begun.err);
    let task = begun.json()["openTasks"][0].as_str().expect("a task").to_owned();
    (place, task)
}

/// Once in the run, once in the chain; the run has come to its end.
fn answered_once(place: &Box, what: &str) {
    let (row, events) = look(place, what).expect("the run is there");
    assert_eq!(row.status, RunStatus::Completed, "{what}");
    let answers = events.iter().filter(|event| matches!(event.body, EventBody::HumanTaskCompleted(_))).count();
    let query = AuditQuery { event: Some("HITL_COMPLETED".into()), ..AuditQuery::default() };
    assert_eq!((answers, store(place).audit_page(&query).expect("readable").total), (1, 1), "{what}");
}

/// An answer at the terminal: one that was told as taken is there, one that was not can be given, once.
#[test]
fn fault_27_an_answer_that_was_told_is_there_and_one_that_was_not_can_be_given_once() {
    let (server, power) = (Loopback::start(), Power::new());
    let (first, task) = asked(&server, "power-answer");
    let answer = ["tasks", "complete", &task, "--action", "approve", "--as", "user:anna", "--json"];
    let died = every_point(4, |point, nth| {
        let place = Box::new();
        copy(&first.data(), &place.data());
        let what = format!("answer {} {nth}", point.name());
        let watch = power.watch(place.dir.path());
        let (died, told) = killed(&watch, &place, &answer, point, nth);
        assert!(died || told.status.code() == Some(0), "{what}: {told:?}");
        let disk = watch.end();
        for loss in losses(&what) {
            disk.leave(loss);
            let what = format!("{what} {loss:?}");
            look(&place, &what).expect("the run is there");
            let again = place.run(&answer);
            assert!(matches!(again.code, 0 | 5), "{what}: {}{}", again.out, again.err);
            assert!(told.stdout.is_empty() || again.code == 5, "{what}: it was told and is not there");
            assert_eq!(place.run(&["resume", "--json"]).code, 0, "{what}");
            answered_once(&place, &what);
        }
        died
    });
    for point in [Point::Begin, Point::Written, Point::Committed, Point::Told] {
        assert!(died.contains(&point), "{point:?}");
    }
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
    let (server, power) = (Loopback::start(), Power::new());
    let (first, _) = asked(&server, "power-anchor");
    let outside = "anchors.jsonl";
    let died = every_point(4, |point, nth| {
        let place = Box::new();
        copy(&first.data(), &place.data());
        let what = format!("anchor {} {nth}", point.name());
        let watch = power.watch(place.dir.path());
        let (died, told) = killed(&watch, &place, &["audit", "anchor", "add", "--file", outside, "--json"], point, nth);
        assert!(died || told.status.code() == Some(0), "{what}: {told:?}");
        let disk = watch.end();
        for loss in losses(&what) {
            disk.leave(loss);
            let what = format!("{what} {loss:?}");
            look(&place, &what).expect("the run is there");
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
            let again = place.run(&["audit", "anchor", "add", "--file", outside, "--json"]);
            assert!(again.code == 0 || again.out.contains("ANCHOR_EXISTS"), "{what}: {}{}", again.out, again.err);
            let on = place.run(&["audit", "anchor", "now", "--json"]);
            assert_eq!(on.code, 0, "{what}: {}{}", on.out, on.err);
            let verified = place.run(&["audit", "verify", "--anchor", outside, "--json"]);
            assert_eq!(verified.code, 0, "{what}: {}{}", verified.out, verified.err);
        }
        died
    });
    for point in [Point::Begin, Point::Written, Point::Committed, Point::Told] {
        assert!(died.contains(&point), "{point:?}");
    }
}
