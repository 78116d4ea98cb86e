//! The real program dies at every point of the registry, once for each time that it passes it, and is started again
//! (TRUST, faults 1 to 3 and 23): nothing that was told is lost, nothing that was finished runs again, the chain verifies.

use crate::dying;
use crate::support;

#[cfg(target_os = "linux")]
use dying::between;
use dying::{ASKED, Case, copy, every_point, file, finished, killed, look, missing, store};
use signalbox_model::RunStatus;
use signalbox_model::event::EventBody;
use signalbox_store::AuditQuery;
use signalbox_store::failpoint::Point;
#[cfg(target_os = "linux")]
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::{Output, Stdio};
use support::Loopback;
#[cfg(target_os = "linux")]
use support::TestHome;

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
    assert_eq!(missing(&died, &[Point::TakenOver, Point::Queued, Point::Admitted]), []);
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
    assert_eq!(missing(&died, &[Point::Artifact, Point::Born, Point::Queued, Point::Admitted]), []);
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

/// Runs the program while the system answers the n-th of these calls with an error.
#[cfg(target_os = "linux")]
fn refused(place: &TestHome, library: &Path, args: &[&str], call: &str, nth: usize) -> Output {
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
