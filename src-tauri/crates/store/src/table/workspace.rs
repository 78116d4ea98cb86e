//! `workspace`, `workspace_workflow` and `start_count`: which workflows belong together, how many runs they may start, and how many
//! they have started. The counts are in the store, so that several hosts share them. Tests: `tests/store/table/workspace.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        id: 51,
        sql: "CREATE TABLE workspace (
            name TEXT PRIMARY KEY NOT NULL, per_minute INTEGER, per_day INTEGER, at_once INTEGER, made_ms INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE workspace_workflow (workflow TEXT PRIMARY KEY NOT NULL, workspace TEXT NOT NULL) STRICT, WITHOUT ROWID;
          CREATE INDEX workspace_workflows ON workspace_workflow (workspace, workflow);
          CREATE TABLE start_count (
            holder TEXT NOT NULL, window_ms INTEGER NOT NULL, since_ms INTEGER NOT NULL, runs INTEGER NOT NULL,
            PRIMARY KEY (holder, window_ms)
          ) STRICT, WITHOUT ROWID;",
    },
    Migration {
        id: 55,
        sql: "ALTER TABLE workspace ADD COLUMN person_per_minute INTEGER;
              ALTER TABLE workspace ADD COLUMN person_per_day INTEGER;",
    },
];

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// How many runs may be started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quota {
    /// In a minute of the clock.
    pub per_minute: Option<u32>,
    /// In a day of UTC.
    pub per_day: Option<u32>,
    /// Runs that have not ended.
    pub at_once: Option<u32>,
    /// In a minute of the clock by one person; of workspaces only.
    pub person_per_minute: Option<u32>,
    /// In a day of UTC by one person; of workspaces only.
    pub person_per_day: Option<u32>,
}

impl Quota {
    /// What one person may start.
    fn of_person(self) -> Option<Self> {
        let quota = Self { per_minute: self.person_per_minute, per_day: self.person_per_day, ..Self::default() };
        (quota != Self::default()).then_some(quota)
    }
}

/// Workflows that belong together, with their runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Its name.
    pub name: String,
    /// How many runs it may start.
    pub quota: Quota,
    /// Milliseconds since 1970.
    pub made_ms: i64,
}

/// What a workspace or a token has started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Started {
    /// In this minute of the clock.
    pub minute: u64,
    /// In this day of UTC.
    pub day: u64,
    /// Runs that have not ended; 0 for a token.
    pub open: u64,
}

fn read(row: &Row<'_>) -> sql::Result<Workspace> {
    let quota = Quota {
        per_minute: row.get(1)?,
        per_day: row.get(2)?,
        at_once: row.get(3)?,
        person_per_minute: row.get(4)?,
        person_per_day: row.get(5)?,
    };
    Ok(Workspace { name: row.get(0)?, quota, made_ms: row.get(6)? })
}

const COLUMNS: &str = "name, per_minute, per_day, at_once, person_per_minute, person_per_day, made_ms";

/// All of them, by name.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Workspace>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM workspace ORDER BY name"))?;
    Ok(statement.query_map([], read)?.collect::<sql::Result<_>>()?)
}

pub(crate) fn get(connection: &Connection, name: &str) -> Result<Option<Workspace>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM workspace WHERE name = ?"))?;
    Ok(statement.query_row([name], read).optional()?)
}

/// Makes it, or gives it another quota.
pub(crate) fn put(connection: &Connection, one: &Workspace) -> Result<()> {
    let sql = "INSERT INTO workspace (name, per_minute, per_day, at_once, person_per_minute, person_per_day, made_ms) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
               ON CONFLICT (name) DO UPDATE SET per_minute = ?2, per_day = ?3, at_once = ?4, person_per_minute = ?5, person_per_day = ?6";
    let Quota { per_minute, per_day, at_once, person_per_minute, person_per_day } = one.quota;
    connection.prepare_cached(sql)?.execute(params![
        one.name,
        per_minute,
        per_day,
        at_once,
        person_per_minute,
        person_per_day,
        one.made_ms
    ])?;
    Ok(())
}

