//! `replay` and `replay_item`: failed runs that begin again with one correction. An item is settled in the transaction that
//! creates its run, and only while the replay goes on: a crash neither loses nor doubles one, and after a stop nothing more
//! begins. Tests: `tests/store/table/replay.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};
use crate::table::failure::{self, FailureRow, FailureState};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 47,
    // `rule` is the correction without its values, by which corrections are alike.
    sql: "CREATE TABLE replay (
            id TEXT PRIMARY KEY NOT NULL, of_group INTEGER NOT NULL, kind TEXT NOT NULL, rule TEXT NOT NULL,
            correction TEXT NOT NULL, reason TEXT NOT NULL, person TEXT NOT NULL, made_ms INTEGER NOT NULL,
            state TEXT NOT NULL, problem TEXT, ended_ms INTEGER, owner TEXT, definition TEXT
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX replay_open ON replay (made_ms) WHERE ended_ms IS NULL;
          CREATE INDEX replay_of_group ON replay (of_group, made_ms DESC);
          CREATE INDEX replay_alike ON replay (kind, rule);
          CREATE TABLE replay_item (
            replay TEXT NOT NULL, failure INTEGER NOT NULL, run TEXT NOT NULL, place TEXT NOT NULL, state TEXT NOT NULL,
            new_run TEXT, why TEXT, PRIMARY KEY (replay, failure)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX replay_item_state ON replay_item (replay, state, failure);
          CREATE UNIQUE INDEX replay_item_once ON replay_item (failure) WHERE state = 'waiting';",
}];

/// Where a replay stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayState {
    /// Runs begin.
    Running,
    /// Nothing more begins until a person resumes it.
    Paused,
    /// Everything was dealt with.
    Done,
    /// A person stopped it: what had not begun is in its group again.
    Stopped,
    /// A person took back what had not begun.
    Undone,
}

impl ReplayState {
    /// As it is stored and told.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Done => "done",
            Self::Stopped => "stopped",
            Self::Undone => "undone",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Running, Self::Paused, Self::Done, Self::Stopped, Self::Undone]
            .into_iter()
            .find(|state| state.as_str() == text)
    }

    /// Nothing begins any more, for good.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Running | Self::Paused)
    }
}

/// One replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayRow {
    /// Its id.
    pub id: String,
    /// Key of the group.
    pub group: String,
    /// The kind of its failures.
    pub kind: String,
    /// The correction without its values.
    pub rule: String,
    /// The correction and the limits: JSON.
    pub correction: String,
    /// Why.
    pub reason: String,
    /// Who started it: `user:…`.
    pub person: String,
    /// When, milliseconds since 1970.
    pub made_ms: i64,
    /// Where it stands.
    pub state: ReplayState,
    /// Why it was paused, when no person did.
    pub problem: Option<String>,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// The definition that its runs are pinned to, when it is not that of the originals.
    pub definition: Option<String>,
}

/// A replay to be written.
#[derive(Debug, Clone)]
pub struct NewReplay {
    /// Its id.
    pub id: String,
    /// Key of the group.
    pub group: String,
    /// The correction without its values.
    pub rule: String,
    /// The correction and the limits: JSON.
    pub correction: String,
    /// Why.
    pub reason: String,
    /// Who: `user:…`.
    pub person: String,
    /// Milliseconds since 1970.
    pub made_ms: i64,
    /// The definition that its runs are pinned to.
    pub definition: Option<String>,
    /// Only these failures; all open ones of the group when absent.
    pub only: Option<Vec<i64>>,
}

/// How many failures of a replay stand where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplayCounts {
    /// Not dealt with yet.
    pub waiting: u64,
    /// Their runs have begun.
    pub started: u64,
    /// Dealt with by somebody else meanwhile.
    pub skipped: u64,
    /// The correction does not fit; they stay in the group.
    pub refused: u64,
    /// Taken back before they began.
    pub removed: u64,
}

/// One failure of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayItem {
    /// Number of the failure.
    pub failure: i64,
    /// The original.
    pub run_id: String,
    /// The failed step, with its path.
    pub place: String,
    /// `waiting`, `started`, `skipped`, `refused` or `removed`.
    pub state: String,
    /// The run that began.
    pub new_run: Option<String>,
    /// Why it was skipped or refused.
    pub why: Option<String>,
}

/// The failure that a new run is to mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// The replay.
    pub replay: String,
    /// Number of the failure.
    pub failure: i64,
}

const COLUMNS: &str = "r.id, g.key, r.kind, r.rule, r.correction, r.reason, r.person, r.made_ms, r.state, r.problem, r.ended_ms, r.definition";

fn read(row: &Row<'_>) -> sql::Result<ReplayRow> {
    let state: String = row.get(8)?;
    let state =
        ReplayState::parse(&state).ok_or_else(|| sql::Error::InvalidColumnType(8, state.clone(), sql::Type::Text))?;
    Ok(ReplayRow {
        id: row.get(0)?,
        group: row.get(1)?,
        kind: row.get(2)?,
        rule: row.get(3)?,
        correction: row.get(4)?,
        reason: row.get(5)?,
        person: row.get(6)?,
        made_ms: row.get(7)?,
        state,
        problem: row.get(9)?,
        ended_ms: row.get(10)?,
        definition: row.get(11)?,
    })
}

