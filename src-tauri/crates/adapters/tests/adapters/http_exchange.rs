//! Redirects, cookies, content codings and connections that end, on real sockets.

use crate::common;

use common::{Reply, Script, data, get, json_reply, reply, run, world};
use serde_json::json;
use signalbox_adapters::{FolderFiles, WebHttp};
use signalbox_ports::{Http as _, HttpError, HttpRequest, HttpResponse, Redirects};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

fn client() -> WebHttp {
    WebHttp::new(&[]).expect("a client")
}

fn redirect(code: u16, to: &str) -> Reply {
    reply(&format!("{code} Moved\r\nLocation: {to}"), "")
}

/// A request with everything that must stay at home.
fn private(url: &str, method: &str, body: Option<&str>) -> HttpRequest {
    let names = ["Authorization", "Cookie", "X-Auth", "X-Session", "X-Signature", "X-Custom"];
    let mut headers: Vec<(String, String)> = names.iter().map(|name| ((*name).into(), "mine=1".into())).collect();
    headers.push(("Accept".into(), "text/csv".into()));
    headers.push(("User-Agent".into(), "own".into()));
    HttpRequest { method: method.into(), headers, body: body.map(|body| body.as_bytes().to_vec()), ..get(url, true) }
}

/// Two origins: the first one redirects to `/there` of the second.
async fn two_origins(code: u16) -> (Script, Script) {
    let there = Script::start(|_| vec![json_reply("{}")]).await;
    let to = format!("{}/there", there.base);
    let here = Script::start(move |_| vec![redirect(code, &to)]).await;
    (here, there)
}

#[tokio::test]
async fn headers_of_a_step_stay_with_their_origin() {
    for code in [301, 302, 303, 307, 308] {
        let (here, there) = two_origins(code).await;
        let answer = client().send(private(&here.base, "GET", None)).await.expect("followed");
        assert_eq!(answer.status, 200);
        assert!(here.asked()[0].contains("x-signature: mine=1"));
        let asked = there.asked().remove(0);
        assert!(!asked.contains("mine=1"), "{code}: {asked}");
        assert!(asked.contains("accept: text/csv") && asked.contains("user-agent: own"), "{code}: {asked}");
    }
}

#[tokio::test]
async fn a_body_goes_to_another_origin_only_when_the_author_trusts_it() {
    for code in [307, 308] {
        let (here, there) = two_origins(code).await;
        let request = private(&here.base, "POST", Some("secret=1"));
        let refused = client().send(request.clone()).await;
        let Err(HttpError::RedirectRefused { status, location, message }) = refused else { panic!("{refused:?}") };
        assert_eq!((status, location), (code, format!("{}/there", there.base)));
        assert!(message.contains("trustRedirects") && message.contains(&there.base), "{message}");
        assert_eq!(there.asked().len(), 0);
        let trusted = HttpRequest { trust_redirects: true, ..request };
        assert_eq!(client().send(trusted).await.expect("followed").status, 200);
        let asked = there.asked().remove(0);
        assert!(asked.starts_with("POST /there") && asked.ends_with("secret=1"), "{asked}");
        assert!(asked.contains("authorization: mine=1") && asked.contains("x-session: mine=1"), "{asked}");
    }
    // A redirect that makes a GET of it takes no body along.
    let (here, there) = two_origins(303).await;
    assert_eq!(client().send(private(&here.base, "POST", Some("secret=1"))).await.expect("followed").status, 200);
    let asked = there.asked().remove(0);
    assert!(asked.starts_with("GET /there") && !asked.contains("secret"), "{asked}");
}

#[tokio::test]
async fn redirects_follow_the_rule_of_the_step() {
    let (here, there) = two_origins(302).await;
    let own = HttpRequest { redirects: Redirects::SameHost, ..get(&here.base, true) };
    let refused = client().send(own.clone()).await;
    assert!(
        matches!(refused, Err(HttpError::RedirectRefused { status: 302, ref message, .. }) if message.contains("same host")),
        "{refused:?}"
    );
    assert_eq!(there.asked().len(), 0);
    let inside = Script::start(|_| vec![redirect(302, "/next"), json_reply("{}")]).await;
    let answer = client().send(HttpRequest { url: inside.base.clone(), ..own.clone() }).await;
    assert_eq!(answer.expect("followed").status, 200);
    let unfollowed = client().send(HttpRequest { redirects: Redirects::No, ..own }).await.expect("an answer");
    assert_eq!(unfollowed.status, 302);
    assert!(unfollowed.headers.contains(&("location".into(), format!("{}/there", there.base))));
    // What names no address is said, and what has none is the answer.
    let broken = Script::start(|_| vec![redirect(302, "http://["), reply("302 Found", "")]).await;
    let result = client().send(get(&broken.base, true)).await;
    assert!(matches!(result, Err(HttpError::BadUrl { ref message }) if message.contains("'http://['")), "{result:?}");
    assert_eq!(client().send(get(&broken.base, true)).await.expect("an answer").status, 302);
}