/// False when there was none.
pub(crate) fn delete(connection: &Connection, name: &str) -> Result<bool> {
    Ok(connection.prepare_cached("DELETE FROM workspace WHERE name = ?")?.execute([name])? == 1)
}

/// Ids of its workflows.
pub(crate) fn workflows(connection: &Connection, name: &str) -> Result<Vec<String>> {
    let mut statement =
        connection.prepare_cached("SELECT workflow FROM workspace_workflow WHERE workspace = ? ORDER BY workflow")?;
    Ok(statement.query_map([name], |row| row.get(0))?.collect::<sql::Result<_>>()?)
}

/// The workspace of a workflow.
pub(crate) fn of_workflow(connection: &Connection, workflow: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT workspace FROM workspace_workflow WHERE workflow = ?")?;
    Ok(statement.query_row([workflow], |row| row.get(0)).optional()?)
}

/// Puts a workflow into a workspace, or into none. Its earlier runs stay where they are.
pub(crate) fn assign(connection: &Connection, workflow: &str, workspace: Option<&str>) -> Result<()> {
    match workspace {
        None => {
            connection.prepare_cached("DELETE FROM workspace_workflow WHERE workflow = ?")?.execute([workflow])?;
        }
        Some(workspace) => {
            let sql = "INSERT INTO workspace_workflow (workflow, workspace) VALUES (?1, ?2) \
                       ON CONFLICT (workflow) DO UPDATE SET workspace = ?2";
            connection.prepare_cached(sql)?.execute(params![workflow, workspace])?;
        }
    }
    Ok(())
}

/// The workspace that a new run belongs to: that of the run that it repeats, whose data it has, or else that of its workflow.
pub(crate) fn of_new_run(connection: &Connection, workflow: &str, parent: Option<&str>) -> Result<Option<String>> {
    let Some(parent) = parent else { return of_workflow(connection, workflow) };
    match of_run(connection, parent)? {
        Some(workspace) => Ok(workspace),
        // The run is gone; what it had is in the new one.
        None => of_workflow(connection, workflow),
    }
}

/// The workspace of a run; `None`: there is no such run.
pub(crate) fn of_run(connection: &Connection, run: &str) -> Result<Option<Option<String>>> {
    let mut statement = connection.prepare_cached("SELECT workspace FROM run WHERE id = ?")?;
    Ok(statement.query_row([run], |row| row.get(0)).optional()?)
}

/// As counts name a workspace or a token.
pub(crate) fn of_workspace(name: &str) -> String {
    format!("workspace {name}")
}

/// See [`of_workspace`].
pub(crate) fn of_token(name: &str) -> String {
    format!("token {name}")
}

/// See [`of_workspace`]. A person is counted in each workspace by itself.
fn of_person(person: &str, workspace: &str) -> String {
    format!("person {person} in the workspace {workspace}")
}

/// Begin of the window in which a moment lies.
fn window(now_ms: i64, ms: i64) -> i64 {
    now_ms - now_ms.rem_euclid(ms)
}

fn count(connection: &Connection, of: &str, ms: i64, now_ms: i64) -> Result<u64> {
    let mut statement = connection
        .prepare_cached("SELECT runs FROM start_count WHERE holder = ? AND window_ms = ? AND since_ms = ?")?;
    Ok(statement.query_row(params![of, ms, window(now_ms, ms)], |row| row.get(0)).optional()?.unwrap_or_default())
}

/// Runs of a workspace that have not ended, counted up to `most`.
fn open(connection: &Connection, workspace: &str, most: u32) -> Result<u64> {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM run WHERE workspace = ? AND ended_ms IS NULL LIMIT ?)";
    Ok(connection.prepare_cached(sql)?.query_row(params![workspace, most], |row| row.get(0))?)
}

