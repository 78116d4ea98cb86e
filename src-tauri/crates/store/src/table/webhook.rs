//! `webhook`: addresses that hear of tasks, and `webhook_delivery`: what each is told, kept until it took it. A delivery is
//! written in the transaction of what it tells of, so neither is there without the other. Tests:
//! `tests/store/table/webhook.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};
use crate::table::task::TaskRow;
use serde_json::{Value, json};
use signalbox_model::time;

pub(crate) const MIGRATIONS: &[Migration] = &[MADE, BY_TASK];

const MADE: Migration = Migration {
    id: 29,
    // `busy`, `busy_ms`: the process that sends to the address now, and until when it may. `failures`: attempts in a row that
    // were not taken; the address is left alone until `next_ms` then. `since_ms`: from when the time of a message counts.
    // `due_ms`: when it is sent next; null when it was taken or given up. `done_ms`: when it was taken.
    sql: "CREATE TABLE webhook (
            id TEXT PRIMARY KEY NOT NULL, url TEXT NOT NULL, events TEXT NOT NULL, secret TEXT NOT NULL, here INTEGER NOT NULL,
            made_by TEXT NOT NULL, made_ms INTEGER NOT NULL, busy TEXT, busy_ms INTEGER, failures INTEGER NOT NULL DEFAULT 0,
            next_ms INTEGER
          ) STRICT;
          CREATE TABLE webhook_delivery (
            seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, webhook TEXT NOT NULL, event TEXT NOT NULL,
            task TEXT NOT NULL, body TEXT NOT NULL, made_ms INTEGER NOT NULL, since_ms INTEGER NOT NULL,
            attempts INTEGER NOT NULL, due_ms INTEGER, tried_ms INTEGER, status INTEGER, error TEXT, done_ms INTEGER
          ) STRICT;
          CREATE INDEX webhook_due ON webhook_delivery (webhook, due_ms) WHERE due_ms IS NOT NULL;
          CREATE INDEX webhook_log ON webhook_delivery (webhook, seq);",
};

/// A run that is deleted takes its messages with it.
const BY_TASK: Migration = Migration { id: 32, sql: "CREATE INDEX webhook_of_task ON webhook_delivery (task);" };

/// Deliveries of one address that are kept after their end.
const KEPT: u32 = 500;

/// What an address hears of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskNews {
    /// A person is asked.
    Created,
    /// The time of a task has ended.
    Overdue,
    /// Somebody else is asked.
    Escalated,
    /// It was answered, by a person or by a policy.
    Answered,
    /// Nobody needs to answer it any more.
    Closed,
    /// An active workflow has failed.
    WorkflowFailed,
    /// An alert about the health of a workflow is raised, or over.
    WorkflowHealth,
}

impl TaskNews {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Created,
        Self::Overdue,
        Self::Escalated,
        Self::Answered,
        Self::Closed,
        Self::WorkflowFailed,
        Self::WorkflowHealth,
    ];

    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "task.created",
            Self::Overdue => "task.overdue",
            Self::Escalated => "task.escalated",
            Self::Answered => "task.answered",
            Self::Closed => "task.closed",
            Self::WorkflowFailed => "workflow.failed",
            Self::WorkflowHealth => "workflow.health",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|news| news.as_str() == text)
    }
}

/// An address that hears of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Its id.
    pub id: String,
    /// The address.
    pub url: String,
    /// What it hears of.
    pub events: Vec<TaskNews>,
    /// Name of the secret that signs.
    pub secret: String,
    /// A person on this machine named it.
    pub here: bool,
    /// Who made it.
    pub made_by: String,
    /// Milliseconds since 1970.
    pub made_ms: i64,
    /// Attempts in a row that were not taken.
    pub failures: u32,
    /// The address is left alone until then, milliseconds since 1970.
    pub next_ms: Option<i64>,
}

/// An address, and how many messages to it stand where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookState {
    /// The address.
    pub webhook: Webhook,
    /// Messages that are sent, or sent again.
    pub waiting: u64,
    /// Messages that were given up.
    pub failed: u64,
}

