//! Tasks as people see and answer them. Whatever a person does to a task is one transaction: the task, its history, what the
//! run has to do, and the audit entry.

use crate::chain;
use crate::document::Document;
use crate::error::{Error, Result};
use crate::store::Store;
use crate::table::task::{self, TaskCounts, TaskPage, TaskQuery, TaskRow};
use crate::table::task_body::{self, CREATED, DECISION};
use crate::table::task_history::{self, TaskNote};
use crate::table::task_stats::{self, TaskStats, TaskStatsQuery};
use crate::table::task_token::{self, Token};
use crate::table::task_vote::{self, TaskVote};
use crate::table::{delegation, run, run_input};
use crate::task_change::{self, note};
use crate::writer::Work;
use rusqlite::Connection;
use serde_json::{Value, json};
use signalbox_audit::Record;
use signalbox_model::hash::sha256_hex;
use signalbox_model::task::{Answer, HumanTaskCreated};
use signalbox_model::{AuditEvent, TaskAction, TaskState, time};
use std::sync::Arc;

/// How long a claim holds, milliseconds.
const LEASE: i64 = 15 * 60 * 1_000;
/// How long a one-time secret holds, milliseconds.
const SECRET: i64 = 24 * 60 * 60 * 1_000;

/// A task with everything that is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRecord {
    /// The row.
    pub row: TaskRow,
    /// What it asks.
    pub created: HumanTaskCreated,
    /// What was decided: the answer's fields and `at`, `durationMs`, `via`, `patch?`, `requestId?`, `onBehalfOf?`.
    pub decision: Option<Value>,
    /// Who has approved, where several people must.
    pub votes: Vec<TaskVote>,
    /// Who started the run, when it is known.
    pub starter: Option<String>,
    /// What happened to it, oldest first.
    pub history: Vec<TaskNote>,
    /// The task that asks this one again, with its run; no task before that run has asked.
    pub reopened_as: Option<(String, Option<String>)>,
    /// The run of the task that this one asks again.
    pub reopens_run: Option<String>,
}

/// A person's answer.
#[derive(Debug, Clone)]
pub struct AnswerTask {
    /// The task.
    pub task_id: String,
    /// The revision that the person saw; any when absent.
    pub expected_revision: Option<i64>,
    /// The answer, with `operatorId`.
    pub answer: Answer,
    /// Through which door: `app`, `cli`, `rest`.
    pub via: String,
    /// Repeating the same request gives the first answer again.
    pub request_id: Option<String>,
    /// The one-time secret, when it is answered with one.
    pub secret: Option<String>,
    /// From the input that failed to the corrected one (RFC 6902).
    pub patch: Option<Value>,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// `HITL_COMPLETED`.
    pub record: Record,
}

/// An answer that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The task.
    pub task_id: String,
    /// Its run.
    pub run_id: String,
    /// Where the task stands now.
    pub state: TaskState,
    /// A living process drove the run when it was answered.
    pub driven: bool,
    /// The same request was answered before; this is what it was told.
    pub repeated: bool,
    /// How many have approved, where several people must.
    pub approvals: u32,
    /// How many must.
    pub min_approvals: u32,
}

/// Why a task was not answered or changed. Nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// There is no such task.
    #[error("There is no task {task}")]
    NotFound {
        /// The task.
        task: String,
    },
    /// Somebody was first.
    #[error("This task was answered already{}", by(.who, .at_ms))]
    AlreadyAnswered {
        /// Who.
        who: Option<String>,
        /// When, milliseconds since 1970.
        at_ms: Option<i64>,
    },
    /// Its time has ended.
    #[error("The time of this task has ended")]
    Expired {
        /// When, milliseconds since 1970.
        at_ms: Option<i64>,
    },
    /// Its run ended or asks again.
    #[error("This task is {}: its run does not wait for it any more", state.as_str())]
    Closed {
        /// `cancelled` or `superseded`.
        state: TaskState,
    },
    /// It changed since the person saw it.
    #[error("This task has changed since revision {expected}: it is at revision {found}")]
    Stale {
        /// What the caller saw.
        expected: i64,
        /// What there is.
        found: i64,
    },
    /// Somebody else works on it.
    #[error("{who} works on this task until {}", time::format(*until_ms))]
    Claimed {
        /// Who.
        who: String,
        /// Until when, milliseconds since 1970.
        until_ms: i64,
    },
    /// Their approval is counted already; another person's is missing.
    #[error("You have approved this task already{}: another person must", by(&None, &Some(*.at_ms)))]
    AlreadyVoted {
        /// When, milliseconds since 1970.
        at_ms: i64,
    },
    /// Who started the run may not approve.
    #[error("You started this run, so you may not approve it")]
    SelfApproval,
    /// The secret is not one of this task.
    #[error("The token does not belong to this task")]
    BadToken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

