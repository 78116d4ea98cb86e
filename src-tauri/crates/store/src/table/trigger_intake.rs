//! What triggers that wait for something have to deal with, and have dealt with: `trigger_failed_run` (runs that failed and
//! that a `trigger.error` has not looked at yet; written in the transaction that ends the run), and `trigger_seen` (what a
//! trigger has taken already, by a key of its own; written in the transaction that creates the run). Tests:
//! `tests/store/table/trigger_intake.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{self, Connection, Row, params};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 41,
    sql: "CREATE TABLE trigger_failed_run (
            trigger_id TEXT NOT NULL, run TEXT NOT NULL, ended_ms INTEGER NOT NULL, PRIMARY KEY (trigger_id, run)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX trigger_of_errors ON workflow_trigger (id) WHERE kind = 'trigger.error';
          CREATE TABLE trigger_seen (
            trigger_id TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, at_ms INTEGER NOT NULL,
            PRIMARY KEY (trigger_id, key)
          ) STRICT, WITHOUT ROWID;",
}];

/// The entry of `trigger_seen` that says that the trigger has begun: what was there before it is known. A trigger that is
/// activated anew begins anew.
pub const BEGUN: &str = "";

/// A run that failed, for a trigger that waits for that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRun {
    /// The trigger.
    pub trigger: String,
    /// The run.
    pub run: String,
    /// When it ended, milliseconds since 1970.
    pub ended_ms: i64,
}

/// Something that a trigger has taken: a key of its own, and what it looked like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Unique for the trigger; a later one replaces it.
    pub key: String,
    /// What it looked like.
    pub value: String,
    /// It must not be known yet: otherwise the run that takes it is not created.
    pub once: bool,
}

/// How much of what it has taken a trigger remembers. What is still there is never forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenLimits {
    /// Entries, the newest ones.
    pub most: usize,
    /// How long after it was there last, milliseconds.
    pub kept_ms: i64,
}

/// What triggers that are not active any more have taken is forgotten after this time, milliseconds.
pub const SEEN_KEPT_MS: i64 = 90 * 86_400_000;
/// Being there is noted once in this time, milliseconds.
const NOTED_MS: i64 = 86_400_000;

/// A run has failed: each active trigger of another workflow that waits for that is told in the same transaction.
pub(crate) fn failed(connection: &Connection, run: &str, ended_ms: i64) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO trigger_failed_run (trigger_id, run, ended_ms) \
             SELECT t.id, ?1, ?2 FROM workflow_trigger t JOIN activation a ON a.workflow = t.workflow \
             WHERE t.kind = 'trigger.error' AND t.active <> 0 AND a.active <> 0 \
             AND t.workflow <> (SELECT workflow_id FROM run WHERE id = ?1)",
        )?
        .execute(params![run, ended_ms])?;
    Ok(())
}

/// At most `limit` failed runs that wait for triggers, the oldest first.
pub(crate) fn waiting(connection: &Connection, limit: usize) -> Result<Vec<FailedRun>> {
    let mut statement = connection.prepare_cached(
        "SELECT trigger_id, run, ended_ms FROM trigger_failed_run ORDER BY ended_ms, run, trigger_id LIMIT ?",
    )?;
    let read = |row: &Row<'_>| Ok(FailedRun { trigger: row.get(0)?, run: row.get(1)?, ended_ms: row.get(2)? });
    Ok(statement.query_map([limit as u64], read)?.collect::<sql::Result<_>>()?)
}

/// The trigger has dealt with a failed run.
pub(crate) fn settled(connection: &Connection, trigger: &str, run: &str) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM trigger_failed_run WHERE trigger_id = ? AND run = ?")?
        .execute([trigger, run])?;
    Ok(())
}