/// The case `redirect-cookie`.
#[tokio::test]
async fn cookies_of_a_redirect_go_to_its_next_hop() {
    let login = "302 Found\r\nLocation: /home\r\nSet-Cookie: sid=s1; Path=/; HttpOnly\r\nSet-Cookie: lang=de; Expires=Wed, \
                 01 Dec 2027 10:00:00 GMT";
    let server = Script::start(|_| vec![reply(login, ""), json_reply("{\"hello\":\"ada\"}")]).await;
    let world = world(FolderFiles::default());
    let config = json!({
        "method": "POST",
        "url": format!("{}/login", server.base),
        "body": "user=ada&pin=1",
        "headers": {"Content-Type": "application/x-www-form-urlencoded"},
    });
    let output = run(&world, "http.request", config.clone(), json!({})).await.expect("the page");
    let page = data(&output, "success");
    assert_eq!(page["response"], json!({"hello": "ada"}));
    assert!(server.asked()[1].contains("cookie: sid=s1; lang=de\r\n"), "{}", server.asked()[1]);
    let cookies = page["cookies"].clone();
    assert_eq!(
        cookies,
        json!([
            {"name": "sid", "value": "s1", "domain": "127.0.0.1", "hostOnly": true, "path": "/", "secure": false,
             "httpOnly": true},
            {"name": "lang", "value": "de", "domain": "127.0.0.1", "hostOnly": true, "path": "/", "secure": false,
             "httpOnly": false, "expiresMs": 1_827_655_200_000_i64},
        ])
    );
    assert!(page.get("setCookie").is_none(), "the page itself sets none: {page}");

    // A later step is given them, beside a header of its own.
    let again =
        json!({"url": format!("{}/more", server.base), "cookies": cookies, "headers": {"Cookie": "x=1; lang=en"}});
    run(&world, "http.request", again, json!({})).await.expect("answered");
    assert!(server.asked()[2].contains("cookie: x=1; sid=s1; lang=de\r\n"), "{}", server.asked()[2]);
    // Another host does not get them.
    let elsewhere = json!({"url": format!("http://localhost:{}/", server.port), "cookies": cookies});
    run(&world, "http.request", elsewhere, json!({})).await.expect("answered");
    assert!(!server.asked()[3].contains("cookie"), "{}", server.asked()[3]);

    // Without following, the redirect is the answer, with each line apart.
    let server = Script::start(|_| vec![reply(login, "")]).await;
    let mut config = config;
    config["url"] = server.base.clone().into();
    config["redirects"] = "no".into();
    let output = run(&world, "http.request", config, json!({})).await.expect("an answer");
    let found = data(&output, "success");
    assert_eq!((&found["status"], &found["headers"]["location"]), (&json!(302), &json!("/home")));
    let lines = json!(["sid=s1; Path=/; HttpOnly", "lang=de; Expires=Wed, 01 Dec 2027 10:00:00 GMT"]);
    assert_eq!(found["setCookie"], lines);
}

#[tokio::test]
async fn cookies_of_one_host_do_not_reach_another() {
    let there = Script::start(|_| vec![json_reply("{}")]).await;
    let to = format!("http://localhost:{}/", there.port);
    let here =
        Script::start(move |_| vec![reply(&format!("302 Found\r\nLocation: {to}\r\nSet-Cookie: sid=s1"), "")]).await;
    client().send(get(&here.base, true)).await.expect("followed");
    assert!(!there.asked()[0].contains("sid"), "{}", there.asked()[0]);
}

/// What a server does with the second request on a connection.
#[derive(Clone, Copy, PartialEq)]
enum Second {
    /// It resets the connection without a byte.
    Reset,
    /// It closes the connection in order without a byte.
    Close,
    /// It answers with something that is no HTTP.
    Nonsense,
}

