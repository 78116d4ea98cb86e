//! How the runs of each workflow do, by day: `health_run` (how many ended how, and how long they took) and `health_error` (which
//! steps failed with which code). Written in the transactions of the runs, so that a look reads a number of rows that depends on
//! days and not on runs (ADR 144). Tries of builders are not counted; what is counted stays when a run is deleted. Tests:
//! `tests/store/table/health.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, Row, params};
use crate::table::health_alert;
use signalbox_model::{EventBody, RunEvent, time};
use std::collections::BTreeMap;

/// Milliseconds of a day.
pub(crate) const DAY_MS: i64 = 86_400_000;

/// How long a run took, with two digits that count, so that there are few durations: `?` stands for milliseconds.
macro_rules! rounded {
    ($ms:literal) => {
        concat!(
            "CASE WHEN ",
            $ms,
            " < 100 THEN max(",
            $ms,
            ", 0) ",
            "WHEN ",
            $ms,
            " < 1000 THEN (",
            $ms,
            " + 5) / 10 * 10 ",
            "WHEN ",
            $ms,
            " < 10000 THEN (",
            $ms,
            " + 50) / 100 * 100 ",
            "WHEN ",
            $ms,
            " < 100000 THEN (",
            $ms,
            " + 500) / 1000 * 1000 ",
            "WHEN ",
            $ms,
            " < 1000000 THEN (",
            $ms,
            " + 5000) / 10000 * 10000 ",
            "WHEN ",
            $ms,
            " < 10000000 THEN (",
            $ms,
            " + 50000) / 100000 * 100000 ",
            "WHEN ",
            $ms,
            " < 100000000 THEN (",
            $ms,
            " + 500000) / 1000000 * 1000000 ",
            "WHEN ",
            $ms,
            " < 1000000000 THEN (",
            $ms,
            " + 5000000) / 10000000 * 10000000 ",
            "ELSE (",
            $ms,
            " + 50000000) / 100000000 * 100000000 END"
        )
    };
}

/// The runs that `what` chooses, as rows of `health_run`.
macro_rules! counted {
    ($what:literal) => {
        concat!(
            "INSERT INTO health_run (workflow, day, status, took, runs) ",
            "SELECT workflow_id, ended_ms / 86400000, status, ",
            rounded!("(ended_ms - started_ms)"),
            ", count(*) FROM run ",
            "WHERE ",
            $what,
            " AND ended_ms IS NOT NULL AND trial = 0 GROUP BY 1, 2, 3, 4 ",
            "ON CONFLICT DO UPDATE SET runs = health_run.runs + excluded.runs;"
        )
    };
}

/// Those of them that failed, as rows of `health_error`.
macro_rules! failures {
    ($what:literal) => {
        concat!(
            "INSERT INTO health_error (workflow, day, step, code, errors, failed) ",
            "SELECT workflow_id, ended_ms / 86400000, coalesce(failed_step, ''), coalesce(error_code, ''), 0, count(*) FROM run ",
            "WHERE ", $what, " AND status = 'failed' AND ended_ms IS NOT NULL AND trial = 0 GROUP BY 1, 2, 3, 4 ",
            "ON CONFLICT DO UPDATE SET failed = health_error.failed + excluded.failed;"
        )
    };
}

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 45,
    // `day`: days since 1970, UTC. `took`: milliseconds, rounded. `health_pending`, `health_raised` and `proof` are of the modules
    // `health_alert` and `proof`.
    sql: concat!(
        "ALTER TABLE run ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;
         CREATE TABLE health_run (
           workflow TEXT NOT NULL, day INTEGER NOT NULL, status TEXT NOT NULL, took INTEGER NOT NULL, runs INTEGER NOT NULL,
           PRIMARY KEY (workflow, day, status, took)
         ) STRICT, WITHOUT ROWID;
         CREATE TABLE health_error (
           workflow TEXT NOT NULL, day INTEGER NOT NULL, step TEXT NOT NULL, code TEXT NOT NULL, errors INTEGER NOT NULL,
           failed INTEGER NOT NULL, PRIMARY KEY (workflow, day, step, code)
         ) STRICT, WITHOUT ROWID;
         CREATE TABLE health_pending (workflow TEXT PRIMARY KEY NOT NULL, ended INTEGER NOT NULL) STRICT, WITHOUT ROWID;
         CREATE TABLE health_raised (
           alert TEXT NOT NULL, workflow TEXT NOT NULL, at_ms INTEGER NOT NULL, facts TEXT NOT NULL, PRIMARY KEY (alert, workflow)
         ) STRICT, WITHOUT ROWID;
         CREATE TABLE proof (
           workflow TEXT PRIMARY KEY NOT NULL, definition TEXT NOT NULL, at_ms INTEGER NOT NULL, score INTEGER, report TEXT NOT NULL
         ) STRICT, WITHOUT ROWID;
         CREATE INDEX task_open_of ON task (workflow_id, created_ms) WHERE state = 'open';",
        counted!("status <> 'queued'"),
        failures!("status <> 'queued'")
    ),
}];

