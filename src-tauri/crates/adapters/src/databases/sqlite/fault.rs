//! What errors of SQLite mean.

use rusqlite::{Error, ErrorCode, ffi};
use signalbox_ports::FileError;
use signalbox_ports::databases::{DatabaseError, DatabaseFault};

fn of_constraint(extended: i32) -> DatabaseFault {
    match extended {
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            DatabaseFault::Unique
        }
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => DatabaseFault::ForeignKey,
        ffi::SQLITE_CONSTRAINT_NOTNULL => DatabaseFault::NotNull,
        ffi::SQLITE_CONSTRAINT_DATATYPE => DatabaseFault::InvalidValue,
        _ => DatabaseFault::Check,
    }
}

/// What only the words tell.
fn of_words(words: &str) -> DatabaseFault {
    let has = |part: &str| words.contains(part);
    if has("no such table") {
        DatabaseFault::UnknownTable
    } else if has("no such column") || has("has no column named") {
        DatabaseFault::UnknownColumn
    } else if has("no such function") {
        DatabaseFault::UnknownFunction
    } else if has("ON CONFLICT clause does not match") {
        DatabaseFault::Invalid("key")
    } else if has("syntax error") || has("incomplete input") || has("unrecognized token") {
        DatabaseFault::Syntax
    } else {
        DatabaseFault::Other
    }
}

/// An error of the library.
pub(super) fn error(error: &Error) -> DatabaseError {
    let (code, words) = match error {
        Error::SqliteFailure(code, words) => (*code, words.clone().unwrap_or_else(|| code.to_string())),
        Error::SqlInputError { error, msg, .. } => (*error, msg.clone()),
        Error::MultipleStatement => {
            let words = "The SQL has more than one statement. Write one, and the others in further steps";
            return DatabaseError::new(DatabaseFault::Syntax, words);
        }
        other => return DatabaseError::new(DatabaseFault::Other, other.to_string()),
    };
    let fault = match code.code {
        ErrorCode::ConstraintViolation => of_constraint(code.extended_code),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => DatabaseFault::Locked,
        ErrorCode::ReadOnly => DatabaseFault::ReadOnly,
        ErrorCode::DiskFull => DatabaseFault::DiskFull,
        ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => DatabaseFault::Damaged,
        ErrorCode::AuthorizationForStatementDenied => DatabaseFault::Permission,
        ErrorCode::OperationInterrupted => DatabaseFault::Canceled,
        ErrorCode::TooBig => DatabaseFault::TooLarge,
        ErrorCode::TypeMismatch => DatabaseFault::InvalidValue,
        ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::PermissionDenied => {
            let message = format!("The database file cannot be used: {words}");
            return DatabaseError::new(DatabaseFault::File(FileError::Io { message, disk_full: false }), words);
        }
        _ => of_words(&words),
    };
    let words = match fault {
        DatabaseFault::Permission => format!(
            "{words}: a statement reaches its own file only. ATTACH, VACUUM INTO, BEGIN, COMMIT and most PRAGMA are not allowed"
        ),
        _ => words,
    };
    DatabaseError::new(fault, words).detail("sqliteCode", code.extended_code)
}
