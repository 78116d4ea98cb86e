//! Retention of the audit chain: the oldest entries go, and a signed entry of the chain stands for them (UX E8). What is
//! removed ends at a checkpoint, so that the rest verifies from there; a run that has not ended keeps its entries, and with
//! them everything after its first.

use crate::chain::{Newest, Receipt, SNAPSHOTS, append_one, checkpoint};
use crate::error::{Error, Result};
use crate::sql::{Connection, OptionalExtension};
use crate::store::Store;
use crate::table::{audit_checkpoint, audit_entry, audit_place, blob};
use serde_json::{Map, Value};
use signalbox_audit::{Frontier, RETENTION, Record, SignedCheckpoint, Tombstone};
use signalbox_model::time;
use std::collections::{BTreeMap, BTreeSet};

/// Most entries of one record: a transaction must not hold up the runs for long.
const AT_ONCE: u64 = 50_000;
/// Most runs of which one record may cut off a part.
const CUT_RUNS: usize = 500;

/// A run that keeps entries from being removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The run, which has not ended.
    pub run: String,
    /// Its first entry.
    pub seq: u64,
}

/// What a retention did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retained {
    /// Entries that this one removed.
    pub removed: u64,
    /// The entry that stands for them.
    pub record: Receipt,
}

/// A place to cut: the checkpoint, its frontier, and the runs that lose a part.
struct Cut {
    sealed: SignedCheckpoint,
    frontier: Frontier,
    runs: BTreeMap<String, u64>,
}

/// The last record of a retention, with its place.
pub(crate) fn tombstone(connection: &Connection) -> Result<Option<(u64, Tombstone)>> {
    let query = audit_entry::AuditQuery { event: Some(RETENTION.into()), limit: 1, ..Default::default() };
    let page = audit_entry::page(connection, &query)?;
    Ok(page.rows.first().and_then(|row| Some((row.seq, Tombstone::of(&row.entry()?)?))))
}

/// The oldest entry of a run that has not ended.
fn held(connection: &Connection) -> Result<Option<Held>> {
    let mut statement = connection.prepare_cached(
        // What is in the table is older than what is not, so only the newest runs are looked for in the entries themselves.
        "SELECT id, first FROM (SELECT id, coalesce((SELECT min(seq) FROM audit_run WHERE run_id = run.id), \
           (SELECT min(seq) FROM audit_entry WHERE seq >= ? AND run_id = run.id)) AS first FROM run \
         WHERE ended_ms IS NULL) AS unended WHERE first IS NOT NULL ORDER BY first LIMIT 1",
    )?;
    let taken = audit_place::taken_to(connection)?;
    Ok(statement.query_row([taken], |row| Ok(Held { run: row.get(0)?, seq: row.get(1)? })).optional()?)
}

/// Runs that end at or after `size` and have entries before it: their ends count those too.
fn cut_runs(connection: &Connection, size: u64, before: Option<&Tombstone>) -> Result<BTreeMap<String, u64>> {
    let mut statement = connection.prepare_cached(
        "SELECT run_id FROM audit_entry WHERE seq IN \
           (SELECT seq FROM audit_mark WHERE mark = 'event:WORKFLOW_COMPLETED' AND seq >= ?1 UNION ALL \
            SELECT seq FROM audit_entry WHERE seq >= max(?1, ?2) AND event = 'WORKFLOW_COMPLETED')",
    )?;
    let mut rows = statement.query([size, audit_place::taken_to(connection)?])?;
    let mut runs = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let run: String = row.get(0)?;
        let lost = audit_place::count_of_run(connection, &run, size)?;
        let lost = lost + before.and_then(|before| before.cut_runs.get(&run)).copied().unwrap_or(0);
        if lost > 0 {
            runs.insert(run, lost);
        }
    }
    Ok(runs)
}

