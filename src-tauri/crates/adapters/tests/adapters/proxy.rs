//! Requests through a proxy on loopback, and a server whose certificate an authority of the settings vouches for. A process
//! has one way out: the runner of the tests runs each test in its own process.

use crate::common::get;
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use signalbox_adapters::WebHttp;
use signalbox_adapters::http::Lookup;
use signalbox_adapters::network::{self, Authorities, Network, Proxy};
use signalbox_ports::secret::{AllowedHost, Secret};
use signalbox_ports::{Credential, CredentialKind, Http as _, HttpError};
use std::net::IpAddr;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// `inside.test` is a name of the own network; the others are known to the proxy alone.
struct Names;

#[async_trait]
impl Lookup for Names {
    async fn lookup(&self, name: &str) -> std::io::Result<Vec<IpAddr>> {
        if name == "inside.test" {
            Ok(vec![IpAddr::from([10, 0, 0, 7])])
        } else {
            Err(std::io::Error::other("unknown"))
        }
    }
}

/// A proxy that leads every tunnel to one port, and answers plain requests as `answer` says; tells what it was asked.
async fn proxy(target: u16, answer: &'static str) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let log = Arc::clone(&log);
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let (mut first, mut login) = (String::new(), String::new());
                loop {
                    let mut line = String::new();
                    if stream.read_line(&mut line).await.unwrap_or_default() == 0 {
                        return;
                    }
                    if let Some((name, value)) = line.split_once(':')
                        && name.eq_ignore_ascii_case("proxy-authorization")
                    {
                        login = format!(" as {}", value.trim());
                    }
                    match line.trim() {
                        "" => break,
                        text if first.is_empty() => first = text.to_owned(),
                        _ => {}
                    }
                }
                log.lock().expect("whole").push(format!("{first}{login}"));
                let opens = first.starts_with("CONNECT") && answer.starts_with("HTTP/1.1 200");
                stream.write_all(answer.as_bytes()).await.expect("written");
                if opens {
                    let mut server = TcpStream::connect(("127.0.0.1", target)).await.expect("the server");
                    drop(tokio::io::copy_bidirectional(&mut stream, &mut server).await);
                }
            });
        }
    });
    (port, asked)
}

/// An authority and a certificate of it for `api.test`.
fn certificates(folder: &Path) {
    let openssl = |arguments: &str| {
        let done = Command::new("openssl").current_dir(folder).args(arguments.split(' ')).output().expect("openssl");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    std::fs::write(folder.join("names"), "subjectAltName=DNS:api.test").expect("written");
    openssl(&format!("req -x509 -keyout ca.key -out ca.pem -days 2 -subj /CN=authority {key}"));
    openssl(&format!("req -keyout server.key -out server.csr -subj /CN=api.test {key}"));
    openssl("x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem");
}

async fn server(folder: &Path) -> u16 {
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a file");
    let certificate = CertificateDer::from_pem_slice(&read("server.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(&read("server.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.expect("versions").with_no_client_auth().with_single_cert(vec![certificate], key);
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config.expect("they fit")));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
            drop(stream.write_all(answer).await);
            drop(stream.shutdown().await);
        }
    });
    port
}

fn client() -> WebHttp {
    WebHttp::with_lookup(&[], Arc::new(Names)).expect("a client")
}

fn through(port: u16) -> Option<Proxy> {
    Some(Proxy::new(&format!("http://127.0.0.1:{port}"), &[], None).expect("a proxy"))
}

fn why(result: Result<signalbox_ports::HttpResponse, HttpError>) -> String {
    match result {
        Err(HttpError::Connect { message } | HttpError::Refused { message }) => message,
        other => panic!("{other:?}"),
    }
}

const TUNNEL: &str = "HTTP/1.1 200 Connection established\r\n\r\n";

#[tokio::test]
async fn a_tunnel_leads_to_a_server_that_an_authority_of_the_settings_vouches_for() {
    let folder = tempfile::tempdir().expect("a folder");
    certificates(folder.path());
    let (port, asked) = proxy(server(folder.path()).await, TUNNEL).await;
    let client = client();
    network::set(Network::new(through(port), Authorities::default()));
    let unknown = why(client.send(get("https://api.test/", false)).await);
    assert!(unknown.contains(&format!("through the proxy 127.0.0.1:{port}")), "{unknown}");
    // The same client, without a restart.
    let pem = std::fs::read_to_string(folder.path().join("ca.pem")).expect("the authority");
    network::set(Network::new(through(port), Authorities::from_pem(&pem).expect("an authority")));
    let answer = client.send(get("https://api.test/", false)).await.expect("an answer");
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"ok".as_slice()));
    let asked: Vec<String> = asked.lock().expect("whole").clone();
    assert!(asked.iter().all(|line| line == "CONNECT api.test:443 HTTP/1.1"), "nothing of the address: {asked:?}");
}

