//! What a driven run does to its tasks: part of its commit, so that task, event and audit entry are one.

use crate::document::Document;
use crate::error::{Error, Result};
use crate::mask::Masks;
use crate::sql::Connection;
use crate::table::failure;
use crate::table::run_sent;
use crate::table::task::{self, TaskRow};
use crate::table::task_body::{self, CREATED, DECISION};
use crate::table::task_copy;
use crate::table::task_history::{self, TaskNote};
use crate::table::webhook::{self, TaskNews};
use serde_json::json;
use signalbox_model::base::AskedAgain;
use signalbox_model::task::{
    Answer, Escalated, ExpiryAction, HumanTaskContinued, HumanTaskCreated, HumanTaskHeld, OnExpiry, SentFrom,
};
use signalbox_model::{ErrorPayload, TaskState, time};
use std::sync::Arc;

/// A task to be created, with what its event says besides the payload.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    /// The payload of `human_task_created`.
    pub created: HumanTaskCreated,
    /// Milliseconds since 1970.
    pub created_ms: i64,
    /// The step that asks.
    pub step_id: String,
    /// Title of the step that it is about (the failed one, when there is one).
    pub node_title: Option<String>,
    /// Where in nested containers, of the event.
    pub path: Option<String>,
    /// Item index, of the event.
    pub item: Option<usize>,
    /// Round of the slot, of the event.
    pub visit: u32,
    /// Attempt, of the event.
    pub attempt: u32,
}

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskChange {
    /// `human_task_created`.
    Create(Box<NewTask>),
    /// `human_task_completed`: an answer that the run has consumed, or what a policy decided (no `operatorId`). Nothing is
    /// left to do when [`Store::answer_task`](crate::Store::answer_task) stored the answer; a policy that comes after a
    /// person's answer, or after they said that it waits for somebody else, is refused with [`Error::TaskDecided`], and so
    /// is its whole commit.
    Answered {
        /// The task.
        task_id: String,
        /// The answer.
        answer: Answer,
        /// Milliseconds since 1970.
        at_ms: i64,
    },
    /// `escalated`. Refused like a policy's answer when a person has answered.
    Escalated {
        /// The payload.
        change: Escalated,
        /// Milliseconds since 1970.
        at_ms: i64,
    },
    /// `human_task_reminded`.
    Reminded {
        /// The task.
        task_id: String,
        /// From 1.
        reminder: u32,
        /// Milliseconds since 1970.
        at_ms: i64,
    },
    /// `human_task_held`: the run has heard that it waits for somebody else.
    Held {
        /// The payload.
        change: HumanTaskHeld,
    },
    /// `human_task_continued`: the run has heard that it waits for nobody else.
    Continued {
        /// The payload.
        change: HumanTaskContinued,
    },
    /// The run of this commit begins with an ended task of another run, which it asks again. Refused with
    /// [`Error::TaskReopened`] while an earlier re-opening is under way, and so is the whole commit.
    Reopened {
        /// Which, why, and who wants it.
        again: AskedAgain,
        /// Milliseconds since 1970.
        at_ms: i64,
    },
    /// The run of this commit begins with the call that failed another run, and asks a person about it. Refused with
    /// [`Error::RunSent`] while an earlier one does, and so is the whole commit.
    Sent {
        /// The failed run.
        failed_run: String,
    },
    /// A task that nobody needs to answer any more.
    CloseOne {
        /// The task.
        task_id: String,
        /// `cancelled`, `expired` or `superseded`.
        state: TaskState,
        /// Milliseconds since 1970.
        at_ms: i64,
    },
    /// All open tasks of the run, at its end.
    CloseAll {
        /// `cancelled`, `expired` or `superseded`.
        state: TaskState,
        /// Milliseconds since 1970.
        at_ms: i64,
    },
}

/// A task to be created: its row, without what only the run's row knows, and its body.
pub(crate) struct NewRow {
    row: TaskRow,
    /// What it is about.
    error: Option<Arc<ErrorPayload>>,
    body: Document,
    sent_from: Option<SentFrom>,
}

/// A change whose text was made on the caller's thread.
pub(crate) enum Prepared {
    Create(Box<NewRow>),
    Other(TaskChange),
}

