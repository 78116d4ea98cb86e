//! `access_token`: tokens by which programs reach a server, by the hash of each. A row is made and deleted, and says when it
//! was used last. Tests: `tests/store/table/access_token.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};
use crate::table::workspace::Quota;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
    id: 49,
    sql: "CREATE TABLE access_token (
            hash TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE COLLATE NOCASE, role TEXT NOT NULL, person TEXT NOT NULL,
            made_ms INTEGER NOT NULL, expires_ms INTEGER, used_ms INTEGER
          ) STRICT, WITHOUT ROWID;",
    },
    Migration {
        id: 53,
        sql: "ALTER TABLE access_token ADD COLUMN workspaces TEXT;
              ALTER TABLE access_token ADD COLUMN per_minute INTEGER;
              ALTER TABLE access_token ADD COLUMN per_day INTEGER;",
    },
];

/// A token by which a program reaches a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// SHA-256 of the token, in hex.
    pub hash: String,
    /// What people call it. Capitals make no other name.
    pub name: String,
    /// What it may do.
    pub role: String,
    /// Who made it, and in whose name it acts: `user:…`.
    pub person: String,
    /// Milliseconds since 1970.
    pub made_ms: i64,
    /// Milliseconds since 1970; `None`: until it is revoked.
    pub expires_ms: Option<i64>,
    /// When it was used last, to the minute; milliseconds since 1970.
    pub used_ms: Option<i64>,
    /// The workspaces that it is limited to; `None`: it is not.
    pub workspaces: Option<Vec<String>>,
    /// How many runs it may start; `at_once` is not used.
    pub quota: Quota,
}

const COLUMNS: &str = "hash, name, role, person, made_ms, expires_ms, used_ms, workspaces, per_minute, per_day";

fn read(row: &Row<'_>) -> sql::Result<AccessToken> {
    Ok(AccessToken {
        hash: row.get(0)?,
        name: row.get(1)?,
        role: row.get(2)?,
        person: row.get(3)?,
        made_ms: row.get(4)?,
        expires_ms: row.get(5)?,
        used_ms: row.get(6)?,
        // A text without names limits it to nothing.
        workspaces: row.get::<_, Option<String>>(7)?.map(|names| names.split_whitespace().map(str::to_owned).collect()),
        quota: Quota { per_minute: row.get(8)?, per_day: row.get(9)?, ..Quota::default() },
    })
}

/// False, and nothing is kept, when the name is taken.
pub(crate) fn insert(connection: &Connection, one: &AccessToken) -> Result<bool> {
    let sql =
        format!("INSERT INTO access_token ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    let values = params![
        one.hash,
        one.name,
        one.role,
        one.person,
        one.made_ms,
        one.expires_ms,
        one.used_ms,
        one.workspaces.as_ref().map(|names| names.join(" ")),
        one.quota.per_minute,
        one.quota.per_day,
    ];
    Ok(connection.prepare_cached(&sql)?.execute(values)? == 1)
}

pub(crate) fn get(connection: &Connection, hash: &str) -> Result<Option<AccessToken>> {
    let sql = format!("SELECT {COLUMNS} FROM access_token WHERE hash = ?");
    Ok(connection.prepare_cached(&sql)?.query_row([hash], read).optional()?)
}

/// By name, whatever its capitals.
pub(crate) fn named(connection: &Connection, name: &str) -> Result<Option<AccessToken>> {
    let sql = format!("SELECT {COLUMNS} FROM access_token WHERE lower(name) = lower(?)");
    Ok(connection.prepare_cached(&sql)?.query_row([name], read).optional()?)
}

/// How many runs the token of a name may start.
pub(crate) fn quota(connection: &Connection, name: &str) -> Result<Option<Quota>> {
    let sql = "SELECT per_minute, per_day FROM access_token WHERE lower(name) = lower(?)";
    let read = |row: &Row<'_>| Ok(Quota { per_minute: row.get(0)?, per_day: row.get(1)?, ..Quota::default() });
    Ok(connection.prepare_cached(sql)?.query_row([name], read).optional()?)
}

/// All of them, the newest first.
pub(crate) fn all(connection: &Connection) -> Result<Vec<AccessToken>> {
    let sql = format!("SELECT {COLUMNS} FROM access_token ORDER BY made_ms DESC, name");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_map([], read)?.collect::<sql::Result<_>>()?)
}

pub(crate) fn used(connection: &Connection, hash: &str, now_ms: i64) -> Result<()> {
    connection
        .prepare_cached("UPDATE access_token SET used_ms = ?2 WHERE hash = ?1")?
        .execute(params![hash, now_ms])?;
    Ok(())
}

/// False when there was none.
pub(crate) fn delete(connection: &Connection, hash: &str) -> Result<bool> {
    Ok(connection.prepare_cached("DELETE FROM access_token WHERE hash = ?")?.execute([hash])? == 1)
}

pub(crate) fn clear(connection: &Connection) -> Result<usize> {
    Ok(connection.execute("DELETE FROM access_token", [])?)
}
