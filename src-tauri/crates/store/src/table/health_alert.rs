//! `health_pending`: workflows whose alerts are still to be checked, because a run ended; `health_raised`: alerts whose condition is
//! true. An alert that stays true is raised once. The tables are made beside `health_run`. Tests:
//! `tests/store/table/health_alert.rs`.

use crate::error::Result;
use crate::sql::{self, Connection, params};
use crate::table::webhook::{self, TaskNews};
use serde_json::Value;

/// The setting that holds the alerts. Without it nothing is noted at the end of a run.
pub const HEALTH_ALERTS: &str = "health.alerts";

/// A workflow whose alerts are to be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Its id.
    pub workflow: String,
    /// Runs that ended since the last check.
    pub ended: u64,
}

/// An alert whose condition is true for a workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct RaisedAlert {
    /// Id of the alert.
    pub alert: String,
    /// Id of the workflow.
    pub workflow: String,
    /// Since when, milliseconds since 1970.
    pub at_ms: i64,
    /// What was told then.
    pub facts: Value,
}

/// A run has ended.
pub(crate) fn ended(connection: &Connection, run: &str) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO health_pending (workflow, ended) SELECT workflow_id, 1 FROM run WHERE id = ?1 AND trial = 0 \
             AND EXISTS (SELECT 1 FROM setting WHERE name = ?2) ON CONFLICT DO UPDATE SET ended = health_pending.ended + 1",
        )?
        .execute(params![run, HEALTH_ALERTS])?;
    Ok(())
}

/// What is to be checked.
pub(crate) fn pending(connection: &Connection) -> Result<Vec<Pending>> {
    let mut statement = connection.prepare_cached("SELECT workflow, ended FROM health_pending ORDER BY workflow")?;
    let rows = statement.query_map([], |row| Ok(Pending { workflow: row.get(0)?, ended: row.get(1)? }))?;
    Ok(rows.collect::<sql::Result<_>>()?)
}

/// It was checked; a run that ended meanwhile keeps it on the list.
pub(crate) fn checked(connection: &Connection, pending: &Pending) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM health_pending WHERE workflow = ? AND ended = ?")?
        .execute(params![pending.workflow, pending.ended])?;
    Ok(())
}

/// The condition of an alert is true. Whether that is new; then addresses outside are told.
pub(crate) fn raise(connection: &Connection, one: &RaisedAlert) -> Result<bool> {
    let is_new = connection
        .prepare_cached(
            "INSERT INTO health_raised (alert, workflow, at_ms, facts) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        )?
        .execute(params![one.alert, one.workflow, one.at_ms, one.facts.to_string()])?
        > 0;
    if is_new {
        webhook::tell_data(connection, TaskNews::WorkflowHealth, "", one.facts.clone(), one.at_ms)?;
    }
    Ok(is_new)
}

/// It is no longer true. Whether that is new; then addresses outside are told `facts`.
pub(crate) fn clear(connection: &Connection, one: &RaisedAlert) -> Result<bool> {
    let is_new = connection
        .prepare_cached("DELETE FROM health_raised WHERE alert = ? AND workflow = ?")?
        .execute(params![one.alert, one.workflow])?
        > 0;
    if is_new {
        webhook::tell_data(connection, TaskNews::WorkflowHealth, "", one.facts.clone(), one.at_ms)?;
    }
    Ok(is_new)
}

/// Forgets that an alert was raised, because it is removed or another one now.
pub(crate) fn forget(connection: &Connection, alert: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM health_raised WHERE alert = ?")?.execute([alert])?;
    Ok(())
}

/// All that are raised, the newest first.
pub(crate) fn raised(connection: &Connection) -> Result<Vec<RaisedAlert>> {
    let mut statement = connection.prepare_cached(
        "SELECT alert, workflow, at_ms, facts FROM health_raised ORDER BY at_ms DESC, alert, workflow",
    )?;
    let rows = statement.query_map([], |row| {
        let facts: String = row.get(3)?;
        let facts = serde_json::from_str(&facts).unwrap_or_default();
        Ok(RaisedAlert { alert: row.get(0)?, workflow: row.get(1)?, at_ms: row.get(2)?, facts })
    })?;
    Ok(rows.collect::<sql::Result<_>>()?)
}
