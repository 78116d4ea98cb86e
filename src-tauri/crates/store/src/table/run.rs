//! `run`: one row per run: what it is, where it stands, who drives it. Tests: `tests/store/table/run.rs`.

use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params, params_from_iter};
use signalbox_model::{RunStatus, TraceContext};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        id: 1,
        // `nodes_seq`: up to which event `run_node` is complete.
        sql: "CREATE TABLE run (
            id TEXT PRIMARY KEY NOT NULL, workflow_id TEXT NOT NULL, workflow_name TEXT NOT NULL,
            definition_hash TEXT NOT NULL, status TEXT NOT NULL, owner TEXT, epoch INTEGER NOT NULL,
            parent_run_id TEXT, started_ms INTEGER NOT NULL, ended_ms INTEGER, last_seq INTEGER NOT NULL,
            nodes_seq INTEGER NOT NULL DEFAULT 0, failed_step TEXT, error_code TEXT, error_message TEXT,
            client_run_token TEXT, started_by TEXT
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX run_newest ON run (started_ms, id);
          CREATE INDEX run_of_workflow ON run (workflow_id, started_ms, id);
          CREATE INDEX run_by_status ON run (status, started_ms, id);
          CREATE INDEX run_unfinished ON run (owner) WHERE ended_ms IS NULL;",
    },
    Migration { id: 23, sql: "ALTER TABLE run ADD COLUMN person TEXT;" },
    Migration { id: 44, sql: "ALTER TABLE run ADD COLUMN trace TEXT;" },
    Migration {
        id: 52,
        sql: "ALTER TABLE run ADD COLUMN workspace TEXT;
              CREATE INDEX run_of_workspace ON run (workspace, started_ms, id) WHERE workspace IS NOT NULL;
              CREATE INDEX run_open_in_workspace ON run (workspace) WHERE ended_ms IS NULL AND workspace IS NOT NULL;",
    },
    Migration { id: 54, sql: "ALTER TABLE run ADD COLUMN handed_to TEXT;" },
];

const COLUMNS: &str = "id, workflow_id, workflow_name, definition_hash, status, owner, epoch, parent_run_id, started_ms, \
                       ended_ms, last_seq, failed_step, error_code, error_message, client_run_token, started_by, person, \
                       trace, trial, handed_to, workspace";

/// Who drives a run: a process and the number of the take-over. A commit with an old one writes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The process: name of its lock file.
    pub instance: String,
    /// From 1, +1 with each take-over.
    pub epoch: u64,
}

/// One run, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// The run.
    pub run_id: String,
    /// Id of its workflow.
    pub workflow_id: String,
    /// Name of its workflow when it started.
    pub workflow_name: String,
    /// The pinned definition.
    pub definition_hash: String,
    /// Where it stands.
    pub status: RunStatus,
    /// Who drives it, or drove it last; absent after a release.
    pub owner: Option<Owner>,
    /// Number of the last take-over.
    pub epoch: u64,
    /// The run it was re-run from.
    pub parent_run_id: Option<String>,
    /// Milliseconds since 1970.
    pub started_ms: i64,
    /// Milliseconds since 1970.
    pub ended_ms: Option<i64>,
    /// Last committed event.
    pub last_seq: u64,
    /// The step that failed the run.
    pub failed_step: Option<String>,
    /// Code of the error that failed it.
    pub error_code: Option<String>,
    /// Message of the error that failed it.
    pub error_message: Option<String>,
    /// Token of the client that started it.
    pub client_run_token: Option<String>,
    /// What started it, when not a person on this machine.
    pub started_by: Option<String>,
    /// Who started it: `user:…`. Unknown for runs of older versions.
    pub person: Option<String>,
    /// The trace that it continues, when its caller sent one.
    pub trace: Option<TraceContext>,
    /// A try of somebody who builds; see [`signalbox_model::RunOrigin::trial`].
    pub trial: bool,
    /// What carries it out instead of a host of the history; see [`crate::Handed`].
    pub handed_to: Option<String>,
    /// The workspace that it belongs to.
    pub workspace: Option<String>,
    /// Tasks of it that wait for a person now.
    pub open_tasks: u64,
}

