//! Code of a kind that stops unexpectedly.

use crate::support::{collect, runtime_of, start};
use serde_json::{Value, json};
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::{NodeFailure, RunStatus};
use signalbox_nodes::Kind;
use signalbox_runtime::{Error, Registry, Trouble};

fn breaks(_: &CallSlot) -> Result<CallOutput, NodeFailure> {
    panic!("a thing that cannot be")
}

fn code(kind: &str) -> Option<Kind> {
    if kind == "data.set" { Some(Kind::Pure(breaks)) } else { signalbox_nodes::kind(kind) }
}

#[tokio::test]
async fn ts_028_a_panic_is_an_error_on_the_red_port_and_the_scheduler_lives_on() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime_of(dir.path(), Registry { code, ..Registry::built_in() });
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

/// Not even asked for its code: this one breaks the loop itself.
fn no_code(kind: &str) -> Option<Kind> {
    assert_ne!(kind, "http.request", "a thing that cannot be");
    signalbox_nodes::kind(kind)
}

#[tokio::test]
async fn who_waits_for_a_run_hears_that_its_loop_broke() {
    let dir = tempfile::tempdir().expect("a folder");
    let runtime = runtime_of(dir.path(), Registry { code: no_code, ..Registry::built_in() });
    let asks = json!({ "nodes": { "ask": { "type": "http.request", "config": { "url": "http://api.example/1" } } } });
    let run = start(&runtime, asks).await;
    let error = runtime.wait(&run).await.expect_err("stopped");
    assert!(
        matches!(&error, Error::Stopped { trouble: Trouble::Fault(why), .. } if why.contains("cannot be")),
        "{error}"
    );
    assert_eq!(runtime.driven(), Vec::<String>::new());
}
