//! Truncation on the wire (K-28): a property of `--events`, SSE and the channel, never of the store.

mod text;

use crate::RunEvent;
use crate::data::{Detached, Text, detached, put_back};
use serde_json::{Value, json};

/// Longest compact JSON text, in UTF-16 units, that travels whole.
pub const WIRE_LIMIT: usize = 10_240;

/// Replaces a value whose compact JSON text is longer than [`WIRE_LIMIT`] by
/// `{_truncated, type, length, preview, ref}`; `reference` is how the whole is fetched.
pub fn truncate(value: &Value, reference: &str) -> Option<Value> {
    truncate_by(value, &|| reference.to_owned())
}

/// [`truncate`] for many: a reference is written only for what is cut.
pub fn truncate_by(value: &Value, reference: &dyn Fn() -> String) -> Option<Value> {
    if is_short(value) {
        return None;
    }
    let text = value.to_string();
    // A text has at most as many UTF-16 units as bytes.
    if text.len() <= WIRE_LIMIT {
        return None;
    }
    let length = text.encode_utf16().count();
    if length <= WIRE_LIMIT {
        return None;
    }
    let preview = preview(value.as_str().unwrap_or(&text));
    Some(
        json!({ "_truncated": true, "type": json_type(value), "length": length, "preview": preview, "ref": reference() }),
    )
}

/// [`truncate`] of a value that is compact JSON text, without making it: of a text that is not cut there is nothing.
pub fn truncate_text(text: &Text, reference: &str) -> Option<Value> {
    if text.length() <= WIRE_LIMIT {
        return None;
    }
    let length = text.pieces().map(|piece| piece.encode_utf16().count()).sum::<usize>();
    if length <= WIRE_LIMIT {
        return None;
    }
    let mut begin = String::new();
    for piece in text.pieces() {
        begin.extend(piece.chars().take(201));
        if begin.len() > 200 {
            break;
        }
    }
    let (kind, preview) = match begin.as_bytes().first() {
        Some(b'[') => ("array", preview(&begin)),
        Some(b'{') => ("object", preview(&begin)),
        Some(b'"') => ("string", preview(&text.stretch_at(0).0)),
        Some(_) | None => ("number", preview(&begin)),
    };
    Some(json!({ "_truncated": true, "type": kind, "length": length, "preview": preview, "ref": reference }))
}

/// The first 200 UTF-16 units.
fn preview(source: &str) -> String {
    let mut preview = String::new();
    let mut units = 0;
    for c in source.chars() {
        if units + c.len_utf16() > 200 {
            break;
        }
        units += c.len_utf16();
        preview.push(c);
    }
    preview.push_str("...");
    preview
}

/// Its text is surely short: told without writing it. Nearly every value is, and an event may have a million of them.
fn is_short(value: &Value) -> bool {
    /// What is left of the limit when this has been written at its longest.
    fn less(left: usize, value: &Value) -> Option<usize> {
        // An escape is six bytes at most.
        let text = |left: usize, text: &str| left.checked_sub(text.len().checked_mul(6)?.checked_add(3)?);
        match value {
            // The longest number is one like -2.2250738585072014e-308.
            Value::Null | Value::Bool(_) | Value::Number(_) => left.checked_sub(26),
            Value::String(string) => text(left, string),
            Value::Array(list) => list.iter().try_fold(left.checked_sub(3)?, less),
            Value::Object(map) => {
                map.iter().try_fold(left.checked_sub(3)?, |left, (key, value)| less(text(left, key)?, value))
            }
        }
    }
    less(WIRE_LIMIT, value).is_some()
}

/// The JSON Schema `type` of a value; a whole number is a `number`.
pub fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Applies [`truncate`] to the values of an event that may be large. The reference of a value is
/// `<runId>/<seq>/<JSON Pointer into the event>`.
pub fn truncate_event(event: &mut Value) {
    let prefix = format!(
        "{}/{}",
        event.get("runId").and_then(Value::as_str).unwrap_or_default(),
        event.get("seq").and_then(Value::as_u64).unwrap_or_default()
    );
    let Some(payload) = event.get_mut("payload").and_then(Value::as_object_mut) else { return };
    for (key, value) in payload.iter_mut() {
        let reference = || format!("{prefix}/payload/{}", crate::diagnostic::pointer_token(key));
        shrink(value, &reference, depth_of(key));
    }
}

/// A value as it travels: cut where it is too long, one large part of it alone when that is enough.
pub fn shortened(mut value: Value, reference: &str) -> Value {
    shrink(&mut value, &|| reference.to_owned(), 0);
    value
}

/// How many levels of a payload field belong to the event and not to the data of people: they stay, because who reads
/// the event counts items and looks for codes in them.
fn depth_of(key: &str) -> usize {
    match key {
        "items" => 3,
        "input" | "error" => 2,
        "outputs" | "resolvedInputs" | "config" | "configs" | "params" | "context" => 1,
        _ => 0,
    }
}

