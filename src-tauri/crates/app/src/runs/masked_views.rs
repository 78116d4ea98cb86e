//! Runs as those see them who may not see all of their data: the same masks as around tasks (TS-052), put on whole events
//! before anything else looks at them. Summaries, values, previews and streams are made of what is masked already, so that
//! no way of asking shows more than another. A builder's answers never pass here.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{CallerRole, Steps};
use crate::error::{ApiError, ApiResult};
use serde_json::{Map, Value, json};
use signalbox_model::base::Base;
use signalbox_model::{EventBody, RunEvent, Workflow};
use signalbox_store::mask::{self, Masks, keeps_masks};
use signalbox_store::{Store, StoreError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How long somebody who said why sees a run as it is.
const REVEALED_MS: i64 = 15 * 60 * 1_000;
/// Runs whose masks are kept.
const KEPT: usize = 64;
/// Events of one read,
const PAGE: usize = 500;
/// and about how many bytes of their values.
const PAGE_BYTES: usize = 4 * 1024 * 1024;
/// Fields of payloads that are nobody's data: ids, digests, times, names of steps and people who act.
const PLAIN: &[&str] = &[
    "version",
    "seed",
    "type",
    "taskId",
    "operatorId",
    "idempotencyKey",
    "fingerprint",
    "waitToken",
    "parentRunId",
    "originStepId",
    "failed_step_id",
    "resumedFrom",
    "until",
    "supersededBy",
    "keptFrom",
    "origin",
    "ports",
    "selected",
    "redact",
    "allowedActions",
    "action",
    "assignee",
    "candidateGroups",
    "to",
    "nodeId",
    "requestId",
    "duration_ms",
    "meta",
    "alternatives",
    "onExpiry",
    "name",
    "rule",
    "tool_use_id",
    "finish_reason",
    "model",
    "usage",
    "latency_ms",
    "code",
    "level",
];

/// Who was shown what until when, and the masks of the runs that were looked at last.
#[derive(Debug, Default)]
pub(crate) struct Masked {
    revealed: Mutex<HashMap<(String, String), i64>>,
    runs: Mutex<Vec<(String, Arc<Mutex<RunMasks>>)>>,
}

/// The masks of one run. They know what was hidden in its events so far, so that a later message does not tell it.
#[derive(Debug)]
pub(crate) struct RunMasks {
    masks: Masks,
    seen: u64,
}

/// The frame of what a step puts out: `{port: [{data}]}`.
pub(crate) const ITEMS: usize = 3;
/// The frame of an error: its own fields.
pub(crate) const ERROR: usize = 1;

/// What a tool wrote as JSON: its names hide values as they do anywhere.
fn written(content: &Value) -> Option<Value> {
    content
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok())
        .filter(|value: &Value| value.is_object() || value.is_array())
}

/// A tool's answer as it came: what it wrote as JSON in a part of text is read, and written back by `change`.
fn each_text(envelope: &mut Value, mut change: impl FnMut(Value) -> Value) {
    let parts = envelope.get_mut("content").and_then(Value::as_array_mut);
    for part in parts.into_iter().flatten().filter(|part| part["type"] == "text") {
        if let Some(value) = written(&part["text"]) {
            part["text"] = change(value).to_string().into();
        }
    }
}

/// How many names of a payload's field are its frame: `input` is `[{item, data}]`.
fn frame(event: &str, field: &str) -> usize {
    match (event, field) {
        ("step_start", "input") => 2,
        ("step_done", "items") => ITEMS,
        ("step_start", "configs") | (_, "patch") => 1,
        (_, "error") => ERROR,
        _ => 0,
    }
}

impl RunMasks {
    fn new(workflows: &[Arc<Workflow>]) -> Self {
        let pointers: Vec<String> = workflows.iter().flat_map(|workflow| mask::pointers(workflow)).collect();
        Self { masks: Masks::new(&pointers), seen: 0 }
    }

    /// Learns what an event hides; events come in order, those that were seen are passed over.
    fn learn(&mut self, event: &RunEvent) {
        let Some(seq) = event.seq.filter(|seq| *seq > self.seen) else { return };
        self.seen = seq;
        self.learn_from(event);
    }

