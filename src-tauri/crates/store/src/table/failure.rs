//! `failure_group` and `failure`: failed runs and open tasks about errors, grouped by what makes them alike. A failure is written
//! in the transaction that ends the run or opens the task; those of before an upgrade are taken in later and in parts
//! (`failure_fill`). Triggers of the database keep the counts and take away what is gone. Tests:
//! `tests/store/table/failure.rs`.

use crate::error::{Error, Result};
use crate::mask::Masks;
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};
use crate::table::run::{self, RunRow};
use crate::table::task::TaskRow;
use crate::table::{run_summary, task_body};
use serde_json::Value;
use signalbox_model::base::named;
use signalbox_model::failure::{Fingerprint, fingerprint, step_of};
use signalbox_model::task::HumanTaskCreated;
use signalbox_model::{ErrorPayload, time};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 46,
    // `task` is empty for a failed run. `by_run`: the newest re-run of the failed one.
    sql: "CREATE TABLE failure_group (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, workflow_id TEXT NOT NULL,
            workflow_name TEXT NOT NULL, step TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL,
            sample TEXT NOT NULL, shape TEXT NOT NULL, first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
            open INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0
          ) STRICT;
          CREATE INDEX failure_group_newest ON failure_group (last_ms DESC, id DESC) WHERE open > 0;
          CREATE TABLE failure (
            id INTEGER PRIMARY KEY, run TEXT NOT NULL, task TEXT NOT NULL, of_group INTEGER NOT NULL, place TEXT NOT NULL,
            at_ms INTEGER NOT NULL, state TEXT NOT NULL, by_run TEXT, UNIQUE (run, task)
          ) STRICT;
          CREATE INDEX failure_open ON failure (of_group, id) WHERE state = 'open';
          CREATE INDEX failure_by_run ON failure (by_run) WHERE by_run IS NOT NULL;
          CREATE INDEX run_of_parent ON run (parent_run_id) WHERE parent_run_id IS NOT NULL;
          CREATE TRIGGER failure_added AFTER INSERT ON failure BEGIN
            UPDATE failure_group SET open = open + (NEW.state = 'open'), total = total + 1,
              first_ms = min(first_ms, NEW.at_ms), last_ms = max(last_ms, NEW.at_ms) WHERE id = NEW.of_group;
          END;
          CREATE TRIGGER failure_changed AFTER UPDATE OF state ON failure WHEN OLD.state <> NEW.state BEGIN
            UPDATE failure_group SET open = open + (NEW.state = 'open') - (OLD.state = 'open') WHERE id = NEW.of_group;
          END;
          CREATE TRIGGER failure_removed AFTER DELETE ON failure BEGIN
            UPDATE failure_group SET open = open - (OLD.state = 'open'), total = total - 1,
              sample = CASE WHEN total = 1 THEN '' ELSE sample END WHERE id = OLD.of_group;
            DELETE FROM failure_group WHERE id = OLD.of_group AND total = 0
              AND NOT EXISTS (SELECT 1 FROM replay WHERE of_group = OLD.of_group);
          END;
          CREATE TRIGGER failure_of_task AFTER UPDATE OF state ON task WHEN OLD.state = 'open' AND NEW.state <> 'open' BEGIN
            UPDATE failure SET state = 'answered' WHERE run = NEW.run AND task = NEW.id AND state = 'open';
          END;
          CREATE TRIGGER failure_of_run AFTER DELETE ON run BEGIN
            DELETE FROM failure WHERE run = OLD.id;
          END;
          CREATE TABLE failure_fill (id INTEGER PRIMARY KEY CHECK (id = 1), before_ms INTEGER NOT NULL, before_run TEXT NOT NULL) STRICT;
          INSERT INTO failure_fill (id, before_ms, before_run) SELECT 1, 9223372036854775807, ''
            WHERE EXISTS (SELECT 1 FROM run);",
}];

/// Letters of a message that are kept as an example.
const SAMPLE: usize = 400;