impl Prepared {
    pub(crate) fn new(change: &TaskChange) -> Result<Self> {
        Ok(match change {
            TaskChange::Create(new) => {
                let sent_from = new.created.sent_from.clone();
                let error = new.created.error.clone();
                Self::Create(Box::new(NewRow { row: row_of(new), error, body: Document::of(&new.created)?, sent_from }))
            }
            other => Self::Other(other.clone()),
        })
    }

    /// It is not refused, whatever it finds.
    pub(crate) fn is_sure(&self) -> bool {
        match self {
            Self::Create(new) => new.row.cases <= 1,
            Self::Other(change) => matches!(change, TaskChange::CloseAll { .. }),
        }
    }

    pub(crate) fn apply(&self, connection: &Connection, run: &str) -> Result<()> {
        match self {
            Self::Create(new) => create(connection, run, new),
            Self::Other(change) => apply(connection, run, change),
        }
    }
}

fn create(connection: &Connection, run: &str, new: &NewRow) -> Result<()> {
    // One task for what comes after the hundredth: another failed slot.
    if new.row.cases > 1
        && let Some(row) = task::uncounted(connection, &new.row.id)?.filter(|row| row.run_id == run)
    {
        return match row.state {
            TaskState::Open => task::grow(connection, &row.id, new.row.cases),
            // The answer is for those that the person saw.
            _ => Err(Error::TaskDecided { task: row.id }),
        };
    }
    let (workflow_id, workflow_name) = crate::table::run::workflow(connection, run)?;
    let row = TaskRow { run_id: run.to_owned(), workflow_id, workflow_name, ..new.row.clone() };
    task_copy::created(connection, &row)?;
    failure::task_opened(connection, &row, new.error.as_deref())?;
    task_body::insert(connection, run, &row.id, CREATED, &new.body)?;
    note(connection, &row.id, row.created_ms, "system", "created", None)?;
    if let Some(sent) = &new.sent_from {
        note(connection, &row.id, row.created_ms, &sent.by, "sent", sent.reason.clone())?;
    }
    webhook::tell(connection, TaskNews::Created, &row, row.created_ms)
}

/// The row of a new task; whose run and workflow it is, is known where it is written.
fn row_of(new: &NewTask) -> TaskRow {
    let created = &new.created;
    let (node, path, item, visit, attempt) = match &created.origin {
        Some(origin) => (&origin.step_id, &origin.path, origin.item, origin.visit, origin.attempt),
        None => (&new.step_id, &new.path, new.item, new.visit, new.attempt),
    };
    let error = created.error.as_deref();
    // Lists show these and searches look into them, without asking who may see what they quote.
    let mut masks = Masks::new(&created.redact);
    masks.input(&created.input);
    TaskRow {
        id: created.task_id.clone(),
        run_id: String::new(),
        workflow_id: String::new(),
        workflow_name: String::new(),
        step: new.step_id.clone(),
        node: node.clone(),
        node_title: new.node_title.clone(),
        path: path.clone(),
        item,
        visit,
        attempt,
        kind: created.kind,
        reason: created.reason,
        state: TaskState::Open,
        revision: 1,
        title: masks.text(&created.title),
        severity: created.severity,
        priority: created.priority,
        fingerprint: created.fingerprint.clone(),
        same: 0,
        cases: created.cases.unwrap_or(1),
        error_type: error
            .and_then(|error| serde_json::to_value(error.error_type).ok())
            .and_then(|kind| kind.as_str().map(str::to_owned)),
        error_code: error.map(|error| error.code().to_owned()),
        error_message: error.map(|error| masks.text(&error.message)),
        actions: created.allowed_actions.clone(),
        candidate_groups: created.candidate_groups.clone(),
        assignee: created.assignee.clone(),
        claimed_by: None,
        claim_until_ms: None,
        snoozed_until_ms: None,
        created_ms: new.created_ms,
        expires_ms: created.expires_at.as_deref().and_then(time::parse),
        escalates: escalates(created.on_expiry.as_ref()),
        remind_every_ms: created.remind_every_ms.map(|every| i64::try_from(every).unwrap_or(i64::MAX)),
        remind_at: moments(&created.remind_at),
        held_ms: None,
        remaining_ms: None,
        waited_ms: 0,
        reminders: 0,
        escalation_level: 0,
        decided_by: None,
        decided_ms: None,
        action: None,
        request_id: None,
        driven: false,
        min_approvals: created.min_approvals.unwrap_or(1).max(1),
        no_self_approval: created.no_self_approval,
        approvals: 0,
        reopens: created.reopens.clone(),
        reopened_run: None,
    }
}

