//! Looking into a run from the terminal (ADR 33).

use super::run::follow;
use super::{Done, input};
use crate::args::{Breaks, RunsDebug};
use crate::output::{OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{App, Caller};
use signalbox_model::base::parted;
use signalbox_model::debug::Breakpoint;
use signalbox_model::text::seen_json;
use std::sync::Arc;

impl Breaks {
    /// What was named. A step's name has no `=`, so the first one begins the condition; what stands before a `:` is the
    /// wire that leads to it, in the same place.
    pub(crate) fn breakpoints(&self) -> Vec<Breakpoint> {
        let read = |text: &String| {
            let (place, when) = text.split_once('=').map_or((text.as_str(), None), |(place, when)| (place, Some(when)));
            let (from, node) = match place.split_once(':') {
                None => (None, place.to_owned()),
                Some((from, step)) => match parted(from) {
                    (None, from) => (Some(from.to_owned()), step.to_owned()),
                    (Some(path), from) => (Some(from.to_owned()), format!("{path}/{step}")),
                },
            };
            Breakpoint { node, from, when: when.map(str::to_owned) }
        };
        self.break_at.iter().map(read).collect()
    }
}

pub(crate) async fn debug(app: &Arc<App>, output: &Output, command: &RunsDebug) -> Done {
    let caller = Caller::terminal(None)?;
    match command {
        RunsDebug::Pause { run } => {
            app.dispatch(&caller, "run_pause", json!({ "runId": run })).await?;
            follow(app, output, run, false).await
        }
        RunsDebug::Continue { run } => {
            app.dispatch(&caller, "run_continue", json!({ "runId": run })).await?;
            follow(app, output, run, false).await
        }
        RunsDebug::Step { run } => {
            app.dispatch(&caller, "run_step", json!({ "runId": run })).await?;
            follow(app, output, run, false).await
        }
        RunsDebug::Break { run, breaks } => {
            let breakpoints = breaks.breakpoints();
            app.dispatch(&caller, "run_breakpoints", json!({ "runId": run, "breakpoints": breakpoints })).await?;
            if output.json {
                output.value(&json!({ "runId": run, "breakpoints": breakpoints }));
            } else {
                output.line(&format!("Run {run} has {} breakpoints now.", breakpoints.len()));
            }
            Ok(OK)
        }
        RunsDebug::Waiting { run } => {
            let found = app.dispatch(&caller, "run_debug", json!({ "runId": run })).await?;
            if output.json {
                output.value(&found);
            } else {
                waiting(output, &found);
            }
            Ok(OK)
        }
        RunsDebug::Edit { run, step, item, input: given } => {
            let (path, step) = parted(step);
            let mut request = json!({ "runId": run, "stepId": step, "input": input::value("--input", given)? });
            if let Some(path) = path {
                request["path"] = path.into();
            }
            if let Some(item) = item {
                request["item"] = json!(item);
            }
            let edited = app.dispatch(&caller, "run_edit_input", request).await?;
            if output.json {
                output.value(&edited);
            } else {
                for change in edited["patch"].as_array().into_iter().flatten() {
                    output.line(&seen_json(&change.to_string()));
                }
                output.line("The step starts with this input when the run continues.");
            }
            Ok(OK)
        }
    }
}

/// `loop[3]/step[2]`, as `--step` and `--item` name it.
fn place(call: &Value) -> String {
    let path = call["path"].as_str().map(|path| format!("{path}/")).unwrap_or_default();
    let item = call["item"].as_u64().map(|item| format!(" --item {item}")).unwrap_or_default();
    plain(&format!("{path}{}{item}", call["stepId"].as_str().unwrap_or("?")))
}

fn waiting(output: &Output, found: &Value) {
    if !found["stopped"].is_object() {
        output.line("The run is not stopped.");
    } else if found["underWay"].as_u64().is_some_and(|count| count > 0) {
        output.line(&format!("{} running calls finish first.", found["underWay"]));
    }
    for breakpoint in found["breakpoints"].as_array().into_iter().flatten() {
        let when = breakpoint["when"].as_str().map(|when| format!(" when {}", plain(when))).unwrap_or_default();
        let wire =
            breakpoint["from"].as_str().map(|from| format!(" on the wire from {}", plain(from))).unwrap_or_default();
        output.line(&format!("Breakpoint at {}{wire}{when}", plain(breakpoint["node"].as_str().unwrap_or_default())));
    }
    for call in found["waiting"].as_array().into_iter().flatten() {
        output.line(&format!("{} {}", output.paint("Waits", Tone::Warn), place(call)));
        output.line(&format!("  {}", seen_json(&call["input"].to_string())));
    }
}

/// Why and where a run stopped, and how it goes on.
pub(super) fn stopped(output: &Output, run_id: &str, stopped: &Value, name: &str) {
    let word = |key: &str| stopped[key].as_str().map(plain);
    let at = match word("stepId") {
        Some(_) => format!("before {}", plain(&format!("{name} ({})", place(stopped)))),
        None => "by request".to_owned(),
    };
    let wire = word("from").map(|from| format!(" on the wire from {from}")).unwrap_or_default();
    let why = match (word("reason").as_deref(), word("condition")) {
        (Some("breakpoint"), Some(condition)) => format!(", at the breakpoint{wire} {condition}"),
        (Some("breakpoint"), None) => format!(", at a breakpoint{wire}"),
        (Some("step"), _) => ", after one step".to_owned(),
        _ => String::new(),
    };
    output.line(&format!("{} {at}{why}", output.paint("Stopped", Tone::Warn)));
    if let Some(error) = word("conditionError") {
        output.line(&format!("  The condition cannot be evaluated, so it counts as true: {error}"));
    }
    output.line(&format!("  Continue: signalbox runs continue {run_id}   One step: signalbox runs step {run_id}"));
}