fn by(who: &Option<String>, at_ms: &Option<i64>) -> String {
    let who = who.as_ref().map(|who| format!(" by {who}")).unwrap_or_default();
    at_ms.map_or(who.clone(), |at| format!("{who} at {}", time::format(at)))
}

/// What a person does to a task beside answering it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskAct {
    /// Works on it for the next 15 minutes; again prolongs that.
    Claim,
    /// Works on it no more.
    Release,
    /// Gives it to somebody (`user:…` or `group:…`), away from whoever works on it.
    Reassign {
        /// To whom.
        to: String,
    },
    /// Says something.
    Comment,
    /// Hides it until then, milliseconds since 1970.
    Snooze {
        /// Until when.
        until_ms: i64,
    },
    /// It waits for somebody else (its time stands still), or does no more. The run hears of it.
    Hold {
        /// It waits.
        held: bool,
    },
    /// Looked at masked values. Allowed on a task that is not open, too.
    Reveal,
    /// Took a file. Allowed on a task that is not open, too.
    Open,
}

impl TaskAct {
    fn word(&self) -> &'static str {
        match self {
            Self::Claim => "claimed",
            Self::Release => "released",
            Self::Reassign { .. } => "reassigned",
            Self::Comment => "commented",
            Self::Snooze { .. } => "snoozed",
            Self::Hold { held: true } => "held",
            Self::Hold { held: false } => "continued",
            Self::Reveal => "revealed",
            Self::Open => "opened",
        }
    }
}

fn refused(row: &TaskRow, now_ms: i64) -> Option<TaskError> {
    match row.state {
        TaskState::Open if row.is_over(now_ms) => Some(TaskError::Expired { at_ms: row.expires_ms }),
        TaskState::Open => None,
        TaskState::Done => Some(TaskError::AlreadyAnswered { who: row.decided_by.clone(), at_ms: row.decided_ms }),
        TaskState::Expired => Some(TaskError::Expired { at_ms: row.decided_ms }),
        state @ (TaskState::Cancelled | TaskState::Superseded) => Some(TaskError::Closed { state }),
    }
}

fn claimed_by_other(row: &TaskRow, person: &str, now_ms: i64) -> Option<TaskError> {
    let who = row.claimant(now_ms).filter(|who| *who != person)?;
    Some(TaskError::Claimed { who: who.to_owned(), until_ms: row.claim_until_ms.unwrap_or(now_ms) })
}

/// The inbox.
impl Store {
    /// One task.
    pub fn task(&self, task_id: &str) -> Result<Option<TaskRow>> {
        self.view(|connection| task::get(connection, task_id))
    }

    /// One task with everything that is known about it.
    pub fn task_record(&self, task_id: &str) -> Result<Option<TaskRecord>> {
        self.view(|connection| {
            let Some(row) = task::get(connection, task_id)? else { return Ok(None) };
            let reopened_as = match &row.reopened_run {
                Some(run) => Some((run.clone(), task::reopening(connection, task_id, run)?)),
                None => None,
            };
            let reopens = row.reopens.as_deref().map(|id| task::get(connection, id)).transpose()?.flatten();
            Ok(Some(TaskRecord {
                reopened_as,
                reopens_run: reopens.map(|row| row.run_id),
                created: created(connection, task_id)?,
                decision: task_body::get(connection, task_id, DECISION)?,
                history: task_history::list(connection, task_id)?,
                votes: task_vote::list(connection, task_id)?,
                starter: run::get(connection, &row.run_id)?.and_then(|run| run.person),
                row,
            }))
        })
    }

