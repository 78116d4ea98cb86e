//! The real program dies at a point of the registry: what then stands in its store, and how it goes on.
#![allow(dead_code, reason = "each test file uses its part")]

use crate::support::{Loopback, TestHome, workflow};
use serde_json::{Value, json};
use signalbox_model::event::EventBody;
use signalbox_model::{RunEvent, RunStatus};
use signalbox_store::failpoint::Point;
use signalbox_store::{RunRow, Store, StoreOptions};
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::Mutex;

/// SIGABRT.
pub(crate) const ABORTED: Option<i32> = Some(6);
/// No phase passes a point more often.
pub(crate) const MOST: usize = 60;

/// A read whose answer becomes a file, two iterations, a write that may be repeated, a question, a last read. Every case has
/// paths of its own, so that one server counts for all.
pub(crate) fn file(place: &TestHome, server: &Loopback, case: &str) -> String {
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
pub(crate) fn killed(place: &TestHome, args: &[&str], point: Point, nth: usize) -> (bool, Output) {
    let mut command = place.command(args);
    command.env("SIGNALBOX_FAILPOINT", format!("{}:{nth}", point.name())).env("SIGNALBOX_KEY_STORE", "off");
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    let died = output.status.signal().is_some();
    assert!(!died || output.status.signal() == ABORTED, "{output:?}");
    (died, output)
}

pub(crate) fn store(place: &TestHome) -> Store {
    Store::open(&place.data(), &StoreOptions::default()).expect("the store opens after a crash")
}

/// What stands in the store; the chain verifies, no alarm is raised.
pub(crate) fn look(place: &TestHome, what: &str) -> Option<(RunRow, Vec<RunEvent>)> {
    let store = store(place);
    assert!(store.alarms().is_empty(), "{what}: {:?}", store.alarms());
    let verdict = store.audit_verify(store.audit_key().into_iter().collect(), Vec::new(), None).expect("reads");
    assert!(verdict.is_intact(), "{what}: {verdict:?}");
    last_run(&store, what)
}

/// The last run, as it has to stand.
pub(crate) fn last_run(store: &Store, what: &str) -> Option<(RunRow, Vec<RunEvent>)> {
    let row = store.runs(&Default::default()).expect("readable").runs.pop()?;
    let events = store.events(&row.run_id, 0, 10_000).expect("readable");
    let mut wrong = Vec::new();
    signalbox_testkit::scenario::oracles(&events, &mut wrong);
    assert_eq!(wrong, Vec::<String>::new(), "{what}");
    assert_eq!(row.last_seq, events.len() as u64, "{what}");
    Some((row, events))
}

/// Paths that finished calls have asked for.
pub(crate) fn finished(events: &[RunEvent]) -> BTreeSet<String> {
    let done = events.iter().filter(|event| matches!(event.body, EventBody::StepDone(_)));
    done.filter_map(|event| {
        let step = event.step_id.as_deref()?;
        let index =
            event.path.as_deref().and_then(|path| path.strip_prefix("l[")).map(|rest| rest.trim_end_matches(']'));
        ["a", "b", "c", "p"].contains(&step).then(|| format!("{step}{}", index.unwrap_or_default()))
    })
    .collect()
}

pub(crate) const ASKED: [&str; 4] = ["a", "c0", "c1", "p"];

pub(crate) struct Case<'a> {
    pub(crate) place: TestHome,
    server: &'a Loopback,
    pub(crate) name: String,
}

impl Case<'_> {
    pub(crate) fn new(server: &Loopback, name: String) -> Case<'_> {
        Case { place: TestHome::new(), server, name }
    }

    pub(crate) fn hits(&self, path: &str) -> usize {
        self.server.hits(&format!("/{}/{path}", self.name))
    }

    /// What the dead process had told stands in the store; what it had finished is not asked for again later.
    pub(crate) fn after(&self, told: &[u8]) -> Option<Vec<RunEvent>> {
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
    pub(crate) fn goes_on(&self, before: &[RunEvent]) {
        let done = self.place.run(&["resume", "--json"]);
        assert!(matches!(done.code, 0 | 3), "{}: {}{}", self.name, done.out, done.err);
        let (row, events) = look(&self.place, &self.name).expect("the run is there");
        assert_eq!(row.status, RunStatus::Paused, "{}", self.name);
        assert_eq!(events[..before.len()], *before, "{}: what was recorded stays", self.name);
        self.asked_once(before, &ASKED);
    }

    pub(crate) fn asked_once(&self, before: &[RunEvent], paths: &[&str]) {
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
pub(crate) fn stride(point: Point) -> usize {
    match point {
        Point::Begin | Point::Begun | Point::Marked | Point::Told => 4,
        _ => 1,
    }
}

/// Goes through all points, side by side, each with n = 1, 2, … until the program comes through. Gives the points at which
/// it died.
pub(crate) fn every_point(step: usize, case: impl Fn(Point, usize) -> bool + Sync) -> BTreeSet<Point> {
    points(Point::ALL, |point| stride(point) * step, case)
}

/// [`every_point`] of these, with n that far apart.
pub(crate) fn points(
    all: &[Point],
    apart: impl Fn(Point) -> usize + Sync,
    case: impl Fn(Point, usize) -> bool + Sync,
) -> BTreeSet<Point> {
    let left = Mutex::new(all.iter());
    let died = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = left.lock().expect("no panic").next().copied();
                    let Some(point) = next else { return };
                    let times = (1..=MOST).step_by(apart(point)).take_while(|nth| case(point, *nth)).count();
                    assert!(times < MOST / apart(point), "{point:?} has no end");
                    if times > 0 {
                        died.lock().expect("no panic").insert(point);
                    }
                }
            });
        }
    });
    died.into_inner().expect("no panic")
}

pub(crate) fn missing(died: &BTreeSet<Point>, but: &[Point]) -> Vec<Point> {
    Point::ALL.iter().copied().filter(|point| !died.contains(point) && !but.contains(point)).collect()
}

/// Stands between the program and the C library; made by the C compiler that building the program needs as well.
#[cfg(target_os = "linux")]
pub(crate) fn between(source: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = folder.path().join("between.so");
    let made = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/headless").join(source))
        .args(["-ldl", "-lpthread"])
        .status();
    assert!(made.expect("a C compiler").success());
    (folder, library)
}

pub(crate) fn copy(from: &Path, to: &Path) {
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
