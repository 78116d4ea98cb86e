//! Files of other programs, for the library and for the terminal.

use crate::dto::Pin;
use crate::error::{ApiError, ApiResult, Class};
use crate::host::clock::now_ms;
use crate::host::files::{io_error, write_atomic};
use crate::workflows::canonical;
use crate::workflows::check::{self, catalog};
use crate::workflows::library::{FILE_LIMIT, load, too_large};
use crate::workflows::pins;
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_engine::validate::check_bytes;
pub use signalbox_import::asl_export::Lost;
use signalbox_import::recognise;
pub use signalbox_import::{Finding, Format, Imported, Level, NOT_VALID, Options, Report, Status};
use signalbox_model::{Map, time};
use std::io::Read;
use std::path::Path;

/// Translates the text of a file into a workflow that can be opened, with what would keep it from running.
pub fn translate(text: &str, options: &Options) -> ApiResult<Imported> {
    let imported = signalbox_import::import(text, options)?.checked(catalog());
    let bytes = print(&json!(imported.workflow)).len();
    if bytes as u64 > FILE_LIMIT {
        let message = format!("The workflow would have {bytes} bytes; at most {FILE_LIMIT} are read.");
        let hint = "Take data out of the file: a workflow reads it when it runs.";
        return Err(ApiError::new(Class::TooLarge, "TOO_LARGE", message, hint));
    }
    Ok(imported)
}

/// The text of a file, and a name for a workflow that has none.
pub fn text_of(path: &Path) -> ApiResult<(String, Option<String>)> {
    let text = as_text(load(path)?.bytes, &path.display().to_string())?;
    let stem = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = stem.map(|name| name.split('.').next().unwrap_or_default().to_owned()).filter(|name| !name.is_empty());
    Ok((text, name))
}

/// The text that another program sends, or that somebody pastes into a terminal.
pub fn text_in(input: impl Read) -> ApiResult<String> {
    let mut bytes = Vec::new();
    // One byte above the limit, so that a text that is too long is refused as that and not as malformed.
    input.take(FILE_LIMIT + 1).read_to_end(&mut bytes).map_err(|error| {
        ApiError::bad_request(format!("The standard input cannot be read: {error}."), "Name a file instead of -.")
    })?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err(too_large(bytes.len() as u64));
    }
    as_text(bytes, "The standard input")
}

fn as_text(bytes: Vec<u8>, what: &str) -> ApiResult<String> {
    String::from_utf8(bytes).map_err(|_| {
        let message = format!("{what} is no text (UTF-8).");
        ApiError::new(Class::Invalid, "BAD_JSON", message, "Give the file as the other program wrote it.")
    })
}

/// The workflow as the text of a file of ours.
pub fn print(document: &Value) -> String {
    canonical::print(document)
}

/// Writes the workflow beside other files of a person; what is there already stays, unless `force`.
pub fn write(path: &Path, document: &Value, force: bool) -> ApiResult<()> {
    if !force && path.exists() {
        let message = format!("{} is there already.", path.display());
        return Err(ApiError::new(Class::Conflict, "FILE_EXISTS", message, "Give another name, or --force."));
    }
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            let message = format!("{} is a folder.", path.display());
            Err(ApiError::bad_request(message, "Name a file (*.signalbox.json)."))
        }
        Ok(_) | Err(_) => write_atomic(path, print(document).as_bytes()),
    }
    .map_err(|error| if error.code == "IO_ERROR" && !parent_is_there(path) { missing(path) } else { error })
}

/// Keeps the output that a file had pinned, beside the workflow; what is too large is left out.
pub fn keep_pins(workflow: &Path, found: Map) -> ApiResult<()> {
    let pinned_at = time::format(now_ms());
    let kept: Vec<(String, Pin)> = found
        .into_iter()
        .filter_map(|(step, data)| {
            let Value::Array(data) = data else { return None };
            let pin = Pin {
                ports: IndexMap::from([("success".to_owned(), data)]),
                run_id: None,
                pinned_at: pinned_at.clone(),
            };
            pins::fits(&pin).is_ok().then_some((step, pin))
        })
        .collect();
    if kept.is_empty() {
        return Ok(());
    }
    pins::change(workflow, |all| all.extend(kept)).map(|_| ())
}

fn parent_is_there(path: &Path) -> bool {
    path.parent().is_none_or(|parent| parent.as_os_str().is_empty() || parent.is_dir())
}

fn missing(path: &Path) -> ApiError {
    io_error(&std::io::Error::from(std::io::ErrorKind::NotFound), path, "written")
}

/// The error for a file that is no workflow of ours, but can be imported.
pub(crate) fn foreign(bytes: &[u8]) -> Option<ApiError> {
    let text = std::str::from_utf8(bytes).ok()?;
    recognise(text)?;
    let message = "This is a workflow of another program.";
    let hint = "Import it: Import in the library, or signalbox import FILE -o OUT.";
    Some(ApiError::new(Class::Invalid, "FOREIGN_WORKFLOW", message, hint))
}

/// A workflow that was written as a state machine.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedMachine {
    /// How many states it has at the top.
    pub states: usize,
    /// What it does not have of the workflow.
    pub lost: Vec<Lost>,
}

/// Writes a workflow as a state machine of the Amazon States Language.
///
/// # Errors
/// A workflow that cannot run here, one that no machine can begin with (`CANNOT_EXPORT`), or a file that cannot be written.
pub fn export_machine(file: &Path, out: &Path, force: bool) -> ApiResult<ExportedMachine> {
    let checked = check_bytes(&load(file)?.bytes, catalog());
    check::runnable(&checked.diagnostics)?;
    let Some(workflow) = checked.workflow else { return Err(check::refused(&checked.diagnostics)) };
    let exported = signalbox_import::asl_export::export(&workflow).map_err(|why| {
        ApiError::new(Class::Invalid, "CANNOT_EXPORT", why, "Begin with one trigger or one step, and export again.")
    })?;
    if !force && out.exists() {
        let message = format!("{} is there already.", out.display());
        return Err(ApiError::new(Class::Conflict, "FILE_EXISTS", message, "Give another name, or --force."));
    }
    let mut text =
        serde_json::to_string_pretty(&exported.machine).map_err(|error| crate::response::not_json(&error))?;
    text.push('\n');
    write_atomic(out, text.as_bytes())?;
    let states = exported.machine["States"].as_object().map_or(0, Map::len);
    Ok(ExportedMachine { states, lost: exported.lost })
}