    /// A page of tasks.
    pub fn tasks(&self, query: &TaskQuery) -> Result<TaskPage> {
        self.view(|connection| task::page(connection, query))
    }

    /// The number of the last thing that happened to any task; 0 before the first.
    pub fn last_task_change(&self) -> Result<i64> {
        self.view(task_history::last)
    }

    /// How many tasks a query finds, on all its pages.
    pub fn task_total(&self, query: &TaskQuery) -> Result<u64> {
        self.view(|connection| task::total(connection, query))
    }

    /// How many tasks stand where, for the person and the time of `query`.
    pub fn task_counts(&self, query: &TaskQuery) -> Result<TaskCounts> {
        self.view(|connection| task::counts(connection, query))
    }

    /// The run that asks an ended task again, while it has not ended.
    pub fn task_reopening(&self, row: &TaskRow) -> Result<Option<String>> {
        let row = row.clone();
        self.view(|connection| task_change::reopening(connection, &row))
    }

    /// What the tasks of a time say together.
    pub fn task_stats(&self, query: &TaskStatsQuery) -> Result<TaskStats> {
        self.view(|connection| task_stats::of(connection, query))
    }

    /// Ids of the open tasks of a run, oldest first.
    pub fn open_tasks_of(&self, run_id: &str) -> Result<Vec<String>> {
        self.view(|connection| task::open_of(connection, run_id))
    }

    /// When the next open task's time ends or its next reminder is due, milliseconds since 1970.
    pub fn next_due_task(&self) -> Result<Option<i64>> {
        self.view(task::next_due)
    }

    /// Runs that have not ended, that nobody drives, and that have something to do: a task that is due, or an input that
    /// no commit has consumed and that the caller understands; what another version of the program asked stays for that
    /// one. Oldest first.
    pub fn runs_with_pending_input_or_due(
        &self,
        now_ms: i64,
        understood: impl Fn(&Value) -> bool,
    ) -> Result<Vec<String>> {
        let mut found = self.view(|connection| task::runs_to_go_on(connection, now_ms))?;
        // What cannot be read now is read at the next look.
        let asked = |run_id: &str| self.pending_inputs(run_id).is_ok_and(|all| all.iter().any(|i| understood(&i.body)));
        found.retain(|run| run.due || asked(&run.run_id));
        Ok(self.undriven(found.into_iter().map(|run| (run.run_id, run.owner)).collect()))
    }

