//! `failures list | show | replay | pause | resume | stop | undo`.

use super::{Done, input};
use crate::args::{Failures, LogLevel, ReplayArgs, RerunDefinition};
use crate::output::{OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller};
use std::sync::Arc;
use std::time::Duration;

/// How often a replay is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// Failures of one piece of a preview.
const PIECE: u64 = 100;
/// A replay that did not end well.
const HALTED: u8 = 1;

pub(crate) async fn failures(app: &Arc<App>, output: &Output, command: &Failures) -> Done {
    let caller = Caller::terminal(None)?;
    match command {
        Failures::List { workflow, limit } => {
            let request = json!({ "workflow": workflow, "limit": limit });
            let page = app.dispatch(&caller, "failure_groups", request).await?;
            if output.json {
                output.value(&page);
                return Ok(OK);
            }
            for group in output.rows(&page["groups"], "No run has failed, or every failure was dealt with.") {
                tell(output, group);
            }
            if page["filling"] == true {
                output.log(LogLevel::Info, "Failures of an older version are still being read; list them again later.");
            }
            Ok(OK)
        }
        Failures::Show { group, limit } => show(app, output, &caller, group, *limit).await,
        Failures::Replay(args) => replay(app, output, args).await,
        Failures::Pause { replay } => {
            changed(output, &app.dispatch(&caller, "replay_pause", json!({ "replay": replay })).await?)
        }
        Failures::Resume { replay } => {
            app.dispatch(&caller, "replay_resume", json!({ "replay": replay })).await?;
            follow(app, output, &caller, replay).await
        }
        Failures::Stop { replay, cancel_runs } => {
            let request = json!({ "replay": replay, "cancelRuns": cancel_runs });
            changed(output, &app.dispatch(&caller, "replay_stop", request).await?)
        }
        Failures::Undo { replay } => {
            changed(output, &app.dispatch(&caller, "replay_undo", json!({ "replay": replay })).await?)
        }
    }
}

fn text(value: &Value, name: &str) -> String {
    plain(value[name].as_str().unwrap_or_default())
}

fn tell(output: &Output, group: &Value) {
    let code = text(group, "code");
    let code = if code.is_empty() { String::new() } else { format!("{code}: ") };
    output.line(&format!(
        "{}  {}  {} at {}  {code}{}  last {}",
        text(group, "group"),
        output.paint(&format!("{:>6}", group["open"]), Tone::Bad),
        text(group, "workflowName"),
        text(group, "stepId"),
        text(group, "message"),
        text(group, "lastAt"),
    ));
}

/// The group of an id, or of its beginning.
async fn named(app: &Arc<App>, caller: &Caller, start: &str) -> Result<String, ApiError> {
    let mut after = Value::Null;
    let mut found = Vec::new();
    loop {
        let page = app.dispatch(caller, "failure_groups", json!({ "limit": 200, "after": after })).await?;
        let groups = page["groups"].as_array().cloned().unwrap_or_default();
        let ids = groups.iter().filter_map(|group| group["group"].as_str()).filter(|id| id.starts_with(start));
        found.extend(ids.map(str::to_owned));
        if page["next"].is_null() {
            break;
        }
        after = page["next"].clone();
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        // It may have no open failure any more.
        [] => Ok(start.to_owned()),
        many => Err(ApiError::bad_request(
            format!("{} groups begin with '{start}'.", many.len()),
            "Write more letters of the id; `failures list` shows it.",
        )),
    }
}

async fn show(app: &Arc<App>, output: &Output, caller: &Caller, start: &str, limit: u32) -> Done {
    let group = named(app, caller, start).await?;
    let mut details = app.dispatch(caller, "failure_group", json!({ "group": group })).await?;
    let members = app.dispatch(caller, "failure_members", json!({ "group": group, "limit": limit })).await?;
    if output.json {
        details["failures"] = members["failures"].clone();
        output.value(&details);
        return Ok(OK);
    }
    tell(output, &details);
    output.line_of("newest  ", &text(&details, "sample"));
    for one in members["failures"].as_array().into_iter().flatten() {
        let task = one["taskId"].as_str().map(|task| format!("  task {task}")).unwrap_or_default();
        output.line(&format!(
            "{:>8}  {}  {}  {}{task}",
            one["failure"],
            text(one, "at"),
            text(one, "runId"),
            text(one, "stepId")
        ));
    }
    for one in details["replays"].as_array().into_iter().flatten() {
        progress(output, one);
    }
    if let Some(suggestion) = details["suggestion"].as_object() {
        output.line(&format!(
            "This rule was used {} times. As a step before: {} {}",
            suggestion["times"],
            plain(suggestion["kind"].as_str().unwrap_or_default()),
            plain(&suggestion["config"].to_string())
        ));
    }
    Ok(OK)
}