/// What was started, for people to look at. `workspace` when it is one, whose open runs are counted.
pub(crate) fn started(connection: &Connection, of: &str, workspace: Option<&str>, now_ms: i64) -> Result<Started> {
    Ok(Started {
        minute: count(connection, of, MINUTE_MS, now_ms)?,
        day: count(connection, of, DAY_MS, now_ms)?,
        open: workspace.map(|name| open(connection, name, u32::MAX)).transpose()?.unwrap_or_default(),
    })
}

/// Refuses a start that the quota does not allow. `who` is told in the refusal.
fn require(connection: &Connection, of: &str, workspace: Option<&str>, quota: Quota, now_ms: i64) -> Result<()> {
    let refused = |limit: String, after_ms: i64| {
        Err(Error::QuotaReached { of: of.to_owned(), limit, retry_s: u64::try_from(after_ms / 1_000).unwrap_or(0) + 1 })
    };
    for (most, ms, words) in [(quota.per_minute, MINUTE_MS, "a minute"), (quota.per_day, DAY_MS, "a day")] {
        if let Some(most) = most
            && count(connection, of, ms, now_ms)? >= u64::from(most)
        {
            return refused(format!("{most} in {words}"), window(now_ms, ms) + ms - 1 - now_ms);
        }
    }
    if let (Some(most), Some(workspace)) = (quota.at_once, workspace)
        && open(connection, workspace, most)? >= u64::from(most)
    {
        // Nobody knows when one ends.
        return refused(format!("{most} at the same time"), MINUTE_MS / 6);
    }
    Ok(())
}

/// Counts a start in both windows.
fn add(connection: &Connection, of: &str, now_ms: i64) -> Result<()> {
    let sql = "INSERT INTO start_count (holder, window_ms, since_ms, runs) VALUES (?1, ?2, ?3, 1) \
               ON CONFLICT (holder, window_ms) DO UPDATE SET since_ms = ?3, \
               runs = CASE WHEN start_count.since_ms = ?3 THEN start_count.runs + 1 ELSE 1 END";
    for ms in [MINUTE_MS, DAY_MS] {
        connection.prepare_cached(sql)?.execute(params![of, ms, window(now_ms, ms)])?;
    }
    Ok(())
}

/// Whom a start counts for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Starter<'a> {
    pub(crate) workspace: Option<&'a str>,
    pub(crate) token: Option<&'a str>,
    pub(crate) person: Option<&'a str>,
}

/// A run starts: refuses it when a quota does not allow it, unless it must (`always`), and counts it.
pub(crate) fn start(connection: &Connection, by: Starter<'_>, always: bool, now_ms: i64) -> Result<()> {
    let Starter { workspace, token, person } = by;
    let of_token = token.map(of_token);
    let known = workspace.map(|name| get(connection, name)).transpose()?.flatten();
    // Nobody is counted who has no quota: there may be many people.
    let person = known
        .as_ref()
        .and_then(|known| known.quota.of_person())
        .zip(person.zip(workspace).map(|(person, workspace)| of_person(person, workspace)));
    if !always {
        if let (Some(name), Some(known)) = (workspace, &known) {
            require(connection, &of_workspace(name), Some(name), known.quota, now_ms)?;
        }
        if let Some((quota, of)) = &person {
            require(connection, of, None, *quota, now_ms)?;
        }
        if let (Some(name), Some(of)) = (token, &of_token)
            && let Some(quota) = super::access_token::quota(connection, name)?
        {
            require(connection, of, None, quota, now_ms)?;
        }
    }
    for of in workspace.map(of_workspace).into_iter().chain(of_token).chain(person.map(|(_, of)| of)) {
        add(connection, &of, now_ms)?;
    }
    Ok(())
}

/// Forgets counts of days that are over.
pub(crate) fn sweep(connection: &Connection, now_ms: i64) -> Result<()> {
    connection.prepare_cached("DELETE FROM start_count WHERE since_ms < ?")?.execute([window(now_ms, DAY_MS)])?;
    Ok(())
}

/// A token is gone: one that gets its name begins at zero.
pub(crate) fn forget_token(connection: &Connection, name: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM start_count WHERE holder = ?")?.execute([of_token(name)])?;
    Ok(())
}
