//! `task_history`: what happened to a task, in order; never changed. Tests: `tests/store/table/task_history.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, params};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 15,
    sql: "CREATE TABLE task_history (
            id INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, at_ms INTEGER NOT NULL, by TEXT NOT NULL,
            what TEXT NOT NULL, text TEXT
          ) STRICT;
          CREATE INDEX task_history_of_task ON task_history (task, id);",
}];

/// One thing that happened to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskNote {
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// Who: `user:…`, or `system`.
    pub by: String,
    /// `created`, `claimed`, `released`, `reassigned`, `commented`, `snoozed`, `reminded`, `escalated`, `revealed`, `opened` (a file),
    /// `approved` (one of several), `decided`, `closed`, `sent` (a failed run, as this task).
    pub what: String,
    /// In words.
    pub text: Option<String>,
}

pub(crate) fn insert(connection: &Connection, task: &str, note: &TaskNote) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO task_history (task, at_ms, by, what, text) VALUES (?, ?, ?, ?, ?)")?
        .execute(params![task, note.at_ms, note.by, note.what, note.text])?;
    Ok(())
}

/// The last thing that happened to any task; 0 before the first.
pub(crate) fn last(connection: &Connection) -> Result<i64> {
    Ok(connection.prepare_cached("SELECT coalesce(max(id), 0) FROM task_history")?.query_row([], |row| row.get(0))?)
}

/// The task of a run as which another one was sent to the inbox; none before it is asked.
pub(crate) fn sent(connection: &Connection, run: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT task.id FROM task JOIN task_history note ON note.task = task.id AND note.what = 'sent' WHERE task.run = ? LIMIT 1",
    )?;
    Ok(statement.query_row([run], |row| row.get(0)).optional()?)
}

pub(crate) fn list(connection: &Connection, task: &str) -> Result<Vec<TaskNote>> {
    let mut statement =
        connection.prepare_cached("SELECT at_ms, by, what, text FROM task_history WHERE task = ? ORDER BY id")?;
    let rows = statement.query_map([task], |row| {
        Ok(TaskNote { at_ms: row.get(0)?, by: row.get(1)?, what: row.get(2)?, text: row.get(3)? })
    })?;
    Ok(rows.collect::<sql::Result<_>>()?)
}
