//! Looking at the whole store, repairing what can be repaired, and giving room back to the disk.

use crate::error::{Error, Result};
use crate::sql::{self, Connection, OptionalExtension, Pause};
use crate::store::Store;
use crate::table::{blob, run, run_event};
use signalbox_model::hash::sha256_hex;
use std::path::Path;

/// Findings of one kind that are named; more are only counted by SQLite's own check.
const NAMED: usize = 20;
/// Values or pages that are freed in one transaction, so that nobody waits long behind it.
const AT_ONCE: usize = 2_000;
/// Events that are read at once, and their bytes.
const PAGE: (usize, usize) = (1_000, 4 << 20);
/// Free pages that stay: the next rows need some.
const KEPT_FREE: u64 = 256;

/// An event that cannot be read as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedEvent {
    /// The run.
    pub run: String,
    /// The first event of the run that is damaged; later ones were not read.
    pub seq: u64,
}

/// What a look at the whole store found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreCheck {
    /// What `integrity_check` says, at most 20 lines; empty = the file is sound.
    pub integrity: Vec<String>,
    /// Runs that were read.
    pub runs: u64,
    /// The first damaged event of each run that has one, at most 20 runs.
    pub damaged_events: Vec<DamagedEvent>,
    /// Values (SHA-256) whose content is not what its hash says, at most 20.
    pub damaged_values: Vec<String>,
    /// Values (SHA-256) that a run needs and that are not there, at most 20.
    pub missing_values: Vec<String>,
    /// Values that no run needs.
    pub orphaned_values: u64,
    /// Their bytes.
    pub orphaned_bytes: u64,
    /// Deletions of runs that a crash cut off.
    pub unfinished_deletions: u64,
}

/// How much of the file is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreSize {
    /// Bytes of the database file.
    pub bytes: u64,
    /// Bytes of it that hold nothing.
    pub free: u64,
    /// The file gives free space back by itself. Stores of older releases do after [`Store::compact`].
    pub shrinks: bool,
}

/// What a repair did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreRepair {
    /// Values that no run needed, and that were removed.
    pub orphaned_values: u64,
    /// Deletions that were ended.
    pub deletions: u64,
    /// Indexes were built again.
    pub reindexed: bool,
}

/// Lines of `integrity_check` of a database; none when it is sound.
pub(crate) fn integrity(connection: &Connection) -> Result<Vec<String>> {
    if connection.file().is_none() {
        // A server looks after its pages by checksums and by pg_amcheck.
        return Ok(Vec::new());
    }
    let read = || -> Result<Vec<String>> {
        let mut statement = connection.prepare_cached(&format!("PRAGMA integrity_check({NAMED})"))?;
        let lines = statement.query_map([], |row| row.get(0))?.collect::<sql::Result<Vec<String>>>()?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    };
    match read() {
        // It could not even read on: that is what it found.
        Err(Error::Damaged { reason }) => Ok(vec![reason]),
        read => read,
    }
}

fn number(connection: &Connection, sql: &str) -> Result<u64> {
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

/// Values that no run needs, nor an audit entry. What belongs to a run that is gone counts, too.
const ORPHANED: &str = "NOT EXISTS (SELECT 1 FROM blob_use WHERE blob_use.hash = blob.hash AND (substr(run, 1, 1) = '$' \
     OR run IN (SELECT id FROM run) OR run IN (SELECT run FROM run_deleted WHERE purged = 0)))";

fn orphans(connection: &Connection, limit: usize) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached(&format!("SELECT hash FROM blob WHERE {ORPHANED} LIMIT ?"))?;
    Ok(statement.query_map([limit as u64], |row| row.get(0))?.collect::<sql::Result<_>>()?)
}

/// The first hash after `after`.
fn next_value(connection: &Connection, after: &str) -> Result<Option<String>> {
    let sql = "SELECT hash FROM blob WHERE hash > ? ORDER BY hash LIMIT 1";
    Ok(connection.prepare_cached(sql)?.query_row([after], |row| row.get(0)).optional()?)
}

fn damaged_values(connection: &Connection) -> Result<Vec<String>> {
    let (mut damaged, mut after) = (Vec::new(), String::new());
    while let Some(hash) = next_value(connection, &after)? {
        let intact = match blob::get(connection, &hash) {
            Ok(data) => data.is_some_and(|data| sha256_hex(&data) == hash),
            Err(Error::Damaged { .. }) => false,
            Err(other) => return Err(other),
        };
        if !intact {
            damaged.push(hash.clone());
            if damaged.len() == NAMED {
                break;
            }
        }
        after = hash;
    }
    Ok(damaged)
}

