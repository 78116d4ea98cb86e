//! `tasks list | stats | show | complete | suggest | claim | release | hold | continue | reopen | delegate | delegations |
//! undelegate`; `tasks destinations` is in `destinations`.

use super::{Done, input};
use crate::args::{Complete, Delegate, Hold, TaskSort, TaskStatus, Tasks};
use crate::output::{CONFLICT, OK, Output, Tone, plain};
use clap::ValueEnum;
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller, Class};
use signalbox_model::money;
use std::sync::Arc;

pub(crate) async fn tasks(app: &Arc<App>, output: &Output, command: &Tasks) -> Done {
    let done = match command {
        Tasks::List { status, sort, limit } => list(app, output, *status, *sort, *limit).await,
        Tasks::Stats { since, workflow } => stats(app, output, since.as_deref(), workflow.as_deref()).await,
        Tasks::Show { task } => {
            let caller = Caller::terminal(None)?;
            let task = app.dispatch(&caller, "task_get", json!({ "taskId": task })).await?;
            if output.json {
                output.value(&task);
            } else {
                output.pretty(&task);
            }
            Ok(OK)
        }
        Tasks::Complete(args) => complete(app, output, args).await,
        Tasks::Claim { task, person } => change(app, output, "task_claim", task, person.as_deref()).await,
        Tasks::Release { task, person } => change(app, output, "task_release", task, person.as_deref()).await,
        Tasks::Suggest { task, person } => {
            let caller = Caller::terminal(person.as_deref())?;
            let found = app.dispatch(&caller, "task_suggest", json!({ "taskId": task })).await?;
            if output.json {
                output.value(&found);
            } else {
                output.line(found["rationale"].as_str().unwrap_or_default());
                output.pretty(&found["correctedInput"]);
            }
            Ok(OK)
        }
        Tasks::Hold(args) => hold(app, output, args, true).await,
        Tasks::Continue(args) => hold(app, output, args, false).await,
        Tasks::Reopen { task, reason, person } => reopen(app, output, task, reason, person.as_deref()).await,
        Tasks::Destinations(command) => super::destinations::destinations(app, output, command).await,
        Tasks::Delegate(args) => delegate(app, output, args).await,
        Tasks::Delegations { person } => delegations(app, output, person.as_deref()).await,
        Tasks::Undelegate { id, person } => {
            let caller = Caller::terminal(person.as_deref())?;
            let ended = app.dispatch(&caller, "delegation_end", json!({ "id": id })).await?;
            if output.json {
                output.value(&ended);
            } else {
                output.line("Ended.");
            }
            Ok(OK)
        }
    };
    match done {
        Err(error) if error.class == Class::Conflict => {
            output.error(&error);
            Ok(CONFLICT)
        }
        other => other,
    }
}

async fn list(app: &Arc<App>, output: &Output, status: TaskStatus, sort: TaskSort, limit: u32) -> Done {
    let caller = Caller::terminal(None)?;
    let state = status.to_possible_value().map(|value| value.get_name().to_owned());
    let sort = sort.to_possible_value().map(|value| value.get_name().to_owned());
    let mut rows: Vec<Value> = Vec::new();
    let mut after = Value::Null;
    while (rows.len() as u64) < u64::from(limit) {
        let page = (u64::from(limit) - rows.len() as u64).min(500);
        let mut request = json!({ "state": state, "sort": sort, "limit": page });
        if !after.is_null() {
            request["after"] = after;
        }
        let answer = app.dispatch(&caller, "task_list", request).await?;
        rows.extend(answer["tasks"].as_array().cloned().unwrap_or_default());
        after = answer["next"].clone();
        if after.is_null() {
            break;
        }
    }
    if output.json {
        output.value(&Value::Array(rows));
        return Ok(OK);
    }
    if rows.is_empty() {
        output.line("No tasks.");
    }
    for row in &rows {
        let text = |key: &str| row[key].as_str().unwrap_or_default();
        let tone = match text("severity") {
            "CRITICAL" | "ERROR" => Tone::Bad,
            "WARN" => Tone::Warn,
            _ => Tone::Quiet,
        };
        let who = match (text("state"), text("claimedBy"), text("assignee"), text("decidedBy")) {
            ("open", "", "", _) => String::new(),
            ("open", "", person, _) => format!("  for {person}"),
            ("open", person, ..) => format!("  claimed by {person}"),
            (state, .., "") => format!("  {state}"),
            (.., person) => format!("  {person}: {}", text("action")),
        };
        let who = match (row["minApprovals"].as_u64(), row["approvals"].as_u64()) {
            (Some(wanted), Some(given)) if wanted > 1 => format!("  {given} of {wanted} approvals{who}"),
            _ => who,
        };
        let severity = output.paint(&format!("{:<8}", text("severity")), tone);
        let (title, flow) = (plain(text("title")), plain(text("workflowName")));
        output.line(&format!("{}  {severity} {}  {title}  ({flow}){}", text("id"), text("createdAt"), plain(&who)));
    }
    Ok(OK)
}

