//! Answers that come in very many small pieces, on a real socket: work grows with their number, and a stream that never ends is
//! refused. A million pieces pass as well; they take a minute in a debug build.

use crate::common;
use crate::llm::{asked, models, provider, question};

use common::{Reply, run, world};
use serde_json::json;
use signalbox_adapters::{FolderFiles, Grant};
use signalbox_ports::llm::{Delta, DeltaSink, LlmFault, Part, ProviderKind};
use std::fmt::Write as _;
use std::sync::Mutex;

const PIECES: usize = 100_000;

/// Each piece of two bytes is a chunk.
fn chunked(media: &str, body: &str) -> Reply {
    let mut text = format!("HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nTransfer-Encoding: chunked\r\n\r\n");
    for piece in body.as_bytes().chunks(2) {
        write!(text, "{:x}\r\n{}\r\n", piece.len(), String::from_utf8_lossy(piece)).expect("a text takes it");
    }
    Reply::Bytes(text + "0\r\n\r\n")
}

#[tokio::test]
async fn lines_and_files_come_in_many_small_chunks() {
    let line = format!("{{\"text\":\"{}\"}}\n", "x".repeat(9_988));
    let body = line.repeat(2 * PIECES / line.len());
    assert_eq!(body.len(), 2 * PIECES);
    let server = common::Script::start(|_| vec![chunked("application/x-ndjson", &body)]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let files = FolderFiles::new(vec![Grant { folder: folder.path().to_owned(), workflow: None, write: true }]);
    let world = world(files);
    let lines = json!({ "url": server.base, "responseType": "lines", "items": "$", "limit": 1_000 });
    let output = run(&world, "http.request", lines, json!({})).await.expect("lines");
    assert_eq!(output.ports["success"].len(), 20);
    let path = folder.path().join("saved.jsonl");
    run(&world, "http.request", json!({ "url": server.base, "saveTo": path }), json!({})).await.expect("saved");
    assert!(std::fs::read(&path).expect("the file") == body.as_bytes());
}

/// Counts what it is told.
#[derive(Default)]
struct Count(Mutex<usize>);

impl DeltaSink for Count {
    fn delta(&self, _delta: Delta<'_>) {
        *self.0.lock().expect("not poisoned") += 1;
    }
}

#[tokio::test]
async fn a_model_that_says_very_many_words_is_heard_to_its_end() {
    let mut body = "{\"message\":{\"content\":\"x\"}}\n".repeat(PIECES);
    body.push_str("{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n");
    let server = common::Script::start(|_| vec![crate::llm::stream("application/x-ndjson", &body)]).await;
    let models = models(provider(ProviderKind::Ollama, &server.base, Some("key")), "127.0.0.1");
    let heard = Count::default();
    let answer = signalbox_ports::Llm::ask(&models, question(true), &heard).await.expect("an answer");
    assert_eq!(answer.parts, [Part::Text("x".repeat(PIECES))]);
    assert_eq!(heard.0.into_inner().expect("not poisoned"), PIECES);
}

#[tokio::test]
async fn an_endless_stream_of_a_model_is_refused() {
    let body = format!(": {}\n", "still there ".repeat(5_000)).repeat(600);
    assert!(body.len() > 32 << 20);
    let (answer, _, _) =
        asked(ProviderKind::Openai, vec![crate::llm::stream("text/event-stream", &body)], question(true)).await;
    let failure = answer.expect_err("too long");
    assert!(failure.fault == LlmFault::BadAnswer && failure.message.contains("larger than 32 MiB"), "{failure:?}");
}
