//! `task_vote`: who approved a task that several people must approve. One row per person, never changed. Tests:
//! `tests/store/table/task_vote.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 22,
    sql: "CREATE TABLE task_vote (
            task TEXT NOT NULL, person TEXT NOT NULL, at_ms INTEGER NOT NULL, via TEXT NOT NULL, notes TEXT,
            behalf TEXT, request_id TEXT, PRIMARY KEY (task, person)
          ) STRICT, WITHOUT ROWID;",
}];

/// One person's approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskVote {
    /// Who: `user:…`.
    pub person: String,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// Through which door.
    pub via: String,
    /// Why.
    pub notes: Option<String>,
    /// For whom, when the task was somebody else's.
    pub on_behalf_of: Option<String>,
    /// The request that brought it.
    pub request_id: Option<String>,
}

const COLUMNS: &str = "person, at_ms, via, notes, behalf, request_id";

fn read(row: &Row<'_>) -> sql::Result<TaskVote> {
    Ok(TaskVote {
        person: row.get(0)?,
        at_ms: row.get(1)?,
        via: row.get(2)?,
        notes: row.get(3)?,
        on_behalf_of: row.get(4)?,
        request_id: row.get(5)?,
    })
}

pub(crate) fn insert(connection: &Connection, task: &str, vote: &TaskVote) -> Result<()> {
    let sql = format!("INSERT INTO task_vote (task, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)");
    connection.prepare_cached(&sql)?.execute(params![
        task,
        vote.person,
        vote.at_ms,
        vote.via,
        vote.notes,
        vote.on_behalf_of,
        vote.request_id
    ])?;
    Ok(())
}

pub(crate) fn of_person(connection: &Connection, task: &str, person: &str) -> Result<Option<TaskVote>> {
    let sql = format!("SELECT {COLUMNS} FROM task_vote WHERE task = ? AND person = ?");
    Ok(connection.prepare_cached(&sql)?.query_row([task, person], read).optional()?)
}

/// In the order of the votes.
pub(crate) fn list(connection: &Connection, task: &str) -> Result<Vec<TaskVote>> {
    let sql = format!("SELECT {COLUMNS} FROM task_vote WHERE task = ? ORDER BY at_ms, person");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_map([task], read)?.collect::<sql::Result<_>>()?)
}
