//! Between the library and what carries its messages: every message passes here in its order.

use super::notices::{Ear, Switchboard};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetExtensions, GetMeta, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// Messages that a [`Switchboard`] sees.
pub(super) struct Wire<T> {
    pub(super) inner: T,
    pub(super) board: Arc<Switchboard>,
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
            && let Some(ear) = request.request.extensions_mut().remove::<Ear>()
            && let Some(token) = request.request.get_meta().get_progress_token()
        {
            self.board.listen(&token, ear);
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

/// A stream of lines that ends where a line is longer than allowed.
pub(super) struct Bounded<R> {
    inner: R,
    limit: usize,
    /// Bytes since the last line's end.
    line: usize,
    board: Arc<Switchboard>,
}

impl<R> Bounded<R> {
    pub(super) fn new(inner: R, limit: usize, board: Arc<Switchboard>) -> Self {
        Self { inner, limit, line: 0, board }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        if self.board.too_large.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let mut longest = self.line;
        for (index, part) in buffer.filled()[before..].split(|byte| *byte == b'\n').enumerate() {
            self.line = if index == 0 { self.line + part.len() } else { part.len() };
            longest = longest.max(self.line);
        }
        if longest > self.limit {
            self.board.too_large.store(true, Ordering::Relaxed);
            buffer.set_filled(before);
        }
        Poll::Ready(Ok(()))
    }
}