/// Answers the first request of each connection; gives the requests by connection.
async fn tired_server(second: Second) -> (String, Arc<Mutex<Vec<Vec<String>>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let log: Arc<Mutex<Vec<Vec<String>>>> = Arc::default();
    let seen = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let seen = Arc::clone(&seen);
            let connection = {
                let mut seen = seen.lock().expect("not poisoned");
                seen.push(Vec::new());
                seen.len() - 1
            };
            tokio::spawn(async move {
                let mut bytes = vec![0; 4096];
                for turn in 0..2 {
                    let Ok(length @ 1..) = stream.read(&mut bytes).await else { return };
                    let line = String::from_utf8_lossy(&bytes[..length]).lines().next().unwrap_or_default().to_owned();
                    seen.lock().expect("not poisoned")[connection].push(line);
                    let answer =
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"ok\":true}";
                    match second {
                        _ if turn == 0 => drop(stream.write_all(answer.as_bytes()).await),
                        Second::Reset => drop(stream.set_zero_linger()),
                        Second::Close => drop(stream.shutdown().await),
                        Second::Nonsense => drop(stream.write_all(b"this is not HTTP\r\n\r\n").await),
                    }
                }
            });
        }
    });
    (base, log)
}

async fn ask(http: &WebHttp, base: &str, method: &str, path: &str) -> Result<HttpResponse, HttpError> {
    let body = matches!(method, "POST" | "PATCH" | "PUT").then(|| b"x".to_vec());
    http.send(HttpRequest { method: method.into(), body, ..get(&format!("{base}{path}"), true) }).await
}

/// The case `keepalive-reset`.
#[tokio::test]
async fn a_repeatable_request_survives_the_end_of_an_idle_connection() {
    for second in [Second::Reset, Second::Close] {
        for method in ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"] {
            let (base, log) = tired_server(second).await;
            let http = client();
            assert_eq!(ask(&http, &base, "GET", "/a").await.expect("a fresh connection").status, 200);
            let answer = ask(&http, &base, method, "/b").await;
            assert_eq!(answer.map(|answer| answer.status), Ok(200), "{method}");
            let log = log.lock().expect("not poisoned").clone();
            let line = format!("{method} /b HTTP/1.1");
            assert_eq!(log, [vec!["GET /a HTTP/1.1".to_owned(), line.clone()], vec![line]], "{method}");
        }
    }
}

#[tokio::test]
async fn what_may_not_be_sent_twice_takes_a_fresh_connection() {
    for method in ["POST", "PATCH"] {
        let (base, log) = tired_server(Second::Reset).await;
        let http = client();
        for path in ["/a", "/b"] {
            assert_eq!(ask(&http, &base, "GET", path).await.expect("answered").status, 200);
            assert_eq!(ask(&http, &base, method, path).await.expect("answered").status, 200, "{method}");
        }
        let requests: Vec<String> = log.lock().expect("not poisoned").concat();
        let of_method = requests.iter().filter(|line| line.starts_with(method)).count();
        assert_eq!(of_method, 2, "{requests:?}");
    }
}

#[tokio::test]
async fn only_a_connection_that_was_open_before_is_given_a_second_chance() {
    // Nothing was ever answered there: it is not the idle time that ended.
    let silent = Script::start(|_| vec![Reply::Bytes(String::new())]).await;
    assert!(matches!(client().send(get(&silent.base, true)).await, Err(HttpError::Cut { .. })));
    assert_eq!(silent.asked().len(), 1);
    // A wrong answer is an answer.
    let (base, log) = tired_server(Second::Nonsense).await;
    let http = client();
    assert_eq!(ask(&http, &base, "GET", "/a").await.expect("answered").status, 200);
    assert!(matches!(ask(&http, &base, "GET", "/b").await, Err(HttpError::Cut { .. })));
    assert_eq!(log.lock().expect("not poisoned").len(), 1);
}

const GZIP_TEXT: &[u8] =
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03K\xcb/-R\xc8IM+\x01\x00\xa1\x1a\xe3\xa2\x09\x00\x00\x00";
const GZIP_JSON: &[u8] =
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xabV*.\xc9O\xceV\xb2R0\xa9\x05\x00\x00\xbe.\x18\x0c\x00\x00\x00";

async fn coded(head: &str, body: &[u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let mut bytes =
        format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _some = stream.read(&mut request).await;
            let _gone = stream.write_all(&bytes).await;
        }
    });
    base
}

