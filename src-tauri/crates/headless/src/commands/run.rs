//! `run`, `resume` and `cancel`.

use super::{Done, input, told_to_stop};
use crate::args::{LogLevel, Run};
use crate::output::{CANCELLED, FAILED, OK, Output, PAUSED, STOPPED, Tone, duration, plain};
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller, Class, EventStream, NewRun, StartKey, StartOutcome, Told, WireEvent};
use signalbox_model::{Map, text::seen_json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

pub(crate) async fn run(app: &Arc<App>, output: &Output, args: &Run) -> Done {
    let (mut params, mut context) = input::parse(args.params.as_deref(), &args.set)?;
    let checkpoint = match args.from_checkpoint.clone() {
        Some(file) => Some(app.read_checkpoint(file).await?),
        None => None,
    };
    let imports = checkpoint.is_some();
    let mut overrides = Map::new();
    if imports {
        // Of a checkpoint each name of --set says what it changes (C-13).
        (params, context) = input::parse(args.params.as_deref(), &[])?;
        let (plain, variables) = input::parse(None, &args.set)?;
        overrides.extend(plain);
        overrides.extend(variables.into_iter().map(|(name, value)| (format!("${name}"), value)));
    }
    let caller = Caller::terminal(None)?;
    let key = args.key.as_deref().map(|key| StartKey::new(&caller, key)).transpose()?;
    let started = app
        .start_file(
            args.file.clone(),
            NewRun {
                params,
                context,
                origin: caller.origin(None),
                breakpoints: args.breaks.breakpoints(),
                paused: args.paused,
                until: args.until.clone(),
                pinned: args.pinned,
                checkpoint,
                overrides,
                key,
                ..NewRun::default()
            },
        )
        .await?;
    let run_id = match started {
        StartOutcome::New(run_id) => run_id,
        StartOutcome::Queued(run_id) => {
            output.log(LogLevel::Info, &format!("Run {run_id} is queued: it starts when its turn comes."));
            return follow(app, output, &run_id, args.events).await;
        }
        StartOutcome::Existing(run_id) => {
            output.log(LogLevel::Info, &format!("Run {run_id} was already started with this key."));
            take_up(app, &run_id).await?;
            return follow(app, output, &run_id, args.events).await;
        }
    };
    output.log(LogLevel::Info, &format!("Run {run_id} started."));
    if imports {
        let summary = app.summary(run_id.clone()).await?;
        for field in summary["importedFrom"]["leftOut"].as_array().into_iter().flatten() {
            let field = plain(field.as_str().unwrap_or_default());
            output.log(LogLevel::Warn, &format!("{field} of the checkpoint is ignored."));
        }
    }
    for warning in app.machine_warnings(args.file.clone()).await? {
        output.log(LogLevel::Warn, &format!("{}. {}.", warning.message, warning.hint));
    }
    follow(app, output, &run_id, args.events).await
}

/// Goes on with a run that may have been cut off. One that another process drives, or that has ended, is only followed.
async fn take_up(app: &Arc<App>, run_id: &str) -> Result<(), ApiError> {
    match app.resume(run_id.to_owned()).await {
        Err(error) if error.class == Class::NotFound => {
            let message = format!("Run {run_id} was started with this key and is deleted.");
            Err(ApiError::new(Class::NotFound, "NOT_FOUND", message, "Choose a new key to start another run."))
        }
        Err(error) if !matches!(error.code.as_str(), "DRIVEN_ELSEWHERE" | "RUN_ENDED" | "RUN_QUEUED") => Err(error),
        _ => Ok(()),
    }
}

/// How often a run that says nothing is asked whether it can go on.
const LOOK: Duration = Duration::from_secs(1);

/// Prints what happens in a run until it has ended or waits for a person.
pub(super) async fn follow(app: &Arc<App>, output: &Output, run_id: &str, print_events: bool) -> Done {
    // Behind events, each a line of JSON, a table would be no line of JSON.
    let tells = !output.json && !print_events;
    let mut steps = if tells { Some(Steps::of(app, run_id).await) } else { None };
    let mut events = app.subscribe(&Caller::terminal(None)?, run_id.to_owned(), 0).await?;
    let mut interrupted = std::pin::pin!(told_to_stop());
    let mut waiting = std::pin::pin!(app.wait_told(run_id.to_owned()));
    let mut summary = None;
    let mut told = None;
    loop {
        let batch = tokio::select! {
            biased;
            batch = next(&mut events, print_events) => batch,
            ended = &mut waiting, if summary.is_none() => {
                let ended = ended?;
                if ended.summary["status"] == "paused" {
                    events.end_with_what_is_stored();
                }
                summary = Some(ended);
                continue;
            }
            () = &mut interrupted => return stopped(app, output, run_id).await,
            () = tokio::time::sleep(LOOK) => {
                let trouble = app.trouble(run_id);
                if trouble != told {
                    trouble.iter().for_each(|(_, why)| output.aside(&format!("The run is waiting: {why}.")));
                    told = trouble;
                }
                if let Some(steps) = &mut steps && let Some(id) = steps.begun.take() {
                    output.aside(&format!("… {}", steps.titles.name(&id)));
                }
                continue;
            }
        };
        let Some(batch) = batch else { break };
        for event in &batch {
            if print_events {
                output.json_line(&event.text);
            }
            steps.iter_mut().for_each(|steps| steps.take(event));
        }
    }
    let told = match summary {
        Some(told) => told,
        None => tokio::select! {
            told = &mut waiting => told?,
            () = &mut interrupted => return stopped(app, output, run_id).await,
        },
    };
    if output.json {
        output.json_line(&told.text);
    } else if let Some(steps) = steps {
        steps.print(output, &told.summary);
        outcome(output, &told, &steps.titles);
    }
    Ok(exit_of(&told.summary))
}

/// Events that nobody prints are not written: those of a long list are long.
async fn next(events: &mut EventStream, print_events: bool) -> Option<Vec<WireEvent>> {
    if print_events { events.next().await } else { events.next_heads().await }
}

async fn stopped(app: &Arc<App>, output: &Output, run_id: &str) -> Done {
    app.shut_down().await;
    output.aside(&format!("Stopped. Nothing is lost; continue with: signalbox resume {run_id}"));
    if output.json {
        output.value(&json!({ "runId": run_id, "stopped": true }));
    }
    Ok(STOPPED)
}

pub(crate) async fn resume(app: &Arc<App>, output: &Output, run: Option<&str>) -> Done {
    if let Some(run_id) = run {
        app.resume(run_id.to_owned()).await?;
        return follow(app, output, run_id, false).await;
    }
    let (resumed, problems) = app.resume_all().await?;
    problems.iter().for_each(|problem| eprintln!("{} {}", plain(&problem.message), plain(&problem.hint)));
    let mut summaries = Vec::new();
    for run_id in resumed {
        tokio::select! {
            told = app.wait_told(run_id.clone()) => summaries.push(told?),
            () = told_to_stop() => return stopped(app, output, &run_id).await,
        }
    }
    if output.json {
        let all: Vec<&str> = summaries.iter().map(|told| told.text.as_str()).collect();
        output.json_line(&format!("[{}]", all.join(",")));
    } else if summaries.is_empty() && problems.is_empty() {
        output.line("Nothing to resume.");
    } else {
        for told in &summaries {
            let titles = Titles::of(app, told.summary["runId"].as_str().unwrap_or_default()).await;
            outcome(output, told, &titles);
        }
    }
    let mut codes: Vec<u8> = summaries.iter().map(|told| exit_of(&told.summary)).collect();
    // One that was not taken up has not ended well.
    codes.extend(problems.iter().map(|_| FAILED));
    Ok([FAILED, PAUSED, CANCELLED].into_iter().find(|code| codes.contains(code)).unwrap_or(OK))
}

pub(crate) async fn cancel(app: &Arc<App>, output: &Output, run_id: &str) -> Done {
    app.dispatch(&Caller::terminal(None)?, "run_cancel", json!({ "runId": run_id })).await?;
    let summary = app.wait_cancelled(run_id.to_owned()).await?;
    if output.json {
        output.value(&json!({ "runId": run_id, "status": summary["status"] }));
    } else if summary["status"] == "cancelled" {
        output.line(&format!("Run {run_id} was cancelled."));
    } else {
        output.line(&format!("Run {run_id} will be cancelled by the process that is executing it."));
    }
    Ok(OK)
}

/// Exit code of a summary.
pub(crate) fn exit_of(summary: &Value) -> u8 {
    match summary["status"].as_str() {
        Some("completed") => OK,
        Some("cancelled") => CANCELLED,
        Some("paused" | "queued" | "running" | "created") => PAUSED,
        _ => FAILED,
    }
}

/// The steps by the names that people gave them: a step that was never called has no event that says it.
struct Titles(Value);

impl Titles {
    async fn of(app: &Arc<App>, run_id: &str) -> Self {
        let details = app.dispatch(&Caller::here(), "run_get", json!({ "runId": run_id })).await;
        // Without them the ids say it.
        Self(details.map(|mut run| run["definition"]["nodes"].take()).unwrap_or_default())
    }

    fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.0[id]["title"].as_str().filter(|title| !title.is_empty()).unwrap_or(id)
    }

    /// The path stays in the run's own file. A branch is named by its entry, which is no container of the path.
    fn is_own(&self, path: &str) -> bool {
        let mut parts = path.split('/');
        while let Some(part) = parts.next() {
            let id = part.split_once('[').map_or(part, |(id, _)| id);
            match self.0[id]["type"].as_str() {
                Some("flow.loop") => {}
                Some("flow.parallel") => _ = parts.next(),
                _ => return false,
            }
        }
        true
    }
}

