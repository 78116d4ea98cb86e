//! `runs list | show | usage | events | binary | send | snapshot | diff | delete`.

use super::debug::debug;
use super::diff::diff;
use super::{Done, usage};
use crate::args::{CheckpointFormat, Runs};
use crate::output::{OK, Output, Tone, duration, plain};
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller, SaveTest};
use std::sync::Arc;

pub(crate) async fn runs(app: &Arc<App>, output: &Output, command: &Runs) -> Done {
    match command {
        Runs::List { workflow, status, limit } => {
            list(app, output, workflow.as_deref(), status.as_deref(), *limit).await
        }
        Runs::Show { run } => {
            let summary = app.summary(run.clone()).await?;
            if output.json {
                output.value(&summary);
            } else {
                output.pretty(&summary);
            }
            Ok(OK)
        }
        Runs::Usage { run } => usage::of_run(app, output, run).await,
        Runs::Snapshot { run, at, format } => {
            let command = match format {
                CheckpointFormat::Signalbox => "run_checkpoint",
                CheckpointFormat::Vl => "run_checkpoint_vl",
            };
            let mut request = json!({ "runId": run });
            if let Some(at) = at {
                request["at"] = json!(at);
            }
            let checkpoint = app.dispatch(&Caller::terminal(None)?, command, request).await?;
            if output.json {
                output.value(&checkpoint);
            } else {
                output.line(&serde_json::to_string_pretty(&checkpoint).unwrap_or_default());
            }
            Ok(OK)
        }
        Runs::Diff { run, with } => diff(app, output, run, with).await,
        Runs::Prune(args) => super::prune::prune(app, output, args).await,
        Runs::Debug(command) => debug(app, output, command).await,
        Runs::Events { run, after } => events(app, output, run, *after).await,
        Runs::Binary { run, sha256, out, force } => {
            let caller = Caller::terminal(None)?;
            let size = app.binary_to(&caller, run.clone(), sha256.clone(), out.clone(), *force).await?;
            if output.json {
                output.value(&json!({ "runId": run, "sha256": sha256, "size": size, "file": out }));
            } else {
                output.line(&format!("Saved {size} bytes to {}.", out.display()));
            }
            Ok(OK)
        }
        Runs::Files { run } => files(app, output, run).await,
        Runs::File { run, seq, out, force, changed } => {
            let caller = Caller::terminal(None)?;
            let size = app.run_file_to(&caller, (run.clone(), *seq), *changed, out.clone(), *force).await?;
            if output.json {
                output.value(&json!({ "runId": run, "seq": seq, "size": size, "file": out }));
            } else {
                output.line(&format!("Saved {size} bytes to {}.", out.display()));
            }
            Ok(OK)
        }
        Runs::SaveTest { run, out, name, force, unmasked, files } => {
            let caller = Caller::terminal(None)?;
            let how = SaveTest { replace: *force, unmasked: *unmasked, files: *files };
            let saved = app.save_test_to(&caller, run.clone(), name.clone(), out.clone(), how).await?;
            if output.json {
                output.value(&json!({ "runId": run, "file": out, "notes": saved.notes }));
                return Ok(OK);
            }
            output.line(&format!("Saved the test {}.", plain(&out.display().to_string())));
            for note in &saved.notes {
                output.line(&format!("  {}", plain(note)));
            }
            Ok(OK)
        }
        Runs::Send { run, reason, person } => send(app, output, run, reason.as_deref(), person.as_deref()).await,
        Runs::Delete { run } => {
            app.dispatch(&Caller::terminal(None)?, "run_delete", json!({ "runId": run })).await?;
            if output.json {
                output.value(&json!({ "runId": run, "deleted": true }));
            } else {
                output.line(&format!("Run {run} was deleted."));
            }
            Ok(OK)
        }
    }
}

/// What the run wrote, the last file first.
async fn files(app: &Arc<App>, output: &Output, run: &str) -> Done {
    let list = app.dispatch(&Caller::terminal(None)?, "run_files", json!({ "runId": run })).await?;
    if output.json {
        output.value(&list);
        return Ok(OK);
    }
    for file in list["files"].as_array().into_iter().flatten() {
        let became = match file["state"].as_str().unwrap_or_default() {
            "same" => String::new(),
            "changed" => ", changed since".to_owned(),
            "gone" => ", deleted or moved since".to_owned(),
            _ => format!(", cannot be read: {}", file["reason"].as_str().unwrap_or("no reason told")),
        };
        let path = file["place"].as_str().or(file["path"].as_str()).unwrap_or_default();
        output.line(&format!("{:>6}  {path}, {} bytes{became}", file["seq"], file["size"]));
    }
    if list["files"].as_array().is_none_or(Vec::is_empty) {
        output.line("This run wrote no files.");
    }
    if list["more"] == true {
        output.line("It wrote more files earlier.");
    }
    Ok(OK)
}

