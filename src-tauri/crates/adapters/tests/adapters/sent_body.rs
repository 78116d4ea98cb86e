//! Request bodies that are read while they are sent, on real sockets.

use async_trait::async_trait;
use signalbox_adapters::WebHttp;
use signalbox_ports::{Http, HttpError, HttpRequest, PieceStream, Redirects, StreamedBody};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

struct Given(VecDeque<Result<Vec<u8>, String>>);

#[async_trait]
impl PieceStream for Given {
    async fn next(&mut self) -> Option<Result<Vec<u8>, String>> {
        self.0.pop_front()
    }
}

fn request(base: &str) -> HttpRequest {
    HttpRequest {
        method: "PUT".into(),
        url: format!("{base}/a"),
        headers: vec![("Content-Type".into(), "text/plain".into())],
        body: None,
        timeout: Duration::from_secs(10),
        loopback_allowed: true,
        redirects: Redirects::No,
        trust_redirects: false,
        cookies: Vec::new(),
        max_body: 1024,
        credential: None,
    }
}

/// Takes one request until so many bytes of it have come or it ends, and answers if it is told to; gives what came.
async fn server(most: usize, answers: bool) -> (String, tokio::task::JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let taken = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let (mut all, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
        while all.len() < most {
            match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => break,
                Ok(read) => all.extend_from_slice(&buffer[..read]),
            }
        }
        if answers {
            drop(stream.write_all(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\nETag: \"1\"\r\n\r\n").await);
        }
        all
    });
    (base, taken)
}

#[tokio::test]
async fn a_body_is_sent_with_its_length_while_it_is_read() {
    let (base, taken) = server(300_000, true).await;
    let pieces = (0..3).map(|n| Ok(vec![b'a' + n; 100_000])).collect();
    let http = WebHttp::new(&[]).expect("a client");
    let answer = http.send_body(request(&base), StreamedBody { pieces: Box::new(Given(pieces)), size: 300_000 }).await;
    assert_eq!(answer.map(|answer| answer.status), Ok(201));
    let sent = taken.await.expect("no panic");
    let head = String::from_utf8_lossy(&sent[..300]).to_ascii_lowercase();
    assert!(
        head.starts_with("put /a http/1.1\r\nhost: 127.0.0.1") && head.contains("content-length: 300000\r\n"),
        "{head}"
    );
}

#[tokio::test]
async fn a_body_that_ends_early_is_no_whole_request() {
    for pieces in
        [VecDeque::from([Ok(vec![1; 1000]), Err("the file changed".to_owned())]), VecDeque::from([Ok(vec![1; 1000])])]
    {
        let (base, taken) = server(usize::MAX, false).await;
        let http = WebHttp::new(&[]).expect("a client");
        let sent =
            http.send_body(request(&base), StreamedBody { pieces: Box::new(Given(pieces)), size: 300_000 }).await;
        assert!(matches!(sent, Err(HttpError::Cut { .. } | HttpError::Connect { .. })), "{sent:?}");
        assert!(taken.await.expect("no panic").len() < 2_000);
    }
    // A network that is not open to steps.
    let closed = HttpRequest { loopback_allowed: false, ..request("http://127.0.0.1:9") };
    let body = StreamedBody { pieces: Box::new(Given(VecDeque::new())), size: 0 };
    let refused = WebHttp::new(&[]).expect("a client").send_body(closed, body).await;
    assert!(matches!(refused, Err(HttpError::Refused { .. })), "{refused:?}");
}
