//! `audit_meta`: the chain's name and what is known about it. Tests: `tests/store/table/audit_meta.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{Connection, OptionalExtension, params};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 19,
    // The name is made here, once, so that no two processes can make it twice.
    sql: "CREATE TABLE audit_meta (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
          INSERT INTO audit_meta (name, value) VALUES ('logId', lower(hex(randomblob(16))));",
}];

pub(crate) fn get(connection: &Connection, name: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT value FROM audit_meta WHERE name = ?")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

pub(crate) fn set(connection: &Connection, name: &str, value: &str) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO audit_meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        )?
        .execute(params![name, value])?;
    Ok(())
}

pub(crate) fn remove(connection: &Connection, name: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM audit_meta WHERE name = ?")?.execute([name])?;
    Ok(())
}

/// The chain's name.
pub(crate) fn log_id(connection: &Connection) -> Result<String> {
    get(connection, "logId")?
        .ok_or_else(|| Error::Damaged { reason: "the audit chain has lost its name; verify the audit chain".into() })
}

/// The largest step back in time so far, milliseconds.
pub(crate) fn lag(connection: &Connection) -> Result<i64> {
    Ok(get(connection, "lag")?.and_then(|text| text.parse().ok()).unwrap_or(0))
}