    /// Answers a task: the task, the input for its run, the history and the audit entry are one transaction, on the disk
    /// before this returns. The first answer stands.
    pub fn answer_task(&self, answer: AnswerTask) -> Result<Answered, TaskError> {
        let mut decision = serde_json::to_value(&answer.answer).map_err(invalid)?;
        decision["at"] = time::format(answer.at_ms).into();
        decision["via"] = answer.via.as_str().into();
        if let Some(patch) = &answer.patch {
            decision["patch"] = patch.clone();
        }
        if let Some(request) = &answer.request_id {
            decision["requestId"] = request.as_str().into();
        }
        let instance = Arc::clone(&self.inner.instance);
        let mut answer = answer;
        self.write(true, move |work| {
            let connection = work.connection;
            let id = answer.task_id.clone();
            let id = id.as_str();
            let Some(row) = task::get(connection, id)? else {
                return Ok(Err(TaskError::NotFound { task: id.to_owned() }));
            };
            let person = answer.answer.operator_id.clone().unwrap_or_else(|| "system".into());
            let person = person.as_str();
            let repeated = row.state == TaskState::Done
                && answer.request_id.is_some()
                && row.request_id == answer.request_id
                && row.decided_by == answer.answer.operator_id;
            if repeated {
                return Ok(Ok(Answered { repeated: true, ..told(&row) }));
            }
            let approves = answer.answer.action == TaskAction::Approve;
            let before = task_vote::of_person(connection, id, person)?.filter(|_| approves);
            if before.as_ref().is_some_and(|vote| vote.request_id.is_some() && vote.request_id == answer.request_id) {
                return Ok(Ok(Answered { repeated: true, ..told(&row) }));
            }
            if let Some(secret) = &answer.secret {
                match task_token::get(connection, &sha256_hex(secret.as_bytes()))? {
                    Some(token) if token.task == id => {
                        if let Some(error) = refused(&row, answer.at_ms) {
                            return Ok(Err(error));
                        }
                        if token.revision != row.revision {
                            return Ok(Err(TaskError::Stale { expected: token.revision, found: row.revision }));
                        }
                        if token.expires_ms <= answer.at_ms {
                            return Ok(Err(TaskError::Expired { at_ms: Some(token.expires_ms) }));
                        }
                    }
                    _ => return Ok(Err(TaskError::BadToken)),
                }
            }
            let stale = answer.expected_revision.filter(|expected| *expected != row.revision);
            let error = refused(&row, answer.at_ms)
                .or_else(|| claimed_by_other(&row, person, answer.at_ms))
                .or_else(|| stale.map(|expected| TaskError::Stale { expected, found: row.revision }));
            if let Some(error) = error {
                return Ok(Err(error));
            }
            let run = run::require(connection, &row.run_id)?;
            let behalf = match &row.assignee {
                Some(other) if other != person => {
                    let holds = delegation::holds(connection, other, person, &row.workflow_id, answer.at_ms)?;
                    holds.then(|| other.clone())
                }
                _ => None,
            };
            if let Some(other) = &behalf {
                decision["onBehalfOf"] = other.as_str().into();
                answer.record.metadata.get_or_insert_default().insert("onBehalfOf".into(), other.as_str().into());
            }
            if approves && row.no_self_approval && run.person.as_deref() == Some(person) {
                return Ok(Err(TaskError::SelfApproval));
            }
            if approves && row.min_approvals > 1 {
                if let Some(vote) = before {
                    return Ok(Err(TaskError::AlreadyVoted { at_ms: vote.at_ms }));
                }
                if let Some(counted) = vote(work, &row, person, behalf, &mut answer)? {
                    return Ok(counted);
                }
            }
            let owner = run.owner;
            let driven = owner.is_some_and(|owner| instance.is_alive(&owner.instance));
            let next = TaskRow {
                state: TaskState::Done,
                decided_by: answer.answer.operator_id.clone(),
                decided_ms: Some(answer.at_ms),
                action: Some(answer.answer.action),
                request_id: answer.request_id.clone(),
                claimed_by: None,
                claim_until_ms: None,
                driven,
                approvals: row.approvals + u32::from(approves && row.min_approvals > 1),
                ..row
            };
            if !task::update(connection, &next)? {
                return Ok(Err(TaskError::Stale { expected: next.revision, found: next.revision + 1 }));
            }
            let mut body = json!({ "type": "decision", "taskId": id, "answer": answer.answer });
            if let Some(request) = &answer.request_id {
                body["requestId"] = request.as_str().into();
            }
            run_input::insert(connection, &next.run_id, &body)?;
            decision["durationMs"] = json!(answer.at_ms.saturating_sub(next.created_ms));
            let document = Document::of(&decision)?;
            task_body::insert(connection, &next.run_id, id, DECISION, &document)?;
            let action = answer.answer.action.as_str().to_owned();
            note(connection, id, answer.at_ms, person, "decided", Some(action))?;
            chain::append(work, vec![answer.record])?;
            chain::checkpoint(connection, work.signer.as_deref(), Some(&time::format(answer.at_ms)))?;
            Ok(Ok(told(&next)))
        })?
    }

