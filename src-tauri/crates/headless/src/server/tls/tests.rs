use super::{Look, ServedCertificate, acceptor};
use crate::server::connections::{Tls, serve};
use crate::server::limits::Limits;
use axum::body::Body;
use axum::response::Response;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use signalbox_adapters::RealClock;
use signalbox_model::hash::sha256_hex;
use signalbox_ports::Clock;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

const NEVER: Duration = Duration::from_secs(3_600);
const SOON: Duration = Duration::from_millis(30);
const DAY: i64 = 86_400_000;

/// Files of a server in a folder.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn openssl(&self, arguments: &str) {
        let done = Command::new("openssl").current_dir(self.0.path()).args(arguments.split(' ')).output();
        let done = done.expect("openssl");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// A certificate for `localhost` that holds for 30 days, and its key.
    fn make(&self, name: &str) {
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
        let names =
            "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -addext basicConstraints=CA:FALSE";
        self.openssl(&format!("req -x509 -keyout {name}.key -out {name}.pem -days 30 {names} {key}"));
        private(&self.path(&format!("{name}.key")));
    }

    /// Replaces a file, as a tool for renewals does.
    fn put(&self, from: &str, to: &str) {
        fs::copy(self.path(from), self.path("fresh")).expect("copied");
        fs::rename(self.path("fresh"), self.path(to)).expect("renamed");
    }

    fn open(&self, certificate: &str, key: &str, now_ms: i64) -> Result<Arc<ServedCertificate>, String> {
        ServedCertificate::open(&self.path(certificate), &self.path(key), now_ms)
    }

    fn why(&self, certificate: &str, key: &str) -> String {
        self.open(certificate, key, now()).expect_err("it cannot be used")
    }
}

fn now() -> i64 {
    RealClock.now_ms()
}

#[cfg(unix)]
fn private(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o640)).expect("chmod");
}

#[cfg(not(unix))]
fn private(_: &Path) {}

