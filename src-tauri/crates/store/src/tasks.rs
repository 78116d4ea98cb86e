//! Tasks as people see and answer them. Whatever a person does to a task is one transaction: the task, its history, what the
//! run has to do, and the audit entry.

use crate::answer;
use crate::chain;
use crate::error::{Error, Result};
use crate::sql::Connection;
use crate::store::Store;
use crate::table::task::{self, TaskCounts, TaskPage, TaskQuery, TaskRow};
use crate::table::task_body::{self, CREATED, DECISION};
use crate::table::task_copy;
use crate::table::task_history::{self, TaskNote};
use crate::table::task_page;
use crate::table::task_stats::{self, TaskStats, TaskStatsQuery};
use crate::table::task_token::{self, Token};
use crate::table::task_vote::{self, TaskVote};
use crate::table::{run, run_input};
use crate::task_change::{self, note};
use serde_json::Value;
use signalbox_audit::Record;
use signalbox_model::hash::sha256_hex;
use signalbox_model::task::{Answer, HumanTaskCreated};
use signalbox_model::{DurableInput, TaskState, time};
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
    #[error("{} works on this task until {}", person(who), time::format(*until_ms))]
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

/// How a person is named in a sentence.
fn person(who: &str) -> &str {
    who.strip_prefix("user:").unwrap_or(who)
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
    /// Asked a model for a correction. Kept when the task is not open any more, too: it was paid for.
    Suggest,
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
            Self::Suggest => "suggested",
        }
    }
}

pub(crate) fn refused(row: &TaskRow, now_ms: i64) -> Option<TaskError> {
    match row.state {
        TaskState::Open if row.is_over(now_ms) => Some(TaskError::Expired { at_ms: row.expires_ms }),
        TaskState::Open => None,
        TaskState::Done => Some(TaskError::AlreadyAnswered { who: row.decided_by.clone(), at_ms: row.decided_ms }),
        TaskState::Expired => Some(TaskError::Expired { at_ms: row.decided_ms }),
        state @ (TaskState::Cancelled | TaskState::Superseded) => Some(TaskError::Closed { state }),
    }
}

pub(crate) fn claimed_by_other(row: &TaskRow, person: &str, now_ms: i64) -> Option<TaskError> {
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
        self.view(|connection| task_page::page(connection, query))
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

    /// The run that asks a person about a failed one, while it has not ended, and the task with which it asks.
    pub fn run_sent(&self, failed_run: &str) -> Result<Option<(String, Option<String>)>> {
        self.view(|connection| {
            let Some(run) = task_change::asking_about(connection, failed_run)? else { return Ok(None) };
            let task = task_history::sent(connection, &run)?;
            Ok(Some((run, task)))
        })
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
    /// no commit has consumed and that this version understands; what another version of the program asked stays for that
    /// one. Oldest first.
    pub fn runs_with_pending_input_or_due(&self, now_ms: i64) -> Result<Vec<String>> {
        let found = self.view(|connection| {
            let mut found = task::runs_to_go_on(connection, now_ms)?;
            // What cannot be read now is read at the next look.
            let asked = |run: &str| {
                run_input::pending(connection, run).is_ok_and(|all| all.iter().any(|input| input.body.is_some()))
            };
            found.retain(|run| run.due || asked(&run.run_id));
            Ok(found)
        })?;
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
        self.write(true, move |work| answer::answer(work, &instance, answer, decision))?
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
            let looks = matches!(act, TaskAct::Reveal | TaskAct::Open | TaskAct::Suggest);
            let open = if looks { None } else { refused(&row, at_ms) };
            let claimed = match act {
                TaskAct::Claim | TaskAct::Release | TaskAct::Snooze { .. } | TaskAct::Hold { .. } => {
                    claimed_by_other(&row, &person, at_ms)
                }
                // A take-over is allowed, and seen.
                TaskAct::Reassign { .. } | TaskAct::Comment | TaskAct::Reveal | TaskAct::Open | TaskAct::Suggest => {
                    None
                }
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
                    let input =
                        DurableInput::Hold { task_id: id.clone(), held: *held, operator_id: person.clone(), at_ms };
                    run_input::insert(connection, &row.run_id, &input)?;
                }
                TaskAct::Comment | TaskAct::Reveal | TaskAct::Open | TaskAct::Suggest => {}
            }
            if !looks {
                task_copy::changed(connection, &row)?;
            }
            note(connection, &id, at_ms, &person, act.word(), text)?;
            chain::append(work, vec![record])?;
            task::get(connection, &id)?.map_or_else(|| Ok(Err(TaskError::NotFound { task: id })), |row| Ok(Ok(row)))
        })?
    }

    /// A new one-time secret for a task that is open; `None` when it is not. Only its hash is kept, on the disk before the
    /// secret is handed out.
    pub fn issue_task_secret(&self, task_id: &str, now_ms: i64) -> Result<Option<String>> {
        let id = task_id.to_owned();
        self.write(true, move |work| {
            let connection = work.connection;
            let Some(row) = task::uncounted(connection, &id)?.filter(|row| refused(row, now_ms).is_none()) else {
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

    /// The task with the same fingerprint that was corrected last, with an input of its own.
    pub fn last_correction(&self, fingerprint: &str, not_task: &str) -> Result<Option<String>> {
        self.view(|connection| {
            for id in task::corrected(connection, fingerprint, not_task)? {
                let decision = task_body::get(connection, &id, DECISION)?;
                if decision.is_some_and(|decision| !decision["correctedInput"].is_null()) {
                    return Ok(Some(id));
                }
            }
            Ok(None)
        })
    }
}

fn created(connection: &Connection, id: &str) -> Result<HumanTaskCreated> {
    let damaged = |why: String| Error::Damaged { reason: format!("task {id} cannot be read: {why}") };
    let body = task_body::get(connection, id, CREATED)?.ok_or_else(|| damaged("its body is missing".into()))?;
    serde_json::from_value(body).map_err(|e| damaged(e.to_string()))
}

fn invalid(error: serde_json::Error) -> Error {
    Error::Invalid { reason: error.to_string() }
}
