//! Files that a task is about (H-20): what stands in its input and its error as a file is listed with name and size, and
//! handed out by a command. They are values of the run, never paths that are read again: what the person sees is what the
//! step saw.

use crate::dto::{TaskAttachment, TaskFile};
use crate::error::{ApiError, ApiResult};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::task::HumanTaskCreated;
use signalbox_model::text::is_unseen;
use std::borrow::Cow;

/// Files of one task.
const MOST: usize = 50;
/// Deeper values hold no files.
const DEEP: usize = 12;

/// A file in a value: its name, its kind and its bytes.
struct Found<'a> {
    name: Cow<'a, str>,
    mime: Cow<'a, str>,
    bytes: Vec<u8>,
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path)
}

/// What a step that read a file made: `{path, size, content}`. Bytes travel as base64, text as it is; the size says which.
fn of_file_step(value: &Value) -> Option<Found<'_>> {
    let (path, size) = (value["path"].as_str()?, usize::try_from(value["size"].as_u64()?).ok()?);
    let content = value["content"].as_str()?;
    let bytes = match STANDARD.decode(content) {
        Ok(bytes) if bytes.len() == size => bytes,
        _ => content.as_bytes().to_vec(),
    };
    let name = last_part(path);
    Some(Found { name: name.into(), mime: mime_of(name).into(), bytes })
}

/// What a request brought that is no text: `{headers, response}` with the bytes as base64.
fn of_answer(value: &Value) -> Option<Found<'_>> {
    let headers = value["headers"].as_object()?;
    let header = |name: &str| headers.get(name).and_then(Value::as_str);
    let mime = header("content-type")?.split(';').next()?.trim();
    let readable = mime.starts_with("text/") || mime.ends_with("json") || mime.ends_with("xml");
    let text = value["response"].as_str().filter(|text| !readable && !text.is_empty())?;
    let bytes = STANDARD.decode(text).ok()?;
    let named = header("content-disposition").and_then(|text| text.split_once("filename=")).map(|(_, name)| {
        let name = name.split(';').next().unwrap_or(name).trim().trim_matches('"');
        last_part(name)
    });
    let name = named.filter(|name| !name.is_empty()).unwrap_or("answer");
    Some(Found { name: name.into(), mime: mime.into(), bytes })
}

fn mime_of(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "csv" => "text/csv",
        "json" => "application/json",
        "xml" => "application/xml",
        "zip" => "application/zip",
        "txt" | "md" | "log" => "text/plain",
        _ => "application/octet-stream",
    }
}

fn walk(value: &Value, at: &str, depth: usize, found: &mut Vec<TaskAttachment>) {
    if depth > DEEP || found.len() >= MOST {
        return;
    }
    if let Some(file) = of_file_step(value).or_else(|| of_answer(value)) {
        found.push(TaskAttachment {
            id: at.to_owned(),
            name: plain_name(&file.name),
            mime: file.mime.into_owned(),
            size: file.bytes.len() as u64,
        });
        return;
    }
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                walk(value, &format!("{at}/{}", pointer_token(name)), depth + 1, found);
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                walk(value, &format!("{at}/{index}"), depth + 1, found);
            }
        }
        _ => {}
    }
}

/// A name that is safe as the name of a file anywhere: it came from outside.
fn plain_name(name: &str) -> String {
    // "invoice\u{202e}gpj.exe" must not be shown as a picture.
    let bad = |c: char| is_unseen(c) || matches!(c, '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*');
    let name: String = name.chars().map(|c| if bad(c) { '_' } else { c }).take(120).collect();
    let name = name.trim_matches(['.', ' ']).to_owned();
    if name.is_empty() { "file".into() } else { name }
}

/// The values of a task that may hold files, each with the beginning of its ids.
fn places(created: &HumanTaskCreated) -> [(&'static str, Value); 2] {
    let details = created.error.as_ref().and_then(|error| error.details.as_ref());
    // What failed stands in `details.input`, too: once is enough.
    let details = details.and_then(|details| serde_json::to_value(details).ok()).map(|mut details| {
        if let Some(details) = details.as_object_mut() {
            details.remove("input");
        }
        details
    });
    [("/input", (*created.input).clone()), ("/error", details.unwrap_or_default())]
}

/// The files of a task.
pub(crate) fn list(created: &HumanTaskCreated) -> Vec<TaskAttachment> {
    let mut found = Vec::new();
    for (at, value) in &places(created) {
        walk(value, at, 0, &mut found);
    }
    found
}

/// One file of a task.
pub(crate) fn get(created: &HumanTaskCreated, id: &str) -> ApiResult<TaskFile> {
    let unknown = || ApiError::not_found("The task has no such file; get the task again.");
    let listed = list(created).into_iter().find(|one| one.id == id).ok_or_else(unknown)?;
    for (at, value) in &places(created) {
        let value = id.strip_prefix(at).and_then(|rest| value.pointer(rest));
        if let Some(file) = value.and_then(|value| of_file_step(value).or_else(|| of_answer(value))) {
            return Ok(TaskFile { name: listed.name, mime: listed.mime, bytes_base64: STANDARD.encode(file.bytes) });
        }
    }
    Err(unknown())
}

#[cfg(test)]
mod tests;
