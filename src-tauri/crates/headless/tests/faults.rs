//! The real program dies at every point of the registry, once for each time that it passes it, and is started again
//! (TRUST, faults 1 to 3 and 23): nothing that was told is lost, nothing that was finished runs again, the chain verifies.
#![cfg(all(unix, debug_assertions))]

mod support;

use serde_json::{Value, json};
use signalbox_model::event::EventBody;
use signalbox_model::{RunEvent, RunStatus};
use signalbox_store::failpoint::Point;
use signalbox_store::{AuditQuery, RunRow, Store, StoreOptions};
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::Mutex;
use support::{Box, Loopback, workflow};

/// SIGABRT.
const ABORTED: Option<i32> = Some(6);
/// No phase passes a point more often.
const MOST: usize = 60;

/// A read whose answer becomes a file, two iterations, a write that may be repeated, a question, a last read. Every case has
/// paths of its own, so that one server counts for all.
fn file(place: &Box, server: &Loopback, case: &str) -> String {
    let url = |path: &str| format!("{}/{case}/{path}", server.base);
    let flow = workflow(
        json!({
            "a": { "type": "http.request", "config": { "url": url("a") }, "out": { "/a.txt": "=_result.response.name" } },
            "l": { "type": "flow.loop", "config": { "source": "=[1, 2]", "maxIterations": 5 } },
            "c": { "type": "http.request", "parent": "l", "config": { "url": format!("{}{{{{_index}}}}", url("c")) } },
            "p": { "type": "http.request", "idempotencyKey": "once", "mode": "all",
                   "config": { "method": "POST", "url": url("p"), "body": { "n": 1 } } },
            "ask": { "type": "builtin.human_approval", "config": { "title": "Shall we?" } },
            "b": { "type": "http.request", "config": { "url": url("b") } },
        }),
        json!([
            { "from": "a.success", "to": "l" }, { "from": "l.success", "to": "p" },
            { "from": "p.success", "to": "ask" }, { "from": "ask.approved", "to": "b" },
        ]),
    );
    place.file("w.signalbox.json", flow.to_string()).display().to_string()
}

/// Runs the program with a point armed. `None` when it came through.
fn killed(place: &Box, args: &[&str], point: Point, nth: usize) -> (bool, Output) {
    let mut command = place.command(args);
    command.env("SIGNALBOX_FAILPOINT", format!("{}:{nth}", point.name())).env("SIGNALBOX_KEY_STORE", "off");
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    let died = output.status.signal().is_some();
    assert!(!died || output.status.signal() == ABORTED, "{output:?}");
    (died, output)
}

fn store(place: &Box) -> Store {
    Store::open(&place.data(), &StoreOptions::default()).expect("the store opens after a crash")
}

/// What stands in the store; the chain verifies, no alarm is raised.
fn look(place: &Box, what: &str) -> Option<(RunRow, Vec<RunEvent>)> {
    let store = store(place);
    assert!(store.alarms().is_empty(), "{what}: {:?}", store.alarms());
    let verdict = store.audit_verify(store.audit_key().into_iter().collect(), Vec::new(), None).expect("reads");
    assert!(verdict.is_intact(), "{what}: {verdict:?}");
    let row = store.runs(&Default::default()).expect("readable").runs.pop()?;
    let events = store.events(&row.run_id, 0, 10_000).expect("readable");
    let mut wrong = Vec::new();
    signalbox_testkit::scenario::oracles(&events, &mut wrong);
    assert_eq!(wrong, Vec::<String>::new(), "{what}");
    assert_eq!(row.last_seq, events.len() as u64, "{what}");
    Some((row, events))
}

/// Paths that finished calls have asked for.
fn finished(events: &[RunEvent]) -> BTreeSet<String> {
    let done = events.iter().filter(|event| matches!(event.body, EventBody::StepDone(_)));
    done.filter_map(|event| {
        let step = event.step_id.as_deref()?;
        let index =
            event.path.as_deref().and_then(|path| path.strip_prefix("l[")).map(|rest| rest.trim_end_matches(']'));
        ["a", "b", "c", "p"].contains(&step).then(|| format!("{step}{}", index.unwrap_or_default()))
    })
    .collect()
}

const ASKED: [&str; 4] = ["a", "c0", "c1", "p"];

struct Case<'a> {
    place: Box,
    server: &'a Loopback,
    name: String,
}

