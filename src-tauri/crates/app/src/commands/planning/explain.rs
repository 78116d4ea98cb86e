//! What a workflow does and why a run failed, from the file and the events alone. Values that are masked for the caller stay so.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{ExplainedLine, PlanExplanation};
use crate::error::ApiResult;
use crate::workflows::check;
use serde_json::Value;
use signalbox_engine::validate::check_bytes;
use signalbox_planner::calls;
use std::collections::BTreeSet;

/// Events of one read, and of a run that is explained.
const PAGE: usize = 500;
const MOST_EVENTS: u64 = 20_000;
/// Lines of an explanation.
const LINES: usize = 100;
/// Characters of a text of a service.
const LONGEST: usize = 600;

fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        cut.push('…');
    }
    cut
}

fn title_of(document: &Value, step: &str) -> Option<String> {
    let node = document["nodes"].get(step)?;
    let kind = node["type"].as_str().and_then(|kind| check::catalog().get(kind));
    let title = node["title"].as_str().or_else(|| kind.map(|kind| kind.title.as_str()));
    Some(title.unwrap_or(step).to_owned())
}

/// The steps in the order in which they follow one another.
fn in_order(document: &Value) -> Vec<String> {
    let ids: Vec<String> = document["nodes"].as_object().into_iter().flatten().map(|(id, _)| id.clone()).collect();
    let edges: Vec<(String, String)> = document["edges"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|edge| {
            let from = edge["from"].as_str()?.rsplit_once('.')?.0;
            Some((from.to_owned(), edge["to"].as_str()?.to_owned()))
        })
        .collect();
    let (mut done, mut order) = (BTreeSet::new(), Vec::new());
    while order.len() < ids.len() {
        let open = || ids.iter().filter(|id| !done.contains(*id));
        let free =
            |id: &&String| edges.iter().all(|(from, to)| to != *id || done.contains(from) || !ids.contains(from));
        // In a circle the first one that is drawn begins.
        let Some(next) = open().find(free).or_else(|| open().next()).cloned() else { break };
        done.insert(next.clone());
        order.push(next);
    }
    order
}

/// What a workflow does: a line for each step.
pub(super) fn workflow(document: &Value) -> PlanExplanation {
    let checked = check_bytes(document.to_string().as_bytes(), check::catalog());
    let outside = checked.workflow.map(|workflow| calls(&workflow, check::catalog(), &BTreeSet::new()));
    let outside = outside.unwrap_or_default();
    let lines = in_order(document).into_iter().take(LINES).map(|id| {
        let node = &document["nodes"][&id];
        let kind = node["type"].as_str().and_then(|kind| check::catalog().get(kind));
        let about = node["description"].as_str().or_else(|| kind.map(|kind| kind.description.as_str()));
        let mut text = cut(about.unwrap_or_default());
        if let Some(call) = outside.iter().find(|call| call.step == id && !call.target.is_empty()) {
            text = format!("{text} ({}: {})", call.effect, cut(&call.target));
        }
        ExplainedLine { text, title: title_of(document, &id), step: Some(id), ..ExplainedLine::default() }
    });
    PlanExplanation { lines: lines.collect(), ..PlanExplanation::default() }
}

/// Why a run stands where it does: its errors and what it waits for, each with its event.
pub(super) fn run(app: &App, caller: &Caller, document: &Value, run_id: &str) -> ApiResult<PlanExplanation> {
    let row = app.store.run(run_id)?;
    let masked = app.masks(caller, run_id);
    let mut lines = Vec::new();
    let mut after = 0;
    while after < MOST_EVENTS && lines.len() < LINES {
        let page = app.store.events(run_id, after, PAGE)?;
        let Some(last) = page.last().and_then(|event| event.seq) else { break };
        for event in app.wire_events(masked, run_id, &page)? {
            let interesting = ["step_error", "step_interrupted", "human_task_created", "workflow_error"];
            if !interesting.contains(&event.kind.as_str()) {
                continue;
            }
            let told: Value = serde_json::from_str(&event.text).unwrap_or_default();
            let error = &told["payload"]["error"];
            let text = |value: &Value| value.as_str().map(cut);
            let waits = (event.kind == "human_task_created").then(|| "It waits for a person.".to_owned());
            let message = text(&error["message"]).or(waits).unwrap_or_else(|| event.kind.clone());
            lines.push(ExplainedLine {
                text: message,
                title: event.step_id.as_deref().and_then(|step| title_of(document, step)),
                step: event.step_id.clone(),
                seq: event.seq,
                code: text(&error["details"]["code"]).or_else(|| text(&error["type"])),
            });
        }
        after = last;
    }
    lines.truncate(LINES);
    let status = serde_json::to_value(row.status).ok().and_then(|status| status.as_str().map(str::to_owned));
    Ok(PlanExplanation { run_id: Some(run_id.to_owned()), status, lines })
}
