//! Limits of what runs at once: `workflow_limit` (the limits that the last start of a workflow came with, and how many runs
//! wait), `run_limit` (each run that a limit counts: it waits, or is under way), and `run_rate` (when the last runs of a
//! workflow started). A start waits for a place of its key first and for the rate second, each in the order of arrival; one
//! that waits for the rate holds its place. Every statement here reads a number of rows that does not depend on how many wait
//! (ADR 93). Tests: `tests/store/table/run_limit.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};
use crate::table::run;
use signalbox_model::RunStatus;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 42,
    // `started`: starts that were counted, the number of the newest row in `run_rate`. `state`: 0 waits for a place, 1 has a
    // place and waits for the rate, 2 is under way. `replaced`: a newer start has asked it to end. `start`: what a run that has
    // not begun begins with. `failure_notice` is of the module of this name.
    sql: "CREATE TABLE workflow_limit (
            workflow TEXT PRIMARY KEY NOT NULL, max INTEGER, rate_count INTEGER, rate_ms INTEGER,
            waiting INTEGER NOT NULL DEFAULT 0, started INTEGER NOT NULL DEFAULT 0
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE run_limit (
            seq INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, key TEXT NOT NULL, state INTEGER NOT NULL,
            replaced INTEGER NOT NULL DEFAULT 0, start TEXT
          ) STRICT;
          CREATE INDEX run_limit_key ON run_limit (workflow, key, state, seq);
          CREATE INDEX run_limit_age ON run_limit (workflow, key, seq) WHERE replaced = 0;
          CREATE INDEX run_limit_rate ON run_limit (workflow, seq) WHERE state = 1;
          CREATE TABLE run_rate (
            workflow TEXT NOT NULL, n INTEGER NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (workflow, n)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE failure_notice (
            workflow TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, run TEXT NOT NULL, at_ms INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;",
}];

/// Runs that are admitted in one transaction; the rest follows in the next one.
const AT_ONCE: usize = 100;

/// Limits of a start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLimits {
    /// Runs with the same key share the places.
    pub key: String,
    /// Runs of one key that are under way at once.
    pub max: Option<u32>,
    /// So many starts of the workflow, whatever their key, in so many milliseconds.
    pub rate: Option<(u32, i64)>,
}

/// Starts that wait for the rate of their workflow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Admitted {
    /// Runs that may begin now; nobody drives them yet.
    pub runs: Vec<String>,
    /// When the next one may, milliseconds since 1970; absent when none waits for the rate.
    pub next_ms: Option<i64>,
}

/// Makes these the limits of the workflow.
fn put(connection: &Connection, workflow: &str, limits: &RunLimits) -> Result<()> {
    let (count, ms) = limits.rate.unzip();
    connection
        .prepare_cached(
            "INSERT INTO workflow_limit (workflow, max, rate_count, rate_ms) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (workflow) \
             DO UPDATE SET max = ?2, rate_count = ?3, rate_ms = ?4 WHERE workflow_limit.max IS NOT ?2 \
             OR workflow_limit.rate_count IS NOT ?3 OR workflow_limit.rate_ms IS NOT ?4",
        )?
        .execute(params![workflow, limits.max, count, ms])?;
    Ok(())
}

/// The limits of a workflow as its last start came with them; `key` is the one that is asked about.
fn get(connection: &Connection, workflow: &str, key: &str) -> Result<Option<RunLimits>> {
    let mut statement =
        connection.prepare_cached("SELECT max, rate_count, rate_ms FROM workflow_limit WHERE workflow = ?")?;
    let read = |row: &Row<'_>| {
        let rate: (Option<u32>, Option<i64>) = (row.get(1)?, row.get(2)?);
        Ok(RunLimits { key: key.to_owned(), max: row.get(0)?, rate: rate.0.zip(rate.1) })
    };
    Ok(statement.query_row([workflow], read).optional()?)
}

/// Whether a key has a free place. At most `max` rows are read.
fn has_place(connection: &Connection, workflow: &str, limits: &RunLimits) -> Result<bool> {
    let Some(max) = limits.max else { return Ok(true) };
    let mut statement = connection.prepare_cached(
        "SELECT count(*) FROM (SELECT 1 FROM run_limit WHERE workflow = ? AND key = ? AND state >= 1 LIMIT ?)",
    )?;
    let taken: u32 = statement.query_row(params![workflow, limits.key, max], |row| row.get(0))?;
    Ok(taken < max)
}

