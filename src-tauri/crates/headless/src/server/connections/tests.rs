use super::{RequestGuard, serve};
use crate::server::activity::{Activity, WatchedStream};
use crate::server::limits::Limits;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;

const NEVER: Duration = Duration::from_secs(3_600);
const SOON: Duration = Duration::from_millis(30);

fn limits() -> Limits {
    Limits { headers: NEVER, idle: NEVER, body: NEVER, unread: NEVER, connections: 8, requests_of_one: 6 }
}

type Pieces = mpsc::Sender<Result<Bytes, Infallible>>;

/// A server that answers `/`, with a valid token `/mine` and `/stream`, which sends what the test gives it.
struct Server {
    addr: SocketAddr,
    pieces: mpsc::Receiver<Pieces>,
    stop: Option<oneshot::Sender<()>>,
    ended: tokio::task::JoinHandle<()>,
}

impl Server {
    async fn start(limits: Limits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let (streams, pieces) = mpsc::channel(64);
        let (stop, stopped) = oneshot::channel::<()>();
        let handle = move |request: Request| {
            let streams = streams.clone();
            async move {
                let under_way = request.extensions().get::<Arc<RequestGuard>>().cloned().expect("it is counted");
                let path = request.uri().path().to_owned();
                if path != "/" && path != "/open" && under_way.belongs_to("anna").is_err() {
                    return Response::new(Body::from("too many"));
                }
                if path == "/" || path == "/mine" {
                    return Response::new(Body::from("done"));
                }
                let (sender, receiver) = mpsc::channel(1);
                streams.send(sender).await.expect("the test listens");
                Response::new(Body::from_stream(ReceiverStream::new(receiver)))
            }
        };
        let stopped = async move { drop(stopped.await) };
        let ended = tokio::spawn(serve(listener, limits, None, handle, stopped, NEVER));
        Self { addr, pieces, stop: Some(stop), ended }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.addr).await.expect("connected")
    }

    async fn send(&self, text: &str) -> TcpStream {
        let mut stream = self.connect().await;
        stream.write_all(text.as_bytes()).await.expect("sent");
        stream
    }

    /// A stream that has begun, and what feeds it.
    async fn stream(&mut self, path: &str) -> (TcpStream, Pieces) {
        let mut stream = self.send(&format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n")).await;
        let feed = self.pieces.recv().await.expect("it begins");
        feed.send(Ok(Bytes::from_static(b"first"))).await.expect("taken");
        until(&mut stream, "first").await;
        (stream, feed)
    }
}

const ASKED: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

/// Reads up to and with `end`.
async fn until(stream: &mut TcpStream, end: &str) -> String {
    let mut text = String::new();
    while !text.contains(end) {
        let mut bytes = [0; 1_024];
        let count = stream.read(&mut bytes).await.expect("reads");
        assert_ne!(count, 0, "it ended after {text}");
        text.push_str(std::str::from_utf8(&bytes[..count]).expect("text"));
    }
    text
}

/// WaitState for the end of a connection; an answer before it is given.
async fn end(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A connection that is cut ends with an error as well.
    drop(stream.read_to_end(&mut bytes).await);
    String::from_utf8(bytes).expect("text")
}

