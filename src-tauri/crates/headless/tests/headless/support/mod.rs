//! Runs the real program, and a loopback server that fails as it is told.
#![allow(dead_code, reason = "each test file uses its part")]

use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A data folder of its own.
pub(crate) struct TestHome {
    pub(crate) dir: tempfile::TempDir,
}

/// What a command printed.
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl TestHome {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Writes a file beside the data folder.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    pub(crate) fn command<S: AsRef<std::ffi::OsStr>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_signalbox"));
        command.args(args).env("SIGNALBOX_DATA", self.data()).env_remove("RUST_BACKTRACE").current_dir(self.dir.path());
        command
    }

    pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(&self, args: &[S]) -> Done {
        let Output { status, stdout, stderr } = self.command(args).stdin(Stdio::null()).output().expect("it starts");
        Done {
            code: status.code().unwrap_or(-1),
            out: String::from_utf8(stdout).expect("text"),
            err: String::from_utf8(stderr).expect("text"),
        }
    }

    /// [`Self::run`] with something to read.
    pub(crate) fn run_with<S: AsRef<std::ffi::OsStr>>(&self, args: &[S], input: &str) -> Done {
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("sent");
        let output = child.wait_with_output().expect("it ends");
        Done {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }

    pub(crate) fn spawn<S: AsRef<std::ffi::OsStr>>(&self, args: &[S]) -> Child {
        self.command(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts")
    }
}

impl Done {
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}\n{}", self.err)))
            .collect()
    }
    pub(crate) fn json(&self) -> Value {
        let lines = self.lines();
        assert_eq!(lines.len(), 1, "one line expected:\n{}\n{}", self.out, self.err);
        lines.into_iter().next().expect("one")
    }
    pub(crate) fn last(&self) -> Value {
        self.lines().pop().unwrap_or_else(|| panic!("nothing was printed\n{}", self.err))
    }
}

/// A server on a free port: path → how many times it fails with 503 before it answers, and how long it takes.
pub(crate) struct Loopback {
    pub(crate) base: String,
    hits: Arc<Mutex<HashMap<String, usize>>>,
    pub(crate) calls: Arc<AtomicUsize>,
    bodies: Arc<Mutex<Vec<(String, String)>>>,
}

impl Loopback {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let hits: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
        let calls = Arc::new(AtomicUsize::new(0));
        let bodies: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
        let (seen, counted, got) = (Arc::clone(&hits), Arc::clone(&calls), Arc::clone(&bodies));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, counted, got) = (Arc::clone(&seen), Arc::clone(&counted), Arc::clone(&got));
                std::thread::spawn(move || answer(stream, &seen, &counted, &got));
            }
        });
        Self { base, hits, calls, bodies }
    }

    /// What was sent to a path, in order.
    pub(crate) fn bodies(&self, path: &str) -> Vec<String> {
        let all = self.bodies.lock().expect("no panic");
        all.iter().filter(|(to, _)| to == path).map(|(_, body)| body.clone()).collect()
    }

    pub(crate) fn hits(&self, path: &str) -> usize {
        self.hits.lock().expect("no panic").get(path).copied().unwrap_or_default()
    }
}