/// A group of failures that are alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureGroup {
    /// Its key.
    pub key: String,
    /// The same for groups that differ only in the shape of the input.
    pub kind: String,
    /// Id of the workflow.
    pub workflow_id: String,
    /// Its name, when it failed last.
    pub workflow_name: String,
    /// The step, without iterations.
    pub step: String,
    /// Code of the error; may be empty.
    pub code: String,
    /// The message without its values.
    pub message: String,
    /// The newest message, with masks.
    pub sample: String,
    /// The shape of the input.
    pub shape: String,
    /// The first one, milliseconds since 1970.
    pub first_ms: i64,
    /// The last one, milliseconds since 1970.
    pub last_ms: i64,
    /// Failures that nobody has dealt with.
    pub open: u64,
    /// All that are still stored.
    pub total: u64,
}

/// A failure of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureRow {
    /// Its number: later ones have larger ones.
    pub id: i64,
    /// The run.
    pub run_id: String,
    /// The open task about it; none when the run has failed.
    pub task_id: Option<String>,
    /// The failed step, with its path.
    pub place: String,
    /// When, milliseconds since 1970.
    pub at_ms: i64,
    /// Where it stands.
    pub state: FailureState,
    /// The newest re-run of its run.
    pub by_run: Option<String>,
}

/// Where a failure stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureState {
    /// Nobody has dealt with it.
    Open,
    /// Its run was re-run.
    Rerun,
    /// Its task was answered or closed.
    Answered,
}

impl FailureState {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "open" => Some(Self::Open),
            "rerun" => Some(Self::Rerun),
            "answered" => Some(Self::Answered),
            _ => None,
        }
    }
}

/// Which groups to list.
#[derive(Debug, Clone, Default)]
pub struct FailureQuery {
    /// Only of this workflow (id).
    pub workflow: Option<String>,
    /// At most so many; 0 means 50. Never more than 500.
    pub limit: usize,
    /// Behind this group: the time and the number of the last one of the page before.
    pub after: Option<(i64, i64)>,
}

/// A page of groups, those that failed last first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureGroups {
    /// The groups.
    pub groups: Vec<FailureGroup>,
    /// Asks for the next page.
    pub next: Option<(i64, i64)>,
    /// Groups of all pages.
    pub total: u64,
    /// Failures of before an upgrade are still being taken in.
    pub filling: bool,
}

/// What is known of a failure when it happens.
struct New<'a> {
    run: &'a str,
    task: &'a str,
    workflow: (&'a str, &'a str),
    place: &'a str,
    error: Option<&'a ErrorPayload>,
    code: &'a str,
    message: &'a str,
    at_ms: i64,
}