impl Store {
    /// Reads everything: pages, events with their hashes, values with theirs. Takes as long as the store is large.
    pub fn check(&self) -> Result<StoreCheck> {
        let mut found = self.view(|connection| {
            let integrity = integrity(connection)?;
            if !integrity.is_empty() {
                // What follows would stop at the same pages.
                return Ok(StoreCheck { integrity, ..StoreCheck::default() });
            }
            let missing = "SELECT DISTINCT hash FROM blob_use WHERE NOT EXISTS \
                 (SELECT 1 FROM blob WHERE blob.hash = blob_use.hash) LIMIT ?";
            let mut statement = connection.prepare_cached(missing)?;
            let missing_values = statement.query_map([NAMED as u64], |row| row.get(0))?;
            Ok(StoreCheck {
                missing_values: missing_values.collect::<sql::Result<_>>()?,
                orphaned_values: number(connection, &format!("SELECT count(*) FROM blob WHERE {ORPHANED}"))?,
                orphaned_bytes: number(
                    connection,
                    &format!("SELECT coalesce(sum(size), 0) FROM blob WHERE {ORPHANED}"),
                )?,
                unfinished_deletions: number(connection, "SELECT count(*) FROM run_deleted WHERE purged = 0")?,
                ..StoreCheck::default()
            })
        })?;
        if found.integrity.is_empty() {
            found.damaged_values = self.view(damaged_values)?;
            self.check_events(&mut found)?;
        }
        Ok(found)
    }

    fn check_events(&self, found: &mut StoreCheck) -> Result<()> {
        let runs: Vec<String> = self.view(|connection| {
            let mut statement = connection.prepare_cached("SELECT id FROM run ORDER BY no")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<sql::Result<_>>()?)
        })?;
        for id in runs {
            let mut after = 0;
            loop {
                // A run that is deleted meanwhile is no finding; one that goes on is read as far as it is.
                let page = self.view(|connection| {
                    let Some(row) = run::get(connection, &id)? else { return Ok(None) };
                    let token = row.client_run_token.as_deref();
                    run_event::list(connection, &id, token, after, row.last_seq, PAGE).map(Some)
                });
                match page {
                    Ok(Some(page)) => match page.events.last().and_then(|event| event.seq) {
                        Some(last) => after = last,
                        None => break,
                    },
                    Ok(None) => break,
                    Err(Error::Corrupt { run, seq }) => {
                        found.damaged_events.push(DamagedEvent { run, seq });
                        break;
                    }
                    Err(Error::Damaged { .. }) => {
                        found.damaged_events.push(DamagedEvent { run: id.clone(), seq: after + 1 });
                        break;
                    }
                    Err(other) => return Err(other),
                }
            }
            found.runs += 1;
            if found.damaged_events.len() == NAMED {
                break;
            }
        }
        Ok(())
    }

    /// Removes values that nothing needs, ends deletions that were cut off, and builds the indexes again when SQLite finds
    /// them wrong. Damaged or missing content cannot be repaired: only a backup has it.
    pub fn repair(&self, found: &StoreCheck) -> Result<StoreRepair> {
        let mut done = StoreRepair::default();
        if found.integrity.iter().any(|line| line.contains("index")) {
            self.write(true, |work| Ok(work.connection.execute_batch("REINDEX")?))?;
            done.reindexed = true;
        }
        self.purge_deleted()?;
        done.deletions = found.unfinished_deletions;
        loop {
            let removed = self.write(false, |work| {
                let connection = work.connection;
                let orphans = orphans(connection, AT_ONCE)?;
                for hash in &orphans {
                    connection.prepare_cached("DELETE FROM blob_use WHERE hash = ?")?.execute([hash])?;
                    connection.prepare_cached("DELETE FROM blob WHERE hash = ?")?.execute([hash])?;
                }
                Ok(orphans.len())
            })?;
            done.orphaned_values += removed as u64;
            if removed < AT_ONCE {
                return Ok(done);
            }
        }
    }

    /// How large the database file is, and how much of it is free. A server uses free space again by itself, and does not tell it.
    pub fn size(&self) -> Result<StoreSize> {
        if !self.is_file() {
            let sql = "SELECT pg_database_size(current_database())";
            return self.view(|connection| Ok(StoreSize { bytes: number(connection, sql)?, free: 0, shrinks: true }));
        }
        self.view(|connection| {
            let page = number(connection, "PRAGMA page_size")?;
            Ok(StoreSize {
                bytes: page * number(connection, "PRAGMA page_count")?,
                free: page * number(connection, "PRAGMA freelist_count")?,
                shrinks: number(connection, "PRAGMA auto_vacuum")? == 2,
            })
        })
    }

    /// Gives free pages back to the disk, in short transactions; says how many bytes went. Nothing happens in a store of an
    /// older release that was never compacted.
    pub fn shrink(&self) -> Result<u64> {
        if !self.is_file() {
            return Ok(0);
        }
        let before = self.size()?;
        let page = self.view(|connection| number(connection, "PRAGMA page_size"))?;
        if !before.shrinks || before.free <= KEPT_FREE * page {
            return Ok(0);
        }
        loop {
            let left = self.write(false, move |work| {
                let free = number(work.connection, "PRAGMA freelist_count")?;
                let now = free.saturating_sub(KEPT_FREE).min(AT_ONCE as u64);
                if now > 0 {
                    // It frees one page with each step.
                    let mut statement = work.connection.prepare_cached(&format!("PRAGMA incremental_vacuum({now})"))?;
                    let mut rows = statement.query([])?;
                    while rows.next()?.is_some() {}
                }
                Ok(free.saturating_sub(now))
            })?;
            if left <= KEPT_FREE {
                break;
            }
        }
        // The file gets shorter when the log is brought into it; where somebody reads, that is later.
        let _ = self.inner.readers.empty_log();
        Ok(before.bytes.saturating_sub(self.size()?.bytes))
    }

    /// Writes the database file anew, without free space, and so that it shrinks by itself from now on. Nobody else can write
    /// meanwhile: see [`Store::other_processes`]. Says how many bytes went.
    pub fn compact(&self) -> Result<u64> {
        self.only_files("the file anew", "VACUUM FULL of the server does it, while no host is at work.")?;
        let before = self.size()?.bytes;
        self.inner.readers.rewrite()?;
        let _ = self.inner.readers.empty_log();
        Ok(before.saturating_sub(self.size()?.bytes))
    }

    /// How many other processes have this store open.
    pub fn other_processes(&self) -> usize {
        self.inner.instance.others()
    }
}

