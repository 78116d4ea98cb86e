//! A file of a granted folder on its way into a store: read part by part, so that it is never held as a whole, and never sent as a
//! mixture of two files.

use crate::file_error::file_failure;
use async_trait::async_trait;
use signalbox_engine::effect::Call;
use signalbox_model::NodeFailure;
use signalbox_ports::{Files, PieceStream, World};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of one piece of a body that is sent as a stream.
const PIECE: usize = 512 * 1024;

/// The file as it was when the call began.
#[derive(Clone)]
pub(crate) struct FileSource {
    files: Arc<dyn Files>,
    workflow: Arc<str>,
    pub(crate) path: String,
    pub(crate) size: u64,
    modified_ms: i64,
}

impl FileSource {
    pub(crate) async fn open(call: &Call, world: &World, path: &str) -> Result<Self, NodeFailure> {
        let about = world.files.read_part(&call.workflow_id, path, 0, 0).await;
        let about = about.map_err(|error| of_setting(file_failure(error, path)))?;
        Ok(Self {
            files: Arc::clone(&world.files),
            workflow: Arc::clone(&call.workflow_id),
            path: path.to_owned(),
            size: about.size,
            modified_ms: about.modified_ms,
        })
    }

    /// So many bytes from a place on. Fewer, or others than there were, are a failure.
    pub(crate) async fn part(&self, at: u64, length: usize) -> Result<Vec<u8>, NodeFailure> {
        let part = self.files.read_part(&self.workflow, &self.path, at, length).await;
        let part = part.map_err(|error| of_setting(file_failure(error, &self.path)))?;
        if (part.size, part.modified_ms, part.bytes.len()) != (self.size, self.modified_ms, length) {
            let path = &self.path;
            let words = format!("The file '{path}' was changed while it was sent. Write it again when it is complete");
            return Err(of_setting(NodeFailure::tool("IO", words).detail("path", path.as_str())));
        }
        Ok(part.bytes)
    }

    /// The whole file as a stream, and where the reason stands if it ends early.
    pub(crate) fn pieces(&self) -> (Box<dyn PieceStream>, Failed) {
        let failed = Failed::default();
        (Box::new(Pieces { file: self.clone(), at: 0, failed: failed.clone() }), failed)
    }
}

fn of_setting(failure: NodeFailure) -> NodeFailure {
    failure.detail("field", "file")
}

/// Why a stream ended early.
#[derive(Clone, Default)]
pub(crate) struct Failed(Arc<Mutex<Option<NodeFailure>>>);

impl Failed {
    pub(crate) fn take(&self) -> Option<NodeFailure> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

struct Pieces {
    file: FileSource,
    at: u64,
    failed: Failed,
}

#[async_trait]
impl PieceStream for Pieces {
    async fn next(&mut self) -> Option<Result<Vec<u8>, String>> {
        let left = self.file.size.saturating_sub(self.at);
        if left == 0 {
            return None;
        }
        let length = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
        match self.file.part(self.at, length).await {
            Ok(bytes) => {
                self.at += bytes.len() as u64;
                Some(Ok(bytes))
            }
            Err(failure) => {
                let message = failure.message.clone();
                *self.failed.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                Some(Err(message))
            }
        }
    }
}
