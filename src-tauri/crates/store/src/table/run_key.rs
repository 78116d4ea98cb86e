//! `run_key`: keys that callers gave with the start of a run, so that the same start sent again gives the same run. A key is
//! written in the transaction that creates its run: neither is there without the other. Tests:
//! `tests/store/table/run_key.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{Connection, OptionalExtension, params};

/// How long a key holds, in milliseconds.
pub const RUN_KEY_MS: i64 = 86_400_000;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 39,
    sql: "CREATE TABLE run_key (
            scope TEXT NOT NULL, key TEXT NOT NULL, request_hash TEXT NOT NULL, run TEXT NOT NULL, made_ms INTEGER NOT NULL,
            PRIMARY KEY (scope, key)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX run_key_made ON run_key (made_ms);",
}];

/// What a caller names its start by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunKey {
    /// Whose key it is: the same key of another caller is another one.
    pub scope: String,
    /// What the caller chose.
    pub key: String,
    /// Hash of what is to be started; the same key with another one is refused.
    pub request_hash: String,
}

/// The run that was started with a key, while the key holds at `now_ms`. Refuses a key that was used for another start. A
/// clock that was put back does not end a key.
pub(crate) fn get(connection: &Connection, key: &RunKey, now_ms: i64) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT request_hash, run FROM run_key WHERE scope = ?1 AND key = ?2 AND abs(?3 - made_ms) < ?4",
    )?;
    let found: Option<(String, String)> = statement
        .query_row(params![key.scope, key.key, now_ms, RUN_KEY_MS], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        Some((hash, run)) if hash != key.request_hash => Err(Error::KeyReused { key: key.key.clone(), run }),
        other => Ok(other.map(|(_, run)| run)),
    }
}

/// The key stands for `run` from now on; one that no longer holds is replaced.
pub(crate) fn put(connection: &Connection, key: &RunKey, run: &str, now_ms: i64) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO run_key (scope, key, request_hash, run, made_ms) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![key.scope, key.key, key.request_hash, run, now_ms])?;
    Ok(())
}

/// Removes at most `limit` keys that no longer hold.
pub(crate) fn sweep(connection: &Connection, now_ms: i64, limit: usize) -> Result<usize> {
    let mut statement = connection.prepare_cached(
        "DELETE FROM run_key WHERE (scope, key) IN (SELECT scope, key FROM run_key WHERE made_ms <= ?1 ORDER BY made_ms LIMIT ?2)",
    )?;
    Ok(statement.execute(params![now_ms.saturating_sub(RUN_KEY_MS), limit as u64])?)
}