#[tokio::test]
async fn who_sends_no_whole_request_is_cut_off() {
    let server = Server::start(Limits { headers: SOON, ..limits() }).await;
    for beginning in
        ["", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nhost: x\r\nx-more: ", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
    {
        let answer = end(&mut server.send(beginning).await).await;
        assert!(!answer.contains("200 OK"), "{beginning}: {answer}");
    }
    // The same behind a request that was answered: its limit begins with its first byte.
    let mut kept = server.send(ASKED).await;
    until(&mut kept, "done").await;
    kept.write_all(b"GET").await.expect("sent");
    assert_eq!(end(&mut kept).await, "");
}

#[tokio::test]
async fn who_asks_nothing_more_is_cut_off_and_who_follows_a_stream_is_not() {
    let mut server = Server::start(Limits { headers: SOON, idle: SOON, ..limits() }).await;
    let (mut stream, feed) = server.stream("/stream").await;
    // These take as long as the limits: the stream, begun before them, has outlived both.
    let mut kept = server.send(ASKED).await;
    assert!(end(&mut kept).await.ends_with("done"));
    end(&mut server.connect().await).await;
    feed.send(Ok(Bytes::from_static(b"second"))).await.expect("taken");
    until(&mut stream, "second").await;
    drop(feed);
    // Its end is the end of a request: now the connection is idle.
    end(&mut stream).await;
}

#[tokio::test]
async fn who_reads_nothing_is_cut_off() {
    let mut server = Server::start(Limits { unread: SOON, ..limits() }).await;
    let (_stream, feed) = server.stream("/stream").await;
    // Nobody reads: the system takes some of it, and then nothing. The feed ends when the connection is dropped.
    while feed.send(Ok(Bytes::from(vec![0; 1 << 20]))).await.is_ok() {}
}

/// Nobody is accepted here, and yet nobody has to try again.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn many_who_come_at_once_find_a_place() {
    let most = std::fs::read_to_string("/proc/sys/net/core/somaxconn").expect("the system's limit");
    let many = most.trim().parse::<usize>().expect("a number").min(300);
    let listener = super::listen(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
    let addr = listener.local_addr().expect("an address");
    let mut waiting = Vec::new();
    for _ in 0..many {
        waiting.push(TcpStream::connect(addr).await.expect("connected"));
    }
    assert_eq!(waiting.len(), many);
}

/// A piece whose memory is counted as long as somebody holds it.
struct Held {
    bytes: Arc<[u8]>,
    held: Arc<AtomicUsize>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.held.fetch_sub(self.bytes.len(), Ordering::SeqCst);
    }
}

/// What a connection holds of a stream is small, however much there is to send and however little its peer reads (ADR 87).
#[tokio::test]
async fn a_connection_holds_little_of_a_stream_that_nobody_reads() {
    const PIECE: usize = 64 * 1024;
    let mut server = Server::start(Limits { unread: SOON, ..limits() }).await;
    let (_stream, feed) = server.stream("/stream").await;
    let (held, bytes) = (Arc::new(AtomicUsize::new(0)), Arc::<[u8]>::from(vec![b'x'; PIECE]));
    let (mut sent, mut most) = (0, 0);
    // The system takes some megabytes of it. Then the connection takes nothing more, and is cut off.
    loop {
        held.fetch_add(PIECE, Ordering::SeqCst);
        let piece = Bytes::from_owner(Held { bytes: Arc::clone(&bytes), held: Arc::clone(&held) });
        if feed.send(Ok(piece)).await.is_err() {
            break;
        }
        most = most.max(held.load(Ordering::SeqCst));
        sent += 1;
    }
    // One waits in the channel of this test; the rest is what was handed to the connection and not yet to the system.
    assert!(most <= 4 * PIECE, "{most} bytes were held, of {sent} pieces");
    assert_eq!(held.load(Ordering::SeqCst), 0, "with the connection goes what it held");
}

/// Pieces are handed to the system where they are: a connection that is asked for one block of memory would copy them.
#[tokio::test]
async fn a_connection_sends_pieces_without_copying_them() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let stream = TcpStream::connect(listener.local_addr().expect("an address")).await.expect("connected");
    let stream = WatchedStream::plain(stream, Activity::new(IpAddr::from([127, 0, 0, 1])));
    assert!(tokio::io::AsyncWrite::is_write_vectored(&stream));
}

