//! Files into stores and objects into files, of any size: what is sent in which order, what is tried again, and that nothing of a
//! failed or cancelled upload stays behind.

use crate::common::{answer, call, slot};
use async_trait::async_trait;
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use signalbox_model::{CallProgress, Effects, NodeFailure};
use signalbox_nodes::{kind, run_call};
use signalbox_ports::uploads::{NotedUpload, Uploads};
use signalbox_ports::{
    BodyStream, CallLog, FileEntry, FileError, FilePart, Files, Http, HttpError, HttpRequest, HttpResponse,
    PieceStream, StreamError, StreamedAnswer, WriteMode, Written,
};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const MIB: u64 = 1024 * 1024;

/// One file of a size; what is written is kept.
#[derive(Default)]
pub(super) struct OneFile {
    size: u64,
    /// Longest piece that was asked for.
    longest: AtomicUsize,
    written: Mutex<Option<Vec<u8>>>,
    /// It is another file from this place on.
    changes_at: Option<u64>,
}

#[async_trait]
impl Files for OneFile {
    async fn read(&self, _workflow: &str, path: &str, _limit: u64) -> Result<Vec<u8>, FileError> {
        Err(FileError::NotFound { path: path.into() })
    }
    async fn read_part(&self, _workflow: &str, path: &str, at: u64, most: usize) -> Result<FilePart, FileError> {
        if path != "big.bin" {
            return Err(FileError::NotFound { path: path.into() });
        }
        self.longest.fetch_max(most, Ordering::Relaxed);
        let length = usize::try_from(self.size - at).expect("small").min(most);
        let modified_ms = i64::from(self.changes_at.is_some_and(|change| at >= change));
        Ok(FilePart { bytes: vec![7; length], size: self.size, modified_ms })
    }
    async fn write(&self, _workflow: &str, path: &str, bytes: &[u8], _mode: WriteMode) -> Result<Written, FileError> {
        *self.written.lock().expect("not poisoned") = Some(bytes.to_vec());
        Ok(Written { size: bytes.len() as u64, place: path.into(), modified_ms: 0 })
    }
    async fn write_stream(
        &self,
        workflow: &str,
        path: &str,
        pieces: &mut dyn PieceStream,
        mode: WriteMode,
    ) -> Result<Written, FileError> {
        let mut all = Vec::new();
        while let Some(piece) = pieces.next().await {
            all.extend(piece.map_err(|message| FileError::Io { message, disk_full: false })?);
        }
        self.write(workflow, path, &all, mode).await
    }
    async fn list(&self, _workflow: &str, _path: &str, _glob: &str) -> Result<Vec<FileEntry>, FileError> {
        Ok(Vec::new())
    }
}

/// Stands for a request that is never answered.
const NEVER: u16 = 599;

type Script = Box<dyn Fn(&HttpRequest, usize) -> Result<HttpResponse, HttpError> + Send + Sync>;

/// A store that answers by a function of the request and how many there were before it. Bodies are counted and dropped.
struct Store {
    script: Script,
    asked: Mutex<Vec<String>>,
    /// A body that is read ends after so many bytes, with an error.
    cut_after: Option<usize>,
}

#[async_trait]
impl Http for Store {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let before = {
            let mut asked = self.asked.lock().expect("not poisoned");
            let headers = request
                .headers
                .iter()
                .filter(|(name, _)| !["content-type", "x-ms-version"].contains(&&*name.to_lowercase()));
            let headers: String = headers.map(|(name, value)| format!(" {}={value}", name.to_lowercase())).collect();
            let body = request.body.as_ref().map_or_else(String::new, |body| format!(" [{}]", body.len()));
            asked.push(format!(
                "{} {}{headers}{body}",
                request.method,
                request.url.replace("https://s.example.com", "")
            ));
            asked.len() - 1
        };
        let answered = (self.script)(&request, before);
        if answered.as_ref().is_ok_and(|answer| answer.status == NEVER) {
            std::future::pending::<()>().await;
        }
        answered
    }
    async fn open_body(&self, request: HttpRequest) -> Result<StreamedAnswer, HttpError> {
        let mut answer = self.send(request).await?;
        if answer.status >= 300 {
            return Ok(StreamedAnswer { answer, body: None });
        }
        let bytes = std::mem::take(&mut answer.body);
        Ok(StreamedAnswer { answer, body: Some(Box::new(Cut { bytes, left: self.cut_after })) })
    }
}