async fn stats(app: &Arc<App>, output: &Output, since: Option<&str>, workflow: Option<&str>) -> Done {
    let caller = Caller::terminal(None)?;
    let mut request = json!({});
    for (key, value) in [("since", since), ("workflow", workflow)] {
        if let Some(value) = value {
            request[key] = value.into();
        }
    }
    let found = app.dispatch(&caller, "task_stats", request).await?;
    if output.json {
        output.value(&found);
        return Ok(OK);
    }
    let median = |of: &Value| match of["medianMs"].as_u64() {
        Some(ms) => format!(", median time {} s", ms.div_ceil(1_000)),
        None => String::new(),
    };
    let counts =
        |of: &Value| format!("{} came, {} open, {} decided{}", of["created"], of["open"], of["decided"], median(of));
    let list = |key: &str| found[key].as_array().cloned().unwrap_or_default();
    output.line(&format!("Since {}: {}", plain(found["since"].as_str().unwrap_or_default()), counts(&found)));
    for one in list("workflows") {
        output.line(&format!("  {}: {}", plain(one["workflowName"].as_str().unwrap_or_default()), counts(&one)));
    }
    for one in list("causes") {
        let text = |key: &str| plain(one[key].as_str().unwrap_or_default());
        output.line(&format!(
            "  {} ({}, {}): {}",
            text("title"),
            text("workflowName"),
            text("nodeTitle"),
            counts(&one)
        ));
        let suggestion = &one["suggestion"];
        if let Some(when) = suggestion["when"].as_str() {
            let (times, action) = (&suggestion["decisions"], suggestion["action"].as_str().unwrap_or_default());
            let line =
                format!("    the last {times} decisions were {action}; as a rule: {action} when {}", plain(when));
            output.line(&output.paint(&line, Tone::Warn));
        }
    }
    Ok(OK)
}

async fn complete(app: &Arc<App>, output: &Output, args: &Complete) -> Done {
    let caller = Caller::terminal(args.person.as_deref())?;
    let action = args.action.to_possible_value().map(|value| value.get_name().to_owned());
    let mut request = json!({ "taskId": args.task, "action": action });
    if let Some(given) = &args.input {
        request["correctedInput"] = input::value("--input", given)?;
    }
    if let Some(amount) = args.budget {
        let micros = money::micros(amount).filter(|micros| *micros > 0).ok_or_else(|| {
            ApiError::bad_request(format!("{amount} is not an amount above 0."), "Write it like 2 or 0.50.")
        })?;
        request["budgetMicros"] = micros.into();
    }
    for (key, value) in [
        ("targetNodeId", &args.target),
        ("notes", &args.notes),
        ("toolGrant", &args.grant),
        ("requestId", &args.request_id),
    ] {
        if let Some(value) = value {
            request[key] = value.as_str().into();
        }
    }
    let done = match app.dispatch(&caller, "task_complete", request).await {
        Err(error) if error.code == "INPUT_INVALID" && !output.json => return Err(listed(error)),
        other => other?,
    };
    if output.json {
        output.value(&done);
        return Ok(OK);
    }
    let run = done["runId"].as_str().unwrap_or_default();
    if done["state"] == "open" {
        let (given, wanted) = (&done["approvals"], &done["minApprovals"]);
        output.line(&format!("Your approval counts: {given} of {wanted}. Run {run} waits for another person."));
    } else if done["driven"] == true {
        output.line(&format!("Answered. Run {run} continues."));
    } else {
        output.line(&format!("Answered. Run {run} continues in the open app; if none is open, continue it here with `signalbox resume {run}`."));
    }
    Ok(OK)
}