/// The new run is only begun here: it stops at its question.
async fn send(app: &Arc<App>, output: &Output, run: &str, reason: Option<&str>, person: Option<&str>) -> Done {
    let caller = Caller::terminal(person)?;
    let mut request = json!({ "runId": run });
    if let Some(reason) = reason {
        request["reason"] = reason.into();
    }
    let mut sent = app.dispatch(&caller, "run_send", request.clone()).await?;
    let asks = sent["sentRunId"].as_str().unwrap_or_default().to_owned();
    if sent["already"] != true {
        // The question is asked before this program ends.
        let summary = app.wait(asks.clone()).await?;
        let failed = app.dispatch(&caller, "run_get", json!({ "runId": run })).await?;
        sent["taskId"] = failed["sentAs"]["taskId"].clone();
        sent["status"] = summary["status"].clone();
    }
    if output.json {
        output.value(&sent);
        return Ok(OK);
    }
    let task = sent["taskId"].as_str().unwrap_or("?");
    output.line(&if sent["already"] == true {
        format!("It is already in the inbox: run {asks} asks about it with task {task}.")
    } else {
        format!("It is in the inbox: run {asks} asks about it with task {task}.")
    });
    Ok(OK)
}

async fn list(app: &Arc<App>, output: &Output, workflow: Option<&str>, status: Option<&str>, limit: u32) -> Done {
    let mut rows: Vec<Value> = Vec::new();
    let mut before = Value::Null;
    // The store gives pages; the limit of this command is the person's.
    while (rows.len() as u64) < u64::from(limit) {
        let page = (u64::from(limit) - rows.len() as u64).min(500);
        let mut request = json!({ "limit": page });
        for (key, value) in [("workflow", json!(workflow)), ("status", json!(status)), ("before", before.clone())] {
            if !value.is_null() {
                request[key] = value;
            }
        }
        let answer = app.dispatch(&Caller::terminal(None)?, "run_list", request).await?;
        rows.extend(answer["runs"].as_array().cloned().unwrap_or_default());
        before = answer["next"].clone();
        if before.is_null() {
            break;
        }
    }
    if output.json {
        let keys = ["runId", "workflowId", "status", "startedAt", "endedAt", "parentRunId", "openTaskCount"];
        let short = |row: &Value| {
            Value::Object(keys.iter().filter_map(|key| Some(((*key).to_owned(), row.get(*key)?.clone()))).collect())
        };
        output.value(&rows.iter().map(short).collect());
        return Ok(OK);
    }
    if rows.is_empty() {
        output.line("No runs.");
    }
    for row in &rows {
        let text = |key: &str| row[key].as_str().unwrap_or_default();
        let tone = match text("status") {
            "completed" => Tone::Good,
            "failed" => Tone::Bad,
            _ => Tone::Warn,
        };
        let status = output.paint(&format!("{:<10}", text("status")), tone);
        let asks = match row["openTaskCount"].as_u64() {
            None => String::new(),
            Some(1) => "  (1 task waits for a person)".to_owned(),
            Some(tasks) => format!("  ({tasks} tasks wait for a person)"),
        };
        let note = match row["place"].as_u64() {
            Some(place) if row["status"] == "queued" => format!("  (place {place})"),
            Some(place) => format!("  (waits for a worker, place {place})"),
            None if left_behind(app, row).await? => {
                format!("  (not executing; `signalbox resume {}`)", text("runId"))
            }
            None => String::new(),
        };
        let time = duration(row["durationMs"].as_i64().unwrap_or_default());
        let parent = row["parentRunId"].as_str().map_or_else(String::new, |parent| format!("  (re-run of {parent})"));
        output.line(&format!(
            "{}  {status} {:>12}  {}  {}{parent}{asks}{note}",
            text("runId"),
            time,
            text("startedAt"),
            plain(text("workflowName"))
        ));
    }
    Ok(OK)
}

/// Not at its end, and the process that drove it is gone: its status stays `running` until somebody takes it up.
async fn left_behind(app: &Arc<App>, row: &Value) -> Result<bool, ApiError> {
    if !matches!(row["status"].as_str(), Some("created" | "running")) {
        return Ok(false);
    }
    Ok(!app.is_driven(row["runId"].as_str().unwrap_or_default().to_owned()).await?)
}

async fn events(app: &Arc<App>, output: &Output, run: &str, after: u64) -> Done {
    let mut after = after;
    loop {
        let batch = app.events_whole(run.to_owned(), after).await?;
        let Some(last) = batch.last().and_then(|event| event["seq"].as_u64()) else { return Ok(OK) };
        batch.iter().for_each(|event| output.value(event));
        after = last;
    }
}