/// A flood of connections that ask nothing, from here as from anywhere, keeps nobody out.
#[tokio::test]
async fn half_open_connections_make_room_the_oldest_first() {
    let mut server = Server::start(limits()).await;
    let (mut stream, feed) = server.stream("/stream").await;
    let mut flood = Vec::new();
    for number in 0..50 {
        flood.push(server.send(if number % 2 == 0 { "" } else { "GET / HT" }).await);
        // In the midst of it others are answered.
        let mut asks = server.send(ASKED).await;
        until(&mut asks, "done").await;
    }
    // All but the newest have made room.
    for mut gone in flood.drain(..40) {
        assert_eq!(end(&mut gone).await, "");
    }
    feed.send(Ok(Bytes::from_static(b"second"))).await.expect("taken");
    until(&mut stream, "second").await;
}

#[tokio::test]
async fn an_answer_without_a_token_keeps_no_place() {
    let mut server = Server::start(limits()).await;
    let mut held = Vec::new();
    for _ in 0..8 {
        held.push(server.stream("/open").await);
    }
    let mut asks = server.send(ASKED).await;
    until(&mut asks, "done").await;
    end(&mut held[0].0).await;
}

#[tokio::test]
async fn one_holder_of_tokens_leaves_places_for_others() {
    let mut server = Server::start(limits()).await;
    let mut held = Vec::new();
    for _ in 0..6 {
        held.push(server.stream("/stream").await);
    }
    let mut refused = server.send("GET /mine HTTP/1.1\r\nhost: x\r\n\r\n").await;
    until(&mut refused, "too many").await;
    let mut other = server.send(ASKED).await;
    until(&mut other, "done").await;
    // One that ends gives its place back.
    let (mut ended, feed) = held.remove(0);
    drop(feed);
    until(&mut ended, "0\r\n\r\n").await;
    let mut taken = server.send("GET /mine HTTP/1.1\r\nhost: x\r\n\r\n").await;
    until(&mut taken, "done").await;
}

#[tokio::test]
async fn where_every_place_is_taken_by_somebody_known_the_next_is_told_so() {
    let mut server = Server::start(Limits { requests_of_one: 100, ..limits() }).await;
    let mut held = Vec::new();
    for _ in 0..8 {
        held.push(server.stream("/stream").await);
    }
    let mut refused = server.connect().await;
    let answer = until(&mut refused, "}}").await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
    assert!(head.contains(&format!("content-length: {}", body.len())), "{answer}");
    assert!(serde_json::from_str::<serde_json::Value>(body).is_ok_and(|body| body["error"]["hint"].is_string()));
}

#[tokio::test]
async fn a_stop_ends_what_is_idle_and_lets_answers_end() {
    let mut server = Server::start(limits()).await;
    let mut idle = server.send(ASKED).await;
    until(&mut idle, "done").await;
    let (mut stream, feed) = server.stream("/stream").await;
    drop(server.stop.take());
    assert_eq!(end(&mut idle).await, "");
    feed.send(Ok(Bytes::from_static(b"last"))).await.expect("taken");
    drop(feed);
    assert!(end(&mut stream).await.contains("last"));
    server.ended.await.expect("it ends");
}

/// A body that stops coming.
#[tokio::test]
async fn a_body_without_progress_is_given_up() {
    let (sender, receiver) = mpsc::channel::<Result<Bytes, Infallible>>(1);
    sender.send(Ok(Bytes::from_static(b"{"))).await.expect("taken");
    let error = super::super::read(Body::from_stream(ReceiverStream::new(receiver)), SOON).await.expect_err("too slow");
    assert_eq!((error.code.as_str(), error.class), ("TOO_SLOW", signalbox_app::Class::TooSlow));
    // What goes on in time may be as long as it likes.
    let whole = tokio_stream::iter((0..64).map(|_| Ok::<_, Infallible>(Bytes::from(vec![b' '; Limits::BODY_LEAST]))));
    let whole = super::super::read(Body::from_stream(whole), NEVER).await;
    assert_eq!(whole.map(|bytes| bytes.len()), Ok(64 * Limits::BODY_LEAST));
}