/// Which runs to list.
#[derive(Debug, Clone, Default)]
pub struct RunQuery {
    /// Only of this workflow.
    pub workflow: Option<String>,
    /// Only with this status.
    pub status: Option<RunStatus>,
    /// Only with this text in the name or id of the workflow, the id of the run, the failed step or the error message.
    pub text: Option<String>,
    /// Only re-runs that began from this run.
    pub parent: Option<String>,
    /// Only of one of these workspaces.
    pub workspaces: Option<Vec<String>>,
    /// At most so many; 0 means 50. Never more than 1,000.
    pub limit: usize,
    /// `next` of the page before.
    pub before: Option<String>,
}

/// One page of runs, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPage {
    /// The runs.
    pub runs: Vec<RunRow>,
    /// Asks for the next page; absent on the last one.
    pub next: Option<String>,
}

/// Reads rows, with what waits for a person counted in the same statement (index `task_of_run`).
fn select(rest: &str) -> String {
    format!(
        "SELECT {COLUMNS}, (SELECT count(*) FROM task WHERE task.run = run.id AND task.state = 'open') FROM run {rest}"
    )
}

fn read(row: &Row<'_>) -> sql::Result<RunRow> {
    let status: String = row.get(4)?;
    let epoch: u64 = row.get(6)?;
    let instance: Option<String> = row.get(5)?;
    Ok(RunRow {
        run_id: row.get(0)?,
        workflow_id: row.get(1)?,
        workflow_name: row.get(2)?,
        definition_hash: row.get(3)?,
        status: RunStatus::parse(&status)
            .ok_or_else(|| sql::Error::InvalidColumnType(4, format!("status {status}"), sql::Type::Text))?,
        owner: instance.map(|instance| Owner { instance, epoch }),
        epoch,
        parent_run_id: row.get(7)?,
        started_ms: row.get(8)?,
        ended_ms: row.get(9)?,
        last_seq: row.get(10)?,
        failed_step: row.get(11)?,
        error_code: row.get(12)?,
        error_message: row.get(13)?,
        client_run_token: row.get(14)?,
        started_by: row.get(15)?,
        person: row.get(16)?,
        trace: row.get::<_, Option<String>>(17)?.and_then(|line| TraceContext::from_line(&line)),
        trial: row.get(18)?,
        handed_to: row.get(19)?,
        workspace: row.get(20)?,
        open_tasks: row.get(21)?,
    })
}

pub(crate) fn get(connection: &Connection, run: &str) -> Result<Option<RunRow>> {
    let mut statement = connection.prepare_cached(&select("WHERE id = ?"))?;
    Ok(statement.query_row([run], read).optional()?)
}

pub(crate) fn require(connection: &Connection, run: &str) -> Result<RunRow> {
    get(connection, run)?.ok_or_else(|| Error::UnknownRun { run: run.into() })
}

pub(crate) fn exists(connection: &Connection, run: &str) -> Result<bool> {
    Ok(connection.prepare_cached("SELECT 1 FROM run WHERE id = ?")?.exists([run])?)
}

