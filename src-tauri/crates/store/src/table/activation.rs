//! What makes workflows run by themselves: `activation` (which version of a workflow is active), `workflow_version` (which
//! ones were), `workflow_trigger` (what starts it, and how far each trigger has come), and `trigger_firing` (what each came
//! to). A firing is written in the transaction that creates its run: neither is there without the other. Tests:
//! `tests/store/table/activation.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};
use crate::table::trigger_intake::{self, Taken};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 40,
    // `here`: a person on this machine activated it. `cursor_ms`: the last tick that was settled. `swept_ms`: no firing up to
    // this moment is remembered any more, so none of that time fires again. `change` in `trigger_change` grows with each
    // change of what fires.
    sql: "CREATE TABLE activation (
            workflow TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL, active INTEGER NOT NULL,
            here INTEGER NOT NULL, person TEXT NOT NULL, at_ms INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE workflow_version (
            workflow TEXT NOT NULL, hash TEXT NOT NULL, person TEXT NOT NULL, at_ms INTEGER NOT NULL,
            PRIMARY KEY (workflow, hash)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX workflow_version_hash ON workflow_version (hash);
          CREATE TABLE workflow_trigger (
            id TEXT PRIMARY KEY NOT NULL, workflow TEXT NOT NULL, node TEXT NOT NULL, kind TEXT NOT NULL, title TEXT,
            config TEXT NOT NULL, active INTEGER NOT NULL, cursor_ms INTEGER NOT NULL, swept_ms INTEGER NOT NULL DEFAULT 0,
            problem TEXT
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX trigger_of_workflow ON workflow_trigger (workflow);
          CREATE TABLE trigger_firing (
            trigger_id TEXT NOT NULL, key TEXT NOT NULL, scheduled_ms INTEGER NOT NULL, fired_ms INTEGER NOT NULL, run TEXT,
            reason TEXT, count INTEGER NOT NULL, PRIMARY KEY (trigger_id, key)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX trigger_firing_newest ON trigger_firing (trigger_id, fired_ms);
          CREATE TABLE trigger_change (one INTEGER PRIMARY KEY NOT NULL CHECK (one = 1), change INTEGER NOT NULL) STRICT;
          INSERT INTO trigger_change (one, change) VALUES (1, 0);",
}];

/// Which version of a workflow is active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// Id of the workflow.
    pub workflow: String,
    /// Its name.
    pub name: String,
    /// Content hash of the pinned definition.
    pub version: String,
    /// It starts runs.
    pub active: bool,
    /// A person on this machine activated it.
    pub here: bool,
    /// Who activated it: `user:…`.
    pub person: String,
    /// When, milliseconds since 1970.
    pub at_ms: i64,
}

/// A version of a workflow that is active, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowVersion {
    /// Content hash of the pinned definition.
    pub version: String,
    /// Who activated it last.
    pub person: String,
    /// When, milliseconds since 1970.
    pub at_ms: i64,
}

/// A step that starts runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTrigger {
    /// `<workflow>.<node>`.
    pub id: String,
    /// The step.
    pub node: String,
    /// Its kind.
    pub kind: String,
    /// Its title.
    pub title: Option<String>,
    /// Its settings as JSON.
    pub config: String,
}

/// A trigger of an active workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriggerRow {
    /// `<workflow>.<node>`.
    pub id: String,
    /// Id of the workflow.
    pub workflow: String,
    /// Name of the workflow.
    pub workflow_name: String,
    /// The active version.
    pub version: String,
    /// A person on this machine activated it.
    pub here: bool,
    /// The step.
    pub node: String,
    /// Its kind.
    pub kind: String,
    /// Its title.
    pub title: Option<String>,
    /// Its settings as JSON.
    pub config: String,
    /// Every tick up to here was settled, milliseconds since 1970.
    pub cursor_ms: i64,
    /// Why it could not fire last.
    pub problem: Option<String>,
}

/// A firing that creates a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// The trigger.
    pub trigger: String,
    /// The version that has to be the active one.
    pub version: String,
    /// Unique for the trigger.
    pub key: String,
    /// When it was due.
    pub scheduled_ms: i64,
    /// When it fired.
    pub fired_ms: i64,
    /// It settles the tick at `scheduled_ms`; otherwise somebody fired it beside its schedule.
    pub is_tick: bool,
    /// Bytes that came with it, each with its SHA-256: the run keeps them.
    pub binaries: Vec<(String, Vec<u8>)>,
    /// What the trigger takes with it.
    pub taken: Vec<Taken>,
}

