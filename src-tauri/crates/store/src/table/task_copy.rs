//! `task_destination`: services that tasks are copied to, and `task_copy`: the outbox, one row for each task and destination
//! with what is to stand there (`wanted`) and what does (`sent`). It is written in the transaction of the task, so neither is
//! there without the other; changes that were not sent yet become one. Tests: `tests/store/table/task_copy.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};
use crate::table::task::{self, TaskRow};
use serde::{Deserialize, Serialize};
use serde_json::json;
use signalbox_model::{TaskState, time};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 48,
    // `busy`, `busy_ms`, `failures`, `next_ms`: as in `webhook`. `opened`: how often a link or the address of decisions was
    // only looked at. `creating_ms`: since when it is not known whether an entry was created. `since_ms`: from when the time
    // of what is wanted counts; null until it is tried. `due_ms`: when it is sent next; null when it stands there or was given
    // up.
    sql: "CREATE TABLE task_destination (
            id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, rules TEXT NOT NULL, config TEXT NOT NULL, here INTEGER NOT NULL,
            made_by TEXT NOT NULL, made_ms INTEGER NOT NULL, busy TEXT, busy_ms INTEGER, failures INTEGER NOT NULL DEFAULT 0,
            next_ms INTEGER, opened INTEGER NOT NULL DEFAULT 0
          ) STRICT;
          CREATE TABLE task_copy (
            id TEXT PRIMARY KEY NOT NULL, destination TEXT NOT NULL, task TEXT NOT NULL, wanted TEXT NOT NULL, sent TEXT,
            remote TEXT, external_id TEXT, creating_ms INTEGER, closed INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0, since_ms INTEGER, due_ms INTEGER, tried_ms INTEGER, error TEXT, note TEXT,
            opened INTEGER NOT NULL DEFAULT 0, UNIQUE (destination, task)
          ) STRICT;
          CREATE INDEX task_copy_due ON task_copy (destination, due_ms) WHERE due_ms IS NOT NULL;
          CREATE INDEX task_copy_of_task ON task_copy (task);
          CREATE INDEX task_copy_external ON task_copy (destination, external_id);
          CREATE TABLE task_decision_seen (
            destination TEXT NOT NULL, key TEXT NOT NULL, until_ms INTEGER NOT NULL, PRIMARY KEY (destination, key)
          ) STRICT, WITHOUT ROWID;",
}];

/// Which tasks go to a destination; an empty list is all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskRules {
    /// Ids of workflows.
    pub workflows: Vec<String>,
    /// `user:…` or `group:…`: who has the task, or may take it.
    pub assignees: Vec<String>,
    /// Least priority.
    pub min_priority: u8,
}

impl TaskRules {
    fn takes(&self, row: &TaskRow) -> bool {
        let mut people = row.assignee.iter().chain(&row.candidate_groups);
        (self.workflows.is_empty() || self.workflows.contains(&row.workflow_id))
            && (self.assignees.is_empty() || people.any(|one| self.assignees.contains(one)))
            && row.priority >= self.min_priority
    }
}

/// A service that tasks are copied to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskDestination {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Which tasks.
    pub rules: TaskRules,
    /// JSON of whoever made it: how the service is called.
    pub config: String,
    /// A person on this machine allowed an address of it.
    pub here: bool,
    /// Who made it.
    pub made_by: String,
    /// Milliseconds since 1970.
    pub made_ms: i64,
    /// Attempts in a row that failed.
    pub failures: u32,
    /// It is left alone until then, milliseconds since 1970.
    pub next_ms: Option<i64>,
    /// How often its address of decisions was only looked at.
    pub opened: u64,
}

