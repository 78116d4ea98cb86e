//! What PostgreSQL refuses, in the terms of SQLite where it has one, so that the tables and the writer see one kind of errors.

use super::super::Error;
use rusqlite::ffi;
use tokio_postgres::error::SqlState;

/// The server is not there, or the connection to it is gone. In [`Error`] it is what the conversion of a value failed with: of all kinds the
/// one that carries an error of ours.
#[derive(Debug, Clone)]
pub(crate) struct Unreachable(pub(crate) String);

impl std::fmt::Display for Unreachable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreachable {}

pub(super) fn unreachable(reason: impl Into<String>) -> Error {
    Error::ToSqlConversionFailure(Box::new(Unreachable(reason.into())))
}

fn sqlite(code: i32, words: String) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), Some(words))
}

/// A transaction that cannot be committed, because a statement of it failed.
pub(super) fn broken() -> Error {
    sqlite(ffi::SQLITE_ABORT_ROLLBACK, "a statement of the transaction failed before".into())
}

/// What the driver says. Its words name no password: it does not tell what it was given.
pub(super) fn failed(error: &tokio_postgres::Error) -> Error {
    let Some(told) = error.as_db_error() else {
        let source = std::error::Error::source(error).map(ToString::to_string);
        let words = match source {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        return if error.is_closed()
            || words.contains("connect")
            || words.contains("communicating")
            || words.contains("unexpected EOF")
        {
            unreachable(words)
        } else {
            sqlite(ffi::SQLITE_ERROR, words)
        };
    };
    let words = format!("{} ({})", told.message(), told.code().code());
    match *told.code() {
        SqlState::UNIQUE_VIOLATION => {
            let primary = told.constraint().is_some_and(|name| name.ends_with("_pkey"));
            let code = if primary { ffi::SQLITE_CONSTRAINT_PRIMARYKEY } else { ffi::SQLITE_CONSTRAINT_UNIQUE };
            sqlite(code, words)
        }
        SqlState::DISK_FULL => sqlite(ffi::SQLITE_FULL, words),
        SqlState::LOCK_NOT_AVAILABLE | SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => {
            sqlite(ffi::SQLITE_BUSY, words)
        }
        SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::TOO_MANY_CONNECTIONS
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => unreachable(words),
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => sqlite(ffi::SQLITE_CORRUPT, words),
        _ => sqlite(ffi::SQLITE_ERROR, words),
    }
}