    /// Does something else to a task: the task, its history (`text` goes there) and the audit entry are one transaction.
    pub fn act_on_task(
        &self,
        task_id: &str,
        act: TaskAct,
        person: &str,
        text: Option<String>,
        at_ms: i64,
        record: Record,
    ) -> Result<TaskRow, TaskError> {
        let (id, person) = (task_id.to_owned(), person.to_owned());
        self.write(true, move |work| {
            let connection = work.connection;
            let Some(mut row) = task::get(connection, &id)? else {
                return Ok(Err(TaskError::NotFound { task: id }));
            };
            let looks = matches!(act, TaskAct::Reveal | TaskAct::Open);
            let open = if looks { None } else { refused(&row, at_ms) };
            let claimed = match act {
                TaskAct::Claim | TaskAct::Release | TaskAct::Snooze { .. } | TaskAct::Hold { .. } => {
                    claimed_by_other(&row, &person, at_ms)
                }
                // A take-over is allowed, and seen.
                TaskAct::Reassign { .. } | TaskAct::Comment | TaskAct::Reveal | TaskAct::Open => None,
            };
            if let Some(error) = open.or(claimed) {
                return Ok(Err(error));
            }
            let mut text = text;
            match &act {
                TaskAct::Claim => {
                    let prolongs = row.claimant(at_ms) == Some(person.as_str());
                    row.claimed_by = Some(person.clone());
                    row.claim_until_ms = Some(at_ms.saturating_add(LEASE));
                    if prolongs {
                        // A heartbeat is no news: no history, no audit entry, and no secret ends.
                        task::prolong(connection, &row)?;
                        return Ok(Ok(row));
                    }
                }
                TaskAct::Release => {
                    row.claimed_by = None;
                    row.claim_until_ms = None;
                }
                TaskAct::Reassign { to } => {
                    row.claimed_by = None;
                    row.claim_until_ms = None;
                    if to.starts_with("group:") {
                        row.assignee = None;
                        row.candidate_groups = vec![to.clone()];
                    } else {
                        row.assignee = Some(to.clone());
                    }
                    text = Some(text.map_or_else(|| to.clone(), |text| format!("{to}: {text}")));
                }
                TaskAct::Snooze { until_ms } => {
                    row.snoozed_until_ms = Some(*until_ms).filter(|until| *until > at_ms);
                    text = text.or_else(|| Some(time::format(*until_ms)));
                }
                TaskAct::Hold { held } => {
                    if *held == row.held_ms.is_some() {
                        return Ok(Ok(row));
                    }
                    if row.is_late(at_ms) {
                        // It is about to be handed on; what is over does not stand still.
                        return Ok(Err(TaskError::Expired { at_ms: row.expires_ms }));
                    }
                    row.held_ms = held.then_some(at_ms);
                    row.remaining_ms = None;
                    // The run knows the calendar, and says how long there is still.
                    row.expires_ms = row.expires_ms.filter(|_| *held);
                    let body = json!({
                        "type": "hold", "taskId": id, "held": held, "operatorId": person, "atMs": at_ms
                    });
                    run_input::insert(connection, &row.run_id, &body)?;
                }
                TaskAct::Comment | TaskAct::Reveal | TaskAct::Open => {}
            }
            if !looks {
                task::update(connection, &row)?;
            }
            note(connection, &id, at_ms, &person, act.word(), text)?;
            chain::append(work, vec![record])?;
            task::get(connection, &id)?.map_or_else(|| Ok(Err(TaskError::NotFound { task: id })), |row| Ok(Ok(row)))
        })?
    }

