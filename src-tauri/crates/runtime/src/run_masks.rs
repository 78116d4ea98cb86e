//! The masks of one run, put on whole events before anything else looks at them (TS-052): summaries, values, previews and streams are
//! made of what is masked already, so that no way of asking shows more than another.

use serde_json::{Map, Value, json};
use signalbox_model::base::Base;
use signalbox_model::data::{Detached, Text, detached, mark};
use signalbox_model::{Data, EventBody, Item, RunEvent, Workflow};
use signalbox_store::mask::{self, Masks, keeps_masks};
use signalbox_store::{Store, StoreError};
use std::sync::Arc;

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

/// The masks of one run. They know what was hidden in its events so far, so that a later message does not tell it.
#[derive(Debug)]
pub struct RunMasks {
    masks: Masks,
    seen: u64,
}

/// The frame of what a step puts out: `{port: [{data}]}`.
pub const ITEMS: usize = 3;
/// The frame of an error: its own fields.
pub const ERROR: usize = 1;

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
    /// Masks by names, patterns, and what the steps of these workflows say is to be hidden.
    pub fn new(workflows: &[Arc<Workflow>]) -> Self {
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
        let EventBody::StepDone(done) = &event.body else { return self.learn_body(&event.body) };
        let mut rest = done.clone();
        rest.items.clear();
        self.learn_body(&EventBody::StepDone(rest));
        // There may be millions of items: they are looked at one after the other.
        for (port, items) in &done.items {
            items.pieces().enumerate().for_each(|(index, (item, data))| self.learn_item(port, index, &item, &data));
        }
    }

    fn learn_item(&mut self, port: &str, index: usize, item: &Item, data: &Data) {
        let Detached { written, texts } = detached(|| json!({ "data": data }));
        let mut whole = serde_json::to_value(item).unwrap_or_default();
        whole["data"] = written["data"].clone();
        let items = json!({ port: { index.to_string(): whole } });
        self.masks.with_texts(texts, |masks| masks.learn(&items, ITEMS));
    }

    fn learn_body(&mut self, body: &EventBody) {
        let payload = || serde_json::to_value(signalbox_model::event::Payload(body)).unwrap_or_default();
        let Detached { written, texts } = detached(payload);
        self.masks.with_texts(texts, |masks| Self::learn_payload(masks, body.type_name(), &written));
    }

    fn learn_payload(masks: &mut Masks, kind: &str, payload: &Value) {
        for (field, value) in payload.as_object().into_iter().flatten() {
            match field.as_str() {
                // Pieces of a text are hidden whole; the text itself comes with the result of the step.
                "delta" | "asked" | "held" => {}
                "content" if kind == "llm_tool_result" => {
                    if let Some(value) = written(value) {
                        masks.learn(&value, 0);
                    }
                }
                "toolResult" => {
                    masks.learn(value, 0);
                    each_text(&mut value.clone(), |value| {
                        masks.learn(&value, 0);
                        value
                    });
                }
                // Cut from the other fields of the event.
                "inputSummary" | "outputSummary" => {}
                // What an error says beside its input was made by programs.
                "error" => value.pointer("/details/input").into_iter().for_each(|input| masks.learn(input, 0)),
                field if PLAIN.contains(&field) => {}
                field => masks.learn(value, frame(kind, field)),
            }
            if let (Some(name), "newValue" | "oldValue") = (payload["name"].as_str(), field.as_str()) {
                let named = Map::from_iter([(name.trim_start_matches('$').to_owned(), value.clone())]);
                masks.learn(&Value::Object(named), 0);
            }
        }
    }

    /// Learns from the store everything up to an event.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn advance(&mut self, store: &Store, run_id: &str, to: u64) -> Result<(), StoreError> {
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
    pub fn event(&mut self, event: &RunEvent) -> Value {
        let Detached { written, texts } = self.event_with_texts(event);
        filled(written, &texts)
    }

    /// An event, masked, not cut; its long data stays text, for which marks stand.
    pub fn event_with_texts(&mut self, event: &RunEvent) -> Detached<Value> {
        let Detached { written, texts } = detached(|| serde_json::to_value(event).unwrap_or_default());
        let kind = event.body.type_name();
        self.masks.with_texts(texts, |masks| masked(masks, kind, written))
    }

    /// What a re-run has of its original, masked.
    pub fn kept(&mut self, events: &[RunEvent]) -> Vec<Value> {
        events.iter().for_each(|event| self.learn_from(event));
        self.masks.remember();
        events.iter().map(|event| self.event(event)).collect()
    }

    /// What a re-run begins with, masked: events of its original, and what it was given besides.
    pub fn base(&mut self, base: &Base) -> Value {
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
    pub fn summary(&mut self, summary: &mut Value) {
        for (field, frame) in [("context", 0), ("output", 1), ("error", ERROR), ("stopped", 1)] {
            if let Some(value) = summary.get_mut(field) {
                *value = self.masks.inside(value, frame);
            }
        }
    }

    /// A text, masked.
    pub fn text(&mut self, text: &str) -> String {
        self.masks.text(text)
    }

    /// A value, masked.
    pub fn data(&mut self, value: &Value) -> Value {
        self.masks.inside(value, 0)
    }

    /// What somebody made of masked data: masks stand for the values that they hide.
    pub fn lift(&self, value: Value) -> Value {
        self.masks.lift(value)
    }
}

