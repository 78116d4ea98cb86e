//! `run_node`: the last call of each node in a run, so that a panel finds it without reading the log. Brought up to date
//! every [`BEHIND`] events and not with every step: what is newer is found by a short scan. Tests:
//! `tests/store/table/run_node.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{Connection, OptionalExtension, params};
use crate::table::run_event::{END, SEQ, START};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 8,
    sql: "CREATE TABLE run_node (run TEXT NOT NULL, node TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (run, node)) \
          STRICT, WITHOUT ROWID;",
}];

/// Most events that the table lags behind.
const BEHIND: u64 = 256;
/// How far back a panel looks.
const RUNS: usize = 200;

/// Where a node was called last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastCall {
    /// The run.
    pub run_id: String,
    /// When that run started, milliseconds since 1970.
    pub started_ms: i64,
    /// The `step_start` event.
    pub seq: u64,
}

pub(crate) fn catch_up(connection: &Connection, run: &str, from: u64, last: u64) -> Result<()> {
    // A cheap look at the numbers first: nearly every commit has nothing to do here.
    if last / BEHIND == from / BEHIND {
        return Ok(());
    }
    let mut statement = connection.prepare_cached("SELECT nodes_seq FROM run WHERE id = ?")?;
    let known: u64 = statement.query_row([run], |row| row.get(0))?;
    connection
        .prepare_cached(&format!(
            "INSERT INTO run_node (run, node, seq) SELECT ?1, node, max({SEQ}) FROM run_event \
             WHERE id > {START} + ?2 AND id <= {START} + ?3 AND type = 'step_start' AND node IS NOT NULL GROUP BY node \
             ON CONFLICT DO UPDATE SET seq = excluded.seq"
        ))?
        .execute(params![run, known, last])?;
    connection.prepare_cached("UPDATE run SET nodes_seq = ?2 WHERE id = ?1")?.execute(params![run, last])?;
    Ok(())
}

fn in_run(connection: &Connection, run: &str, node: &str, known: u64) -> Result<Option<u64>> {
    let mut newer = connection.prepare_cached(&format!(
        "SELECT {SEQ} FROM run_event WHERE id > {START} + ?2 AND id < {END} AND type = 'step_start' AND node = ?3 \
         ORDER BY id DESC LIMIT 1"
    ))?;
    let found: Option<u64> = newer.query_row(params![run, known, node], |row| row.get(0)).optional()?;
    if found.is_some() || known == 0 {
        return Ok(found);
    }
    let mut older = connection.prepare_cached("SELECT seq FROM run_node WHERE run = ? AND node = ?")?;
    Ok(older.query_row([run, node], |row| row.get(0)).optional()?)
}

pub(crate) fn last_call(
    connection: &Connection,
    workflow: &str,
    node: &str,
    run: Option<&str>,
) -> Result<Option<LastCall>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, started_ms, nodes_seq FROM run WHERE workflow_id = ?1 AND (?2 IS NULL OR id = ?2) \
         ORDER BY started_ms DESC, id DESC LIMIT ?3",
    )?;
    let mut rows = statement.query(params![workflow, run, RUNS as u64])?;
    while let Some(row) = rows.next()? {
        let run_id: String = row.get(0)?;
        if let Some(seq) = in_run(connection, &run_id, node, row.get(2)?)? {
            return Ok(Some(LastCall { run_id, started_ms: row.get(1)?, seq }));
        }
    }
    Ok(None)
}

pub(crate) fn delete(connection: &Connection, run: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM run_node WHERE run = ?")?.execute([run])?;
    Ok(())
}
