//! What a failed file operation means on the red wire.

use crate::formats;
use crate::support::text;
use signalbox_engine::effect::CallSlot;
use signalbox_model::{NodeFailure, SuggestedAction};
use signalbox_ports::FileError;

/// The path setting.
pub(crate) fn path(slot: &CallSlot) -> Result<&str, NodeFailure> {
    let path = text(slot, "path")?;
    if path.trim().is_empty() {
        return Err(NodeFailure::validation("INPUT_INVALID", "The setting 'path' is empty").detail("field", "path"));
    }
    Ok(path)
}

/// A file error as a failure.
pub(crate) fn file_failure(error: FileError, path: &str) -> NodeFailure {
    let failure = match error {
        FileError::Refused { message } => {
            NodeFailure::tool("PATH_REFUSED", message).suggest(SuggestedAction::HumanReview)
        }
        FileError::NotFound { .. } => {
            NodeFailure::tool("NOT_FOUND", format!("'{path}' does not exist. Check the path, or make the file first"))
        }
        FileError::Exists { .. } => NodeFailure::tool(
            "FILE_EXISTS",
            format!("'{path}' exists already. Choose another name, or the mode 'overwrite'"),
        ),
        FileError::Io { message, disk_full: true } => {
            NodeFailure::tool("DISK_FULL", format!("{message}. Free some space and run again"))
        }
        FileError::Io { message, disk_full: false } => NodeFailure::tool("IO", message),
        FileError::TooLarge { size, limit } => formats::over(&format!("The file '{path}'"), size, limit),
    };
    failure.detail("path", path)
}