struct Cut {
    bytes: Vec<u8>,
    left: Option<usize>,
}

#[async_trait]
impl BodyStream for Cut {
    async fn next(&mut self) -> Option<Result<Vec<u8>, StreamError>> {
        if self.bytes.is_empty() {
            return None;
        }
        let most = self.left.unwrap_or(self.bytes.len()).min(self.bytes.len());
        if most == 0 {
            return Some(Err(StreamError::Exchange(HttpError::Cut { message: "The line was cut".into() })));
        }
        self.left = self.left.map(|left| left - most);
        Some(Ok(self.bytes.drain(..most).collect()))
    }
}

/// Cancelled when it is told to be.
#[derive(Default)]
struct Log {
    cancelled: AtomicBool,
    left: AtomicBool,
}

impl CallLog for Log {
    fn say(&self, _said: CallProgress) {}
    fn cancelled(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::poll_fn(|_| {
            if self.cancelled.load(Ordering::Relaxed) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        }))
    }
    fn give_up(&self) {
        self.left.store(true, Ordering::Relaxed);
    }
}

/// What is noted, by id.
#[derive(Default, Clone)]
struct Notes(Arc<Mutex<Vec<String>>>);

struct Note(Notes, String);

impl NotedUpload for Note {
    fn url(&self) -> &str {
        "https://s.example.com/b/old"
    }
    fn id(&self) -> &str {
        &self.1
    }
    fn ended(self: Box<Self>) {
        self.0.0.lock().expect("not poisoned").retain(|id| *id != self.1);
    }
}

impl Uploads for Notes {
    fn begun(&self, _url: &str, id: &str) -> Box<dyn NotedUpload> {
        self.0.lock().expect("not poisoned").push(id.to_owned());
        Box::new(Note(self.clone(), id.to_owned()))
    }
    fn left(&self, _below: &str, _most: usize) -> Vec<Box<dyn NotedUpload>> {
        let ids = self.0.lock().expect("not poisoned").clone();
        ids.into_iter().map(|id| Box::new(Note(self.clone(), id)) as Box<dyn NotedUpload>).collect()
    }
}

struct Ran {
    /// Nothing when nobody waits for it any more.
    item: Option<Result<Value, NodeFailure>>,
    asked: Vec<String>,
    files: Arc<OneFile>,
    notes: Vec<String>,
    log: Arc<Log>,
}

impl Ran {
    fn code(&self) -> String {
        self.item.clone().expect("it ended").expect_err("fails").code
    }
}

struct Given {
    config: Value,
    files: OneFile,
    cut_after: Option<usize>,
    notes: Vec<String>,
}

/// A step that writes `big.bin` of so many bytes.
fn writing(system: &str, size: u64) -> Given {
    let config = json!({ "system": system, "address": "https://s.example.com", "bucket": "b", "key": "in/a b", "file": "big.bin" });
    Given { config, files: OneFile { size, ..OneFile::default() }, cut_after: None, notes: Vec::new() }
}

fn run(
    name: &str,
    given: Given,
    log: Arc<Log>,
    script: impl Fn(&HttpRequest, usize) -> Result<HttpResponse, HttpError> + Send + Sync + 'static,
) -> Ran {
    let store = Arc::new(Store { script: Box::new(script), asked: Mutex::default(), cut_after: given.cut_after });
    let (files, notes) = (Arc::new(given.files), Notes(Arc::new(Mutex::new(given.notes))));
    let mut world =
        crate::common::impatient_world(crate::common::FakeHttp::new(|_| unreachable!("another store is asked")));
    world.http = Arc::<Store>::clone(&store);
    world.files = Arc::<OneFile>::clone(&files);
    world.uploads = Arc::new(notes.clone());
    let call = call(name, Effects::Write, slot(given.config, &[json!({})]));
    let done = run_call(kind(name).expect("is there"), &call, &world, &*log).now_or_never();
    let item = done.map(|mut results| {
        let (_, outcome) = results.pop().expect("one slot");
        outcome.map(|output| (*output.ports["success"].iter().next().expect("an item").data).clone())
    });
    let (asked, notes) =
        (store.asked.lock().expect("not poisoned").clone(), notes.0.lock().expect("not poisoned").clone());
    Ran { item, asked, files, notes, log }
}

