//! `task`: what people are asked, one narrow row each, so that a list of ten thousand is a list and not a wait. The rest of a
//! task stands in `task_body`. Tests: `tests/store/table/task.rs`.

use crate::error::Result;
use crate::filter::Filter;
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, Value as Sql, params, params_from_iter};
use crate::table::delegation::FOR_ASSIGNEE;
use signalbox_model::{Level, TaskAction, TaskKind, TaskReason, TaskState};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        id: 13,
        // `step` asks, `node` is what it is about: the failed step, when there is one. `due_ms`: when the run has something
        // to do about the task although nobody answers.
        sql: "CREATE TABLE task (
            id TEXT PRIMARY KEY NOT NULL, run TEXT NOT NULL, workflow_id TEXT NOT NULL, workflow_name TEXT NOT NULL,
            step TEXT NOT NULL, node TEXT NOT NULL, node_title TEXT, path TEXT, item INTEGER, visit INTEGER NOT NULL,
            attempt INTEGER NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL, state TEXT NOT NULL,
            revision INTEGER NOT NULL, title TEXT NOT NULL, severity TEXT NOT NULL, priority INTEGER NOT NULL,
            fingerprint TEXT NOT NULL, cases INTEGER NOT NULL, error_type TEXT, error_code TEXT, error_message TEXT,
            actions TEXT NOT NULL, candidate_groups TEXT NOT NULL, assignee TEXT, claimed_by TEXT, claim_until INTEGER,
            snoozed_until INTEGER, created_ms INTEGER NOT NULL, expires_ms INTEGER, escalates INTEGER NOT NULL,
            remind_ms INTEGER, reminders INTEGER NOT NULL, due_ms INTEGER, level INTEGER NOT NULL, decided_by TEXT,
            decided_ms INTEGER, action TEXT, request_id TEXT, driven INTEGER NOT NULL DEFAULT 0
          ) STRICT;
          CREATE INDEX task_open ON task (priority DESC, created_ms, id) WHERE state = 'open';
          CREATE INDEX task_closed ON task (decided_ms DESC, id DESC) WHERE state <> 'open';
          CREATE INDEX task_newest ON task (created_ms DESC, id DESC);
          CREATE INDEX task_of_run ON task (run, state);
          CREATE INDEX task_same ON task (fingerprint, state);
          CREATE INDEX task_due ON task (due_ms) WHERE state = 'open' AND due_ms IS NOT NULL;",
    },
    Migration {
        id: 21,
        // `no_self`: who started the run may not approve. `approvals`: how many have.
        sql: "ALTER TABLE task ADD COLUMN min_approvals INTEGER NOT NULL DEFAULT 1;
          ALTER TABLE task ADD COLUMN no_self INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE task ADD COLUMN approvals INTEGER NOT NULL DEFAULT 0;
          CREATE INDEX task_deadline ON task (coalesce(expires_ms, 9223372036854775807), created_ms, id)
            WHERE state = 'open';",
    },
    Migration {
        id: 26,
        // `held_ms`: since when it waits for somebody else. `remaining_ms`: what is left of its time then. `waited_ms`: how
        // long it has waited like that before. `remind_at`: reminders that are left, where there is no interval.
        sql: "ALTER TABLE task ADD COLUMN held_ms INTEGER;
          ALTER TABLE task ADD COLUMN remaining_ms INTEGER;
          ALTER TABLE task ADD COLUMN waited_ms INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE task ADD COLUMN remind_at TEXT NOT NULL DEFAULT '';",
    },
    Migration {
        id: 28,
        // `reopens`: the task of an earlier run that is asked again. `reopened_run`: the newest run that asks this one again.
        sql: "ALTER TABLE task ADD COLUMN reopens TEXT;
          ALTER TABLE task ADD COLUMN reopened_run TEXT;",
    },
];

/// When the time of a task ends; a task without an end stands behind all others. As in the index.
pub(super) const DEADLINE: &str = "coalesce(expires_ms, 9223372036854775807)";

