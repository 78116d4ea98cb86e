//! `activate`, `deactivate`, `versions` and `triggers list | show | next | fire`: workflows that run by themselves.

use super::run::follow;
use super::{Done, input};
use crate::args::Triggers;
use crate::output::{OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller, next_of_file};
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

fn text(value: &Value, key: &str) -> String {
    plain(value[key].as_str().unwrap_or_default())
}

pub(crate) async fn activate(app: &Arc<App>, output: &Output, workflow: &str, version: Option<&str>) -> Done {
    let caller = Caller::terminal(None)?;
    let path = Path::new(workflow);
    let is_file = path.is_file() || workflow.contains(['/', '\\']);
    let done = match version {
        None if is_file => json!(app.activate_file(&caller, path.to_path_buf()).await?),
        Some(_) if is_file => {
            let hint = "Name the workflow by its id; `signalbox versions ID` lists its versions.";
            return Err(ApiError::bad_request(
                "A version is activated by the id of its workflow, not by a file.",
                hint,
            ));
        }
        version => {
            let request = json!({ "workflowId": workflow, "version": version });
            app.dispatch(&caller, "workflow_activate", request).await?
        }
    };
    activation(output, &done);
    Ok(OK)
}

pub(crate) async fn deactivate(app: &Arc<App>, output: &Output, workflow: &str) -> Done {
    let caller = Caller::terminal(None)?;
    let done = app.dispatch(&caller, "workflow_deactivate", json!({ "workflowId": workflow })).await?;
    activation(output, &done);
    Ok(OK)
}

fn activation(output: &Output, one: &Value) {
    if output.json {
        return output.value(one);
    }
    let state = if one["active"] == true {
        output.paint("active", Tone::Good)
    } else {
        output.paint("not active", Tone::Quiet)
    };
    output.line(&format!(
        "{} ({}): {state}, version {}",
        text(one, "workflowName"),
        text(one, "workflowId"),
        text(one, "version")
    ));
    for trigger in one["triggers"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        output.line(&format!("  {}", plain(trigger)));
    }
}

pub(crate) async fn versions(app: &Arc<App>, output: &Output, workflow: &str) -> Done {
    let caller = Caller::terminal(None)?;
    let all = app.dispatch(&caller, "workflow_versions", json!({ "workflowId": workflow })).await?;
    for one in output.rows(&all, "It was never activated.") {
        let mark = if one["active"] == true { output.paint("active", Tone::Good) } else { "      ".to_owned() };
        output.line(&format!(
            "{}  {mark}  {}  {}",
            text(one, "version"),
            text(one, "activatedAt"),
            text(one, "activatedBy")
        ));
    }
    Ok(OK)
}

pub(crate) async fn triggers(app: &Arc<App>, output: &Output, command: &Triggers) -> Done {
    let caller = Caller::terminal(None)?;
    match command {
        Triggers::List { workflow } => {
            let request = workflow.as_ref().map_or(json!({}), |workflow| json!({ "workflowId": workflow }));
            let all = app.dispatch(&caller, "trigger_list", request).await?;
            for one in output.rows(&all, "No workflow is active.") {
                trigger(output, one, 1);
            }
        }
        Triggers::Show { trigger: id } => {
            let one = app.dispatch(&caller, "trigger_get", json!({ "triggerId": id })).await?;
            if output.json {
                output.value(&one);
                return Ok(OK);
            }
            trigger(output, &one, 5);
            for firing in one["firings"].as_array().into_iter().flatten() {
                output.line(&format!("  {}", told(output, firing)));
            }
        }
        Triggers::Fire { trigger: id, payload } => {
            let payload = match payload {
                Some(given) => input::value("--payload", given)?,
                None => json!({}),
            };
            let request = json!({ "triggerId": id, "payload": payload });
            let run = app.dispatch(&caller, "trigger_fire", request).await?;
            if run["queued"] == true {
                let run = plain(run["runId"].as_str().unwrap_or_default());
                output.aside(&format!("Run {run} is queued: it starts when its turn comes."));
            }
            return follow(app, output, run["runId"].as_str().unwrap_or_default(), false).await;
        }
        Triggers::Next { file, count, from } => return next(output, file, *count, from.as_deref()),
    }
    Ok(OK)
}

fn trigger(output: &Output, one: &Value, most: usize) {
    let title = one["title"].as_str().map(|title| format!("  {}", plain(title))).unwrap_or_default();
    output.line(&format!("{}{title}  of {}", text(one, "triggerId"), text(one, "workflowName")));
    if one["kind"] == "trigger.form" {
        output.line(&format!("  form at /forms/{}", plain(one["config"]["path"].as_str().unwrap_or_default())));
    }
    if one["address"].is_string() {
        output.line(&format!("  address {}", text(one, "address")));
    }
    for next in one["next"].as_array().into_iter().flatten().take(most) {
        output.line(&format!("  next {}  {}", text(next, "utc"), text(next, "local")));
    }
    if most == 1 && one["last"].is_object() {
        output.line(&format!("  last {}", told(output, &one["last"])));
    }
    let activity = &one["activity"];
    let count = |name: &str| activity[name].as_u64().unwrap_or_default();
    let failed = match count("failed") {
        0 => "none failed".to_owned(),
        failed => output.paint(&format!("{failed} failed"), Tone::Bad),
    };
    output.line(&format!("  24 h {} runs, {failed}, {} queued", count("runs"), count("waiting")));
    if let Some(problem) = one["problem"].as_str() {
        output.line(&format!("  {} {}", output.paint("problem:", Tone::Bad), plain(problem)));
    }
}

fn told(output: &Output, firing: &Value) -> String {
    if firing["outcome"] == "fired" {
        let run = output.paint(&text(firing, "runId"), Tone::Quiet);
        return format!("{}  run {run} {}", text(firing, "scheduledAt"), text(firing, "runStatus"));
    }
    let count = firing["count"].as_u64().unwrap_or(1);
    let word = output.paint("skipped", Tone::Warn);
    format!("{}  {word} {count}: {}", text(firing, "scheduledAt"), text(firing, "reason"))
}

/// Nothing is opened but the file.
pub(crate) fn next(output: &Output, file: &Path, count: u32, from: Option<&str>) -> Done {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    let all = next_of_file(file, from, count as usize, now)?;
    for one in output.rows(&all, "It has no schedule.") {
        let title = one["title"].as_str().map(|title| format!("  {}", plain(title))).unwrap_or_default();
        output.line(&format!("{}{title}", text(one, "nodeId")));
        for next in one["next"].as_array().into_iter().flatten() {
            output.line(&format!("  {}  {}", text(next, "utc"), text(next, "local")));
        }
    }
    Ok(OK)
}
