//! The answer of an HTTP request as a file: pieces go into a granted folder while they come, and the file is there when it is
//! whole (ADR 169).

use crate::http_answer::{exchange_failure, undecoded};
use crate::saved_pieces::write_pieces;
use crate::support::{setting, text_or, wrong_setting};
use async_trait::async_trait;
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::{BodyStream, CallLog, HttpResponse, PieceStream, StreamError, World};

const MIB: usize = 1024 * 1024;
const DEFAULT_MIB: u64 = 4 * 1024;
const MOST_MIB: u64 = 1024 * 1024;

/// Where an answer is saved.
pub(crate) struct SaveTo<'a> {
    path: &'a str,
    /// Bytes.
    pub(crate) most: usize,
}

impl<'a> SaveTo<'a> {
    /// `None`: the answer is not saved.
    pub(crate) fn of(slot: &'a CallSlot, method: &str) -> Result<Option<Self>, NodeFailure> {
        let path = text_or(slot, "saveTo", "")?.trim();
        if path.is_empty() {
            return Ok(None);
        }
        let invalid =
            |field: &'static str, words: String| NodeFailure::validation("INPUT_INVALID", words).detail("field", field);
        if method == "HEAD" {
            return Err(invalid("saveTo", "An answer to HEAD has no body to save; use GET".into()));
        }
        for other in ["items", "extract", "pages"] {
            if setting(slot, other).is_some_and(|value| value != &json!({})) {
                let words = format!(
                    "The answer is saved as it comes, so '{other}' cannot read it; empty '{other}' or 'saveTo'"
                );
                return Err(invalid(other, words));
            }
        }
        let most = match setting(slot, "saveLimit") {
            None => DEFAULT_MIB,
            Some(value) => value
                .as_u64()
                .filter(|mib| (1..=MOST_MIB).contains(mib))
                .ok_or_else(|| wrong_setting("saveLimit", "a whole number of MiB from 1 to 1048576", value))?,
        };
        Ok(Some(Self { path, most: usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(MIB) }))
    }

    /// Writes the body; gives what stands in `response`.
    pub(crate) async fn write(
        &self,
        call: &Call,
        world: &World,
        log: &dyn CallLog,
        (answer, body): (&HttpResponse, Box<dyn BodyStream>),
        timeout_ms: u64,
    ) -> Result<Value, NodeFailure> {
        let scrubber = world.secrets.scrubber();
        let mut pieces = Pieces { body, failed: None };
        let written = write_pieces(call, world, log, self.path, &mut pieces).await;
        let failed = match pieces.failed {
            Some(StreamError::Exchange(error)) => Some(exchange_failure(error, timeout_ms, &scrubber)),
            Some(StreamError::Undecoded(why)) => {
                undecoded(&HttpResponse { undecoded: Some(scrubber.text(&why).into_owned()), ..answer.clone() })
            }
            None => None,
        };
        if let Some(failure) = failed {
            return Err(failure.detail("path", self.path));
        }
        // The service has answered: what it did is done, saved or not.
        let size = written.map_err(NodeFailure::maybe_happened)?;
        Ok(json!({ "path": self.path, "size": size }))
    }
}

/// The body, and why it ended early.
struct Pieces {
    body: Box<dyn BodyStream>,
    failed: Option<StreamError>,
}

#[async_trait]
impl PieceStream for Pieces {
    async fn next(&mut self) -> Option<Result<Vec<u8>, String>> {
        match self.body.next().await? {
            Ok(piece) => Some(Ok(piece)),
            Err(error) => {
                self.failed = Some(error);
                Some(Err("the answer did not arrive as a whole".into()))
            }
        }
    }
}
