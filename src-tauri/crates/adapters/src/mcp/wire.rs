//! Between the library and what carries its messages: every message passes here in its order.

use super::depth::Depth;
use super::notifications::{Beyond, Ear, Switchboard};
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

/// A stream of lines that ends where a line is longer, or nested deeper, than allowed.
pub(super) struct Bounded<R> {
    inner: R,
    limit: usize,
    /// Bytes since the last line's end.
    line: usize,
    depth: Depth,
    board: Arc<Switchboard>,
}

impl<R> Bounded<R> {
    pub(super) fn new(inner: R, limit: usize, board: Arc<Switchboard>) -> Self {
        Self { inner, limit, line: 0, depth: Depth::default(), board }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        if self.board.beyond.get().is_some() {
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let (mut longest, mut too_deep) = (self.line, false);
        for (index, part) in buffer.filled()[before..].split(|byte| *byte == b'\n').enumerate() {
            if index > 0 {
                (self.line, self.depth) = (0, Depth::default());
            }
            self.line += part.len();
            longest = longest.max(self.line);
            too_deep = too_deep || part.iter().any(|byte| self.depth.take(*byte));
        }
        let beyond = if longest > self.limit { Some(Beyond::Large) } else { too_deep.then_some(Beyond::Deep) };
        if let Some(beyond) = beyond {
            // Only this stream writes it.
            self.board.beyond.get_or_init(|| beyond);
            buffer.set_filled(before);
        }
        Poll::Ready(Ok(()))
    }
}
