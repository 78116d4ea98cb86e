//! The body of an answer: as one JSON value, as lines of JSON, or as server-sent events, each within limits.

use super::fault::{self, Who};
use super::protocol_check::{self, CheckedReader};
use crate::http::Opened;
use serde_json::Value;
use signalbox_model::digits;
use signalbox_model::text::bytes_without_bom;
use signalbox_ports::HttpError;
use signalbox_ports::llm::{Delta, DeltaSink, LlmAnswer, LlmFailure};

/// Largest answer.
pub(super) const LARGEST: usize = 32 * 1024 * 1024;
/// Longest line of a stream, and longest event.
const LONGEST: usize = 8 * 1024 * 1024;
/// What is read of an answer that tells a failure.
const BEGINNING: usize = 64 * 1024;

/// Reads the events of one kind of provider.
pub(super) trait Reader: Send {
    /// The next event; true when nothing follows that matters.
    fn event(&mut self, event: &Value, hearer: &dyn DeltaSink) -> bool;
    /// An answer that came at once.
    fn whole(&mut self, body: &Value, hearer: &dyn DeltaSink);
    /// The answer, when the model said that it has ended.
    fn end(self: Box<Self>) -> Option<LlmAnswer>;
}

/// Whether a header `Content-Encoding` names a compression.
pub(super) fn is_compressed(coding: &str) -> bool {
    let is_known = |name: &str| ["gzip", "x-gzip", "deflate", "br", "zstd"].contains(&name);
    coding.split(',').any(|name| is_known(name.trim().to_ascii_lowercase().as_str()))
}

/// Hears nothing: the question did not stream.
pub(super) struct Nobody;

impl DeltaSink for Nobody {
    fn delta(&self, _delta: Delta<'_>) {}
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Events,
    Lines,
    Whole,
}

fn told_end(who: &Who, error: HttpError) -> LlmFailure {
    match error {
        HttpError::Cut { .. } => fault::cut(who),
        error => fault::of_exchange(who, error),
    }
}

/// Reads an answer with a good status to its end.
pub(super) async fn read(
    who: &Who,
    written: Written,
    mut opened: Opened,
    reader: &mut CheckedReader,
    hearer: &dyn DeltaSink,
) -> Result<(), LlmFailure> {
    match written {
        Written::Whole => {
            let body = whole(who, &mut opened).await?;
            reader.whole(&body, hearer);
        }
        Written::Lines => {
            let each = |line: &str| if line.is_empty() { Ok(false) } else { told(who, line, reader, hearer) };
            let rest = lines(who, opened, each).await?;
            // A last line without its end is half of one, unless it can be read, or was none from its beginning.
            let begins = rest.trim_start();
            if !begins.is_empty() && (!begins.starts_with('{') || serde_json::from_str::<Value>(begins).is_ok()) {
                told(who, begins, reader, hearer)?;
            }
        }
        Written::Events => {
            let mut data = String::new();
            // An event that no empty line ends is half of one, and is not told.
            lines(who, opened, |line| event(who, line, &mut data, reader, hearer)).await?;
        }
    }
    Ok(())
}

/// A line of a stream of events: only `data` matters, each says itself what it is.
fn event(
    who: &Who,
    line: &str,
    data: &mut String,
    reader: &mut CheckedReader,
    hearer: &dyn DeltaSink,
) -> Result<bool, LlmFailure> {
    if let Some(more) = line.strip_prefix("data:") {
        if data.len() + more.len() > LONGEST {
            return Err(too_long(who));
        }
        data.push_str(more);
        return Ok(false);
    }
    if !line.is_empty() {
        return Ok(false);
    }
    let whole = std::mem::take(data);
    match whole.trim() {
        "" => Ok(false),
        "[DONE]" => Ok(true),
        json => told(who, json, reader, hearer),
    }
}

fn too_large(who: &Who) -> LlmFailure {
    fault::bad_answer(who, "it is larger than 32 MiB")
}

fn too_long(who: &Who) -> LlmFailure {
    fault::bad_answer(who, "a line of it is longer than 8 MiB")
}

/// Gives each line without its end, until one says that nothing matters after it; gives what stands after the last end.
async fn lines(
    who: &Who,
    mut opened: Opened,
    mut each: impl FnMut(&str) -> Result<bool, LlmFailure> + Send,
) -> Result<String, LlmFailure> {
    let text = |bytes: &[u8]| -> Result<String, LlmFailure> {
        let text = std::str::from_utf8(bytes).map_err(|_| fault::bad_answer(who, "it is no UTF-8 text"))?;
        Ok(text.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']).to_owned())
    };
    let (mut held, mut read) = (Vec::new(), 0);
    while let Some(chunk) = opened.chunk().await.map_err(|error| told_end(who, error))? {
        read += chunk.len();
        if read > LARGEST {
            return Err(too_large(who));
        }
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            if held.len() + piece.len() > LONGEST {
                return Err(too_long(who));
            }
            held.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                if each(&text(&held)?)? {
                    return Ok(String::new());
                }
                held.clear();
            }
        }
    }
    // Cut within a character it is no text, and half a line anyway.
    Ok(text(&held).unwrap_or_default())
}