pub(super) const COLUMNS: &str = "id, run, workflow_id, workflow_name, step, node, node_title, path, item, visit, attempt, kind, \
     reason, state, revision, title, severity, priority, fingerprint, cases, error_type, error_code, error_message, actions, \
     candidate_groups, assignee, claimed_by, claim_until, snoozed_until, created_ms, expires_ms, escalates, remind_ms, \
     reminders, level, decided_by, decided_ms, action, request_id, driven, min_approvals, no_self, approvals, held_ms, \
     remaining_ms, waited_ms, remind_at, reopens, reopened_run";

/// One task, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// Its id.
    pub id: String,
    /// The run that waits for it.
    pub run_id: String,
    /// Id of the run's workflow.
    pub workflow_id: String,
    /// Name of the workflow when the run started.
    pub workflow_name: String,
    /// The step that asks.
    pub step: String,
    /// The step that it is about: the failed one, else the one that asks.
    pub node: String,
    /// Its title in the workflow.
    pub node_title: Option<String>,
    /// Where in nested containers.
    pub path: Option<String>,
    /// Item index.
    pub item: Option<usize>,
    /// Round of the slot.
    pub visit: u32,
    /// Attempt of the call.
    pub attempt: u32,
    /// What is asked.
    pub kind: TaskKind,
    /// Why.
    pub reason: TaskReason,
    /// Where it stands.
    pub state: TaskState,
    /// From 1, +1 with each change.
    pub revision: i64,
    /// One line.
    pub title: String,
    /// How bad.
    pub severity: Level,
    /// 0 to 100.
    pub priority: u8,
    /// The same for failures of the same step for the same cause.
    pub fingerprint: String,
    /// Open tasks with this fingerprint, counted up to 1,000.
    pub same: u64,
    /// Failed slots that it stands for.
    pub cases: usize,
    /// Type of the error.
    pub error_type: Option<String>,
    /// Its code.
    pub error_code: Option<String>,
    /// Its message.
    pub error_message: Option<String>,
    /// What may be answered.
    pub actions: Vec<TaskAction>,
    /// Who may take it.
    pub candidate_groups: Vec<String>,
    /// Who has it.
    pub assignee: Option<String>,
    /// Who works on it; holds until `claim_until_ms`.
    pub claimed_by: Option<String>,
    /// Milliseconds since 1970.
    pub claim_until_ms: Option<i64>,
    /// Milliseconds since 1970.
    pub snoozed_until_ms: Option<i64>,
    /// Milliseconds since 1970.
    pub created_ms: i64,
    /// Milliseconds since 1970; nobody decides after it, unless it is escalated then.
    pub expires_ms: Option<i64>,
    /// At `expires_ms` the task goes on with somebody else.
    pub escalates: bool,
    /// A reminder each time after this long, milliseconds.
    pub remind_every_ms: Option<i64>,
    /// Reminders that are left, in order, where there is no interval; milliseconds since 1970.
    pub remind_at: Vec<i64>,
    /// Since when it waits for somebody else; its time stands still. Milliseconds since 1970.
    pub held_ms: Option<i64>,
    /// What is left of its time while it waits for somebody else, milliseconds; the run says so when it has heard of it.
    pub remaining_ms: Option<i64>,
    /// How long it has waited for somebody else before, milliseconds.
    pub waited_ms: i64,
    /// Reminders so far.
    pub reminders: u32,
    /// Escalations so far.
    pub escalation_level: u32,
    /// Who decided; absent when a policy did.
    pub decided_by: Option<String>,
    /// When it was decided or closed, milliseconds since 1970.
    pub decided_ms: Option<i64>,
    /// What was decided.
    pub action: Option<TaskAction>,
    /// The request that decided.
    pub request_id: Option<String>,
    /// A process drove the run when it was decided.
    pub driven: bool,
    /// How many different people must approve.
    pub min_approvals: u32,
    /// Who started the run may not approve.
    pub no_self_approval: bool,
    /// How many have approved.
    pub approvals: u32,
    /// The task of an earlier run that this one asks again.
    pub reopens: Option<String>,
    /// The newest run that asks this one again.
    pub reopened_run: Option<String>,
}

