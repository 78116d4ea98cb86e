//! `kill -9`: a child process dies at a chosen moment; what is left goes on here.

use crate::support::{self, Die, chain, collect, lines, options, runtime, runtime_with, start, store, trace, until};
use serde_json::{Value, json};
use signalbox_model::event::EventBody;
use signalbox_model::{RunEvent, RunStatus};
use signalbox_runtime::Options;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The child: this test binary again, with one test and these variables.
fn child(folder: &Path, job: &str) -> Child {
    Command::new(std::env::current_exe().expect("the test binary has a path"))
        .args(["--exact", "crash::a_child_process_and_no_test_of_its_own", "--nocapture"])
        .env("SIGNALBOX_TEST_FOLDER", folder)
        .env("SIGNALBOX_TEST_JOB", job)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the child starts")
}

/// Runs in the child only.
#[test]
fn a_child_process_and_no_test_of_its_own() {
    let (Ok(folder), Ok(job)) = (std::env::var("SIGNALBOX_TEST_FOLDER"), std::env::var("SIGNALBOX_TEST_JOB")) else {
        return;
    };
    let folder = Path::new(&folder);
    let (what, number) = job.split_once(' ').unwrap_or((&job, "0"));
    let number: usize = number.parse().expect("a number");
    let die = match what {
        "before" => Die::Before(number),
        "after" => Die::After(number),
        _ => Die::Never,
    };
    let options = Options { burst_events: 1, ..options(folder) };
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
    waiting.block_on(async {
        let runtime = runtime_with(folder, store(folder), die, options);
        let workflow = match what {
            "wait" => json!({ "nodes": { "w": { "type": "flow.wait", "config": { "ms": 600_000 } } } }),
            "call" => {
                json!({ "nodes": { "w": { "type": "http.request", "config": { "url": "http://api.example/hang" } } } })
            }
            _ => chain(10),
        };
        let run = start(&runtime, workflow).await;
        if what == "seq" {
            let mut subscription = runtime.subscribe(&run, 0).await.expect("known");
            while let Some(Ok(_)) = subscription.next().await {
                if subscription.last_seq() >= number as u64 {
                    support::die();
                }
            }
        }
        let _ = runtime.wait(&run).await;
    });
}

fn context(runtime: &signalbox_runtime::Runtime, run: &str) -> Value {
    runtime.store().summary::<Value>(run).expect("readable").expect("ended")["context"].clone()
}

/// Steps with a recorded end.
fn finished(events: &[RunEvent]) -> Vec<String> {
    let done = events.iter().filter(|event| matches!(event.body, EventBody::StepDone(_)));
    done.filter_map(|event| event.step_id.clone()).collect()
}

#[tokio::test]
async fn ts_094_killed_at_every_boundary_the_run_ends_the_same_and_repeats_nothing_that_was_finished() {
    let undisturbed = {
        let dir = tempfile::tempdir().expect("a folder");
        let runtime = runtime(dir.path());
        let run = start(&runtime, chain(10)).await;
        assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
        (context(&runtime, &run), runtime.store().run(&run).expect("listed").last_seq)
    };
    let mut jobs: Vec<String> = (1..undisturbed.1).map(|seq| format!("seq {seq}")).collect();
    for request in 1..=5 {
        jobs.extend([format!("before {request}"), format!("after {request}")]);
    }
    for job in jobs {
        let dir = tempfile::tempdir().expect("a folder");
        let status = child(dir.path(), &job).wait().expect("the child ends");
        assert!(!status.success(), "{job}: the child was not killed");
        let before = trace(dir.path());
        let runtime = runtime(dir.path());
        let run =
            runtime.store().runs(&Default::default()).expect("readable").runs.first().map(|row| row.run_id.clone());
        let run = run.unwrap_or_else(|| panic!("{job}: the run is not in the store"));
        let row = runtime.store().run(&run).expect("listed");
        let recorded = runtime.store().events(&run, 0, 1_000).expect("readable");
        if row.status.is_terminal() {
            // The last boundaries lie so close together that the run may be over before the signal arrives.
            assert_eq!(context(&runtime, &run), undisturbed.0, "{job}");
            continue;
        }
        assert_eq!(row.owner.as_ref().map(|owner| owner.epoch), Some(1), "{job}");
        runtime.resume(&run).await.unwrap_or_else(|error| panic!("{job}: {error}"));
        assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed), "{job}");
        assert_eq!(context(&runtime, &run), undisturbed.0, "{job}");
        assert_eq!(runtime.store().run(&run).expect("listed").epoch, 2, "{job}");
        let events = collect(runtime.subscribe(&run, 0).await.expect("known")).await;
        let mut wrong = Vec::new();
        signalbox_testkit::scenario::oracles(&events, &mut wrong);
        assert_eq!(wrong, Vec::<String>::new(), "{job}: {:#?}", lines(&events));
        assert_eq!(events[..recorded.len()], recorded[..], "{job}: what was recorded stays");
        let done = finished(&recorded);
        let after = &trace(dir.path())[before.len()..];
        for path in after {
            let step = format!("s{}", &path[1..]);
            assert!(!done.contains(&step), "{job}: {step} was finished and ran again");
            let times = before.iter().chain(after).filter(|seen| *seen == path).count();
            assert!(times <= 2, "{job}: {step} ran {times} times");
        }
    }
}

