//! Between the library and what carries its messages: every message passes here in its order.

use super::depth::{self, Depth};
use super::notifications::{NotificationRouter, NotificationSender, TooBig};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetExtensions, GetMeta, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// Messages that a [`NotificationRouter`] sees.
pub(super) struct Wire<T> {
    pub(super) inner: T,
    pub(super) board: Arc<NotificationRouter>,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Wire<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        mut item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        // Before the server can answer: no notice comes too early.
        if let JsonRpcMessage::Request(request) = &mut item
            && matches!(request.request, ClientRequest::CallToolRequest(_))
            && let Some(sender) = request.request.extensions_mut().remove::<NotificationSender>()
            && let Some(token) = request.request.get_meta().get_progress_token()
        {
            self.board.listen(&token, sender);
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let message = self.inner.receive().await;
        match &message {
            None => self.board.ended.store(true, Ordering::SeqCst),
            Some(JsonRpcMessage::Notification(told)) => self.board.hear(&told.notification),
            Some(_) => {}
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// Bytes that are read at once.
const PIECE: usize = 16 * 1024;

/// A stream of lines, each a message, handed on as whole lines. It ends where a line is longer, or nested deeper, than allowed; an
/// answer that the library would read with other digits is handed on as an error ([`depth::instead`]).
pub(super) struct Bounded<R> {
    inner: R,
    limit: usize,
    /// Of the line that comes in.
    depth: Depth,
    /// What has come of it.
    line: Vec<u8>,
    /// What may be handed on, and how much of it was.
    ready: Vec<u8>,
    given: usize,
    piece: Box<[u8]>,
    ended: bool,
    board: Arc<NotificationRouter>,
}

impl<R> Bounded<R> {
    pub(super) fn new(inner: R, limit: usize, board: Arc<NotificationRouter>) -> Self {
        Self {
            inner,
            limit,
            depth: Depth::default(),
            line: Vec::new(),
            ready: Vec::new(),
            given: 0,
            piece: vec![0; PIECE].into(),
            ended: false,
            board,
        }
    }

    /// Takes what came; nothing behind a line that is too long or too deep.
    fn take(&mut self, count: usize) {
        for at in 0..count {
            let byte = self.piece[at];
            self.line.push(byte);
            if byte == b'\n' {
                self.hand_on();
                self.depth = Depth::default();
                continue;
            }
            let too_deep = self.depth.take(byte);
            if too_deep || self.line.len() > self.limit {
                let beyond = if too_deep { TooBig::Deep } else { TooBig::Large };
                // Only this stream writes it.
                self.board.beyond.get_or_init(|| beyond);
                self.line = Vec::new();
                self.ended = true;
                return;
            }
        }
    }

    fn hand_on(&mut self) {
        match std::str::from_utf8(&self.line).ok().and_then(depth::instead) {
            Some(error) => {
                self.ready.extend_from_slice(error.as_bytes());
                self.ready.push(b'\n');
            }
            None => self.ready.extend_from_slice(&self.line),
        }
        self.line.clear();
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = &mut *self;
        while this.given == this.ready.len() {
            (this.ready, this.given) = (Vec::new(), 0);
            if this.ended {
                return Poll::Ready(Ok(()));
            }
            let mut piece = ReadBuf::new(&mut this.piece);
            ready!(Pin::new(&mut this.inner).poll_read(context, &mut piece))?;
            let count = piece.filled().len();
            if count == 0 {
                // A last line without its end.
                this.ended = true;
                this.hand_on();
            } else {
                this.take(count);
            }
        }
        let part = &this.ready[this.given..];
        let part = &part[..part.len().min(buffer.remaining())];
        buffer.put_slice(part);
        this.given += part.len();
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests;