/// Writes a replay with its failures; says how many. None, and nothing is written, when no failure is open and free.
pub(crate) fn insert(connection: &Connection, new: &NewReplay, owner: &str) -> Result<u64> {
    let (group, number) = failure::group(connection, &new.group)?.ok_or_else(|| failure::unknown_group(&new.group))?;
    connection
        .prepare_cached(
            "INSERT INTO replay (id, of_group, kind, rule, correction, reason, person, made_ms, state, owner, definition) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?)",
        )?
        .execute(params![
            new.id,
            number,
            group.kind,
            new.rule,
            new.correction,
            new.reason,
            new.person,
            new.made_ms,
            owner,
            new.definition
        ])?;
    let only = new.only.as_ref().map(|only| serde_json::to_string(only).unwrap_or_default());
    // A failure waits in one replay at a time.
    let taken = connection
        .prepare_cached(
            "INSERT INTO replay_item (replay, failure, run, place, state) \
             SELECT ?1, f.id, f.run, f.place, 'waiting' FROM failure AS f WHERE f.of_group = ?2 AND f.state = 'open' \
             AND (?3 IS NULL OR f.id IN (SELECT value FROM json_each(?3))) \
             AND NOT EXISTS (SELECT 1 FROM replay_item AS i WHERE i.failure = f.id AND i.state = 'waiting')",
        )?
        .execute(params![new.id, number, only])?;
    if taken == 0 {
        return Err(Error::NothingToReplay { group: new.group.clone() });
    }
    Ok(taken as u64)
}

pub(crate) fn get(connection: &Connection, id: &str) -> Result<ReplayRow> {
    let sql = format!("SELECT {COLUMNS} FROM replay AS r JOIN failure_group AS g ON g.id = r.of_group WHERE r.id = ?");
    let found = connection.prepare_cached(&sql)?.query_row([id], read).optional()?;
    found.ok_or_else(|| Error::UnknownReplay { replay: id.into() })
}

/// Replays, the newest first: of a group, or all.
pub(crate) fn list(connection: &Connection, group: Option<&str>, limit: usize) -> Result<Vec<ReplayRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM replay AS r JOIN failure_group AS g ON g.id = r.of_group WHERE (?1 IS NULL OR g.key = ?1) \
         ORDER BY r.ended_ms IS NOT NULL, r.made_ms DESC LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_map(params![group, limit as u64], read)?.collect::<sql::Result<_>>()?)
}

/// Replays of a kind of failure that have ended, the newest first.
pub(crate) fn of_kind(connection: &Connection, kind: &str, limit: usize) -> Result<Vec<ReplayRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM replay AS r JOIN failure_group AS g ON g.id = r.of_group \
         WHERE r.kind = ?1 AND r.ended_ms IS NOT NULL ORDER BY r.made_ms DESC LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_map(params![kind, limit as u64], read)?.collect::<sql::Result<_>>()?)
}

/// Of a kind, those with this rule that have started runs.
pub(crate) fn alike(connection: &Connection, kind: &str, rule: &str) -> Result<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*) FROM replay AS r WHERE r.kind = ?1 AND r.rule = ?2 \
         AND EXISTS (SELECT 1 FROM replay_item AS i WHERE i.replay = r.id AND i.state = 'started')",
    )?;
    Ok(statement.query_row([kind, rule], |row| row.get(0))?)
}

pub(crate) fn counts(connection: &Connection, id: &str) -> Result<ReplayCounts> {
    let mut counts = ReplayCounts::default();
    let mut statement =
        connection.prepare_cached("SELECT state, count(*) FROM replay_item WHERE replay = ? GROUP BY state")?;
    let rows = statement.query_map([id], |row| Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?)))?;
    for row in rows {
        let (state, count) = row?;
        match state.as_str() {
            "waiting" => counts.waiting = count,
            "started" => counts.started = count,
            "skipped" => counts.skipped = count,
            "refused" => counts.refused = count,
            _ => counts.removed += count,
        }
    }
    Ok(counts)
}

/// Of the runs that have begun, those that are under way and those that have failed again.
pub(crate) fn outcomes(connection: &Connection, id: &str) -> Result<Vec<(String, u64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT run.status, count(*) FROM replay_item AS i JOIN run ON run.id = i.new_run \
         WHERE i.replay = ? AND i.state = 'started' GROUP BY run.status",
    )?;
    Ok(statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<sql::Result<_>>()?)
}

fn read_item(row: &Row<'_>) -> sql::Result<ReplayItem> {
    Ok(ReplayItem {
        failure: row.get(0)?,
        run_id: row.get(1)?,
        place: row.get(2)?,
        state: row.get(3)?,
        new_run: row.get(4)?,
        why: row.get(5)?,
    })
}