fn ok(status: u16, headers: &[(&str, &str)], body: &str) -> Result<HttpResponse, HttpError> {
    Ok(answer(status, headers, body))
}

fn cut() -> Result<HttpResponse, HttpError> {
    Err(HttpError::Cut { message: "The line was cut".into() })
}

/// S3 without trouble; a part's entity tag is its number.
fn s3(request: &HttpRequest) -> Result<HttpResponse, HttpError> {
    match (request.method.as_str(), &request.url) {
        ("POST", url) if url.ends_with("?uploads=") => {
            ok(200, &[], "<InitiateMultipartUploadResult><UploadId>u/1</UploadId></InitiateMultipartUploadResult>")
        }
        ("PUT", url) => {
            let number = url.split("partNumber=").nth(1).and_then(|rest| rest.split('&').next()).unwrap_or("whole");
            ok(200, &[("etag", &format!("\"{number}\""))], "")
        }
        ("POST", _) => ok(
            200,
            &[],
            "<CompleteMultipartUploadResult><ETag>&quot;all-3&quot;</ETag></CompleteMultipartUploadResult>",
        ),
        ("DELETE", _) => ok(204, &[], ""),
        _ => ok(404, &[], ""),
    }
}

const BEGIN: &str = "POST /b/in/a%20b?uploads=";
const DROP: &str = "DELETE /b/in/a%20b?uploadId=u%2F1";

fn part(number: u64, mib: u64) -> String {
    format!("PUT /b/in/a%20b?partNumber={number}&uploadId=u%2F1 [{}]", mib * MIB)
}

#[test]
fn a_file_goes_to_s3_in_parts_and_a_part_that_fails_is_sent_again_alone() {
    let mut given = writing("s3", 17 * MIB);
    given.config["when"] = json!("new");
    given.notes = vec!["killed".into()];
    let ran = run("object.write", given, Arc::default(), |request, before| match before {
        4 => ok(503, &[("retry-after", "1")], "<Error><Code>SlowDown</Code></Error>"),
        6 => cut(),
        _ => s3(request),
    });
    let item = ran.item.expect("it ended").expect("written");
    assert_eq!(
        item,
        json!({ "key": "in/a b", "size": 17 * MIB, "type": "application/octet-stream", "version": "\"all-3\"" })
    );
    let asked: Vec<&str> = ran.asked.iter().map(String::as_str).collect();
    let (one, two, three) = (part(1, 8), part(2, 8), part(3, 1));
    let complete = asked.last().expect("the completion");
    assert!(complete.starts_with("POST /b/in/a%20b?uploadId=u%2F1 if-none-match=* ["), "{complete}");
    let wanted = [
        "HEAD /b/in/a%20b",
        "DELETE /b/old?uploadId=killed",
        BEGIN,
        &one,
        &two,
        &two,
        &three,
        &three,
        "HEAD /b/in/a%20b",
        complete,
    ];
    assert_eq!(asked, wanted);
    assert!(ran.notes.is_empty(), "{:?}", ran.notes);
    assert_eq!(ran.files.longest.load(Ordering::Relaxed) as u64, 8 * MIB);
}