impl TaskRow {
    /// Who works on it now.
    pub fn claimant(&self, now_ms: i64) -> Option<&str> {
        self.claimed_by.as_deref().filter(|_| self.claim_until_ms.is_some_and(|until| until > now_ms))
    }

    /// Nobody may decide any more, although no process has noticed yet.
    pub fn is_over(&self, now_ms: i64) -> bool {
        !self.escalates && self.is_late(now_ms)
    }

    /// Its time has ended; it does not while it waits for somebody else.
    pub(crate) fn is_late(&self, now_ms: i64) -> bool {
        self.held_ms.is_none() && self.expires_ms.is_some_and(|expires| expires <= now_ms)
    }
}

/// Which half of the inbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TaskScope {
    /// Those that wait, most urgent first.
    #[default]
    Open,
    /// Those that do not wait any more, last decided first.
    Done,
    /// All, newest first.
    All,
}

/// In which order open tasks are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TaskSort {
    /// What is overdue and what is due today by its deadline, then the rest by priority, the oldest first (ADR 59).
    #[default]
    Urgent,
    /// Whose time ends first; those without an end last.
    Due,
}

/// A view of the inbox. Snoozed tasks stand in [`TaskView::Any`] and [`TaskView::Snoozed`] only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TaskView {
    /// Everything.
    #[default]
    Any,
    /// Everything that is not snoozed.
    Awake,
    /// Assigned to the person or to somebody for whom they answer, or claimed by the person.
    Mine,
    /// Nobody has it.
    Unassigned,
    /// Its time ends today.
    DueToday,
    /// Its time has ended.
    Overdue,
    /// Hidden until later.
    Snoozed,
}

/// Which tasks to list.
#[derive(Debug, Clone, Default)]
pub struct TaskQuery {
    /// Which half.
    pub scope: TaskScope,
    /// Which view.
    pub view: TaskView,
    /// In which order open ones.
    pub sort: TaskSort,
    /// The person that [`TaskView::Mine`] means.
    pub person: String,
    /// Now, milliseconds since 1970.
    pub now_ms: i64,
    /// End of the person's day.
    pub day_end_ms: i64,
    /// Of this workflow (id).
    pub workflow: Option<String>,
    /// With this fingerprint.
    pub fingerprint: Option<String>,
    /// Of this run.
    pub run: Option<String>,
    /// Of runs of one of these workspaces.
    pub workspaces: Option<Vec<String>>,
    /// With this text in title, error, step, workflow or run.
    pub text: Option<String>,
    /// At most so many; 0 means 50. Never more than 1,000.
    pub limit: usize,
    /// `next` of the page before.
    pub after: Option<String>,
}

/// A page of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPage {
    /// The tasks.
    pub tasks: Vec<TaskRow>,
    /// Asks for the next page.
    pub next: Option<String>,
    /// Tasks of all pages.
    pub total: u64,
}

/// How many tasks stand where. All but `done` count open ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskCounts {
    /// All, snoozed ones too.
    pub open: u64,
    /// See [`TaskView::Mine`].
    pub mine: u64,
    /// See [`TaskView::Unassigned`].
    pub unassigned: u64,
    /// See [`TaskView::DueToday`].
    pub due_today: u64,
    /// See [`TaskView::Overdue`].
    pub overdue: u64,
    /// See [`TaskView::Snoozed`].
    pub snoozed: u64,
    /// Not open any more.
    pub done: u64,
    /// Id, name, count; most first, at most 50.
    pub by_workflow: Vec<(String, String, u64)>,
    /// Fingerprint, title, count; only those of several tasks, most first, at most 50.
    pub by_fingerprint: Vec<(String, String, u64)>,
}