/// Id and name of the workflow of a run.
pub(crate) fn workflow(connection: &Connection, run: &str) -> Result<(String, String)> {
    let mut statement = connection.prepare_cached("SELECT workflow_id, workflow_name FROM run WHERE id = ?")?;
    let found = statement.query_row([run], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    found.ok_or_else(|| Error::UnknownRun { run: run.into() })
}

/// At most `most` runs whose id ends so, without its hyphens: the number that people are shown.
pub(crate) fn ending(connection: &Connection, end: &str, most: usize) -> Result<Vec<String>> {
    let text = "SELECT id FROM run WHERE substr(replace(id, '-', ''), -length(?1)) = ?1 ORDER BY id DESC LIMIT ?2";
    let mut statement = connection.prepare_cached(text)?;
    let ids = statement.query_map(params![end, most], |row| row.get(0))?;
    Ok(ids.collect::<sql::Result<_>>()?)
}

pub(crate) fn list(connection: &Connection, query: &RunQuery) -> Result<RunPage> {
    let limit = if query.limit == 0 { 50 } else { query.limit.min(1_000) };
    let mut filter = Filter::default();
    if let Some(workflow) = &query.workflow {
        filter.add("workflow_id = ?", workflow.clone());
    }
    if let Some(status) = query.status {
        filter.add("status = ?", status.as_str().to_owned());
    }
    if let Some(parent) = &query.parent {
        filter.add("parent_run_id = ?", parent.clone());
    }
    filter.add_workspaces("workspace", query.workspaces.as_deref());
    if let Some(text) = query.text.as_ref().map(|text| text.trim()).filter(|text| !text.is_empty()) {
        filter.contains("workflow_name, workflow_id, id, failed_step, error_message", text);
    }
    if let Some(before) = &query.before {
        let (started, id) = before
            .split_once('.')
            .and_then(|(ms, id)| Some((ms.parse::<i64>().ok()?, id)))
            .ok_or_else(|| Error::BadPage { page: before.clone(), what: "runs" })?;
        filter.add_all("(started_ms, id) < (?, ?)", [started.into(), id.to_owned().into()]);
    }
    let sql = select(&format!("{} ORDER BY started_ms DESC, id DESC LIMIT {}", filter.sql(), limit + 1));
    let mut statement = connection.prepare_cached(&sql)?;
    let mut runs = statement.query_map(params_from_iter(filter.values), read)?.collect::<sql::Result<Vec<_>>>()?;
    let more = runs.len() > limit;
    runs.truncate(limit);
    let next = runs.last().filter(|_| more).map(|run| format!("{}.{}", run.started_ms, run.run_id));
    Ok(RunPage { runs, next })
}

/// How many runs there are of each status that some run has.
pub(crate) fn counts(connection: &Connection) -> Result<Vec<(String, u64)>> {
    let mut statement =
        connection.prepare_cached("SELECT status, count(*) FROM run GROUP BY status ORDER BY status")?;
    Ok(statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<sql::Result<_>>()?)
}

/// How many runs of a workflow started since then, how many of them failed, and the newest of those.
pub(crate) fn activity(connection: &Connection, workflow: &str, since_ms: i64) -> Result<(u64, u64, Option<String>)> {
    let started: u64 = connection
        .prepare_cached("SELECT count(*) FROM run WHERE workflow_id = ? AND started_ms >= ? AND status <> 'queued'")?
        .query_row(params![workflow, since_ms], |row| row.get(0))?;
    // Ids are in the order of their starts.
    let (failed, last): (u64, Option<String>) = connection
        .prepare_cached(
            "SELECT count(*), max(id) FROM run INDEXED BY run_by_status WHERE status = 'failed' AND started_ms >= ?2 AND workflow_id = ?1",
        )?
        .query_row(params![workflow, since_ms], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok((started, failed, last))
}

/// A run that something else carries out, and that may have to be told to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedRun {
    /// The run.
    pub run_id: String,
    /// Number of the last take-over.
    pub epoch: u64,
    /// A living process carries it out now.
    pub is_driven: bool,
    /// It was asked something that no commit has consumed.
    pub is_asked: bool,
}

/// Runs that something else carries out and that have something to do, oldest first, with their owners.
pub(crate) fn handed(connection: &Connection) -> Result<Vec<(HandedRun, Option<String>)>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, epoch, owner, status, (SELECT count(*) FROM run_input WHERE run_input.run = run.id AND consumed = 0) FROM run \
         WHERE ended_ms IS NULL AND handed_to IS NOT NULL AND status <> 'queued' ORDER BY started_ms, id",
    )?;
    let read = |row: &Row<'_>| {
        let (status, asked): (String, u64) = (row.get(3)?, row.get(4)?);
        let run = HandedRun { run_id: row.get(0)?, epoch: row.get(1)?, is_driven: false, is_asked: asked > 0 };
        Ok((run, row.get::<_, Option<String>>(2)?, status == RunStatus::Paused.as_str()))
    };
    let all = statement.query_map([], read)?.collect::<sql::Result<Vec<_>>>()?;
    let has_work = |(run, _, paused): &(HandedRun, Option<String>, bool)| run.is_asked || !paused;
    Ok(all.into_iter().filter(has_work).map(|(run, owner, _)| (run, owner)).collect())
}