/// The run of a key that waits longest for a place.
fn first_of_key(connection: &Connection, workflow: &str, key: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT run FROM run_limit WHERE workflow = ? AND key = ? AND state = 0 ORDER BY seq LIMIT 1",
    )?;
    Ok(statement.query_row([workflow, key], |row| row.get(0)).optional()?)
}

/// The run of a workflow that waits longest for the rate.
fn first_of_rate(connection: &Connection, workflow: &str) -> Result<Option<String>> {
    let mut statement =
        connection.prepare_cached("SELECT run FROM run_limit WHERE workflow = ? AND state = 1 ORDER BY seq LIMIT 1")?;
    Ok(statement.query_row([workflow], |row| row.get(0)).optional()?)
}

/// When the rate allows the next start. `None` = now.
fn rate_free_ms(connection: &Connection, workflow: &str, limits: &RunLimits, now_ms: i64) -> Result<Option<i64>> {
    let Some((count, per_ms)) = limits.rate else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT r.at_ms FROM workflow_limit l JOIN run_rate r ON r.workflow = l.workflow AND r.n = l.started - ?2 + 1 WHERE l.workflow = ?1",
    )?;
    let oldest: Option<i64> = statement.query_row(params![workflow, count], |row| row.get(0)).optional()?;
    Ok(oldest.map(|at| at.min(now_ms).saturating_add(per_ms)).filter(|free| *free > now_ms))
}

/// Starts that lie in the future were counted before the clock was put back: they hold nobody up for longer than the time of
/// the rate from now on.
fn follow_clock(connection: &Connection, workflow: &str, now_ms: i64) -> Result<()> {
    let mut newest = connection.prepare_cached(
        "SELECT r.at_ms FROM workflow_limit l JOIN run_rate r ON r.workflow = l.workflow AND r.n = l.started WHERE l.workflow = ?",
    )?;
    let newest: Option<i64> = newest.query_row([workflow], |row| row.get(0)).optional()?;
    if newest.is_some_and(|newest| newest > now_ms) {
        connection
            .prepare_cached("UPDATE run_rate SET at_ms = ?2 WHERE workflow = ?1 AND at_ms > ?2")?
            .execute(params![workflow, now_ms])?;
    }
    Ok(())
}

/// A run of the workflow starts now.
fn count_start(connection: &Connection, workflow: &str, limits: &RunLimits, now_ms: i64) -> Result<()> {
    let Some((count, _)) = limits.rate else { return Ok(()) };
    connection
        .prepare_cached("UPDATE workflow_limit SET started = started + 1 WHERE workflow = ?")?
        .execute([workflow])?;
    connection
        .prepare_cached(
            "INSERT INTO run_rate (workflow, n, at_ms) SELECT workflow, started, ?2 FROM workflow_limit WHERE workflow = ?1",
        )?
        .execute(params![workflow, now_ms])?;
    connection
        .prepare_cached(
            "DELETE FROM run_rate WHERE workflow = ?1 AND n <= (SELECT started FROM workflow_limit WHERE workflow = ?1) - ?2",
        )?
        .execute(params![workflow, count])?;
    Ok(())
}

/// Whether a start need not wait.
pub(crate) fn has_room(connection: &Connection, workflow: &str, limits: &RunLimits, now_ms: i64) -> Result<bool> {
    Ok(has_place(connection, workflow, limits)?
        && first_of_key(connection, workflow, &limits.key)?.is_none()
        && (limits.rate.is_none()
            || (first_of_rate(connection, workflow)?.is_none()
                && rate_free_ms(connection, workflow, limits, now_ms)?.is_none())))
}

/// Refuses a start that there is no room for.
pub(crate) fn require_room(connection: &Connection, workflow: &str, limits: &RunLimits, now_ms: i64) -> Result<()> {
    match has_room(connection, workflow, limits, now_ms)? {
        true => Ok(()),
        false => Err(Error::LimitReached { workflow: workflow.to_owned() }),
    }
}