/// Times and calls of the steps, from the events.
struct Steps {
    titles: Titles,
    order: Vec<String>,
    by_id: HashMap<String, Step>,
    /// The step that began last, and takes its time; each is told once.
    begun: Option<String>,
}

#[derive(Default)]
struct Step {
    first: i64,
    last: i64,
}

impl Steps {
    async fn of(app: &Arc<App>, run_id: &str) -> Self {
        let titles = Titles::of(app, run_id).await;
        Self { titles, order: Vec::new(), by_id: HashMap::new(), begun: None }
    }

    fn take(&mut self, event: &WireEvent) {
        let Some(id) = event.step_id.as_deref() else { return };
        // A step of a called file may have the id of one here: the step that called it stands for it.
        if !event.path.as_deref().is_none_or(|path| self.titles.is_own(path)) {
            return;
        }
        let ts = signalbox_model::time::parse(&event.ts).unwrap_or_default();
        if !self.by_id.contains_key(id) {
            self.order.push(id.to_owned());
            self.by_id.insert(id.to_owned(), Step { first: ts, last: ts });
        }
        let Some(step) = self.by_id.get_mut(id) else { return };
        step.last = ts;
        match event.kind.as_str() {
            "step_start" => self.begun = Some(id.to_owned()),
            _ if self.begun.as_deref() == Some(id) => self.begun = None,
            _ => {}
        }
    }

