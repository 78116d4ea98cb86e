//! A peer on loopback that answers requests with JSON.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

/// Answers each request by its head and its body, and gives the address.
pub(crate) fn listen(mut answer: impl FnMut(&str, &[u8]) -> (&'static str, Value) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
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
            // Asked by the program itself; this peer does not say what its model can do.
            let is_props = head.starts_with("GET /props ") || head.starts_with("POST /api/show ");
            let (status, body) = if is_props { ("404 Not Found", Value::Null) } else { answer(&head, &body) };
            let body = body.to_string();
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
            let _gone = stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n{body}").as_bytes());
        }
    });
    base
}
