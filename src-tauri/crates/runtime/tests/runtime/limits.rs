//! Limits of a workflow: what waits, what is left out, what is cancelled, and what a killed process leaves.

use crate::support::{Die, new_run, options, runtime_with, store, trace, until, with_clock, workflow};
use serde_json::{Value, json};
use signalbox_model::event::EventBody;
use signalbox_model::{RunOrigin, RunStatus, Workflow};
use signalbox_ports::Clock;
use signalbox_runtime::{Error, NewRun, Options, Origin, Runtime, StartOutcome};
use signalbox_store::StoreError;
use signalbox_store::failpoint::Point;
use signalbox_testkit::ManualClock;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// One request to an address that hangs until the test lets it go; its limits are the test's.
fn limited(settings: Value) -> Workflow {
    workflow(json!({
        "settings": settings,
        "nodes": { "w": { "type": "http.request", "config": { "url": "http://api.example/hang" } } }
    }))
}

fn one_at_a_time() -> Value {
    json!({ "concurrency": { "max": 1 } })
}

async fn start_with(runtime: &Runtime, workflow: Workflow, params: Value) -> Result<StartOutcome, Error> {
    let origin =
        RunOrigin { started_by: Some("rest".into()), person: Some("user:anna".into()), ..RunOrigin::default() };
    let new = NewRun { origin, ..new_run(runtime, workflow, params).await };
    runtime.start_with(new, Origin::default()).await
}

async fn start(runtime: &Runtime, settings: Value) -> Result<StartOutcome, Error> {
    start_with(runtime, limited(settings), json!({})).await
}

fn staying(folder: &Path) -> Runtime {
    let options = Options { adopt: true, ..options(folder) };
    runtime_with(folder, store(folder), Die::Never, options)
}

fn let_go(folder: &Path) {
    std::fs::write(folder.join("go"), "").expect("written");
}

fn status(runtime: &Runtime, run: &str) -> RunStatus {
    runtime.store().run(run).expect("listed").status
}

#[tokio::test]
async fn a_start_without_room_waits_and_begins_when_a_run_ends() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = staying(dir.path());
    let Ok(StartOutcome::New(first)) = start(&runtime, one_at_a_time()).await else { panic!("it begins") };
    let Ok(StartOutcome::Queued(second)) = start(&runtime, one_at_a_time()).await else { panic!("it waits") };
    let Ok(StartOutcome::Queued(third)) = start(&runtime, one_at_a_time()).await else { panic!("it waits") };
    assert_eq!((runtime.store().run_place(&second), runtime.store().run_place(&third)), (Ok(Some(1)), Ok(Some(2))));
    assert_eq!(runtime.resume(&second).await, Err(Error::Queued { run: second.clone() }));
    assert_eq!(runtime.driven(), std::slice::from_ref(&first));
    let_go(dir.path());
    for run in [&first, &second, &third] {
        assert_eq!(runtime.wait(run).await, Ok(RunStatus::Completed), "{run}");
    }
    let row = |run: &str| runtime.store().run(run).expect("listed");
    assert!(row(&first).ended_ms <= Some(row(&second).started_ms), "one after the other");
    assert!(row(&second).ended_ms <= Some(row(&third).started_ms), "in the order of their starts");
    let Some(EventBody::WorkflowStart(began)) =
        runtime.store().event(&second, 1).expect("read").map(|event| event.body)
    else {
        panic!("its log begins with its start")
    };
    assert_eq!(began.started_by.as_deref(), Some("rest"));
    assert_eq!(trace(dir.path()), ["/hang", "/hang", "/hang"]);
}

#[tokio::test]
async fn a_process_that_does_not_stay_waits_for_the_turn_of_its_own_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime_with(dir.path(), store(dir.path()), Die::Never, options(dir.path()));
    let Ok(StartOutcome::New(first)) = start(&runtime, one_at_a_time()).await else { panic!("it begins") };
    let Ok(StartOutcome::Queued(second)) = start(&runtime, one_at_a_time()).await else { panic!("it waits") };
    let_go(dir.path());
    assert_eq!(runtime.wait(&first).await, Ok(RunStatus::Completed));
    assert_eq!(runtime.wait(&second).await, Ok(RunStatus::Completed));
}

