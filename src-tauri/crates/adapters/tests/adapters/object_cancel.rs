//! What becomes of a file on its way into a store or out of it when the run is cancelled, on real sockets and a real folder. Nothing
//! here waits for a time: each side says when it is there.

use crate::common::{call_of, world};
use serde_json::{Value, json};
use signalbox_adapters::{FolderFiles, Grant};
use signalbox_model::{CallProgress, Item};
use signalbox_ports::CallLog;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

const MIB: usize = 1024 * 1024;

/// An S3 that takes no part and gives only the beginning of an object.
struct Store {
    asked: Mutex<Vec<String>>,
    /// Requests that are under way, and those whose client is gone.
    held: Semaphore,
    gone: Semaphore,
}

impl Store {
    async fn start() -> (String, Arc<Self>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let (held, gone) = (Semaphore::new(0), Semaphore::new(0));
        let store = Arc::new(Self { asked: Mutex::default(), held, gone });
        let shared = Arc::clone(&store);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&shared).serve(stream));
            }
        });
        (base, store)
    }

    async fn serve(self: Arc<Self>, mut stream: TcpStream) {
        loop {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                match stream.read_u8().await {
                    Ok(byte) => head.push(byte),
                    Err(_) => return,
                }
            }
            let head = String::from_utf8_lossy(&head).into_owned();
            let asked = head.split(" HTTP/").next().unwrap_or_default().to_owned();
            self.asked.lock().expect("not poisoned").push(asked.clone());
            let body = "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>";
            let answer = match asked.split(' ').next() {
                Some("POST") => format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes(),
                Some("DELETE") => b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(),
                Some("GET") => {
                    let head = format!("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: {}\r\n\r\n", 64 * MIB);
                    [head.into_bytes(), vec![7; MIB]].concat()
                }
                _ => Vec::new(),
            };
            if stream.write_all(&answer).await.is_err() {
                return;
            }
            if asked.starts_with("PUT") || asked.starts_with("GET") {
                self.held.add_permits(1);
                let mut rest = vec![0; MIB];
                while stream.read(&mut rest).await.is_ok_and(|count| count > 0) {}
                return self.gone.add_permits(1);
            }
        }
    }

    async fn wait(of: &Semaphore, count: u32) {
        of.acquire_many(count).await.expect("open").forget();
    }
}

/// Cancelled, and left, once these are closed.
struct Log {
    cancelled: Semaphore,
    left: Semaphore,
}

impl CallLog for Log {
    fn say(&self, _said: CallProgress) {}
    fn cancelled(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async { self.cancelled.acquire().await.map_or((), drop) })
    }
    fn give_up(&self) {
        self.left.close();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("read");
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Begins a step, cancels it when so many requests are under way, and waits until they are gone and nobody waits for the step.
async fn cancelled(kind: &'static str, folder: &Path, more: Value, requests: u32) -> Vec<String> {
    let (base, store) = Store::start().await;
    let grant = Grant { folder: folder.to_owned(), workflow: None, write: true };
    let world = world(FolderFiles::new(vec![grant]));
    let config = crate::database_servers::with(&json!({ "address": base, "bucket": "b", "key": "k" }), more);
    let call = call_of(kind, config, vec![Item::new("1", json!({}))], None);
    let log = Arc::new(Log { cancelled: Semaphore::new(0), left: Semaphore::new(0) });
    let heard = Arc::clone(&log);
    let step = tokio::spawn(async move {
        signalbox_nodes::run_call(signalbox_nodes::kind(kind).expect("a step"), &call, &world, &*heard).await;
    });
    Store::wait(&store.held, requests).await;
    log.cancelled.close();
    Store::wait(&store.gone, requests).await;
    assert!(log.left.acquire().await.is_err(), "nobody waits for it any more");
    step.abort();
    store.asked.lock().expect("not poisoned").clone()
}

#[tokio::test]
async fn a_cancelled_upload_ends_its_requests_and_drops_its_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("big.bin");
    std::fs::File::create(&path).and_then(|file| file.set_len(64 * MIB as u64)).expect("a file");
    let asked = cancelled("object.write", folder.path(), json!({ "file": path }), 4).await;
    assert_eq!(asked.iter().filter(|line| line.starts_with("PUT /b/k?partNumber=")).count(), 4, "{asked:?}");
    assert_eq!(asked.last().map(String::as_str), Some("DELETE /b/k?uploadId=u1"), "{asked:?}");
}

#[tokio::test]
async fn a_cancelled_read_ends_its_request_and_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let more = json!({ "as": "file", "saveTo": folder.path().join("back.bin") });
    let asked = cancelled("object.read", folder.path(), more, 1).await;
    assert_eq!(asked, ["GET /b/k"]);
    // The thread that writes ends when it sees that nobody gives any more.
    let late = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !names(folder.path()).is_empty() {
        assert!(std::time::Instant::now() < late, "{:?}", names(folder.path()));
        tokio::task::yield_now().await;
    }
}
