//! `delegation`: who answers for whom, from when until when. A row is made and ended, never changed otherwise. Tests:
//! `tests/store/table/delegation.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 24,
    sql: "CREATE TABLE delegation (
            id TEXT PRIMARY KEY NOT NULL, giver TEXT NOT NULL, taker TEXT NOT NULL, starts_ms INTEGER NOT NULL,
            ends_ms INTEGER NOT NULL, workflow_id TEXT, notes TEXT, made_by TEXT NOT NULL, made_ms INTEGER NOT NULL
          ) STRICT;
          CREATE INDEX delegation_of_giver ON delegation (giver, ends_ms);
          CREATE INDEX delegation_of_taker ON delegation (taker, ends_ms);",
}];

/// Tasks that are assigned to one person may be answered by another in their name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delegation {
    /// Its id.
    pub id: String,
    /// Whose tasks: `user:…`.
    pub from: String,
    /// Who answers them, too: `user:…`.
    pub to: String,
    /// Milliseconds since 1970.
    pub starts_ms: i64,
    /// Milliseconds since 1970; when it was ended, if somebody ended it before.
    pub ends_ms: i64,
    /// Only tasks of this workflow (id); all when absent.
    pub workflow_id: Option<String>,
    /// Why.
    pub notes: Option<String>,
    /// Who made it.
    pub made_by: String,
    /// Milliseconds since 1970.
    pub made_ms: i64,
}

/// That somebody answers for the assignee of a task. Takes the person and twice the time.
pub(crate) const FOR_ASSIGNEE: &str = "EXISTS (SELECT 1 FROM delegation d WHERE d.giver = task.assignee AND d.taker = ? \
     AND d.starts_ms <= ? AND d.ends_ms > ? AND (d.workflow_id IS NULL OR d.workflow_id = task.workflow_id))";

const COLUMNS: &str = "id, giver, taker, starts_ms, ends_ms, workflow_id, notes, made_by, made_ms";

fn read(row: &Row<'_>) -> sql::Result<Delegation> {
    Ok(Delegation {
        id: row.get(0)?,
        from: row.get(1)?,
        to: row.get(2)?,
        starts_ms: row.get(3)?,
        ends_ms: row.get(4)?,
        workflow_id: row.get(5)?,
        notes: row.get(6)?,
        made_by: row.get(7)?,
        made_ms: row.get(8)?,
    })
}

pub(crate) fn insert(connection: &Connection, one: &Delegation) -> Result<()> {
    let sql = format!("INSERT INTO delegation ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    connection.prepare_cached(&sql)?.execute(params![
        one.id,
        one.from,
        one.to,
        one.starts_ms,
        one.ends_ms,
        one.workflow_id,
        one.notes,
        one.made_by,
        one.made_ms,
    ])?;
    Ok(())
}

pub(crate) fn get(connection: &Connection, id: &str) -> Result<Option<Delegation>> {
    let sql = format!("SELECT {COLUMNS} FROM delegation WHERE id = ?");
    Ok(connection.prepare_cached(&sql)?.query_row([id], read).optional()?)
}

/// Those of a person, given and taken, that are not over; the next to end first.
pub(crate) fn of_person(connection: &Connection, person: &str, now_ms: i64) -> Result<Vec<Delegation>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM delegation WHERE (giver = ?1 OR taker = ?1) AND ends_ms > ?2 ORDER BY ends_ms, id LIMIT 200"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_map(params![person, now_ms], read)?.collect::<sql::Result<_>>()?)
}

/// Whether a person answers for another in tasks of a workflow.
pub(crate) fn holds(connection: &Connection, from: &str, to: &str, workflow_id: &str, now_ms: i64) -> Result<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM delegation WHERE giver = ?1 AND taker = ?2 AND starts_ms <= ?4 AND ends_ms > ?4 \
         AND (workflow_id IS NULL OR workflow_id = ?3))",
    )?;
    Ok(statement.query_row(params![from, to, workflow_id, now_ms], |row| row.get(0))?)
}

/// Ends it now. False when it was over.
pub(crate) fn end(connection: &Connection, id: &str, now_ms: i64) -> Result<bool> {
    let changed = connection
        .prepare_cached("UPDATE delegation SET ends_ms = ?2 WHERE id = ?1 AND ends_ms > ?2")?
        .execute(params![id, now_ms])?;
    Ok(changed == 1)
}
