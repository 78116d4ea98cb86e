//! `run_summary`: what an ended run came to, so that showing it needs no replay. One that cannot be read is as good as
//! none. Tests: `tests/store/table/run_summary.rs`.

use crate::document::{Document, filled, parse};
use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{Connection, OptionalExtension, params};
use crate::table::blob;
use serde::de::DeserializeOwned;
use signalbox_model::hash::sha256_parts;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 6,
    sql: "CREATE TABLE run_summary (run TEXT PRIMARY KEY NOT NULL, hash TEXT NOT NULL, body TEXT NOT NULL, blobs TEXT) STRICT;",
}];

fn hash(run: &str, body: &str, blobs: Option<&str>) -> String {
    sha256_parts(&[run.as_bytes(), body.as_bytes(), blobs.unwrap_or_default().as_bytes()])
}

pub(crate) fn insert(connection: &Connection, run: &str, document: &Document) -> Result<()> {
    for blob in &document.blobs {
        blob::put(connection, run, blob)?;
    }
    let hash = hash(run, &document.text, document.references.as_deref());
    connection
        .prepare_cached("INSERT OR REPLACE INTO run_summary (run, hash, body, blobs) VALUES (?, ?, ?, ?)")?
        .execute(params![run, hash, document.text, document.references])?;
    Ok(())
}

pub(crate) fn get<T: DeserializeOwned>(connection: &Connection, run: &str) -> Result<Option<T>> {
    Ok(text(connection, run)?.and_then(|text| parse(&text).ok()))
}

/// The summary as compact JSON.
pub(crate) fn text(connection: &Connection, run: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT hash, body, blobs FROM run_summary WHERE run = ?")?;
    let row: Option<(String, String, Option<String>)> =
        statement.query_row([run], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let Some((stored, body, blobs)) = row else { return Ok(None) };
    if hash(run, &body, blobs.as_deref()) != stored {
        return Ok(None);
    }
    let Some(blobs) = blobs else { return Ok(Some(body)) };
    let mut fetch = |hash: &str| {
        blob::get(connection, hash)?.ok_or_else(|| Error::Damaged { reason: format!("the value {hash} is missing") })
    };
    match filled(String::new(), &body, &blobs, &mut fetch) {
        Ok(text) => Ok(Some(text)),
        Err(Error::Damaged { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

pub(crate) fn delete(connection: &Connection, run: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM run_summary WHERE run = ?")?.execute([run])?;
    Ok(())
}
