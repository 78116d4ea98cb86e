//! Files of others that steps read: where their bytes come from, and what a refusal means on the red wire.

use crate::cancellation::until_cancelled;
use crate::file_error::file_failure;
use crate::support::{setting, text};
use crate::{binary, formats};
use serde_json::Value;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction};
use signalbox_ports::{
    CallLog, DocumentCall, DocumentFailure, DocumentKind, FillCall, FilledDocument, MadeDocument, World,
};
use std::time::Duration;

/// Time for one document when the step has no limit.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Memory of the process that reads one, MiB.
pub(crate) const MEMORY_MB: u32 = 2_048;

/// A file that a step was given.
pub(crate) struct Source {
    pub(crate) bytes: Vec<u8>,
    /// Names it in messages: `The file 'a.xlsx'`.
    pub(crate) what: String,
}

/// Which of the settings `path` and `binary` names the file; there must be one.
pub(crate) enum Named<'a> {
    Path(&'a str),
    /// With what messages call it.
    Bytes(String),
}

impl<'a> Named<'a> {
    pub(crate) fn of(slot: &'a CallSlot) -> Result<Self, NodeFailure> {
        Self::in_field(slot, "path")
    }

    /// The same with another setting for the path.
    fn in_field(slot: &'a CallSlot, field: &str) -> Result<Self, NodeFailure> {
        let given = |field: &str| setting(slot, field).is_some_and(|value| value.as_str() != Some(""));
        match (given(field), given("binary")) {
            (true, false) => Ok(Self::Path(text(slot, field)?)),
            (false, true) => Ok(Self::Bytes(format!("The file '{}' of the item", text(slot, "binary")?))),
            (has_path, _) => {
                let words = if has_path {
                    format!("A step reads one file: empty '{field}' or 'binary'")
                } else {
                    format!("Set '{field}' (a file in a granted folder) or 'binary' (the name of bytes of the item)")
                };
                Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", field))
            }
        }
    }
}

/// The file of the settings `path` or `binary`.
pub(crate) async fn source(call: &Call, slot: &CallSlot, world: &World) -> Result<Source, NodeFailure> {
    of(Named::of(slot)?, call, slot, world).await
}

/// The same with another setting for the path.
pub(crate) async fn source_in(call: &Call, slot: &CallSlot, world: &World, field: &str) -> Result<Source, NodeFailure> {
    of(Named::in_field(slot, field)?, call, slot, world).await
}

async fn of(named: Named<'_>, call: &Call, slot: &CallSlot, world: &World) -> Result<Source, NodeFailure> {
    match named {
        Named::Path(path) => {
            let read = world.files.read(&call.workflow_id, path, formats::MAX_BYTES as u64).await;
            let bytes = read.map_err(|error| file_failure(error, path))?;
            Ok(Source { bytes, what: format!("The file '{path}'") })
        }
        Named::Bytes(what) => {
            let (_, bytes) = binary::read(call, slot, world, "binary").await?;
            Ok(Source { bytes, what })
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
    world.documents.read(asked).await.map_err(|error| refused(error, &what, timeout, "read"))
}

/// Fills a template apart from this program. `data` is `{"data": …, "cells": …}` as JSON text.
pub(crate) async fn fill(
    call: &Call,
    world: &World,
    source: Source,
    data: String,
    options: Value,
) -> Result<FilledDocument, NodeFailure> {
    let Source { bytes: template, what } = source;
    let timeout = call.timeout_ms.map_or(TIMEOUT, Duration::from_millis);
    let asked = FillCall { template, data, options, timeout, memory_mb: MEMORY_MB };
    world.documents.fill(asked).await.map_err(|error| refused(error, &what, timeout, "filled"))
}

/// Why a document was not read, or a template not filled: `done`.
pub(crate) fn refused(error: DocumentFailure, what: &str, timeout: Duration, done: &str) -> NodeFailure {
    match error {
        DocumentFailure::Refused { code, message, details } => {
            let mut failure = NodeFailure::validation(&code, format!("{what}: {message}"));
            failure.details.extend(details);
            failure
        }
        DocumentFailure::Timeout => {
            let words = format!(
                "{what} was not {done} within {} seconds. Split it, or raise the time limit",
                timeout.as_secs()
            );
            NodeFailure::new(ErrorType::Timeout, "TIMEOUT", words)
        }
        DocumentFailure::Crashed { message } => {
            NodeFailure::tool("READER_FAILED", format!("{what}: {message}")).suggest(SuggestedAction::HumanReview)
        }
        DocumentFailure::Stopped => NodeFailure::tool("READER_FAILED", format!("{what} was not read to its end")),
    }
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
        DocumentFailure::Stopped => NodeFailure::tool("WRITER_FAILED", "The PDF was not made to its end"),
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
