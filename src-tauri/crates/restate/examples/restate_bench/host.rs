//! A runtime whose steps have effects that cost nothing: what remains is the price of durability.

use async_trait::async_trait;
use serde_json::json;
use signalbox_engine::Catalog;
use signalbox_engine::effect::{Call, CallOutput, CallSlot};
use signalbox_model::{Map, NodeDescriptor, RunOrigin};
use signalbox_nodes::{EffectFuture, Kind};
use signalbox_ports::{CallLog, Clock, Http, HttpError, HttpRequest, HttpResponse, Ids, World};
use signalbox_runtime::{NewRun, Options, Pinned, Registry, Runtime};
use signalbox_store::{History, Store, StoreOptions};
use signalbox_testkit::MemoryFiles;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

struct RealClock;

#[async_trait]
impl Clock for RealClock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        i64::try_from(since.as_millis()).expect("before the year 292 million")
    }

    async fn sleep_until(&self, due_ms: i64) {
        tokio::time::sleep(Duration::from_millis(u64::try_from(due_ms - self.now_ms()).unwrap_or(0))).await;
    }
}

/// Ids that differ between processes and grow.
#[derive(Default)]
struct RunIds(AtomicU64);

impl Ids for RunIds {
    fn run_id(&self) -> String {
        let next = self.0.fetch_add(1, Ordering::Relaxed);
        format!("{:08x}-0000-7000-8000-{:012x}", std::process::id(), next + 1)
    }

    fn seed(&self) -> u64 {
        7
    }
}

struct NoHttp;

#[async_trait]
impl Http for NoHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        panic!("{} is asked", request.url)
    }
}

fn code(kind: &str) -> Option<Kind> {
    fn nothing<'a>(_: &'a Call, _: &'a CallSlot, _: &'a World, _: &'a dyn CallLog) -> EffectFuture<'a> {
        Box::pin(async { Ok(CallOutput::success(json!({ "ok": true }))) })
    }
    if kind == "bench.write" { Some(Kind::Effect(nothing)) } else { signalbox_nodes::kind(kind) }
}

fn catalog() -> Catalog {
    let descriptor = json!({
        "type": "bench.write", "version": 1, "title": "Write", "description": "Write", "category": "data", "icon": "box",
        "modes": ["each"], "effects": "write", "ports": [{ "id": "success" }, { "id": "error" }],
        "config": { "type": "object", "properties": {} }
    });
    let mut kinds = signalbox_nodes::catalog();
    kinds.push(serde_json::from_value::<NodeDescriptor>(descriptor).expect("a descriptor"));
    Catalog::new(kinds)
}

fn world() -> World {
    World {
        http: Arc::new(NoHttp),
        files: Arc::new(MemoryFiles::default()),
        clock: Arc::new(RealClock),
        audit: Arc::new(signalbox_ports::NoAudit),
        secrets: Arc::new(signalbox_ports::NoSecrets),
        llm: Arc::new(signalbox_ports::NoLlm),
        tools: Arc::new(signalbox_ports::NoTools),
        scripts: Arc::new(signalbox_ports::NoScripts),
        documents: Arc::new(signalbox_ports::NoDocuments),
        binaries: Arc::new(signalbox_ports::NoBinaries),
        remembered: Arc::new(signalbox_ports::NoRemembered),
        retrieval: Arc::new(signalbox_ports::NoRetrieval),
        databases: Arc::new(signalbox_ports::NoDatabases),
        mail: Arc::new(signalbox_ports::NoMail),
        brokers: Arc::new(signalbox_ports::NoBrokers),
        remote_files: Arc::new(signalbox_ports::NoRemoteFiles),
        uploads: Arc::new(signalbox_ports::NoUploads),
    }
}

/// With the history in a database, or in a file of a folder that goes with the process.
pub(crate) fn runtime(history: Option<&str>) -> Runtime {
    let folder = tempfile::tempdir().expect("a temporary folder").keep();
    let history = history.map(|url| History::new(url, None));
    let store = Store::open(&folder, &StoreOptions { history, ..StoreOptions::default() }).expect("a store");
    let registry = Registry { catalog: catalog(), code };
    let options = Options::new(folder.join("artifacts"));
    Runtime::new(store, registry, Arc::new(world()), Arc::new(RunIds::default()), options).expect("a runtime")
}

pub(crate) fn new_run(pinned: Pinned) -> NewRun {
    let (params, context, origin) = (json!({}), Map::new(), RunOrigin::default());
    NewRun { pinned, params, context, origin, debug: None, until: None, kept: None }
}

/// CPU time of this process, seconds. Linux counts 100 ticks a second.
pub(crate) fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}
