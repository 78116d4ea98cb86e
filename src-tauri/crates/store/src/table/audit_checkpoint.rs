//! `audit_checkpoint`: what seals the chain so far, with the Merkle frontier to go on from. Tests:
//! `tests/store/table/audit_checkpoint.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, params};
use signalbox_audit::verify::Trusted;
use signalbox_audit::{Frontier, SignedCheckpoint};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 18,
    sql: "CREATE TABLE audit_checkpoint (
            cp_seq INTEGER PRIMARY KEY, size INTEGER NOT NULL, checkpoint TEXT NOT NULL, frontier TEXT NOT NULL
          ) STRICT;",
}];

pub(crate) fn insert(connection: &Connection, sealed: &SignedCheckpoint, frontier: &Frontier) -> Result<()> {
    let text = serde_json::to_string(frontier).map_err(|e| Error::Invalid { reason: e.to_string() })?;
    connection
        .prepare_cached("INSERT INTO audit_checkpoint (cp_seq, size, checkpoint, frontier) VALUES (?, ?, ?, ?)")?
        .execute(params![sealed.checkpoint.cp_seq, sealed.checkpoint.size, sealed.to_line().trim_end(), text])?;
    Ok(())
}

/// Entries that the last one seals.
pub(crate) fn sealed_size(connection: &Connection) -> Result<u64> {
    let mut statement = connection.prepare_cached("SELECT size FROM audit_checkpoint ORDER BY cp_seq DESC LIMIT 1")?;
    Ok(statement.query_row([], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// The last one, with its frontier.
pub(crate) fn last(connection: &Connection) -> Result<Option<Trusted>> {
    let mut statement =
        connection.prepare_cached("SELECT checkpoint, frontier FROM audit_checkpoint ORDER BY cp_seq DESC LIMIT 1")?;
    let row: Option<(String, String)> = statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    row.map(|(checkpoint, frontier)| trusted(&checkpoint, &frontier)).transpose()
}

/// The last one that seals fewer than `size` entries, with its frontier.
pub(crate) fn below(connection: &Connection, size: u64) -> Result<Option<(SignedCheckpoint, Frontier)>> {
    let mut statement = connection.prepare_cached(
        "SELECT checkpoint, frontier FROM audit_checkpoint WHERE size < ? ORDER BY cp_seq DESC LIMIT 1",
    )?;
    let row: Option<(String, String)> = statement.query_row([size], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    row.map(|(checkpoint, frontier)| trusted(&checkpoint, &frontier).map(|found| (found.sealed, found.frontier)))
        .transpose()
}

fn trusted(checkpoint: &str, frontier: &str) -> Result<Trusted> {
    let damaged = |e: String| Error::Damaged {
        reason: format!("a checkpoint of the audit chain cannot be read ({e}); verify the audit chain"),
    };
    Ok(Trusted {
        sealed: SignedCheckpoint::from_line(checkpoint).map_err(|e| damaged(e.to_string()))?,
        frontier: serde_json::from_str(frontier).map_err(|e| damaged(e.to_string()))?,
    })
}

/// The last entries of those checkpoints that seal one of these entries, both included.
pub(crate) fn ends(connection: &Connection, from: u64, to: u64) -> Result<Vec<u64>> {
    let text = "SELECT size - 1 FROM audit_checkpoint WHERE size BETWEEN ? AND ?";
    let mut statement = connection.prepare_cached(text)?;
    let ends = statement.query_map([from.saturating_add(1), to.saturating_add(1)], |row| row.get(0))?;
    Ok(ends.collect::<sql::Result<_>>()?)
}

/// All of them; a row that is none is left out, and what follows it then does not fit.
pub(crate) fn all(connection: &Connection) -> Result<Vec<SignedCheckpoint>> {
    let mut statement = connection.prepare_cached("SELECT checkpoint FROM audit_checkpoint ORDER BY cp_seq")?;
    let mut rows = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let text: String = row.get(0)?;
        all.extend(SignedCheckpoint::from_line(&text));
    }
    Ok(all)
}