#[test]
fn an_upload_that_fails_is_dropped_with_its_parts() {
    let error = |code: &str| format!("<Error><Code>{code}</Code><Message>no</Message></Error>");
    for (at, status, code, want, is_retried) in [
        (2, 403, "AccessDenied", "AUTH", false),
        (4, 412, "PreconditionFailed", "PRECONDITION_FAILED", false),
        (4, 409, "ConditionalRequestConflict", "CONFLICT", true),
        (2, 404, "NoSuchUpload", "NOT_FOUND", false),
        // Each of the attempts.
        (99, 503, "SlowDown", "SERVICE_UNAVAILABLE", true),
    ] {
        let body = error(code);
        let ran = run("object.write", writing("s3", 17 * MIB), Arc::default(), move |request, before| {
            let is_part = request.method == "PUT";
            if before == at || (at == 99 && is_part) { ok(status, &[], &body) } else { s3(request) }
        });
        let failure = ran.item.expect("it ended").expect_err("fails");
        assert_eq!((failure.code.as_str(), failure.retryable), (want, is_retried), "{failure:?}");
        assert_eq!(ran.asked.last().map(String::as_str), Some(DROP), "{code}");
        assert!(ran.notes.is_empty());
    }
    // The store does not answer any more: the note stays for the next call.
    let ran = run(
        "object.write",
        writing("s3", 9 * MIB),
        Arc::default(),
        |request, before| {
            if before < 1 { s3(request) } else { cut() }
        },
    );
    assert_eq!((ran.code().as_str(), ran.notes.as_slice()), ("CONNECTION", &["u/1".to_owned()][..]));
    // A file that changes is no object.
    let mut given = writing("s3", 17 * MIB);
    given.files.changes_at = Some(8 * MIB);
    let ran = run("object.write", given, Arc::default(), |request, _| s3(request));
    assert_eq!((ran.code().as_str(), ran.asked.last().map(String::as_str)), ("IO", Some(DROP)));
}

#[test]
fn a_completion_whose_answer_is_lost_is_looked_up() {
    for (etag, size, want) in
        [("\"x-3\"", 17 * MIB, None), ("\"y-2\"", 17 * MIB, Some("NOT_FOUND")), ("\"x-3\"", 5, Some("NOT_FOUND"))]
    {
        let length = size.to_string();
        let ran = run("object.write", writing("s3", 17 * MIB), Arc::default(), move |request, before| match before {
            4 => cut(),
            5 => ok(404, &[], "<Error><Code>NoSuchUpload</Code></Error>"),
            6 => ok(200, &[("etag", etag), ("content-length", &length)], ""),
            _ => s3(request),
        });
        match (ran.item.expect("it ended"), want) {
            (Ok(item), None) => assert_eq!(item["version"], etag),
            (Err(failure), Some(code)) => assert!(failure.code == code && failure.may_have_happened, "{failure:?}"),
            (other, _) => panic!("{etag}: {other:?}"),
        }
    }
    // A store that says 200 before it fails.
    let ran = run("object.write", writing("s3", 17 * MIB), Arc::default(), |request, before| match before {
        4 => ok(200, &[], "<Error><Code>InternalError</Code><Message>again</Message></Error>"),
        _ => s3(request),
    });
    assert_eq!(ran.item.expect("it ended").expect("written")["version"], "\"all-3\"");
}

#[test]
fn a_cancelled_upload_is_dropped_and_nobody_waits() {
    let log = Arc::new(Log::default());
    let cancels = Arc::clone(&log);
    let ran = run("object.write", writing("s3", 17 * MIB), log, move |request, before| {
        if before == 2 {
            cancels.cancelled.store(true, Ordering::Relaxed);
            return ok(NEVER, &[], "");
        }
        s3(request)
    });
    assert_eq!(ran.asked.last().map(String::as_str), Some(DROP), "{:?}", ran.asked);
    assert!(ran.item.is_none() && ran.log.left.load(Ordering::Relaxed) && ran.notes.is_empty());
}

/// Requests that are not answered count: nothing here waits for anything.
#[test]
fn four_parts_are_under_way_at_once_and_the_first_failure_ends_all() {
    let ran = run("object.write", writing("s3", 100 * MIB), Arc::default(), |request, _| {
        if request.method == "PUT" { ok(NEVER, &[], "") } else { s3(request) }
    });
    assert_eq!(ran.asked, [BEGIN.to_owned(), part(1, 8), part(2, 8), part(3, 8), part(4, 8)]);
    let ran = run("object.write", writing("azure", 100 * MIB), Arc::default(), |_, _| ok(NEVER, &[], ""));
    assert_eq!((ran.item.is_none(), ran.asked.len()), (true, 4), "{:?}", ran.asked);
    // As many bytes as that, where a store takes parts of this size only.
    let ran = run("object.write", writing("s3", 200_000 * MIB), Arc::default(), |request, _| {
        if request.method == "PUT" { ok(NEVER, &[], "") } else { s3(request) }
    });
    assert_eq!(ran.asked, [BEGIN.to_owned(), part(1, 20)]);
    // Two that hang do not keep the third one's refusal.
    let ran = run("object.write", writing("s3", 100 * MIB), Arc::default(), |request, before| match before {
        1 | 2 => ok(NEVER, &[], ""),
        3 => ok(403, &[], "<Error><Code>AccessDenied</Code></Error>"),
        _ => s3(request),
    });
    assert_eq!((ran.code().as_str(), ran.asked.last().map(String::as_str)), ("AUTH", Some(DROP)));
    assert!(ran.notes.is_empty());
}

