//! When a schedule fires next: for the editor, and for a file that nobody has activated.

use crate::dto::{SchedulePreview, SchedulePreviewRequest, ScheduledTime};
use crate::error::{ApiError, ApiResult, Class};
use crate::workflows::check;
use crate::workflows::library::load;
use serde_json::{Value, json};
use signalbox_engine::schedule::{KIND, Problem, Schedule};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Diagnostic, time};
use std::path::Path;

/// Times of one answer.
const MOST: usize = 1_000;

/// The next times after a moment.
pub(crate) fn next_times(schedule: &Schedule, after_ms: i64, count: usize) -> Vec<ScheduledTime> {
    let tell = |tick| ScheduledTime { utc: time::format(tick), local: schedule.local(tick) };
    schedule.ticks(after_ms).take(count.min(MOST)).map(tell).collect()
}

fn from_ms(from: Option<&str>, now_ms: i64) -> ApiResult<i64> {
    let Some(from) = from else { return Ok(now_ms) };
    time::parse(from).ok_or_else(|| {
        ApiError::bad_request(format!("'{from}' is not a moment."), "Write one like 2026-12-24T18:00:00Z.")
    })
}

fn told(problem: Problem, at: &str) -> Diagnostic {
    Diagnostic::error(problem.code, format!("{at}{}", problem.path), problem.message, problem.hint)
}

/// When the settings of a schedule step would fire.
pub(crate) fn preview(request: &SchedulePreviewRequest, now_ms: i64) -> ApiResult<SchedulePreview> {
    let from = from_ms(request.from.as_deref(), now_ms)?;
    let count = request.count.unwrap_or(5).min(100) as usize;
    Ok(match Schedule::read(&request.config) {
        Ok(schedule) => SchedulePreview { next: next_times(&schedule, from, count), diagnostics: Vec::new() },
        Err(problems) => SchedulePreview {
            next: Vec::new(),
            diagnostics: problems.into_iter().map(|problem| told(problem, "")).collect(),
        },
    })
}

/// The next times of every schedule of a file: `[{nodeId, title, config, next: [{utc, local}]}]`. Nothing is opened but
/// the file.
pub fn next_of_file(file: &Path, from: Option<&str>, count: usize, now_ms: i64) -> ApiResult<Value> {
    let from = from_ms(from, now_ms)?;
    let (document, _) = check::readable(&load(file)?.bytes)?;
    let workflow = check::workflow(document)?;
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.kind == KIND) {
        let config = node.config.clone().unwrap_or_else(|| json!({}));
        match Schedule::read(&config) {
            Ok(schedule) => rows.push(json!({
                "nodeId": id, "title": node.title, "config": config, "next": next_times(&schedule, from, count),
            })),
            Err(found) => {
                let at = format!("/nodes/{}/config", pointer_token(id));
                problems.extend(found.into_iter().map(|problem| told(problem, &at)));
            }
        }
    }
    if !problems.is_empty() {
        let message = "A schedule of the workflow cannot be used.";
        return Err(ApiError::new(Class::Invalid, "INVALID_WORKFLOW", message, "Fix what the diagnostics say.")
            .with(json!({ "diagnostics": problems })));
    }
    if rows.is_empty() {
        return Err(no_trigger(&workflow.name));
    }
    Ok(Value::Array(rows))
}

/// No trigger starts the workflow.
pub(crate) fn no_trigger(name: &str) -> ApiError {
    let message = format!("'{name}' has no trigger that can be activated.");
    ApiError::new(
        Class::Invalid,
        "NO_TRIGGER",
        message,
        "Add a trigger, such as Schedule (trigger.schedule), as the first step.",
    )
}