/// An event with masks on it.
fn masked(masks: &mut Masks, kind: &str, mut whole: Value) -> Value {
    // What a re-run has of its original is looked at there.
    if let Some(payload) = whole["payload"].as_object_mut() {
        payload.remove("base");
    }
    let by_model = kind == "auto_fix_attempt" && !whole["payload"]["asked"].is_null();
    let variable = whole["payload"]["name"].as_str().map(|name| name.trim_start_matches('$').to_owned());
    for (field, value) in whole["payload"].as_object_mut().into_iter().flatten() {
        let frame = frame(kind, field);
        *value = match (field.as_str(), &variable) {
            (field, _) if PLAIN.contains(&field) => masks.texts(value),
            ("newValue" | "oldValue", Some(name)) => {
                let named = Value::Object(Map::from_iter([(name.clone(), value.take())]));
                masks.inside(&named, 0)[name.as_str()].take()
            }
            ("patch", _) if matches!(kind, "input_edited" | "auto_fix_attempt") => masks.patch(value),
            // They quote what was proposed, and of a refused answer nothing was learned.
            ("violations", _) if by_model => {
                for words in value.as_array_mut().into_iter().flatten() {
                    *words = mask::NAMELESS.into();
                }
                value.take()
            }
            // What is personal may begin in one piece and end in the next: no pattern would find it.
            ("delta", _) => mask::NAMELESS.into(),
            // A whole conversation; its parts are in separate events.
            ("held", _) if kind == "step_error" => mask::NAMELESS.into(),
            // What a model answered, as its pieces.
            ("asked", _) if value.get("answer").is_some() => {
                let mut asked = value.take();
                asked["answer"] = mask::NAMELESS.into();
                asked
            }
            ("content", _) if kind == "llm_tool_result" => match written(value) {
                Some(value) => masks.inside(&value, 0).to_string().into(),
                None => masks.inside(value, 0),
            },
            ("toolResult", _) => {
                each_text(value, |value| masks.inside(&value, 0));
                masks.inside(value, frame)
            }
            // The same data as one text, cut: no name hides anything in it, and half a value is no known one.
            ("inputSummary" | "outputSummary", _) => mask::NAMELESS.into(),
            ("message", _) if kind == "tool_message" => match written(value) {
                Some(value) => masks.inside(&value, 0).to_string().into(),
                // Data written out behind other words, or cut: its names cannot be read any more.
                None if value.as_str().is_some_and(|text| text.contains('{')) => mask::NAMELESS.into(),
                None => masks.inside(value, frame),
            },
            _ => masks.inside(value, frame),
        };
    }
    whole
}

/// Values with the texts that replace their marks.
fn filled(value: Value, texts: &[Text]) -> Value {
    match value {
        _ if texts.is_empty() => value,
        Value::String(string) => {
            let number = string.strip_prefix(mark()).and_then(|number| number.parse::<usize>().ok());
            number.and_then(|number| texts.get(number)).map_or(Value::String(string), |text| (*text.value()).clone())
        }
        Value::Array(list) => list.into_iter().map(|one| filled(one, texts)).collect(),
        Value::Object(map) => {
            map.into_iter().map(|(name, one)| (name, filled(one, texts))).collect::<Map<_, _>>().into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Whether the masks in what somebody made of masked data stand where their values are masked again in a run that knows
/// nothing else: elsewhere the value could be read there. `lifted` is the same with the values in their places.
pub fn hides_again(workflows: &[Arc<Workflow>], given: &Value, lifted: &Value) -> bool {
    let mut fresh = RunMasks::new(workflows);
    fresh.masks.learn(lifted, 0);
    let shown = fresh.data(lifted);
    keeps_masks(&fresh.data(given), &shown)
}

#[cfg(test)]
mod tests;