fn list(text: &str) -> Vec<String> {
    text.split('\n').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

pub(super) fn read(row: &Row<'_>) -> sql::Result<TaskRow> {
    fn word<T>(row: &Row<'_>, index: usize, parse: impl Fn(&str) -> Option<T>) -> sql::Result<T> {
        let text: String = row.get(index)?;
        parse(&text).ok_or_else(|| sql::Error::InvalidColumnType(index, text, sql::Type::Text))
    }
    let actions: String = row.get(23)?;
    let groups: String = row.get(24)?;
    let action: Option<String> = row.get(37)?;
    let reminders: String = row.get(46)?;
    Ok(TaskRow {
        id: row.get(0)?,
        run_id: row.get(1)?,
        workflow_id: row.get(2)?,
        workflow_name: row.get(3)?,
        step: row.get(4)?,
        node: row.get(5)?,
        node_title: row.get(6)?,
        path: row.get(7)?,
        item: row.get::<_, Option<u64>>(8)?.and_then(|n| usize::try_from(n).ok()),
        visit: row.get(9)?,
        attempt: row.get(10)?,
        kind: word(row, 11, |text| serde_json::from_value(text.into()).ok())?,
        reason: word(row, 12, |text| serde_json::from_value(text.into()).ok())?,
        state: word(row, 13, TaskState::parse)?,
        revision: row.get(14)?,
        title: row.get(15)?,
        severity: word(row, 16, Level::parse)?,
        priority: row.get(17)?,
        fingerprint: row.get(18)?,
        same: 0,
        cases: usize::try_from(row.get::<_, u64>(19)?).unwrap_or(usize::MAX),
        error_type: row.get(20)?,
        error_code: row.get(21)?,
        error_message: row.get(22)?,
        actions: list(&actions).iter().filter_map(|word| TaskAction::parse(word)).collect(),
        candidate_groups: list(&groups),
        assignee: row.get(25)?,
        claimed_by: row.get(26)?,
        claim_until_ms: row.get(27)?,
        snoozed_until_ms: row.get(28)?,
        created_ms: row.get(29)?,
        expires_ms: row.get(30)?,
        escalates: row.get(31)?,
        remind_every_ms: row.get(32)?,
        reminders: row.get(33)?,
        escalation_level: row.get(34)?,
        decided_by: row.get(35)?,
        decided_ms: row.get(36)?,
        action: action.as_deref().and_then(TaskAction::parse),
        request_id: row.get(38)?,
        driven: row.get(39)?,
        min_approvals: row.get(40)?,
        no_self_approval: row.get(41)?,
        approvals: row.get(42)?,
        held_ms: row.get(43)?,
        remaining_ms: row.get(44)?,
        waited_ms: row.get(45)?,
        remind_at: list(&reminders).iter().filter_map(|moment| moment.parse().ok()).collect(),
        reopens: row.get(47)?,
        reopened_run: row.get(48)?,
    })
}

pub(crate) fn get(connection: &Connection, id: &str) -> Result<Option<TaskRow>> {
    let row = uncounted(connection, id)?;
    row.map(|row| Ok(TaskRow { same: same(connection, &row.fingerprint)?, ..row })).transpose()
}

/// [`get`] without how many there are of its kind (`same` is 0): counting them takes longer the more there are.
pub(crate) fn uncounted(connection: &Connection, id: &str) -> Result<Option<TaskRow>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM task WHERE id = ?"))?;
    Ok(statement.query_row([id], read).optional()?)
}

/// Counted up to 1,000.
pub(super) fn same(connection: &Connection, fingerprint: &str) -> Result<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*) FROM (SELECT 1 FROM task WHERE fingerprint = ? AND state = 'open' LIMIT 1000)",
    )?;
    Ok(statement.query_row([fingerprint], |row| row.get(0))?)
}

/// Open tasks of a run, oldest first.
pub(crate) fn open_of(connection: &Connection, run: &str) -> Result<Vec<String>> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM task WHERE run = ? AND state = 'open' ORDER BY created_ms, id")?;
    Ok(statement.query_map([run], |row| row.get(0))?.collect::<sql::Result<_>>()?)
}

/// The workspace of a task is that of its run.
const WORKSPACE: &str = "(SELECT workspace FROM run WHERE run.id = task.run)";

