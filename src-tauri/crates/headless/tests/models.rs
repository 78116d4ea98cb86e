//! Providers of language models, with the real program and a real peer that wants a key.

mod support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use support::Box;

const KEY: &str = "sk-canary-0123456789";

/// Speaks chat completions to whoever has the key, and nothing else.
struct Peer {
    base: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Peer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
                let (mut head, mut length) = (String::new(), 0);
                while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
                for line in head.to_lowercase().lines() {
                    length = line.strip_prefix("content-length: ").map_or(length, |n| n.parse().expect("a number"));
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).expect("the body");
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                let good = head.contains(&format!("authorization: Bearer {KEY}"));
                let (status, body) = match path.as_str() {
                    _ if !good => ("401 No", json!({ "error": { "message": format!("Wrong key, not {KEY}") } })),
                    "/v1/models" => ("200 OK", json!({ "data": [{ "id": "small" }, { "id": "big" }] })),
                    "/v1/chat/completions" => {
                        ("200 OK", json!({ "choices": [{ "message": { "content": "OK" }, "finish_reason": "stop" }] }))
                    }
                    _ => ("404 No", json!({})),
                };
                kept.lock().expect("no panic").push(path);
                let body = body.to_string();
                let head =
                    format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
                let _gone = stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n{body}").as_bytes());
            }
        });
        Self { base, seen }
    }
}

fn told(done: &support::Done) -> Value {
    serde_json::from_str(done.out.trim()).unwrap_or_else(|_| panic!("{} {}", done.out, done.err))
}

#[test]
fn a_provider_is_kept_tested_chosen_and_forgotten() {
    let (place, peer) = (Box::new(), Peer::start());
    let models = |args: &[&str]| place.run(&[&["models"], args, &["--json"]].concat());
    assert_eq!(told(&models(&["list"])), json!({ "providers": [] }));
    assert_eq!(place.run(&["secret", "choose", "file"]).code, 0);
    let keep = |host: &str| place.run_with(&["secret", "set", "house", "--host", host], KEY).code;
    assert_eq!(keep("api.example.com"), 0);

    // The secret must be for the host.
    let set = ["set", "house", "--kind", "openai", "--url", &peer.base];
    let with_key = [&set[..], &["--credential", "secret://house", "--model", "small=0.5/2", "--model", "big"]].concat();
    let refused = models(&with_key);
    assert_eq!((refused.code, told(&refused)["error"]["code"].as_str()), (2, Some("BAD_REQUEST")));
    assert!(told(&refused)["error"]["message"].as_str().expect("words").contains("may not go to this address"));
    for (wrong, words) in [
        (["set", "a b", "--kind", "openai", "--url", &peer.base], "letters, digits"),
        (["set", "x", "--kind", "openai", "--url", "ftp://x.example"], "no http or https address"),
        (["set", "x", "--kind", "openai", "--url", "https://x.example?api_key=s3cr3t"], "holds a credential"),
    ] {
        let done = models(&wrong);
        assert_eq!(done.code, 2);
        assert!(done.out.contains(words), "{}", done.out);
    }
    assert!(peer.seen.lock().expect("no panic").is_empty());

    // Without its key it says what is wrong and what next; the key that comes back is not shown.
    assert_eq!(models(&set).code, 0);
    let tested = models(&["test", "house"]);
    assert_eq!((tested.code, &told(&tested)["ok"]), (1, &json!(false)));
    assert!(told(&tested)["message"].as_str().expect("words").contains("refused the key (401)"), "{}", tested.out);
    assert_eq!(told(&tested)["hint"], "It wants a key. Edit the provider and add one.");

    assert_eq!(keep(&peer.base["http://".len()..]), 0);
    let kept = told(&models(&with_key));
    let one = &kept["providers"][0];
    assert_eq!(one["credential"], "secret://house");
    assert_eq!(one["models"], json!([{ "name": "small", "inputPrice": 0.5, "outputPrice": 2.0 }, { "name": "big" }]));
    assert_eq!(one["here"], true);
    let tested = models(&["test", "house"]);
    assert_eq!((tested.code, &told(&tested)["models"]), (0, &json!(["big", "small"])));
    let tested = models(&["test", "house", "--model", "small"]);
    assert_eq!((tested.code, &told(&tested)["message"]), (0, &json!("The model 'small' answers.")));
    let paths = peer.seen.lock().expect("no panic").clone();
    assert_eq!(paths, ["/v1/models", "/v1/models", "/v1/models", "/v1/chat/completions"]);

    // The default is of a provider that is there, and goes with it.
    assert_eq!(models(&["default", "other", "small"]).code, 2);
    assert_eq!(told(&models(&["default", "house", "small"])), json!({ "provider": "house", "model": "small" }));
    assert!(place.run(&["models", "default"]).out.contains("small of house"));
    let gone = told(&models(&["delete", "house"]));
    assert_eq!(gone, json!({ "providers": [] }));
    assert_eq!(models(&["delete", "house"]).code, 2);
    assert_eq!(models(&["test", "house"]).code, 2);

    // Each change is in the audit chain, without a secret.
    let entries = place.run(&["audit", "list", "--json"]).out;
    for (event, count) in [("MODEL_PROVIDER_CHANGED", 3), ("MODEL_DEFAULT_CHANGED", 1)] {
        assert_eq!(entries.matches(&format!("\"event\":\"{event}\"")).count(), count, "{event} in {entries}");
    }
    assert!(!entries.contains(KEY));
    let database = std::fs::read(place.data().join("signalbox.db")).expect("the store");
    assert!(!database.windows(KEY.len()).any(|part| part == KEY.as_bytes()));
}
