//! The address rules and the client, against a scripted server on this machine.

use crate::common;

use async_trait::async_trait;
use common::{Reply, Script, get, json_reply, reply};
use signalbox_adapters::WebHttp;
use signalbox_adapters::http::Lookup;
use signalbox_ports::{Http as _, HttpError, HttpRequest, Redirects};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

fn client() -> WebHttp {
    WebHttp::new(&[]).expect("a client")
}

/// Every name is this machine, or what the list says.
struct Liar(Vec<IpAddr>);

#[async_trait]
impl Lookup for Liar {
    async fn lookup(&self, _name: &str) -> std::io::Result<Vec<IpAddr>> {
        Ok(self.0.clone())
    }
}

#[tokio::test]
async fn ssrf_the_canary_sees_nothing() {
    let canary = Script::start(|_| vec![json_reply("{}")]).await;
    let http = client();
    let p = canary.port;
    for url in [
        format!("http://127.0.0.1:{p}/"),
        format!("http://127.1:{p}/"),
        format!("http://2130706433:{p}/"),
        format!("http://0x7f.1:{p}/"),
        format!("http://0177.0.0.1:{p}/"),
        format!("http://127.0.0.1.:{p}/"),
        format!("http://localhost:{p}/"),
        format!("http://LOCALHOST.:{p}/"),
        format!("http://x.localhost:{p}/"),
        format!("http://[::1]:{p}/"),
        format!("http://[::ffff:127.0.0.1]:{p}/"),
        format!("http://[::ffff:7f00:1]:{p}/"),
        format!("http://[64:ff9b::7f00:1]:{p}/"),
        format!("http://[2002:7f00:1::]:{p}/"),
        format!("http://[::]:{p}/"),
        format!("http://0.0.0.0:{p}/"),
        format!("http://0:{p}/"),
        format!("http://１２７.0.0.1:{p}/"),
        format!("http://a@127.0.0.1:{p}/"),
        "http://169.254.169.254/latest/meta-data/".into(),
        "http://[::ffff:169.254.169.254]/".into(),
        "http://[fd00:ec2::254]/".into(),
        "http://10.0.0.1/".into(),
        "http://192.168.1.1/".into(),
        "http://100.64.0.1/".into(),
        "file:///etc/passwd".into(),
        "gopher://127.0.0.1/".into(),
        "unix:/run/docker.sock".into(),
    ] {
        let result = http.send(get(&url, false)).await;
        assert!(matches!(result, Err(HttpError::Refused { .. })), "{url}: {result:?}");
    }
    assert_eq!(canary.asked().len(), 0);
}

#[tokio::test]
async fn what_stays_refused_when_loopback_is_allowed() {
    let canary = Script::start(|_| vec![json_reply("{}")]).await;
    let p = canary.port;
    for (names, url) in [
        (vec!["127.0.0.1"], format!("http://rebind.example:{p}/")),
        (vec!["::1", "127.0.0.1", "10.0.0.1"], format!("http://rebind.example:{p}/")),
        (vec!["127.0.0.1"], format!("http://localhost.example:{p}/")),
        (vec!["169.254.169.254"], format!("http://metadata.example:{p}/")),
        (vec!["127.0.0.1"], format!("http://0.0.0.0:{p}/")),
        (vec!["127.0.0.1"], format!("http://[2002:7f00:1::]:{p}/")),
        (vec!["127.0.0.1"], format!("http://a:b@127.0.0.1:{p}/")),
        (vec!["127.0.0.1"], format!("ftp://127.0.0.1:{p}/")),
    ] {
        let names = names.iter().map(|ip| ip.parse().expect("an address")).collect();
        let http = WebHttp::with_lookup(&[], Arc::new(Liar(names))).expect("a client");
        let result = http.send(get(&url, true)).await;
        assert!(matches!(result, Err(HttpError::Refused { .. })), "{url}: {result:?}");
    }
    assert_eq!(canary.asked().len(), 0);
}

#[tokio::test]
async fn loopback_is_reached_by_every_honest_spelling_when_allowed() {
    let server = Script::start(|_| vec![json_reply("{\"ok\":true}")]).await;
    let http = client();
    for host in ["127.0.0.1", "127.1", "localhost", "localhost."] {
        let answer = http.send(get(&format!("http://{host}:{}/x", server.port), true)).await.expect(host);
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"{\"ok\":true}"[..]));
    }
    assert_eq!(server.asked().len(), 4);
}

#[tokio::test]
async fn a_grant_opens_one_name() {
    let server = Script::start(|_| vec![json_reply("{}")]).await;
    let lookup = || Arc::new(Liar(vec!["127.0.0.1".parse().expect("an address")]));
    let http = WebHttp::with_lookup(&["My-NAS.lan.".into()], lookup()).expect("a client");
    assert!(http.send(get(&format!("http://my-nas.lan:{}/", server.port), false)).await.is_ok());
    let other = http.send(get(&format!("http://other.lan:{}/", server.port), false)).await;
    assert!(matches!(other, Err(HttpError::Refused { .. })), "{other:?}");
    assert_eq!(server.asked().len(), 1);
    for bad in ["http://nas.lan", "nas.lan:80", "a b", ""] {
        assert!(WebHttp::new(&[bad.into()]).is_err(), "{bad}");
    }
}

#[tokio::test]
async fn an_open_connection_is_not_used_under_narrower_rules() {
    let demo_service = signalbox_adapters::DemoService::start().await.expect("a port");
    let url = format!("{}/users", demo_service.base_url());
    let http = client();
    assert_eq!(http.send(get(&url, true)).await.expect("allowed").status, 200);
    assert!(matches!(http.send(get(&url, false)).await, Err(HttpError::Refused { .. })));
    assert_eq!(demo_service.hits(), 1);
}

