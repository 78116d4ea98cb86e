//! `tasks list`, `tasks show` and `tasks complete`: people answer at the terminal.

use crate::args::{Answer, Tasks};
use crate::failure::Failure;
use crate::follow::follow;
use crate::host::Host;
use crate::output::{OK, Output};
use crate::runs::os_user;
use serde_json::{Map, Value, json};
use signalbox_model::{AuditEvent, TaskAction, TaskState, lossless, text, time};
use signalbox_runtime::task_answer::{self, GivenAnswer};
use signalbox_store::audit::{Actor, Level, Record};
use signalbox_store::mask::Masks;
use signalbox_store::{TaskError, TaskQuery, TaskRecord, TaskRow, TaskScope, TaskView};

/// So many tasks are listed.
const LISTED: usize = 500;

pub(crate) async fn tasks(host: &Host, command: &Tasks, output: &Output) -> Result<u8, Failure> {
    match command {
        Tasks::List { all } => list(host, *all, output),
        Tasks::Show { task } => show(host, task, output),
        Tasks::Complete(answer) => complete(host, answer, output).await,
    }
}

/// Open tasks, the most urgent first.
pub(crate) fn open_tasks(host: &Host, all: bool) -> Result<(Vec<TaskRow>, u64), Failure> {
    let now_ms = host.now_ms();
    let scope = if all { TaskScope::All } else { TaskScope::Open };
    let query =
        TaskQuery { scope, view: TaskView::Any, now_ms, day_end_ms: now_ms, limit: LISTED, ..TaskQuery::default() };
    let page = host.store.tasks(&query)?;
    Ok((page.tasks, page.total))
}

fn list(host: &Host, all: bool, output: &Output) -> Result<u8, Failure> {
    let (rows, total) = open_tasks(host, all)?;
    if output.json {
        output.value(&rows.iter().map(row).collect());
        return Ok(OK);
    }
    if rows.is_empty() {
        output.line("No tasks.");
    }
    for row in &rows {
        let state = if row.state == TaskState::Open { String::new() } else { format!("  {}", row.state.as_str()) };
        let title = Masks::default().text(&row.title);
        output.line(&format!("{}  {}  {title}{state}", row.id, time::format(row.created_ms)));
    }
    if total > rows.len() as u64 {
        output.aside(&format!("{} of {total} tasks are shown.", rows.len()));
    }
    Ok(OK)
}

/// A row as programs read it; texts that name people's data are masked.
pub(crate) fn row(row: &TaskRow) -> Value {
    json!({
        "taskId": row.id, "runId": row.run_id, "step": row.node, "state": row.state, "kind": row.kind, "reason": row.reason,
        "title": Masks::default().text(&row.title), "revision": row.revision, "severity": row.severity,
        "createdAt": time::format(row.created_ms), "expiresAt": row.expires_ms.map(time::format),
        "allowedActions": row.actions, "decidedBy": row.decided_by, "action": row.action,
    })
}

fn record(host: &Host, task: &str) -> Result<TaskRecord, Failure> {
    host.store.task_record(task)?.ok_or_else(|| task_failure(&TaskError::NotFound { task: task.to_owned() }))
}

/// Everything that helps to decide, masked.
pub(crate) fn details(host: &Host, task: &str) -> Result<Value, Failure> {
    let record = record(host, task)?;
    let created = &record.created;
    let mut masks = Masks::new(&created.redact);
    let (input, redacted) = masks.input(&created.input);
    let mut shown = row(&record.row);
    if let Some(shown) = shown.as_object_mut() {
        let error = created.error.as_ref().map(
            |error| json!({ "type": error.error_type, "code": error.code(), "message": masks.text(&error.message) }),
        );
        let instructions = created.instructions.as_deref().map(|text| masks.text(text));
        shown.extend(Map::from_iter([
            ("stepTitle".to_owned(), json!(record.row.node_title.as_deref().unwrap_or(&record.row.node))),
            ("instructions".to_owned(), json!(instructions)),
            ("error".to_owned(), json!(error)),
            ("input".to_owned(), input),
            ("redacted".to_owned(), json!(redacted)),
            ("schema".to_owned(), json!(created.schema)),
            ("alternatives".to_owned(), json!(created.alternatives)),
            ("approvals".to_owned(), json!(record.row.approvals)),
            ("minApprovals".to_owned(), json!(record.row.min_approvals)),
        ]));
    }
    Ok(shown)
}