/// A task at a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskCopy {
    /// Random; marks the entry at the service.
    pub id: String,
    /// The destination.
    pub destination: String,
    /// The task.
    pub task: String,
    /// What is to stand there (JSON).
    pub wanted: String,
    /// What stands there.
    pub sent: Option<String>,
    /// What the service said of the entry (JSON object); absent before it is known to be there.
    pub remote: Option<String>,
    /// Its id at the service.
    pub external_id: Option<String>,
    /// Since when it is not known whether the entry was created.
    pub creating_ms: Option<i64>,
    /// Nothing is sent any more: the task ended, and the entry is closed or was never created.
    pub closed: bool,
    /// Attempts of what is wanted now.
    pub attempts: u32,
    /// From when its time counts.
    pub since_ms: Option<i64>,
    /// When it is sent next; absent when it stands there or was given up.
    pub due_ms: Option<i64>,
    /// When it was tried last.
    pub tried_ms: Option<i64>,
    /// Why it does not stand there.
    pub error: Option<String>,
    /// Why a decision from there was not taken.
    pub note: Option<String>,
    /// How often its link was opened.
    pub opened: u64,
}

/// How many copies of a destination stand where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskCopyCounts {
    /// They are sent, or sent again.
    pub waiting: u64,
    /// They were given up.
    pub failed: u64,
    /// Their tasks are open.
    pub open: u64,
}

/// What came of an attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskCopyTried {
    /// When, milliseconds since 1970.
    pub at_ms: i64,
    /// What stands there now; absent when the attempt failed.
    pub sent: Option<String>,
    /// What is known of the entry, with its id.
    pub remote: Option<(String, String)>,
    /// Whether it was created is not known.
    pub unknown: bool,
    /// It is closed there.
    pub closed: bool,
    /// Why it failed.
    pub error: Option<String>,
    /// When it is tried again; absent when it is given up, or stands there.
    pub again_ms: Option<i64>,
    /// Until when the destination is left alone; absent when it answered as it should.
    pub next_ms: Option<i64>,
}

const DESTINATION: &str =
    "SELECT id, name, rules, config, here, made_by, made_ms, failures, next_ms, opened FROM task_destination";

fn read(row: &Row<'_>) -> sql::Result<TaskDestination> {
    Ok(TaskDestination {
        id: row.get(0)?,
        name: row.get(1)?,
        rules: serde_json::from_str(&row.get::<_, String>(2)?).unwrap_or_default(),
        config: row.get(3)?,
        here: row.get(4)?,
        made_by: row.get(5)?,
        made_ms: row.get(6)?,
        failures: row.get(7)?,
        next_ms: row.get(8)?,
        opened: row.get(9)?,
    })
}

/// The oldest first.
pub(crate) fn all(connection: &Connection) -> Result<Vec<TaskDestination>> {
    let mut statement = connection.prepare_cached(&format!("{DESTINATION} ORDER BY made_ms, id"))?;
    Ok(statement.query_map([], read)?.collect::<sql::Result<_>>()?)
}

pub(crate) fn get(connection: &Connection, id: &str) -> Result<Option<TaskDestination>> {
    let mut statement = connection.prepare_cached(&format!("{DESTINATION} WHERE id = ?"))?;
    Ok(statement.query_row([id], read).optional()?)
}

pub(crate) fn insert(connection: &Connection, one: &TaskDestination) -> Result<()> {
    let rules = serde_json::to_string(&one.rules).unwrap_or_default();
    connection.execute(
        "INSERT INTO task_destination (id, name, rules, config, here, made_by, made_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
        params![one.id, one.name, rules, one.config, one.here, one.made_by, one.made_ms],
    )?;
    Ok(())
}

/// Takes a destination away; what stands there stays there.
pub(crate) fn remove(connection: &Connection, id: &str) -> Result<bool> {
    connection.execute("DELETE FROM task_copy WHERE destination = ?", [id])?;
    connection.execute("DELETE FROM task_decision_seen WHERE destination = ?", [id])?;
    Ok(connection.execute("DELETE FROM task_destination WHERE id = ?", [id])? > 0)
}

pub(crate) fn counts(connection: &Connection, id: &str) -> Result<TaskCopyCounts> {
    let mut statement = connection.prepare_cached(
        "SELECT count(due_ms), count(*) FILTER (WHERE due_ms IS NULL AND error IS NOT NULL), count(*) FILTER (WHERE closed = 0) \
         FROM task_copy WHERE destination = ?",
    )?;
    Ok(statement
        .query_row([id], |row| Ok(TaskCopyCounts { waiting: row.get(0)?, failed: row.get(1)?, open: row.get(2)? }))?)
}

