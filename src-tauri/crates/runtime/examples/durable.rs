//! Fixed pieces of work for the runtime and the store, for callgrind and strace: what a synced step, a short run, an error with its
//! retry and a pause cost in instructions, bytes and system calls. Counts do not depend on what else the machine does.
//!
//! `durable NAME COUNT FOLDER` does one of them in a new data folder and prints the bytes it wrote. What a single one costs is the
//! difference between two counts, divided by theirs: the start of the program is in both.

// Without these nothing can be measured.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use async_trait::async_trait;
use serde_json::{Value, json};
use signalbox_engine::Catalog;
use signalbox_engine::effect::{Call, CallOutput, CallSlot};
use signalbox_model::{Map, NodeDescriptor, NodeFailure, RunOrigin, RunStatus, Workflow};
use signalbox_nodes::{EffectFuture, Kind};
use signalbox_ports::{CallLog, Clock, Ids, World};
use signalbox_runtime::{NewRun, Options, Registry, Runtime};
use signalbox_store::{Store, StoreOptions};
use signalbox_testkit::TestWorld;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Runs side by side.
const AT_ONCE: usize = 64;

/// The machine's time: a run that waits must be able to.
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

/// Ids in the order of the starts, as those of the program are.
#[derive(Default)]
struct NumberedIds(AtomicU64);

impl Ids for NumberedIds {
    fn run_id(&self) -> String {
        let next = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        format!("019ad2c4-{:04x}-7000-8000-{next:012x}", next >> 4 & 0xffff)
    }

    fn seed(&self) -> u64 {
        7
    }
}

/// A step that costs nothing outside: what remains is the price of recording it.
fn code(kind: &str) -> Option<Kind> {
    fn plain<'a>(_: &'a Call, _: &'a CallSlot, _: &'a World, _: &'a dyn CallLog) -> EffectFuture<'a> {
        Box::pin(async { Ok(CallOutput::success(json!({ "ok": true }))) })
    }
    fn flaky<'a>(call: &'a Call, _: &'a CallSlot, _: &'a World, _: &'a dyn CallLog) -> EffectFuture<'a> {
        let fails = call.key.attempt < 2;
        Box::pin(async move {
            match fails {
                true => Err(NodeFailure::tool("DOWN", "it does not answer").retryable()),
                false => Ok(CallOutput::success(json!({ "ok": true }))),
            }
        })
    }
    match kind {
        "work.write" | "work.read" => Some(Kind::Effect(plain)),
        "work.flaky" => Some(Kind::Effect(flaky)),
        other => signalbox_nodes::kind(other),
    }
}

fn catalog() -> Catalog {
    let mut kinds = signalbox_nodes::catalog();
    for (name, effects) in [("work.write", "write"), ("work.read", "read"), ("work.flaky", "read")] {
        let descriptor = json!({
            "type": name, "version": 1, "title": name, "description": name, "category": "data", "icon": "box",
            "modes": ["each"], "effects": effects, "ports": [{ "id": "success" }, { "id": "error" }],
            "config": { "type": "object", "properties": {} }
        });
        kinds.push(serde_json::from_value::<NodeDescriptor>(descriptor).expect("a descriptor"));
    }
    Catalog::new(kinds)
}

fn chain(kind: &str, steps: usize, settings: &Value) -> Value {
    let mut nodes = Map::new();
    for at in 0..steps {
        let mut node = json!({ "type": kind });
        if kind != "flow.noop" && kind != "work.write" {
            let policy = json!({ "maxAttempts": 3, "backoff": "fixed", "initialDelayMs": 0, "jitter": false });
            node["errorHandling"] = json!({ "retryPolicy": policy });
        }
        nodes.insert(format!("n{at}"), node);
    }
    let edges: Vec<Value> =
        (1..steps).map(|at| json!({ "from": format!("n{}.success", at - 1), "to": format!("n{at}") })).collect();
    json!({ "signalbox": 1, "id": "work", "name": "Work", "settings": settings, "nodes": nodes, "edges": edges })
}

/// Each run waits for a person.
fn pause() -> Value {
    json!({
        "signalbox": 1, "id": "work", "name": "Work", "settings": { "errorPolicy": "safe" },
        "nodes": { "c": { "type": "flow.fail", "config": { "error": { "message": "refused" } } } }, "edges": []
    })
}

/// The file, how often it runs, and what is counted.
fn work(name: &str, count: usize) -> (Value, usize) {
    let none = json!({});
    match name {
        "pure" => (chain("flow.noop", count, &none), 1),
        "synced" => (chain("work.write", count, &none), 1),
        "plain" => (chain("work.read", count, &none), 1),
        "retried" => (chain("work.flaky", count, &none), 1),
        "runs" => (chain("work.write", 5, &none), count),
        "pauses" => (pause(), count),
        other => panic!("There is no work '{other}': pure, synced, plain, retried, runs, pauses."),
    }
}

/// Bytes this process handed to the kernel for writing.
fn written() -> u64 {
    let text = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    text.lines().find_map(|line| line.strip_prefix("wchar: ")).and_then(|n| n.trim().parse().ok()).unwrap_or_default()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, count, folder] = args.as_slice() else { panic!("durable NAME COUNT FOLDER") };
    let count: usize = count.parse().expect("a number");
    let folder = Path::new(folder);
    let store = Store::open(folder, &StoreOptions::default()).expect("a store");
    let world = World { clock: Arc::new(RealClock), ..TestWorld::default().world() };
    let options = Options::new(folder.join("artifacts"));
    let registry = Registry { catalog: catalog(), code };
    let runtime =
        Runtime::new(store, registry, Arc::new(world), Arc::new(NumberedIds::default()), options).expect("a runtime");
    let (file, runs) = work(name, count);
    let workflow: Workflow = serde_json::from_value(file).expect("a workflow");
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("an executor");
    let before = written();
    threads.block_on(async {
        let pinned = runtime.pin(workflow).await.expect("valid");
        let at_once = AT_ONCE.min(runs);
        let tasks: Vec<_> = (0..at_once)
            .map(|task| {
                let (runtime, pinned) = (runtime.clone(), pinned.clone());
                tokio::spawn(async move {
                    for _ in (task..runs).step_by(at_once) {
                        let new = NewRun {
                            pinned: pinned.clone(),
                            params: json!({}),
                            context: Map::new(),
                            origin: RunOrigin::default(),
                            debug: None,
                            until: None,
                            kept: None,
                        };
                        let run = runtime.start(new).await.expect("starts");
                        let status = runtime.wait(&run).await.expect("comes to its end");
                        assert!(matches!(status, RunStatus::Completed | RunStatus::Paused), "{status:?}");
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("all end");
        }
    });
    println!("{name} {count}: {} bytes written", written() - before);
    // Nothing is closed: what follows the work is not counted, and the log of writes can be looked at.
    std::process::exit(0);
}
