//! A service on this machine: every request is kept, and a closure answers it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// One request, as it came.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// `POST /path?query`.
    pub(super) line: String,
    pub(super) head: String,
    pub(super) body: Value,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(": ")?;
            known.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// What is answered: status, headers and body; none ends the connection without an answer.
pub(super) type Reply = Option<(u16, Vec<(&'static str, String)>, Value)>;

pub(super) fn ok(body: Value) -> Reply {
    Some((200, Vec::new(), body))
}

pub(super) struct Peer {
    pub(super) base: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Peer {
    pub(super) fn start(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (kept, answer) = (Arc::clone(&seen), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &kept, &*answer));
            }
        });
        Self { base, seen }
    }

    /// The requests since the last look.
    pub(super) fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.seen.lock().expect("no panic"))
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.take().into_iter().map(|seen| seen.line).collect()
    }
}

fn serve(mut stream: TcpStream, kept: &Mutex<Vec<Seen>>, answer: &(dyn Fn(&Seen) -> Reply + Send + Sync)) {
    let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let length =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let line = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
        let body = serde_json::from_slice(&body).unwrap_or(json!(String::from_utf8_lossy(&body)));
        let seen = Seen { line, head: head.replace('\r', ""), body };
        kept.lock().expect("no panic").push(seen.clone());
        let Some((status, headers, body)) = answer(&seen) else { return };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut text = format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n", body.len());
        if !body.is_empty() {
            text.push_str("content-type: application/json\r\n");
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if stream.write_all(format!("{text}\r\n{body}").as_bytes()).is_err() {
            return;
        }
    }
}
