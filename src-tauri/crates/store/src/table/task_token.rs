//! `task_token`: one-time secrets that answer a task, by their hash (K-19). Each is bound to the task at one revision, and
//! with it to run, node and visit; whatever changes the task ends it. Tests: `tests/store/table/task_token.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{Connection, OptionalExtension, Row, params};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 16,
    sql: "CREATE TABLE task_token (
            hash TEXT PRIMARY KEY NOT NULL, task TEXT NOT NULL, revision INTEGER NOT NULL, expires_ms INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX task_token_of_task ON task_token (task);",
}];

/// Secrets of one task that are remembered: an older one is then refused as unknown, not as used.
const KEPT: u64 = 16;

/// What is known about a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) task: String,
    pub(crate) revision: i64,
    pub(crate) expires_ms: i64,
}

/// Keeps a secret's hash.
pub(crate) fn insert(connection: &Connection, hash: &str, token: &Token) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO task_token (hash, task, revision, expires_ms) VALUES (?, ?, ?, ?)")?
        .execute(params![hash, token.task, token.revision, token.expires_ms])?;
    connection
        .prepare_cached(
            "DELETE FROM task_token WHERE task = ?1 AND hash NOT IN \
             (SELECT hash FROM task_token WHERE task = ?1 ORDER BY revision DESC, expires_ms DESC LIMIT ?2)",
        )?
        .execute(params![token.task, KEPT])?;
    Ok(())
}

/// A secret by its hash, whatever has become of its task.
pub(crate) fn get(connection: &Connection, hash: &str) -> Result<Option<Token>> {
    let mut statement =
        connection.prepare_cached("SELECT task, revision, expires_ms FROM task_token WHERE hash = ?")?;
    let read = |row: &Row<'_>| Ok(Token { task: row.get(0)?, revision: row.get(1)?, expires_ms: row.get(2)? });
    Ok(statement.query_row([hash], read).optional()?)
}