fn escalates(policy: Option<&OnExpiry>) -> bool {
    policy.is_some_and(|policy| policy.action() == ExpiryAction::Escalate)
}

pub(crate) fn note(
    connection: &Connection,
    task: &str,
    at_ms: i64,
    by: &str,
    what: &str,
    text: Option<String>,
) -> Result<()> {
    task_history::insert(connection, task, &TaskNote { at_ms, by: by.into(), what: what.into(), text })
}

fn apply(connection: &Connection, run: &str, change: &TaskChange) -> Result<()> {
    match change {
        TaskChange::Create(_) => Ok(()),
        TaskChange::Answered { task_id, answer, at_ms } => answered(connection, run, task_id, answer, *at_ms),
        TaskChange::Escalated { change, at_ms } => escalated(connection, run, change, *at_ms),
        TaskChange::Reminded { task_id, reminder, at_ms } => {
            let mut row = of_run(connection, run, task_id)?;
            if row.state == TaskState::Open {
                row.reminders = *reminder;
                row.remind_at.retain(|moment| moment > at_ms);
                task::remind(connection, &row)?;
                note(connection, task_id, *at_ms, "system", "reminded", None)?;
            }
            Ok(())
        }
        TaskChange::Held { change } => {
            let mut row = of_run(connection, run, &change.task_id)?;
            // They may have said the contrary since.
            if row.state == TaskState::Open && row.held_ms.is_some() {
                row.remaining_ms = change.remaining_ms;
                row.expires_ms = None;
                task_copy::changed(connection, &row)?;
            }
            Ok(())
        }
        TaskChange::Continued { change } => {
            let mut row = of_run(connection, run, &change.task_id)?;
            if row.state == TaskState::Open {
                row.expires_ms = change.expires_at.as_deref().and_then(time::parse);
                row.remind_at = moments(&change.remind_at);
                row.waited_ms = change.waited_ms;
                task_copy::changed(connection, &row)?;
            }
            Ok(())
        }
        TaskChange::Reopened { again, at_ms } => reopened(connection, run, again, *at_ms),
        TaskChange::Sent { failed_run } => {
            if let Some(under_way) = asking_about(connection, failed_run)? {
                return Err(Error::RunSent { run: failed_run.clone(), by: under_way });
            }
            run_sent::put(connection, failed_run, run)
        }
        TaskChange::CloseOne { task_id, state, at_ms } => {
            let row = of_run(connection, run, task_id)?;
            if *state == TaskState::Expired {
                not_held(&row)?;
            }
            close(connection, row, *state, *at_ms)
        }
        TaskChange::CloseAll { state, at_ms } => {
            for id in task::open_of(connection, run)? {
                let row = of_run(connection, run, &id)?;
                close(connection, row, *state, *at_ms)?;
            }
            Ok(())
        }
    }
}

/// The first reading of an ended task stands: it only gets a link, and a line in its history.
fn reopened(connection: &Connection, new_run: &str, again: &AskedAgain, at_ms: i64) -> Result<()> {
    let id = &again.task_id;
    // A task that was deleted with its run has no row to link from.
    let Some(row) = task::uncounted(connection, id)? else { return Ok(()) };
    if let Some(under_way) = reopening(connection, &row)? {
        return Err(Error::TaskReopened { task: row.id, run: under_way });
    }
    task::reopened(connection, id, new_run)?;
    note(connection, id, at_ms, &again.by, "reopened", Some(again.reason.clone()))
}

/// The run that asks an ended task again, while it has not ended.
pub(crate) fn reopening(connection: &Connection, row: &TaskRow) -> Result<Option<String>> {
    let Some(run) = &row.reopened_run else { return Ok(None) };
    let under_way = crate::table::run::get(connection, run)?.is_some_and(|run| run.ended_ms.is_none());
    Ok(under_way.then(|| run.clone()))
}

/// The run that asks a person about a failed one, while it has not ended.
pub(crate) fn asking_about(connection: &Connection, failed_run: &str) -> Result<Option<String>> {
    let Some(run) = run_sent::get(connection, failed_run)? else { return Ok(None) };
    let under_way = crate::table::run::get(connection, &run)?.is_some_and(|run| run.ended_ms.is_none());
    Ok(under_way.then_some(run))
}