#[tokio::test]
async fn a_living_process_keeps_its_run_and_a_dead_one_loses_it_at_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut other = child(dir.path(), "call");
    until("the other process's request", || trace(dir.path()) == ["/hang"]).await;
    let adopting = Options { adopt: true, ..options(dir.path()) };
    let runtime = runtime_with(dir.path(), store(dir.path()), Die::Never, adopting);
    let run = runtime.store().runs(&Default::default()).expect("readable").runs[0].run_id.clone();
    signal("-STOP", &other);
    tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    assert_eq!(runtime.driven(), Vec::<String>::new(), "a stopped process keeps its runs");
    signal("-KILL", &other);
    other.wait().expect("it is dead");
    until("the take-over", || runtime.driven() == [run.clone()]).await;
    std::fs::write(dir.path().join("go"), "").expect("written");
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
    let row = runtime.store().run(&run).expect("listed");
    assert_eq!(row.epoch, 2);
    let events = collect(runtime.subscribe(&run, 0).await.expect("known")).await;
    assert_eq!(
        lines(&events),
        [
            "workflow_start",
            "step_start w",
            "workflow_resumed",
            "step_interrupted w",
            "step_start w",
            "step_done w",
            "workflow_done"
        ]
    );
}

#[tokio::test]
async fn a_run_that_cannot_be_read_keeps_no_other_from_going_on() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut runs = Vec::new();
    {
        let runtime = runtime(dir.path());
        for _ in 0..3 {
            let hang = json!({ "type": "http.request", "config": { "url": "http://api.example/hang" } });
            runs.push(start(&runtime, json!({ "nodes": { "w": hang } })).await);
        }
        runtime.shutdown().await;
    }
    let runtime = runtime(dir.path());
    // After it was opened: a store that is damaged from the start says so there.
    let connection = rusqlite::Connection::open(dir.path().join("signalbox.db")).expect("opens");
    connection.execute("UPDATE run SET status = 'x' WHERE id = ?1", [&runs[1]]).expect("written");
    drop(connection);
    let resumed = runtime.resume_all().await.expect("looked");
    let went_on = |run: &String| resumed.iter().any(|(id, outcome)| id == run && outcome.is_ok());
    assert_eq!(runs.iter().map(went_on).collect::<Vec<_>>(), [true, false, true], "{resumed:?}");
}

#[tokio::test]
async fn a_cancel_reaches_the_process_that_drives_the_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut other = child(dir.path(), "wait");
    let runtime = runtime(dir.path());
    let runs = || runtime.store().runs(&Default::default()).expect("readable").runs;
    until("the other process's run", || !runs().is_empty()).await;
    let run = runs()[0].run_id.clone();
    runtime.cancel(&run).await.expect("asked");
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Cancelled));
    assert!(other.wait().expect("it ends by itself").success());
    assert_eq!(runtime.store().run(&run).expect("listed").epoch, 1);
}

#[tokio::test]
async fn a_cancel_that_a_crash_cut_off_is_not_forgotten() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut other = child(dir.path(), "call");
    until("the other process's request", || trace(dir.path()) == ["/hang"]).await;
    let runtime = runtime(dir.path());
    let run = runtime.store().runs(&Default::default()).expect("readable").runs[0].run_id.clone();
    signal("-STOP", &other);
    runtime.cancel(&run).await.expect("asked");
    signal("-KILL", &other);
    other.wait().expect("it is dead");
    runtime.resume(&run).await.expect("nobody drives it");
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Cancelled));
    assert_eq!(trace(dir.path()), ["/hang"], "nothing new starts");
}

fn signal(which: &str, child: &Child) {
    let status = Command::new("kill").args([which, &child.id().to_string()]).status().expect("kill is there");
    assert!(status.success());
}