/// Failures of a replay in a state, behind `after`.
pub(crate) fn items(
    connection: &Connection,
    id: &str,
    state: &str,
    after: i64,
    limit: usize,
) -> Result<Vec<ReplayItem>> {
    let mut statement = connection.prepare_cached(
        "SELECT failure, run, place, state, new_run, why FROM replay_item WHERE replay = ?1 AND state = ?2 AND failure > ?3 \
         ORDER BY failure LIMIT ?4",
    )?;
    let rows = statement.query_map(params![id, state, after, limit as u64], read_item)?;
    Ok(rows.collect::<sql::Result<_>>()?)
}

/// Runs that a replay has begun and that have not ended.
pub(crate) fn under_way(connection: &Connection, id: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT run.id FROM run JOIN replay_item AS i ON i.new_run = run.id WHERE run.ended_ms IS NULL AND i.replay = ?",
    )?;
    Ok(statement.query_map([id], |row| row.get(0))?.collect::<sql::Result<_>>()?)
}

/// The run of a failure begins, in the transaction that creates it. Refused when the replay does not go on any more, when the
/// failure was dealt with before, and when somebody else has re-run it.
pub(crate) fn begin(connection: &Connection, replayed: &Replayed, run: &str) -> Result<()> {
    let row = get(connection, &replayed.replay)?;
    if row.state != ReplayState::Running {
        return Err(Error::ReplayHalted { replay: row.id });
    }
    let known: Option<FailureRow> = failure::get(connection, replayed.failure)?;
    if let Some(by) = known.filter(|one| one.state == FailureState::Rerun).and_then(|one| one.by_run) {
        return Err(Error::ReplayedBefore { run: by });
    }
    let changed = connection
        .prepare_cached(
            "UPDATE replay_item SET state = 'started', new_run = ?3 WHERE replay = ?1 AND failure = ?2 AND state = 'waiting'",
        )?
        .execute(params![replayed.replay, replayed.failure, run])?;
    if changed == 1 { Ok(()) } else { Err(Error::ReplayHalted { replay: row.id }) }
}

/// A failure whose run does not begin.
pub(crate) fn settle(connection: &Connection, replayed: &Replayed, state: &str, why: &str) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE replay_item SET state = ?3, why = ?4 WHERE replay = ?1 AND failure = ?2 AND state = 'waiting'",
        )?
        .execute(params![replayed.replay, replayed.failure, state, why])?;
    Ok(())
}

/// Changes where a replay stands; false when it does not stand in `from` any more. With an end, what has not begun goes back.
pub(crate) fn set_state(
    connection: &Connection,
    id: &str,
    from: &[ReplayState],
    to: ReplayState,
    problem: Option<&str>,
    at_ms: i64,
) -> Result<bool> {
    if !from.contains(&get(connection, id)?.state) {
        return Ok(false);
    }
    let ended = to.is_over().then_some(at_ms);
    connection
        .prepare_cached("UPDATE replay SET state = ?2, problem = ?3, ended_ms = ?4 WHERE id = ?1")?
        .execute(params![id, to.as_str(), problem, ended])?;
    if to.is_over() {
        connection
            .prepare_cached("UPDATE replay_item SET state = 'removed' WHERE replay = ? AND state = 'waiting'")?
            .execute([id])?;
    }
    Ok(true)
}

/// Removes at most `limit` failures of replays that ended before, then those replays; says how many rows went.
pub(crate) fn sweep(connection: &Connection, before_ms: i64, limit: usize) -> Result<usize> {
    let items = connection
        .prepare_cached(
            "DELETE FROM replay_item WHERE (replay, failure) IN (SELECT i.replay, i.failure FROM replay AS r \
             JOIN replay_item AS i ON i.replay = r.id WHERE r.ended_ms < ?1 LIMIT ?2)",
        )?
        .execute(params![before_ms, limit as u64])?;
    if items == limit {
        return Ok(items);
    }
    let replays = connection
        .prepare_cached(
            "DELETE FROM replay WHERE ended_ms < ?1 AND NOT EXISTS (SELECT 1 FROM replay_item WHERE replay = replay.id)",
        )?
        .execute([before_ms])?;
    connection.execute(
        "DELETE FROM failure_group WHERE total = 0 AND NOT EXISTS (SELECT 1 FROM replay WHERE of_group = failure_group.id)",
        [],
    )?;
    Ok(items + replays)
}

/// Replays that go on, with the process that drives each.
pub(crate) fn unfinished(connection: &Connection) -> Result<Vec<(String, Option<String>)>> {
    let mut statement = connection
        .prepare_cached("SELECT id, owner FROM replay WHERE ended_ms IS NULL AND state = 'running' ORDER BY made_ms")?;
    Ok(statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<sql::Result<_>>()?)
}

pub(crate) fn owner(connection: &Connection, id: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT owner FROM replay WHERE id = ?")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?.flatten())
}

pub(crate) fn set_owner(connection: &Connection, id: &str, owner: Option<&str>) -> Result<()> {
    connection.prepare_cached("UPDATE replay SET owner = ? WHERE id = ?")?.execute(params![owner, id])?;
    Ok(())
}