async fn replay(app: &Arc<App>, output: &Output, args: &ReplayArgs) -> Done {
    let caller = Caller::terminal(args.person.as_deref())?;
    let group = named(app, &caller, &args.group).await?;
    let definition = match args.definition {
        RerunDefinition::Original => "original",
        RerunDefinition::Current => "current",
    };
    let mut correction = json!({ "definition": definition });
    if let Some(patch) = &args.patch {
        correction["patch"] = input::value("--patch", patch)?;
    }
    if let Some(expression) = &args.expression {
        correction["expression"] = expression.as_str().into();
    }
    if args.preview {
        return preview(
            app,
            output,
            &caller,
            json!({ "group": group, "correction": correction, "sample": args.sample }),
        )
        .await;
    }
    let request = json!({
        "group": group, "correction": correction, "sample": args.sample, "includeDifferent": args.include_different,
        "keepAnswers": args.keep_answers, "rate": args.rate, "concurrency": args.concurrency,
        "reason": args.reason.clone().unwrap_or_default(),
    });
    let started = app.dispatch(&caller, "replay_start", request).await?;
    let id = started["replay"].as_str().unwrap_or_default().to_owned();
    output.log(LogLevel::Info, &format!("Replay {id} started."));
    follow(app, output, &caller, &id).await
}

async fn preview(app: &Arc<App>, output: &Output, caller: &Caller, mut request: Value) -> Done {
    request["limit"] = PIECE.into();
    let mut counts = [0_u64; 3];
    let mut all = Vec::new();
    loop {
        let page = app.dispatch(caller, "failure_preview", request.clone()).await?;
        // Later pieces compare with the same failure as the first one.
        if request["sample"].is_null() {
            request["sample"] = page["tried"][0]["failure"].clone();
        }
        for one in page["tried"].as_array().into_iter().flatten() {
            let at = match one["fit"].as_str() {
                Some("fits") => 0,
                Some("different") => 1,
                _ => 2,
            };
            counts[at] += 1;
            if !output.json && at > 0 {
                let word = if at == 1 {
                    output.paint("different", Tone::Quiet)
                } else {
                    output.paint("does not fit", Tone::Bad)
                };
                output.line(&format!("{}  {word}  {}", text(one, "runId"), text(one, "why")));
            }
            if output.json {
                all.push(one.clone());
            }
        }
        if page["next"].is_null() {
            break;
        }
        request["before"] = page["next"].clone();
    }
    let [fits, different, not] = counts;
    if output.json {
        output.value(&json!({ "fits": fits, "different": different, "not": not, "tried": all }));
    } else {
        output
            .line(&format!("{fits} fit, {different} give something different, {not} do not fit. Nothing was started."));
    }
    Ok(OK)
}

fn progress(output: &Output, one: &Value) {
    let n = |name: &str| one[name].as_u64().unwrap_or_default();
    output.line(&format!(
        "{}  {}  {} started ({} completed, {} failed, {} waiting for people, {} running), {} to go, {} skipped, {} do not fit, {} taken back",
        text(one, "replay"),
        output.paint(&text(one, "status"), if one["status"] == "done" { Tone::Good } else { Tone::Quiet }),
        n("started"),
        n("completed"),
        n("failed"),
        n("paused"),
        n("running"),
        n("waiting"),
        n("skipped"),
        n("refused"),
        n("removed"),
    ));
    if let Some(problem) = one["problem"].as_str() {
        output.line(&format!("  {}", plain(problem)));
    }
}

fn changed(output: &Output, one: &Value) -> Done {
    if output.json {
        output.value(one);
    } else {
        progress(output, one);
    }
    Ok(OK)
}

/// Until it has ended or is paused.
async fn follow(app: &Arc<App>, output: &Output, caller: &Caller, id: &str) -> Done {
    loop {
        let one = app.dispatch(caller, "replay_get", json!({ "replay": id })).await?;
        if one["status"] != "running" {
            let code = if one["status"] == "done" { OK } else { HALTED };
            return changed(output, &one).map(|_| code);
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = super::told_to_stop() => {
                output.log(LogLevel::Info, &format!("Replay {id} goes on in a program that stays, or with `failures resume`."));
                return Ok(HALTED);
            }
        }
    }
}
