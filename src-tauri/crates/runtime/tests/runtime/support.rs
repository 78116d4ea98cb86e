//! A data folder, a world whose HTTP leaves a trace on the disk, and runtimes over them.

use async_trait::async_trait;
use serde_json::{Value, json};
use signalbox_model::{Map, RunEvent, RunOrigin, Workflow};
use signalbox_ports::{Clock, Http, HttpError, HttpRequest, HttpResponse, Ids, World};
use signalbox_runtime::{NewRun, Options, Registry, Runtime, StoredBinaries, StoredKeys, Subscription};
use signalbox_store::{Store, StoreOptions};
use signalbox_testkit::MemoryFiles;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The machine's own time.
pub(crate) struct RealClock;

#[async_trait]
impl Clock for RealClock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        i64::try_from(since.as_millis()).expect("before the year 292 million")
    }
    async fn sleep_until(&self, due_ms: i64) {
        let wait = u64::try_from(due_ms - self.now_ms()).unwrap_or(0);
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }
}

/// Ids that differ between processes.
#[derive(Default)]
pub(crate) struct TestIds(AtomicU64);

impl Ids for TestIds {
    fn run_id(&self) -> String {
        let next = self.0.fetch_add(1, Ordering::Relaxed);
        format!("{:08x}-0000-7000-8000-{:012x}", std::process::id(), next + 1)
    }
    fn seed(&self) -> u64 {
        7
    }
}

/// When the process dies in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Die {
    Never,
    /// Before the n-th request (from 1) left its trace.
    Before(usize),
    /// After it, before anybody heard of it.
    After(usize),
}

/// Answers every GET with `{"path": …}` and writes the path into a file; `/hang` waits until the file `go` is there.
pub(crate) struct TracingHttp {
    pub(crate) folder: PathBuf,
    pub(crate) die: Die,
    pub(crate) seen: AtomicU64,
}

#[async_trait]
impl Http for TracingHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let path = request.url.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| rest[at..].to_owned()));
        let path = path.unwrap_or_default();
        let nth = usize::try_from(self.seen.fetch_add(1, Ordering::SeqCst)).expect("few") + 1;
        if self.die == Die::Before(nth) {
            die();
        }
        let mut trace =
            OpenOptions::new().create(true).append(true).open(self.folder.join("trace")).expect("the trace opens");
        writeln!(trace, "{path}").expect("the trace is written");
        if self.die == Die::After(nth) {
            die();
        }
        while path == "/hang" && !self.folder.join("go").exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let status = if path.starts_with("/fail") { 503 } else { 200 };
        Ok(HttpResponse {
            status,
            headers: vec![("content-type".into(), "application/json".into())],
            body: json!({ "path": path }).to_string().into_bytes(),
            ..HttpResponse::default()
        })
    }
}

/// As `kill -9` does: nothing is closed, nothing is said.
pub(crate) fn die() -> ! {
    let _ = std::process::Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
    std::process::abort()
}

/// Requests so far.
pub(crate) fn trace(folder: &Path) -> Vec<String> {
    fs::read_to_string(folder.join("trace")).unwrap_or_default().lines().map(str::to_owned).collect()
}

pub(crate) fn store(folder: &Path) -> Store {
    Store::open(folder, &StoreOptions::default()).expect("the store opens")
}

pub(crate) fn options(folder: &Path) -> Options {
    Options {
        poll: Duration::from_millis(20),
        adopt_every: Duration::from_millis(20),
        retry_commit: Duration::from_millis(20),
        ..Options::new(folder.join("artifacts"))
    }
}

pub(crate) fn runtime_with(folder: &Path, store: Store, die: Die, options: Options) -> Runtime {
    with_clock(folder, store, die, options, Arc::new(RealClock))
}

/// A process that runs so much later.
pub(crate) fn runtime_later(folder: &Path, by_ms: i64) -> Runtime {
    with_clock(folder, store(folder), Die::Never, options(folder), Arc::new(Later(by_ms)))
}

/// The real clock, put on.
struct Later(i64);

#[async_trait]
impl Clock for Later {
    fn now_ms(&self) -> i64 {
        RealClock.now_ms() + self.0
    }

    async fn sleep_until(&self, due_ms: i64) {
        RealClock.sleep_until(due_ms - self.0).await;
    }
}

pub(crate) fn with_clock(folder: &Path, store: Store, die: Die, options: Options, clock: Arc<dyn Clock>) -> Runtime {
    let world = world(folder, &store, die, clock);
    Runtime::new(store, Registry::built_in(), world, Arc::new(TestIds::default()), options).expect("threads start")
}

fn world(folder: &Path, store: &Store, die: Die, clock: Arc<dyn Clock>) -> Arc<World> {
    world_with(folder, store, die, clock, MemoryFiles::default())
}

