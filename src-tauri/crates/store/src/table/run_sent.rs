//! `run_sent`: failed runs that were sent to the inbox, and the newest run that asks a person about each (ADR 58). Tests:
//! `tests/store/table/run_sent.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{Connection, OptionalExtension};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 36,
    sql: "CREATE TABLE run_sent (run TEXT PRIMARY KEY NOT NULL, sent_run TEXT NOT NULL) STRICT, WITHOUT ROWID;",
}];

/// `sent_run` asks about the failed `run` from now on.
pub(crate) fn put(connection: &Connection, run: &str, sent_run: &str) -> Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO run_sent (run, sent_run) VALUES (?, ?)")?
        .execute([run, sent_run])?;
    Ok(())
}

/// The newest run that asks about a failed one.
pub(crate) fn get(connection: &Connection, run: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT sent_run FROM run_sent WHERE run = ?")?;
    Ok(statement.query_row([run], |row| row.get(0)).optional()?)
}

/// With the run itself.
pub(crate) fn delete(connection: &Connection, run: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM run_sent WHERE run = ?")?.execute([run])?;
    Ok(())
}
