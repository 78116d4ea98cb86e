//! `definition`: the workflow files that runs are pinned to, once each by content. Tests: `tests/store/table/definition.rs`.

use crate::error::{Error, Result};
use crate::schema::Migration;
use rusqlite::{Connection, OptionalExtension};
use signalbox_model::hash::sha256_hex;
use std::collections::BTreeSet;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        id: 4,
        // `check_hash` covers the text; `hash` is the name that the caller gives it.
        sql: "CREATE TABLE definition (hash TEXT PRIMARY KEY NOT NULL, check_hash TEXT NOT NULL, text TEXT NOT NULL) STRICT;",
    },
    Migration {
        id: 30,
        // Since when nothing needs it: a definition is written before the run that is pinned to it.
        sql: "CREATE TABLE definition_unused (hash TEXT PRIMARY KEY NOT NULL, since_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
              CREATE INDEX run_of_definition ON run (definition_hash);",
    },
];

pub(crate) fn put(connection: &Connection, hash: &str, text: &str) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO definition (hash, check_hash, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")?
        .execute([hash, &sha256_hex(text.as_bytes()), text])?;
    needed(connection, hash)
}

fn needed(connection: &Connection, hash: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM definition_unused WHERE hash = ?")?.execute([hash])?;
    Ok(())
}

fn texts(connection: &Connection, sql: &str, parameters: impl rusqlite::Params) -> Result<BTreeSet<String>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(parameters, |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Removes at most `limit` definitions that no run needed at `before_ms` and none needs now, and remembers which ones nobody
/// needs since `now_ms`. `files` is the member of a definition that names others: id → hash.
pub(crate) fn sweep(connection: &Connection, files: &str, now_ms: i64, before_ms: i64, limit: usize) -> Result<usize> {
    let mut used = texts(connection, "SELECT DISTINCT definition_hash FROM run", [])?;
    // What a definition names is needed as long as that one is there. A damaged text names nothing that could be told.
    used.append(&mut texts(
        connection,
        "SELECT file.value FROM definition, \
         json_each(CASE WHEN json_valid(definition.text) THEN definition.text ELSE '{}' END, ?1) AS file \
         WHERE file.type = 'text'",
        [format!("$.{files}")],
    )?);
    let mut removed = 0;
    for hash in texts(connection, "SELECT hash FROM definition", [])? {
        if used.contains(&hash) {
            needed(connection, &hash)?;
            continue;
        }
        let mut since = connection.prepare_cached("SELECT since_ms FROM definition_unused WHERE hash = ?")?;
        match since.query_row([&hash], |row| row.get::<_, i64>(0)).optional()? {
            None => {
                connection
                    .prepare_cached("INSERT INTO definition_unused (hash, since_ms) VALUES (?, ?)")?
                    .execute(rusqlite::params![hash, now_ms])?;
            }
            Some(since) if since <= before_ms && removed < limit => {
                connection.prepare_cached("DELETE FROM definition WHERE hash = ?")?.execute([&hash])?;
                needed(connection, &hash)?;
                removed += 1;
            }
            Some(_) => {}
        }
    }
    Ok(removed)
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