#[tokio::test]
async fn runs_of_other_keys_have_places_of_their_own() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = staying(dir.path());
    let settings = json!({ "concurrency": { "max": 1, "key": "params.customer" } });
    let start =
        async |customer: &str| start_with(&runtime, limited(settings.clone()), json!({ "customer": customer })).await;
    let (ada, bob, more) = (start("ada").await, start("bob").await, start("ada").await);
    assert!(matches!(ada, Ok(StartOutcome::New(_))) && matches!(bob, Ok(StartOutcome::New(_))), "{ada:?} {bob:?}");
    let Ok(StartOutcome::Queued(run)) = more else { panic!("ada has one already") };
    let missing = start_with(&runtime, limited(settings.clone()), json!({})).await;
    assert!(matches!(missing, Err(Error::LimitKey { .. })), "{missing:?}");
    let_go(dir.path());
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
}

#[tokio::test]
async fn a_start_is_left_out_when_the_workflow_says_so() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = staying(dir.path());
    let settings = json!({ "concurrency": { "max": 1, "onLimit": "skip" } });
    let Ok(StartOutcome::New(first)) = start(&runtime, settings.clone()).await else { panic!("it begins") };
    let skipped = start(&runtime, settings.clone()).await;
    assert!(matches!(skipped, Err(Error::Store(StoreError::LimitReached { .. }))), "{skipped:?}");
    let_go(dir.path());
    assert_eq!(runtime.wait(&first).await, Ok(RunStatus::Completed));
    assert!(matches!(start(&runtime, settings).await, Ok(StartOutcome::New(_))));
}

#[tokio::test]
async fn a_newer_start_cancels_the_oldest_run_of_its_key() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = staying(dir.path());
    let settings = json!({ "concurrency": { "max": 1, "onLimit": "cancel_oldest" } });
    let Ok(StartOutcome::New(first)) = start(&runtime, settings.clone()).await else { panic!("it begins") };
    until("the first request", || trace(dir.path()) == ["/hang"]).await;
    let Ok(second) = start(&runtime, settings).await else { panic!("it is taken") };
    let second = second.run_id();
    assert_eq!(runtime.wait(&first).await, Ok(RunStatus::Cancelled));
    let_go(dir.path());
    assert_eq!(runtime.wait(&second).await, Ok(RunStatus::Completed));
}

#[tokio::test]
async fn a_run_that_waits_is_cancelled_without_beginning() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = staying(dir.path());
    let Ok(StartOutcome::New(first)) = start(&runtime, one_at_a_time()).await else { panic!("it begins") };
    until("the first request", || trace(dir.path()) == ["/hang"]).await;
    let Ok(StartOutcome::Queued(second)) = start(&runtime, one_at_a_time()).await else { panic!("it waits") };
    let Ok(StartOutcome::Queued(third)) = start(&runtime, one_at_a_time()).await else { panic!("it waits") };
    assert_eq!(runtime.cancel(&second).await, Ok(()));
    assert_eq!(runtime.wait(&second).await, Ok(RunStatus::Cancelled));
    let events = runtime.store().events(&second, 0, 10).expect("read");
    let names: Vec<&str> = events.iter().map(|event| event.body.type_name()).collect();
    assert_eq!(names, ["workflow_start", "workflow_cancelled"]);
    assert_eq!(runtime.store().run_place(&third), Ok(Some(1)));
    assert_eq!(status(&runtime, &first), RunStatus::Running);
    let_go(dir.path());
    assert_eq!(runtime.wait(&third).await, Ok(RunStatus::Completed));
    assert_eq!(trace(dir.path()), ["/hang", "/hang"], "what was cancelled asked nothing");
}