#[tokio::test]
async fn redirects_are_followed_and_checked_hop_by_hop() {
    let hop = |code: &str, to: String| reply(&format!("{code}\r\nLocation: {to}"), "");
    let server = Script::start(|p| {
        vec![
            hop("302 Found", "/two".into()),
            hop("307 Temporary Redirect", format!("http://localhost:{p}/three")),
            json_reply("{}"),
            // The next chain leads to places nobody may go.
            hop("302 Found", "http://169.254.169.254/".into()),
            hop("302 Found", "file:///etc/passwd".into()),
            hop("302 Found", "http://10.0.0.1/".into()),
            hop("302 Found", "/again".into()),
        ]
    })
    .await;
    let http = client();
    let mut request = get(&format!("{}/one", server.base), true);
    request.method = "POST".into();
    request.body = Some(b"hello".to_vec());
    request.headers = vec![
        ("Authorization".into(), "Bearer s".into()),
        ("X-Api-Key".into(), "s".into()),
        ("X-Other".into(), "o".into()),
    ];
    assert_eq!(http.send(request).await.expect("followed").status, 200);
    let asked = server.asked();
    assert!(asked[0].starts_with("POST /one") && asked[0].contains("hello") && asked[0].contains("Bearer s"));
    assert!(
        asked[1].starts_with("GET /two") && !asked[1].contains("hello") && asked[1].contains("Bearer s"),
        "{}",
        asked[1]
    );
    assert!(asked[2].starts_with("GET /three") && !asked[2].contains("x-other"), "{}", asked[2]);
    assert!(!asked[2].contains("Bearer") && !asked[2].contains("x-api-key"), "{}", asked[2]);
    for _ in 0..3 {
        let result = http.send(get(&server.base, true)).await;
        assert!(matches!(result, Err(HttpError::Refused { .. })), "{result:?}");
    }
    let circle = http.send(get(&server.base, true)).await;
    assert!(matches!(circle, Err(HttpError::BadUrl { ref message }) if message.contains("more than 10")), "{circle:?}");
}

#[tokio::test]
async fn a_redirect_that_is_not_followed_is_an_answer() {
    let server = Script::start(|_| vec![reply("307 Temporary Redirect\r\nLocation: /two", ""), json_reply("{}")]).await;
    let request = HttpRequest { redirects: Redirects::No, ..get(&format!("{}/one", server.base), true) };
    assert_eq!(client().send(request).await.expect("an answer").status, 307);
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn every_way_to_get_no_answer() {
    let http = client();
    let closed = Script::start(|_| vec![Reply::Silence]).await;
    let (url, port) = (closed.base.clone(), closed.port);
    drop(closed);
    // The listener ends with its task; a refused connection is the proof.
    let refused = loop {
        match http.send(get(&url, true)).await {
            Err(HttpError::Connect { message }) if message.contains("refused") => break message,
            Err(HttpError::Connect { .. } | HttpError::Cut { .. }) => tokio::task::yield_now().await,
            other => panic!("{other:?}"),
        }
    };
    let next = "Check host and port of the address, and that the server runs";
    assert_eq!(refused, format!("Nothing answers at 127.0.0.1:{port} (connection refused). {next}"));

    let cut = Script::start(|_| {
        vec![
            Reply::Bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part".into()),
            Reply::Bytes(String::new()),
            Reply::Bytes("this is not HTTP".into()),
            Reply::Bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel".into()),
        ]
    })
    .await;
    for _ in 0..4 {
        let result = http.send(get(&cut.base, true)).await;
        assert!(matches!(result, Err(HttpError::Cut { .. })), "{result:?}");
    }

    let silent = Script::start(|_| vec![Reply::Silence]).await;
    let mut request = get(&silent.base, true);
    request.timeout = Duration::from_millis(50);
    request.method = "POST".into();
    request.body = Some(b"x".to_vec());
    assert_eq!(http.send(request).await, Err(HttpError::Timeout { sent: true }));

    let large = Script::start(|_| {
        vec![
            json_reply(&"x".repeat(2_000)),
            Reply::Bytes(format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}", "x".repeat(2_000))),
        ]
    })
    .await;
    for _ in 0..2 {
        let mut request = get(&large.base, true);
        request.max_body = 1_000;
        assert_eq!(http.send(request).await, Err(HttpError::TooLarge { limit: 1_000, status: 200 }));
    }

    let nowhere = WebHttp::with_lookup(&[], Arc::new(Liar(Vec::new()))).expect("a client");
    let result = nowhere.send(get("https://no-such-name.example/", true)).await;
    assert!(
        matches!(result, Err(HttpError::Connect { ref message }) if message.contains("was not found")),
        "{result:?}"
    );

    let plain = Script::start(|_| vec![Reply::Bytes("HTTP/1.1 400 Bad Request\r\n\r\n".into())]).await;
    let result = http.send(get(&plain.base.replace("http:", "https:"), true)).await;
    assert!(
        matches!(result, Err(HttpError::Connect { ref message }) if message.contains("answers without encryption")),
        "{result:?}"
    );
}

#[tokio::test]
async fn header_names_are_lower_case_and_repeated_ones_joined() {
    let server = Script::start(|_| {
        vec![Reply::Bytes(
            "HTTP/1.1 200 OK\r\nX-One: a\r\nContent-Type: text/plain\r\nx-ONE: b\r\nContent-Length: 2\r\n\r\nhi".into(),
        )]
    })
    .await;
    let answer = client().send(get(&server.base, true)).await.expect("an answer");
    let pairs: Vec<_> = answer.headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert!(pairs.contains(&("x-one", "a, b")) && pairs.contains(&("content-type", "text/plain")), "{pairs:?}");
}
