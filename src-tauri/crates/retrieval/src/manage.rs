//! Indexes as people see them: which there are, what is in them, and how one is deleted.

use crate::copy::index_files;
use crate::folder::index_file;
use crate::index::{Result, failed, open};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::{Map, Value};
use signalbox_ports::retrieval::RetrievalError;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What is in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexFacts {
    /// Bytes of its files.
    pub bytes: u64,
    /// When it was changed last, milliseconds since 1970.
    pub changed_ms: i64,
    /// Documents.
    pub documents: u64,
    /// Passages.
    pub chunks: u64,
    /// The model of its vectors, and how many numbers each has.
    pub model: Option<(String, u64)>,
    /// Passages that have a vector.
    pub vectors: u64,
}

/// A document of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedDocument {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// Its metadata.
    pub metadata: Map<String, Value>,
    /// Its passages.
    pub chunks: u64,
}

/// Names of the indexes in a folder.
pub fn index_names(folder: &Path) -> std::io::Result<Vec<String>> {
    let name = |file: PathBuf| {
        let name = file.file_name()?.to_str()?.strip_prefix("index-")?.strip_suffix(".sqlite")?.to_owned();
        index_file(folder, &name).is_ok().then_some(name)
    };
    Ok(index_files(folder)?.into_iter().filter_map(name).collect())
}

/// The file, and those that SQLite keeps beside it.
fn parts(file: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|ending| {
        let mut path = file.as_os_str().to_owned();
        path.push(ending);
        path.into()
    })
}

fn number(connection: &Connection, sql: &str) -> Result<u64> {
    connection.query_row(sql, [], |row| row.get(0)).map_err(failed)
}

/// What is in an index.
///
/// # Errors
/// There is none of this name, or its file is damaged.
pub fn index_facts(folder: &Path, name: &str) -> Result<IndexFacts> {
    let file = index_file(folder, name)?;
    let connection = open(&file, false, false)?;
    let model = connection
        .query_row("SELECT model, dimensions FROM embedding", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
        .map_err(failed)?;
    let about: Vec<std::fs::Metadata> = parts(&file).iter().filter_map(|part| part.metadata().ok()).collect();
    let changed = about.iter().filter_map(|about| about.modified().ok()).max();
    let changed = changed.and_then(|at| i64::try_from(at.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok());
    Ok(IndexFacts {
        bytes: about.iter().map(std::fs::Metadata::len).sum(),
        changed_ms: changed.unwrap_or_default(),
        documents: number(&connection, "SELECT count(*) FROM documents")?,
        chunks: number(&connection, "SELECT count(*) FROM chunks")?,
        vectors: number(&connection, "SELECT count(*) FROM vectors")?,
        model,
    })
}

/// Documents of an index by their ids, those after one of them.
///
/// # Errors
/// As of [`index_facts`].
pub fn index_documents(folder: &Path, name: &str, after: Option<&str>, limit: usize) -> Result<Vec<IndexedDocument>> {
    let connection = open(&index_file(folder, name)?, false, false)?;
    let sql = "SELECT d.id, d.title, d.metadata, (SELECT count(*) FROM chunks c WHERE c.doc = d.doc) FROM documents d \
               WHERE ?1 IS NULL OR d.id > ?1 ORDER BY d.id LIMIT ?2";
    let mut select = connection.prepare(sql).map_err(failed)?;
    let read = |row: &rusqlite::Row<'_>| {
        let metadata: String = row.get(2)?;
        Ok(IndexedDocument {
            id: row.get(0)?,
            title: row.get(1)?,
            metadata: serde_json::from_str(&metadata).unwrap_or_default(),
            chunks: row.get(3)?,
        })
    };
    let rows = select.query_map(params![after, i64::try_from(limit).unwrap_or(i64::MAX)], read).map_err(failed)?;
    rows.map(|row| row.map_err(failed)).collect()
}

/// Deletes an index. A change under way is waited for; one that waits itself then fails, instead of being written into a file
/// that is gone.
///
/// # Errors
/// There is none of this name, or its files cannot be deleted.
pub fn delete_index(folder: &Path, name: &str) -> Result<()> {
    let file = index_file(folder, name)?;
    if !file.exists() {
        return Err(RetrievalError::Missing);
    }
    match open(&file, true, false) {
        Ok(connection) => {
            let done = connection.execute_batch("BEGIN IMMEDIATE; ALTER TABLE documents RENAME TO deleted; COMMIT;");
            match done.map_err(failed) {
                Ok(()) | Err(RetrievalError::Damaged { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        // What cannot be read any more can be deleted.
        Err(RetrievalError::Damaged { .. } | RetrievalError::Missing) => {}
        Err(other) => return Err(other),
    }
    for part in parts(&file) {
        match std::fs::remove_file(&part) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(RetrievalError::Io { message: format!("{} cannot be deleted: {error}", part.display()) });
            }
            _ => {}
        }
    }
    Ok(())
}