/// Refuses a run that would wait when `most` of its workflow wait already.
pub(crate) fn require_queue(connection: &Connection, workflow: &str, most: u64) -> Result<()> {
    let waiting = backlog(connection, workflow)?;
    match waiting < most {
        true => Ok(()),
        false => Err(Error::QueueFull { workflow: workflow.to_owned(), waiting }),
    }
}

/// A run that starts in this transaction takes its place.
pub(crate) fn enter(connection: &Connection, run: &str, workflow: &str, limits: &RunLimits, now_ms: i64) -> Result<()> {
    put(connection, workflow, limits)?;
    follow_clock(connection, workflow, now_ms)?;
    count_start(connection, workflow, limits, now_ms)?;
    connection
        .prepare_cached("INSERT INTO run_limit (run, workflow, key, state) VALUES (?, ?, ?, 2)")?
        .execute(params![run, workflow, limits.key])?;
    Ok(())
}

/// What a run begins with that is created in this transaction and that something else carries out.
pub(crate) fn keep_start(connection: &Connection, run: &str, workflow: &str, start: &str) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO run_limit (run, workflow, key, state, start) VALUES (?1, ?2, '', 2, ?3) ON CONFLICT (run) DO UPDATE SET start = ?3",
        )?
        .execute(params![run, workflow, start])?;
    Ok(())
}

/// A run that is created in this transaction waits behind the others of its key. Gives the runs that may begin now: there may
/// have been room.
pub(crate) fn wait(
    connection: &Connection,
    run: &str,
    workflow: &str,
    limits: &RunLimits,
    start: &str,
    now_ms: i64,
) -> Result<Vec<String>> {
    put(connection, workflow, limits)?;
    connection
        .prepare_cached("INSERT INTO run_limit (run, workflow, key, state, start) VALUES (?, ?, ?, 0, ?)")?
        .execute(params![run, workflow, limits.key, start])?;
    add_waiting(connection, workflow, 1)?;
    advance(connection, workflow, &limits.key, now_ms)
}

/// Runs of a key that newer ones replace: all but the newest `max` that nobody has asked to end. They are asked in this
/// transaction.
pub(crate) fn replace(connection: &Connection, workflow: &str, limits: &RunLimits) -> Result<Vec<String>> {
    let Some(max) = limits.max else { return Ok(Vec::new()) };
    let runs: Vec<String> = connection
        .prepare_cached(
            "UPDATE run_limit SET replaced = 1 WHERE seq IN (SELECT seq FROM run_limit WHERE workflow = ?1 AND key = ?2 AND \
             replaced = 0 ORDER BY seq DESC LIMIT ?4 OFFSET ?3) RETURNING run",
        )?
        .query_map(params![workflow, limits.key, max, AT_ONCE as u64], |row| row.get(0))?
        .collect::<sql::Result<_>>()?;
    Ok(runs)
}

/// A run has ended: whoever waits for its place may have it. Gives the runs that may begin now.
pub(crate) fn ended(connection: &Connection, run: &str, now_ms: i64) -> Result<Vec<String>> {
    let mut statement =
        connection.prepare_cached("DELETE FROM run_limit WHERE run = ? RETURNING workflow, key, state")?;
    let left: Option<(String, String, u8)> =
        statement.query_row([run], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let Some((workflow, key, state)) = left else { return Ok(Vec::new()) };
    if state < 2 {
        add_waiting(connection, &workflow, -1)?;
    }
    advance(connection, &workflow, &key, now_ms)
}

/// Runs of a key get the places that are free, and begin as far as the rate allows it.
fn advance(connection: &Connection, workflow: &str, key: &str, now_ms: i64) -> Result<Vec<String>> {
    let Some(limits) = get(connection, workflow, key)? else { return Ok(Vec::new()) };
    for _ in 0..AT_ONCE {
        let Some(run) = first_of_key(connection, workflow, key)? else { break };
        if !has_place(connection, workflow, &limits)? {
            break;
        }
        connection.prepare_cached("UPDATE run_limit SET state = 1 WHERE run = ?")?.execute([run])?;
    }
    let mut runs = Vec::new();
    begin_by_rate(connection, workflow, &limits, now_ms, &mut runs)?;
    Ok(runs)
}

/// Runs that have a place begin as far as the rate allows it. Gives when the next one may.
fn begin_by_rate(
    connection: &Connection,
    workflow: &str,
    limits: &RunLimits,
    now_ms: i64,
    begun: &mut Vec<String>,
) -> Result<Option<i64>> {
    follow_clock(connection, workflow, now_ms)?;
    for _ in 0..AT_ONCE {
        let Some(run) = first_of_rate(connection, workflow)? else { return Ok(None) };
        let free = rate_free_ms(connection, workflow, limits, now_ms)?;
        if free.is_some() {
            return Ok(free);
        }
        count_start(connection, workflow, limits, now_ms)?;
        connection.prepare_cached("UPDATE run_limit SET state = 2 WHERE run = ?")?.execute([&run])?;
        add_waiting(connection, workflow, -1)?;
        run::set_status(connection, &run, RunStatus::Running)?;
        begun.push(run);
    }
    Ok(Some(now_ms))
}

/// Workflows with runs that wait for the rate, found by one look into the index for each.
pub(crate) fn spaced(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT workflow FROM run_limit INDEXED BY run_limit_rate WHERE state = 1 AND workflow > ? ORDER BY workflow LIMIT 1",
    )?;
    let mut workflows: Vec<String> = Vec::new();
    loop {
        let last = workflows.last().map_or("", String::as_str);
        let next: Option<String> = statement.query_row([last], |row| row.get(0)).optional()?;
        let Some(next) = next else { return Ok(workflows) };
        workflows.push(next);
    }
}

