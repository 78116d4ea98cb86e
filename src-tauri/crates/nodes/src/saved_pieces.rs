//! What arrives as a file of a granted folder: pieces are written while they come, without the secrets of this machine, and the file
//! is there when it is whole.

use crate::file_error::file_failure;
use crate::written_file::told;
use async_trait::async_trait;
use signalbox_engine::effect::Call;
use signalbox_model::NodeFailure;
use signalbox_ports::{CallLog, PieceStream, Scrubber, World, WriteMode};
use std::sync::Arc;

/// Writes all pieces; gives the size of the file. An error of the pieces themselves is the caller's to look at first.
pub(crate) async fn write_pieces(
    call: &Call,
    world: &World,
    log: &dyn CallLog,
    path: &str,
    pieces: &mut dyn PieceStream,
) -> Result<u64, NodeFailure> {
    let mut clean = Clean { pieces, scrubber: world.secrets.scrubber(), held: Vec::new(), ended: false };
    let written = world.files.write_stream(&call.workflow_id, path, &mut clean, WriteMode::Overwrite).await;
    let written = written.map_err(|error| file_failure(error, path))?;
    let size = written.size;
    told(call, log, path, written);
    Ok(size)
}

/// Pieces without the secrets of this machine, which a server may send back.
struct Clean<'a> {
    pieces: &'a mut dyn PieceStream,
    scrubber: Arc<Scrubber>,
    /// May be the beginning of a secret.
    held: Vec<u8>,
    ended: bool,
}

#[async_trait]
impl PieceStream for Clean<'_> {
    async fn next(&mut self) -> Option<Result<Vec<u8>, String>> {
        while !self.ended {
            match self.pieces.next().await {
                Some(Ok(piece)) => self.held.extend(piece),
                None => self.ended = true,
                Some(Err(why)) => return Some(Err(why)),
            }
            let open = if self.ended { 0 } else { self.scrubber.open_end_of(&self.held) };
            let rest = self.held.split_off(self.held.len() - open);
            let piece = std::mem::replace(&mut self.held, rest);
            if !piece.is_empty() {
                return Some(Ok(self.scrubber.bytes(&piece).into_owned()));
            }
        }
        None
    }
}