    fn print(&self, output: &Output, summary: &Value) {
        let Some(all) = summary["steps"].as_object() else { return };
        let silent = all.keys().filter(|id| !self.by_id.contains_key(*id));
        for id in self.order.iter().filter(|id| all.contains_key(*id)).chain(silent) {
            let state = all.get(id).and_then(|step| step["state"].as_str()).unwrap_or_default();
            let count = |key: &str| all.get(id).and_then(|step| step[key].as_u64()).unwrap_or_default();
            let (attempts, visits) = (count("attempts"), count("visits"));
            let (mark, tone) = match state {
                "SUCCEEDED" => ("✓", Tone::Good),
                "ERROR_HANDLED" => ("!", Tone::Warn),
                "FAILED" => ("✗", Tone::Bad),
                _ => ("·", Tone::Quiet),
            };
            let step = self.by_id.get(id);
            let name = self.titles.name(id);
            let word = state.to_lowercase().replace('_', " ");
            let mut line = format!("{} {:<28} {:<14}", output.paint(mark, tone), plain(name), word);
            if let Some(step) = step.filter(|_| attempts > 0) {
                line.push_str(&format!(" {:>10}", duration(step.last - step.first)));
                if visits > 1 {
                    line.push_str(&format!("  {visits} items"));
                }
                if attempts > visits {
                    line.push_str(&format!("  {attempts} attempts"));
                }
            }
            output.line(line.trim_end());
        }
    }
}

/// The last lines for people.
fn outcome(output: &Output, told: &Told, titles: &Titles) {
    let summary = &told.summary;
    let text = |key: &str| summary[key].as_str().unwrap_or_default();
    let time = duration(summary["durationMs"].as_i64().unwrap_or_default());
    let run_id = text("runId");
    match text("status") {
        "completed" => {
            output.line(&format!("{} in {time}  ({run_id})", output.paint("Completed", Tone::Good)));
            let mut values = told.output();
            for value in values.by_ref().take(SHOWN) {
                output.line_of("  ", &seen_json(value));
            }
            let more = values.count();
            if more > 0 {
                output.line(&format!("  and {more} more: signalbox runs show {run_id}"));
            }
        }
        "failed" => {
            let error = &summary["error"];
            output.line(&format!("{} after {time}  ({run_id})", output.paint("Failed", Tone::Bad)));
            let step = plain(titles.name(text("failedStepId")));
            output.line(&format!("  {step}: {}", plain(error["message"].as_str().unwrap_or("no message"))));
            if let Some(code) = error["details"]["code"].as_str() {
                output.line(&format!("  {} {code}", error["type"].as_str().unwrap_or_default()));
            }
            if error["details"]["effect"] == "unknown" {
                output.line("  The request may still have succeeded: check before you run it again.");
            }
        }
        "cancelled" => output.line(&format!("{} after {time}  ({run_id})", output.paint("Cancelled", Tone::Warn))),
        "paused" if summary["stopped"].is_object() => {
            let at = &summary["stopped"];
            super::debug::stopped(output, run_id, at, titles.name(at["stepId"].as_str().unwrap_or_default()));
        }
        status => {
            output.line(&format!("{} after {time}: waits for a person  ({run_id})", output.paint(status, Tone::Warn)));
            open_tasks(output, summary);
        }
    }
}

/// So many items of the output are shown: with more of them what was said of the run would be out of sight.
const SHOWN: usize = 100;
/// So many open tasks are named.
const NAMED: usize = 5;

/// What a run asks, and what answers it.
fn open_tasks(output: &Output, summary: &Value) {
    let tasks: Vec<&str> = summary["openTasks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for task in tasks.iter().take(NAMED) {
        output.line(&format!("  Show the task: signalbox tasks show {task}"));
    }
    if tasks.len() > NAMED {
        output.line(&format!("  and {} more: signalbox tasks list", tasks.len() - NAMED));
    }
    if let Some(first) = tasks.first() {
        output.line(&format!("  Answer it:     signalbox tasks complete {first} --action ACTION"));
    }
}
