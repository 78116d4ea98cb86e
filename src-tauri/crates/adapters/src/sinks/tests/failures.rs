//! What goes wrong at the far end, for each kind of sink: it is told, nothing counts as taken, and nobody waits for ever. Real
//! servers that are killed, full or refuse: `cargo xtask peers sinks` and `kafka`.

use super::entry;
use crate::sinks::{JsonlSink, Kind, Place, Remote};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use signalbox_ports::{AuditLine, AuditSink, NotTaken};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Runtime;

const KINDS: [Kind; 5] = [Kind::Postgres, Kind::S3, Kind::Elasticsearch, Kind::Syslog, Kind::Kafka];

/// A place of a kind at a port of this machine.
fn place(kind: Kind, host: &str, port: u16, encrypted: bool) -> Place {
    let (web, tls) = if encrypted { ("https", "") } else { ("http", "?tls=off") };
    let url = match kind {
        Kind::Postgres => format!("postgresql://ada@{host}:{port}/audit{tls}"),
        Kind::S3 => format!("{web}://{host}:{port}/bucket"),
        Kind::Elasticsearch => format!("{web}://{host}:{port}/audit"),
        Kind::Syslog => format!("syslog://{host}:{port}{tls}"),
        Kind::Kafka => format!("kafka://{host}:{port}/audit{tls}"),
    };
    Place {
        kind,
        url: Place::address(kind, &url).expect("an address"),
        here: true,
        ca: None,
        credential: None,
        log_id: "log".into(),
        time_limit: Place::TIME_LIMIT,
    }
}

/// Opens a sink, looks, and adds an entry, as a copy does.
fn copy(threads: &Runtime, place: Place) -> Result<(), NotTaken> {
    let lines: Vec<AuditLine> =
        (7..10).map(|seq| AuditLine { seq, ..entry(format!("{{\"entry\":{seq}}}\n")) }).collect();
    let mut sink = Remote::open(place, threads.handle().clone())?;
    sink.last(0)?;
    sink.take(&lines)
}

#[test]
fn a_server_that_never_answers_is_given_up_in_bounded_time() {
    let threads = Runtime::new().expect("a runtime");
    // Connections are made by the system; nobody reads them.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    for kind in KINDS {
        let place = Place { time_limit: Duration::from_millis(50), ..place(kind, "127.0.0.1", port, false) };
        let not = copy(&threads, place).expect_err("late");
        assert!(not.taken == 0 && not.why.to_string().contains("it did not answer within"), "{kind:?}: {not:?}");
    }
}

