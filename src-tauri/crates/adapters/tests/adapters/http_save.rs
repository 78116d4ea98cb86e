//! Responses that go to a file while they arrive, on real sockets and a real folder.

use crate::common;

use common::{data, run, world};
use serde_json::json;
use signalbox_adapters::{FolderFiles, Grant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Answers each request with a head and as many bytes, and closes.
async fn server(head: &'static str, body: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            drop(stream.read(&mut request).await);
            drop(stream.write_all(format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n").as_bytes()).await);
            drop(stream.write_all(&body).await);
            drop(stream.shutdown().await);
        }
    });
    base
}

fn files(folder: &tempfile::TempDir) -> FolderFiles {
    FolderFiles::new(vec![Grant { folder: folder.path().to_owned(), workflow: None, write: true }])
}

/// The names in a folder.
fn names(folder: &tempfile::TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).expect("read");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[tokio::test]
async fn a_response_larger_than_what_is_held_is_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = b"0123456789abcdef".repeat(65 * 64 * 1024);
    let base = server("200 OK\r\nContent-Length: 68157440", body.clone()).await;
    let path = folder.path().join("out/big.bin");
    std::fs::create_dir(folder.path().join("out")).expect("made");
    let config = json!({ "url": base, "saveTo": path });
    let output = run(&world(files(&folder)), "http.request", config, json!({})).await.expect("saved");
    assert_eq!(data(&output, "success")["response"], json!({ "path": path, "size": body.len() }));
    assert!(std::fs::read(&path).expect("the file") == body);
}

#[tokio::test]
async fn what_does_not_arrive_whole_leaves_the_old_file() {
    let coded = "200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip";
    for (head, body, code) in [
        ("200 OK\r\nContent-Length: 100", b"cut".to_vec(), "CONNECTION"),
        ("200 OK\r\nTransfer-Encoding: chunked", b"3\r\ncut\r\n".to_vec(), "CONNECTION"),
        (coded, b"3\r\ncut\r\n0\r\n\r\n".to_vec(), "CONTENT_ENCODING"),
        ("200 OK\r\nContent-Length: 2097152", vec![0; 2 * 1024 * 1024], "TOO_LARGE"),
        (
            "200 OK\r\nTransfer-Encoding: chunked",
            [b"200000\r\n".to_vec(), vec![0; 2 * 1024 * 1024]].concat(),
            "TOO_LARGE",
        ),
        ("503 Busy\r\nContent-Length: 4", b"busy".to_vec(), "SERVICE_UNAVAILABLE"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.txt");
        std::fs::write(&path, "old").expect("written");
        let base = server(head, body).await;
        let config = json!({ "url": base, "saveTo": path, "saveLimit": 1 });
        let failure = run(&world(files(&folder)), "http.request", config, json!({})).await.expect_err(code);
        assert_eq!(failure.code, code, "{head}: {failure:?}");
        assert_eq!(
            (std::fs::read_to_string(&path).expect("it is there"), names(&folder)),
            ("old".into(), vec!["report.txt".into()])
        );
    }
}

#[tokio::test]
async fn codings_are_undone_and_paths_keep_to_the_grants() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().expect("a folder");
    let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    coder.write_all(&b"line\n".repeat(100_000)).expect("coded");
    let base = server("200 OK\r\nContent-Encoding: gzip", coder.finish().expect("coded")).await;
    let world = world(files(&folder));
    let path = folder.path().join("lines.txt");
    run(&world, "http.request", json!({ "url": base, "saveTo": path }), json!({})).await.expect("saved");
    assert_eq!(std::fs::read(&path).expect("the file"), b"line\n".repeat(100_000));
    let failure = run(&world, "http.request", json!({ "url": base, "saveTo": "/etc/other" }), json!({}))
        .await
        .expect_err("outside");
    assert_eq!(failure.code, "PATH_REFUSED");
    let config = json!({ "url": base, "saveTo": path, "items": "$" });
    assert_eq!(run(&world, "http.request", config, json!({})).await.expect_err("both").code, "INPUT_INVALID");
}