/// One message to an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// Its id, the same in each attempt.
    pub id: String,
    /// The address.
    pub webhook: String,
    /// What it tells.
    pub event: String,
    /// The task.
    pub task: String,
    /// The body as it is signed and sent.
    pub body: String,
    /// Milliseconds since 1970.
    pub made_ms: i64,
    /// From when its time counts: when it was made, or a person had it sent again. Milliseconds since 1970.
    pub since_ms: i64,
    /// How often it was sent since then.
    pub attempts: u32,
    /// When it is sent next, milliseconds since 1970; absent when it was taken or given up.
    pub due_ms: Option<i64>,
    /// When it was sent last.
    pub tried_ms: Option<i64>,
    /// What the address answered last.
    pub status: Option<u16>,
    /// Why it was not taken.
    pub error: Option<String>,
    /// When it was taken.
    pub done_ms: Option<i64>,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookTried {
    /// When, milliseconds since 1970.
    pub at_ms: i64,
    /// What the address answered.
    pub status: Option<u16>,
    /// Why it was not taken; absent when it was.
    pub error: Option<String>,
    /// When it is sent again; absent when it is given up, or was taken.
    pub again_ms: Option<i64>,
    /// Until when the address is left alone; absent when it took the message.
    pub next_ms: Option<i64>,
    /// Messages to the address whose time began before are given up with it; none when it took the message.
    pub stale_ms: Option<i64>,
}

const WEBHOOK: &str = "SELECT id, url, events, secret, here, made_by, made_ms, failures, next_ms FROM webhook";

fn read(row: &Row<'_>) -> sql::Result<Webhook> {
    Ok(Webhook {
        id: row.get(0)?,
        url: row.get(1)?,
        events: row.get::<_, String>(2)?.split('\n').filter_map(TaskNews::parse).collect(),
        secret: row.get(3)?,
        here: row.get(4)?,
        made_by: row.get(5)?,
        made_ms: row.get(6)?,
        failures: row.get(7)?,
        next_ms: row.get(8)?,
    })
}

/// The oldest first.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Webhook>> {
    let mut statement = connection.prepare_cached(&format!("{WEBHOOK} ORDER BY made_ms, id"))?;
    Ok(statement.query_map([], read)?.collect::<sql::Result<_>>()?)
}

pub(crate) fn get(connection: &Connection, id: &str) -> Result<Option<Webhook>> {
    let mut statement = connection.prepare_cached(&format!("{WEBHOOK} WHERE id = ?"))?;
    Ok(statement.query_row([id], read).optional()?)
}