impl Case<'_> {
    fn new(server: &Loopback, name: String) -> Case<'_> {
        Case { place: Box::new(), server, name }
    }

    fn hits(&self, path: &str) -> usize {
        self.server.hits(&format!("/{}/{path}", self.name))
    }

    /// What the dead process had told stands in the store; what it had finished is not asked for again later.
    fn after(&self, told: &[u8]) -> Option<Vec<RunEvent>> {
        let told: Vec<Value> =
            String::from_utf8_lossy(told).lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let last = told.iter().filter_map(|event| event["seq"].as_u64()).max().unwrap_or(0);
        let Some((row, events)) = look(&self.place, &self.name) else {
            assert_eq!(last, 0, "{}: it told of a run that is not there", self.name);
            return None;
        };
        assert!(row.last_seq >= last, "{}: told to {last}, stored to {}", self.name, row.last_seq);
        Some(events)
    }

    /// Goes on to the question; then everything was asked for, and what was finished before only once.
    fn goes_on(&self, before: &[RunEvent]) {
        let done = self.place.run(&["resume", "--json"]);
        assert!(matches!(done.code, 0 | 3), "{}: {}{}", self.name, done.out, done.err);
        let (row, events) = look(&self.place, &self.name).expect("the run is there");
        assert_eq!(row.status, RunStatus::Paused, "{}", self.name);
        assert_eq!(events[..before.len()], *before, "{}: what was recorded stays", self.name);
        self.asked_once(before, &ASKED);
    }

    fn asked_once(&self, before: &[RunEvent], paths: &[&str]) {
        let done = finished(before);
        for path in paths {
            let hits = self.hits(path);
            assert!(
                hits == 1 || hits == 2 && !done.contains(*path),
                "{}: {path} was asked for {hits} times",
                self.name
            );
        }
    }
}

/// What a crash leaves is the same before and after its neighbours of one commit: those are tried at every fourth one only.
fn stride(point: Point) -> usize {
    match point {
        Point::Begin | Point::Begun | Point::Marked | Point::Told => 4,
        _ => 1,
    }
}

/// Goes through all points, side by side, each with n = 1, 2, … until the program comes through. Gives the points at which
/// it died.
fn every_point(step: usize, case: impl Fn(Point, usize) -> bool + Sync) -> BTreeSet<Point> {
    let left = Mutex::new(Point::ALL.iter());
    let died = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = left.lock().expect("no panic").next().copied();
                    let Some(point) = next else { return };
                    let times = (1..=MOST).step_by(stride(point) * step).take_while(|nth| case(point, *nth)).count();
                    assert!(times < MOST / stride(point) / step, "{point:?} has no end");
                    if times > 0 {
                        died.lock().expect("no panic").insert(point);
                    }
                }
            });
        }
    });
    died.into_inner().expect("no panic")
}

fn missing(died: &BTreeSet<Point>, but: &[Point]) -> Vec<Point> {
    Point::ALL.iter().copied().filter(|point| !died.contains(point) && !but.contains(point)).collect()
}

#[test]
fn faults_1_2_3_a_run_that_dies_at_any_point_goes_on_and_repeats_nothing_that_was_finished() {
    let server = Loopback::start();
    let died = every_point(1, |point, nth| {
        let case = Case::new(&server, format!("{}-{nth}", point.name()));
        let file = file(&case.place, &server, &case.name);
        let (died, told) = killed(&case.place, &["run", &file, "--events", "--json"], point, nth);
        if !died {
            assert_eq!(told.status.code(), Some(3), "{}: {told:?}", case.name);
            return false;
        }
        if let Some(before) = case.after(&told.stdout) {
            case.goes_on(&before);
        }
        true
    });
    // Only who takes a run over passes this one; below it is.
    assert_eq!(missing(&died, &[Point::TakenOver]), []);
}

#[test]
fn faults_1_2_3_a_process_that_dies_while_it_goes_on_leaves_a_run_that_goes_on() {
    let server = Loopback::start();
    let died = every_point(2, |point, nth| {
        let case = Case::new(&server, format!("again-{}-{nth}", point.name()));
        let file = file(&case.place, &server, &case.name);
        // In the second iteration of the loop: the call did its work, and nobody heard of it.
        let (dead, first) = killed(&case.place, &["run", &file, "--events", "--json"], Point::Called, 3);
        assert!(dead, "{first:?}");
        let before = case.after(&first.stdout).expect("the run is there");
        let run = before[0].run_id.clone();
        let (died, told) = killed(&case.place, &["resume", &run, "--json"], point, nth);
        let between = case.after(&[]).expect("the run is there");
        assert_eq!(between[..before.len()], before[..], "{}", case.name);
        if !died {
            assert_eq!(told.status.code(), Some(3), "{}: {told:?}", case.name);
            return false;
        }
        let done = case.place.run(&["resume", "--json"]);
        assert!(matches!(done.code, 0 | 3), "{}: {}{}", case.name, done.out, done.err);
        let (row, events) = look(&case.place, &case.name).expect("the run is there");
        assert_eq!((row.status, row.last_seq > 0), (RunStatus::Paused, true), "{}", case.name);
        assert_eq!(events[..between.len()], between[..], "{}", case.name);
        let done = finished(&between);
        for path in ASKED {
            let hits = case.hits(path);
            // The first crash cut one call off, the second one at most one more, which may be the same.
            assert!((1..=3).contains(&hits), "{}: {path} {hits}", case.name);
            assert!(hits == 1 || path == "c1" || !done.contains(path), "{}: {path} {hits}", case.name);
        }
        true
    });
    assert_eq!(missing(&died, &[Point::Artifact, Point::Born]), []);
}