/// Errors of one workflow on one day that are told apart; the rest is counted as [`OTHER`].
const MOST_ERRORS: usize = 200;
/// Step and code of errors that are not told apart.
const OTHER: &str = "…";
/// Days that are kept.
const KEPT_DAYS: i64 = 400;
/// Workflows in a list.
const WORKFLOWS: usize = 500;
/// Errors in an answer.
const ERRORS: usize = 50;

/// The same failure of calls of a step, in one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StepErrors {
    day: i64,
    step: String,
    code: String,
    errors: u64,
}

impl StepErrors {
    /// Of the events of a commit.
    pub(crate) fn of(events: &[RunEvent]) -> Vec<Self> {
        let mut found: BTreeMap<(i64, &str, &str), u64> = BTreeMap::new();
        for event in events {
            if let (EventBody::StepError(failed), Some(step)) = (&event.body, &event.step_id)
                && failed.held.is_none()
            {
                let day = time::parse(&event.ts).unwrap_or_default() / DAY_MS;
                *found.entry((day, step, failed.error.code())).or_default() += 1;
            }
        }
        let one = |((day, step, code), errors): ((i64, &str, &str), u64)| Self {
            day,
            step: step.to_owned(),
            code: code.to_owned(),
            errors,
        };
        found.into_iter().map(one).collect()
    }
}

/// Counts failed calls of a run.
pub(crate) fn add_errors(connection: &Connection, run: &str, errors: &[StepErrors]) -> Result<()> {
    for one in errors {
        let known = connection
            .prepare_cached(
                "UPDATE health_error SET errors = errors + ?5 WHERE day = ?2 AND step = ?3 AND code = ?4 \
                 AND workflow = (SELECT workflow_id FROM run WHERE id = ?1 AND trial = 0)",
            )?
            .execute(params![run, one.day, one.step, one.code, one.errors])?;
        if known > 0 {
            continue;
        }
        // Counted once: where there are too many to tell apart, each error comes here.
        connection
            .prepare_cached(
                "INSERT INTO health_error (workflow, day, step, code, errors, failed) \
                 WITH own AS MATERIALIZED (SELECT workflow_id, \
                   (SELECT count(*) FROM health_error WHERE workflow = workflow_id AND day = ?2) < ?6 AS told \
                   FROM run WHERE id = ?1 AND trial = 0) \
                 SELECT workflow_id, ?2, CASE WHEN told THEN ?3 ELSE ?7 END, CASE WHEN told THEN ?4 ELSE ?7 END, ?5, 0 \
                 FROM own WHERE true ON CONFLICT DO UPDATE SET errors = health_error.errors + excluded.errors",
            )?
            .execute(params![run, one.day, one.step, one.code, one.errors, MOST_ERRORS as u64, OTHER])?;
    }
    Ok(())
}

