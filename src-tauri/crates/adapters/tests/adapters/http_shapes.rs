//! What stands on the wire, method by method, body by body, redirect by redirect (RFC 9110).

use crate::common;

use common::{Reply, Script, reply, run_on, world};
use serde_json::{Value, json};
use signalbox_adapters::FolderFiles;
use signalbox_model::{Binaries, BinaryRef, Item};
use signalbox_ports::World;

const METHODS: [&str; 7] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

/// A request taken apart.
#[derive(Debug, PartialEq)]
struct Sent {
    line: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Sent {
    fn of(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let mut lines = head.split("\r\n");
        let line = lines.next().expect("a request line").to_owned();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").expect("a header");
            (name.to_owned(), value.to_owned())
        };
        Self { line, headers: lines.map(header).collect(), body: body.to_owned() }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let first = found.next().map(|(_, value)| value.as_str());
        assert_eq!(found.next(), None, "{name} stands once");
        first
    }
}

/// An item with the bytes `photo`.
async fn with_photo(world: &World) -> Item {
    let photo = b"\x89PNG\r\n--x".to_vec();
    let size = photo.len() as u64;
    let hash = world.binaries.keep("r", photo).await.expect("kept");
    let binary = Binaries::from([("photo".to_owned(), BinaryRef::new(hash, "image/png", size))]);
    Item { binary: Some(binary), ..Item::new("1", json!({})) }
}

/// What a step sends to a server that redirects once with a status, or answers at once.
async fn sent(world: &World, redirect: Option<u16>, method: &str, more: &Value) -> Vec<Sent> {
    let answer = reply("200 OK", "");
    let server = Script::start(|_| match redirect {
        Some(status) => vec![reply(&format!("{status} Moved\r\nLocation: /next"), ""), answer],
        None => vec![answer],
    })
    .await;
    let mut config = json!({"method": method, "url": format!("{}/x", server.base)});
    for (name, value) in more.as_object().expect("settings") {
        config[name] = value.clone();
    }
    run_on(world, "http.request", config, with_photo(world).await, None).await.expect("an answer");
    let sent: Vec<Sent> = server.asked().iter().map(|text| Sent::of(text)).collect();
    for one in &sent {
        let host = server.base.strip_prefix("http://").expect("a host");
        assert_eq!(one.headers[0], ("host".to_owned(), host.to_owned()), "{one:?}");
        assert_eq!(one.header("accept"), Some("*/*"), "{one:?}");
        assert!(one.header("user-agent").is_some_and(|agent| agent.starts_with("Signalbox/")), "{one:?}");
        assert_eq!(one.header("transfer-encoding"), None, "{one:?}");
        // What is not in a list of its own is not sent.
        let known = ["host", "accept", "user-agent", "content-length", "content-type", "idempotency-key"];
        assert!(one.headers.iter().all(|(name, _)| known.contains(&name.as_str())), "{one:?}");
    }
    sent
}

/// Settings, content type and body as they arrive.
fn bodies() -> Vec<(Value, Option<&'static str>, &'static str)> {
    let typed = |media: &str, body: Value| json!({"headers": {"Content-Type": media}, "body": body});
    vec![
        (json!({}), None, ""),
        (json!({"body": "hello é"}), Some("text/plain; charset=utf-8"), "hello é"),
        (json!({"body": ""}), Some("text/plain; charset=utf-8"), ""),
        (json!({"body": {"a": [1, null]}}), Some("application/json"), "{\"a\":[1,null]}"),
        (json!({"body": [1]}), Some("application/json"), "[1]"),
        (typed("application/vnd.api+json", json!({"a": 1})), Some("application/vnd.api+json"), "{\"a\":1}"),
        (
            typed("application/x-www-form-urlencoded", json!({"scope": "read & write", "n": [1, true], "gone": null})),
            Some("application/x-www-form-urlencoded"),
            "scope=read+%26+write&n=1&n=true",
        ),
        (
            typed("application/x-www-form-urlencoded", json!("a=1&b=%20")),
            Some("application/x-www-form-urlencoded"),
            "a=1&b=%20",
        ),
        (json!({"bodyBinary": "photo"}), Some("image/png"), "\u{fffd}PNG\r\n--x"),
    ]
}

#[tokio::test]
async fn each_method_sends_each_body_with_its_length_and_type() {
    let world = world(FolderFiles::default());
    let mut shapes = 0;
    for method in METHODS {
        for (settings, media, body) in bodies() {
            if method == "HEAD" && media.is_some() {
                continue;
            }
            let sent = sent(&world, None, method, &settings).await.remove(0);
            let what = format!("{method} {settings}: {sent:?}");
            assert_eq!(sent.line, format!("{method} /x HTTP/1.1"), "{what}");
            assert_eq!(sent.header("content-type"), media, "{what}");
            assert_eq!(sent.body, body, "{what}");
            // The lossy text has three bytes for the first one.
            let length = body.len() - 2 * usize::from(settings.get("bodyBinary").is_some());
            let length = match (media, method) {
                (Some(_), _) => Some(length.to_string()),
                // Where a body is usual, its absence is said.
                (None, "POST" | "PUT" | "PATCH") => Some("0".into()),
                (None, _) => None,
            };
            assert_eq!(sent.header("content-length").map(str::to_owned), length, "{what}");
            shapes += 1;
        }
    }
    assert_eq!(shapes, 55);
}

