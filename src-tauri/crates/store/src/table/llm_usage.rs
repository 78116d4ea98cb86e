//! What questions to language models cost, summed up in the transaction of the events that tell it: per step of a run, which
//! goes with the run, and per day and workflow, which stays. Sums, so that a budget is looked up without reading a log.
//! Tests: `tests/store/table/llm_usage.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, Row, params};
use signalbox_model::event::Telemetry;
use signalbox_model::{EventBody, RunEvent};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 34,
    // `cost` is the sum of what has a price, in millionths; `unpriced` counts calls that have none.
    sql: "CREATE TABLE llm_run (
            run TEXT NOT NULL, node TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
            calls INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, thinking INTEGER NOT NULL,
            cost INTEGER NOT NULL, unpriced INTEGER NOT NULL, PRIMARY KEY (run, node, provider, model)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE llm_day (
            day TEXT NOT NULL, workflow TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
            calls INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, thinking INTEGER NOT NULL,
            cost INTEGER NOT NULL, unpriced INTEGER NOT NULL, PRIMARY KEY (day, workflow, provider, model)
          ) STRICT, WITHOUT ROWID;",
}];

/// Sums over calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageSums {
    /// Calls that a model answered.
    pub calls: u64,
    /// Tokens of questions.
    pub input: u64,
    /// Tokens of answers, thoughts included.
    pub output: u64,
    /// Tokens of thoughts, where providers tell.
    pub thinking: u64,
    /// What has a price, in millionths.
    pub cost_micros: u64,
    /// Calls without a price.
    pub unpriced: u64,
}

/// What calls of one step, or of one workflow on one day, cost with one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    /// The step, or the day as `2026-11-22` (UTC).
    pub of: String,
    /// The workflow; empty for steps.
    pub workflow: String,
    /// By its name on this machine; empty for one that a workflow names.
    pub provider: String,
    /// The model that answered.
    pub model: String,
    /// Sums.
    pub sums: UsageSums,
}

/// What one event adds.
#[derive(Debug, Clone)]
pub(crate) struct Spent {
    day: String,
    node: String,
    provider: String,
    model: String,
    sums: UsageSums,
}

impl Spent {
    /// What an event says about it, if it does.
    pub(crate) fn of(event: &RunEvent) -> Option<Self> {
        Self::said(&event.ts, event.step_id.as_deref()?, &event.body)
    }

    /// What is told at `ts` about it, if it is.
    pub(crate) fn said(ts: &str, node: &str, body: &EventBody) -> Option<Self> {
        let (model, usage, thinking, provider, cost) = match body {
            EventBody::Telemetry(Telemetry::LlmDone(said)) => {
                (&said.model, said.usage, said.thinking_tokens, &said.provider, said.cost_micros)
            }
            EventBody::Telemetry(Telemetry::LlmError(said)) => {
                (said.model.as_ref()?, said.usage?, said.thinking_tokens, &said.provider, said.cost_micros)
            }
            _ => return None,
        };
        Some(Self {
            day: ts.get(..10)?.to_owned(),
            node: node.to_owned(),
            provider: provider.clone().unwrap_or_default(),
            model: model.clone(),
            sums: UsageSums {
                calls: 1,
                input: usage.input_tokens.min(MOST),
                output: usage.output_tokens.min(MOST),
                thinking: thinking.unwrap_or_default().min(MOST),
                cost_micros: cost.unwrap_or_default().min(MOST),
                unpriced: u64::from(cost.is_none()),
            },
        })
    }
}

const SUMS: &str = "calls, input, output, thinking, cost, unpriced";
/// More than any call has: the counts are the provider's word, and a sum must neither overflow nor keep a run from going on.
const MOST: u64 = 1 << 40;
// A sum stops at 2^52, which is 4,096 times that.
macro_rules! more {
    ($table:literal) => {
        concat!(
            "calls = ",
            $table,
            ".calls + excluded.calls, input = min(",
            $table,
            ".input + excluded.input, 4503599627370496), ",
            "output = min(",
            $table,
            ".output + excluded.output, 4503599627370496), ",
            "thinking = min(",
            $table,
            ".thinking + excluded.thinking, 4503599627370496), ",
            "cost = min(",
            $table,
            ".cost + excluded.cost, 4503599627370496), ",
            "unpriced = ",
            $table,
            ".unpriced + excluded.unpriced"
        )
    };
}
const MORE_OF_RUN: &str = more!("llm_run");
const MORE_OF_DAY: &str = more!("llm_day");