/// What stands at a destination: what lists show to everybody. Its texts were masked when the row was made; input,
/// instructions, notes and corrections are not in it. Every field is there, so that templates may name it.
fn wanted(row: &TaskRow) -> String {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let moment = |value: Option<i64>| value.map(time::format).unwrap_or_default();
    let actions: Vec<&str> = row.actions.iter().map(|action| action.as_str()).collect();
    json!({
        "id": row.id, "runId": row.run_id, "workflowId": row.workflow_id, "workflowName": row.workflow_name,
        "step": row.node_title.as_ref().unwrap_or(&row.node), "kind": row.kind, "reason": row.reason,
        "state": row.state, "open": row.state == TaskState::Open, "title": row.title, "severity": row.severity,
        "priority": row.priority, "assignee": text(&row.assignee), "candidateGroups": row.candidate_groups,
        "actions": actions, "createdAt": time::format(row.created_ms), "expiresAt": moment(row.expires_ms),
        "escalationLevel": row.escalation_level,
        "overdue": row.escalation_level > 0 || row.state == TaskState::Expired,
        "errorType": text(&row.error_type), "errorCode": text(&row.error_code), "errorMessage": text(&row.error_message),
        "action": row.action.map(|action| action.as_str()).unwrap_or_default(), "decidedBy": text(&row.decided_by),
        "decidedAt": moment(row.decided_ms),
    })
    .to_string()
}

/// Says to every destination what the task is now.
fn follow(connection: &Connection, row: &TaskRow) -> Result<()> {
    let destinations = all(connection)?;
    if destinations.is_empty() {
        return Ok(());
    }
    let wanted = wanted(row);
    for one in destinations {
        let known: Option<String> = connection
            .prepare_cached("SELECT wanted FROM task_copy WHERE destination = ? AND task = ? AND closed = 0")?
            .query_row([&one.id, &row.id], |row| row.get(0))
            .optional()?;
        match known {
            Some(known) if known == wanted => {}
            Some(_) => {
                connection
                    .prepare_cached(
                        "UPDATE task_copy SET wanted = ?3, due_ms = 0, since_ms = NULL, attempts = 0 \
                         WHERE destination = ?1 AND task = ?2 AND closed = 0",
                    )?
                    .execute(params![one.id, row.id, wanted])?;
            }
            None if row.state == TaskState::Open && one.rules.takes(row) => {
                connection
                    .prepare_cached(
                        "INSERT OR IGNORE INTO task_copy (id, destination, task, wanted, due_ms) \
                         VALUES (lower(hex(randomblob(16))), ?, ?, ?, 0)",
                    )?
                    .execute(params![one.id, row.id, wanted])?;
            }
            None => {}
        }
    }
    Ok(())
}

/// Keeps a new task, and says so to its destinations.
pub(crate) fn created(connection: &Connection, row: &TaskRow) -> Result<()> {
    task::insert(connection, row)?;
    follow(connection, row)
}

/// [`task::update`], and says so to the destinations of the task.
pub(crate) fn changed(connection: &Connection, row: &TaskRow) -> Result<bool> {
    let changed = task::update(connection, row)?;
    if changed {
        follow(connection, row)?;
    }
    Ok(changed)
}

const COPY: &str = "SELECT id, destination, task, wanted, sent, remote, external_id, creating_ms, closed, attempts, since_ms, \
     due_ms, tried_ms, error, note, opened FROM task_copy";

fn read_copy(row: &Row<'_>) -> sql::Result<TaskCopy> {
    Ok(TaskCopy {
        id: row.get(0)?,
        destination: row.get(1)?,
        task: row.get(2)?,
        wanted: row.get(3)?,
        sent: row.get(4)?,
        remote: row.get(5)?,
        external_id: row.get(6)?,
        creating_ms: row.get(7)?,
        closed: row.get(8)?,
        attempts: row.get(9)?,
        since_ms: row.get(10)?,
        due_ms: row.get(11)?,
        tried_ms: row.get(12)?,
        error: row.get(13)?,
        note: row.get(14)?,
        opened: row.get(15)?,
    })
}

