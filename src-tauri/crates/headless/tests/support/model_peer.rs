//! A server of language models on loopback.

use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// Speaks chat completions to whoever has the key, if there is one; each answer is said to cost 1,000 and 100 tokens.
pub(crate) struct Peer {
    pub(crate) base: String,
    /// Paths that were asked for.
    pub(crate) seen: Arc<Mutex<Vec<String>>>,
}

impl Peer {
    pub(crate) fn start(key: Option<&'static str>) -> Self {
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
                let good = key.is_none_or(|key| head.contains(&format!("authorization: Bearer {key}")));
                let (status, body) = match path.as_str() {
                    _ if !good => (
                        "401 No",
                        json!({ "error": { "message": format!("Wrong key, not {}", key.unwrap_or_default()) } }),
                    ),
                    "/v1/models" => ("200 OK", json!({ "data": [{ "id": "small" }, { "id": "big" }] })),
                    "/v1/chat/completions" => {
                        let said = json!({ "message": { "content": "OK" }, "finish_reason": "stop" });
                        let usage = json!({ "prompt_tokens": 1_000, "completion_tokens": 100 });
                        ("200 OK", json!({ "choices": [said], "usage": usage }))
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