/// Begins what waited for the rate and need not wait any more.
pub(crate) fn admit(connection: &Connection, now_ms: i64) -> Result<Admitted> {
    let mut admitted = Admitted::default();
    for workflow in spaced(connection)? {
        let Some(limits) = get(connection, &workflow, "")? else { continue };
        let next = begin_by_rate(connection, &workflow, &limits, now_ms, &mut admitted.runs)?;
        admitted.next_ms = [admitted.next_ms, next].into_iter().flatten().min();
    }
    Ok(admitted)
}

fn add_waiting(connection: &Connection, workflow: &str, change: i64) -> Result<()> {
    connection
        .prepare_cached("UPDATE workflow_limit SET waiting = max(0, waiting + ?2) WHERE workflow = ?1")?
        .execute(params![workflow, change])?;
    Ok(())
}

/// How many runs of a workflow wait.
pub(crate) fn backlog(connection: &Connection, workflow: &str) -> Result<u64> {
    let mut statement = connection.prepare_cached("SELECT waiting FROM workflow_limit WHERE workflow = ?")?;
    Ok(statement.query_row([workflow], |row| row.get(0)).optional()?.unwrap_or_default())
}

/// What a run that has not begun begins with.
pub(crate) fn start(connection: &Connection, run: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT start FROM run_limit WHERE run = ?")?;
    Ok(statement.query_row([run], |row| row.get(0)).optional()?.flatten())
}

/// A run that waited has begun: its log has what it began with.
pub(crate) fn begun(connection: &Connection, run: &str) -> Result<()> {
    connection
        .prepare_cached("UPDATE run_limit SET start = NULL WHERE run = ? AND start IS NOT NULL")?
        .execute([run])?;
    Ok(())
}

/// How many runs wait before this one and with it for the same thing: 1 is the next. `None` when it does not wait.
pub(crate) fn place(connection: &Connection, run: &str) -> Result<Option<u64>> {
    let mut statement =
        connection.prepare_cached("SELECT workflow, key, state, seq FROM run_limit WHERE run = ? AND state < 2")?;
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let found: Option<(String, String, u8, i64)> = statement.query_row([run], read).optional()?;
    let Some((workflow, key, state, seq)) = found else { return Ok(None) };
    let place = if state == 0 {
        let mut statement = connection.prepare_cached(
            "SELECT count(*) FROM run_limit WHERE workflow = ? AND key = ? AND state = 0 AND seq <= ?",
        )?;
        statement.query_row(params![workflow, key, seq], |row| row.get(0))?
    } else {
        let mut statement = connection
            .prepare_cached("SELECT count(*) FROM run_limit WHERE workflow = ? AND state = 1 AND seq <= ?")?;
        statement.query_row(params![workflow, seq], |row| row.get(0))?
    };
    Ok(Some(place))
}