fn acceptor(folder: &Path) -> tokio_rustls::TlsAcceptor {
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a file");
    let certificate = CertificateDer::from_pem_slice(&read("server.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(&read("server.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("versions");
    let config = config.with_no_client_auth().with_single_cert(vec![certificate], key).expect("they fit");
    tokio_rustls::TlsAcceptor::from(Arc::new(config))
}

/// A server with TLS that agrees to everything up to the end of the handshake, and counts the handshakes.
fn encrypted(threads: &Runtime, folder: &Path) -> (u16, Arc<AtomicUsize>) {
    let acceptor = acceptor(folder);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let done = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&done);
    let threads = threads.handle().clone();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut first = [0; 1];
            // PostgreSQL asks first whether there is TLS.
            if stream.peek(&mut first).is_ok() && first[0] == 0 {
                stream.read_exact(&mut [0; 8]).expect("the question");
                stream.write_all(b"S").expect("the answer");
            }
            stream.set_nonblocking(true).expect("set");
            let (acceptor, counted) = (acceptor.clone(), Arc::clone(&counted));
            threads.spawn(async move {
                let stream = tokio::net::TcpStream::from_std(stream).expect("a stream");
                if acceptor.accept(stream).await.is_ok() {
                    counted.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    (port, done)
}

fn certificates(folder: &Path) {
    let ssl = |arguments: &str| {
        let done = std::process::Command::new("openssl").current_dir(folder).args(arguments.split(' ')).output();
        let done = done.expect("openssl");
        assert!(done.status.success(), "{arguments}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    ssl(&format!(
        "req -x509 -keyout ca.key -out ca.pem -subj /CN=authority -days 2 {key} -addext basicConstraints=critical,CA:TRUE"
    ));
    ssl(&format!("req -keyout server.key -out server.csr -subj /CN=localhost {key}"));
    std::fs::write(folder.join("extensions"), "subjectAltName=DNS:localhost\n").expect("written");
    ssl(
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile extensions",
    );
}

#[test]
fn a_certificate_of_somebody_else_or_for_another_host_gets_no_entry() {
    let threads = Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    certificates(folder.path());
    let ca = std::fs::read_to_string(folder.path().join("ca.pem")).expect("a file");
    for kind in KINDS {
        // A server for each kind: the last copy may connect twice, and its second handshake belongs to no other kind.
        let (port, done) = encrypted(&threads, folder.path());
        let stranger = copy(&threads, place(kind, "localhost", port, true)).expect_err("nobody vouches for it");
        let known = |host: &str| Place { ca: Some(ca.clone()), ..place(kind, host, port, true) };
        let other = copy(&threads, known("127.0.0.1")).expect_err("it is another host's");
        for not in [stranger, other] {
            let why = not.why.to_string();
            assert!(not.taken == 0 && why.contains("certificate"), "{kind:?}: {why}");
        }
        assert_eq!(done.load(Ordering::SeqCst), 0, "{kind:?}");
        // With its authority the handshake succeeds; how the copy ends after that is not told here.
        let _ended = copy(&threads, known("localhost"));
        // The server counts in its own thread; the test runner's time limit ends a wait that never succeeds.
        while done.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
    }
}

/// A web server that answers what adds something with `answer`, or breaks off after it has read the beginning of that.
fn web(answer: Option<(u16, &'static str)>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || while serve(&stream, answer).is_some() {});
        }
    });
    port
}

fn serve(mut stream: &TcpStream, answer: Option<(u16, &'static str)>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    while reader.read_line(&mut head).ok().filter(|read| *read > 0)? > 2 {}
    for line in head.to_ascii_lowercase().lines() {
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
    }
    let adds = head.starts_with("PUT ") || head.starts_with("POST ");
    if adds && answer.is_none() {
        reader.read_exact(&mut [0; 20]).ok()?;
        return None;
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    let list = "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><IsTruncated>false</IsTruncated></ListBucketResult>";
    let (status, body) = match answer.filter(|_| adds) {
        Some(answer) => answer,
        None if head.starts_with("HEAD ") => (200, ""),
        None => (200, list),
    };
    stream.write_all(format!("HTTP/1.1 {status} Told\r\ncontent-length: {}\r\n\r\n{body}", body.len()).as_bytes()).ok()
}

#[test]
fn a_store_that_is_full_or_ends_in_the_middle_is_told_and_nothing_counts() {
    let threads = Runtime::new().expect("a runtime");
    let quota = "<Error><Code>QuotaExceeded</Code></Error>";
    let full = r#"{"errors":true,"items":[
        {"create":{"status":201}},
        {"create":{"status":429,"error":{"reason":"disk usage exceeded flood-stage watermark"}}},
        {"create":{"status":429,"error":{"reason":"disk usage exceeded flood-stage watermark"}}}]}"#;
    let short = r#"{"errors":false,"items":[{"create":{"status":201}}]}"#;
    let blocked = r#"{"error":{"reason":"index has read-only-allow-delete block"}}"#;
    for (kind, answer, taken, why) in [
        (Kind::S3, Some((507, quota)), 0, "it answered 507 (QuotaExceeded)"),
        (Kind::S3, Some((503, "<Error><Code>SlowDown</Code></Error>")), 0, "it answered 503 (SlowDown)"),
        (Kind::S3, None, 0, "127.0.0.1"),
        (Kind::Elasticsearch, Some((200, full)), 1, "entry 8: disk usage exceeded flood-stage watermark (429)"),
        (Kind::Elasticsearch, Some((403, blocked)), 0, "it answered 403 (index has read-only-allow-delete block)"),
        (Kind::Elasticsearch, Some((200, short)), 0, "does not tell about each entry"),
        (Kind::Elasticsearch, None, 0, "127.0.0.1"),
    ] {
        let not = copy(&threads, place(kind, "127.0.0.1", web(answer), false)).expect_err("refused");
        assert_eq!(not.taken, taken, "{kind:?}: {not:?}");
        assert!(not.why.to_string().contains(why), "{kind:?}: {not:?}");
    }
}

/// A logger that ends before it has read everything, and one that is not there.
#[test]
fn a_logger_that_breaks_off_has_taken_nothing() {
    let threads = Runtime::new().expect("a runtime");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The first look ends at once; of entries it reads none, so that the system resets the connection.
            let mut first = [0; 1];
            let _ = stream.peek(&mut first);
        }
    });
    let not = copy(&threads, place(Kind::Syslog, "127.0.0.1", port, false)).expect_err("broken off");
    assert_eq!(not.taken, 0, "{not:?}");
}

/// A logger with TLS that reads to the end. `says`: whether it sends `close_notify` after so many bytes.
fn reader(threads: &Runtime, folder: &Path, says: fn(usize) -> bool) -> u16 {
    let acceptor = acceptor(folder);
    let listener = threads.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    threads.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut stream = acceptor.accept(stream).await.expect("a handshake");
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await.expect("read");
            if says(bytes.len()) {
                stream.shutdown().await.expect("said");
            }
        }
    });
    port
}

/// A logger that sends `close_notify` as RFC 5425 asks, and then once does not, was cut off. Of a logger that never does, the end counts.
#[test]
fn a_logger_that_ends_without_close_notify_has_taken_nothing() {
    let threads = Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    certificates(folder.path());
    let ca = std::fs::read_to_string(folder.path().join("ca.pem")).expect("a file");
    let copied = |says: fn(usize) -> bool| {
        let port = reader(&threads, folder.path(), says);
        let done = copy(&threads, Place { ca: Some(ca.clone()), ..place(Kind::Syslog, "localhost", port, true) });
        done.map_err(|not| (not.taken, not.why.to_string()))
    };
    assert_eq!(copied(|_| true), Ok(()));
    assert_eq!(copied(|_| false), Ok(()));
    let why = "it ended the connection without close_notify, so it may not have read all";
    assert_eq!(copied(|bytes| bytes == 0), Err((0, why.into())));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_by_the_copy_in_a_file() {
    let Ok(mut sink) = JsonlSink::open(Path::new("/dev/full")) else { return };
    let not = sink.take(&[entry("{\"entry\":1}\n".into())]).expect_err("no room");
    assert_eq!((not.taken, not.why.kind()), (0, std::io::ErrorKind::StorageFull));
}
