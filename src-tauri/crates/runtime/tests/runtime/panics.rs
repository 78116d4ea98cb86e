//! Code of a kind that stops unexpectedly.

use crate::support::{TestIds, TracingHttp, collect, options, start, store};
use serde_json::{Value, json};
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::{NodeFailure, RunStatus};
use signalbox_nodes::Kind;
use signalbox_ports::World;
use signalbox_runtime::{Registry, Runtime};
use signalbox_testkit::MemoryFiles;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

fn breaks(_: &CallSlot) -> Result<CallOutput, NodeFailure> {
    panic!("a thing that cannot be")
}

fn code(kind: &str) -> Option<Kind> {
    if kind == "data.set" { Some(Kind::Pure(breaks)) } else { signalbox_nodes::kind(kind) }
}

fn broken(folder: &Path) -> Runtime {
    let http = TracingHttp { folder: folder.to_owned(), die: crate::support::Die::Never, seen: AtomicU64::new(0) };
    let clock = Arc::new(crate::support::RealClock);
    let world = World {
        http: Arc::new(http),
        files: Arc::new(MemoryFiles::default()),
        clock,
        audit: Arc::new(signalbox_testkit::MemoryAudit::default()),
        secrets: Arc::new(signalbox_ports::NoSecrets),
    };
    let registry = Registry { code, ..Registry::built_in() };
    Runtime::new(store(folder), registry, Arc::new(world), Arc::new(TestIds::default()), options(folder))
        .expect("threads start")
}

#[tokio::test]
async fn ts_028_a_panic_is_an_error_on_the_red_port_and_the_scheduler_lives_on() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = broken(dir.path());
    let nodes = json!({
        "breaks": { "type": "data.set", "config": { "assign": {} } },
        "aside": { "type": "flow.noop" }
    });
    let wired = json!({ "nodes": nodes, "edges": [{ "from": "breaks.error", "to": "aside" }] });
    let run = start(&runtime, wired).await;
    assert_eq!(runtime.wait(&run).await, Ok(RunStatus::Completed));
    let events = collect(runtime.subscribe(&run, 0).await.expect("known")).await;
    let events: Vec<Value> = events.iter().map(|event| serde_json::to_value(event).expect("JSON")).collect();
    let error = events.iter().find(|event| event["type"] == "step_error").expect("an error");
    let error = &error["payload"]["error"];
    assert_eq!((error["type"].as_str(), error["details"]["code"].as_str()), (Some("UnknownError"), Some("INTERNAL")));
    assert!(events.iter().any(|event| event["type"] == "step_done" && event["stepId"] == "aside"), "{events:#?}");
    // The same process goes on with other runs.
    let next = start(&runtime, json!({ "nodes": { "only": { "type": "flow.noop" } } })).await;
    assert_eq!(runtime.wait(&next).await, Ok(RunStatus::Completed));
}
