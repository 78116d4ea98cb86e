//! `definition`: the workflow files that runs are pinned to, once each by content. Tests: `tests/store/table/definition.rs`.

use crate::error::{Error, Result};
use crate::schema::Migration;
use rusqlite::{Connection, OptionalExtension};
use signalbox_model::hash::sha256_hex;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 4,
    // `check_hash` covers the text; `hash` is the name that the caller gives it.
    sql: "CREATE TABLE definition (hash TEXT PRIMARY KEY NOT NULL, check_hash TEXT NOT NULL, text TEXT NOT NULL) STRICT;",
}];

pub(crate) fn put(connection: &Connection, hash: &str, text: &str) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO definition (hash, check_hash, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")?
        .execute([hash, &sha256_hex(text.as_bytes()), text])?;
    Ok(())
}

pub(crate) fn get(connection: &Connection, hash: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT text, check_hash FROM definition WHERE hash = ?")?;
    let row: Option<(String, String)> = statement.query_row([hash], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    match row {
        Some((text, check)) if sha256_hex(text.as_bytes()) != check => {
            Err(Error::Damaged { reason: format!("the workflow definition {hash} does not match its hash") })
        }
        other => Ok(other.map(|(text, _)| text)),
    }
}