fn answer(
    mut stream: TcpStream,
    seen: &Mutex<HashMap<String, usize>>,
    counted: &AtomicUsize,
    got: &Mutex<Vec<(String, String)>>,
) {
    let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let path = first.split_whitespace().nth(1).unwrap_or("/").to_owned();
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        counted.fetch_add(1, Ordering::SeqCst);
        got.lock().expect("no panic").push((path.clone(), String::from_utf8_lossy(&body).into_owned()));
        let hit = {
            let mut seen = seen.lock().expect("no panic");
            let hit = seen.entry(path.clone()).or_default();
            *hit += 1;
            *hit
        };
        let (status, text) = match path.as_str() {
            "/flaky" if hit <= 2 => ("503 Service Unavailable", String::new()),
            "/down" => ("503 Service Unavailable", String::new()),
            "/slow" => {
                std::thread::sleep(Duration::from_secs(20));
                ("200 OK", "{}".to_owned())
            }
            "/big" => ("200 OK", format!("{{\"text\":\"{}\"}}", "x".repeat(30_000))),
            _ => ("200 OK", "{\"name\":\"Ada\",\"age\":36}".to_owned()),
        };
        if path == "/flaky" && hit > 2 {
            // As in the walkthrough: the only header is the type, so the end of the connection ends the body.
            let answer = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\n\r\n{text}");
            drop(stream.write_all(answer.as_bytes()));
            return;
        }
        let kind = if status.starts_with("200") { "content-type: application/json\r\n" } else { "" };
        let answer = format!("HTTP/1.1 {status}\r\n{kind}content-length: {}\r\n\r\n{text}", text.len());
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Waits until something holds.
pub(crate) fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !check() {
        assert!(Instant::now() < end, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A workflow with these nodes and edges.
pub(crate) fn workflow(nodes: Value, edges: Value) -> Value {
    serde_json::json!({ "signalbox": 1, "id": "test", "name": "Test", "nodes": nodes, "edges": edges })
}

/// A running `serve`.
pub(crate) struct Serving {
    pub(crate) child: Child,
    pub(crate) url: String,
    pub(crate) token: String,
    pub(crate) token_file: PathBuf,
}

impl Serving {
    pub(crate) fn start(place: &TestHome, more: &[&str]) -> Self {
        let mut args = vec!["serve", "--addr", "127.0.0.1:0"];
        args.extend(more);
        Self::of(place.spawn(&args))
    }

    /// A `serve` that was started otherwise, with its outputs piped.
    pub(crate) fn of(mut child: Child) -> Self {
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a line");
        if line.is_empty() {
            let mut err = String::new();
            child.stderr.as_mut().expect("piped").read_to_string(&mut err).ok();
            panic!("serve did not start: {err}");
        }
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        let token_file = Path::new(ready["tokenFile"].as_str().expect("a path")).to_owned();
        let token = std::fs::read_to_string(&token_file).expect("a token").lines().next().expect("a line").to_owned();
        Self { child, url: ready["url"].as_str().expect("an address").to_owned(), token, token_file }
    }

    pub(crate) fn host(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    /// One request as raw text: nothing is added that a browser would add.
    pub(crate) fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.host()).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a limit");
        let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            request.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        request.push_str("\r\n");
        request.push_str(body);
        stream.write_all(request.as_bytes()).expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).ok();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split_whitespace().nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// A proper request with the token.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.ask_as(&self.token, method, path, body, &[])
    }

    pub(crate) fn ask_as(&self, token: &str, method: &str, path: &str, body: &Value, more: &[(&str, &str)]) -> Answer {
        let bearer = format!("Bearer {token}");
        let mut headers = vec![("host", self.host()), ("authorization", bearer.as_str())];
        let text = if body.is_null() { String::new() } else { body.to_string() };
        if !text.is_empty() {
            headers.push(("content-type", "application/json"));
        }
        headers.extend(more);
        self.raw(method, path, &headers, &text)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {} {}", self.head, self.body))
    }
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

pub(crate) const OPERATOR: &str = "operator-token-0123456789";
pub(crate) const VIEWER: &str = "viewer-token-0123456789";
pub(crate) const BUILDER: &str = "builder-token-0123456789";

/// A server with a token of each role.
pub(crate) fn with_roles(place: &TestHome) -> Serving {
    let file = place.file("tokens", format!("{BUILDER}\noperator {OPERATOR}\nviewer {VIEWER}\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("chmod");
    }
    Serving::start(place, &["--token-file", &file.display().to_string()])
}

/// The lines of a stream, until it ends or says nothing for 20 s.
pub(crate) fn lines(serving: &Serving, token: &str, path: &str, headers: &str) -> impl Iterator<Item = String> {
    let mut stream = TcpStream::connect(serving.host()).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
    let host = serving.host();
    let request = format!("GET {path} HTTP/1.0\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    BufReader::new(stream).lines().map_while(Result::ok)
}

/// Reads the events of a run as a stream (SSE).
pub(crate) fn follow(
    serving: &Serving,
    token: &str,
    run: &str,
    after: u64,
    last_id: Option<&str>,
    most: usize,
) -> Vec<Value> {
    let query = if after > 0 { format!("?after={after}") } else { String::new() };
    let last = last_id.map(|id| format!("last-event-id: {id}\r\n")).unwrap_or_default();
    let mut events = Vec::new();
    let mut id = None;
    for line in lines(serving, token, &format!("/workflow/{run}/events{query}"), &last) {
        if let Some(text) = line.strip_prefix("id: ") {
            id = text.parse::<u64>().ok();
        }
        if let Some(data) = line.strip_prefix("data: ") {
            let event: Value = serde_json::from_str(data).expect("json");
            assert_eq!(event["seq"].as_u64(), id, "the id is the seq");
            events.push(event);
            if events.len() == most {
                break;
            }
        }
    }
    events
}
