//! A server of files: what a run asks for over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

/// Answers until the process ends.
pub(super) struct Peer {
    pub(super) base: String,
}

impl Peer {
    pub(super) fn start(folder: &Path) -> Option<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").ok()?;
        let base = format!("http://{}", listener.local_addr().ok()?);
        let folder = folder.to_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let folder = folder.clone();
                std::thread::spawn(move || answer(stream, folder));
            }
        });
        Some(Self { base })
    }
}

/// One request of a connection: a file for GET, `{}` for a body.
fn answer(mut stream: TcpStream, folder: PathBuf) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut line, mut length) = (String::new(), 0_u64);
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.trim_start_matches('/').to_owned();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let text = line.trim_end().to_ascii_lowercase();
        if text.is_empty() {
            break;
        }
        if let Some(value) = text.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink()).ok()?;
    let kind = if path.ends_with(".ndjson") { "application/x-ndjson" } else { "application/json" };
    let head = |length: u64| {
        format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n")
    };
    if length > 0 {
        return stream.write_all(format!("{}{{}}", head(2)).as_bytes()).ok();
    }
    let mut file = std::fs::File::open(folder.join(path)).ok()?;
    stream.write_all(head(file.metadata().ok()?.len()).as_bytes()).ok()?;
    std::io::copy(&mut file, &mut stream).ok()?;
    Some(())
}
