//! The migrations of all tables, in one order, and the version of the store.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::table;
use rusqlite::Connection;
use std::path::Path;

/// "SBOX", so that no other program's database is taken for a store.
pub(crate) const APPLICATION_ID: i64 = 0x5342_4f58;

/// What all migrations together make of an empty file. A new store is made by it (`build.rs`): each change of a table in a migration makes SQLite
/// read the whole schema again, which was most of a program's start in a new data folder.
pub(crate) const NEW_STORE: &str = include_str!("schema/new_store.sql");

pub(crate) fn all() -> Vec<&'static Migration> {
    let mut all: Vec<&Migration> = [
        table::run::MIGRATIONS,
        table::run_event::MIGRATIONS,
        table::blob::MIGRATIONS,
        table::definition::MIGRATIONS,
        table::run_snapshot::MIGRATIONS,
        table::run_summary::MIGRATIONS,
        table::run_input::MIGRATIONS,
        table::run_node::MIGRATIONS,
        table::run_path::MIGRATIONS,
        table::run_deleted::MIGRATIONS,
        table::run_sent::MIGRATIONS,
        table::setting::MIGRATIONS,
        table::folder_grant::MIGRATIONS,
        table::draft::MIGRATIONS,
        table::task::MIGRATIONS,
        table::task_body::MIGRATIONS,
        table::task_history::MIGRATIONS,
        table::task_token::MIGRATIONS,
        table::task_vote::MIGRATIONS,
        table::delegation::MIGRATIONS,
        table::audit_entry::MIGRATIONS,
        table::audit_checkpoint::MIGRATIONS,
        table::audit_meta::MIGRATIONS,
        table::audit_text::MIGRATIONS,
        table::webhook::MIGRATIONS,
        table::audit_place::MIGRATIONS,
        table::tool_server::MIGRATIONS,
        table::llm_usage::MIGRATIONS,
        table::run_key::MIGRATIONS,
        table::activation::MIGRATIONS,
        table::run_limit::MIGRATIONS,
        table::trigger_intake::MIGRATIONS,
        table::remembered_key::MIGRATIONS,
        table::health::MIGRATIONS,
        table::failure::MIGRATIONS,
        table::replay::MIGRATIONS,
        table::task_copy::MIGRATIONS,
        table::access_token::MIGRATIONS,
        table::user_session::MIGRATIONS,
        table::workspace::MIGRATIONS,
    ]
    .into_iter()
    .flatten()
    .collect();
    all.sort_by_key(|migration| migration.id);
    all
}

/// Newest version that this release knows.
pub(crate) fn known() -> i64 {
    all().last().map_or(0, |migration| migration.id)
}

/// The version of the file; refuses what is newer or not ours.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<i64> {
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let path = || path.display().to_string();
    if application != APPLICATION_ID {
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if found != 0 || tables != 0 {
            return Err(Error::NotAStore { path: path() });
        }
    }
    if found > known() {
        return Err(Error::NewerStore { path: path(), found, known: known() });
    }
    Ok(found)
}

/// Creates or upgrades. The caller holds the setup lock.
pub(crate) fn migrate(connection: &Connection, path: &Path) -> Result<()> {
    // Before the first page is written: a new file then gives free pages back (`Store::shrink`).
    if connection.query_row("PRAGMA page_count", [], |row| row.get::<_, i64>(0))? == 0 {
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    }
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let result = migrate_with_tx(connection, path);
    connection.execute_batch(if result.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    result
}

fn migrate_with_tx(connection: &Connection, path: &Path) -> Result<()> {
    let found = check(connection, path)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    if found == 0 {
        connection.execute_batch(NEW_STORE)?;
    } else {
        for migration in all().into_iter().filter(|migration| migration.id > found) {
            connection.execute_batch(migration.sql)?;
        }
    }
    connection.pragma_update(None, "user_version", known())?;
    Ok(())
}

#[cfg(test)]
mod tests;
