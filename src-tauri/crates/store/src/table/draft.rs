//! `draft`: unsaved edits of a workflow file. Tests: `tests/store/table/draft.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, params};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 12,
    sql: "CREATE TABLE draft (reference TEXT PRIMARY KEY NOT NULL, document TEXT NOT NULL, saved_ms INTEGER NOT NULL) \
          STRICT, WITHOUT ROWID;",
}];

/// Unsaved edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The document's text, as the editor gave it.
    pub document: String,
    /// Milliseconds since 1970.
    pub saved_ms: i64,
}

pub(crate) fn get(connection: &Connection, reference: &str) -> Result<Option<Draft>> {
    let mut statement = connection.prepare_cached("SELECT document, saved_ms FROM draft WHERE reference = ?")?;
    let row = statement.query_row([reference], |row| Ok(Draft { document: row.get(0)?, saved_ms: row.get(1)? }));
    Ok(row.optional()?)
}

/// References that have a draft, oldest first.
pub(crate) fn references(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT reference FROM draft ORDER BY saved_ms, reference")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<sql::Result<_>>()?)
}

pub(crate) fn put(connection: &Connection, reference: &str, draft: &Draft) -> Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO draft (reference, document, saved_ms) VALUES (?, ?, ?)")?
        .execute(params![reference, draft.document, draft.saved_ms])?;
    Ok(())
}

pub(crate) fn delete(connection: &Connection, reference: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM draft WHERE reference = ?")?.execute([reference])?;
    Ok(())
}