/// Where to cut; `None` when nothing is old enough, or no checkpoint stands before what must stay.
fn cut(connection: &Connection, before_ms: i64) -> Result<Option<Cut>> {
    let first = audit_entry::first(connection)?;
    let head = audit_entry::head(connection)?.size;
    let young = audit_entry::first_since(connection, before_ms)?;
    let most = young.min(first + AT_ONCE).min(held(connection)?.map_or(head, |held| held.seq));
    let earlier = tombstone(connection)?.map(|(_, found)| found);
    let mut below = most.saturating_add(1);
    while let Some((sealed, frontier)) = audit_checkpoint::below(connection, below)? {
        let size = sealed.checkpoint.size;
        if size <= first {
            break;
        }
        let runs = cut_runs(connection, size, earlier.as_ref())?;
        if runs.len() <= CUT_RUNS {
            if !frontier.is_well_formed() || frontier.size() != size || frontier.root() != sealed.checkpoint.root_hash {
                let reason = format!(
                    "checkpoint {} does not fit its frontier; verify the audit chain",
                    sealed.checkpoint.cp_seq
                );
                return Err(Error::Damaged { reason });
            }
            return Ok(Some(Cut { sealed, frontier, runs }));
        }
        below = size;
    }
    Ok(None)
}

/// Snapshots that only removed entries name.
fn forgotten(connection: &Connection, size: u64) -> Result<BTreeSet<String>> {
    let of = |condition: &str| -> Result<BTreeSet<String>> {
        let text = format!(
            "SELECT entry FROM audit_entry WHERE seq {condition} ? AND entry LIKE '%\"contextSnapshotHash\":\"%'"
        );
        let mut statement = connection.prepare_cached(&text)?;
        let mut rows = statement.query([size])?;
        let mut found = BTreeSet::new();
        while let Some(row) = rows.next()? {
            let entry: Value = serde_json::from_str(&row.get::<_, String>(0)?).unwrap_or_default();
            found.extend(entry["contextSnapshotHash"].as_str().map(str::to_owned));
        }
        Ok(found)
    };
    let gone = of("<")?;
    if gone.is_empty() { Ok(gone) } else { Ok(gone.difference(&of(">=")?).cloned().collect()) }
}

impl Store {
    /// Removes the oldest entries that are older than `before_ms`, at most 50,000, and records that with the facts that a
    /// verification needs; `record` adds who and why. `None` when there is nothing to remove. Verify the chain first: what
    /// is removed cannot be looked at again.
    pub fn audit_retain(
        &self,
        before_ms: i64,
        record: impl FnOnce(Map<String, Value>) -> Record + Send + 'static,
    ) -> Result<Option<Retained>> {
        self.write(true, move |work| {
            let connection = work.connection;
            let Some(cut) = cut(connection, before_ms)? else { return Ok(None) };
            let (this, first) = (&cut.sealed.checkpoint, audit_entry::first(connection)?);
            let facts = Tombstone {
                removed: this.size,
                cp_seq: this.cp_seq,
                root_hash: this.root_hash,
                head_hash: this.head_hash,
                frontier: cut.frontier.nodes().to_vec(),
                cut_runs: cut.runs,
                before: time::format(before_ms),
            };
            let facts = serde_json::to_value(&facts).map_err(|e| Error::Invalid { reason: e.to_string() })?;
            let record = append_one(work, record(facts.as_object().cloned().unwrap_or_default()), None)?;
            for hash in forgotten(connection, this.size)? {
                blob::free_one(connection, SNAPSHOTS, &hash)?;
            }
            audit_entry::remove_before(connection, this.size)?;
            // Some of the newest may be among them.
            *work.newest = Newest::default();
            // What stands for the removed ones is sealed at once.
            checkpoint(connection, work.signer.as_deref(), None)?;
            Ok(Some(Retained { removed: this.size - first, record }))
        })
    }

    /// The last record of a retention, with its place; `None` when the chain is whole.
    pub fn audit_tombstone(&self) -> Result<Option<(u64, Tombstone)>> {
        self.view(|connection| if audit_entry::first(connection)? == 0 { Ok(None) } else { tombstone(connection) })
    }

    /// The run that keeps the oldest entries from being removed: it has not ended.
    pub fn audit_held(&self) -> Result<Option<Held>> {
        self.view(held)
    }
}