fn show(host: &Host, task: &str, output: &Output) -> Result<u8, Failure> {
    let shown = details(host, task)?;
    if output.json {
        output.value(&shown);
        return Ok(OK);
    }
    let text = |key: &str| shown[key].as_str().unwrap_or_default();
    output.line(&format!("{} ({})", text("title"), text("state")));
    output.line(&format!("Step:    {}", text("stepTitle")));
    output.line(&format!("Run:     {}", text("runId")));
    if let Some(until) = shown["expiresAt"].as_str() {
        output.line(&format!("Until:   {until}"));
    }
    if !text("instructions").is_empty() {
        output.line(text("instructions"));
    }
    if let Some(message) = shown["error"]["message"].as_str() {
        output.line(&format!("Error:   {message}"));
    }
    output.line("Input:");
    for line in serde_json::to_string_pretty(&shown["input"]).unwrap_or_default().lines() {
        output.line(&format!("  {line}"));
    }
    let actions = shown["allowedActions"].as_array().into_iter().flatten().filter_map(Value::as_str);
    output.line(&format!("Actions: {}", actions.collect::<Vec<_>>().join(", ")));
    for way in shown["alternatives"].as_array().into_iter().flatten() {
        output.line(&format!("  alternative --target {}", way["targetNodeId"].as_str().unwrap_or_default()));
    }
    Ok(OK)
}

async fn complete(host: &Host, answer: &Answer, output: &Output) -> Result<u8, Failure> {
    let given = given(answer)?;
    let who = match &answer.person {
        None => os_user(),
        Some(person) => principal(person)?,
    };
    let done = submit(host, &answer.task, given, &who, "cli")?;
    if done.state == TaskState::Open {
        let counted = format!("{} of {}", done.approvals, done.min_approvals);
        if output.json {
            output.value(&json!({ "taskId": done.task_id, "runId": done.run_id, "state": done.state, "approvals": done.approvals, "minApprovals": done.min_approvals }));
        } else {
            output.line(&format!("Your approval counts: {counted}. Run {} waits for another person.", done.run_id));
        }
        return Ok(OK);
    }
    if !output.json {
        output.aside(&format!("Answered. Run {} continues.", done.run_id));
    }
    host.runtime.wake(&done.run_id).await?;
    follow(host, &done.run_id, false, output).await
}

/// Checks an answer and stores it; the run hears of it when it is woken.
pub(crate) fn submit(
    host: &Host,
    task: &str,
    given: GivenAnswer,
    who: &str,
    via: &str,
) -> Result<signalbox_store::Answered, Failure> {
    let record = record(host, task)?;
    // A task that is not open is refused by the store, which also knows a request that comes again.
    let corrected = if record.row.state == TaskState::Open { checked(&record, &given)? } else { None };
    let now_ms = host.now_ms();
    let facts = |facts: Value| {
        let mut facts = facts.as_object().cloned().unwrap_or_default();
        facts.insert("taskId".into(), record.row.id.as_str().into());
        facts.insert("via".into(), via.into());
        if via == "cli" {
            // The name given with --as says only in whose name.
            facts.insert("osUser".into(), os_user().into());
        }
        facts.retain(|_, value| !value.is_null());
        let (at, row) = (time::format(now_ms), &record.row);
        Record::new(at, &row.run_id, &row.step, AuditEvent::HitlCompleted, Level::Info, Actor::operator(who))
            .with_metadata(facts)
    };
    let answer = task_answer::submission(&record, given, corrected, who, via, now_ms, facts);
    host.store.answer_task(answer).map_err(|error| task_failure(&error))
}

