//! A connection to a mail server that reads no more than it was allowed. The libraries above it keep a whole line, or a
//! whole literal, in memory before they look at it.

use lettre::transport::smtp::client::AsyncTokioStream;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::{fmt, io};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// Bytes that may be read before anybody has said more.
const FIRST: u64 = 4 * 1024;
/// Longest line.
const LONGEST_LINE: usize = 512 * 1024;
/// The end of a line that may announce a literal: `{4294967295+}\r\n`.
const TAIL: usize = 16;

pub(super) enum Inner {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// The server answers more than is read.
#[derive(Debug, thiserror::Error)]
#[error("the server does not stop to answer")]
pub(super) struct Endless;

pub(super) fn is_endless(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Endless>())
}

pub(super) struct MailStream {
    inner: Inner,
    /// Read before anything of the server.
    before: &'static [u8],
    budget: Budget,
    guard: LineGuard,
}

/// Bytes that may still be read from a connection; for whoever no longer holds it.
#[derive(Clone)]
pub(super) struct Budget(Arc<AtomicU64>);

impl Budget {
    /// So many bytes may be read from now on.
    pub(super) fn allow(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Takes bytes off; what is left, and nothing when there were not so many.
    fn take(&self, bytes: u64) -> Option<u64> {
        let left = self.0.load(Ordering::Relaxed).checked_sub(bytes)?;
        self.0.store(left, Ordering::Relaxed);
        Some(left)
    }
}

impl MailStream {
    pub(super) fn new(inner: Inner) -> Self {
        Self { inner, before: b"", budget: Budget(Arc::new(AtomicU64::new(FIRST))), guard: LineGuard::default() }
    }

    /// Lets these bytes be read first.
    pub(super) fn with_before(mut self, before: &'static [u8]) -> Self {
        self.before = before;
        self
    }

    /// So many bytes may be read from now on.
    pub(super) fn allow(&mut self, bytes: u64) {
        self.budget.allow(bytes);
    }

    pub(super) fn budget(&self) -> Budget {
        self.budget.clone()
    }

    /// The socket, while nothing encrypts it.
    pub(super) fn into_tcp(self) -> Option<TcpStream> {
        match self.inner {
            Inner::Plain(stream) => Some(stream),
            Inner::Tls(_) => None,
        }
    }

    fn inner(&mut self) -> Pin<&mut (dyn Duplex + Send + Unpin)> {
        match &mut self.inner {
            Inner::Plain(stream) => Pin::new(stream),
            Inner::Tls(stream) => Pin::new(&mut **stream),
        }
    }
}

trait Duplex: AsyncRead + AsyncWrite {}
impl<T: AsyncRead + AsyncWrite> Duplex for T {}

impl fmt::Debug for MailStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailStream").finish_non_exhaustive()
    }
}

impl AsyncTokioStream for MailStream {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        match &self.inner {
            Inner::Plain(stream) => stream.peer_addr(),
            Inner::Tls(stream) => stream.get_ref().0.peer_addr(),
        }
    }
}

impl AsyncRead for MailStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if !self.before.is_empty() {
            let take = self.before.len().min(buf.remaining());
            let (now, later) = self.before.split_at(take);
            buf.put_slice(now);
            self.before = later;
            return Poll::Ready(Ok(()));
        }
        let start = buf.filled().len();
        ready!(self.inner().poll_read(cx, buf))?;
        let this = &mut *self;
        let new = buf.filled().get(start..).unwrap_or_default();
        match this.budget.take(new.len() as u64) {
            Some(left) if this.guard.see(new, left) => Poll::Ready(Ok(())),
            _ => Poll::Ready(Err(io::Error::other(Endless))),
        }
    }
}

impl AsyncWrite for MailStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.inner().poll_write(cx, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner().poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner().poll_shutdown(cx)
    }
}

/// Watches lines and the literals that they announce.
#[derive(Default)]
pub(super) struct LineGuard {
    /// Bytes of the line so far.
    line: usize,
    /// Its end so far.
    tail: Vec<u8>,
    /// Bytes of a literal that are still to come.
    literal: u64,
}

impl LineGuard {
    /// Takes the next bytes. False: a line, or a literal, is longer than is read.
    pub(super) fn see(&mut self, bytes: &[u8], left: u64) -> bool {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.literal > 0 {
                let skip = usize::try_from(self.literal).unwrap_or(usize::MAX).min(rest.len());
                self.literal -= skip as u64;
                rest = &rest[skip..];
                continue;
            }
            let (now, later) = match rest.iter().position(|byte| *byte == b'\n') {
                Some(at) => rest.split_at(at + 1),
                None => (rest, &rest[rest.len()..]),
            };
            self.line += now.len();
            if self.line > LONGEST_LINE {
                return false;
            }
            self.tail.extend_from_slice(&now[now.len().saturating_sub(TAIL)..]);
            let surplus = self.tail.len().saturating_sub(TAIL);
            self.tail.drain(..surplus);
            if now.ends_with(b"\n") {
                self.literal = announced(&self.tail).unwrap_or(0);
                self.line = 0;
                self.tail.clear();
                // What is here already has been counted.
                if self.literal > left.saturating_add(later.len() as u64) {
                    return false;
                }
            }
            rest = later;
        }
        true
    }
}

/// The length of the literal that a line announces at its end.
fn announced(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line.trim_ascii_end()).ok()?;
    let number = text.strip_suffix('}')?.rsplit_once('{')?.1;
    number.trim_end_matches('+').parse().ok()
}