#[test]
fn a_cancelled_read_is_dropped_with_its_file() {
    let log = Arc::new(Log::default());
    let cancels = Arc::clone(&log);
    let ran = run("object.read", reading(Some(4)), log, move |request, before| {
        if before == 1 {
            cancels.cancelled.store(true, Ordering::Relaxed);
            return ok(NEVER, &[], "");
        }
        let _asked = request;
        ok(200, &[("etag", "\"1\""), ("content-length", "10")], BYTES)
    });
    assert!(ran.item.is_none() && ran.log.left.load(Ordering::Relaxed), "nobody waits for it");
    assert!(ran.files.written.lock().expect("not poisoned").is_none(), "no file");
}

#[test]
fn two_hundred_megabytes_are_never_held() {
    let ran = run("object.write", writing("s3", 200 * MIB + 1), Arc::default(), |request, _| s3(request));
    ran.item.as_ref().expect("it ended").as_ref().expect("written");
    assert_eq!((ran.asked.len(), ran.files.longest.load(Ordering::Relaxed) as u64), (28, 8 * MIB));
}

/// A step of one request.
fn asking(more: Value) -> Given {
    let mut config = json!({ "address": "https://s.example.com", "bucket": "b" });
    if let (Some(config), Value::Object(more)) = (config.as_object_mut(), more) {
        config.extend(more);
    }
    Given { config, files: OneFile::default(), cut_after: None, notes: Vec::new() }
}

#[test]
fn nobody_waits_for_a_service_that_does_not_answer_after_a_cancel() {
    let cancelled = || {
        let log = Arc::<Log>::default();
        log.cancelled.store(true, Ordering::Relaxed);
        log
    };
    for (name, more) in [
        ("object.list", json!({})),
        ("object.read", json!({ "key": "k" })),
        ("object.write", json!({ "key": "k", "content": "x" })),
        ("object.write", json!({ "key": "k", "content": "x", "system": "gcs" })),
        ("object.move", json!({ "key": "k", "to": "l" })),
        ("object.delete", json!({ "key": "k" })),
    ] {
        let ran = run(name, asking(more.clone()), cancelled(), |_, _| ok(NEVER, &[], ""));
        assert!(ran.item.is_none() && ran.log.left.load(Ordering::Relaxed), "{name}");
        assert_eq!(ran.asked.len(), 1, "{name}");
    }
    let request = |script: fn(&HttpRequest, usize) -> Result<HttpResponse, HttpError>| {
        let mut given = asking(json!({}));
        given.config = json!({ "url": "https://s.example.com/a", "method": "POST", "body": { "a": 1 } });
        run("http.request", given, cancelled(), script)
    };
    let ran = request(|_, _| ok(NEVER, &[], ""));
    assert!(ran.item.is_none() && ran.log.left.load(Ordering::Relaxed));
    // What is answered has happened, and is told.
    let ran = request(|_, _| ok(200, &[("content-type", "application/json")], "{}"));
    assert!(ran.item.expect("it ended").is_ok() && !ran.log.left.load(Ordering::Relaxed));
}