#[tokio::test]
async fn each_redirect_repeats_the_request_or_makes_a_get_of_it() {
    let world = world(FolderFiles::default());
    for status in [301, 302, 303, 307, 308] {
        for method in METHODS {
            for settings in [json!({}), json!({"body": {"a": 1}}), json!({"bodyBinary": "photo"})] {
                if method == "HEAD" && settings != json!({}) {
                    continue;
                }
                let mut sent = sent(&world, Some(status), method, &settings).await;
                let (next, first) = (sent.pop().expect("two"), sent.pop().expect("two"));
                let becomes_get = match status {
                    301 | 302 => method == "POST",
                    303 => method != "HEAD",
                    _ => false,
                };
                let what = format!("{status} {method} {settings}: {next:?}");
                if becomes_get {
                    assert_eq!(next.line, "GET /next HTTP/1.1", "{what}");
                    assert_eq!(next.body, "", "{what}");
                    for gone in ["content-type", "content-length", "idempotency-key"] {
                        assert_eq!(next.header(gone), None, "{what}");
                    }
                } else {
                    assert_eq!(next.line, format!("{method} /next HTTP/1.1"), "{what}");
                    assert_eq!((&next.headers, &next.body), (&first.headers, &first.body), "{what}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_multipart_body_has_values_and_files() {
    let world = world(FolderFiles::default());
    let settings = json!({
        "headers": {"content-type": "multipart/form-data"},
        "body": {
            "title": "A \"photo\"\nof me",
            "tags": ["a", 2, null],
            "file\"": {"binary": "photo", "filename": "mé\".png"},
            "raw": {"binary": "photo", "type": "application/x-own"},
            "meta": {"value": {"a": 1}, "filename": "meta.json"},
            "gone": null,
        },
    });
    let first = sent(&world, None, "POST", &settings).await.remove(0);
    let media = first.header("content-type").expect("a type").to_owned();
    let boundary = media.strip_prefix("multipart/form-data; boundary=").expect("a boundary");
    let part =
        |head: &str, body: &str| format!("--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n{body}\r\n");
    let wanted = [
        part("name=\"title\"", "A \"photo\"\nof me"),
        part("name=\"tags\"", "a"),
        part("name=\"tags\"", "2"),
        part("name=\"file%22\"; filename=\"mé%22.png\"\r\nContent-Type: image/png", "\u{fffd}PNG\r\n--x"),
        part("name=\"raw\"; filename=\"photo\"\r\nContent-Type: application/x-own", "\u{fffd}PNG\r\n--x"),
        part("name=\"meta\"; filename=\"meta.json\"\r\nContent-Type: application/json", "{\"a\":1}"),
        format!("--{boundary}--\r\n"),
    ];
    assert_eq!(first.body, wanted.concat());
    // Sent again, it is the same to the byte.
    let again = sent(&world, Some(308), "POST", &settings).await;
    assert_eq!((&again[0].body, &again[1].body), (&first.body, &first.body));
    // An author's own boundary is used, unless it stands in a part.
    let mut own = settings.clone();
    own["headers"] = json!({"content-type": "multipart/form-data; boundary=\"mine\""});
    let sent_with_own = sent(&world, None, "PUT", &own).await.remove(0);
    assert_eq!(sent_with_own.header("content-type"), Some("multipart/form-data; boundary=mine"));
    own["headers"] = json!({"content-type": "multipart/form-data; boundary=x"});
    own["url"] = json!("http://127.0.0.1:1/");
    own["method"] = json!("POST");
    let failure =
        run_on(&world, "http.request", own, with_photo(&world).await, None).await.expect_err("it is in a part");
    assert_eq!(failure.code, "INPUT_INVALID");
    assert!(failure.message.contains("boundary"), "{}", failure.message);
}

#[tokio::test]
async fn text_is_sent_in_the_charset_of_its_header() {
    let world = world(FolderFiles::default());
    let server =
        Script::start(|_| vec![Reply::Bytes("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".into())]).await;
    let config = |charset: &str, body: &str| {
        let media = format!("text/plain; charset={charset}");
        json!({"method": "POST", "url": server.base, "headers": {"Content-Type": media}, "body": body})
    };
    common::run(&world, "http.request", config("iso-8859-1", "é"), json!({})).await.expect("sent");
    assert!(server.asked()[0].contains("content-length: 1\r\n"), "{}", server.asked()[0]);
    for (charset, body) in [("iso-8859-1", "東"), ("no-such", "a"), ("utf-16", "a")] {
        let failure = common::run(&world, "http.request", config(charset, body), json!({})).await.expect_err(charset);
        assert_eq!(failure.code, "INPUT_INVALID");
        assert!(failure.message.contains(charset), "{}", failure.message);
    }
}
