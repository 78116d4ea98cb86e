//! `run_input`: what somebody asks of a run that another process may drive (cancel, later decisions). Durable before it is
//! answered; the driver marks it consumed in the commit that acts on it. Tests: `tests/store/table/run_input.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{Connection, params};
use signalbox_model::DurableInput;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 7,
    sql: "CREATE TABLE run_input (
            id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, body TEXT NOT NULL, consumed INTEGER NOT NULL DEFAULT 0
          ) STRICT;
          CREATE INDEX run_input_of_run ON run_input (run, consumed, id);",
}, Migration { id: 20, sql: "CREATE INDEX run_input_pending ON run_input (run) WHERE consumed = 0;" }];

/// A durable input that waits for the driver.
#[derive(Debug, Clone, PartialEq)]
pub struct RunInput {
    /// Order of arrival.
    pub id: i64,
    /// What is asked; `None` for what only another version of the program understands.
    pub body: Option<DurableInput>,
}

pub(crate) fn insert(connection: &Connection, run: &str, input: &DurableInput) -> Result<i64> {
    let body = serde_json::to_string(input).map_err(|error| Error::Invalid { reason: error.to_string() })?;
    connection.prepare_cached("INSERT INTO run_input (run, body) VALUES (?, ?)")?.execute(params![run, body])?;
    Ok(connection.last_insert_rowid()?)
}

pub(crate) fn pending(connection: &Connection, run: &str) -> Result<Vec<RunInput>> {
    let mut statement =
        connection.prepare_cached("SELECT id, body FROM run_input WHERE run = ? AND consumed = 0 ORDER BY id")?;
    let mut rows = statement.query([run])?;
    let mut inputs = Vec::new();
    while let Some(row) = rows.next()? {
        let id = row.get(0)?;
        let body: String = row.get(1)?;
        let body = crate::document::parse(&body)
            .map_err(|e| Error::Damaged { reason: format!("input {id} of run {run} cannot be read: {e}") })?;
        inputs.push(RunInput { id, body: serde_json::from_value(body).ok() });
    }
    Ok(inputs)
}

/// Whether a run was asked something that no commit has consumed.
pub(crate) fn is_pending(connection: &Connection, run: &str) -> Result<bool> {
    Ok(connection.prepare_cached("SELECT 1 FROM run_input WHERE run = ? AND consumed = 0")?.exists([run])?)
}

/// Consuming twice means that another driver acted on it.
pub(crate) fn consume(connection: &Connection, run: &str, id: i64) -> Result<()> {
    let changed = connection
        .prepare_cached("UPDATE run_input SET consumed = 1 WHERE id = ? AND run = ? AND consumed = 0")?
        .execute(params![id, run])?;
    if changed == 1 { Ok(()) } else { Err(Error::Fenced { run: run.into() }) }
}

pub(crate) fn delete(connection: &Connection, run: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM run_input WHERE run = ?")?.execute([run])?;
    Ok(())
}