/// JSON of a model. Arguments for a tool may come as an object: their numbers keep their digits, as texts where they do not fit.
fn parsed(json: &[u8]) -> serde_json::Result<Value> {
    match std::str::from_utf8(json).ok().and_then(digits::quoted) {
        Some(text) => serde_json::from_str(&text),
        None => serde_json::from_slice(json),
    }
}

/// One event in JSON.
fn told(who: &Who, data: &str, reader: &mut CheckedReader, hearer: &dyn DeltaSink) -> Result<bool, LlmFailure> {
    let event = parsed(data.as_bytes()).map_err(|_| not_json(who, data.as_bytes()))?;
    match fault::in_body(who, &event) {
        Some(failure) => Err(failure),
        None if !event.is_object() => Err(no_object(who)),
        None => Ok(reader.event(&event, hearer)),
    }
}

fn no_object(who: &Who) -> LlmFailure {
    fault::bad_answer(who, "it is JSON, but no object")
}

fn not_json(who: &Who, bytes: &[u8]) -> LlmFailure {
    let text = String::from_utf8_lossy(bytes);
    if text.trim_start().starts_with('<') {
        return fault::bad_answer(who, "it is a web page");
    }
    let text = who.clean(&text);
    let begin: String = text.chars().filter(|c| !c.is_control()).take(80).collect();
    fault::bad_answer(who, &format!("it is no JSON and begins with '{begin}'"))
}

/// A body that is one JSON value.
pub(super) async fn whole(who: &Who, opened: &mut Opened) -> Result<Value, LlmFailure> {
    let mut body = Vec::new();
    while let Some(chunk) = opened.chunk().await.map_err(|error| told_end(who, error))? {
        if body.len() + chunk.len() > LARGEST {
            return Err(too_large(who));
        }
        body.extend_from_slice(&chunk);
    }
    let value = match parsed(bytes_without_bom(&body)) {
        Ok(value) => value,
        Err(error) if error.is_eof() => return Err(fault::cut(who)),
        // A stream where one value was expected: its lines say whose it is.
        Err(_) => {
            return Err(match protocol_check::of_lines(&body) {
                Some(other) => {
                    fault::bad_answer(who, &format!("it is written in the format of {other}, as lines of JSON"))
                }
                None => not_json(who, &body),
            });
        }
    };
    match fault::in_body(who, &value) {
        Some(failure) => Err(failure),
        None if !value.is_object() => Err(no_object(who)),
        None => Ok(value),
    }
}

/// The beginning of a body that tells a failure; what cannot be read is not told.
pub(super) async fn beginning(opened: &mut Opened) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < BEGINNING {
        let Ok(Some(chunk)) = opened.chunk().await else { break };
        body.extend_from_slice(&chunk);
    }
    body.truncate(BEGINNING);
    body
}
