//! `task_body`: what a task asks (`created`) and what was decided (`decision`), whole. Large values are shared with the
//! run's events. Tests: `tests/store/table/task_body.rs`.

use crate::document::{Document, filled, parse};
use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{Connection, OptionalExtension, params};
use crate::table::blob;
use serde_json::Value;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 14,
    sql: "CREATE TABLE task_body (task TEXT NOT NULL, part TEXT NOT NULL, body TEXT NOT NULL, blobs TEXT, \
          PRIMARY KEY (task, part)) STRICT;",
}];

/// What the task asks.
pub(crate) const CREATED: &str = "created";
/// What was decided.
pub(crate) const DECISION: &str = "decision";

pub(crate) fn insert(connection: &Connection, run: &str, task: &str, part: &str, document: &Document) -> Result<()> {
    for blob in &document.blobs {
        blob::put(connection, run, blob)?;
    }
    connection
        .prepare_cached("INSERT INTO task_body (task, part, body, blobs) VALUES (?, ?, ?, ?)")?
        .execute(params![task, part, document.text, document.references])?;
    Ok(())
}

pub(crate) fn get(connection: &Connection, task: &str, part: &str) -> Result<Option<Value>> {
    let mut statement = connection.prepare_cached("SELECT body, blobs FROM task_body WHERE task = ? AND part = ?")?;
    let row: Option<(String, Option<String>)> =
        statement.query_row([task, part], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((body, blobs)) = row else { return Ok(None) };
    let damaged = |why: String| Error::Damaged { reason: format!("task {task} cannot be read: {why}") };
    let body = match blobs {
        Some(blobs) => {
            let mut fetch = |hash: &str| {
                blob::get(connection, hash)?.ok_or_else(|| damaged(format!("the value {hash} is missing")))
            };
            filled(String::new(), &body, &blobs, &mut fetch)?
        }
        None => body,
    };
    parse(&body).map(Some).map_err(|e| damaged(e.to_string()))
}
