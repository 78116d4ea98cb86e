#!/usr/bin/env bash
# async-imap gives an empty result for a search that the server refused.
# Guess: a SEARCH that the server answers with NO or BAD is an error of the call, as SELECT and LOGIN are.
# Instead: the call succeeds with no messages, exactly as for a mailbox in which nothing matches.
# It matters: a flow that polls a mailbox with a search that the server does not support sees an empty inbox for ever, under a
# green tick.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'END'
[package]
name = "refused"
version = "0.0.0"
edition = "2021"

[dependencies]
async-imap = { version = "=0.12.0", default-features = false, features = ["runtime-tokio"] }
tokio = { version = "1", features = ["rt", "io-util", "macros"] }
END
cat >src/main.rs <<'END'
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (here, there) = tokio::io::duplex(4096);
    // A server that takes everything but a search.
    let server = async move {
        let mut lines = BufReader::new(there);
        lines.write_all(b"* OK ready\r\n").await.unwrap();
        let mut line = String::new();
        while lines.read_line(&mut line).await.unwrap_or(0) > 0 {
            print!("> {line}");
            let tag = line.split(' ').next().unwrap().to_owned();
            let refused = line.contains("SEARCH") || line.contains("nowhere");
            let answer = if refused { format!("{tag} NO not supported\r\n") } else { format!("{tag} OK done\r\n") };
            lines.write_all(answer.as_bytes()).await.unwrap();
            line.clear();
        }
    };
    let client = async move {
        let mut client = async_imap::Client::new(here);
        client.read_response().await.unwrap();
        let mut session = client.login("ada", "secret").await.map_err(|(error, _)| error).unwrap();
        let selected = session.select("nowhere").await;
        println!("SELECT answered with NO: {}", if selected.is_err() { "error" } else { "success" });
        assert!(selected.is_err());
        let found = session.uid_search("X-OWN-KEY urgent").await;
        println!("SEARCH answered with NO: {found:?}");
        assert!(found.unwrap().is_empty());
    };
    tokio::select! { () = server => {}, () = client => {} }
}
END
cargo --quiet run
grep -A1 'name = "async-imap"' Cargo.lock