pub(crate) fn of_task(connection: &Connection, task: &str) -> Result<Vec<TaskCopy>> {
    let mut statement = connection.prepare_cached(&format!("{COPY} WHERE task = ? ORDER BY rowid"))?;
    Ok(statement.query_map([task], read_copy)?.collect::<sql::Result<_>>()?)
}

pub(crate) fn copy(connection: &Connection, id: &str) -> Result<Option<TaskCopy>> {
    let mut statement = connection.prepare_cached(&format!("{COPY} WHERE id = ?"))?;
    Ok(statement.query_row([id], read_copy).optional()?)
}

/// The newest first.
pub(crate) fn log(connection: &Connection, destination: Option<&str>, limit: usize) -> Result<Vec<TaskCopy>> {
    let mut statement = connection
        .prepare_cached(&format!("{COPY} WHERE ?1 IS NULL OR destination = ?1 ORDER BY rowid DESC LIMIT ?2"))?;
    let rows = statement.query_map(params![destination, limit as u64], read_copy)?;
    Ok(rows.collect::<sql::Result<_>>()?)
}

/// The copy with this id at the service.
pub(crate) fn external(connection: &Connection, destination: &str, id: &str) -> Result<Option<TaskCopy>> {
    let mut statement = connection
        .prepare_cached(&format!("{COPY} WHERE destination = ? AND external_id = ? ORDER BY rowid DESC LIMIT 1"))?;
    Ok(statement.query_row([destination, id], read_copy).optional()?)
}

/// It is due at its time, and at once where the clock was put back since it was tried.
const IS_DUE: &str = "due_ms IS NOT NULL AND (due_ms <= ?1 OR coalesce(tried_ms, 0) > ?1)";

/// The destinations that something is to be sent to now, whoever is sending there.
pub(crate) fn due(connection: &Connection, now_ms: i64) -> Result<Vec<TaskDestination>> {
    let mut statement = connection.prepare_cached(&format!(
        "{DESTINATION} WHERE id IN (SELECT destination FROM task_copy WHERE {IS_DUE}) ORDER BY made_ms, id"
    ))?;
    Ok(statement.query_map([now_ms], read)?.collect::<sql::Result<_>>()?)
}

