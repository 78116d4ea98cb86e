//! Programs, folders and a small HTTP server for the tests.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

/// Name and text of a workflow file.
pub(crate) fn workflow(id: &str, nodes: Value, edges: &[(&str, &str)]) -> Value {
    let edges: Vec<Value> =
        edges.iter().map(|(from, to)| json!({ "from": format!("{from}.success"), "to": to })).collect();
    json!({ "signalbox": 1, "id": id, "name": "Test", "nodes": nodes, "edges": edges })
}

/// The program that exports, built beside the runner.
pub(crate) fn signalbox() -> Command {
    let runner = Path::new(env!("CARGO_BIN_EXE_signalbox-runner"));
    let program = runner.with_file_name(format!("signalbox{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is missing: cargo build -p signalbox-headless", program.display());
    Command::new(program)
}

/// Whether a text stands in a program. Debug builds are large: grep reads them in a moment.
pub(crate) fn holds(program: &Path, text: &str) -> bool {
    let found = Command::new("grep").args(["-aqF", "-e", text]).arg(program).status().expect("grep starts");
    found.success()
}

/// What a program printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    /// Shown when a test fails.
    pub(crate) err: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ended {
    /// All lines of standard output as JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }

    /// The last line of standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        let last = self.out.lines().last().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
    pub(crate) fn assert_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// A folder with workflow files and what is made of them.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
    /// Writes a workflow file.
    pub(crate) fn write(&self, workflow: &Value) -> PathBuf {
        let id = workflow["id"].as_str().expect("an id");
        let path = self.path().join(format!("{id}.signalbox.json"));
        fs::write(&path, serde_json::to_string_pretty(workflow).expect("JSON")).expect("written");
        path
    }
    /// Exports a file into a new folder, with a new data folder.
    pub(crate) fn export(&self, file: &Path, more: &[&str]) -> Ended {
        let out = self.path().join("dist");
        let mut command = signalbox();
        command.arg("export").arg(file).arg("--out").arg(out).args(["--json", "--data"]).arg(self.path().join("app"));
        Ended::from(command.args(more).output().expect("signalbox starts"))
    }
    /// Exports a workflow and gives the program.
    pub(crate) fn program(&self, workflow: &Value, more: &[&str]) -> Program {
        let file = self.write(workflow);
        self.program_of(&file, more)
    }
    pub(crate) fn program_of(&self, file: &Path, more: &[&str]) -> Program {
        let exported = self.export(file, more).assert_code(0).json();
        Program {
            file: PathBuf::from(exported["file"].as_str().expect("a file")),
            data: self.path().join("data"),
            env: Vec::new(),
        }
    }
}

/// An exported program with its data folder. It starts with an empty environment.
pub(crate) struct Program {
    pub(crate) file: PathBuf,
    pub(crate) data: PathBuf,
    /// Its environment.
    pub(crate) env: Vec<(String, String)>,
}

impl Program {
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.file);
        command.env_clear().envs(self.env.iter().cloned()).arg("--data").arg(&self.data).args(arguments);
        command
    }
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Ended::from(self.command(arguments).output().expect("the program starts"))
    }
}

/// A request that came.
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
    stream: TcpStream,
}

impl Request {
    /// Answers with JSON and closes the connection.
    pub(crate) fn answer(mut self, body: &str) {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        // Whoever asked may be gone.
        drop(self.stream.write_all(head.as_bytes()).and_then(|()| self.stream.write_all(body.as_bytes())));
    }
}

/// The headers of the requests that came.
type Headers = Arc<Mutex<Vec<BTreeMap<String, String>>>>;

/// A server that hands each request to the test.
pub(crate) struct Server {
    pub(crate) base: String,
    pub(crate) requests: Receiver<Request>,
    pub(crate) seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let (to, requests): (Sender<Request>, _) = channel();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(request) = read(stream) else { continue };
                log.lock().expect("no panic").push(request.path.clone());
                if to.send(request).is_err() {
                    return;
                }
            }
        });
        Self { base, requests, seen }
    }

    /// Answers everything with this.
    pub(crate) fn answering(body: &'static str) -> (String, Headers) {
        let server = Self::start();
        let headers = Arc::new(Mutex::new(Vec::new()));
        let (base, log) = (server.base.clone(), Arc::clone(&headers));
        std::thread::spawn(move || {
            for request in server.requests {
                log.lock().expect("no panic").push(request.headers.clone());
                request.answer(body);
            }
        });
        (base, headers)
    }
}

fn read(stream: TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length: u64 = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or_default();
    let mut body = String::new();
    reader.by_ref().take(length).read_to_string(&mut body).ok()?;
    Some(Request { path, headers, body, stream: reader.into_inner() })
}

/// A program that serves, stopped when it goes.
pub(crate) struct Served {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    /// Starts the program; it listens at a free port.
    pub(crate) fn start(program: &Program, more: &[&str]) -> Self {
        let mut command = program.command(&["serve", "--json", "--port", "0"]);
        let mut child = command.args(more).stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let url = told["url"].as_str().unwrap_or_default();
        let (address, token) = url.split_once("/#token=").unwrap_or((url, ""));
        let port = address.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or_default();
        Self { child, port, token: token.to_owned() }
    }

    /// SIGKILL on Unix.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }

    /// Status and body of an answer.
    pub(crate) fn ask(&self, method: &str, path: &str, host: &str, token: &str, body: &str) -> (u16, String) {
        self.send(method, path, &format!("Host: {host}\r\nAuthorization: Bearer {token}\r\n"), body)
    }

    /// The same with other headers.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer.split_once("\r\n\r\n").expect("a body").1.to_owned())
    }

    pub(crate) fn call(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let host = format!("127.0.0.1:{}", self.port);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, body) = self.ask(method, path, &host, &self.token, &body);
        (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
    }
}