    fn learn_from(&mut self, event: &RunEvent) {
        let kind = event.body.type_name();
        let payload = serde_json::to_value(signalbox_model::event::Payload(&event.body)).unwrap_or_default();
        for (field, value) in payload.as_object().into_iter().flatten() {
            match field.as_str() {
                // Pieces of a text are hidden whole; the text itself comes with the result of the step.
                "delta" | "asked" | "held" => {}
                "content" if kind == "llm_tool_result" => {
                    if let Some(value) = written(value) {
                        self.masks.learn(&value, 0);
                    }
                }
                "toolResult" => {
                    self.masks.learn(value, 0);
                    each_text(&mut value.clone(), |value| {
                        self.masks.learn(&value, 0);
                        value
                    });
                }
                // Cut out of what stands beside it.
                "inputSummary" | "outputSummary" => {}
                // What an error says beside its input was made by programs.
                "error" => value.pointer("/details/input").into_iter().for_each(|input| self.masks.learn(input, 0)),
                field if PLAIN.contains(&field) => {}
                field => self.masks.learn(value, frame(kind, field)),
            }
            if let (Some(name), "newValue" | "oldValue") = (payload["name"].as_str(), field.as_str()) {
                let named = Map::from_iter([(name.trim_start_matches('$').to_owned(), value.clone())]);
                self.masks.learn(&Value::Object(named), 0);
            }
        }
    }

    /// Learns from the store everything up to an event.
    fn advance(&mut self, store: &Store, run_id: &str, to: u64) -> Result<(), StoreError> {
        while self.seen < to {
            let page = store.event_page(run_id, self.seen, PAGE, PAGE_BYTES)?.events;
            if page.is_empty() {
                break;
            }
            page.iter().for_each(|event| self.learn(event));
        }
        self.masks.remember();
        Ok(())
    }

    /// An event, masked, not cut.
    pub(crate) fn event(&mut self, event: &RunEvent) -> Value {
        let kind = event.body.type_name();
        let mut whole = serde_json::to_value(event).unwrap_or_default();
        // What a re-run has of its original is looked at there.
        if let Some(payload) = whole["payload"].as_object_mut() {
            payload.remove("base");
        }
        let by_model = kind == "auto_fix_attempt" && !whole["payload"]["asked"].is_null();
        let variable = whole["payload"]["name"].as_str().map(|name| name.trim_start_matches('$').to_owned());
        for (field, value) in whole["payload"].as_object_mut().into_iter().flatten() {
            let frame = frame(kind, field);
            *value = match (field.as_str(), &variable) {
                (field, _) if PLAIN.contains(&field) => self.masks.texts(value),
                ("newValue" | "oldValue", Some(name)) => {
                    let named = Value::Object(Map::from_iter([(name.clone(), value.take())]));
                    self.masks.inside(&named, 0)[name.as_str()].take()
                }
                ("patch", _) if matches!(kind, "input_edited" | "auto_fix_attempt") => self.masks.patch(value),
                // They quote what was proposed, and of a refused answer nothing was learned.
                ("violations", _) if by_model => {
                    for words in value.as_array_mut().into_iter().flatten() {
                        *words = mask::NAMELESS.into();
                    }
                    value.take()
                }
                // What is personal may begin in one piece and end in the next: no pattern would find it.
                ("delta", _) => mask::NAMELESS.into(),
                // A whole conversation; its parts stand in events of their own.
                ("held", _) if kind == "step_error" => mask::NAMELESS.into(),
                // What a model answered, as its pieces.
                ("asked", _) if value.get("answer").is_some() => {
                    let mut asked = value.take();
                    asked["answer"] = mask::NAMELESS.into();
                    asked
                }
                ("content", _) if kind == "llm_tool_result" => match written(value) {
                    Some(value) => self.masks.inside(&value, 0).to_string().into(),
                    None => self.masks.inside(value, 0),
                },
                ("toolResult", _) => {
                    each_text(value, |value| self.masks.inside(&value, 0));
                    self.masks.inside(value, frame)
                }
                // The same data as one text, cut: no name hides anything in it, and half a value is no known one.
                ("inputSummary" | "outputSummary", _) => mask::NAMELESS.into(),
                ("message", _) if kind == "tool_message" => match written(value) {
                    Some(value) => self.masks.inside(&value, 0).to_string().into(),
                    // Data written out behind other words, or cut: its names cannot be read any more.
                    None if value.as_str().is_some_and(|text| text.contains('{')) => mask::NAMELESS.into(),
                    None => self.masks.inside(value, frame),
                },
                _ => self.masks.inside(value, frame),
            };
        }
        whole
    }

    /// What a re-run has of its original, masked.
    fn kept(&mut self, events: &[RunEvent]) -> Vec<Value> {
        events.iter().for_each(|event| self.learn_from(event));
        self.masks.remember();
        events.iter().map(|event| self.event(event)).collect()
    }