async fn hold(app: &Arc<App>, output: &Output, args: &Hold, held: bool) -> Done {
    let caller = Caller::terminal(args.person.as_deref())?;
    let mut request = json!({ "taskId": args.task, "held": held });
    if let Some(notes) = &args.notes {
        request["notes"] = notes.as_str().into();
    }
    let row = app.dispatch(&caller, "task_hold", request).await?;
    if output.json {
        output.value(&row);
        return Ok(OK);
    }
    // How much is left is worked out by the run, once it hears of it.
    output.line(if held { "On hold: the deadline is paused." } else { "Continued: the deadline is running again." });
    Ok(OK)
}

/// The new run is only begun here: it stops at its question, or goes on with whoever has the data folder open.
async fn reopen(app: &Arc<App>, output: &Output, task: &str, reason: &str, person: Option<&str>) -> Done {
    let caller = Caller::terminal(person)?;
    let done = app.dispatch(&caller, "task_reopen", json!({ "taskId": task, "reason": reason })).await?;
    let run = done["runId"].as_str().unwrap_or_default();
    // The question is asked before this program ends.
    let summary = app.wait(run.to_owned()).await?;
    let task = app.dispatch(&caller, "task_get", json!({ "taskId": task })).await?;
    let new = task["reopenedAs"]["taskId"].clone();
    if output.json {
        let mut told = done.clone();
        told["newTaskId"] = new;
        told["status"] = summary["status"].clone();
        output.value(&told);
    } else {
        output.line(&format!("Reopened: run {run} asks again with task {}.", new.as_str().unwrap_or("?")));
    }
    Ok(OK)
}

async fn delegate(app: &Arc<App>, output: &Output, args: &Delegate) -> Done {
    let caller = Caller::terminal(args.person.as_deref())?;
    let mut request = json!({ "to": args.to, "endsAt": args.until });
    for (key, value) in [("startsAt", &args.from), ("workflow", &args.workflow), ("notes", &args.notes)] {
        if let Some(value) = value {
            request[key] = value.as_str().into();
        }
    }
    let made = app.dispatch(&caller, "delegation_create", request).await?;
    if output.json {
        output.value(&made);
    } else {
        output.line(&told(&made));
    }
    Ok(OK)
}

async fn delegations(app: &Arc<App>, output: &Output, person: Option<&str>) -> Done {
    let caller = Caller::terminal(person)?;
    let found = app.dispatch(&caller, "delegation_list", json!({})).await?;
    let none = format!("No delegations to or from {0}.", caller.principal);
    for one in output.rows(&found, &none) {
        output.line(&told(one));
    }
    Ok(OK)
}

/// A delegation in one line.
fn told(one: &Value) -> String {
    let text = |key: &str| plain(one[key].as_str().unwrap_or_default());
    let of = one["workflow"].as_str().map(|id| format!(" in {}", plain(id))).unwrap_or_default();
    let now = if one["active"] == true { "" } else { " (not yet)" };
    format!(
        "{}  {} answers for {}{of} from {} until {}{now}",
        text("id"),
        text("to"),
        text("from"),
        text("startsAt"),
        text("endsAt")
    )
}

/// What does not fit, one line each, for people.
fn listed(mut error: ApiError) -> ApiError {
    let places = error.details.iter().flat_map(|details| details["violations"].as_array()).flatten();
    let lines: Vec<String> = places
        .map(|one| {
            let text = |key: &str| plain(one[key].as_str().unwrap_or_default());
            let path = if text("path").is_empty() { "the input".to_owned() } else { text("path") };
            format!("  {path}: {}", text("message"))
        })
        .collect();
    if !lines.is_empty() {
        error.message = format!("The input does not match its schema:\n{}", lines.join("\n"));
    }
    error
}

async fn change(app: &Arc<App>, output: &Output, command: &str, task: &str, person: Option<&str>) -> Done {
    let caller = Caller::terminal(person)?;
    let row = app.dispatch(&caller, command, json!({ "taskId": task })).await?;
    if output.json {
        output.value(&row);
    } else if let Some(until) = row["claimExpiresAt"].as_str() {
        output.line(&format!("Claimed by {} until {until}.", caller.principal));
    } else {
        output.line("Released.");
    }
    Ok(OK)
}