/// The case `gzip-answer`.
#[tokio::test]
async fn content_codings_are_undone_asked_for_or_not() {
    let world = world(FolderFiles::default());
    for headers in [json!({}), json!({"Accept-Encoding": "gzip, deflate, br"})] {
        let text =
            coded("200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Encoding: gzip", GZIP_TEXT).await;
        let output =
            run(&world, "http.request", json!({"url": text, "headers": headers}), json!({})).await.expect("text");
        assert_eq!(data(&output, "success")["response"], json!("four left"));
        let json = coded("200 OK\r\nContent-Type: application/json\r\nContent-Encoding: x-gzip", GZIP_JSON).await;
        let output =
            run(&world, "http.request", json!({"url": json, "headers": headers}), json!({})).await.expect("JSON");
        assert_eq!(data(&output, "success")["response"], json!({"stock": 4}));
    }
    // An error status says what the server said about it.
    let url = coded("422 No\r\nContent-Type: application/json\r\nContent-Encoding: gzip", GZIP_JSON).await;
    let failure = run(&world, "http.request", json!({"url": url}), json!({})).await.expect_err("422");
    assert_eq!((failure.code.as_str(), &failure.details["response"]), ("INPUT_INVALID", &json!({"stock": 4})));
}

#[tokio::test]
async fn a_coding_that_cannot_be_undone_is_named() {
    let world = world(FolderFiles::default());
    for kind in ["auto", "json", "text", "binary"] {
        for (coding, body) in [("compress", GZIP_TEXT), ("gzip", &GZIP_TEXT[..20]), ("br", b"{\"a\": 1}")] {
            let url = coded(&format!("200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: {coding}"), body).await;
            let config = json!({"url": url, "responseType": kind});
            let failure = run(&world, "http.request", config, json!({})).await.expect_err(coding);
            assert_eq!(failure.code, "CONTENT_ENCODING", "{kind} {coding}");
            assert!(
                failure.message.contains("Content-Encoding") && failure.message.contains(coding),
                "{}",
                failure.message
            );
            assert_eq!(failure.details["contentEncoding"], json!(coding));
        }
    }
    // A status that fails anyway is what counts.
    let url = coded("503 Busy\r\nContent-Type: text/plain\r\nContent-Encoding: compress", b"x").await;
    let failure = run(&world, "http.request", json!({"url": url}), json!({})).await.expect_err("503");
    assert_eq!(failure.code, "SERVICE_UNAVAILABLE");
    // Without a body there is nothing to undo.
    for (method, head) in [("HEAD", "200 OK\r\nContent-Encoding: gzip"), ("GET", "200 OK\r\nContent-Encoding: gzip")] {
        let url = coded(head, b"").await;
        let output = run(&world, "http.request", json!({"url": url, "method": method}), json!({})).await.expect(method);
        assert_eq!(data(&output, "success")["response"], json!(null));
    }
    for status in ["204 No Content", "304 Not Modified"] {
        let bytes = format!("HTTP/1.1 {status}\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n");
        let server = Script::start(|_| vec![Reply::Bytes(bytes)]).await;
        let output = run(&world, "http.request", json!({"url": server.base}), json!({})).await.expect(status);
        assert_eq!(data(&output, "success")["response"], json!(null));
    }
}

#[tokio::test]
async fn a_small_body_does_not_become_a_large_one() {
    let zeros = flate2_zeros();
    let url = coded("200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip", &zeros).await;
    let result = client().send(HttpRequest { max_body: 1 << 20, ..get(&url, true) }).await;
    assert_eq!(result, Err(HttpError::TooLarge { limit: 1 << 20, status: 200 }));
}

/// 4 MiB of zeros.
fn flate2_zeros() -> Vec<u8> {
    use std::io::Write as _;
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(&vec![0; 4 << 20]).expect("memory");
    out.finish().expect("memory")
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_told_from_a_cut_connection() {
    let headers = "HTTP/1.1 200 OK\r\n".to_owned() + &"X-A: 1\r\n".repeat(300) + "\r\n";
    for (answer, words) in [
        (headers.as_str(), "answered with more headers than are read"),
        ("SSH-2.0-OpenSSH_9.6\r\n", "answered with something that is not HTTP"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\n{}{}",
            "answered with something that is not HTTP",
        ),
        ("HTTP/1.1 200 OK\r\nSet-Cookie: a=\u{1}\r\n\r\n", "answered with something that is not HTTP"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", "was cut off before the answer was complete"),
        ("", "was cut off before the answer was complete"),
    ] {
        let server = Script::start(|_| vec![Reply::Bytes(answer.into())]).await;
        let failed = client().send(get(&server.base, true)).await;
        let Err(HttpError::Cut { message }) = failed else { panic!("{answer:?}: {failed:?}") };
        assert!(message.contains(words), "{answer:?}: {message}");
    }
}