fn sums(row: &Row<'_>, from: usize) -> sql::Result<UsageSums> {
    Ok(UsageSums {
        calls: row.get(from)?,
        input: row.get(from + 1)?,
        output: row.get(from + 2)?,
        thinking: row.get(from + 3)?,
        cost_micros: row.get(from + 4)?,
        unpriced: row.get(from + 5)?,
    })
}

/// Adds them to the sums of a run whose row stands.
pub(crate) fn add(connection: &Connection, run: &str, spent: &[Spent]) -> Result<()> {
    for one in spent {
        let UsageSums { calls, input, output, thinking, cost_micros, unpriced } = one.sums;
        let (node, provider, model, day) = (&one.node, &one.provider, &one.model, &one.day);
        connection
            .prepare_cached(&format!(
                "INSERT INTO llm_run (run, node, provider, model, {SUMS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
                 ON CONFLICT DO UPDATE SET {MORE_OF_RUN}"
            ))?
            .execute(params![run, node, provider, model, calls, input, output, thinking, cost_micros, unpriced])?;
        connection
            .prepare_cached(&format!(
                "INSERT INTO llm_day (day, workflow, provider, model, {SUMS}) \
                 SELECT ?2, workflow_id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM run WHERE id = ?1 \
                 ON CONFLICT DO UPDATE SET {MORE_OF_DAY}"
            ))?
            .execute(params![run, day, provider, model, calls, input, output, thinking, cost_micros, unpriced])?;
    }
    Ok(())
}

/// Adds what no run has asked to the sums of its day, under no workflow.
pub(crate) fn add_to_day(connection: &Connection, one: &Spent) -> Result<()> {
    let UsageSums { calls, input, output, thinking, cost_micros, unpriced } = one.sums;
    connection
        .prepare_cached(&format!(
            "INSERT INTO llm_day (day, workflow, provider, model, {SUMS}) VALUES (?, '', ?, ?, ?, ?, ?, ?, ?, ?) \
             ON CONFLICT DO UPDATE SET {MORE_OF_DAY}"
        ))?
        .execute(params![one.day, one.provider, one.model, calls, input, output, thinking, cost_micros, unpriced])?;
    Ok(())
}

fn row(row: &Row<'_>) -> sql::Result<UsageRow> {
    Ok(UsageRow {
        of: row.get(0)?,
        workflow: row.get(1)?,
        provider: row.get(2)?,
        model: row.get(3)?,
        sums: sums(row, 4)?,
    })
}

/// What the steps of a run cost.
pub(crate) fn of_run(connection: &Connection, run: &str) -> Result<Vec<UsageRow>> {
    let sql =
        format!("SELECT node, '', provider, model, {SUMS} FROM llm_run WHERE run = ? ORDER BY node, provider, model");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_map([run], row)?.collect::<sql::Result<_>>()?)
}

/// What the days since `since` (a day) cost, the newest first.
pub(crate) fn of_days(connection: &Connection, since: &str) -> Result<Vec<UsageRow>> {
    let sql = format!(
        "SELECT day, workflow, provider, model, {SUMS} FROM llm_day WHERE day >= ? \
         ORDER BY day DESC, workflow, provider, model"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_map([since], row)?.collect::<sql::Result<_>>()?)
}

/// What a run has spent, in millionths.
pub(crate) fn spent_by_run(connection: &Connection, run: &str) -> Result<u64> {
    let mut statement = connection.prepare_cached("SELECT coalesce(sum(cost), 0) FROM llm_run WHERE run = ?")?;
    Ok(statement.query_row([run], |row| row.get(0))?)
}

/// What one workflow, or this machine, has spent on a day, in millionths.
pub(crate) fn spent_on_day(connection: &Connection, day: &str, workflow: Option<&str>) -> Result<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce(sum(cost), 0) FROM llm_day WHERE day = ?1 AND (?2 IS NULL OR workflow = ?2)",
    )?;
    Ok(statement.query_row(params![day, workflow], |row| row.get(0))?)
}

pub(crate) fn delete(connection: &Connection, run: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM llm_run WHERE run = ?")?.execute([run])?;
    Ok(())
}
