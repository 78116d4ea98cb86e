//! A server in a process of its own, with a data folder of its own, and requests to it over connections that stay open.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Starts a server on a data folder: the process, its host with port, and the token.
fn spawn(binary: &Path, folder: &Path, more: &[String]) -> Option<(Child, String, String)> {
    let mut child = Command::new(binary)
        .args(["serve", "--addr", "127.0.0.1:0", "--data"])
        .arg(folder.join("data"))
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut()?).read_line(&mut line).ok()?;
    let host = text_at(&line, "url")?.trim_start_matches("http://").to_owned();
    let token = std::fs::read_to_string(text_at(&line, "tokenFile")?).ok()?.lines().next()?.to_owned();
    Some((child, host, token))
}

/// A server; it is killed when this is dropped, and its data folder goes.
pub(crate) struct Served {
    child: Child,
    host: String,
    token: String,
    folder: PathBuf,
    more: Vec<String>,
}

impl Served {
    pub(crate) fn start(binary: &Path) -> Option<Self> {
        Self::with(binary, &[])
    }

    /// With more arguments.
    pub(crate) fn with(binary: &Path, more: &[String]) -> Option<Self> {
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("signalbox-bench-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder).ok()?;
        let (child, host, token) = spawn(binary, &folder, more)?;
        Some(Self { child, host, token, folder, more: more.to_vec() })
    }

    /// Ends the process without a word and starts another one on the same data folder.
    pub(crate) fn restart(&mut self, binary: &Path) -> Option<()> {
        self.child.kill().ok()?;
        self.child.wait().ok()?;
        (self.child, self.host, self.token) = spawn(binary, &self.folder, &self.more)?;
        Some(())
    }

    pub(crate) fn connect(&self) -> Option<Connection> {
        Connection::new(&self.host)
    }

    /// Its data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// A request with the token.
    pub(crate) fn ask(&self, connection: &mut Connection, path: &str, body: &str) -> Option<(u16, String)> {
        connection.send("POST", path, &format!("authorization: Bearer {}\r\n", self.token), body)
    }

    /// Makes a workflow active; `document` is JSON.
    pub(crate) fn activate(&self, connection: &mut Connection, document: &str) -> bool {
        let told = self.ask(connection, "/rpc/workflow_activate", &format!("{{\"document\":{document}}}"));
        matches!(told, Some((200, _)))
    }

    /// How many runs a workflow has with a status; counted by pages.
    pub(crate) fn runs(&self, connection: &mut Connection, workflow: &str, status: &str) -> usize {
        let (mut count, mut before) = (0, String::from("null"));
        loop {
            let asked =
                format!("{{\"workflow\":\"{workflow}\",\"status\":\"{status}\",\"limit\":500,\"before\":{before}}}");
            let Some((200, page)) = self.ask(connection, "/rpc/run_list", &asked) else { return count };
            count += page.matches("\"runId\":").count();
            match text_at(&page, "next") {
                Some(next) => before = format!("\"{next}\""),
                None => return count,
            }
        }
    }

    /// CPU time of the server so far, seconds.
    pub(crate) fn cpu(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
        // Linux counts 100 ticks a second.
        (ticks(11) + ticks(12)) / 100.0
    }

    /// Resident memory, MB.
    pub(crate) fn memory(&self) -> f64 {
        self.kilobytes("VmRSS:") as f64 / 1024.0
    }

    /// Most resident memory since the start, or since it was reset, bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.kilobytes("VmHWM:") * 1024
    }

    /// The peak is counted from here on.
    pub(crate) fn reset_peak(&self) {
        let _ = std::fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5");
    }

    fn kilobytes(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).and_then(|l| l.split_whitespace().next());
        line.and_then(|kilobytes| kilobytes.parse().ok()).unwrap_or_default()
    }

    /// A request over a separate connection whose answer is read to its end and not kept: status, length, beginning.
    pub(crate) fn drain(&self, method: &str, path: &str, body: &str) -> Option<(u16, u64, String)> {
        self.drain_after(method, path, body, &mut || {})
    }

    /// The same with another token.
    pub(crate) fn drain_as(&self, token: &str, method: &str, path: &str, body: &str) -> Option<(u16, u64, String)> {
        self.drained(token, method, path, body, &mut || {})
    }

    /// The same; `begun` is called when the first bytes have come.
    pub(crate) fn drain_after(
        &self,
        method: &str,
        path: &str,
        body: &str,
        begun: &mut dyn FnMut(),
    ) -> Option<(u16, u64, String)> {
        self.drained(&self.token, method, path, body, begun)
    }

    fn drained(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: &str,
        begun: &mut dyn FnMut(),
    ) -> Option<(u16, u64, String)> {
        let mut stream = TcpStream::connect(&self.host).ok()?;
        let head = format!(
            "{method} {path} HTTP/1.0\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.host,
            token,
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut reader = BufReader::new(stream);
        let (mut line, mut begin) = (String::new(), vec![0; 400]);
        reader.read_line(&mut line).ok()?;
        let status = line.split(' ').nth(1)?.parse().ok()?;
        while line.trim_end() != "" {
            line.clear();
            reader.read_line(&mut line).ok()?;
        }
        let first = reader.read(&mut begin).ok()?;
        begun();
        let rest = std::io::copy(&mut reader, &mut std::io::sink()).ok()?;
        Some((status, first as u64 + rest, String::from_utf8_lossy(begin.get(..first)?).into_owned()))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A connection that stays open.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Connection {
    pub(crate) fn new(host: &str) -> Option<Self> {
        let stream = TcpStream::connect(host).ok()?;
        stream.set_nodelay(true).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        Some(Self { stream: BufReader::new(stream), host: host.to_owned() })
    }

    /// Status and body of the answer.
    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &str, body: &str) -> Option<(u16, String)> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\n{headers}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).ok()?;
        let (mut status, mut length, mut line) = (0, 0, String::new());
        loop {
            line.clear();
            if self.stream.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let text = line.trim_end();
            if text.is_empty() {
                break;
            }
            if status == 0 {
                status = text.split(' ').nth(1)?.parse().ok()?;
            } else if let Some((name, value)) = text.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).ok()?;
        Some((status, String::from_utf8_lossy(&body).into_owned()))
    }
}

/// The text of a field of JSON that the server wrote; none when it is no text.
pub(crate) fn text_at<'a>(json: &'a str, field: &str) -> Option<&'a str> {
    let begin = json.find(&format!("\"{field}\":\""))? + field.len() + 4;
    json.get(begin..)?.split('"').next()
}