    /// What a re-run begins with, masked: events of its original, and what it was given besides.
    fn base(&mut self, base: &Base) -> Value {
        let events = self.kept(&base.events);
        let mut whole = serde_json::to_value(base).unwrap_or_default();
        let mut inside = |value: &mut Value, frame: usize| *value = self.masks.inside(value, frame);
        for (field, value) in whole.as_object_mut().into_iter().flatten() {
            match field.as_str() {
                "events" => {}
                "begun" => {
                    for begun in value.as_array_mut().into_iter().flatten() {
                        begun
                            .get_mut("input")
                            .into_iter()
                            .for_each(|input| inside(input, frame("step_start", "input")));
                        begun.get_mut("context").into_iter().for_each(|context| inside(context, 0));
                    }
                }
                "answers" => {
                    for kept in value.as_array_mut().into_iter().flatten() {
                        kept.get_mut("answer").into_iter().for_each(|answer| inside(answer, 0));
                    }
                }
                "sent" => value.get_mut("error").into_iter().for_each(|error| inside(error, ERROR)),
                "foreign" => value.get_mut("item").into_iter().for_each(|item| inside(item, 0)),
                // `given`, and a reason in somebody's words.
                _ => inside(value, 0),
            }
        }
        whole["events"] = Value::Array(events);
        whole
    }

    /// A summary: context, output and error are data; why a run stopped may name some.
    pub(crate) fn summary(&mut self, summary: &mut Value) {
        for (field, frame) in [("context", 0), ("output", 1), ("error", ERROR), ("stopped", 1)] {
            if let Some(value) = summary.get_mut(field) {
                *value = self.masks.inside(value, frame);
            }
        }
    }

    pub(crate) fn text(&mut self, text: &str) -> String {
        self.masks.text(text)
    }

    pub(crate) fn data(&mut self, value: &Value) -> Value {
        self.masks.inside(value, 0)
    }

    /// What somebody made of masked data: masks stand for the values that they hide.
    pub(crate) fn lift(&self, value: Value) -> Value {
        self.masks.lift(value)
    }
}

/// Whether the masks in what somebody made of masked data stand where their values are masked again in a run that knows
/// nothing else: elsewhere the value could be read there. `lifted` is the same with the values in their places.
pub(crate) fn hides_again(workflows: &[Arc<Workflow>], given: &Value, lifted: &Value) -> bool {
    let mut fresh = RunMasks::new(workflows);
    fresh.masks.learn(lifted, 0);
    let shown = fresh.data(lifted);
    keeps_masks(&fresh.data(given), &shown)
}

/// A workflow file for those who may not see what somebody wrote into it: configs and first values are masked, the rest
/// keeps its names.
pub(crate) fn definition(masks: &mut Masks, file: &Value) -> Value {
    let mut file = file.clone();
    for (_, node) in file.get_mut("nodes").and_then(Value::as_object_mut).into_iter().flatten() {
        for (field, value) in node.as_object_mut().into_iter().flatten() {
            *value = match field.as_str() {
                "config" | "in" | "pinned" | "fault" => masks.inside(value, 0),
                _ => masks.texts(value),
            };
        }
    }
    if let Some(initial) = file.pointer_mut("/context/initial") {
        *initial = masks.inside(initial, 0);
    }
    file
}

impl App {
    /// Whether a caller sees data only with masks. A builder makes the workflows that handle it; everybody else sees it as
    /// in the inbox, and an operator may say why and look.
    pub(crate) fn masks(&self, caller: &Caller, run_id: &str) -> bool {
        if caller.role >= CallerRole::Builder {
            return false;
        }
        let revealed = self.masked.revealed.lock().unwrap_or_else(PoisonError::into_inner);
        let until = revealed.get(&(caller.principal.clone(), run_id.to_owned()));
        caller.role < CallerRole::Operator || until.is_none_or(|until| *until <= self.now_ms())
    }

    /// From now on, and for a while, the caller sees a run as it is; until when, in milliseconds since 1970.
    pub(crate) fn reveal_run(&self, caller: &Caller, run_id: &str) -> i64 {
        let now = self.now_ms();
        let mut revealed = self.masked.revealed.lock().unwrap_or_else(PoisonError::into_inner);
        revealed.retain(|_, until| *until > now);
        revealed.insert((caller.principal.clone(), run_id.to_owned()), now + REVEALED_MS);
        now + REVEALED_MS
    }