#[test]
fn fault_5_an_answer_that_was_told_is_kept_wherever_the_process_dies() {
    let server = Loopback::start();
    let first = Case::new(&server, "answer".into());
    let path = file(&first.place, &server, &first.name);
    let begun = first.place.run(&["run", &path, "--json"]);
    assert_eq!(begun.code, 3, "{}{}", begun.out, begun.err);
    let task = begun.json()["openTasks"][0].as_str().expect("a task").to_owned();
    let answer = ["tasks", "complete", &task, "--action", "approve", "--as", "user:anna", "--json"];
    let died = every_point(2, |point, nth| {
        let case = Case::new(&server, first.name.clone());
        copy(&first.place.data(), &case.place.data());
        let what = format!("{} {nth}", point.name());
        let (died, told) = killed(&case.place, &answer, point, nth);
        let said = String::from_utf8_lossy(&told.stdout).into_owned();
        look(&case.place, &what).expect("the run is there");
        if !died {
            assert_eq!(told.status.code(), Some(0), "{what}: {told:?}");
            return false;
        }
        // Said again: it is taken now, or it was before; never both, never neither.
        let again = case.place.run(&answer);
        assert!(matches!(again.code, 0 | 5), "{what}: {}{}", again.out, again.err);
        assert!(said.is_empty() || again.code == 5, "{what}: it was told and is not there");
        assert_eq!(case.place.run(&["resume", "--json"]).code, 0, "{what}");
        let (row, events) = look(&case.place, &what).expect("the run is there");
        assert_eq!(row.status, RunStatus::Completed, "{what}");
        let answers = events.iter().filter(|event| matches!(event.body, EventBody::HumanTaskCompleted(_))).count();
        assert_eq!(answers, 1, "{what}");
        let query = AuditQuery { event: Some("HITL_COMPLETED".into()), ..AuditQuery::default() };
        let decided = store(&case.place).audit_page(&query).expect("readable").total;
        assert_eq!(decided, 1, "{what}");
        true
    });
    for point in [Point::Begin, Point::Written, Point::Committed, Point::Told] {
        assert!(died.contains(&point), "{point:?}");
    }
}

/// Stands between the program and the C library; made by the C compiler that building the program needs as well.
#[cfg(target_os = "linux")]
fn between(source: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = folder.path().join("between.so");
    let made = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(source))
        .args(["-ldl", "-lpthread"])
        .status();
    assert!(made.expect("a C compiler").success());
    (folder, library)
}

/// Runs the program while the system answers the n-th of these calls with an error.
#[cfg(target_os = "linux")]
fn refused(place: &Box, library: &Path, args: &[&str], call: &str, nth: usize) -> Output {
    let mut command = place.command(args);
    command.env("LD_PRELOAD", library).env("REFUSED_CALL", call).env("REFUSED_NTH", nth.to_string());
    command.env("SIGNALBOX_KEY_STORE", "off").stdin(Stdio::null()).output().expect("runs")
}

#[test]
#[cfg(target_os = "linux")]
fn fault_6_a_write_or_a_sync_that_fails_is_told_and_what_was_told_before_is_kept() {
    let server = Loopback::start();
    let (_folder, library) = between("refuse.c");
    for (call, nths) in [("fsync", 1..=8), ("pwrite", 1..=8)] {
        let mut troubled = 0;
        for nth in nths {
            let case = Case::new(&server, format!("{call}-{nth}"));
            let file = file(&case.place, &server, &case.name);
            let told = refused(&case.place, &library, &["run", &file, "--events", "--json"], call, nth);
            // It waits until it can write and goes on to the question, or says in words why it did not begin.
            let code = told.status.code();
            assert!(matches!(code, Some(2 | 3)), "{}: {told:?}", case.name);
            troubled += usize::from(code == Some(2) || !told.stderr.is_empty());
            match case.after(&told.stdout) {
                Some(before) => case.goes_on(&before),
                None => {
                    let said = String::from_utf8_lossy(&told.stdout).into_owned();
                    assert!(code == Some(2) && said.contains("\"code\""), "{}: {said}", case.name);
                    assert_eq!(
                        ASKED.map(|path| case.hits(path)),
                        [0; 4],
                        "{}: nothing was done in its name",
                        case.name
                    );
                }
            }
        }
        assert!(troubled > 1, "{call} never failed where it matters");
    }
}