/// How much room an ended run takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSize {
    /// The run.
    pub run: String,
    /// Its workflow.
    pub workflow: String,
    /// The workflow's name.
    pub name: String,
    /// How it ended.
    pub status: String,
    /// When it ended, milliseconds since 1970.
    pub ended_ms: i64,
    /// Bytes of its events and of the values that it needs. A value that several runs need counts for each.
    pub bytes: u64,
}

impl Store {
    /// Ended runs with their sizes, the one that ended first at the beginning; of one workflow when `workflow` names it.
    pub fn run_sizes(&self, workflow: Option<&str>) -> Result<Vec<RunSize>> {
        self.view(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, workflow_id, workflow_name, status, ended_ms, \
                   (SELECT coalesce(sum(length(payload) + 100), 0) FROM run_event \
                      WHERE run_event.id BETWEEN run.no << 32 AND (run.no + 1) << 32) \
                 + (SELECT coalesce(sum(size), 0) FROM blob_use JOIN blob USING (hash) WHERE blob_use.run = run.id) \
                 FROM run WHERE ended_ms IS NOT NULL AND (?1 IS NULL OR workflow_id = ?1) ORDER BY ended_ms, id",
            )?;
            let rows = statement.query_map([workflow], |row| {
                Ok(RunSize {
                    run: row.get(0)?,
                    workflow: row.get(1)?,
                    name: row.get(2)?,
                    status: row.get(3)?,
                    ended_ms: row.get(4)?,
                    bytes: row.get(5)?,
                })
            })?;
            Ok(rows.collect::<sql::Result<_>>()?)
        })
    }
}

/// What a copy of a store holds, read without opening it as a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyFacts {
    /// Version of its tables.
    pub version: i64,
    /// Runs.
    pub runs: u64,
    /// Entries of the audit chain since its start, those that retention removed included.
    pub audit_entries: u64,
    /// Hash of the last one.
    pub audit_head: Option<String>,
}

/// The newest version of tables that this release reads.
pub fn known_version() -> i64 {
    crate::schema::known()
}

/// Checks a copy that [`Store::back_up`] wrote: its pages are sound and it is a store. Leaves no other file behind. `pause` is called
/// often, and may take its time.
pub fn check_copy(file: &Path, pause: Pause) -> Result<CopyFacts> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = rusqlite::Connection::open_with_flags(file, flags)?;
    crate::letters::teach(&opened)?;
    let version = crate::schema::check(&opened, file)?;
    let mut connection = Connection::File(opened);
    connection.pause_often(pause)?;
    if let Some(reason) = integrity(&connection)?.into_iter().next() {
        return Err(Error::Damaged { reason });
    }
    let last = "SELECT seq + 1, hash FROM audit_entry ORDER BY seq DESC LIMIT 1";
    let head: Option<(u64, String)> =
        connection.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    Ok(CopyFacts {
        version,
        runs: number(&connection, "SELECT count(*) FROM run")?,
        audit_entries: head.as_ref().map_or(0, |(size, _)| *size),
        audit_head: head.map(|(_, hash)| hash),
    })
}

/// Which of these runs a copy that [`Store::back_up`] wrote has.
pub fn runs_in_copy(file: &Path, ids: impl IntoIterator<Item = String>) -> Result<std::collections::HashSet<String>> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = rusqlite::Connection::open_with_flags(file, flags)?;
    let mut known = connection.prepare("SELECT 1 FROM run WHERE id = ?1")?;
    let mut found = std::collections::HashSet::new();
    for id in ids {
        if known.exists([&id])? {
            found.insert(id);
        }
    }
    Ok(found)
}
