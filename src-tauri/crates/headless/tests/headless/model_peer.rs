//! A server of language models on loopback.

use crate::provider::listen;
use serde_json::json;
use std::sync::{Arc, Mutex};

/// Speaks chat completions to whoever has the key, if there is one; each answer is said to cost 1,000 and 100 tokens.
pub(crate) struct Peer {
    pub(crate) base: String,
    /// Paths that were asked for.
    pub(crate) seen: Arc<Mutex<Vec<String>>>,
}

impl Peer {
    pub(crate) fn start(key: Option<&'static str>) -> Self {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&seen);
        let base = listen(move |head, _| {
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let good = key.is_none_or(|key| head.contains(&format!("authorization: Bearer {key}")));
            let answer = match path.as_str() {
                _ if !good => {
                    ("401 No", json!({ "error": { "message": format!("Wrong key, not {}", key.unwrap_or_default()) } }))
                }
                "/v1/models" => ("200 OK", json!({ "data": [{ "id": "small" }, { "id": "big" }] })),
                "/v1/chat/completions" => {
                    let said = json!({ "message": { "content": "OK" }, "finish_reason": "stop" });
                    let usage = json!({ "prompt_tokens": 1_000, "completion_tokens": 100 });
                    ("200 OK", json!({ "choices": [said], "usage": usage }))
                }
                _ => ("404 No", json!({})),
            };
            kept.lock().expect("no panic").push(path);
            answer
        });
        Self { base, seen }
    }
}