    /// Does something with the masks of a run that know its events up to `to`.
    pub(crate) fn with_masks<T>(&self, run_id: &str, to: u64, work: impl FnOnce(&mut RunMasks) -> T) -> ApiResult<T> {
        let mut kept = self.masked.runs.lock().unwrap_or_else(PoisonError::into_inner);
        // What is looked at goes to the end: the first is the one that goes.
        let found = kept.iter().position(|(run, _)| run == run_id).map(|at| {
            let one = kept.remove(at);
            let masks = Arc::clone(&one.1);
            kept.push(one);
            masks
        });
        drop(kept);
        let masks = match found {
            Some(masks) => masks,
            None => {
                let masks = Arc::new(Mutex::new(RunMasks::new(&self.pinned_all(&self.store.run(run_id)?)?)));
                let mut kept = self.masked.runs.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() >= KEPT {
                    kept.remove(0);
                }
                kept.push((run_id.to_owned(), Arc::clone(&masks)));
                masks
            }
        };
        let mut masks = masks.lock().unwrap_or_else(PoisonError::into_inner);
        masks.advance(&self.store, run_id, to)?;
        Ok(work(&mut masks))
    }

    /// Events as a caller may see them, not cut.
    pub(crate) fn events_for(&self, caller: &Caller, run_id: &str, events: &[RunEvent]) -> ApiResult<Vec<Value>> {
        if !self.masks(caller, run_id) {
            return Ok(events.iter().filter_map(|event| serde_json::to_value(event).ok()).collect());
        }
        self.masked_events(run_id, events)
    }

    /// Events with masks, not cut.
    pub(crate) fn masked_events(&self, run_id: &str, events: &[RunEvent]) -> ApiResult<Vec<Value>> {
        let last = events.iter().filter_map(|event| event.seq).max().unwrap_or_default();
        self.with_masks(run_id, last, |masks| events.iter().map(|event| masks.event(event)).collect())
    }

    /// [`Self::masked_events`] of a whole run, with what a re-run has of its original.
    pub(crate) fn masked_whole(&self, run_id: &str, events: &[RunEvent]) -> ApiResult<Vec<Value>> {
        let mut masked = self.masked_events(run_id, events)?;
        let base = events.first().and_then(|event| match &event.body {
            EventBody::WorkflowStart(start) => start.base.as_deref(),
            _ => None,
        });
        if let (Some(base), Some(first)) = (base, masked.first_mut()) {
            let last = self.store.run(run_id)?.last_seq;
            first["payload"]["base"] = self.with_masks(run_id, last, |masks| masks.base(base))?;
        }
        Ok(masked)
    }

    /// Events that a re-run has of its original, with masks, not cut.
    pub(crate) fn masked_kept(&self, run_id: &str, kept: &[RunEvent]) -> ApiResult<Vec<Value>> {
        let last = self.store.run(run_id)?.last_seq;
        self.with_masks(run_id, last, |masks| masks.kept(kept))
    }

    /// The summary as a caller may see it, not cut.
    pub(crate) fn summary_for(&self, caller: &Caller, run_id: &str) -> ApiResult<Value> {
        let (mut summary, steps) = self.summary_and_steps(caller, run_id)?;
        summary["steps"] = json!(steps);
        Ok(summary)
    }

    /// The same with the steps by themselves, where nothing is hidden: of a long run they are nearly all of it.
    pub(crate) fn summary_and_steps(&self, caller: &Caller, run_id: &str) -> ApiResult<(Value, Steps)> {
        let mut summary = self.summary_now(run_id)?;
        let steps = std::mem::take(&mut summary.steps);
        let mut summary = json!(summary);
        if let Some(fields) = summary.as_object_mut() {
            fields.shift_remove("steps");
        }
        if self.masks(caller, run_id) {
            let last = self.store.run(run_id)?.last_seq;
            self.with_masks(run_id, last, |masks| masks.summary(&mut summary))?;
        }
        Ok((summary, steps))
    }

    /// A workflow file as a caller may see it.
    pub(crate) fn file_for(&self, caller: &Caller, file: Value) -> Value {
        if caller.role >= CallerRole::Builder {
            return file;
        }
        let pointers = serde_json::from_value(file.clone()).map(|workflow| mask::pointers(&workflow));
        definition(&mut Masks::new(&pointers.unwrap_or_default()), &file)
    }
}

/// Somebody put a mask where its value could be read afterwards.
pub(crate) fn mask_moved() -> ApiError {
    let hint = "Leave masks where they were, write another value, or say why and look at the values first.";
    ApiError::bad_request("A mask is in a place where its value could be read.", hint)
}

/// Why a value cannot be shown.
pub(crate) fn no_reason() -> ApiError {
    ApiError::bad_request("A reason is missing.", "Say why you need to see the values.")
}

#[cfg(test)]
mod tests;
