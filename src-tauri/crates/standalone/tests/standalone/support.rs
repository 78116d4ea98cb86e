//! Programs, folders and a small HTTP server for the tests.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
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
    _err: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            _err: String::from_utf8_lossy(&output.stderr).into_owned(),
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
        Program { file: PathBuf::from(exported["file"].as_str().expect("a file")), data: self.path().join("data") }
    }
}

/// An exported program with its data folder. It starts with an empty environment.
pub(crate) struct Program {
    pub(crate) file: PathBuf,
    pub(crate) data: PathBuf,
}

impl Program {
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.file);
        command.env_clear().arg("--data").arg(&self.data).args(arguments);
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
    std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink()).ok()?;
    Some(Request { path, headers, stream: reader.into_inner() })
}