#[test]
fn files_that_cannot_be_used_are_named_with_the_reason() {
    let files = Files::new();
    files.make("one");
    files.make("two");
    fs::write(files.path("empty"), "").expect("written");
    private(&files.path("empty"));
    fs::write(files.path("cut"), "-----BEGIN CERTIFICATE-----\nMIIB").expect("written");
    fs::write(files.path("no.pem"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").expect("written");
    files.openssl("pkcs8 -topk8 -in one.key -out locked.key -passout pass:x");
    private(&files.path("locked.key"));
    let served = files.open("one.pem", "one.key", now()).expect("it can be used").certificate();
    assert!(served.holds_for("localhost") && served.holds_for("127.0.0.1") && !served.holds_for("example.org"));
    for (certificate, key, told) in [
        ("gone", "one.key", "the certificate"),
        ("one.pem", "gone", "the key"),
        ("empty", "one.key", "has no certificate in PEM"),
        ("cut", "one.key", "not whole PEM"),
        ("no.pem", "one.key", "is damaged"),
        ("one.key", "one.key", "has no certificate in PEM"),
        ("one.pem", "empty", "has no private key in PEM"),
        ("one.pem", "locked.key", "openssl pkey -in"),
        ("one.pem", "two.key", "does not belong to the first certificate"),
    ] {
        let why = files.why(certificate, key);
        assert!(why.contains(told), "{certificate} {key}: {why}");
    }
    for (later, told) in [(31 * DAY, "expired on 2"), (-DAY, "is valid only from 2")] {
        let why = files.open("one.pem", "one.key", now() + later).expect_err("not now");
        assert!(why.contains(told), "{why}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(files.path("one.key"), fs::Permissions::from_mode(0o644)).expect("chmod");
        assert!(files.why("one.pem", "one.key").contains("chmod o="));
    }
}

#[test]
fn a_renewed_certificate_is_taken_when_both_files_fit() {
    let files = Files::new();
    for name in ["one", "two"] {
        files.make(name);
    }
    files.put("one.pem", "server.pem");
    files.put("one.key", "server.key");
    let served = files.open("server.pem", "server.key", now()).expect("it can be used");
    let first = served.certificate().fingerprint;
    assert!(matches!(served.look(now()), Look::Same));
    // One file after the other: nobody is warned in between, and the old certificate stays.
    files.put("two.pem", "server.pem");
    assert!(matches!(served.look(now()), Look::Same));
    files.put("two.key", "server.key");
    let Look::Changed(second) = served.look(now()) else { panic!("it is renewed") };
    assert_ne!(second.fingerprint, first);
    // The same again is nothing new; what stays wrong is reported once.
    files.put("two.pem", "server.pem");
    assert!(matches!(served.look(now()), Look::Same));
    fs::remove_file(files.path("server.key")).expect("removed");
    assert!(matches!(served.look(now()), Look::Same));
    let Look::Kept(why) = served.look(now()) else { panic!("it is reported") };
    assert!(why.contains("server.key cannot be read"), "{why}");
    assert!(matches!(served.look(now()), Look::Same));
    assert_eq!(served.certificate().fingerprint, second.fingerprint);
    // People hear of its end before it comes, once.
    assert!(matches!(served.look(now() + 24 * DAY), Look::Ends(_)));
    assert!(matches!(served.look(now() + 31 * DAY), Look::Same));
}

struct Served {
    addr: SocketAddr,
    certificate: Arc<ServedCertificate>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn start(files: &Files, limits: Limits) -> Served {
    let certificate = files.open("server.pem", "server.key", now()).expect("it can be used");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let addr = listener.local_addr().expect("an address");
    let acceptor = acceptor(Arc::clone(&certificate)).expect("it is set up");
    let tls = Tls { acceptor, base: format!("https://{addr}") };
    let handle = |_| async { Response::new(Body::from("done")) };
    let task = tokio::spawn(serve(listener, limits, Some(tls), handle, std::future::pending(), NEVER));
    Served { addr, certificate, task }
}

fn limits() -> Limits {
    Limits { headers: NEVER, idle: NEVER, body: NEVER, unread: NEVER, connections: 8, requests_of_one: 6 }
}

/// A client that trusts one certificate.
async fn connect(addr: SocketAddr, trusted: &Path, protocol: &str) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(trusted).expect("a certificate")).expect("an authority");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let mut config = config.expect("versions").with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let name = ServerName::try_from("localhost").expect("a name");
    TlsConnector::from(Arc::new(config)).connect(name, TcpStream::connect(addr).await?).await
}

async fn ask(stream: &mut (impl AsyncReadExt + AsyncWriteExt + Unpin)) -> String {
    stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.expect("sent");
    let mut text = String::new();
    // How a connection ends is not asked here.
    drop(stream.read_to_string(&mut text).await);
    text
}

fn presented(stream: &TlsStream<TcpStream>) -> String {
    let chain = stream.get_ref().1.peer_certificates().expect("a certificate");
    sha256_hex(chain.first().expect("one"))
}

#[tokio::test]
async fn requests_come_by_tls_and_new_connections_get_the_renewed_certificate() {
    let files = Files::new();
    for name in ["one", "two"] {
        files.make(name);
    }
    files.put("one.pem", "server.pem");
    files.put("one.key", "server.key");
    let served = start(&files, limits()).await;
    let mut before = connect(served.addr, &files.path("one.pem"), "http/1.1").await.expect("a handshake");
    let first = presented(&before);
    assert_eq!(before.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
    files.put("two.pem", "server.pem");
    files.put("two.key", "server.key");
    assert!(matches!(served.certificate.look(now()), Look::Changed(_)));
    let mut after = connect(served.addr, &files.path("two.pem"), "http/1.1").await.expect("a handshake");
    assert_ne!(presented(&after), first);
    // What is connected goes on.
    for stream in [&mut before, &mut after] {
        assert!(ask(stream).await.ends_with("done"));
    }
    assert!(
        connect(served.addr, &files.path("one.pem"), "http/1.1").await.is_err(),
        "the old one is not given any more"
    );
    let newer = connect(served.addr, &files.path("two.pem"), "h2").await.expect("a handshake");
    assert_eq!(newer.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
    // Plain text gets the right address.
    let answer = ask(&mut TcpStream::connect(served.addr).await.expect("connected")).await;
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("HTTPS_ONLY"), "{answer}");
    assert!(answer.contains(&format!("https://{}", served.addr)), "{answer}");
}

#[tokio::test]
async fn a_handshake_that_stops_keeps_nobody_from_being_answered() {
    let files = Files::new();
    files.make("server");
    let served = start(&files, limits()).await;
    let mut stopped = Vec::new();
    // Nothing, a part of a record, a record that is no handshake: all places are taken.
    for beginning in [&b""[..], &[0x16], &[0x16, 3, 1, 2, 0, 1], &[0x16, 3, 1, 0xff, 0xff], b"", b"", b"", b""] {
        let mut stream = TcpStream::connect(served.addr).await.expect("connected");
        stream.write_all(beginning).await.expect("sent");
        stopped.push(stream);
    }
    let mut asks = connect(served.addr, &files.path("server.pem"), "http/1.1").await.expect("one makes room");
    assert!(ask(&mut asks).await.ends_with("done"));
    drop(stopped);
    // And each is closed in time by itself.
    let served = start(&files, Limits { headers: SOON, ..limits() }).await;
    for beginning in [&b""[..], &[0x16, 3, 1, 2, 0, 1], b"G", &[0xff]] {
        let mut stream = TcpStream::connect(served.addr).await.expect("connected");
        stream.write_all(beginning).await.expect("sent");
        let mut left = Vec::new();
        drop(stream.read_to_end(&mut left).await);
        assert!(!String::from_utf8_lossy(&left).contains("200 OK"));
    }
    let mut silent = connect(served.addr, &files.path("server.pem"), "http/1.1").await;
    if let Ok(stream) = &mut silent {
        // A handshake alone is no request.
        let mut left = Vec::new();
        drop(stream.read_to_end(&mut left).await);
        assert_eq!(left, b"");
    }
}