/// What became of a tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiringRow {
    /// When it was due, milliseconds since 1970; of several that were skipped together the last one.
    pub scheduled_ms: i64,
    /// When it was settled, milliseconds since 1970.
    pub fired_ms: i64,
    /// The run; none when it was skipped.
    pub run: Option<String>,
    /// Why it was skipped.
    pub reason: Option<String>,
    /// How many ticks it stands for.
    pub count: u64,
}

/// Ticks that start no run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedTicks {
    /// The trigger.
    pub trigger: String,
    /// The version that has to be the active one.
    pub version: String,
    /// The last one, milliseconds since 1970.
    pub last_ms: i64,
    /// How many.
    pub count: u64,
    /// When they were skipped.
    pub at_ms: i64,
    /// Why.
    pub reason: String,
    /// They could not fire, and the next one may not either.
    pub problem: Option<String>,
}

const TRIGGER: &str = "SELECT t.id, t.workflow, a.name, a.hash, a.here, t.node, t.kind, t.title, t.config, \
                       max(t.cursor_ms, t.swept_ms), t.problem FROM workflow_trigger t JOIN activation a ON a.workflow = t.workflow \
                       WHERE t.active <> 0 AND a.active <> 0";

fn read_trigger(row: &Row<'_>) -> sql::Result<TriggerRow> {
    Ok(TriggerRow {
        id: row.get(0)?,
        workflow: row.get(1)?,
        workflow_name: row.get(2)?,
        version: row.get(3)?,
        here: row.get(4)?,
        node: row.get(5)?,
        kind: row.get(6)?,
        title: row.get(7)?,
        config: row.get(8)?,
        cursor_ms: row.get(9)?,
        problem: row.get(10)?,
    })
}

fn read_activation(row: &Row<'_>) -> sql::Result<Activation> {
    Ok(Activation {
        workflow: row.get(0)?,
        name: row.get(1)?,
        version: row.get(2)?,
        active: row.get(3)?,
        here: row.get(4)?,
        person: row.get(5)?,
        at_ms: row.get(6)?,
    })
}

const ACTIVATION: &str = "SELECT workflow, name, hash, active, here, person, at_ms FROM activation";

/// The active version is this one from now on; meanwhile 2 marks the triggers of the one before. A trigger whose settings stay goes on where it stood; any other one begins now.
pub(crate) fn activate(connection: &Connection, new: &Activation, triggers: &[NewTrigger]) -> Result<()> {
    let was_active = get(connection, &new.workflow)?.is_some_and(|before| before.active);
    connection.prepare_cached("INSERT OR REPLACE INTO activation VALUES (?, ?, ?, 1, ?, ?, ?)")?.execute(params![
        new.workflow,
        new.name,
        new.version,
        new.here,
        new.person,
        new.at_ms
    ])?;
    connection.prepare_cached("INSERT OR REPLACE INTO workflow_version VALUES (?, ?, ?, ?)")?.execute(params![
        new.workflow,
        new.version,
        new.person,
        new.at_ms
    ])?;
    connection
        .prepare_cached("UPDATE workflow_trigger SET active = 2 * active WHERE workflow = ?")?
        .execute([&new.workflow])?;
    for trigger in triggers {
        trigger_intake::begin_anew(connection, &trigger.id, &trigger.kind, &trigger.config, was_active)?;
        connection
            .prepare_cached(
                "INSERT INTO workflow_trigger (id, workflow, node, kind, title, config, active, cursor_ms) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7) ON CONFLICT (id) DO UPDATE SET \
                 cursor_ms = CASE WHEN ?8 = 1 AND workflow_trigger.active = 2 AND workflow_trigger.config = excluded.config \
                 AND workflow_trigger.kind = excluded.kind THEN workflow_trigger.cursor_ms ELSE ?7 END, \
                 kind = excluded.kind, title = excluded.title, config = excluded.config, active = 1, problem = NULL",
            )?
            .execute(params![
                trigger.id,
                new.workflow,
                trigger.node,
                trigger.kind,
                trigger.title,
                trigger.config,
                new.at_ms,
                was_active
            ])?;
    }
    connection
        .prepare_cached("UPDATE workflow_trigger SET active = 0 WHERE workflow = ? AND active = 2")?
        .execute([&new.workflow])?;
    changed(connection)
}