/// Ids and owners of runs that have not ended and that hosts of the history drive.
pub(crate) fn unfinished(connection: &Connection, paused: bool) -> Result<Vec<(String, Option<String>)>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, owner FROM run WHERE ended_ms IS NULL AND handed_to IS NULL AND status <> 'queued' AND (?1 = 1 OR status <> 'paused') \
         ORDER BY started_ms, id",
    )?;
    Ok(statement.query_map([paused], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<sql::Result<_>>()?)
}

pub(crate) fn insert(connection: &Connection, row: &RunRow) -> Result<()> {
    // The number that its events begin with. One that events of a deleted run still have is not given again, nor one whose
    // deletion is under way: it takes away events by that number to its end.
    let sql = format!(
        "INSERT INTO run ({COLUMNS}, no) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1 + max( \
           coalesce((SELECT max(no) FROM run), 0), coalesce((SELECT max(id) >> 32 FROM run_event), 0), \
           coalesce((SELECT max(no) FROM run_deleted WHERE purged = 0), 0)))"
    );
    connection.prepare_cached(&sql)?.send(params![
        row.run_id,
        row.workflow_id,
        row.workflow_name,
        row.definition_hash,
        row.status.as_str(),
        row.owner.as_ref().map(|owner| &owner.instance),
        row.epoch,
        row.parent_run_id,
        row.started_ms,
        row.ended_ms,
        row.last_seq,
        row.failed_step,
        row.error_code,
        row.error_message,
        row.client_run_token,
        row.started_by,
        row.person,
        row.trace.as_ref().map(TraceContext::line),
        row.trial,
        row.handed_to,
        row.workspace,
    ])?;
    Ok(())
}

/// The number that the run's events begin with in `run_event`.
pub(crate) fn number(connection: &Connection, run: &str) -> Result<u64> {
    let mut statement = connection.prepare_cached("SELECT no FROM run WHERE id = ?")?;
    let number: Option<u64> = statement.query_row([run], |row| row.get(0)).optional()?;
    number.ok_or_else(|| Error::UnknownRun { run: run.into() })
}

/// The fence: moves `last_seq` on only for the owner of the epoch and only from the event before.
pub(crate) fn advance(connection: &Connection, run: &str, owner: &Owner, from: u64, to: u64) -> Result<()> {
    // Only `last_seq` is set, so that no index is touched.
    let changed = connection
        .prepare_cached(
            "UPDATE run SET last_seq = ?5 WHERE id = ?1 AND owner = ?2 AND epoch = ?3 AND last_seq = ?4 AND ended_ms IS NULL",
        )?
        .execute(params![run, owner.instance, owner.epoch, from, to])?;
    if changed == 1 { Ok(()) } else { Err(Error::Fenced { run: run.into() }) }
}

pub(crate) fn set_status(connection: &Connection, run: &str, status: RunStatus) -> Result<()> {
    connection
        .prepare_cached("UPDATE run SET status = ?2 WHERE id = ?1 AND status <> ?2")?
        .send(params![run, status.as_str()])?;
    Ok(())
}

/// A run that waited for its turn has begun.
pub(crate) fn set_started(connection: &Connection, run: &str, started_ms: i64) -> Result<()> {
    connection.prepare_cached("UPDATE run SET started_ms = ?2 WHERE id = ?1")?.send(params![run, started_ms])?;
    Ok(())
}

pub(crate) fn set_end(
    connection: &Connection,
    run: &str,
    ended_ms: i64,
    failed_step: Option<&str>,
    error_code: Option<&str>,
    error_message: Option<&str>,
) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE run SET ended_ms = ?2, failed_step = ?3, error_code = ?4, error_message = ?5 WHERE id = ?1",
        )?
        .send(params![run, ended_ms, failed_step, error_code, error_message])?;
    Ok(())
}

pub(crate) fn set_owner(connection: &Connection, run: &str, instance: Option<&str>, epoch: u64) -> Result<()> {
    connection
        .prepare_cached("UPDATE run SET owner = ?2, epoch = ?3 WHERE id = ?1")?
        .send(params![run, instance, epoch])?;
    Ok(())
}

pub(crate) fn delete(connection: &Connection, run: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM run WHERE id = ?")?.execute([run])?;
    Ok(())
}
