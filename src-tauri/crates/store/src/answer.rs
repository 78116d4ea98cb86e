//! A person's answer to a task, inside its transaction: who may, what stands, and what follows from it.

use crate::chain;
use crate::document::Document;
use crate::error::Result;
use crate::instance::Instance;
use crate::sql::Connection;
use crate::table::task::{self, TaskRow};
use crate::table::task_body::{self, DECISION};
use crate::table::task_copy;
use crate::table::task_token;
use crate::table::task_vote::{self, TaskVote};
use crate::table::webhook::{self, TaskNews};
use crate::table::{delegation, run, run_input};
use crate::task_change::note;
use crate::tasks::{AnswerTask, Answered, TaskError, claimed_by_other, refused};
use crate::writer::Work;
use serde_json::{Value, json};
use signalbox_audit::Record;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{AuditEvent, DurableInput, TaskAction, TaskState, time};

/// Takes an answer, or says why not; then nothing is written. `decision` is the answer as it is kept.
pub(crate) fn answer(
    work: &mut Work<'_>,
    instance: &Instance,
    mut answer: AnswerTask,
    mut decision: Value,
) -> Result<Result<Answered, TaskError>> {
    let connection = work.connection;
    let id = answer.task_id.clone();
    let id = id.as_str();
    let Some(row) = task::uncounted(connection, id)? else {
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
    if let Some(secret) = &answer.secret
        && let Some(error) = by_secret(connection, &row, secret, answer.at_ms)?
    {
        return Ok(Err(error));
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
    if !task_copy::changed(connection, &next)? {
        return Ok(Err(TaskError::Stale { expected: next.revision, found: next.revision + 1 }));
    }
    let input = DurableInput::Decision {
        task_id: id.to_owned(),
        answer: answer.answer.clone(),
        request_id: answer.request_id.clone(),
    };
    run_input::insert(connection, &next.run_id, &input)?;
    decision["durationMs"] = json!(time::took_ms(next.created_ms, answer.at_ms));
    let document = Document::of(&decision)?;
    task_body::insert(connection, &next.run_id, id, DECISION, &document)?;
    let action = answer.answer.action.as_str().to_owned();
    note(connection, id, answer.at_ms, person, "decided", Some(action))?;
    webhook::tell(connection, TaskNews::Answered, &next, answer.at_ms)?;
    chain::append(work, vec![answer.record])?;
    chain::checkpoint(connection, work.signer.as_deref(), Some(&time::format(answer.at_ms)))?;
    Ok(Ok(told(&next)))
}

/// Why a one-time secret does not answer the task.
fn by_secret(connection: &Connection, row: &TaskRow, secret: &str, at_ms: i64) -> Result<Option<TaskError>> {
    let token = task_token::get(connection, &sha256_hex(secret.as_bytes()))?;
    let Some(token) = token.filter(|token| token.task == row.id) else { return Ok(Some(TaskError::BadToken)) };
    if let Some(error) = refused(row, at_ms) {
        return Ok(Some(error));
    }
    if token.revision != row.revision {
        return Ok(Some(TaskError::Stale { expected: token.revision, found: row.revision }));
    }
    Ok((token.expires_ms <= at_ms).then_some(TaskError::Expired { at_ms: Some(token.expires_ms) }))
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
    if !task_copy::changed(connection, &next)? {
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