/// Its triggers start nothing any more. False when it was not active.
pub(crate) fn deactivate(connection: &Connection, workflow: &str) -> Result<bool> {
    let mut statement =
        connection.prepare_cached("UPDATE activation SET active = 0 WHERE workflow = ? AND active <> 0")?;
    if statement.execute([workflow])? == 0 {
        return Ok(false);
    }
    changed(connection)?;
    Ok(true)
}

fn changed(connection: &Connection) -> Result<()> {
    connection.prepare_cached("UPDATE trigger_change SET change = change + 1")?.execute([])?;
    Ok(())
}

/// Grows with each change of what fires.
pub(crate) fn change(connection: &Connection) -> Result<i64> {
    Ok(connection.prepare_cached("SELECT change FROM trigger_change")?.query_row([], |row| row.get(0))?)
}

pub(crate) fn get(connection: &Connection, workflow: &str) -> Result<Option<Activation>> {
    let mut statement = connection.prepare_cached(&format!("{ACTIVATION} WHERE workflow = ?"))?;
    Ok(statement.query_row([workflow], read_activation).optional()?)
}

pub(crate) fn all(connection: &Connection) -> Result<Vec<Activation>> {
    let mut statement = connection.prepare_cached(&format!("{ACTIVATION} ORDER BY name, workflow"))?;
    Ok(statement.query_map([], read_activation)?.collect::<sql::Result<_>>()?)
}

/// The versions that are or were active, the newest first.
pub(crate) fn versions(connection: &Connection, workflow: &str) -> Result<Vec<WorkflowVersion>> {
    let mut statement = connection.prepare_cached(
        "SELECT hash, person, at_ms FROM workflow_version WHERE workflow = ? ORDER BY at_ms DESC, hash",
    )?;
    let read = |row: &Row<'_>| Ok(WorkflowVersion { version: row.get(0)?, person: row.get(1)?, at_ms: row.get(2)? });
    Ok(statement.query_map([workflow], read)?.collect::<sql::Result<_>>()?)
}

pub(crate) fn triggers(connection: &Connection) -> Result<Vec<TriggerRow>> {
    let mut statement = connection.prepare_cached(&format!("{TRIGGER} ORDER BY a.name, t.id"))?;
    Ok(statement.query_map([], read_trigger)?.collect::<sql::Result<_>>()?)
}

pub(crate) fn each_trigger(connection: &Connection, mut take: impl FnMut(TriggerRow)) -> Result<()> {
    let mut statement = connection.prepare_cached(TRIGGER)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        take(read_trigger(&row)?);
    }
    Ok(())
}

/// Those whose column has a value.
pub(crate) fn triggers_where(connection: &Connection, column: &'static str, value: &str) -> Result<Vec<TriggerRow>> {
    let mut statement = connection.prepare_cached(&format!("{TRIGGER} AND {column} = ? ORDER BY a.name, t.id"))?;
    Ok(statement.query_map([value], read_trigger)?.collect::<sql::Result<_>>()?)
}

pub(crate) fn trigger(connection: &Connection, id: &str) -> Result<Option<TriggerRow>> {
    let mut statement = connection.prepare_cached(&format!("{TRIGGER} AND t.id = ?"))?;
    Ok(statement.query_row([id], read_trigger).optional()?)
}

/// What became of a trigger's ticks, the newest first.
pub(crate) fn firings(connection: &Connection, id: &str, limit: usize) -> Result<Vec<FiringRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT scheduled_ms, fired_ms, run, reason, count FROM trigger_firing WHERE trigger_id = ? \
         ORDER BY fired_ms DESC, scheduled_ms DESC LIMIT ?",
    )?;
    let read = |row: &Row<'_>| {
        Ok(FiringRow {
            scheduled_ms: row.get(0)?,
            fired_ms: row.get(1)?,
            run: row.get(2)?,
            reason: row.get(3)?,
            count: row.get(4)?,
        })
    };
    Ok(statement.query_map(params![id, limit as u64], read)?.collect::<sql::Result<_>>()?)
}