/// What a query wants, without its page.
pub(super) fn wanted(query: &TaskQuery) -> Filter {
    let mut filter = Filter::default();
    match query.scope {
        TaskScope::Open => filter.add_all("state = 'open'", []),
        TaskScope::Done => filter.add_all("state <> 'open'", []),
        TaskScope::All => {}
    }
    let now = || Sql::from(query.now_ms);
    if !matches!(query.view, TaskView::Any | TaskView::Snoozed) {
        filter.add("coalesce(snoozed_until, 0) <= ?", now());
    }
    match query.view {
        TaskView::Any | TaskView::Awake => {}
        TaskView::Mine => {
            let person = || Sql::from(query.person.clone());
            filter.add_all(
                format!("(assignee = ? OR (claimed_by = ? AND claim_until > ?) OR {FOR_ASSIGNEE})"),
                [person(), person(), now(), person(), now(), now()],
            );
        }
        TaskView::Unassigned => filter.add("(assignee IS NULL AND coalesce(claim_until, 0) <= ?)", now()),
        TaskView::DueToday => {
            filter.add_all("expires_ms > ? AND expires_ms <= ?", [now(), query.day_end_ms.into()]);
        }
        TaskView::Overdue => filter.add("expires_ms <= ?", now()),
        TaskView::Snoozed => filter.add("snoozed_until > ?", now()),
    }
    for (condition, value) in
        [("workflow_id = ?", &query.workflow), ("fingerprint = ?", &query.fingerprint), ("run = ?", &query.run)]
    {
        if let Some(value) = value {
            filter.add(condition, value.clone());
        }
    }
    filter.add_workspaces(WORKSPACE, query.workspaces.as_deref());
    if let Some(text) = query.text.as_ref().map(|text| text.trim()).filter(|text| !text.is_empty()) {
        filter.contains("title, error_message, error_code, node_title, node, workflow_name, run, id", text);
    }
    filter
}

/// Tasks of all pages.
pub(crate) fn total(connection: &Connection, query: &TaskQuery) -> Result<u64> {
    let filter = wanted(query);
    let mut statement = connection.prepare_cached(&format!("SELECT count(*) FROM task {}", filter.sql()))?;
    Ok(statement.query_row(params_from_iter(filter.values.iter()), |row| row.get(0))?)
}

pub(crate) fn counts(connection: &Connection, query: &TaskQuery) -> Result<TaskCounts> {
    let mut counts = TaskCounts::default();
    for (view, count) in [
        (TaskView::Any, &mut counts.open),
        (TaskView::Mine, &mut counts.mine),
        (TaskView::Unassigned, &mut counts.unassigned),
        (TaskView::DueToday, &mut counts.due_today),
        (TaskView::Overdue, &mut counts.overdue),
        (TaskView::Snoozed, &mut counts.snoozed),
    ] {
        *count = total(connection, &TaskQuery { scope: TaskScope::Open, view, ..query.clone() })?;
    }
    let of = |scope: TaskScope| {
        let mut filter = Filter::default();
        match scope {
            TaskScope::Done => filter.add_all("state <> 'open'", []),
            _ => filter.add_all("state = 'open'", []),
        }
        filter.add_workspaces(WORKSPACE, query.workspaces.as_deref());
        filter
    };
    let (done, open) = (of(TaskScope::Done), of(TaskScope::Open));
    counts.done = connection
        .prepare_cached(&format!("SELECT count(*) FROM task {}", done.sql()))?
        .query_row(params_from_iter(done.values.iter()), |row| row.get(0))?;
    let groups = |sql: &str| -> Result<Vec<(String, String, u64)>> {
        let mut statement = connection.prepare_cached(sql)?;
        let values = params_from_iter(open.values.iter());
        let rows = statement.query_map(values, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<sql::Result<_>>()?)
    };
    let open_ones = open.sql();
    counts.by_workflow = groups(&format!(
        "SELECT workflow_id, max(workflow_name), count(*) FROM task {open_ones} GROUP BY workflow_id \
         ORDER BY count(*) DESC, workflow_id LIMIT 50",
    ))?;
    counts.by_fingerprint = groups(&format!(
        "SELECT fingerprint, max(title), count(*) FROM task {open_ones} GROUP BY fingerprint \
         HAVING count(*) > 1 ORDER BY count(*) DESC, fingerprint LIMIT 50",
    ))?;
    Ok(counts)
}