/// Takes back what was written to each file since it was synced last: what a power loss may take. Files that were made stay,
/// without what was in them.
#[cfg(target_os = "linux")]
fn forget(log: &Path) -> usize {
    use std::os::unix::fs::FileExt;
    let bytes = std::fs::read(log).unwrap_or_default();
    let mut left = &bytes[..];
    let mut writes: Vec<(String, u64, u64, &[u8])> = Vec::new();
    let mut next = || {
        let kind = *left.split_off_first()?;
        let mut take = |count: u64| left.split_off(..usize::try_from(count).ok()?);
        let number = |bytes: Option<&[u8]>| Some(u64::from_ne_bytes(bytes?.try_into().ok()?));
        let length = number(take(8))?;
        let path = String::from_utf8(take(length)?.to_vec()).expect("a path");
        let (place, size, count) = (number(take(8))?, number(take(8))?, number(take(8))?);
        Some((kind, path, place, size, take(count)?))
    };
    // One that is not whole: the process died while another thread told of a write that it had still to make.
    while let Some((kind, path, place, size, old)) = next() {
        if kind == b'S' {
            writes.retain(|(written, ..)| *written != path);
        } else {
            writes.push((path, place, size, old));
        }
    }
    for (path, place, size, old) in writes.iter().rev() {
        let Ok(file) = std::fs::OpenOptions::new().write(true).open(path) else { continue };
        file.write_all_at(old, *place).expect("written");
        file.set_len(*size).expect("cut");
    }
    writes.len()
}

/// The program dies at every point, and with it everything that was not synced. The store is whole, its chain verifies; a
/// write that was sent stands in it, and one that was told as done is not sent again. Reads and what follows from them may
/// be gone: they are done again.
#[test]
#[cfg(target_os = "linux")]
fn fault_27_what_was_not_synced_is_gone_and_no_write_is_lost_or_repeated() {
    let server = Loopback::start();
    let (_folder, library) = between("forget.c");
    let forgotten = std::sync::atomic::AtomicUsize::new(0);
    let died = every_point(4, |point, nth| {
        let case = Case::new(&server, format!("power-{}-{nth}", point.name()));
        let file = file(&case.place, &server, &case.name);
        let journal = tempfile::tempdir().expect("a temporary folder");
        let log = journal.path().join("log");
        let mut command = case.place.command(&["run", &file, "--events", "--json"]);
        command.env("LD_PRELOAD", &library).env("FORGET_BELOW", case.place.data()).env("FORGET_LOG", &log);
        command.env("SIGNALBOX_FAILPOINT", format!("{}:{nth}", point.name())).env("SIGNALBOX_KEY_STORE", "off");
        let told = command.stdin(Stdio::null()).output().expect("it starts");
        if told.status.signal().is_none() {
            assert_eq!(told.status.code(), Some(3), "{}: {told:?}", case.name);
            return false;
        }
        assert_eq!(told.status.signal(), ABORTED, "{}: {told:?}", case.name);
        forgotten.fetch_add(forget(&log), std::sync::atomic::Ordering::Relaxed);
        let written = String::from_utf8_lossy(&told.stdout).lines().any(|line| {
            let event: Value = serde_json::from_str(line).unwrap_or_default();
            event["type"] == "step_done" && event["stepId"] == "p"
        });
        let before = look(&case.place, &case.name).map(|(_, events)| events);
        let Some(before) = before else {
            assert_eq!((case.hits("p"), written), (0, false), "{}: the run is gone, its write is not", case.name);
            return true;
        };
        let begun =
            |event: &&RunEvent| matches!(event.body, EventBody::StepStart(_)) && event.step_id.as_deref() == Some("p");
        assert!(case.hits("p") == 0 || before.iter().any(|event| begun(&event)), "{}: sent, not recorded", case.name);
        let done = finished(&before).contains("p");
        assert!(done || !written, "{}: a write was told as done and is not there", case.name);
        let on = case.place.run(&["resume", "--json"]);
        assert!(matches!(on.code, 0 | 3), "{}: {}{}", case.name, on.out, on.err);
        let (row, events) = look(&case.place, &case.name).expect("the run is there");
        assert_eq!((row.status, &events[..before.len()]), (RunStatus::Paused, &before[..]), "{}", case.name);
        assert!(case.hits("p") == 1 || case.hits("p") == 2 && !done, "{}: sent again", case.name);
        true
    });
    assert!(died.contains(&Point::Called) && died.contains(&Point::Committed));
    assert!(forgotten.into_inner() > 0, "nothing was taken back: the test proves nothing");
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("there") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}