fn checked(record: &TaskRecord, given: &GivenAnswer) -> Result<Option<Value>, Failure> {
    let created = &record.created;
    task_answer::check(created, given)
        .map_err(|refusal| Failure::invalid(refusal.code, refusal.message, refusal.hint))?;
    let Some(input) = task_answer::checked_input(created, given) else { return Ok(None) };
    let mut masks = Masks::new(&created.redact);
    masks.input(&created.input);
    let input = task_answer::lift(created, &masks, input, |masks, value| masks.input(value).0).ok_or_else(|| {
        let hint = "Leave masks where they were, or write another value.";
        Failure::invalid("BAD_REQUEST", "A mask is in a place where its value could be read.", hint)
    })?;
    let found = task_answer::violations(created, &input);
    if found.is_empty() {
        return Ok(given.corrected_input.is_some().then_some(input));
    }
    let violations: Vec<Value> =
        found.into_iter().map(|(path, message)| json!({ "path": path, "message": masks.text(&message) })).collect();
    let told = violations.iter().map(|one| {
        let path = one["path"].as_str().filter(|path| !path.is_empty()).unwrap_or("the input");
        format!("{path}: {}", one["message"].as_str().unwrap_or_default().trim_end_matches('.'))
    });
    let message = format!("The input does not match its schema: {}.", told.collect::<Vec<_>>().join("; "));
    let hint = "Correct the fields that are named; the task stays open.";
    Err(Failure {
        details: Some(json!({ "violations": violations })),
        ..Failure::invalid("INPUT_INVALID", message, hint)
    })
}

/// Why a task was not answered.
fn task_failure(error: &TaskError) -> Failure {
    let (code, hint) = match error {
        TaskError::NotFound { .. } => ("NOT_FOUND", "The command `tasks list` shows all."),
        TaskError::AlreadyAnswered { .. } => ("ALREADY_ANSWERED", "Nothing is left to do."),
        TaskError::Expired { .. } => ("EXPIRED", "Look at the run to see how it went on."),
        TaskError::Closed { .. } => ("CLOSED", "Look at the run to see how it ended."),
        TaskError::Stale { .. } => ("STALE", "Show the task again, then decide."),
        TaskError::Claimed { .. } => ("CLAIMED", "Ask them, or wait until then."),
        TaskError::AlreadyVoted { .. } => {
            ("ALREADY_VOTED", "Wait for another person, or reject it if you have changed your mind.")
        }
        TaskError::SelfApproval => ("SELF_APPROVAL", "Ask another person to approve it; you may reject it."),
        TaskError::BadToken => ("BAD_TOKEN", "Show the task again: each secret is for one task as it was then."),
        TaskError::Store(store) => return store.clone().into(),
    };
    Failure::invalid(code, format!("{error}."), hint)
}

fn given(answer: &Answer) -> Result<GivenAnswer, Failure> {
    let action = TaskAction::parse(&answer.action).ok_or_else(|| {
        let message = format!("'{}' is no action.", answer.action);
        Failure::invalid("BAD_ARGUMENTS", message, "The command `tasks show` lists the actions of a task.")
    })?;
    Ok(GivenAnswer {
        corrected_input: answer.input.as_deref().map(json_argument).transpose()?,
        target_node_id: answer.target.clone(),
        notes: answer.notes.clone(),
        ..GivenAnswer::new(action)
    })
}

fn json_argument(argument: &str) -> Result<Value, Failure> {
    let bad = |why: String| Failure::invalid("BAD_INPUT", format!("--input: {why}."), "Pass JSON, or @FILE.");
    let json = match argument.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file).map_err(|error| bad(format!("{file} cannot be read: {error}")))?,
        None => argument.to_owned(),
    };
    if let Some(lost) = lossless::loss(&json) {
        return Err(bad(lost.told()));
    }
    serde_json::from_str(text::without_bom(&json)).map_err(|error| bad(format!("this is not JSON ({error})")))
}

/// `user:NAME`, as the audit chain names people.
fn principal(given: &str) -> Result<String, Failure> {
    let name = given.strip_prefix("user:").unwrap_or_default();
    if name.is_empty() || name.len() > 100 || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let hint = "Write user:NAME, without spaces, for example user:anna.";
        return Err(Failure::invalid("BAD_ARGUMENTS", format!("'{given}' is not a person."), hint));
    }
    Ok(given.to_owned())
}