    /// A new one-time secret for a task that is open; `None` when it is not. Only its hash is kept.
    pub fn issue_task_secret(&self, task_id: &str, now_ms: i64) -> Result<Option<String>> {
        let id = task_id.to_owned();
        self.write(false, move |work| {
            let connection = work.connection;
            let Some(row) = task::get(connection, &id)?.filter(|row| refused(row, now_ms).is_none()) else {
                return Ok(None);
            };
            let secret: String = connection.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))?;
            let expires_ms = row.expires_ms.unwrap_or(i64::MAX).min(now_ms.saturating_add(SECRET));
            let token = Token { task: id, revision: row.revision, expires_ms };
            task_token::insert(connection, &sha256_hex(secret.as_bytes()), &token)?;
            Ok(Some(secret))
        })
    }

    /// The task that a secret answers or answered.
    pub fn task_of_secret(&self, secret: &str) -> Result<Option<String>> {
        let hash = sha256_hex(secret.as_bytes());
        self.view(|connection| Ok(task_token::get(connection, &hash)?.map(|token| token.task)))
    }

    /// The last correction that was decided for the same fingerprint, with the task it was given to; the newest first.
    pub fn last_correction(&self, fingerprint: &str, not_task: &str) -> Result<Option<(String, Value)>> {
        self.view(|connection| {
            for id in task::corrected(connection, fingerprint, not_task)? {
                let decision = task_body::get(connection, &id, DECISION)?;
                if let Some(input) = decision.and_then(|mut decision| {
                    decision.get_mut("correctedInput").map(Value::take).filter(|input| !input.is_null())
                }) {
                    return Ok(Some((id, input)));
                }
            }
            Ok(None)
        })
    }
}

/// One approval of several: the vote, its history and its audit entry. `None` when it is the last that was missing; the
/// caller then decides the task.
fn vote(
    work: &mut Work<'_>,
    row: &TaskRow,
    person: &str,
    behalf: Option<String>,
    answer: &mut AnswerTask,
) -> Result<Option<Result<Answered, TaskError>>> {
    let connection = work.connection;
    let one = TaskVote {
        person: person.to_owned(),
        at_ms: answer.at_ms,
        via: answer.via.clone(),
        notes: answer.answer.notes.clone(),
        on_behalf_of: behalf,
        request_id: answer.request_id.clone(),
    };
    task_vote::insert(connection, &row.id, &one)?;
    let votes = task_vote::list(connection, &row.id)?;
    let approvals = u32::try_from(votes.len()).unwrap_or(u32::MAX);
    let people: Vec<&str> = votes.iter().map(|vote| vote.person.as_str()).collect();
    let facts = answer.record.metadata.get_or_insert_default();
    facts.insert("approvals".into(), approvals.into());
    facts.insert("minApprovals".into(), row.min_approvals.into());
    facts.insert("approvedBy".into(), json!(people));
    if approvals >= row.min_approvals {
        return Ok(None);
    }
    // The task waits for the next person; whoever worked on it is done.
    let next = TaskRow { approvals, claimed_by: None, claim_until_ms: None, ..row.clone() };
    if !task::update(connection, &next)? {
        return Ok(Some(Err(TaskError::Stale { expected: next.revision, found: next.revision + 1 })));
    }
    let count = format!("{approvals}/{}", row.min_approvals);
    let text = one.notes.map_or(count.clone(), |notes| format!("{count}: {notes}"));
    note(connection, &row.id, answer.at_ms, person, "approved", Some(text))?;
    let record = Record { event: AuditEvent::HitlVoted.as_str().into(), ..answer.record.clone() };
    chain::append(work, vec![record])?;
    chain::checkpoint(connection, work.signer.as_deref(), Some(&time::format(answer.at_ms)))?;
    Ok(Some(Ok(told(&next))))
}

fn created(connection: &Connection, id: &str) -> Result<HumanTaskCreated> {
    let damaged = |why: String| Error::Damaged { reason: format!("task {id} cannot be read: {why}") };
    let body = task_body::get(connection, id, CREATED)?.ok_or_else(|| damaged("its body is missing".into()))?;
    serde_json::from_value(body).map_err(|e| damaged(e.to_string()))
}

fn told(row: &TaskRow) -> Answered {
    Answered {
        task_id: row.id.clone(),
        run_id: row.run_id.clone(),
        state: row.state,
        driven: row.driven,
        repeated: false,
        approvals: row.approvals,
        min_approvals: row.min_approvals,
    }
}

fn invalid(error: serde_json::Error) -> Error {
    Error::Invalid { reason: error.to_string() }
}
