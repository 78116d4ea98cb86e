//! The connections of the server: each is closed when its peer lets it wait too long, and when all places are taken the one
//! that has held its place longest without a valid token makes room (ADR 86).

use super::activity::{Activity, WatchedStream};
use super::limits::Limits;
use super::tls;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::response::Response;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use serde_json::json;
use signalbox_app::{ApiError, ApiResult};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_rustls::TlsAcceptor;

/// Headers of one request, and what is read of a body at once.
const BUFFER: usize = 64 * 1024;
/// Requests at once on one connection of HTTP/2.
const STREAMS: u32 = 100;
/// Connections that may wait to be accepted. The standard 128 are too few for a crowd that comes at once: the system lets
/// whoever finds no place try again a second later.
const BACKLOG: u32 = 1_024;
/// The answer to a peer for which there is no room where TLS is spoken: a fatal alert, `internal_error` (RFC 8446, 6).
const TLS_ALERT: &[u8] = &[0x15, 3, 3, 0, 2, 2, 80];
/// After an error of the system, which has no file to give, for example.
const PAUSE: Duration = Duration::from_millis(500);

/// TLS of the server, and its address for those who come without.
#[derive(Clone)]
pub(crate) struct Tls {
    pub(crate) acceptor: TlsAcceptor,
    pub(crate) base: String,
}

/// All open connections.
#[derive(Debug)]
struct ConnectionTable {
    limits: Limits,
    next: AtomicU64,
    open: Mutex<BTreeMap<u64, Arc<Activity>>>,
    /// Requests under way of each holder of tokens.
    holders: Mutex<BTreeMap<String, usize>>,
}

impl ConnectionTable {
    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Activity>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn holders(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the connection that has waited longest among those of the peer that has most of them; false when every
    /// connection answers somebody with a valid token.
    fn evict(&self) -> bool {
        let open = self.open();
        let free = || open.values().filter_map(|one| Some((one, one.evictable_since()?)));
        let mut counts: BTreeMap<IpAddr, usize> = BTreeMap::new();
        free().for_each(|(one, _)| *counts.entry(one.peer).or_default() += 1);
        let Some((most, _)) = counts.into_iter().max_by_key(|(_, count)| *count) else { return false };
        let oldest = free().filter(|(one, _)| one.peer == most).min_by_key(|(_, since)| *since);
        oldest.inspect(|(one, _)| one.evicted.notify_one()).is_some()
    }
}

/// The place of a connection.
struct ConnectionSlot {
    table: Arc<ConnectionTable>,
    id: u64,
    activity: Arc<Activity>,
    _slot: OwnedSemaphorePermit,
}

impl ConnectionSlot {
    fn new(table: &Arc<ConnectionTable>, peer: IpAddr, slot: OwnedSemaphorePermit) -> Self {
        let (id, activity) = (table.next.fetch_add(1, Ordering::Relaxed), Activity::new(peer));
        table.open().insert(id, Arc::clone(&activity));
        Self { table: Arc::clone(table), id, activity, _slot: slot }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.table.open().remove(&self.id);
    }
}

/// A request that is under way; with it ends what it is counted for.
pub(crate) struct RequestGuard {
    table: Arc<ConnectionTable>,
    activity: Arc<Activity>,
    holder: OnceLock<String>,
    is_known: AtomicBool,
}

impl RequestGuard {
    fn new(table: &Arc<ConnectionTable>, activity: &Arc<Activity>) -> Arc<Self> {
        activity.request_begins();
        Arc::new(Self {
            table: Arc::clone(table),
            activity: Arc::clone(activity),
            holder: OnceLock::new(),
            is_known: AtomicBool::new(false),
        })
    }

    /// It came with a valid token: it keeps its place. Refused when the holder has too many already.
    pub(crate) fn belongs_to(&self, holder: &str) -> ApiResult<()> {
        let most = self.table.limits.requests_of_one;
        let mut holders = self.table.holders();
        let count = holders.entry(holder.to_owned()).or_default();
        if *count >= most {
            return Err(ApiError::unavailable(
                "TOO_MANY_REQUESTS",
                format!("{holder} has reached the limit of {count} open requests and streams."),
                "Close unused streams, then try again.",
            ));
        }
        // Said once for a request.
        if self.holder.set(holder.to_owned()).is_ok() {
            *count += 1;
            self.is_known.store(true, Ordering::Relaxed);
            self.activity.request_is_known();
        }
        Ok(())
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        if let Some(holder) = self.holder.get() {
            let mut holders = self.table.holders();
            let left = holders.get_mut(holder).map(|count| {
                *count -= 1;
                *count
            });
            if left == Some(0) {
                holders.remove(holder);
            }
        }
        self.activity.request_ends(self.is_known.load(Ordering::Relaxed));
    }
}

/// An answer whose request is under way until all of it was handed to the connection.
struct TrackedBody {
    body: Body,
    _under_way: Arc<RequestGuard>,
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Opens the port.
pub(crate) fn listen(addr: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if addr.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A server that starts again need not wait for connections of the last one. On Windows it would let others take the port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    socket.listen(BACKLOG)
}

/// Answers with `handle` until `stop` is done, and a moment longer what is under way then. `handle` finds [`RequestGuard`] among
/// the extensions of the request.
pub(crate) async fn serve<H, F>(
    listener: TcpListener,
    limits: Limits,
    tls: Option<Tls>,
    handle: H,
    stop: impl Future<Output = ()>,
    grace: Duration,
) where
    H: Fn(Request) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let slots = Arc::new(Semaphore::new(limits.connections));
    let table = Arc::new(ConnectionTable {
        limits,
        next: AtomicU64::default(),
        open: Mutex::default(),
        holders: Mutex::default(),
    });
    let (stopping, stopped) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = accept(&listener, &table, &slots, tls.is_some()) => accepted,
        };
        while connections.try_join_next().is_some() {}
        let Some((stream, peer, slot)) = accepted else { continue };
        let place = ConnectionSlot::new(&table, peer.ip(), slot);
        connections.spawn(one(stream, place, tls.clone(), handle.clone(), stopped.clone()));
    }
    drop(listener);
    stopping.send_replace(true);
    tokio::select! {
        () = async { while connections.join_next().await.is_some() {} } => {}
        () = sleep(grace) => {}
    }
}

