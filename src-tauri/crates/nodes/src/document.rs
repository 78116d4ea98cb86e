//! Files of others that steps read: where their bytes come from, and what a refusal means on the red wire.

use crate::cancellation::until_cancelled;
use crate::file_error::file_failure;
use crate::support::{setting, text};
use crate::{binary, formats};
use serde_json::Value;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction};
use signalbox_ports::{CallLog, DocumentCall, DocumentFailure, DocumentKind, MadeDocument, World};
use std::time::Duration;

/// Time for one document when the step has no limit.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Memory of the process that reads one, MiB.
const MEMORY_MB: u32 = 2_048;

/// A file that a step was given.
pub(crate) struct Source {
    pub(crate) bytes: Vec<u8>,
    /// Names it in messages: `The file 'a.xlsx'`.
    pub(crate) what: String,
}

/// The file of the settings `path` or `binary`, of which there must be one.
pub(crate) async fn source(call: &Call, slot: &CallSlot, world: &World) -> Result<Source, NodeFailure> {
    let given = |field: &str| setting(slot, field).is_some_and(|value| value.as_str() != Some(""));
    match (given("path"), given("binary")) {
        (true, false) => {
            let path = text(slot, "path")?;
            let read = world.files.read(&call.workflow_id, path, formats::MAX_BYTES as u64).await;
            let bytes = read.map_err(|error| file_failure(error, path))?;
            Ok(Source { bytes, what: format!("The file '{path}'") })
        }
        (false, true) => {
            let (_, bytes) = binary::read(call, slot, world, "binary").await?;
            Ok(Source { bytes, what: format!("The file '{}' of the item", text(slot, "binary")?) })
        }
        (has_path, _) => {
            let words = if has_path {
                "A step reads one file: empty 'path' or 'binary'"
            } else {
                "Set 'path' (a file in a granted folder) or 'binary' (the name of bytes of the item)"
            };
            Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "path"))
        }
    }
}

/// Reads a document apart from this program, as compact JSON.
pub(crate) async fn read(
    call: &Call,
    world: &World,
    kind: DocumentKind,
    source: Source,
    options: Value,
) -> Result<String, NodeFailure> {
    let Source { bytes, what } = source;
    let timeout = call.timeout_ms.map_or(TIMEOUT, Duration::from_millis);
    let asked = DocumentCall { kind, bytes, options, timeout, memory_mb: MEMORY_MB };
    world.documents.read(asked).await.map_err(|error| match error {
        DocumentFailure::Refused { code, message, details } => {
            let mut failure = NodeFailure::validation(&code, format!("{what}: {message}"));
            failure.details.extend(details);
            failure
        }
        DocumentFailure::Timeout => {
            let words =
                format!("{what} was not read within {} seconds. Split it, or raise the time limit", timeout.as_secs());
            NodeFailure::new(ErrorType::Timeout, "TIMEOUT", words)
        }
        DocumentFailure::Crashed { message } => {
            NodeFailure::tool("READER_FAILED", format!("{what}: {message}")).suggest(SuggestedAction::HumanReview)
        }
    })
}

/// Makes a PDF apart from this program.
pub(crate) async fn make_pdf(
    call: &Call,
    world: &World,
    log: &dyn CallLog,
    bytes: Vec<u8>,
    options: Value,
) -> Result<MadeDocument, NodeFailure> {
    let timeout = call.timeout_ms.map_or(TIMEOUT, Duration::from_millis);
    let asked = DocumentCall { kind: DocumentKind::NewPdf, bytes, options, timeout, memory_mb: MEMORY_MB };
    until_cancelled(log, world.documents.make(asked)).await.map_err(|error| match error {
        DocumentFailure::Refused { code, message, details } => {
            let mut failure = NodeFailure::validation(&code, message);
            failure.details.extend(details);
            failure
        }
        DocumentFailure::Timeout => {
            let words = format!(
                "The PDF was not made within {} seconds. Write several files, or raise the time limit",
                timeout.as_secs()
            );
            NodeFailure::new(ErrorType::Timeout, "TIMEOUT", words)
        }
        DocumentFailure::Crashed { message } => {
            NodeFailure::tool("WRITER_FAILED", format!("The PDF: {message}")).suggest(SuggestedAction::HumanReview)
        }
    })
}

/// A refusal of the crate `documents`.
pub(crate) fn failure(error: signalbox_documents::Error) -> NodeFailure {
    let signalbox_documents::Error { code, message, details } = error;
    let mut failure = NodeFailure::validation(&code, message);
    failure.details.extend(details);
    failure
}

/// The same about a file.
pub(crate) fn failure_of(error: signalbox_documents::Error, what: &str) -> NodeFailure {
    let mut failure = failure(error);
    failure.message = format!("{what}: {}", failure.message);
    failure
}