/// The trigger is that of the active version, or nothing fires.
fn require(connection: &Connection, id: &str, version: &str) -> Result<()> {
    match trigger(connection, id)? {
        Some(row) if row.version == version => Ok(()),
        _ => Err(Error::TriggerChanged { trigger: id.to_owned() }),
    }
}

/// Whether a firing has its run.
pub(crate) fn is_fired(connection: &Connection, firing: &Firing) -> Result<bool> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM trigger_firing WHERE trigger_id = ? AND key = ?")?;
    Ok(statement.exists([&firing.trigger, &firing.key])?)
}

/// The run that an occurrence started; none when it started none, or its firing is not remembered any more.
pub(crate) fn fired_run(connection: &Connection, id: &str, key: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT run FROM trigger_firing WHERE trigger_id = ? AND key = ?")?;
    Ok(statement.query_row([id, key], |row| row.get::<_, Option<String>>(0)).optional()?.flatten())
}

/// Writes a firing for the run that is created in this transaction. A key that was used creates no second one.
pub(crate) fn fire(connection: &Connection, firing: &Firing, run: &str) -> Result<()> {
    require(connection, &firing.trigger, &firing.version)?;
    let added = connection
        .prepare_cached(
            "INSERT INTO trigger_firing (trigger_id, key, scheduled_ms, fired_ms, run, count) VALUES (?, ?, ?, ?, ?, 1) \
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![firing.trigger, firing.key, firing.scheduled_ms, firing.fired_ms, run])?;
    if added == 0 {
        return Err(Error::FiredBefore { trigger: firing.trigger.clone(), key: firing.key.clone() });
    }
    trigger_intake::settled(connection, &firing.trigger, &firing.key)?;
    trigger_intake::take(connection, &firing.trigger, &firing.taken, firing.fired_ms)?;
    if firing.is_tick {
        move_to(connection, &firing.trigger, firing.scheduled_ms)?;
        connection
            .prepare_cached("UPDATE workflow_trigger SET problem = NULL WHERE id = ? AND problem IS NOT NULL")?
            .execute([&firing.trigger])?;
    }
    Ok(())
}

/// Ticks up to this one are settled: nothing that fires them again is planned.
pub(crate) fn move_to(connection: &Connection, id: &str, tick_ms: i64) -> Result<()> {
    connection
        .prepare_cached("UPDATE workflow_trigger SET cursor_ms = ?2 WHERE id = ?1")?
        .execute(params![id, tick_ms])?;
    Ok(())
}

/// Ticks start no run.
pub(crate) fn skip(connection: &Connection, skipped: &SkippedTicks) -> Result<()> {
    require(connection, &skipped.trigger, &skipped.version)?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO trigger_firing (trigger_id, key, scheduled_ms, fired_ms, reason, count) \
             VALUES (?1, 'skipped ' || ?2, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![skipped.trigger, skipped.last_ms, skipped.at_ms, skipped.reason, skipped.count])?;
    move_to(connection, &skipped.trigger, skipped.last_ms)?;
    connection
        .prepare_cached("UPDATE workflow_trigger SET problem = ?2 WHERE id = ?1")?
        .execute(params![skipped.trigger, skipped.problem])?;
    Ok(())
}

/// Forgets at most `limit` firings of ticks before `before_ms`. What is forgotten fires no more, also when the clock is put
/// back to before it.
pub(crate) fn sweep(connection: &Connection, before_ms: i64, limit: usize) -> Result<usize> {
    connection
        .prepare_cached(
            "UPDATE workflow_trigger SET swept_ms = max(swept_ms, ?1) WHERE EXISTS \
             (SELECT 1 FROM trigger_firing f WHERE f.trigger_id = workflow_trigger.id AND f.scheduled_ms < ?1)",
        )?
        .execute([before_ms])?;
    let mut statement = connection.prepare_cached(
        "DELETE FROM trigger_firing WHERE (trigger_id, key) IN \
         (SELECT trigger_id, key FROM trigger_firing WHERE scheduled_ms < ?1 LIMIT ?2)",
    )?;
    Ok(statement.execute(params![before_ms, limit as u64])?)
}