/// Who sends to a destination now, and until when they may.
pub(crate) fn busy(connection: &Connection, id: &str) -> Result<Option<(String, i64)>> {
    let mut statement =
        connection.prepare_cached("SELECT busy, busy_ms FROM task_destination WHERE id = ? AND busy IS NOT NULL")?;
    Ok(statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// Says so.
pub(crate) fn occupy(connection: &Connection, id: &str, by: &str, until_ms: i64) -> Result<()> {
    connection
        .prepare_cached("UPDATE task_destination SET busy = ?2, busy_ms = ?3 WHERE id = ?1")?
        .execute(params![id, by, until_ms])?;
    Ok(())
}

/// The next copy that is due, or this one; its time counts from now on where it did not yet.
pub(crate) fn next(
    connection: &Connection,
    destination: &str,
    only: Option<&str>,
    now_ms: i64,
) -> Result<Option<TaskCopy>> {
    let mut statement = connection.prepare_cached(&format!(
        "{COPY} WHERE destination = ?2 AND (?3 IS NULL OR id = ?3) AND {IS_DUE} ORDER BY due_ms, rowid LIMIT 1"
    ))?;
    let Some(found) = statement.query_row(params![now_ms, destination, only], read_copy).optional()? else {
        return Ok(None);
    };
    if found.since_ms.is_none() {
        connection
            .prepare_cached("UPDATE task_copy SET since_ms = ?2 WHERE id = ?1")?
            .execute(params![found.id, now_ms])?;
    }
    Ok(Some(TaskCopy { since_ms: found.since_ms.or(Some(now_ms)), ..found }))
}

/// From now on it is not known whether an entry was created.
pub(crate) fn creating(connection: &Connection, id: &str, at_ms: i64) -> Result<()> {
    connection
        .prepare_cached("UPDATE task_copy SET creating_ms = coalesce(creating_ms, ?2) WHERE id = ?1")?
        .execute(params![id, at_ms])?;
    Ok(())
}

/// What came of an attempt; the destination is free for the next one. What changed meanwhile is due at once.
pub(crate) fn tried(connection: &Connection, one: &TaskCopy, tried: &TaskCopyTried) -> Result<()> {
    let (remote, external) = tried.remote.clone().unzip();
    connection
        .prepare_cached(
            "UPDATE task_copy SET attempts = attempts + 1, tried_ms = ?2, error = ?3, sent = coalesce(?4, sent), \
             remote = coalesce(?5, remote), external_id = coalesce(?6, external_id), closed = ?7, \
             creating_ms = CASE WHEN ?8 = 1 THEN creating_ms END, \
             due_ms = CASE WHEN ?7 = 1 THEN NULL WHEN wanted <> ?9 THEN 0 ELSE ?10 END WHERE id = ?1",
        )?
        .execute(params![
            one.id,
            tried.at_ms,
            tried.error,
            tried.sent,
            remote,
            external,
            tried.closed,
            tried.unknown,
            one.wanted,
            tried.again_ms,
        ])?;
    connection
        .prepare_cached(
            "UPDATE task_destination SET busy = NULL, busy_ms = NULL, next_ms = ?2, \
             failures = CASE WHEN ?2 IS NULL THEN 0 ELSE failures + 1 END WHERE id = ?1",
        )?
        .execute(params![one.destination, tried.next_ms])?;
    Ok(())
}

/// Has a copy sent again now; what stands there already is written again. False when there is none, or nothing is left.
pub(crate) fn again(connection: &Connection, id: &str) -> Result<bool> {
    let found = connection
        .prepare_cached("UPDATE task_copy SET due_ms = 0, since_ms = NULL, attempts = 0 WHERE id = ? AND closed = 0")?
        .execute([id])?;
    Ok(found > 0)
}

/// Why a decision was not taken; nothing takes the note away.
pub(crate) fn note(connection: &Connection, id: &str, note: Option<&str>) -> Result<()> {
    connection.prepare_cached("UPDATE task_copy SET note = ?2 WHERE id = ?1")?.execute(params![id, note])?;
    Ok(())
}

/// Counts a look at a link; gives the copy.
pub(crate) fn opened(connection: &Connection, id: &str) -> Result<Option<TaskCopy>> {
    connection.prepare_cached("UPDATE task_copy SET opened = opened + 1 WHERE id = ?")?.execute([id])?;
    copy(connection, id)
}

/// Counts a look at the address of decisions. False when there is no such destination.
pub(crate) fn looked_at(connection: &Connection, destination: &str) -> Result<bool> {
    let found = connection
        .prepare_cached("UPDATE task_destination SET opened = opened + 1 WHERE id = ?")?
        .execute([destination])?;
    Ok(found > 0)
}

/// A webhook of this key was taken before.
pub(crate) fn is_seen(connection: &Connection, destination: &str, key: &str, now_ms: i64) -> Result<bool> {
    let mut statement = connection
        .prepare_cached("SELECT 1 FROM task_decision_seen WHERE destination = ?1 AND key = ?2 AND until_ms > ?3")?;
    Ok(statement.exists(params![destination, key, now_ms])?)
}

/// Remembers a webhook; those whose time is over are forgotten.
pub(crate) fn see(connection: &Connection, destination: &str, key: &str, now_ms: i64, until_ms: i64) -> Result<()> {
    connection.prepare_cached("DELETE FROM task_decision_seen WHERE until_ms <= ?")?.execute([now_ms])?;
    connection.prepare_cached("INSERT OR REPLACE INTO task_decision_seen VALUES (?, ?, ?)")?.execute(params![
        destination,
        key,
        until_ms
    ])?;
    Ok(())
}
