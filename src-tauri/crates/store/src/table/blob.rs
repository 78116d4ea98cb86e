//! `blob`: values above 8 KB and the bytes that items name, once each by content; `blob_use`: which run needs which. Tests:
//! `tests/store/table/blob.rs`.

use crate::document::Blob;
use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, params};
use rusqlite::blob::ZeroBlob;
use std::io::{Read, Write};

/// From this length on a value is written and read in its place: as a parameter or a column of a statement SQLite copies it
/// several times.
const IN_PLACE: usize = 1024 * 1024;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 3,
    sql: "CREATE TABLE blob (hash TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
          CREATE TABLE blob_use (run TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (run, hash)) STRICT, WITHOUT ROWID;
          CREATE INDEX blob_use_by_hash ON blob_use (hash);",
}];

pub(crate) fn put(connection: &Connection, run: &str, blob: &Blob) -> Result<()> {
    match blob.data()? {
        Some(data) => put_bytes(connection, run, &blob.hash, data.as_bytes()),
        None => Ok(()),
    }
}

/// `hash` is the SHA-256 of `data`.
pub(crate) fn put_bytes(connection: &Connection, run: &str, hash: &str, data: &[u8]) -> Result<()> {
    if is_used(connection, run, hash)? {
        return Ok(());
    }
    let known = connection.prepare_cached("SELECT 1 FROM blob WHERE hash = ?")?.exists([hash])?;
    if !known {
        insert(connection, hash, data)?;
    }
    connection.prepare_cached("INSERT INTO blob_use (run, hash) VALUES (?, ?)")?.execute([run, hash])?;
    Ok(())
}

fn insert(connection: &Connection, hash: &str, data: &[u8]) -> Result<()> {
    let mut statement = connection.prepare_cached("INSERT INTO blob (hash, size, data) VALUES (?, ?, ?)")?;
    let length = data.len() as u64;
    let Some(file) = connection.file().filter(|_| data.len() >= IN_PLACE) else {
        statement.execute(params![hash, length, data])?;
        return Ok(());
    };
    statement.execute(params![hash, length, ZeroBlob(length)])?;
    let mut place = file.blob_open("main", "blob", "data", file.last_insert_rowid(), false)?;
    let written = place.write_all(data);
    // What SQLite says about it is told when it is closed.
    place.close()?;
    written.map_err(|error| Error::Damaged { reason: format!("a large value could not be written: {error}") })
}

/// What one run needs of these, another needs from now on, too. What the first does not have it cannot give.
pub(crate) fn share<'a>(
    connection: &Connection,
    from: &str,
    to: &str,
    hashes: impl IntoIterator<Item = &'a String>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO blob_use (run, hash) SELECT ?2, hash FROM blob_use WHERE run = ?1 AND hash = ?3",
    )?;
    for hash in hashes {
        statement.execute([from, to, hash.as_str()])?;
    }
    Ok(())
}

pub(crate) fn is_used(connection: &Connection, run: &str, hash: &str) -> Result<bool> {
    Ok(connection.prepare_cached("SELECT 1 FROM blob_use WHERE run = ? AND hash = ?")?.exists([run, hash])?)
}

pub(crate) fn get(connection: &Connection, hash: &str) -> Result<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached("SELECT data FROM blob WHERE hash = ? AND size < ?")?;
    let Some(file) = connection.file() else {
        return Ok(statement.query_row(params![hash, i64::MAX], |row| row.get(0)).optional()?);
    };
    if let Some(data) = statement.query_row(params![hash, IN_PLACE], |row| row.get(0)).optional()? {
        return Ok(Some(data));
    }
    let mut statement = connection.prepare_cached("SELECT rowid FROM blob WHERE hash = ?")?;
    let Some(row) = statement.query_row([hash], |row| row.get(0)).optional()? else { return Ok(None) };
    let mut place = file.blob_open("main", "blob", "data", row, true)?;
    let mut data = Vec::with_capacity(place.len());
    let read = place.read_to_end(&mut data);
    place.close()?;
    read.map_err(|error| Error::Damaged { reason: format!("a large value cannot be read: {error}") })?;
    Ok(Some(data))
}

/// Frees one value of a run; false when it has none of this hash. A value that another run needs stays.
pub(crate) fn free_one(connection: &Connection, run: &str, hash: &str) -> Result<bool> {
    let gone = connection.prepare_cached("DELETE FROM blob_use WHERE run = ? AND hash = ?")?.execute([run, hash])? > 0;
    connection
        .prepare_cached("DELETE FROM blob WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM blob_use WHERE hash = ?1)")?
        .execute([hash])?;
    Ok(gone)
}

/// Frees some of what only this run needed and says how many uses went.
pub(crate) fn free_some(connection: &Connection, run: &str, limit: usize) -> Result<usize> {
    let mut statement = connection.prepare_cached("SELECT hash FROM blob_use WHERE run = ? LIMIT ?")?;
    let hashes: Vec<String> =
        statement.query_map(params![run, limit as u64], |row| row.get(0))?.collect::<sql::Result<_>>()?;
    for hash in &hashes {
        free_one(connection, run, hash)?;
    }
    Ok(hashes.len())
}
