//! The inbox: list, look, answer, and everything else that people do to tasks.

use super::inbox;
use crate::Caller;
use crate::app::App;
use crate::dto::{
    CallerRole, Empty, FingerprintCount, SavedViewCount, Task, TaskAttachmentGet, TaskBatch, TaskBatchResult,
    TaskCheck, TaskCheckRequest, TaskComment, TaskComplete, TaskCompleteMany, TaskCompleted, TaskCounts,
    TaskCountsRequest, TaskFile, TaskFilter, TaskGet, TaskHold, TaskList, TaskPage, TaskReassign, TaskRef, TaskReveal,
    TaskRevealed, TaskRow, TaskSnooze, TaskSuggestion, Who, WhoWorkspaces, WorkflowCount, WorkspaceRole,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::runs::masked_views::no_reason;
use crate::tasks::answer::{self, act_record, from_task_error};
use serde_json::{Value, json};
use signalbox_engine::patch;
use signalbox_model::{AuditEvent, time};
use signalbox_runtime::task_answer::GivenAnswer;
use signalbox_store::{TaskAct, TaskQuery, TaskScope, TaskSort, TaskView};

/// Tasks of one batch.
const BATCH: usize = 1_000;
/// Longest text that a person writes about a task.
const TEXT: usize = 10_000;
const DAY: i64 = 24 * 60 * 60 * 1_000;

pub(crate) fn who(_: &App, caller: &Caller, _: Empty) -> ApiResult<Who> {
    let workspaces = caller.workspaces.as_ref().map(|roles| {
        let one = |(name, role): (&String, &CallerRole)| WorkspaceRole { name: name.clone(), role: *role };
        WhoWorkspaces { limited: caller.is_limited(), roles: roles.roles.iter().map(one).collect() }
    });
    Ok(Who { operator_id: caller.principal.clone(), role: caller.role, via: caller.via, workspaces })
}

fn query(app: &App, caller: &Caller, day_end: Option<&str>) -> ApiResult<TaskQuery> {
    let now_ms = app.now_ms();
    let day_end_ms = match day_end {
        None => now_ms.saturating_add(DAY),
        Some(text) => moment(text)?,
    };
    let (person, workspaces) = (caller.principal.clone(), caller.listed_workspaces());
    Ok(TaskQuery { person, workspaces, now_ms, day_end_ms, ..TaskQuery::default() })
}

pub(super) fn moment(text: &str) -> ApiResult<i64> {
    time::parse(text).ok_or_else(|| {
        ApiError::bad_request(format!("'{text}' is no time."), "Write RFC 3339, for example 2026-11-22T10:00:00Z.")
    })
}

pub(crate) fn task_list(app: &App, caller: &Caller, request: TaskList) -> ApiResult<TaskPage> {
    let filter = TaskFilter {
        state: request.state,
        view: request.view,
        workflow: request.workflow,
        fingerprint: request.fingerprint,
        text: request.text,
        sort: request.sort,
    };
    let found = app.store.tasks(&TaskQuery {
        run: request.run_id,
        limit: super::page_size(request.limit, 50, 500)?,
        after: request.after,
        ..filtered(filter, query(app, caller, request.day_end.as_deref())?)
    })?;
    let now = app.now_ms();
    let tasks = found.tasks.into_iter().map(|row| answer::row(row, now)).collect();
    Ok(TaskPage { tasks, next: found.next, total: found.total })
}

pub(crate) fn filtered(filter: TaskFilter, query: TaskQuery) -> TaskQuery {
    use crate::dto::{TaskScope as Scope, TaskSort as Sort, TaskView as View};
    TaskQuery {
        scope: match filter.state.unwrap_or_default() {
            Scope::Open => TaskScope::Open,
            Scope::Done => TaskScope::Done,
            Scope::All => TaskScope::All,
        },
        view: match filter.view {
            None => TaskView::Any,
            Some(View::All) => TaskView::Awake,
            Some(View::Mine) => TaskView::Mine,
            Some(View::Unassigned) => TaskView::Unassigned,
            Some(View::DueToday) => TaskView::DueToday,
            Some(View::Overdue) => TaskView::Overdue,
            Some(View::Snoozed) => TaskView::Snoozed,
        },
        sort: match filter.sort.unwrap_or_default() {
            Sort::Urgent => TaskSort::Urgent,
            Sort::Due => TaskSort::Due,
        },
        workflow: filter.workflow,
        fingerprint: filter.fingerprint,
        text: filter.text,
        ..query
    }
}

pub(crate) fn task_counts(app: &App, caller: &Caller, request: TaskCountsRequest) -> ApiResult<TaskCounts> {
    let query = query(app, caller, request.day_end.as_deref())?;
    let found = app.store.task_counts(&query)?;
    let own = if caller.is_limited_token() { Vec::new() } else { inbox::saved(app, caller)? };
    let saved = own
        .into_iter()
        .map(|view| {
            let count = app.store.task_total(&filtered(view.filter.clone(), query.clone()))?;
            Ok(SavedViewCount { name: view.name, filter: view.filter, count })
        })
        .collect::<ApiResult<_>>()?;
    Ok(TaskCounts {
        open: found.open,
        mine: found.mine,
        unassigned: found.unassigned,
        due_today: found.due_today,
        overdue: found.overdue,
        snoozed: found.snoozed,
        done: found.done,
        by_workflow: found.by_workflow.into_iter().map(|(id, name, count)| WorkflowCount { id, name, count }).collect(),
        by_fingerprint: found
            .by_fingerprint
            .into_iter()
            .map(|(fingerprint, title, count)| FingerprintCount { fingerprint, title: answer::plain(&title), count })
            .collect(),
        saved,
    })
}

pub(crate) fn task_get(app: &App, caller: &Caller, request: TaskGet) -> ApiResult<Task> {
    if request.secret {
        caller.require(CallerRole::Operator)?;
    }
    let mut task = answer::task(app, caller, &request.task_id)?;
    task.elsewhere = app.copies_of_task(&request.task_id)?;
    if request.secret {
        task.secret = app.store.issue_task_secret(&request.task_id, app.now_ms())?;
    }
    Ok(task)
}

pub(crate) fn task_check(app: &App, _: &Caller, request: TaskCheckRequest) -> ApiResult<TaskCheck> {
    let record = answer::record(app, &request.task_id)?;
    let corrected = answer::lift(app, &record, request.corrected_input)?;
    let violations = answer::violations(&record, &corrected);
    let mut masks = answer::masks(app, &record)?;
    let patch = patch::diff(&record.created.input, &corrected);
    let patch = masks.patch(&serde_json::to_value(patch).unwrap_or_default());
    Ok(TaskCheck {
        valid: violations.is_empty(),
        violations: answer::masked(&mut masks, violations),
        patch: serde_json::from_value(patch).unwrap_or_default(),
    })
}

pub(crate) fn task_complete(app: &App, caller: &Caller, request: TaskComplete) -> ApiResult<TaskCompleted> {
    if let Some(claimed) = request.operator_id.as_ref().filter(|claimed| **claimed != caller.principal) {
        return Err(ApiError::forbidden(
            format!("You are {}, not {claimed}.", caller.principal),
            "Leave operatorId out, or use the token of that person.",
        ));
    }
    let given = GivenAnswer {
        action: request.action,
        corrected_input: request.corrected_input,
        target_node_id: request.target_node_id,
        budget_micros: request.budget_micros,
        tool_grant: request.tool_grant,
        notes: text(request.notes, "notes")?,
        revision: request.revision,
        request_id: text(request.request_id, "requestId")?,
        secret: None,
        batch: None,
    };
    answer::answer(app, caller, &request.task_id, given)
}

pub(crate) fn task_complete_many(app: &App, caller: &Caller, request: TaskCompleteMany) -> ApiResult<TaskBatch> {
    if request.task_ids.is_empty() || request.task_ids.len() > BATCH {
        let message = format!("A batch has 1 to {BATCH} tasks, not {}.", request.task_ids.len());
        return Err(ApiError::bad_request(message, "Send them in several requests."));
    }
    if request.corrected_input.is_some() && request.patch.is_some() {
        return Err(ApiError::bad_request("A batch has either correctedInput or patch.", "Send one of the two."));
    }
    let notes = text(request.notes, "notes")?;
    let batch_id = text(request.request_id, "requestId")?.unwrap_or_else(|| uuid::Uuid::now_v7().to_string());
    let one = |task_id: &str| -> ApiResult<()> {
        let corrected_input = match &request.patch {
            None => request.corrected_input.clone(),
            Some(patch) => {
                let record = answer::record(app, task_id)?;
                let patch = answer::lift_patch(app, &record, serde_json::to_value(patch).unwrap_or_default())?;
                let patch: Vec<patch::Operation> = serde_json::from_value(patch).unwrap_or_default();
                answer::may_apply(&record, &patch)?;
                let fixed = patch::apply(&record.created.input, &patch).map_err(|why| {
                    let message = format!("The change does not fit this task's input: {why}.");
                    ApiError::new(Class::Invalid, "INPUT_INVALID", message, "Answer this task on its own.")
                })?;
                Some(fixed)
            }
        };
        let given = GivenAnswer {
            corrected_input,
            notes: notes.clone(),
            request_id: Some(format!("{batch_id}/{task_id}")),
            batch: Some(batch_id.clone()),
            ..GivenAnswer::new(request.action)
        };
        answer::answer(app, caller, task_id, given).map(drop)
    };
    let results = request
        .task_ids
        .iter()
        .map(|task_id| {
            let error = one(task_id).err();
            TaskBatchResult { task_id: task_id.clone(), ok: error.is_none(), error }
        })
        .collect();
    Ok(TaskBatch { batch_id, results })
}

pub(crate) fn text(text: Option<String>, field: &str) -> ApiResult<Option<String>> {
    match text {
        Some(text) if text.chars().count() > TEXT => Err(ApiError::bad_request(
            format!("{field} is longer than {TEXT} characters."),
            "Shorten it, or put the text into a file and name it.",
        )),
        other => Ok(other.filter(|text| !text.trim().is_empty())),
    }
}

fn act(
    app: &App,
    caller: &Caller,
    task_id: &str,
    act: TaskAct,
    event: AuditEvent,
    note: Option<String>,
    facts: Value,
) -> ApiResult<TaskRow> {
    let row = app.store.task(task_id)?.ok_or_else(|| answer::unknown(task_id))?;
    let now = app.now_ms();
    let record = act_record(caller, &row, event, now, facts);
    let done = app.store.act_on_task(task_id, act, &caller.principal, note, now, record);
    done.map(|row| answer::row(row, now)).map_err(from_task_error)
}

pub(crate) fn task_claim(app: &App, caller: &Caller, request: TaskRef) -> ApiResult<TaskRow> {
    act(app, caller, &request.task_id, TaskAct::Claim, AuditEvent::TaskClaimed, None, json!({}))
}

pub(crate) fn task_release(app: &App, caller: &Caller, request: TaskRef) -> ApiResult<TaskRow> {
    act(app, caller, &request.task_id, TaskAct::Release, AuditEvent::TaskReleased, None, json!({}))
}

pub(crate) fn task_reassign(app: &App, caller: &Caller, request: TaskReassign) -> ApiResult<TaskRow> {
    if !is_name(&request.to, "user:") && !is_name(&request.to, "group:") {
        return Err(ApiError::bad_request(
            format!("'{}' is not a person.", request.to),
            "Write user:NAME or group:NAME, without spaces.",
        ));
    }
    let notes = text(request.notes, "notes")?;
    let facts = json!({ "to": request.to, "notes": notes });
    act(app, caller, &request.task_id, TaskAct::Reassign { to: request.to }, AuditEvent::TaskReassigned, notes, facts)
}

/// A name of a person or a group with its prefix.
pub(super) fn is_name(text: &str, prefix: &str) -> bool {
    let name = text.strip_prefix(prefix).unwrap_or_default();
    !name.is_empty() && name.len() <= 200 && !name.chars().any(|c| c.is_whitespace() || c.is_control())
}

pub(crate) fn task_comment(app: &App, caller: &Caller, request: TaskComment) -> ApiResult<TaskRow> {
    let Some(said) = text(Some(request.text), "text")? else {
        return Err(ApiError::bad_request("The comment is empty.", "Write something."));
    };
    // The text may name people: the chain keeps that it was said, the task keeps what.
    let facts = json!({ "textHash": signalbox_model::hash::sha256_hex(said.as_bytes()) });
    act(app, caller, &request.task_id, TaskAct::Comment, AuditEvent::TaskCommented, Some(said), facts)
}

pub(crate) fn task_snooze(app: &App, caller: &Caller, request: TaskSnooze) -> ApiResult<TaskRow> {
    let until_ms = moment(&request.until)?;
    let now_ms = app.now_ms();
    // A time that has passed shows a hidden task again; another one it would hide never.
    if until_ms <= now_ms
        && answer::record(app, &request.task_id)?.row.snoozed_until_ms.is_none_or(|hidden| hidden <= now_ms)
    {
        let message = format!("{} has passed, and the task is not hidden.", time::format(until_ms));
        return Err(ApiError::bad_request(
            message,
            "Give a time to come; one that has passed shows a hidden task again.",
        ));
    }
    let facts = json!({ "until": time::format(until_ms) });
    act(app, caller, &request.task_id, TaskAct::Snooze { until_ms }, AuditEvent::TaskSnoozed, None, facts)
}

/// The time of the task stands still at once; the run hears of it before anything of its own can happen to the task.
pub(crate) fn task_hold(app: &App, caller: &Caller, request: TaskHold) -> ApiResult<TaskRow> {
    let notes = text(request.notes, "notes")?;
    let event = if request.held { AuditEvent::TaskHeld } else { AuditEvent::TaskContinued };
    let facts = json!({ "notes": notes });
    let row = act(app, caller, &request.task_id, TaskAct::Hold { held: request.held }, event, notes, facts)?;
    app.go_on(&row.run_id);
    Ok(row)
}

/// A file is handed out whole, without masks: like a reveal, it is recorded.
pub(crate) fn task_attachment(app: &App, caller: &Caller, request: TaskAttachmentGet) -> ApiResult<TaskFile> {
    let record = answer::record(app, &request.task_id)?;
    let file = crate::tasks::attachments::get(app, &record.row.run_id, &record.created, &request.id)?;
    let facts = json!({ "name": file.name, "place": request.id, "size": file.bytes_base64.len() / 4 * 3 });
    let name = Some(file.name.clone());
    act(app, caller, &request.task_id, TaskAct::Open, AuditEvent::AttachmentOpened, name, facts)?;
    Ok(file)
}

pub(crate) fn task_suggest(app: &App, caller: &Caller, request: TaskRef) -> ApiResult<TaskSuggestion> {
    crate::tasks::model_suggestion::suggest(app, caller, &request.task_id)
}

pub(crate) fn task_unsuggest(app: &App, _: &Caller, request: TaskRef) -> ApiResult<Empty> {
    crate::tasks::model_suggestion::stop(app, &request.task_id);
    Ok(Empty {})
}

/// TS-052.
pub(crate) fn task_reveal(app: &App, caller: &Caller, request: TaskReveal) -> ApiResult<TaskRevealed> {
    let reason = text(Some(request.reason), "reason")?.ok_or_else(no_reason)?;
    let record = answer::record(app, &request.task_id)?;
    let facts = json!({ "reason": reason });
    act(app, caller, &request.task_id, TaskAct::Reveal, AuditEvent::Revealed, Some(reason), facts)?;
    Ok(TaskRevealed {
        input: (*record.created.input).clone(),
        error: record.created.error.as_ref().and_then(|error| serde_json::to_value(&**error).ok()),
    })
}