fn world_with(
    folder: &Path,
    store: &Store,
    die: Die,
    clock: Arc<dyn Clock>,
    files: impl Into<Arc<MemoryFiles>>,
) -> Arc<World> {
    Arc::new(World {
        http: Arc::new(TracingHttp { folder: folder.to_owned(), die, seen: AtomicU64::new(0) }),
        files: files.into(),
        clock,
        audit: Arc::new(signalbox_testkit::MemoryAudit::default()),
        secrets: Arc::new(signalbox_ports::NoSecrets),
        llm: Arc::new(signalbox_ports::NoLlm),
        tools: Arc::new(signalbox_ports::NoTools),
        scripts: Arc::new(signalbox_ports::NoScripts),
        documents: Arc::new(signalbox_ports::NoDocuments),
        binaries: Arc::new(StoredBinaries(store.clone())),
        remembered: Arc::new(StoredKeys(store.clone())),
        retrieval: Arc::new(signalbox_ports::NoRetrieval),
        databases: Arc::new(signalbox_ports::NoDatabases),
        mail: Arc::new(signalbox_ports::NoMail),
        brokers: Arc::new(signalbox_ports::NoBrokers),
        remote_files: Arc::new(signalbox_ports::NoRemoteFiles),
        uploads: Arc::new(signalbox_ports::NoUploads),
    })
}

/// With other kinds than those of the program.
pub(crate) fn runtime_of(folder: &Path, registry: Registry) -> Runtime {
    runtime_on(folder, registry, Arc::new(RealClock))
}

/// The real time, and no wait ever ends.
pub(crate) struct NoAlarm;

#[async_trait]
impl Clock for NoAlarm {
    fn now_ms(&self) -> i64 {
        RealClock.now_ms()
    }

    async fn sleep_until(&self, _due_ms: i64) {
        std::future::pending().await
    }
}

/// With other kinds and another clock.
pub(crate) fn runtime_on(folder: &Path, registry: Registry, clock: Arc<dyn Clock>) -> Runtime {
    let store = store(folder);
    let world = world(folder, &store, Die::Never, clock);
    let ids = Arc::new(TestIds::default());
    Runtime::new(store, registry, world, ids, options(folder)).expect("threads start")
}

/// A runtime whose steps find these files.
pub(crate) fn runtime_with_files(folder: &Path, files: impl Into<Arc<MemoryFiles>>) -> Runtime {
    let store = store(folder);
    let world = world_with(folder, &store, Die::Never, Arc::new(RealClock), files);
    let ids = Arc::new(TestIds::default());
    Runtime::new(store, Registry::built_in(), world, ids, options(folder)).expect("threads start")
}

/// The same with lists of which so many bytes of text stay in memory.
pub(crate) fn runtime_with_lists(
    folder: &Path,
    files: impl Into<Arc<MemoryFiles>>,
    die: Die,
    in_memory: usize,
) -> Runtime {
    let store = store(folder);
    let world = world_with(folder, &store, die, Arc::new(RealClock), files);
    let options = Options { lists: Some((folder.join("lists"), in_memory)), ..options(folder) };
    Runtime::new(store, Registry::built_in(), world, Arc::new(TestIds::default()), options).expect("threads start")
}

pub(crate) fn runtime(folder: &Path) -> Runtime {
    runtime_with(folder, store(folder), Die::Never, options(folder))
}

pub(crate) fn workflow(data: Value) -> Workflow {
    signalbox_testkit::scenario::workflow(&data).expect("the workflow of the test can be read")
}

/// A run of `workflow` that begins with nothing but its params.
pub(crate) async fn new_run(runtime: &Runtime, workflow: Workflow, params: Value) -> NewRun {
    let pinned = runtime.pin(workflow).await.expect("the workflow of the test is valid");
    let (context, origin) = (Map::new(), RunOrigin::default());
    NewRun { pinned, params, context, origin, debug: None, until: None, kept: None }
}

pub(crate) async fn start(runtime: &Runtime, data: Value) -> String {
    let new = new_run(runtime, workflow(data), json!({})).await;
    runtime.start(new).await.expect("the run starts")
}

/// A chain of `steps`, every second one a GET, the others counting in the context.
pub(crate) fn chain(steps: usize) -> Value {
    let mut nodes = Map::new();
    let mut edges = Vec::new();
    for n in 1..=steps {
        let node = if n % 2 == 1 {
            json!({ "type": "http.request", "config": { "method": "GET", "url": format!("http://api.example/{n}") },
                    "out": { "$paths": "=context.paths + [_result.response.path]" } })
        } else {
            json!({ "type": "data.set", "config": { "assign": { "n": n } }, "out": { "$sum": format!("=context.sum + {n}") } })
        };
        nodes.insert(format!("s{n}"), node);
        if n > 1 {
            edges.push(json!({ "from": format!("s{}.success", n - 1), "to": format!("s{n}") }));
        }
    }
    json!({ "nodes": nodes, "edges": edges, "context": { "initial": { "paths": [], "sum": 0 } } })
}

/// All events to the end.
pub(crate) async fn collect(mut subscription: Subscription) -> Vec<RunEvent> {
    let mut events = Vec::new();
    while let Some(batch) = subscription.next().await {
        events.extend(batch.expect("the log is readable"));
    }
    events
}

pub(crate) fn lines(events: &[RunEvent]) -> Vec<String> {
    events.iter().map(signalbox_testkit::scenario::line).collect()
}

/// Waits until something holds, at most ten seconds.
pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..2_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("waited ten seconds for {what}");
}