/// Everything that a trigger has taken: key and value.
pub(crate) fn seen(connection: &Connection, trigger: &str) -> Result<BTreeMap<String, String>> {
    let mut statement = connection.prepare_cached("SELECT key, value FROM trigger_seen WHERE trigger_id = ?")?;
    Ok(statement.query_map([trigger], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<sql::Result<_>>()?)
}

pub(crate) fn take(connection: &Connection, trigger: &str, taken: &[Taken], at_ms: i64) -> Result<()> {
    let mut replace = connection.prepare_cached("INSERT OR REPLACE INTO trigger_seen VALUES (?, ?, ?, ?)")?;
    let mut add = connection.prepare_cached("INSERT OR IGNORE INTO trigger_seen VALUES (?, ?, ?, ?)")?;
    for one in taken {
        let statement = if one.once { &mut add } else { &mut replace };
        if statement.execute(params![trigger, one.key, one.value, at_ms])? == 0 {
            return Err(Error::FiredBefore { trigger: trigger.to_owned(), key: one.key.clone() });
        }
    }
    Ok(())
}

/// Forgets the oldest of what a trigger has taken, as far as it is not `there` now. Gives what is forgotten.
pub(crate) fn forget(
    connection: &Connection,
    trigger: &str,
    there: &BTreeSet<String>,
    limits: SeenLimits,
    now_ms: i64,
) -> Result<Vec<String>> {
    let mut note = connection
        .prepare_cached("UPDATE trigger_seen SET at_ms = ?3 WHERE trigger_id = ?1 AND key = ?2 AND at_ms < ?4")?;
    for key in there {
        note.execute(params![trigger, key, now_ms, now_ms.saturating_sub(NOTED_MS)])?;
    }
    let mut newest = connection
        .prepare_cached("SELECT key, at_ms FROM trigger_seen WHERE trigger_id = ? ORDER BY at_ms DESC, key")?;
    let all: Vec<(String, i64)> =
        newest.query_map([trigger], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<sql::Result<_>>()?;
    let is_old = |place: usize, at_ms: i64| place >= limits.most || at_ms < now_ms.saturating_sub(limits.kept_ms);
    let old =
        all.into_iter().enumerate().filter(|(place, (key, at_ms))| is_old(*place, *at_ms) && !there.contains(key));
    let old: Vec<String> = old.map(|(_, (key, _))| key).collect();
    let mut delete = connection.prepare_cached("DELETE FROM trigger_seen WHERE trigger_id = ? AND key = ?")?;
    for key in &old {
        delete.execute([trigger, key])?;
    }
    Ok(old)
}

/// Forgets what triggers took that are not active any more, and took nothing for a long time.
pub(crate) fn sweep(connection: &Connection, before_ms: i64) -> Result<usize> {
    let mut statement = connection.prepare_cached(
        "DELETE FROM trigger_seen WHERE at_ms < ?1 AND NOT EXISTS (SELECT 1 FROM workflow_trigger t JOIN activation a \
         ON a.workflow = t.workflow WHERE t.id = trigger_seen.trigger_id AND t.active <> 0 AND a.active <> 0)",
    )?;
    Ok(statement.execute([before_ms])?)
}

/// A trigger that is activated anew, or with other settings, begins anew; what it has taken stays known.
pub(crate) fn begin_anew(
    connection: &Connection,
    trigger: &str,
    kind: &str,
    config: &str,
    was_active: bool,
) -> Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM trigger_seen WHERE trigger_id = ?1 AND key = '' AND NOT EXISTS (SELECT 1 FROM workflow_trigger \
             WHERE id = ?1 AND ?4 = 1 AND active = 2 AND kind = ?2 AND config = ?3)",
        )?
        .execute(params![trigger, kind, config, was_active])?;
    Ok(())
}

/// Why a trigger cannot fire now, or that nothing keeps it from it.
pub(crate) fn set_problem(connection: &Connection, trigger: &str, problem: Option<&str>) -> Result<()> {
    connection
        .prepare_cached("UPDATE workflow_trigger SET problem = ?2 WHERE id = ?1 AND problem IS NOT ?2")?
        .execute(params![trigger, problem])?;
    Ok(())
}
