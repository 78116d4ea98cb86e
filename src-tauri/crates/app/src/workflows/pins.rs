//! Pinned outputs (ADR 102): `orders.signalbox.pins.json` beside `orders.signalbox.json`. Only runs that a builder starts from
//! the editor, or with `--pinned`, read it.

use crate::dto::Pin;
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::{io_error, write_atomic};
use crate::workflows::check;
use crate::workflows::library::ENDING;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::json;
use signalbox_adapters::durable;
use signalbox_model::Workflow;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;

/// Largest pinned output of one step, as compact JSON.
const STEP_LIMIT: usize = 1024 * 1024;
/// Largest file of pinned outputs.
const FILE_LIMIT: usize = 8 * 1024 * 1024;
const FORMAT: u64 = 1;

/// By id of the step.
pub(crate) type Pins = IndexMap<String, Pin>;

/// The file as it is written.
#[derive(Debug, Serialize, Deserialize)]
struct PinFile {
    signalbox_pins: u64,
    steps: Pins,
}

/// One change at a time: a file is read, changed and written as a whole.
static WRITING: Mutex<()> = Mutex::new(());

/// Where the pinned outputs of a workflow file are kept.
pub(crate) fn file_of(workflow: &Path) -> PathBuf {
    let name = workflow.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.strip_suffix(ENDING).or_else(|| name.strip_suffix(".json")).unwrap_or(&name);
    workflow.with_file_name(format!("{stem}.signalbox.pins.json"))
}

/// The pinned outputs of a workflow file; none when nothing is pinned.
pub(crate) fn load(workflow: &Path) -> ApiResult<Pins> {
    let path = file_of(workflow);
    let mut text = String::new();
    let read = fs::File::open(&path).and_then(|file| file.take(FILE_LIMIT as u64 + 1).read_to_string(&mut text));
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Pins::new()),
        Err(error) => return Err(io_error(&error, &path, "read")),
        Ok(_) if text.len() > FILE_LIMIT => {
            return Err(too_large("All pinned outputs together have", text.len(), FILE_LIMIT));
        }
        Ok(_) => {}
    }
    let unusable = |why: String| {
        let message = format!("The pinned outputs in {} cannot be used: {why}.", path.display());
        ApiError::new(Class::Invalid, "BAD_PINS", message, "Correct the file, or delete it and pin the outputs again.")
    };
    let file: PinFile = serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
    if file.signalbox_pins != FORMAT {
        return Err(unusable(format!("it has the format {}, this program knows {FORMAT}", file.signalbox_pins)));
    }
    Ok(file.steps)
}

/// Changes the pinned outputs of a workflow file. A file without any is removed.
pub(crate) fn change(workflow: &Path, change: impl FnOnce(&mut Pins)) -> ApiResult<Pins> {
    let _one = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = file_of(workflow);
    let before = load(workflow)?;
    let mut pins = before.clone();
    change(&mut pins);
    if pins == before {
        return Ok(pins);
    }
    if pins.is_empty() {
        remove(&path)?;
        return Ok(pins);
    }
    let text = serde_json::to_string_pretty(&PinFile { signalbox_pins: FORMAT, steps: pins.clone() });
    let mut text = text
        .map_err(|error| ApiError::bad_request(format!("The data cannot be written: {error}."), "Pin other data."))?;
    text.push('\n');
    if text.len() > FILE_LIMIT {
        return Err(too_large("All pinned outputs of this workflow together would have", text.len(), FILE_LIMIT));
    }
    write_atomic(&path, text.as_bytes())?;
    Ok(pins)
}

/// Takes away all pinned outputs of a workflow file that is deleted.
pub(crate) fn forget(workflow: &Path) -> ApiResult<()> {
    let _one = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    remove(&file_of(workflow))
}

fn remove(path: &Path) -> ApiResult<()> {
    match fs::remove_file(path).and_then(|()| durable::sync_name(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error(&error, path, "deleted")),
        _ => Ok(()),
    }
}

/// Refuses what is too large, or leaves through the error port.
pub(crate) fn fits(pin: &Pin) -> ApiResult<()> {
    if pin.ports.contains_key("error") {
        return Err(ApiError::bad_request(
            "An error cannot be pinned.",
            "Pin what the step puts out when it succeeds.",
        ));
    }
    let size = json!(pin.ports).to_string().len();
    if size > STEP_LIMIT {
        return Err(too_large("The output has", size, STEP_LIMIT));
    }
    Ok(())
}

fn too_large(what: &str, size: usize, limit: usize) -> ApiError {
    let kib = |bytes: usize| bytes.div_ceil(1024);
    let message = format!("{what} {} KiB; at most {} KiB can be pinned.", kib(size), kib(limit));
    ApiError::new(Class::TooLarge, "TOO_LARGE", message, "Pin fewer items, or shorten the data in the editor.")
}

/// Puts pinned outputs into the definition of a run. What is pinned for steps that are not there is left out.
pub(crate) fn put_into(workflow: &mut Workflow, pins: &Pins) -> ApiResult<()> {
    for (id, pin) in pins {
        let Some(node) = workflow.nodes.get_mut(id) else { continue };
        let ports =
            check::catalog().get(&node.kind).map(|kind| kind.port_ids(node.config.as_ref())).unwrap_or_default();
        if let Some(port) = pin.ports.keys().find(|port| *port == "error" || !ports.contains(port)) {
            let message =
                format!("The pinned output of the step '{id}' has the port '{port}', which the step does not have.");
            let hint = "Unpin the step, or pin its output again.";
            return Err(ApiError::new(Class::Invalid, "BAD_PINS", message, hint));
        }
        node.pinned = Some(json!(pin.ports));
    }
    Ok(())
}

/// Takes the pinned outputs out of the definition of a run.
pub(crate) fn take_from(workflow: &mut Workflow) -> IndexMap<String, serde_json::Value> {
    let nodes = workflow.nodes.iter_mut();
    nodes.filter_map(|(id, node)| Some((id.clone(), node.pinned.take()?))).collect()
}