#[test]
fn azure_gets_blocks_and_a_list_of_them() {
    let mut given = writing("azure", 9 * MIB);
    given.config["when"] = json!("version");
    given.config["version"] = json!("0x1");
    let ran = run("object.write", given, Arc::default(), |request, before| match (request.method.as_str(), before) {
        ("HEAD", _) => ok(200, &[("etag", "0x1")], ""),
        (_, 1) => ok(500, &[], ""),
        _ => ok(201, &[("etag", "0x2")], ""),
    });
    assert_eq!(ran.item.as_ref().expect("it ended").as_ref().expect("written")["version"], "0x2");
    let asked = &ran.asked;
    assert_eq!((asked.len(), &asked[1]), (5, &asked[2]), "{asked:?}");
    assert!(
        asked[1].starts_with("PUT /b/in/a%20b?comp=block&blockid=") && asked[3].ends_with(&format!("[{MIB}]")),
        "{asked:?}"
    );
    let list = "PUT /b/in/a%20b?comp=blocklist x-ms-blob-content-type=application/octet-stream if-match=0x1 [";
    assert!(asked[4].starts_with(list), "{asked:?}");
}

#[test]
fn google_continues_a_piece_where_it_was_cut() {
    let ran = run("object.write", writing("gcs", 9 * MIB), Arc::default(), |request, before| match before {
        0 => ok(200, &[("location", "https://s.example.com/upload/storage/v1/b/b/o?upload_id=x")], ""),
        1 => cut(),
        2 => ok(308, &[("range", "bytes=0-1048575")], ""),
        _ if request.method == "DELETE" => ok(499, &[], ""),
        _ => ok(200, &[], r#"{"generation":"7"}"#),
    });
    assert_eq!(ran.item.expect("it ended").expect("written")["version"], "7");
    let session = "PUT /upload/storage/v1/b/b/o?upload_id=x";
    assert_eq!(
        ran.asked,
        [
            "POST /upload/storage/v1/b/b/o?uploadType=resumable&name=in%2Fa+b \
             x-upload-content-type=application/octet-stream x-upload-content-length=9437184"
                .to_owned(),
            format!("{session} content-range=bytes 0-8388607/9437184 [8388608]"),
            format!("{session} content-range=bytes */9437184"),
            format!("{session} content-range=bytes 1048576-9437183/9437184 [8388608]"),
        ]
    );
    // A place on another host is not believed.
    let elsewhere = |_: &HttpRequest, _| ok(201, &[("location", "https://evil.example/u")], "");
    assert_eq!(run("object.write", writing("gcs", 9 * MIB), Arc::default(), elsewhere).code(), "BAD_ANSWER");
    let refused = run("object.write", writing("gcs", 9 * MIB), Arc::default(), |_, before| match before {
        0 => ok(201, &[("location", "/up?id=1")], ""),
        _ => ok(412, &[], ""),
    });
    assert_eq!(refused.asked.last().map(String::as_str), Some("DELETE /up?id=1"));
}

#[test]
fn webdav_shows_a_large_file_when_it_is_complete() {
    let mut given = writing("webdav", 9 * MIB);
    given.config["when"] = json!("new");
    let there = |request: &HttpRequest| match request.method.as_str() {
        "HEAD" if request.url.ends_with("/in/") => ok(200, &[], ""),
        "HEAD" => ok(404, &[], ""),
        _ => ok(201, &[], ""),
    };
    let ran = run("object.write", given, Arc::default(), move |request, _| there(request));
    ran.item.expect("it ended").expect("written");
    let (put, moved) = (&ran.asked[2], &ran.asked[4]);
    assert!(put.starts_with("PUT /in/.signalbox-") && put.ends_with(".part [9437184]"), "{:?}", ran.asked);
    assert!(
        moved.starts_with("MOVE /in/.signalbox-")
            && moved.ends_with("destination=https://s.example.com/in/a%20b overwrite=F"),
        "{moved}"
    );
    let ran = run("object.write", writing("webdav", 9 * MIB), Arc::default(), move |request, _| {
        if request.method == "PUT" { ok(507, &[], "") } else { there(request) }
    });
    assert!(ran.asked.last().is_some_and(|line| line.starts_with("DELETE /in/.signalbox-")), "{:?}", ran.asked);
    assert_eq!(ran.code(), "STORE_FULL");
}

fn reading(cut_after: Option<usize>) -> Given {
    let config =
        json!({ "address": "https://s.example.com", "bucket": "b", "key": "k", "as": "file", "saveTo": "out.bin" });
    Given { config, files: OneFile::default(), cut_after, notes: Vec::new() }
}

const BYTES: &str = "0123456789";

#[test]
fn a_read_that_is_cut_goes_on_as_long_as_the_object_is_the_same() {
    let from = |request: &HttpRequest| {
        let range = request.headers.iter().find(|(name, _)| name == "Range").map(|(_, value)| value.clone());
        range.and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok()).unwrap_or(0)
    };
    let ran = run("object.read", reading(Some(4)), Arc::default(), move |request, _| match from(request) {
        0 => ok(200, &[("etag", "\"1\""), ("content-length", "10")], BYTES),
        at => ok(206, &[("etag", "\"1\""), ("content-range", &format!("bytes {at}-9/10"))], &BYTES[at..]),
    });
    let item = ran.item.expect("it ended").expect("read");
    assert_eq!((&item["size"], &item["content"]), (&json!(10), &json!({ "path": "out.bin", "size": 10 })));
    assert_eq!(
        ran.asked,
        ["GET /b/k", "GET /b/k range=bytes=4- if-match=\"1\"", "GET /b/k range=bytes=8- if-match=\"1\""]
    );
    assert_eq!(ran.files.written.lock().expect("not poisoned").as_deref(), Some(BYTES.as_bytes()));
    // A store that begins anew: what is there already is left out. One that ends too soon is cut, too.
    let ran = run("object.read", reading(None), Arc::default(), move |_, before| {
        let body = if before == 0 { &BYTES[..4] } else { BYTES };
        ok(200, &[("etag", "\"1\""), ("content-length", "10")], body)
    });
    assert_eq!(
        (ran.asked.len(), ran.files.written.lock().expect("not poisoned").as_deref()),
        (2, Some(BYTES.as_bytes()))
    );
    // It was written in the meantime: in the store's words, by its tag, or because nobody can tell.
    for (status, etag, code) in
        [(412, "\"1\"", "CONFLICT"), (206, "\"2\"", "CONFLICT"), (200, "\"2\"", "CONFLICT"), (403, "\"1\"", "AUTH")]
    {
        let ran = run("object.read", reading(Some(4)), Arc::default(), move |request, before| match before {
            0 => ok(200, &[("etag", "\"1\""), ("content-length", "10")], BYTES),
            _ => ok(status, &[("etag", etag), ("content-range", &format!("bytes {}-9/10", from(request)))], "456789"),
        });
        assert_eq!(ran.code(), code);
        assert!(ran.files.written.lock().expect("not poisoned").is_none());
    }
    let ran = run("object.read", reading(Some(4)), Arc::default(), |_, _| ok(200, &[("etag", "W/\"1\"")], BYTES));
    assert_eq!((ran.code().as_str(), ran.asked.len()), ("CONNECTION", 1));
    // A line that gives nothing is not asked for ever.
    let ran = run("object.read", reading(Some(4)), Arc::default(), |_, before| match before {
        0 => ok(200, &[("etag", "\"1\""), ("content-length", "10")], BYTES),
        _ => cut(),
    });
    assert_eq!((ran.code().as_str(), ran.asked.len()), ("CONNECTION", 5));
}

#[test]
fn settings_of_files_are_checked_before_anything_is_sent() {
    let none = |_: &HttpRequest, _: usize| ok(500, &[], "");
    let mut given = reading(None);
    given.config["saveTo"] = json!(" ");
    let ran = run("object.read", given, Arc::default(), none);
    assert_eq!((ran.code().as_str(), ran.asked.len()), ("INPUT_INVALID", 0));
    let mut given = writing("s3", 1);
    given.config["content"] = json!("x");
    let ran = run("object.write", given, Arc::default(), none);
    assert_eq!((ran.code().as_str(), ran.asked.len()), ("INPUT_INVALID", 0));
    let mut given = writing("s3", 1);
    given.config["file"] = json!("missing.bin");
    let ran = run("object.write", given, Arc::default(), none);
    assert_eq!((ran.code().as_str(), ran.asked.len()), ("NOT_FOUND", 0));
    // A small file, and an empty one, are sent at once.
    for size in [0, 8 * MIB] {
        let ran = run("object.write", writing("s3", size), Arc::default(), |request, _| s3(request));
        assert_eq!(ran.asked, [format!("PUT /b/in/a%20b [{size}]")]);
    }
}