/// A run has ended: its row says how.
pub(crate) fn ended(connection: &Connection, run: &str, failed: bool) -> Result<()> {
    // Without groups: a sorter for one row costs more than its reading.
    connection
        .prepare_cached(concat!(
            "INSERT INTO health_run (workflow, day, status, took, runs) SELECT workflow_id, ended_ms / 86400000, status, ",
            rounded!("(ended_ms - started_ms)"),
            ", 1 FROM run WHERE id = ? AND ended_ms IS NOT NULL AND trial = 0 \
             ON CONFLICT DO UPDATE SET runs = health_run.runs + excluded.runs"
        ))?
        .send([run])?;
    if failed {
        connection
            .prepare_cached(
                "INSERT INTO health_error (workflow, day, step, code, errors, failed) \
                 SELECT workflow_id, ended_ms / 86400000, coalesce(failed_step, ''), coalesce(error_code, ''), 0, 1 FROM run \
                 WHERE id = ? AND status = 'failed' AND ended_ms IS NOT NULL AND trial = 0 \
                 ON CONFLICT DO UPDATE SET failed = health_error.failed + excluded.failed",
            )?
            .send([run])?;
    }
    health_alert::ended(connection, run)
}

/// Ended runs that took about as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DurationCount {
    /// From start to end, milliseconds, with two digits that count.
    pub took_ms: i64,
    /// How many.
    pub runs: u64,
}

/// How runs ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HealthTotals {
    /// Runs that completed.
    pub completed: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that were cancelled.
    pub cancelled: u64,
    /// Of completed and failed runs, the fastest first.
    pub durations: Vec<DurationCount>,
}

impl HealthTotals {
    fn add(&mut self, status: &str, took_ms: i64, runs: u64) {
        match status {
            "completed" => self.completed += runs,
            "failed" => self.failed += runs,
            _ => {
                self.cancelled += runs;
                return;
            }
        }
        self.add_duration(took_ms, runs);
    }

    fn add_duration(&mut self, took_ms: i64, runs: u64) {
        match self.durations.binary_search_by_key(&took_ms, |one| one.took_ms) {
            Ok(at) => self.durations[at].runs += runs,
            Err(at) => self.durations.insert(at, DurationCount { took_ms, runs }),
        }
    }

    /// Adds the runs of others.
    pub fn extend(&mut self, other: &Self) {
        self.completed += other.completed;
        self.failed += other.failed;
        self.cancelled += other.cancelled;
        for one in &other.durations {
            self.add_duration(one.took_ms, one.runs);
        }
    }

    /// The duration that so many percent of the runs did not exceed, milliseconds; none without a run.
    pub fn percentile(&self, percent: u64) -> Option<i64> {
        let all: u64 = self.durations.iter().map(|one| one.runs).sum();
        let wanted = (all * percent).div_ceil(100).max(1);
        let mut seen = 0;
        self.durations.iter().find_map(|one| {
            seen += one.runs;
            (seen >= wanted).then_some(one.took_ms)
        })
    }
}

/// One day of a workflow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HealthDay {
    /// Days since 1970, UTC.
    pub day: i64,
    /// How its runs ended.
    pub totals: HealthTotals,
}

/// How often a step failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthErrors {
    /// The step; empty where it is not known.
    pub step: String,
    /// Code of the error.
    pub code: String,
    /// Failed calls, retries and handled ones included.
    pub errors: u64,
    /// Runs that it failed.
    pub failed: u64,
}

/// How the runs of one workflow ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowTotals {
    /// Id of the workflow.
    pub workflow: String,
    /// Its runs.
    pub totals: HealthTotals,
}

/// The days of a workflow from `since` (days since 1970) on, the oldest first; days without an ended run are absent.
pub(crate) fn days(connection: &Connection, workflow: &str, since: i64) -> Result<Vec<HealthDay>> {
    let mut statement = connection.prepare_cached(
        "SELECT day, status, took, runs FROM health_run WHERE workflow = ?1 AND day >= ?2 ORDER BY day, status, took",
    )?;
    let mut rows = statement.query(params![workflow, since])?;
    let mut found: Vec<HealthDay> = Vec::new();
    while let Some(row) = rows.next()? {
        let day: i64 = row.get(0)?;
        if found.last().is_none_or(|last| last.day != day) {
            found.push(HealthDay { day, ..HealthDay::default() });
        }
        if let Some(last) = found.last_mut() {
            let status: String = row.get(1)?;
            last.totals.add(&status, row.get(2)?, row.get(3)?);
        }
    }
    Ok(found)
}