fn put(connection: &Connection, new: &New<'_>, state: &str) -> Result<()> {
    let none = Value::Null;
    let input = new.error.and_then(|error| error.details.as_ref()?.get("input")).unwrap_or(&none);
    let mut masks = Masks::new(&[]);
    masks.input(input);
    let message = masks.text(new.message);
    let step = step_of(new.place);
    let print = fingerprint(new.workflow.0, &step, new.code, &message, input);
    let sample: String = message.chars().take(SAMPLE).collect();
    // Most failures are like the one before: then nothing of their group is written anew but its counts.
    let same: Option<i64> = connection
        .prepare_cached(
            "SELECT id FROM failure_group WHERE key = ?1 AND (last_ms > ?4 OR (sample = ?2 AND workflow_name = ?3))",
        )?
        .query_row(params![print.key, sample, new.workflow.1, new.at_ms], |row| row.get(0))
        .optional()?;
    let group = match same {
        Some(group) => group,
        None => put_group(connection, new, &step, &print, &sample)?,
    };
    connection
        .prepare_cached(
            "INSERT INTO failure (run, task, of_group, place, at_ms, state) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        )?
        .execute(params![new.run, new.task, group, new.place, new.at_ms, state])?;
    Ok(())
}

/// A group that is new, or that another name or example stands for now.
fn put_group(connection: &Connection, new: &New<'_>, step: &str, print: &Fingerprint, sample: &str) -> Result<i64> {
    let mut statement = connection.prepare_cached(
            "INSERT INTO failure_group (key, kind, workflow_id, workflow_name, step, code, message, sample, shape, first_ms, last_ms) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10) \
             ON CONFLICT (key) DO UPDATE SET sample = CASE WHEN ?10 >= failure_group.last_ms THEN ?8 ELSE failure_group.sample END, \
               workflow_name = CASE WHEN ?10 >= failure_group.last_ms THEN ?4 ELSE failure_group.workflow_name END RETURNING id",
    )?;
    let (workflow, name) = new.workflow;
    let values =
        params![print.key, print.kind, workflow, name, step, new.code, print.message, sample, print.shape, new.at_ms];
    Ok(statement.query_row(values, |row| row.get(0))?)
}

/// The call inside a container that failed it, and so on inwards, as far as the errors tell.
fn innermost(error: &ErrorPayload) -> ErrorPayload {
    let mut error = error.clone();
    // A payload holds no deeper nesting than a workflow has.
    for _ in 0..32 {
        let child = error.details.as_ref().and_then(|details| details.get("childErrors")?.as_array()?.first());
        match child.and_then(|child| serde_json::from_value(child.clone()).ok()) {
            Some(inner) => error = inner,
            None => break,
        }
    }
    error
}

/// Where the call stands that an error comes from: its log has it with its path.
fn place_of(connection: &Connection, run: &str, error: &ErrorPayload) -> Result<Option<String>> {
    let Some(at_ms) = time::parse(&error.timestamp) else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT path FROM run_event WHERE id > (SELECT no << 32 FROM run WHERE id = ?1) \
         AND id < (SELECT (no + 1) << 32 FROM run WHERE id = ?1) AND type = 'step_error' AND node = ?2 AND ts = ?3 ORDER BY id LIMIT 1",
    )?;
    let path: Option<Option<String>> =
        statement.query_row(params![run, error.origin_node, at_ms], |row| row.get(0)).optional()?;
    Ok(path.map(|path| named(path.as_deref(), &error.origin_node)))
}

/// What a failed run tells of its error.
#[derive(Debug, Clone)]
pub(crate) struct FailedWith {
    pub(crate) step: Option<String>,
    pub(crate) code: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) error: Option<Box<ErrorPayload>>,
}

/// A run has failed.
pub(crate) fn run_failed(connection: &Connection, run_id: &str, with: &FailedWith, at_ms: i64) -> Result<()> {
    let (workflow, name) = run::workflow(connection, run_id)?;
    failed(connection, run_id, (&workflow, &name), with, at_ms, "open")
}

fn failed(
    connection: &Connection,
    run_id: &str,
    workflow: (&str, &str),
    with: &FailedWith,
    at_ms: i64,
    state: &str,
) -> Result<()> {
    let Some(step) = &with.step else { return Ok(()) };
    let inner = with.error.as_deref().map(innermost);
    // Also of a step by that name: it may be in an iteration.
    let place = match &inner {
        Some(inner) => place_of(connection, run_id, inner)?,
        None => None,
    };
    // Where the log names no call, the container itself begins again.
    let error = if place.is_some() { inner.as_ref() } else { with.error.as_deref() };
    let new = New {
        run: run_id,
        task: "",
        workflow,
        place: place.as_deref().unwrap_or(step),
        error,
        code: error.map(ErrorPayload::code).or(with.code.as_deref()).unwrap_or_default(),
        message: error.map(|error| error.message.as_str()).or(with.message.as_deref()).unwrap_or_default(),
        at_ms,
    };
    put(connection, &new, state)
}