fn moments(texts: &[String]) -> Vec<i64> {
    texts.iter().filter_map(|text| time::parse(text)).collect()
}

/// A task whose time a person has stopped does not expire: the run has yet to hear of it.
fn not_held(row: &TaskRow) -> Result<()> {
    if row.state == TaskState::Open && row.held_ms.is_some() {
        return Err(Error::TaskDecided { task: row.id.clone() });
    }
    Ok(())
}

fn of_run(connection: &Connection, run: &str, id: &str) -> Result<TaskRow> {
    task::uncounted(connection, id)?
        .filter(|row| row.run_id == run)
        .ok_or_else(|| Error::Invalid { reason: format!("run {run} has no task {id}") })
}

fn answered(connection: &Connection, run: &str, id: &str, answer: &Answer, at_ms: i64) -> Result<()> {
    let mut row = of_run(connection, run, id)?;
    let state = answer.task_state();
    if row.state != TaskState::Open {
        // The answer that the run has consumed is the one that stands here.
        let same = row.state == state && row.action == Some(answer.action) && row.decided_by == answer.operator_id;
        return if same { Ok(()) } else { Err(Error::TaskDecided { task: id.to_owned() }) };
    }
    if state == TaskState::Expired {
        not_held(&row)?;
    }
    row.state = state;
    row.action = Some(answer.action);
    row.decided_by.clone_from(&answer.operator_id);
    row.decided_ms = Some(at_ms);
    row.claimed_by = None;
    row.claim_until_ms = None;
    row.driven = true;
    task_copy::changed(connection, &row)?;
    let by = answer.operator_id.as_deref().unwrap_or("system");
    let mut decision = serde_json::to_value(answer).map_err(|e| Error::Invalid { reason: e.to_string() })?;
    decision["at"] = time::format(at_ms).into();
    decision["durationMs"] = json!(time::took_ms(row.created_ms, at_ms));
    decision["via"] = json!(if answer.operator_id.is_some() { "run" } else { "policy" });
    task_body::insert(connection, run, id, DECISION, &Document::of(&decision)?)?;
    note(connection, id, at_ms, by, "decided", Some(answer.action.as_str().to_owned()))?;
    if state == TaskState::Expired {
        webhook::tell(connection, TaskNews::Overdue, &row, at_ms)?;
    }
    webhook::tell(connection, TaskNews::Answered, &row, at_ms)
}

fn escalated(connection: &Connection, run: &str, change: &Escalated, at_ms: i64) -> Result<()> {
    let mut row = of_run(connection, run, &change.task_id)?;
    if row.state != TaskState::Open {
        return Err(Error::TaskDecided { task: row.id });
    }
    not_held(&row)?;
    row.escalation_level = change.level;
    row.remind_at = moments(&change.remind_at);
    match change.to.as_deref() {
        Some(group) if group.starts_with("group:") => {
            row.assignee = None;
            row.candidate_groups = vec![group.to_owned()];
        }
        Some(person) => row.assignee = Some(person.to_owned()),
        None => {}
    }
    // Whoever sat on it did not answer.
    row.claimed_by = None;
    row.claim_until_ms = None;
    row.snoozed_until_ms = None;
    row.expires_ms = change.expires_at.as_deref().and_then(time::parse);
    row.escalates = escalates(change.on_expiry.as_ref());
    task_copy::changed(connection, &row)?;
    note(connection, &row.id, at_ms, "system", "escalated", change.to.clone())?;
    webhook::tell(connection, TaskNews::Overdue, &row, at_ms)?;
    webhook::tell(connection, TaskNews::Escalated, &row, at_ms)
}

fn close(connection: &Connection, mut row: TaskRow, state: TaskState, at_ms: i64) -> Result<()> {
    if row.state != TaskState::Open {
        return Ok(());
    }
    row.state = state;
    row.decided_ms = Some(at_ms);
    row.claimed_by = None;
    row.claim_until_ms = None;
    task_copy::changed(connection, &row)?;
    note(connection, &row.id, at_ms, "system", "closed", Some(state.as_str().to_owned()))?;
    let news = if state == TaskState::Expired { TaskNews::Overdue } else { TaskNews::Closed };
    webhook::tell(connection, news, &row, at_ms)
}