/// Every workflow with ended runs since then, those with the most first.
pub(crate) fn workflows(connection: &Connection, since: i64) -> Result<Vec<WorkflowTotals>> {
    let mut statement = connection.prepare_cached(
        "SELECT workflow, status, took, sum(runs) FROM health_run WHERE day >= ?1 GROUP BY workflow, status, took \
         ORDER BY workflow",
    )?;
    let mut rows = statement.query([since])?;
    let mut found: Vec<WorkflowTotals> = Vec::new();
    while let Some(row) = rows.next()? {
        let workflow: String = row.get(0)?;
        if found.last().is_none_or(|last| last.workflow != workflow) {
            found.push(WorkflowTotals { workflow, totals: HealthTotals::default() });
        }
        if let Some(last) = found.last_mut() {
            let status: String = row.get(1)?;
            last.totals.add(&status, row.get(2)?, row.get(3)?);
        }
    }
    let runs = |one: &WorkflowTotals| one.totals.completed + one.totals.failed + one.totals.cancelled;
    found.sort_by_key(|one| std::cmp::Reverse(runs(one)));
    found.truncate(WORKFLOWS);
    Ok(found)
}

/// What failed in a workflow since then, the most frequent first.
pub(crate) fn errors(connection: &Connection, workflow: &str, since: i64) -> Result<Vec<HealthErrors>> {
    let mut statement = connection.prepare_cached(
        "SELECT step, code, sum(errors), sum(failed) FROM health_error WHERE workflow = ?1 AND day >= ?2 GROUP BY step, code \
         ORDER BY 4 DESC, 3 DESC, 1, 2 LIMIT ?3",
    )?;
    let read = |row: &Row<'_>| {
        let (errors, failed): (u64, u64) = (row.get(2)?, row.get(3)?);
        // Of runs before errors were counted only the failures are known.
        Ok(HealthErrors { step: row.get(0)?, code: row.get(1)?, errors: errors.max(failed), failed })
    };
    let rows = statement.query_map(params![workflow, since, ERRORS as u64], read)?;
    Ok(rows.collect::<sql::Result<_>>()?)
}

/// How many tasks of a workflow are open, and when the oldest of them was created.
pub(crate) fn open_tasks(connection: &Connection, workflow: &str) -> Result<(u64, Option<i64>)> {
    let mut statement = connection
        .prepare_cached("SELECT count(*), min(created_ms) FROM task WHERE workflow_id = ? AND state = 'open'")?;
    Ok(statement.query_row([workflow], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// The last day with an ended run.
pub(crate) fn last_day(connection: &Connection, workflow: &str) -> Result<Option<i64>> {
    let sql = "SELECT max(day) FROM health_run WHERE workflow = ?";
    Ok(connection.prepare_cached(sql)?.query_row([workflow], |row| row.get(0))?)
}

/// The name that a workflow had at its newest start.
pub(crate) fn name(connection: &Connection, workflow: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT workflow_name FROM run WHERE workflow_id = ? ORDER BY started_ms DESC, id DESC LIMIT 1",
    )?;
    let mut rows = statement.query([workflow])?;
    Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
}

/// Forgets days of long ago.
pub(crate) fn sweep(connection: &Connection, now_ms: i64) -> Result<()> {
    let before = now_ms / DAY_MS - KEPT_DAYS;
    connection.prepare_cached("DELETE FROM health_run WHERE day < ?")?.execute([before])?;
    connection.prepare_cached("DELETE FROM health_error WHERE day < ?")?.execute([before])?;
    Ok(())
}