#[tokio::test]
async fn a_rate_is_kept_by_the_clock_of_the_host() {
    let dir = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(ManualClock::default());
    let staying = Options { adopt: true, ..options(dir.path()) };
    let runtime = with_clock(dir.path(), store(dir.path()), Die::Never, staying, clock.clone());
    let_go(dir.path());
    let settings = json!({ "rateLimit": { "count": 2, "perMs": 60_000 } });
    let mut waiting = Vec::new();
    for index in 0..5 {
        match start(&runtime, settings.clone()).await {
            Ok(StartOutcome::New(run)) if index < 2 => assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed)),
            Ok(StartOutcome::Queued(run)) if index >= 2 => waiting.push(run),
            other => panic!("start {index}: {other:?}"),
        }
    }
    clock.advance(59_999);
    assert_eq!(runtime.store().runs_admit(clock.now_ms()).expect("looks").runs, Vec::<String>::new());
    clock.advance(1);
    for run in &waiting[..2] {
        assert_eq!(runtime.wait(run).await, Ok(RunStatus::Completed));
    }
    assert_eq!(status(&runtime, &waiting[2]), RunStatus::Queued);
    clock.advance(60_000);
    assert_eq!(runtime.wait(&waiting[2]).await, Ok(RunStatus::Completed));
}

/// Runs in the child only: three starts of a workflow that runs one at a time, and it waits for all of them.
#[test]
fn a_child_with_a_queue_and_no_test_of_its_own() {
    let Ok(folder) = std::env::var("SIGNALBOX_TEST_QUEUE") else { return };
    let folder = Path::new(&folder);
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
    waiting.block_on(async {
        let runtime = staying(folder);
        let mut runs = Vec::new();
        for _ in 0..3 {
            runs.push(start(&runtime, one_at_a_time()).await.expect("is taken").run_id());
        }
        let_go(folder);
        for run in &runs {
            let _ = runtime.wait(run).await;
        }
    });
}

#[tokio::test]
async fn killed_at_each_point_of_an_admission_nothing_is_lost_or_doubled() {
    for point in [Point::Queued, Point::Admitted, Point::TakenOver, Point::Born, Point::Committed, Point::Decided] {
        for nth in 1..=2 {
            let dir = tempfile::tempdir().expect("a folder");
            let job = format!("{}:{nth}", point.name());
            let status = Command::new(std::env::current_exe().expect("the test binary has a path"))
                .args(["--exact", "limits::a_child_with_a_queue_and_no_test_of_its_own", "--nocapture"])
                .env("SIGNALBOX_TEST_QUEUE", dir.path())
                .env("SIGNALBOX_FAILPOINT", &job)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .expect("the child ends");
            // The only creation of a run with events is the first one.
            assert!(!status.success() || (point == Point::Born && nth == 2), "{job}: the child was not killed");
            let_go(dir.path());
            let runtime = staying(dir.path());
            let runs = runtime.store().runs(&Default::default()).expect("readable").runs;
            for row in &runs {
                assert_eq!(runtime.wait(&row.run_id).await, Ok(RunStatus::Completed), "{job}: {}", row.run_id);
            }
            let mut rows = runtime.store().runs(&Default::default()).expect("readable").runs;
            rows.sort_by(|a, b| a.run_id.cmp(&b.run_id));
            for pair in rows.windows(2) {
                assert!(pair[0].ended_ms <= Some(pair[1].started_ms), "{job}: two at once, or out of order");
            }
            for row in &rows {
                let events = runtime.store().events(&row.run_id, 0, 100).expect("readable");
                let starts = events.iter().filter(|event| matches!(event.body, EventBody::WorkflowStart(_))).count();
                assert_eq!(starts, 1, "{job}");
            }
            if let Some(row) = rows.first() {
                let activity = runtime.store().workflow_activity(&row.workflow_id, 0).expect("read");
                assert_eq!((activity.waiting, activity.runs), (0, rows.len() as u64), "{job}");
            }
            // Places are free again.
            assert!(matches!(start(&runtime, one_at_a_time()).await, Ok(StartOutcome::New(_))), "{job}");
        }
    }
}
