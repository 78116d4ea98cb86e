//! `proof`: the last proof of the error handling of each workflow. The table is made beside `health_run`. Tests:
//! `tests/store/table/proof.rs`.

use crate::error::Result;
use crate::sql::{self, Connection, OptionalExtension, Row, params};

/// A proof that came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofRow {
    /// Id of the workflow.
    pub workflow: String,
    /// SHA-256 of the definition that was proved, without positions.
    pub definition: String,
    /// When, milliseconds since 1970.
    pub at_ms: i64,
    /// Of the faults that were tried, how many are handled, in percent; none when nothing was tried.
    pub score: Option<u32>,
    /// The report as JSON.
    pub report: String,
}

fn read(row: &Row<'_>) -> sql::Result<ProofRow> {
    Ok(ProofRow {
        workflow: row.get(0)?,
        definition: row.get(1)?,
        at_ms: row.get(2)?,
        score: row.get(3)?,
        report: row.get(4)?,
    })
}

pub(crate) fn get(connection: &Connection, workflow: &str) -> Result<Option<ProofRow>> {
    let mut statement =
        connection.prepare_cached("SELECT workflow, definition, at_ms, score, report FROM proof WHERE workflow = ?")?;
    Ok(statement.query_row([workflow], read).optional()?)
}

pub(crate) fn put(connection: &Connection, one: &ProofRow) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO proof (workflow, definition, at_ms, score, report) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![one.workflow, one.definition, one.at_ms, one.score, one.report])?;
    Ok(())
}

/// The scores of all workflows.
pub(crate) fn scores(connection: &Connection) -> Result<Vec<(String, Option<u32>)>> {
    let mut statement = connection.prepare_cached("SELECT workflow, score FROM proof")?;
    Ok(statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<sql::Result<_>>()?)
}
