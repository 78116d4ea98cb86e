//! `failure_notice`: the last failure of each active workflow that people were told of, so that one which fails all the time
//! is told of once an hour. Written in the transaction that ends the run. The table is made beside `run_limit`. Tests:
//! `tests/store/table/failure_notice.rs`.

use crate::error::Result;
use crate::sql::{self, Connection, Row, params};
use crate::table::activation::TriggerRow;
use crate::table::run;
use crate::table::webhook::{self, TaskNews};
use serde_json::json;
use signalbox_model::time;

/// People are told of a workflow once in this time, milliseconds.
pub const FAILURE_EVERY_MS: i64 = 3_600_000;

/// A failure that people were told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureNotice {
    /// Id of the workflow.
    pub workflow: String,
    /// Its name.
    pub name: String,
    /// The run that failed; none when a trigger did.
    pub run: Option<String>,
    /// When, milliseconds since 1970.
    pub at_ms: i64,
}

/// A run has failed. When its version is the active one of its workflow, people are told, unless they were lately.
pub(crate) fn failed(connection: &Connection, run_id: &str, at_ms: i64) -> Result<()> {
    if !is_active(connection, run_id)? {
        return Ok(());
    }
    let row = run::require(connection, run_id)?;
    if !is_due(connection, (&row.workflow_id, &row.workflow_name), run_id, at_ms)? {
        return Ok(());
    }
    // No message of the error: it may hold what the run was given.
    let data = json!({
        "workflowId": row.workflow_id, "workflowName": row.workflow_name, "runId": run_id,
        "startedAt": time::format(row.started_ms), "failedAt": time::format(at_ms), "failedStepId": row.failed_step,
        "errorCode": row.error_code,
    });
    webhook::tell_data(connection, TaskNews::WorkflowFailed, "", data, at_ms)
}

/// The version of a run is the active one of its workflow. Every failed run comes here, and few are of one.
fn is_active(connection: &Connection, run_id: &str) -> Result<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT 1 FROM run JOIN activation ON workflow = workflow_id AND active <> 0 AND hash = definition_hash WHERE id = ?",
    )?;
    Ok(statement.exists([run_id])?)
}

/// A trigger cannot find out what to start, so there is no run that could fail.
pub(crate) fn trigger_failed(connection: &Connection, trigger: &TriggerRow, code: &str, at_ms: i64) -> Result<()> {
    if !is_due(connection, (&trigger.workflow, &trigger.workflow_name), "", at_ms)? {
        return Ok(());
    }
    let data = json!({
        "workflowId": trigger.workflow, "workflowName": trigger.workflow_name, "runId": null, "triggerId": trigger.id,
        "failedAt": time::format(at_ms), "failedStepId": trigger.node, "errorCode": code,
    });
    webhook::tell_data(connection, TaskNews::WorkflowFailed, "", data, at_ms)
}

/// Whether people are told of a workflow now; then it is noted.
fn is_due(connection: &Connection, (workflow, name): (&str, &str), run: &str, at_ms: i64) -> Result<bool> {
    // What lies in the future was told before the clock was put back.
    let told = connection
        .prepare_cached(
            "INSERT INTO failure_notice (workflow, name, run, at_ms) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (workflow) DO UPDATE \
             SET name = ?2, run = ?3, at_ms = ?4 WHERE failure_notice.at_ms <= ?4 - ?5 OR failure_notice.at_ms > ?4",
        )?
        .execute(params![workflow, name, run, at_ms, FAILURE_EVERY_MS])?;
    Ok(told > 0)
}

/// The failures that people were told of since then, the newest first.
pub(crate) fn since(connection: &Connection, since_ms: i64) -> Result<Vec<FailureNotice>> {
    let mut statement = connection.prepare_cached(
        "SELECT workflow, name, run, at_ms FROM failure_notice WHERE at_ms >= ? ORDER BY at_ms DESC, workflow LIMIT 100",
    )?;
    let read = |row: &Row<'_>| {
        let run: String = row.get(2)?;
        let run = (!run.is_empty()).then_some(run);
        Ok(FailureNotice { workflow: row.get(0)?, name: row.get(1)?, run, at_ms: row.get(3)? })
    };
    Ok(statement.query_map([since_ms], read)?.collect::<sql::Result<_>>()?)
}