/// An event as it travels: its JSON text, cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireEvent {
    /// Its place in the log; absent on events that are not stored.
    pub seq: Option<u64>,
    /// When, RFC 3339.
    pub ts: String,
    /// The name of its type.
    pub kind: String,
    /// The step that it is about; absent for the run.
    pub step_id: Option<String>,
    /// Where that step stands; absent at the top.
    pub path: Option<String>,
    /// One line of compact JSON.
    pub text: String,
}

impl WireEvent {
    /// It is written once and never looked at as a tree: nearly every event is shorter than what is cut, and of a long one the
    /// text is cut.
    pub fn of(event: &RunEvent) -> serde_json::Result<Self> {
        let event = &*event.shown();
        // A table is cut where it lies.
        let Detached { written, texts } = detached(|| serde_json::to_string(event));
        let text = Self::cut(written?, &texts, &event.run_id, event.seq);
        Ok(Self { text, ..Self::head(event) })
    }

    fn cut(written: String, texts: &[Text], run_id: &str, seq: Option<u64>) -> String {
        let text = put_back(written, texts, WIRE_LIMIT);
        if text.len() > WIRE_LIMIT || texts.iter().any(|text| text.length() >= WIRE_LIMIT) {
            return text::cut(&text, texts, run_id, seq.unwrap_or_default());
        }
        text
    }

    /// What it is and whom it is about, without its text.
    pub fn head(event: &RunEvent) -> Self {
        Self {
            seq: event.seq,
            ts: event.ts.clone(),
            kind: event.body.type_name().to_owned(),
            step_id: event.step_id.clone(),
            path: event.path.clone(),
            text: String::new(),
        }
    }

    /// The same of an event that was changed on its way, by masks for example. It has marks in place of these texts.
    pub fn of_detached(event: Detached<Value>) -> Self {
        let Detached { written, texts } = event;
        let run_id = written["runId"].as_str().unwrap_or_default();
        let text = Self::cut(written.to_string(), &texts, run_id, written["seq"].as_u64());
        Self { text, ..Self::head_of_value(&written) }
    }

    /// The same of an event without marks.
    pub fn of_value(mut event: Value) -> Self {
        truncate_event(&mut event);
        Self { text: event.to_string(), ..Self::head_of_value(&event) }
    }

    fn head_of_value(event: &Value) -> Self {
        let field = |name: &str| event[name].as_str().map(str::to_owned);
        Self {
            seq: event["seq"].as_u64(),
            ts: field("ts").unwrap_or_default(),
            kind: field("type").unwrap_or_else(|| "message".to_owned()),
            step_id: field("stepId"),
            path: field("path"),
            text: String::new(),
        }
    }
}

impl WireEvent {
    /// The same with the trace of its run.
    #[must_use]
    pub fn in_trace(mut self, trace_id: &str) -> Self {
        // An object that has fields: `runId` at least.
        if self.text.ends_with('}') {
            self.text.pop();
            self.text.push_str(",\"traceId\":");
            self.text.push_str(&Value::from(trace_id).to_string());
            self.text.push('}');
        }
        self
    }
}

/// Events as one JSON list.
pub fn list_text(events: &[WireEvent]) -> String {
    let mut text = String::with_capacity(2 + events.iter().map(|event| event.text.len() + 1).sum::<usize>());
    text.push('[');
    for event in events {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&event.text);
    }
    text.push(']');
    text
}

/// `reference` writes how the whole is fetched; only what is cut asks.
fn shrink(value: &mut Value, reference: &dyn Fn() -> String, depth: usize) {
    if depth > 0 {
        each_child(value, reference, &mut |child, reference| shrink(child, reference, depth - 1));
        if matches!(value, Value::Object(_) | Value::Array(_)) {
            return;
        }
    }
    let Some(short) = truncate_by(value, reference) else { return };
    // One large part is cut alone when that is enough; many small ones are cut together.
    each_child(value, reference, &mut |child, reference| {
        if let Some(short) = truncate_by(child, reference) {
            *child = short;
        }
    });
    if truncate_by(value, reference).is_some() {
        *value = short;
    }
}

fn each_child(
    value: &mut Value,
    reference: &dyn Fn() -> String,
    with: &mut dyn FnMut(&mut Value, &dyn Fn() -> String),
) {
    match value {
        Value::Object(map) => {
            for (key, child) in map.iter_mut() {
                with(child, &|| format!("{}/{}", reference(), crate::diagnostic::pointer_token(key)));
            }
        }
        Value::Array(list) => {
            for (index, child) in list.iter_mut().enumerate() {
                with(child, &|| format!("{}/{index}", reference()));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