/// The next connection, with a slot for it.
async fn accept(
    listener: &TcpListener,
    table: &ConnectionTable,
    slots: &Arc<Semaphore>,
    is_tls: bool,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let (stream, peer) = match listener.accept().await {
        Ok(accepted) => accepted,
        Err(error) => {
            use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
            // Of the one that came, who has gone; anything else is of the system, and will not be better at once.
            if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
                table.evict();
                sleep(PAUSE).await;
            }
            return None;
        }
    };
    if let Ok(slot) = Arc::clone(slots).try_acquire_owned() {
        return Some((stream, peer, slot));
    }
    if !table.evict() {
        // As much of it as fits: nobody is waited for.
        let _ = if is_tls { stream.try_write(TLS_ALERT) } else { stream.try_write(full().as_bytes()) };
        return None;
    }
    // The one that makes room is dropped at once. The semaphore is never closed.
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    Some((stream, peer, slot))
}

/// For who comes when every place is taken by somebody with a valid token.
fn full() -> String {
    let error =
        ApiError::unavailable("TOO_MANY_CONNECTIONS", "All connections are in use.", "Close some, then try again.");
    let body = json!({ "error": error }).to_string();
    format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 5\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// When the connection is to be closed if nothing happens until then.
async fn over(activity: &Activity, limits: &Limits) {
    match activity.deadline(limits) {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// One connection: its handshake where TLS is spoken, then its requests.
async fn one<H, F>(
    stream: TcpStream,
    place: ConnectionSlot,
    tls: Option<Tls>,
    handle: H,
    mut stopped: watch::Receiver<bool>,
) where
    H: Fn(Request) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    // Small answers go out at once; without it they only come later.
    let _ = stream.set_nodelay(true);
    let activity = Arc::clone(&place.activity);
    let Some(tls) = tls else {
        return requests(WatchedStream::plain(stream, activity), place, handle, stopped).await;
    };
    let mut handshake = pin!(tls::accept(&tls.acceptor, stream, &activity, &tls.base));
    let accepted = loop {
        tokio::select! {
            accepted = handshake.as_mut() => break accepted,
            () = activity.evicted.notified() => return,
            // A peer that takes no bytes ends it earlier.
            () = activity.changed.notified() => {}
            () = over(&activity, &place.table.limits) => if activity.deadline(&place.table.limits).is_some_and(|deadline| deadline <= Instant::now()) {
                return;
            },
            _ = stopped.changed() => return,
        }
    };
    if let Some(stream) = accepted {
        requests(WatchedStream::above_tls(stream, Arc::clone(&activity)), place, handle, stopped).await;
    }
}

/// The requests of one connection, until it ends, lets wait too long, or makes room.
async fn requests<S, H, F>(stream: S, place: ConnectionSlot, handle: H, mut stopped: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    H: Fn(Request) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let (table, activity) = (Arc::clone(&place.table), Arc::clone(&place.activity));
    let service = service_fn(|request: Request<Incoming>| {
        let under_way = RequestGuard::new(&table, &activity);
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Arc::clone(&under_way));
        let answer = handle(request);
        async move {
            let response = answer.await;
            Ok::<_, Infallible>(response.map(|body| TrackedBody { body, _under_way: under_way }))
        }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().max_buf_size(BUFFER);
    builder.http2().max_concurrent_streams(STREAMS);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let mut stops = false;
    loop {
        tokio::select! {
            // What went wrong on it was its peer's business.
            _ = connection.as_mut() => return,
            () = activity.evicted.notified() => return,
            () = activity.changed.notified() => {}
            () = over(&activity, &table.limits) => if activity.deadline(&table.limits).is_some_and(|deadline| deadline <= Instant::now()) {
                return;
            },
            _ = stopped.changed(), if !stops => {
                stops = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

#[cfg(test)]
mod tests;
