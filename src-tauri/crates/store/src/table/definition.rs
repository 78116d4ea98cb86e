//! `definition`: the workflow files that runs are pinned to, once each by content. Tests: `tests/store/table/definition.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, params};
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
    // Every start comes here, most with a definition that is known: its text is not hashed again.
    if !connection.prepare_cached("SELECT 1 FROM definition WHERE hash = ?")?.exists([hash])? {
        connection
            .prepare_cached("INSERT INTO definition (hash, check_hash, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")?
            .execute([hash, &sha256_hex(text.as_bytes()), text])?;
    }
    needed(connection, hash)
}

fn needed(connection: &Connection, hash: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM definition_unused WHERE hash = ?")?.execute([hash])?;
    Ok(())
}

fn texts(connection: &Connection, sql: &str, parameters: impl sql::Params) -> Result<BTreeSet<String>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(parameters, |row| row.get(0))?;
    Ok(rows.collect::<sql::Result<_>>()?)
}

/// Definitions that no run is pinned to, no activation has named, and no definition names. `files` is the member of a definition that names others:
/// id → hash. It reads every definition: nothing is written meanwhile.
pub(crate) fn unneeded(connection: &Connection, files: &str) -> Result<BTreeSet<String>> {
    let mut used = texts(connection, "SELECT DISTINCT definition_hash FROM run", [])?;
    used.append(&mut texts(connection, "SELECT DISTINCT hash FROM workflow_version", [])?);
    let replays = "SELECT DISTINCT definition FROM replay WHERE definition IS NOT NULL AND ended_ms IS NULL";
    used.append(&mut texts(connection, replays, [])?);
    // What a definition names is needed as long as that one is there. A damaged text names nothing that could be told.
    used.append(&mut texts(
        connection,
        "SELECT file.value FROM definition, \
         json_each(CASE WHEN json_valid(definition.text) THEN definition.text ELSE '{}' END, ?1) AS file \
         WHERE file.type = 'text'",
        [format!("$.{files}")],
    )?);
    let all = texts(connection, "SELECT hash FROM definition", [])?;
    Ok(all.difference(&used).cloned().collect())
}

/// Of the definitions that were found [`unneeded`] a moment ago, removes at most `limit` that nobody needed at `before_ms`,
/// and remembers which ones nobody needs since `now_ms`.
pub(crate) fn sweep(
    connection: &Connection,
    unneeded: &BTreeSet<String>,
    now_ms: i64,
    before_ms: i64,
    limit: usize,
) -> Result<usize> {
    for hash in texts(connection, "SELECT hash FROM definition_unused", [])?.difference(unneeded) {
        needed(connection, hash)?;
    }
    let mut removed = 0;
    for hash in unneeded {
        let mut since = connection.prepare_cached("SELECT since_ms FROM definition_unused WHERE hash = ?")?;
        match since.query_row([hash], |row| row.get::<_, i64>(0)).optional()? {
            None => {
                // One that is gone, or that a run has taken meanwhile, is not waited for.
                connection
                    .prepare_cached(
                        "INSERT INTO definition_unused (hash, since_ms) SELECT hash, ?2 FROM definition WHERE hash = ?1 \
                         AND NOT EXISTS (SELECT 1 FROM run WHERE definition_hash = ?1) \
                         AND NOT EXISTS (SELECT 1 FROM workflow_version WHERE hash = ?1)",
                    )?
                    .execute(params![hash, now_ms])?;
            }
            // Whoever wrote it again since then has taken the note away.
            Some(since) if since <= before_ms && removed < limit => {
                connection.prepare_cached("DELETE FROM definition WHERE hash = ?")?.execute([hash])?;
                needed(connection, hash)?;
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
