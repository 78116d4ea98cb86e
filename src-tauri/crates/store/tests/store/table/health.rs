//! How workflows do by day.

use crate::support::{T0, commit, event, finish, new_run, raw, temporary};
use serde_json::json;
use signalbox_model::event::StepError;
use signalbox_model::{AuditEvent, ErrorPayload, ErrorType, EventBody, RunOrigin, RunStatus};
use signalbox_store::audit::{Actor, Level, RUN_LEVEL, Record};
use signalbox_store::{NewRun, RunCommit, RunEnd, Store};
use std::sync::Arc;

const DAY: i64 = 86_400_000;

pub(super) fn record(event: AuditEvent) -> Record {
    Record::new("2026-01-01T00:00:00.000Z", "r", RUN_LEVEL, event, Level::Info, Actor::system())
}

fn failed_call(code: &str) -> EventBody {
    let details = json!({ "code": code });
    let error = ErrorPayload {
        error_type: ErrorType::ToolError,
        message: "no".into(),
        retryable: false,
        origin_node: "book".into(),
        origin_run_id: None,
        attempt: None,
        max_attempts: None,
        timestamp: "2026-01-01T00:00:00.000Z".into(),
        suggested_action: None,
        provenance_ref: None,
        trace_id: None,
        details: details.as_object().cloned(),
    };
    EventBody::StepError(StepError { error: Arc::new(error), origin: None, held: None })
}

pub(super) fn ends(store: &Store, run: &str, status: RunStatus, (at_ms, took_ms): (i64, i64), trial: bool) {
    let origin = RunOrigin { trial, ..RunOrigin::default() };
    let owner = store.create_run(NewRun { started_ms: at_ms - took_ms, origin, ..new_run(run) }).expect("begins");
    let failed = status == RunStatus::Failed;
    let end = RunEnd {
        ended_ms: at_ms,
        failed_step: failed.then(|| "book".into()),
        error_code: failed.then(|| "NO_ACCOUNT".into()),
        ..RunEnd::default()
    };
    let events = if failed {
        let errors = [2, 3].map(|seq| event(run, seq, Some("book"), failed_call("NO_ACCOUNT")));
        errors.into_iter().chain([finish(run, 4)]).collect()
    } else {
        vec![finish(run, 2)]
    };
    store.commit(RunCommit { status: Some(status), end: Some(end), ..commit(run, &owner, events) }).expect("ends");
}

#[test]
fn ended_runs_are_counted_by_day_and_duration() {
    let (_folder, store) = temporary();
    let today = T0 / DAY;
    for (n, took) in [40, 123, 1_234, 61_500].into_iter().enumerate() {
        ends(&store, &format!("done-{n}"), RunStatus::Completed, (T0, took), false);
    }
    ends(&store, "failed", RunStatus::Failed, (T0 + DAY, 900), false);
    ends(&store, "cancelled", RunStatus::Cancelled, (T0 + DAY, 9_000_000), false);
    ends(&store, "trial", RunStatus::Failed, (T0 + DAY, 5), true);
    let days = store.health_days("wf", today).expect("reads");
    let told: Vec<_> = days
        .iter()
        .map(|one| (one.day - today, one.totals.completed, one.totals.failed, one.totals.cancelled))
        .collect();
    assert_eq!(told, [(0, 4, 0, 0), (1, 0, 1, 1)]);
    assert_eq!(days[0].totals.percentile(50), Some(120));
    assert_eq!(days[0].totals.percentile(95), Some(62_000));
    // How long a cancelled run took says nothing.
    assert_eq!(days[1].totals.percentile(95), Some(900));
    assert_eq!(store.health_days("wf", today + 1).expect("reads").len(), 1);
    let all = store.health_workflows(today).expect("reads");
    assert_eq!((all.len(), all[0].totals.completed, all[0].totals.failed), (1, 4, 1));
    let errors = store.health_errors("wf", today).expect("reads");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!((errors[0].step.as_str(), errors[0].code.as_str()), ("book", "NO_ACCOUNT"));
    // The day of a failed call is that of its event.
    assert_eq!((errors[0].errors, errors[0].failed), (2, 1));
    // What is counted stays when a run is deleted, and goes after a year and a month.
    store.health_sweep(T0 + 500 * DAY).expect("sweeps");
    assert!(store.health_days("wf", 0).expect("reads").is_empty());
}

#[test]
fn runs_of_before_are_counted_once() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    ends(&store, "failed", RunStatus::Failed, (T0, 1_234), false);
    let before = store.health_days("wf", 0).expect("reads");
    // As the upgrade of an older store counts them.
    let connection = raw(folder.path());
    connection.execute_batch("DELETE FROM health_run").expect("deletes");
    let upgrade = "INSERT INTO health_run SELECT workflow_id, ended_ms / 86400000, status, 1200, count(*) FROM run GROUP BY 1, 2, 3";
    connection.execute_batch(upgrade).expect("counts");
    assert_eq!(store.health_days("wf", 0).expect("reads"), before);
}

#[test]
fn codes_without_end_are_counted_together() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let owner = store.create_run(new_run("many")).expect("begins");
    let errors = (0..300_u64).map(|n| event("many", n + 2, Some("book"), failed_call(&format!("CODE_{n}")))).collect();
    store.commit(commit("many", &owner, errors)).expect("writes");
    let (rows, sum): (i64, i64) = raw(folder.path())
        .query_row("SELECT count(*), sum(errors) FROM health_error", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("reads");
    assert_eq!((rows, sum), (201, 300));
}

/// 100,000 runs: a look reads the rows of its days and no run.
#[test]
fn a_look_reads_days_and_not_runs() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let connection = raw(folder.path());
    let fill = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
        INSERT INTO run (id, workflow_id, workflow_name, definition_hash, status, epoch, started_ms, ended_ms, last_seq, no)
        SELECT printf('r%06d', i), 'wf', 'Work', 'h', CASE i % 20 WHEN 0 THEN 'failed' ELSE 'completed' END, 1,
          ?1 - (i % 30) * 86400000 - i * 7 % 60000, ?1 - (i % 30) * 86400000, 2, i + 1 FROM n";
    connection.execute(fill, [T0]).expect("fills");
    let count =
        "INSERT INTO health_run SELECT workflow_id, ended_ms / 86400000, status, (ended_ms - started_ms) / 1000 * 1000,
        count(*) FROM run GROUP BY 1, 2, 3, 4";
    connection.execute_batch(count).expect("counts");
    let began = std::time::Instant::now();
    let days = store.health_days("wf", T0 / DAY - 29).expect("reads");
    let took = began.elapsed();
    let runs: u64 = days.iter().map(|one| one.totals.completed + one.totals.failed).sum();
    assert_eq!((days.len(), runs), (30, 100_000));
    let rows: i64 = connection.query_row("SELECT count(*) FROM health_run", [], |row| row.get(0)).expect("counts");
    println!("30 days of 100,000 runs: {rows} rows, {took:?}");
    for sql in [
        "SELECT day, status, took, runs FROM health_run WHERE workflow = 'wf' AND day >= 1",
        "SELECT step, code, sum(errors), sum(failed) FROM health_error WHERE workflow = 'wf' AND day >= 1 GROUP BY step, code",
        "SELECT count(*), min(created_ms) FROM task WHERE workflow_id = 'wf' AND state = 'open'",
    ] {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("prepares");
        let lines: Vec<String> =
            plan.query_map([], |row| row.get(3)).expect("plans").map(|line| line.expect("a line")).collect();
        assert!(lines[0].starts_with("SEARCH"), "{lines:?}");
    }
}