/// The next moment at which an open task's run has something to do.
pub(crate) fn next_due(connection: &Connection) -> Result<Option<i64>> {
    let mut statement =
        connection.prepare_cached("SELECT min(due_ms) FROM task WHERE state = 'open' AND due_ms IS NOT NULL")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// A run that has not ended and may have something to do.
pub(crate) struct MayGoOn {
    pub(crate) run_id: String,
    pub(crate) owner: Option<String>,
    /// One of its tasks is due; else it has inputs that nobody has consumed.
    pub(crate) due: bool,
}

/// Oldest first.
pub(crate) fn runs_to_go_on(connection: &Connection, now_ms: i64) -> Result<Vec<MayGoOn>> {
    let mut statement = connection.prepare_cached(
        "SELECT run.id, run.owner, max(todo.due) FROM (SELECT run, 0 AS due FROM run_input WHERE consumed = 0 \
         UNION SELECT run, 1 FROM task WHERE state = 'open' AND due_ms IS NOT NULL AND due_ms <= ?) AS todo \
         JOIN run ON run.id = todo.run WHERE run.ended_ms IS NULL AND (run.handed_to IS NULL OR run.status = 'queued') GROUP BY run.id ORDER BY run.started_ms, run.id",
    )?;
    let read = |row: &Row<'_>| Ok(MayGoOn { run_id: row.get(0)?, owner: row.get(1)?, due: row.get(2)? });
    Ok(statement.query_map([now_ms], read)?.collect::<sql::Result<_>>()?)
}

fn name<T: serde::Serialize>(value: T) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// When the run has something to do about it: the task's time ends, or the next reminder.
fn due(row: &TaskRow) -> Option<i64> {
    if row.held_ms.is_some() {
        return None;
    }
    let from = row.created_ms.saturating_add(row.waited_ms);
    let remind = row
        .remind_every_ms
        .filter(|every| *every > 0)
        .map(|every| from.saturating_add(every.saturating_mul(i64::from(row.reminders) + 1)))
        .or_else(|| row.remind_at.first().copied());
    row.expires_ms.into_iter().chain(remind).min()
}

fn moments(list: &[i64]) -> String {
    list.iter().map(i64::to_string).collect::<Vec<_>>().join("\n")
}

pub(crate) fn insert(connection: &Connection, row: &TaskRow) -> Result<()> {
    let sql = format!(
        "INSERT INTO task ({COLUMNS}, due_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \
         ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    );
    let actions: Vec<&str> = row.actions.iter().map(|action| action.as_str()).collect();
    connection.prepare_cached(&sql)?.execute(params![
        row.id,
        row.run_id,
        row.workflow_id,
        row.workflow_name,
        row.step,
        row.node,
        row.node_title,
        row.path,
        row.item.map(|n| n as u64),
        row.visit,
        row.attempt,
        name(row.kind),
        name(row.reason),
        row.state.as_str(),
        row.revision,
        row.title,
        row.severity.as_str(),
        row.priority,
        row.fingerprint,
        row.cases as u64,
        row.error_type,
        row.error_code,
        row.error_message,
        actions.join("\n"),
        row.candidate_groups.join("\n"),
        row.assignee,
        row.claimed_by,
        row.claim_until_ms,
        row.snoozed_until_ms,
        row.created_ms,
        row.expires_ms,
        row.escalates,
        row.remind_every_ms,
        row.reminders,
        row.escalation_level,
        row.decided_by,
        row.decided_ms,
        row.action.map(TaskAction::as_str),
        row.request_id,
        row.driven,
        row.min_approvals,
        row.no_self_approval,
        row.approvals,
        row.held_ms,
        row.remaining_ms,
        row.waited_ms,
        moments(&row.remind_at),
        row.reopens,
        row.reopened_run,
        due(row),
    ])?;
    Ok(())
}

/// A new run asks an ended task again. What it was stays as it is: no new revision.
pub(crate) fn reopened(connection: &Connection, id: &str, run: &str) -> Result<()> {
    connection
        .prepare_cached("UPDATE task SET reopened_run = ?2 WHERE id = ?1 AND state <> 'open'")?
        .execute([id, run])?;
    Ok(())
}

/// The task of a run that asks an ended one again; none before it has asked.
pub(crate) fn reopening(connection: &Connection, id: &str, run: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT id FROM task WHERE run = ?2 AND reopens = ?1 LIMIT 1")?;
    Ok(statement.query_row([id, run], |row| row.get(0)).optional()?)
}

/// Writes what may change, one revision on. False when somebody else changed it since it was read.
pub(crate) fn update(connection: &Connection, row: &TaskRow) -> Result<bool> {
    let changed = connection
        .prepare_cached(
            "UPDATE task SET state = ?3, revision = revision + 1, candidate_groups = ?4, assignee = ?5, claimed_by = ?6, \
             claim_until = ?7, snoozed_until = ?8, expires_ms = ?9, escalates = ?10, reminders = ?11, level = ?12, \
             decided_by = ?13, decided_ms = ?14, action = ?15, request_id = ?16, driven = ?17, due_ms = ?18, approvals = ?19, \
             held_ms = ?20, remaining_ms = ?21, waited_ms = ?22, remind_at = ?23 \
             WHERE id = ?1 AND revision = ?2 AND state = 'open'",
        )?
        .execute(params![
            row.id,
            row.revision,
            row.state.as_str(),
            row.candidate_groups.join("\n"),
            row.assignee,
            row.claimed_by,
            row.claim_until_ms,
            row.snoozed_until_ms,
            row.expires_ms,
            row.escalates,
            row.reminders,
            row.escalation_level,
            row.decided_by,
            row.decided_ms,
            row.action.map(TaskAction::as_str),
            row.request_id,
            row.driven,
            due(row),
            row.approvals,
            row.held_ms,
            row.remaining_ms,
            row.waited_ms,
            moments(&row.remind_at),
        ])?;
    Ok(changed == 1)
}

/// It stands for so many failed slots now.
pub(crate) fn grow(connection: &Connection, id: &str, cases: usize) -> Result<()> {
    connection
        .prepare_cached("UPDATE task SET cases = ?2, revision = revision + 1 WHERE id = ?1")?
        .execute(params![id, cases as u64])?;
    Ok(())
}

/// Only the lease: the task is not another one for it.
pub(crate) fn prolong(connection: &Connection, row: &TaskRow) -> Result<()> {
    connection
        .prepare_cached("UPDATE task SET claim_until = ?2 WHERE id = ?1")?
        .execute(params![row.id, row.claim_until_ms])?;
    Ok(())
}

/// Only what reminds: whoever is deciding decides about the same task.
pub(crate) fn remind(connection: &Connection, row: &TaskRow) -> Result<()> {
    connection
        .prepare_cached("UPDATE task SET reminders = ?2, remind_at = ?3, due_ms = ?4 WHERE id = ?1")?
        .execute(params![row.id, row.reminders, moments(&row.remind_at), due(row)])?;
    Ok(())
}

/// The newest tasks with this fingerprint that were answered with a corrected input.
pub(crate) fn corrected(connection: &Connection, fingerprint: &str, not: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM task WHERE fingerprint = ? AND state = 'done' AND action = 'correct' AND id <> ? \
         ORDER BY decided_ms DESC, id DESC LIMIT 3",
    )?;
    Ok(statement.query_map([fingerprint, not], |row| row.get(0))?.collect::<sql::Result<_>>()?)
}

/// All tasks of a run that is deleted.
pub(crate) fn delete(connection: &Connection, run: &str) -> Result<()> {
    for sql in [
        "DELETE FROM task_body WHERE task IN (SELECT id FROM task WHERE run = ?)",
        "DELETE FROM task_history WHERE task IN (SELECT id FROM task WHERE run = ?)",
        "DELETE FROM task_token WHERE task IN (SELECT id FROM task WHERE run = ?)",
        "DELETE FROM task_vote WHERE task IN (SELECT id FROM task WHERE run = ?)",
        "DELETE FROM task_copy WHERE task IN (SELECT id FROM task WHERE run = ?)",
        "DELETE FROM webhook_delivery WHERE task IN (SELECT id FROM task WHERE run = ?)",
        "DELETE FROM task WHERE run = ?",
    ] {
        connection.prepare_cached(sql)?.execute([run])?;
    }
    Ok(())
}
