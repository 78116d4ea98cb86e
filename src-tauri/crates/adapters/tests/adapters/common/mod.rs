//! A loopback server that plays a script, and the calls the tests make.
#![allow(dead_code, reason = "every test file uses another part")]

use serde_json::Value;
use signalbox_adapters::network::Authorities;
use signalbox_adapters::{FolderFiles, PooledDatabases, RealClock, WebHttp};
use signalbox_engine::effect::{Call, CallKey, CallOutput, CallSlot, Permits};
use signalbox_engine::scope::Scope;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Effects, Item, Mode, NodeFailure};
use signalbox_ports::{Binaries, BinaryError, HttpRequest, Redirects, World};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Authorities of the settings: those of a text in PEM.
pub(crate) fn authorities(pem: &Value) -> Authorities {
    Authorities::from_pem(pem.as_str().expect("PEM")).expect("an authority")
}

/// What one connection gets.
#[derive(Clone)]
pub(crate) enum Reply {
    /// These bytes, then the end.
    Bytes(String),
    /// Nothing, for ever.
    Silence,
}

pub(crate) fn reply(head: &str, body: &str) -> Reply {
    Reply::Bytes(format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len()))
}

pub(crate) fn json_reply(body: &str) -> Reply {
    reply("200 OK\r\nContent-Type: application/json", body)
}

/// Plays its replies in order, the last one again and again; remembers the requests.
pub(crate) struct Script {
    pub(crate) base: String,
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    server: JoinHandle<()>,
}

impl Script {
    pub(crate) async fn start(replies: impl FnOnce(u16) -> Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let replies = replies(port);
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let server = tokio::spawn(async move {
            let mut held = Vec::new();
            let mut next = 0;
            while let Ok((mut stream, _)) = listener.accept().await {
                let request = request(&mut stream).await;
                log.lock().expect("not poisoned").push(request);
                match replies.get(next.min(replies.len().saturating_sub(1))) {
                    Some(Reply::Bytes(bytes)) => {
                        let _gone = stream.write_all(bytes.as_bytes()).await;
                    }
                    Some(Reply::Silence) | None => held.push(stream),
                }
                next += 1;
            }
        });
        Self { base: format!("http://127.0.0.1:{port}"), port, asked, server }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("not poisoned").clone()
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn request(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        // A TLS greeting has no blank line to wait for.
        if text.first() == Some(&0x16) {
            break;
        }
        let done = String::from_utf8_lossy(&text).to_lowercase();
        if let Some((head, body)) = done.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
            if body.len() >= length {
                break;
            }
        }
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(n) => text.extend_from_slice(&chunk[..n]),
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

pub(crate) fn get(url: &str, loopback_allowed: bool) -> HttpRequest {
    HttpRequest {
        method: "GET".into(),
        url: url.into(),
        headers: Vec::new(),
        body: None,
        timeout: Duration::from_secs(20),
        loopback_allowed,
        redirects: Redirects::Follow,
        trust_redirects: false,
        cookies: Vec::new(),
        max_body: 1024 * 1024,
        credential: None,
    }
}

/// Bytes of the one run.
#[derive(Default)]
struct Kept(Mutex<HashMap<String, Vec<u8>>>);

#[async_trait::async_trait]
impl Binaries for Kept {
    async fn keep(&self, _run: &str, bytes: Vec<u8>) -> Result<String, BinaryError> {
        let hash = sha256_hex(&bytes);
        self.0.lock().expect("no panic").insert(hash.clone(), bytes);
        Ok(hash)
    }
    async fn read(&self, _run: &str, sha256: &str) -> Result<Option<Vec<u8>>, BinaryError> {
        Ok(self.0.lock().expect("no panic").get(sha256).cloned())
    }
}

pub(crate) fn world(files: FolderFiles) -> World {
    World {
        http: Arc::new(WebHttp::new(&[]).expect("a client")),
        databases: Arc::new(PooledDatabases::new(files.clone())),
        files: Arc::new(files),
        clock: Arc::new(RealClock),
        audit: Arc::new(signalbox_ports::NoAudit),
        secrets: Arc::new(signalbox_ports::NoSecrets),
        llm: Arc::new(signalbox_ports::NoLlm),
        tools: Arc::new(signalbox_ports::NoTools),
        scripts: Arc::new(signalbox_ports::NoScripts),
        documents: Arc::new(signalbox_ports::NoDocuments),
        binaries: Arc::new(Kept::default()),
        remembered: Arc::new(signalbox_ports::NoRemembered),
        retrieval: Arc::new(signalbox_ports::NoRetrieval),
        mail: Arc::new(signalbox_adapters::MailServers::new(&[])),
        brokers: Arc::new(signalbox_adapters::MessageBrokers::default()),
        remote_files: Arc::new(signalbox_adapters::SftpServers),
        uploads: Arc::new(signalbox_ports::NoUploads),
    }
}

/// Runs a kind with effects on one item.
pub(crate) async fn run(world: &World, kind: &str, config: Value, data: Value) -> Result<CallOutput, NodeFailure> {
    run_in(world, kind, config, data, None).await
}

pub(crate) async fn run_in(
    world: &World,
    kind: &str,
    config: Value,
    data: Value,
    timeout_ms: Option<u64>,
) -> Result<CallOutput, NodeFailure> {
    run_on(world, kind, config, Item::new("1", data), timeout_ms).await
}

/// Runs a kind on an item that may have bytes.
pub(crate) async fn run_on(
    world: &World,
    kind: &str,
    config: Value,
    item: Item,
    timeout_ms: Option<u64>,
) -> Result<CallOutput, NodeFailure> {
    run_all(world, kind, config, vec![item], timeout_ms).await
}

/// Runs a kind once on all of these items.
pub(crate) async fn run_all(
    world: &World,
    kind: &str,
    config: Value,
    items: Vec<Item>,
    timeout_ms: Option<u64>,
) -> Result<CallOutput, NodeFailure> {
    let call = call_of(kind, config, items, timeout_ms);
    let code = signalbox_nodes::kind(kind).expect("code");
    let mut results = signalbox_nodes::run_call(code, &call, world, &signalbox_ports::Unheard).await;
    results.remove(0).1
}

/// A call of a step with one slot.
pub(crate) fn call_of(kind: &str, config: Value, items: Vec<Item>, timeout_ms: Option<u64>) -> Call {
    let catalog = signalbox_nodes::catalog();
    let descriptor = catalog.iter().find(|d| d.kind == kind).expect("a kind");
    let effects: Effects = descriptor.effects.of(&config);
    let mut scope = Scope::empty();
    if let Some(first) = items.first() {
        scope.item = Arc::clone(&first.data).into();
    }
    let slot =
        CallSlot { item: 0, config: Arc::new(config), input: Arc::new(items.into()), scope, sources: Vec::new() };
    Call {
        fault: None,
        key: CallKey { path: "".into(), node: 0, item: None, visit: 1, attempt: 0, origin: None },
        node_id: "n".into(),
        kind: kind.into(),
        mode: Mode::Each,
        effects,
        slots: vec![slot],
        timeout_ms,
        idempotency_key: "key-1".into(),
        loopback_allowed: true,
        model: None,
        connector: None,
        workflow: Arc::new(signalbox_model::Workflow::empty("w", "Work")),
        launch_id: "n-0".into(),
        budget: signalbox_model::budget::Budget::default(),
        permits: Permits::default(),
        run_id: "r".into(),
        workflow_id: "w".into(),
    }
}

/// The data of the first item at a port.
pub(crate) fn data(output: &CallOutput, port: &str) -> Arc<Value> {
    output.ports[port].data(0).expect("an item")
}