/// A task about an error was opened; others are no failures.
pub(crate) fn task_opened(connection: &Connection, row: &TaskRow, error: Option<&ErrorPayload>) -> Result<()> {
    let Some(error) = error else { return Ok(()) };
    let place = named(row.path.as_deref(), &row.node);
    let new = New {
        run: &row.run_id,
        task: &row.id,
        workflow: (&row.workflow_id, &row.workflow_name),
        place: &place,
        error: Some(error),
        code: error.code(),
        message: &error.message,
        at_ms: row.created_ms,
    };
    put(connection, &new, "open")
}

/// A run has begun that repeats a part of another one.
pub(crate) fn rerun(connection: &Connection, parent: &str, run: &str) -> Result<()> {
    connection
        .prepare_cached("UPDATE failure SET state = 'rerun', by_run = ?2 WHERE run = ?1")?
        .execute([parent, run])?;
    Ok(())
}

/// A re-run was cancelled, and nothing replaces it: what it was to mend stands open again, unless its task is over.
pub(crate) fn rerun_cancelled(connection: &Connection, run: &str) -> Result<()> {
    connection
        .prepare_cached("UPDATE failure SET state = 'open', by_run = NULL WHERE by_run = ? AND task = ''")?
        .execute([run])?;
    Ok(())
}

/// Takes in at most `most` failed runs of before an upgrade, and all open tasks with the first ones; says whether more are left.
pub(crate) fn fill(connection: &Connection, most: usize) -> Result<bool> {
    let at: Option<(i64, String)> = connection
        .prepare_cached("SELECT before_ms, before_run FROM failure_fill")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((before_ms, before_run)) = at else { return Ok(false) };
    if before_ms == i64::MAX {
        fill_tasks(connection)?;
    }
    let mut statement = connection.prepare_cached(
        "SELECT id, started_ms FROM run WHERE status = 'failed' AND (started_ms, id) < (?1, ?2) ORDER BY started_ms DESC, id DESC LIMIT ?3",
    )?;
    let rows =
        statement.query_map(params![before_ms, before_run, most as u64], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let runs: Vec<(String, i64)> = rows.collect::<sql::Result<_>>()?;
    for (id, _) in &runs {
        let Some(row) = run::get(connection, id)? else { continue };
        fill_run(connection, &row)?;
    }
    match runs.last().filter(|_| runs.len() == most) {
        Some((id, started_ms)) => {
            connection
                .prepare_cached("UPDATE failure_fill SET before_ms = ?, before_run = ?")?
                .execute(params![started_ms, id])?;
            Ok(true)
        }
        None => {
            connection.execute("DELETE FROM failure_fill", [])?;
            Ok(false)
        }
    }
}

fn fill_run(connection: &Connection, row: &RunRow) -> Result<()> {
    let summary: Option<Value> = run_summary::get(connection, &row.run_id)?;
    let error = summary.and_then(|mut summary| serde_json::from_value(summary.get_mut("error")?.take()).ok());
    let with = FailedWith {
        step: row.failed_step.clone(),
        code: row.error_code.clone(),
        message: row.error_message.clone(),
        error: error.map(Box::new),
    };
    let by: Option<String> = connection
        .prepare_cached("SELECT id FROM run WHERE parent_run_id = ? ORDER BY started_ms DESC LIMIT 1")?
        .query_row([&row.run_id], |row| row.get(0))
        .optional()?;
    let at_ms = row.ended_ms.unwrap_or(row.started_ms);
    failed(connection, &row.run_id, (&row.workflow_id, &row.workflow_name), &with, at_ms, "open")?;
    match by {
        Some(by) => rerun(connection, &row.run_id, &by),
        None => Ok(()),
    }
}

fn fill_tasks(connection: &Connection) -> Result<()> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM task WHERE state = 'open' AND error_code IS NOT NULL")?;
    let open: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<sql::Result<_>>()?;
    for id in open {
        let Some(row) = crate::table::task::uncounted(connection, &id)? else { continue };
        let body = task_body::get(connection, &id, task_body::CREATED)?;
        if let Some(created) = body.and_then(|body| serde_json::from_value::<HumanTaskCreated>(body).ok()) {
            task_opened(connection, &row, created.error.as_deref())?;
        }
    }
    Ok(())
}