/// How many messages wait, and how many were given up.
pub(crate) fn counts(connection: &Connection, id: &str) -> Result<(u64, u64)> {
    let mut statement = connection.prepare_cached(
        "SELECT count(due_ms), count(*) - count(due_ms) FROM webhook_delivery WHERE webhook = ? AND done_ms IS NULL",
    )?;
    Ok(statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

pub(crate) fn insert(connection: &Connection, one: &Webhook) -> Result<()> {
    let events: Vec<&str> = one.events.iter().map(|news| news.as_str()).collect();
    connection.execute(
        "INSERT INTO webhook (id, url, events, secret, here, made_by, made_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
        params![one.id, one.url, events.join("\n"), one.secret, one.here, one.made_by, one.made_ms],
    )?;
    Ok(())
}

/// Takes an address away, with what it was to be told.
pub(crate) fn remove(connection: &Connection, id: &str) -> Result<bool> {
    connection.execute("DELETE FROM webhook_delivery WHERE webhook = ?", [id])?;
    Ok(connection.execute("DELETE FROM webhook WHERE id = ?", [id])? > 0)
}

/// What is told of a task: what lists show to everybody. Its texts were masked when the row was made; input, message of the
/// error, notes and corrections are not in it.
fn data_of(row: &TaskRow) -> Value {
    let mut data = json!({
        "taskId": row.id, "runId": row.run_id, "workflowId": row.workflow_id, "workflowName": row.workflow_name,
        "stepId": row.step, "nodeId": row.node, "kind": row.kind, "reason": row.reason, "state": row.state,
        "title": row.title, "severity": row.severity, "priority": row.priority, "fingerprint": row.fingerprint,
        "candidateGroups": row.candidate_groups, "createdAt": time::format(row.created_ms),
        "link": format!("signalbox://task/{}", row.id),
    });
    let told = [
        ("assignee", row.assignee.clone()),
        ("expiresAt", row.expires_ms.map(time::format)),
        ("errorType", row.error_type.clone()),
        ("errorCode", row.error_code.clone()),
        ("action", row.action.map(|action| action.as_str().to_owned())),
        ("decidedBy", row.decided_by.clone()),
        ("decidedAt", row.decided_ms.map(time::format)),
        ("reopens", row.reopens.clone()),
    ];
    for (name, value) in told {
        if let Some(value) = value {
            data[name] = value.into();
        }
    }
    if row.escalation_level > 0 {
        data["escalationLevel"] = row.escalation_level.into();
    }
    data
}

/// Tells every address that hears of it.
pub(crate) fn tell(connection: &Connection, news: TaskNews, row: &TaskRow, at_ms: i64) -> Result<()> {
    tell_made(connection, news, &row.id, || data_of(row), at_ms)
}

/// The same of what is about no task: its `task` is empty.
pub(crate) fn tell_data(connection: &Connection, news: TaskNews, task: &str, data: Value, at_ms: i64) -> Result<()> {
    tell_made(connection, news, task, || data, at_ms)
}

/// What is told is made only where an address hears of it: every task comes here, and most stores have no address.
fn tell_made(
    connection: &Connection,
    news: TaskNews,
    task: &str,
    data: impl FnOnce() -> Value,
    at_ms: i64,
) -> Result<()> {
    let hearing: Vec<Webhook> = all(connection)?.into_iter().filter(|webhook| webhook.events.contains(&news)).collect();
    if hearing.is_empty() {
        return Ok(());
    }
    let body = json!({ "type": news.as_str(), "timestamp": time::format(at_ms), "data": data() }).to_string();
    for webhook in hearing {
        connection
            .prepare_cached(
                "INSERT INTO webhook_delivery (id, webhook, event, task, body, made_ms, since_ms, attempts, due_ms) \
                 VALUES ('msg_' || lower(hex(randomblob(16))), ?1, ?2, ?3, ?4, ?5, ?5, 0, ?5)",
            )?
            .execute(params![webhook.id, news.as_str(), task, body, at_ms])?;
        connection
            .prepare_cached(
                "DELETE FROM webhook_delivery WHERE webhook = ?1 AND due_ms IS NULL AND seq <= coalesce((SELECT seq FROM \
                 webhook_delivery WHERE webhook = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2), 0)",
            )?
            .execute(params![webhook.id, KEPT])?;
    }
    Ok(())
}

const DELIVERY: &str = "SELECT id, webhook, event, task, body, made_ms, since_ms, attempts, due_ms, tried_ms, status, error, \
     done_ms FROM webhook_delivery";

fn read_delivery(row: &Row<'_>) -> sql::Result<WebhookDelivery> {
    Ok(WebhookDelivery {
        id: row.get(0)?,
        webhook: row.get(1)?,
        event: row.get(2)?,
        task: row.get(3)?,
        body: row.get(4)?,
        made_ms: row.get(5)?,
        since_ms: row.get(6)?,
        attempts: row.get(7)?,
        due_ms: row.get(8)?,
        tried_ms: row.get(9)?,
        status: row.get(10)?,
        error: row.get(11)?,
        done_ms: row.get(12)?,
    })
}

/// The newest first.
pub(crate) fn log(connection: &Connection, webhook: Option<&str>, limit: usize) -> Result<Vec<WebhookDelivery>> {
    let mut statement = connection
        .prepare_cached(&format!("{DELIVERY} WHERE ?1 IS NULL OR webhook = ?1 ORDER BY seq DESC LIMIT ?2"))?;
    let rows = statement.query_map(params![webhook, limit as u64], read_delivery)?;
    Ok(rows.collect::<sql::Result<_>>()?)
}

pub(crate) fn delivery(connection: &Connection, id: &str) -> Result<Option<WebhookDelivery>> {
    let mut statement = connection.prepare_cached(&format!("{DELIVERY} WHERE id = ?"))?;
    Ok(statement.query_row([id], read_delivery).optional()?)
}

/// A message is due at its time, and at once where the clock was put back since it was made or sent.
const IS_DUE: &str = "due_ms IS NOT NULL AND (due_ms <= ?1 OR coalesce(tried_ms, since_ms) > ?1)";

/// The addresses that something is to be sent to now, whoever is sending there.
pub(crate) fn due(connection: &Connection, now_ms: i64) -> Result<Vec<Webhook>> {
    let mut statement = connection.prepare_cached(&format!(
        "{WEBHOOK} WHERE id IN (SELECT webhook FROM webhook_delivery WHERE {IS_DUE}) ORDER BY made_ms, id"
    ))?;
    Ok(statement.query_map([now_ms], read)?.collect::<sql::Result<_>>()?)
}

/// Who sends to an address now, and until when they may.
pub(crate) fn busy(connection: &Connection, id: &str) -> Result<Option<(String, i64)>> {
    let mut statement =
        connection.prepare_cached("SELECT busy, busy_ms FROM webhook WHERE id = ? AND busy IS NOT NULL")?;
    Ok(statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// Says so.
pub(crate) fn occupy(connection: &Connection, id: &str, by: &str, until_ms: i64) -> Result<()> {
    connection
        .prepare_cached("UPDATE webhook SET busy = ?2, busy_ms = ?3 WHERE id = ?1")?
        .execute(params![id, by, until_ms])?;
    Ok(())
}

/// The next message to an address that is due, or the one of this id when it is.
pub(crate) fn next(
    connection: &Connection,
    webhook: &str,
    only: Option<&str>,
    now_ms: i64,
) -> Result<Option<WebhookDelivery>> {
    let mut statement = connection.prepare_cached(&format!(
        "{DELIVERY} WHERE webhook = ?2 AND (?3 IS NULL OR id = ?3) AND {IS_DUE} ORDER BY due_ms, seq LIMIT 1"
    ))?;
    Ok(statement.query_row(params![now_ms, webhook, only], read_delivery).optional()?)
}

/// What came of an attempt; the address is free for the next one. Gives how many messages were given up.
pub(crate) fn tried(connection: &Connection, one: &WebhookDelivery, tried: &WebhookTried) -> Result<usize> {
    let mut given_up = connection
        .prepare_cached(
            "UPDATE webhook_delivery SET attempts = attempts + 1, tried_ms = ?2, status = ?3, error = ?4, due_ms = ?5, \
             done_ms = CASE WHEN ?4 IS NULL THEN ?2 ELSE done_ms END WHERE id = ?1",
        )?
        .execute(params![one.id, tried.at_ms, tried.status, tried.error, tried.again_ms])?;
    if tried.error.is_none() || tried.again_ms.is_some() {
        given_up = 0;
    }
    connection
        .prepare_cached(
            "UPDATE webhook SET busy = NULL, busy_ms = NULL, next_ms = ?2, failures = CASE WHEN ?2 IS NULL THEN 0 ELSE \
             failures + 1 END WHERE id = ?1",
        )?
        .execute(params![one.webhook, tried.next_ms])?;
    given_up += connection
        .prepare_cached(
            "UPDATE webhook_delivery SET due_ms = NULL, error = coalesce(error, ?3) WHERE webhook = ?1 AND due_ms IS NOT NULL \
             AND since_ms <= ?2",
        )?
        .execute(params![one.webhook, tried.stale_ms, tried.error])?;
    Ok(given_up)
}

/// Has a message sent again, now. Its attempts and its time begin anew.
pub(crate) fn again(connection: &Connection, id: &str, now_ms: i64) -> Result<bool> {
    let changed = connection
        .prepare_cached(
            "UPDATE webhook_delivery SET due_ms = ?2, since_ms = ?2, attempts = 0, done_ms = NULL, error = NULL, status = NULL \
             WHERE id = ?1",
        )?
        .execute(params![id, now_ms])?;
    Ok(changed > 0)
}
