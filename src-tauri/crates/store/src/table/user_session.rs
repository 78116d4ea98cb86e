//! `user_session`: sessions of people who signed in to a server, by the hash of the token that each page holds. What renews a
//! session at the identity provider is sealed with a key that is made of this token, so the file alone gives nobody access
//! (ADR 211). Tests: `tests/store/table/user_session.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, Row, params};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 50,
    sql: "CREATE TABLE user_session (
            hash TEXT PRIMARY KEY NOT NULL, id TEXT NOT NULL UNIQUE, person TEXT NOT NULL, since_ms INTEGER NOT NULL,
            used_ms INTEGER NOT NULL, renew_ms INTEGER, sealed TEXT
          ) STRICT, WITHOUT ROWID;",
}];

/// The session of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserSession {
    /// SHA-256 of its token, in hex.
    pub hash: String,
    /// By which others name it.
    pub id: String,
    /// JSON of whoever keeps it: who, and with which role.
    pub person: String,
    /// Milliseconds since 1970.
    pub since_ms: i64,
    /// When it was used last, to the minute; milliseconds since 1970.
    pub used_ms: i64,
    /// When the provider is asked about it next, milliseconds since 1970; `None`: it is not renewed.
    pub renew_ms: Option<i64>,
    /// What renews it, sealed.
    pub sealed: Option<String>,
}

const COLUMNS: &str = "hash, id, person, since_ms, used_ms, renew_ms, sealed";

fn read(row: &Row<'_>) -> sql::Result<UserSession> {
    Ok(UserSession {
        hash: row.get(0)?,
        id: row.get(1)?,
        person: row.get(2)?,
        since_ms: row.get(3)?,
        used_ms: row.get(4)?,
        renew_ms: row.get(5)?,
        sealed: row.get(6)?,
    })
}

pub(crate) fn insert(connection: &Connection, one: &UserSession) -> Result<()> {
    let sql = format!("INSERT INTO user_session ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)");
    let values = params![one.hash, one.id, one.person, one.since_ms, one.used_ms, one.renew_ms, one.sealed];
    connection.prepare_cached(&sql)?.execute(values)?;
    Ok(())
}

/// What changes while it lasts. False, and nothing is written, when it has ended.
pub(crate) fn update(connection: &Connection, one: &UserSession) -> Result<bool> {
    let sql = "UPDATE user_session SET person = ?2, used_ms = ?3, renew_ms = ?4, sealed = ?5 WHERE hash = ?1";
    let values = params![one.hash, one.person, one.used_ms, one.renew_ms, one.sealed];
    Ok(connection.prepare_cached(sql)?.execute(values)? == 1)
}

/// All of them, the newest first.
pub(crate) fn all(connection: &Connection) -> Result<Vec<UserSession>> {
    let sql = format!("SELECT {COLUMNS} FROM user_session ORDER BY since_ms DESC, hash");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_map([], read)?.collect::<sql::Result<_>>()?)
}

/// False when it had ended.
pub(crate) fn delete(connection: &Connection, hash: &str) -> Result<bool> {
    Ok(connection.prepare_cached("DELETE FROM user_session WHERE hash = ?")?.execute([hash])? == 1)
}

pub(crate) fn clear(connection: &Connection) -> Result<usize> {
    Ok(connection.execute("DELETE FROM user_session", [])?)
}
