//! `folder_grant`: folders that a person opened to workflows on this machine, and which of them are the library. Tests:
//! `tests/store/table/folder_grant.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, params};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 11,
    // The empty workflow stands for all: a primary key cannot hold NULL.
    sql: "CREATE TABLE folder_grant (
            folder TEXT NOT NULL, workflow_id TEXT NOT NULL, writable INTEGER NOT NULL, library INTEGER NOT NULL,
            PRIMARY KEY (folder, workflow_id)
          ) STRICT, WITHOUT ROWID;",
}];

/// A granted folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderGrant {
    /// Absolute path.
    pub folder: String,
    /// The only workflow that may use it; absent for all.
    pub workflow_id: Option<String>,
    /// May be written.
    pub writable: bool,
    /// Its workflow files stand in the library.
    pub library: bool,
}

pub(crate) fn list(connection: &Connection) -> Result<Vec<FolderGrant>> {
    let mut statement = connection.prepare_cached(
        "SELECT folder, workflow_id, writable, library FROM folder_grant ORDER BY folder, workflow_id",
    )?;
    let rows = statement.query_map([], |row| {
        let workflow: String = row.get(1)?;
        Ok(FolderGrant {
            folder: row.get(0)?,
            workflow_id: Some(workflow).filter(|id| !id.is_empty()),
            writable: row.get(2)?,
            library: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<sql::Result<_>>()?)
}

pub(crate) fn put(connection: &Connection, grant: &FolderGrant) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO folder_grant (folder, workflow_id, writable, library) VALUES (?, ?, ?, ?)",
        )?
        .execute(params![grant.folder, grant.workflow_id.as_deref().unwrap_or(""), grant.writable, grant.library])?;
    Ok(())
}

pub(crate) fn delete(connection: &Connection, folder: &str, workflow_id: Option<&str>) -> Result<bool> {
    let changed = connection
        .prepare_cached("DELETE FROM folder_grant WHERE folder = ? AND workflow_id = ?")?
        .execute([folder, workflow_id.unwrap_or("")])?;
    Ok(changed > 0)
}
