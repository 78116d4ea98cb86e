//! `run_snapshot`: the state of a run after an event, the last two. One that cannot be read is as good as none: the events
//! alone rebuild the state. Tests: `tests/store/table/run_snapshot.rs`.

use crate::document::{Document, filled};
use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{Connection, params};
use crate::table::blob;
use signalbox_model::hash::sha256_parts;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 5,
    sql: "CREATE TABLE run_snapshot (
            run TEXT NOT NULL, seq INTEGER NOT NULL, version INTEGER NOT NULL, hash TEXT NOT NULL, body TEXT NOT NULL,
            blobs TEXT, UNIQUE (run, seq)
          ) STRICT;",
}];

/// The state of a run after event `seq`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The last event it contains.
    pub seq: u64,
    /// Version of the body's shape.
    pub version: u32,
    /// The encoded state: compact JSON.
    pub body: String,
}

fn hash(run: &str, seq: u64, version: u32, body: &str, blobs: Option<&str>) -> String {
    sha256_parts(&[
        run.as_bytes(),
        &seq.to_be_bytes(),
        &version.to_be_bytes(),
        body.as_bytes(),
        blobs.unwrap_or_default().as_bytes(),
    ])
}

/// Large values that the run's events have stored already are referenced; others stay inside, and go with the snapshot.
pub(crate) fn insert(connection: &Connection, run: &str, snapshot: &mut Snapshot) -> Result<()> {
    let mut failed = None;
    let document = Document::split(std::mem::take(&mut snapshot.body), &mut |hash| {
        blob::is_used(connection, run, hash).unwrap_or_else(|error| {
            failed = Some(error);
            false
        })
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let (seq, version) = (snapshot.seq, snapshot.version);
    let hash = hash(run, seq, version, &document.text, document.references.as_deref());
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO run_snapshot (run, seq, version, hash, body, blobs) VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![run, seq, version, hash, document.text, document.references])?;
    connection
        .prepare_cached(
            "DELETE FROM run_snapshot WHERE run = ?1 AND seq NOT IN \
             (SELECT seq FROM run_snapshot WHERE run = ?1 ORDER BY seq DESC LIMIT 2)",
        )?
        .execute([run])?;
    Ok(())
}

/// The newest readable one, at `until` or before.
pub(crate) fn latest(connection: &Connection, run: &str, until: u64) -> Result<Option<Snapshot>> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, version, hash, body, blobs FROM run_snapshot WHERE run = ? AND seq <= ? ORDER BY seq DESC",
    )?;
    let mut rows = statement.query(params![run, until])?;
    while let Some(row) = rows.next()? {
        let (seq, version, stored): (u64, u32, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (Ok(body), Ok(blobs)) = (row.get::<_, String>(3), row.get::<_, Option<String>>(4)) else { continue };
        if hash(run, seq, version, &body, blobs.as_deref()) != stored {
            continue;
        }
        let Some(blobs) = blobs else { return Ok(Some(Snapshot { seq, version, body })) };
        let mut fetch = |hash: &str| {
            blob::get(connection, hash)?
                .ok_or_else(|| Error::Damaged { reason: format!("the value {hash} is missing") })
        };
        match filled(String::new(), &body, &blobs, &mut fetch) {
            Ok(body) => return Ok(Some(Snapshot { seq, version, body })),
            Err(Error::Damaged { .. }) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(None)
}

pub(crate) fn delete(connection: &Connection, run: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM run_snapshot WHERE run = ?")?.execute([run])?;
    Ok(())
}
