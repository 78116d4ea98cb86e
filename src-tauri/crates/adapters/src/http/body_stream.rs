//! The body of an answer, read while it arrives; content codings are undone piece by piece.

use super::coding::{self, Coding, Trouble};
use super::{HttpError, Opened};
use async_trait::async_trait;
use signalbox_ports::{BodyStream, StreamError};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Pieces that wait between the network and who takes them.
const AHEAD: usize = 4;
/// Bytes that are unpacked at once.
const PIECE: usize = 64 * 1024;

/// A body as it comes.
pub(super) struct Plain {
    opened: Opened,
    /// Bytes that may still come.
    left: usize,
    limit: usize,
    deadline: Instant,
}

impl Plain {
    pub(super) fn new(opened: Opened, limit: usize, deadline: Instant) -> Self {
        Self { opened, left: limit, limit, deadline }
    }

    fn too_large(&self) -> StreamError {
        StreamError::Exchange(HttpError::TooLarge { limit: self.limit, status: self.opened.status() })
    }
}

#[async_trait]
impl BodyStream for Plain {
    async fn next(&mut self) -> Option<Result<Vec<u8>, StreamError>> {
        match tokio::time::timeout_at(self.deadline, self.opened.chunk()).await {
            Err(_) => Some(Err(StreamError::Exchange(HttpError::Timeout { sent: true }))),
            Ok(Err(error)) => Some(Err(StreamError::Exchange(error))),
            Ok(Ok(None)) => None,
            Ok(Ok(Some(bytes))) => Some(match self.left.checked_sub(bytes.len()) {
                Some(left) => {
                    self.left = left;
                    Ok(bytes.into())
                }
                None => Err(self.too_large()),
            }),
        }
    }
}

/// A body without its codings: the network and the decoders have a task each, so that a slow disk slows the sender down.
pub(super) struct Decoded {
    pieces: Receiver<Result<Vec<u8>, StreamError>>,
    network: JoinHandle<()>,
}

impl Drop for Decoded {
    fn drop(&mut self) {
        // Closes the connection at once; the decoder ends with it.
        self.network.abort();
    }
}

#[async_trait]
impl BodyStream for Decoded {
    async fn next(&mut self) -> Option<Result<Vec<u8>, StreamError>> {
        self.pieces.recv().await
    }
}

impl Decoded {
    pub(super) fn new(mut plain: Plain, codings: Vec<Coding>) -> Self {
        let (limit, too_large) = (plain.limit, plain.too_large());
        let (give, coded) = channel(AHEAD);
        let (give_plain, pieces) = channel(AHEAD);
        let network = tokio::spawn(async move {
            while let Some(piece) = plain.next().await {
                let failed = piece.is_err();
                if give.send(Some(piece)).await.is_err() || failed {
                    return;
                }
            }
            let _gone = give.send(None).await;
        });
        tokio::task::spawn_blocking(move || {
            let failed = Arc::new(Mutex::new(None));
            let source = Source { coded, piece: Vec::new(), at: 0, ended: false, failed: Arc::clone(&failed) };
            if let Err(error) = unpack(source, &codings, limit, too_large, &give_plain) {
                let of_network = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
                let _gone = give_plain.blocking_send(Err(of_network.unwrap_or(error)));
            }
        });
        Self { pieces, network }
    }
}

fn unpack(
    source: Source,
    codings: &[Coding],
    limit: usize,
    too_large: StreamError,
    pieces: &Sender<Result<Vec<u8>, StreamError>>,
) -> Result<(), StreamError> {
    let unreadable = |error: &io::Error| match coding::unreadable(codings, error) {
        Trouble::Unreadable(why) => StreamError::Undecoded(why),
        Trouble::TooLarge => too_large.clone(),
    };
    let mut reader = coding::reader(Box::new(source), codings).map_err(|error| unreadable(&error))?;
    let mut left = limit;
    loop {
        let mut piece = vec![0; PIECE];
        let read = reader.read(&mut piece).map_err(|error| unreadable(&error))?;
        if read == 0 {
            return Ok(());
        }
        left = left.checked_sub(read).ok_or_else(|| too_large.clone())?;
        piece.truncate(read);
        if pieces.blocking_send(Ok(piece)).is_err() {
            return Ok(());
        }
    }
}

/// What comes from the network, for decoders.
struct Source {
    /// `None`: the body came whole.
    coded: Receiver<Option<Result<Vec<u8>, StreamError>>>,
    piece: Vec<u8>,
    at: usize,
    ended: bool,
    failed: Arc<Mutex<Option<StreamError>>>,
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() && !self.ended {
            match self.coded.blocking_recv() {
                Some(Some(Ok(piece))) => (self.piece, self.at) = (piece, 0),
                Some(None) => self.ended = true,
                Some(Some(Err(error))) => {
                    *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return Err(io::Error::other("the network failed"));
                }
                None => return Err(io::Error::other("nobody reads any more")),
            }
        }
        let piece = &self.piece[self.at..];
        let read = piece.len().min(out.len());
        out[..read].copy_from_slice(&piece[..read]);
        self.at += read;
        Ok(read)
    }
}