const GROUP: &str =
    "key, kind, workflow_id, workflow_name, step, code, message, sample, shape, first_ms, last_ms, open, total, id";

fn read_group(row: &Row<'_>) -> sql::Result<(FailureGroup, i64)> {
    let group = FailureGroup {
        key: row.get(0)?,
        kind: row.get(1)?,
        workflow_id: row.get(2)?,
        workflow_name: row.get(3)?,
        step: row.get(4)?,
        code: row.get(5)?,
        message: row.get(6)?,
        sample: row.get(7)?,
        shape: row.get(8)?,
        first_ms: row.get(9)?,
        last_ms: row.get(10)?,
        open: row.get(11)?,
        total: row.get(12)?,
    };
    Ok((group, row.get(13)?))
}

/// Groups with open failures.
pub(crate) fn groups(connection: &Connection, query: &FailureQuery) -> Result<FailureGroups> {
    let limit = if query.limit == 0 { 50 } else { query.limit.min(500) };
    let (after_ms, after_id) = query.after.unwrap_or((i64::MAX, i64::MAX));
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {GROUP} FROM failure_group WHERE open > 0 AND (?1 IS NULL OR workflow_id = ?1) AND (last_ms, id) < (?2, ?3) \
         ORDER BY last_ms DESC, id DESC LIMIT ?4"
    ))?;
    let rows = statement.query_map(params![query.workflow, after_ms, after_id, limit as u64 + 1], read_group)?;
    let mut found: Vec<(FailureGroup, i64)> = rows.collect::<sql::Result<_>>()?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|(group, id)| (group.last_ms, *id));
    let total = connection
        .prepare_cached("SELECT count(*) FROM failure_group WHERE open > 0 AND (?1 IS NULL OR workflow_id = ?1)")?
        .query_row(params![query.workflow], |row| row.get(0))?;
    let filling = connection.prepare_cached("SELECT 1 FROM failure_fill")?.exists([])?;
    Ok(FailureGroups { groups: found.into_iter().map(|(group, _)| group).collect(), next, total, filling })
}

/// A group and its number.
pub(crate) fn group(connection: &Connection, key: &str) -> Result<Option<(FailureGroup, i64)>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {GROUP} FROM failure_group WHERE key = ?"))?;
    Ok(statement.query_row([key], read_group).optional()?)
}

pub(crate) const FAILURE: &str = "id, run, task, place, at_ms, state, by_run";

pub(crate) fn read(row: &Row<'_>) -> sql::Result<FailureRow> {
    let task: String = row.get(2)?;
    let state: String = row.get(5)?;
    let state =
        FailureState::parse(&state).ok_or_else(|| sql::Error::InvalidColumnType(5, state.clone(), sql::Type::Text))?;
    Ok(FailureRow {
        id: row.get(0)?,
        run_id: row.get(1)?,
        task_id: (!task.is_empty()).then_some(task),
        place: row.get(3)?,
        at_ms: row.get(4)?,
        state,
        by_run: row.get(6)?,
    })
}

/// Open failures of a group, the newest first, below `before`.
pub(crate) fn open(connection: &Connection, group: i64, before: Option<i64>, limit: usize) -> Result<Vec<FailureRow>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {FAILURE} FROM failure WHERE of_group = ?1 AND state = 'open' AND id < ?2 ORDER BY id DESC LIMIT ?3"
    ))?;
    let rows = statement.query_map(params![group, before.unwrap_or(i64::MAX), limit as u64], read)?;
    Ok(rows.collect::<sql::Result<_>>()?)
}

pub(crate) fn get(connection: &Connection, id: i64) -> Result<Option<FailureRow>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {FAILURE} FROM failure WHERE id = ?"))?;
    Ok(statement.query_row([id], read).optional()?)
}

pub(crate) fn unknown_group(key: &str) -> Error {
    Error::UnknownFailures { group: key.into() }
}
