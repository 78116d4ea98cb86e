//! What a failed use of an index means on the red wire.

use signalbox_model::{NodeFailure, SuggestedAction};
use signalbox_ports::RetrievalError;

/// An error of an index as a failure.
pub fn failure(error: RetrievalError, index: &str) -> NodeFailure {
    let failure = match error {
        RetrievalError::Missing => {
            let words =
                format!("There is no index '{index}' on this machine. Make it with the step 'Index documents' first");
            NodeFailure::tool("INDEX_MISSING", words).suggest(SuggestedAction::Fallback)
        }
        RetrievalError::Damaged { message } => {
            let words =
                format!("The index '{index}' cannot be read: {message}. Delete its file and index the documents again");
            NodeFailure::tool("INDEX_DAMAGED", words).suggest(SuggestedAction::Fallback)
        }
        RetrievalError::Busy => {
            let words = format!("Another run has been changing the index '{index}' for too long. Run again later");
            NodeFailure::tool("INDEX_BUSY", words).retryable()
        }
        RetrievalError::DiskFull => {
            let words = format!("The disk is full: the index '{index}' is as it was. Free some space and run again");
            NodeFailure::tool("DISK_FULL", words)
        }
        RetrievalError::Full { limit } => {
            let words = format!(
                "The index '{index}' would have more than {limit} passages. Use longer passages, or divide the documents among several indexes"
            );
            NodeFailure::tool("INDEX_FULL", words).detail("limit", limit)
        }
        RetrievalError::Embedding { message } => {
            NodeFailure::tool("EMBEDDING_MISMATCH", message).suggest(SuggestedAction::Fallback)
        }
        RetrievalError::Invalid { field, message } => {
            NodeFailure::validation("INPUT_INVALID", message).detail("field", field)
        }
        RetrievalError::Io { message } => {
            NodeFailure::tool("IO", format!("The index '{index}' cannot be used: {message}")).retryable()
        }
    };
    failure.detail("index", index)
}
