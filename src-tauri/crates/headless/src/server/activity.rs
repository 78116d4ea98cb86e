//! What happens on one connection, as far as its limits need to know: whether a request is under way, whose it is, and since
//! when the connection waits for its peer.

use super::limits::Limits;
use std::net::{IpAddr, Ipv6Addr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::Instant;

/// Begins an HTTP/2 connection.
const HTTP2: &[u8] = b"PRI";

/// What a connection waits for while no request is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitState {
    /// The rest of a request's headers, or the first request at all.
    Headers,
    /// The next request.
    Idle,
}

#[derive(Debug)]
struct State {
    /// Requests under way: begun, and not answered to the end.
    requests: usize,
    /// Those of them that came with a valid token.
    known: usize,
    waits: WaitState,
    /// Since when it waits, or since when the oldest requests are under way.
    since: Instant,
    /// Since when the peer takes no byte of what is to be sent.
    unread_since: Option<Instant>,
    /// Frames of HTTP/2 come also while nothing is asked.
    is_http2: Option<bool>,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Activity {
    pub(crate) peer: IpAddr,
    state: Mutex<State>,
    /// A limit may end earlier than it did before.
    pub(crate) changed: Notify,
    /// Its place is needed for somebody else.
    pub(crate) evicted: Notify,
}

impl Activity {
    pub(crate) fn new(peer: IpAddr) -> Arc<Self> {
        let state = State {
            requests: 0,
            known: 0,
            waits: WaitState::Headers,
            since: Instant::now(),
            unread_since: None,
            is_http2: None,
        };
        let peer = network(peer);
        Arc::new(Self { peer, state: Mutex::new(state), changed: Notify::new(), evicted: Notify::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the connection is to be closed if nothing happens until then.
    pub(crate) fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let state = self.state();
        let read = (state.requests == 0).then(|| match state.waits {
            WaitState::Headers => state.since + limits.headers,
            WaitState::Idle => state.since + limits.idle,
        });
        let unread = state.unread_since.map(|since| since + limits.unread);
        read.into_iter().chain(unread).min()
    }

    /// Since when it holds a place that others may need more; nothing while a request with a valid token is under way.
    pub(crate) fn evictable_since(&self) -> Option<Instant> {
        let state = self.state();
        (state.known == 0).then_some(state.since)
    }

    fn read(&self, bytes: &[u8]) {
        let mut state = self.state();
        let is_http2 = *state.is_http2.get_or_insert_with(|| bytes.starts_with(HTTP2));
        if state.requests == 0 && state.waits == WaitState::Idle && !is_http2 {
            state.waits = WaitState::Headers;
            state.since = Instant::now();
            self.changed.notify_one();
        }
    }

    fn written(&self, blocked: bool) {
        let mut state = self.state();
        if !blocked {
            state.unread_since = None;
        } else if state.unread_since.is_none() {
            state.unread_since = Some(Instant::now());
            self.changed.notify_one();
        }
    }

    pub(crate) fn request_begins(&self) {
        let mut state = self.state();
        if state.requests == 0 {
            state.since = Instant::now();
        }
        state.requests += 1;
    }

    pub(crate) fn request_is_known(&self) {
        self.state().known += 1;
    }

    pub(crate) fn request_ends(&self, was_known: bool) {
        let mut state = self.state();
        state.requests -= 1;
        state.known -= usize::from(was_known);
        if state.requests == 0 {
            state.waits = WaitState::Idle;
            state.since = Instant::now();
            self.changed.notify_one();
        }
    }
}

/// Who has one address of IPv6 has the whole network around it.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address => address,
    }
}

/// A connection whose bytes are noticed: what is read as the peer meant it, what is written as the network takes it.
pub(crate) struct WatchedStream<S> {
    stream: S,
    activity: Arc<Activity>,
    reads: bool,
    writes: bool,
}

impl<S> WatchedStream<S> {
    /// Without TLS.
    pub(crate) fn plain(stream: S, activity: Arc<Activity>) -> Self {
        Self { stream, activity, reads: true, writes: true }
    }

    /// Between TLS and the network.
    pub(crate) fn below_tls(stream: S, activity: Arc<Activity>) -> Self {
        Self { stream, activity, reads: false, writes: true }
    }

    /// Between TLS and the requests.
    pub(crate) fn above_tls(stream: S, activity: Arc<Activity>) -> Self {
        Self { stream, activity, reads: true, writes: false }
    }

    fn wrote<T>(&self, polled: Poll<std::io::Result<T>>) -> Poll<std::io::Result<T>> {
        if self.writes {
            self.activity.written(polled.is_pending());
        }
        polled
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WatchedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        let bytes = buffer.filled().get(before..).unwrap_or_default();
        if self.reads && !bytes.is_empty() {
            self.activity.read(bytes);
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WatchedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.wrote(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
