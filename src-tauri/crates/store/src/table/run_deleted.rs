//! `run_deleted`: ids of deleted runs. Keeps an id from being used twice and tells a deleted run from a lost one; `purged`
//! says whether its events are gone, because a long run is deleted in several transactions. Tests:
//! `tests/store/table/run_deleted.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 9,
    sql: "CREATE TABLE run_deleted (run TEXT PRIMARY KEY NOT NULL, purged INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
          CREATE INDEX run_deleted_unfinished ON run_deleted (run) WHERE purged = 0;",
}];

/// Before the run's row goes: its number is what its events are found by.
pub(crate) fn insert(connection: &Connection, run: &str) -> Result<()> {
    let sql = "INSERT INTO run_deleted (run, no) SELECT id, no FROM run WHERE id = ?";
    connection.prepare_cached(sql)?.execute([run])?;
    Ok(())
}

pub(crate) fn exists(connection: &Connection, run: &str) -> Result<bool> {
    Ok(connection.prepare_cached("SELECT 1 FROM run_deleted WHERE run = ?")?.exists([run])?)
}

pub(crate) fn set_purged(connection: &Connection, run: &str) -> Result<()> {
    connection.prepare_cached("UPDATE run_deleted SET purged = 1 WHERE run = ?")?.execute([run])?;
    Ok(())
}

pub(crate) fn unpurged(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT run FROM run_deleted WHERE purged = 0")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<sql::Result<_>>()?)
}