#[tokio::test]
async fn a_certificate_of_another_host_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    certificates(folder.path());
    let port = server(folder.path()).await;
    let pem = std::fs::read_to_string(folder.path().join("ca.pem")).expect("the authority");
    network::set(Network::new(None, Authorities::from_pem(&pem).expect("an authority")));
    let refused = why(client().send(get(&format!("https://127.0.0.1:{port}/"), true)).await);
    assert!(refused.contains("certificate") && refused.contains("another host"), "{refused}");
}

#[tokio::test]
async fn what_is_behind_a_proxy_keeps_to_the_rules_of_addresses() {
    let (port, asked) =
        proxy(1, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n").await;
    network::set(Network::new(through(port), Authorities::default()));
    let client = client();
    let inside = why(client.send(get("http://inside.test/", true)).await);
    assert!(inside.contains("private network"), "{inside}");
    assert!(why(client.send(get("http://169.254.169.254/", true)).await).contains("metadata"));
    assert_eq!(asked.lock().expect("whole").len(), 0, "the proxy was not asked");
    // The proxy is on this machine; what answers through it is not.
    let back = why(client.send(get("http://api.test/", true)).await);
    assert!(back.contains("this machine"), "{back}");
    assert_eq!(asked.lock().expect("whole").as_slice(), ["GET http://api.test/ HTTP/1.1"]);
}

#[tokio::test]
async fn a_proxy_that_refuses_says_what_to_do() {
    for (answer, url, words) in [
        ("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", "http://api.test/", "asks for a user"),
        ("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", "https://api.test/", "asks for a user"),
        ("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "https://api.test/", "does not connect to api.test:443"),
    ] {
        let (port, _asked) = proxy(1, answer).await;
        network::set(Network::new(through(port), Authorities::default()));
        let refused = why(client().send(get(url, false)).await);
        assert!(refused.contains(words) && refused.contains(&format!("127.0.0.1:{port}")), "{refused}");
    }
    network::set(Network::new(through(1), Authorities::default()));
    let nobody = why(client().send(get("https://api.test/", false)).await);
    assert!(nobody.contains("Nothing answers at the proxy 127.0.0.1:1"), "{nobody}");
}

#[tokio::test]
async fn the_password_of_a_proxy_goes_to_the_proxy_alone() {
    let credential = |allowed: &str| Credential {
        name: "proxy".into(),
        kind: CredentialKind::Basic { user: "ada".into() },
        hosts: vec![AllowedHost::parse(allowed).expect("a host")],
        value: Secret::new("k-canary-proxy".to_owned()),
        scrubber: Arc::default(),
    };
    let folder = tempfile::tempdir().expect("a folder");
    certificates(folder.path());
    let (port, asked) = proxy(server(folder.path()).await, TUNNEL).await;
    let address = format!("http://127.0.0.1:{port}");
    let pem = std::fs::read_to_string(folder.path().join("ca.pem")).expect("the authority");
    let with_login = Proxy::new(&address, &[], Some(&credential("http://127.0.0.1"))).expect("a proxy");
    assert!(!with_login.shown().contains("canary") && !format!("{:?}", with_login.shown()).contains("ada:"));
    network::set(Network::new(Some(with_login), Authorities::from_pem(&pem).expect("an authority")));
    let answer = client().send(get("https://api.test/", false)).await.expect("an answer");
    assert_eq!(answer.status, 200);
    let login = STANDARD.encode("ada:k-canary-proxy");
    let asked: Vec<String> = asked.lock().expect("whole").clone();
    assert_eq!(asked, [format!("CONNECT api.test:443 HTTP/1.1 as Basic {login}")]);
    // A secret for another host is refused before anything is sent, and a refusal says nothing of it.
    let refused = Proxy::new(&address, &[], Some(&credential("other.example.org"))).expect_err("another host");
    assert!(!refused.contains("canary"), "{refused}");
    let (port, _asked) = proxy(1, "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n").await;
    let again = Proxy::new(&format!("http://127.0.0.1:{port}"), &[], Some(&credential("http://127.0.0.1")));
    network::set(Network::new(Some(again.expect("a proxy")), Authorities::default()));
    let refused = why(client().send(get("https://api.test/", false)).await);
    assert!(!refused.contains("canary") && !refused.contains(&login), "{refused}");
}
