//! Files that a task is about (H-20): bytes that came with its input, and what stands in its input and its error as a file,
//! are listed with name and size, and handed out by a command. They are values of the run, never paths that are read again:
//! what the person sees is what the step saw.

use crate::app::App;
use crate::dto::{TaskAttachment, TaskFile};
use crate::error::{ApiError, ApiResult};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::task::HumanTaskCreated;
use signalbox_model::text::is_unseen;
use signalbox_model::{BinaryRef, media};
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
    Some(Found { name: name.into(), mime: media::of_path(name).into(), bytes })
}

fn walk(value: &Value, at: &str, depth: usize, found: &mut Vec<TaskAttachment>) {
    if depth > DEEP || found.len() >= MOST {
        return;
    }
    if let Some(file) = of_file_step(value) {
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

/// What bytes that came with the input are called: by the step that made them, else by their name among the item's bytes.
fn name_of(input: &Value, name: &str, bytes: &BinaryRef) -> String {
    let described = input[name]["sha256"] == bytes.sha256.as_str();
    let header = input["headers"]["content-disposition"].as_str();
    let header = header.and_then(|text| text.split_once("filename=")).map(|(_, name)| {
        let name = name.split(';').next().unwrap_or(name).trim().trim_matches('"');
        last_part(name)
    });
    let told = input["path"].as_str().map(last_part).or(header).filter(|name| described && !name.is_empty());
    let ending = media::ending_of(&bytes.mime);
    match (told, ending) {
        (Some(told), _) => plain_name(told),
        (None, Some(ending)) => plain_name(&format!("{name}.{ending}")),
        (None, None) => plain_name(name),
    }
}

/// Beginning of the ids of bytes that came with the input.
const BYTES: &str = "/binary/";

/// The files of a task.
pub(crate) fn list(created: &HumanTaskCreated) -> Vec<TaskAttachment> {
    let came = created.binary.iter().flatten().map(|(name, bytes)| TaskAttachment {
        id: format!("{BYTES}{}", pointer_token(name)),
        name: name_of(&created.input, name, bytes),
        mime: bytes.mime.clone(),
        size: bytes.size,
    });
    let mut found: Vec<TaskAttachment> = came.take(MOST).collect();
    for (at, value) in &places(created) {
        walk(value, at, 0, &mut found);
    }
    found
}

/// One file of a task.
pub(crate) fn get(app: &App, run_id: &str, created: &HumanTaskCreated, id: &str) -> ApiResult<TaskFile> {
    let unknown = || ApiError::not_found("The task has no such file; get the task again.");
    let listed = list(created).into_iter().find(|one| one.id == id).ok_or_else(unknown)?;
    let bytes = bytes(app, run_id, created, id)?.ok_or_else(unknown)?;
    Ok(TaskFile { name: listed.name, mime: listed.mime, bytes_base64: STANDARD.encode(bytes) })
}

fn bytes(app: &App, run_id: &str, created: &HumanTaskCreated, id: &str) -> ApiResult<Option<Vec<u8>>> {
    let named = |name: &str| id.strip_prefix(BYTES) == Some(pointer_token(name).as_str());
    if let Some((_, bytes)) = created.binary.iter().flatten().find(|(name, _)| named(name)) {
        return Ok(app.store.binary(run_id, &bytes.sha256)?);
    }
    let found = places(created).iter().find_map(|(at, value)| {
        let value = id.strip_prefix(at).and_then(|rest| value.pointer(rest))?;
        of_file_step(value).map(|file| file.bytes)
    });
    Ok(found)
}

#[cfg(test)]
mod tests;
