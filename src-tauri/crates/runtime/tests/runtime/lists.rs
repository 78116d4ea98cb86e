//! Lists of which most lies in files (ADR 157): the results are those of lists in memory, few parts are in memory at the same time, and
//! a killed run goes on with them. Counted, not timed.

use crate::support::{Die, collect, runtime_with_files, runtime_with_lists, start};
use serde_json::{Value, json};
use signalbox_model::RunEvent;
use signalbox_model::items::pages;
use signalbox_runtime::Runtime;
use signalbox_testkit::MemoryFiles;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const ROWS: usize = 4_567;

fn table(rows: usize) -> String {
    let mut text = "id,name,amount\n".to_owned();
    for row in 0..rows {
        let _ = writeln!(text, "{row},\"Anna, {}\",{}", row % 997, row * 7919 % 1_000);
    }
    text
}

fn files(rows: usize) -> Arc<MemoryFiles> {
    let files = MemoryFiles::default();
    files.put("t.csv", table(rows));
    files.into()
}

fn node(kind: &str, config: Value) -> Value {
    json!({ "type": kind, "config": config })
}

/// Steps that go item by item, and steps that take all items as they are.
fn flow() -> Value {
    json!({
        "nodes": {
            "read": node("file.read", json!({ "path": "t.csv", "as": "csv", "rows": true })),
            "cheap": node("data.filter", json!({ "when": "int(item.amount) < 700" })),
            "set": node("data.set", json!({ "assign": { "double": "=int(item.amount) * 2" } })),
            "map": node("data.transform", json!({ "expression": "{'id': item.id, 'double': item.double}" })),
            "sort": node("data.sort", json!({ "by": "item.double" })),
            "last": node("data.limit", json!({ "count": 3, "from": "last" })),
            "all": node("data.aggregate", json!({ "into": "rows" })),
            "size": node("data.transform", json!({ "expression": "{'rows': item.rows.size(), 'last': item.rows[item.rows.size() - 1]}" })),
        },
        "edges": [
            { "from": "read.success", "to": "cheap" }, { "from": "cheap.success", "to": "set" }, { "from": "set.success", "to": "map" },
            { "from": "map.success", "to": "sort" }, { "from": "sort.success", "to": "last" }, { "from": "cheap.rest", "to": "all" },
            { "from": "all.success", "to": "size" },
        ]
    })
}

/// Steps that read the list where it lies.
fn readers() -> Value {
    let rows = |path: &str, format: &str| json!({ "type": "file.write", "config": { "path": path, "as": format, "rows": true } });
    json!({
        "nodes": {
            "read": node("file.read", json!({ "path": "t.csv", "as": "csv", "rows": true })),
            "csv": rows("out.csv", "csv"),
            "lines": rows("out.jsonl", "jsonLines"),
            "again": node("file.read", json!({ "path": "out.jsonl", "as": "jsonLines" })),
            "last": node("data.limit", json!({ "count": 2, "from": "last" })),
            "once": node("data.dedupe", json!({ "by": ["name"] })),
            "rest": node("data.limit", json!({ "count": 2 })),
            "sums": node("data.summarise", json!({ "by": [], "statistics": [
                { "what": "sum", "field": "amount" }, { "what": "max", "field": "amount" }, { "what": "count" }
            ] })),
        },
        "edges": [
            { "from": "read.success", "to": "csv" }, { "from": "read.success", "to": "lines" }, { "from": "lines.success", "to": "again" },
            { "from": "again.success", "to": "last" }, { "from": "read.success", "to": "once" }, { "from": "once.duplicates", "to": "rest" },
            { "from": "read.success", "to": "sums" },
        ]
    })
}

/// What each step was told and said, without what differs from run to run.
fn told(events: &[RunEvent]) -> Vec<Value> {
    let step = |event: &RunEvent| {
        let mut event = serde_json::to_value(event).expect("JSON");
        let kind = event["type"].clone();
        let payload = event["payload"].as_object_mut()?;
        payload.remove("idempotencyKey");
        (kind == "step_start" || kind == "step_done")
            .then(|| json!([event["stepId"], event["item"], kind, event["payload"]]))
    };
    events.iter().filter_map(step).collect()
}

async fn ran(runtime: &Runtime, flow: Value) -> (String, Vec<RunEvent>, Value) {
    let run = start(runtime, flow).await;
    let _ = runtime.wait(&run).await;
    let events = collect(runtime.subscribe(&run, 0).await.expect("the run is there")).await;
    let summary = runtime.store().summary::<Value>(&run).expect("readable").expect("it has ended");
    (run, events, summary)
}

/// Runs a workflow with lists in memory, then with lists in files.
async fn gives_the_same(flow: fn() -> Value, rows: usize) -> [Arc<MemoryFiles>; 2] {
    let (plain, paged) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (in_memory, in_files) = (files(rows), files(rows));
    let (_, events, summary) = ran(&runtime_with_files(plain.path(), Arc::clone(&in_memory)), flow()).await;
    assert_eq!(pages::written(), 0, "nothing asked for files yet");
    let runtime = runtime_with_lists(paged.path(), Arc::clone(&in_files), Die::Never, 0);
    let (run, paged_events, paged_summary) = ran(&runtime, flow()).await;
    assert!(pages::written() >= 2 * (rows / 1_000), "{} parts lie in files", pages::written());
    assert_eq!(summary["status"], "completed", "{summary:#}");
    // Calls beside one another end in any order.
    let output = |summary: &Value| {
        let mut all: Vec<_> = summary["output"].as_array().expect("a list").iter().map(Value::to_string).collect();
        all.sort();
        all
    };
    assert_eq!(output(&summary), output(&paged_summary));
    if rows < 10_000 {
        assert_eq!(told(&events), told(&paged_events));
        // As the store has them.
        let stored = runtime.store().events(&run, 0, 500).expect("readable");
        assert_eq!(told(&stored), told(&events));
    }
    assert_eq!(std::fs::read_dir(paged.path().join("lists")).expect("the folder").count(), 0, "no file has a name");
    [in_memory, in_files]
}

#[tokio::test]
async fn lists_in_files_give_what_lists_in_memory_give() {
    gives_the_same(flow, 2_345).await;
}

#[tokio::test]
async fn steps_that_read_a_list_where_it_lies_give_the_same() {
    let [in_memory, in_files] = gives_the_same(readers, 10_001).await;
    for file in ["out.csv", "out.jsonl"] {
        assert!(in_memory.get(file).is_some_and(|written| written.len() > 100_000));
        assert!(in_memory.get(file) == in_files.get(file), "{file} is the same");
    }
    assert_eq!(in_files.get("out.csv").map(String::from_utf8), Some(Ok(table(10_001))));
}

fn pipeline() -> Value {
    json!({
        "nodes": {
            "read": node("file.read", json!({ "path": "t.csv", "as": "csv", "rows": true })),
            "cheap": node("data.filter", json!({ "when": "int(item.amount) < 700" })),
            "set": node("data.set", json!({ "assign": { "double": "=int(item.amount) * 2" } })),
            "write": { "type": "file.write", "mode": "all", "config": { "path": "out.csv", "as": "csv", "rows": true } },
        },
        "edges": [
            { "from": "read.success", "to": "cheap" }, { "from": "cheap.success", "to": "set" }, { "from": "set.success", "to": "write" },
        ]
    })
}

#[tokio::test]
async fn rows_go_through_a_pipeline_a_few_parts_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = files(30_000);
    let (_, _, summary) = ran(&runtime_with_lists(folder.path(), Arc::clone(&files), Die::Never, 0), pipeline()).await;
    let written = String::from_utf8(files.get("out.csv").expect("it was written")).expect("text");
    let wanted = (0..30_000).filter(|row| row * 7919 % 1_000 < 700).count();
    assert_eq!((summary["output"][0]["rows"].as_u64(), written.lines().count()), (Some(wanted as u64), wanted + 1));
    assert!(written.starts_with("id,name,amount,double\n0,\"Anna, 0\",0,0\n"), "{}", &written[..60]);
    assert!(pages::written() >= 70, "{} parts lie in files", pages::written());
    assert!(pages::most_loaded() <= 12, "{} of them were in memory at the same time", pages::most_loaded());
}

/// A request stands between the list and the step that takes it again.
fn with_a_request() -> Value {
    json!({
        "nodes": {
            "read": node("file.read", json!({ "path": "t.csv", "as": "csv", "rows": true })),
            "cheap": node("data.filter", json!({ "when": "int(item.amount) < 700" })),
            "one": node("data.limit", json!({ "count": 1 })),
            "ask": node("http.request", json!({ "method": "GET", "url": "http://api.example/1" })),
            "last": node("data.limit", json!({ "count": 2, "from": "last" })),
        },
        "edges": [
            { "from": "read.success", "to": "cheap" }, { "from": "cheap.success", "to": "one" }, { "from": "one.success", "to": "ask" },
            { "from": "cheap.success", "to": "last" }, { "from": "ask.success", "to": "last" },
        ]
    })
}

fn runtime_of_child(folder: &Path, die: Die) -> Runtime {
    runtime_with_lists(folder, files(ROWS), die, 0)
}

/// Runs in the child only.
#[test]
fn a_process_that_dies_with_lists_and_no_test_of_its_own() {
    let Ok(folder) = std::env::var("SIGNALBOX_TEST_LISTS") else { return };
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
    waiting.block_on(async {
        let runtime = runtime_of_child(Path::new(&folder), Die::Before(1));
        let run = start(&runtime, with_a_request()).await;
        std::fs::write(Path::new(&folder).join("run"), &run).expect("written");
        let _ = runtime.wait(&run).await;
    });
}

#[tokio::test]
async fn ts_094_a_killed_run_goes_on_with_its_lists() {
    let folder = tempfile::tempdir().expect("a folder");
    let status = Command::new(std::env::current_exe().expect("the test binary has a path"))
        .args(["--exact", "lists::a_process_that_dies_with_lists_and_no_test_of_its_own", "--nocapture"])
        .env("SIGNALBOX_TEST_LISTS", folder.path())
        .output()
        .expect("the child starts")
        .status;
    assert!(!status.success(), "it was killed");
    let run = std::fs::read_to_string(folder.path().join("run")).expect("it had begun");
    let runtime = runtime_of_child(folder.path(), Die::Never);
    let _ = runtime.resume_all().await.expect("the store is readable");
    let _ = runtime.wait(&run).await;
    let summary = runtime.store().summary::<Value>(&run).expect("readable").expect("it has ended");
    assert_eq!(summary["status"], "completed", "{summary:#}");
    let kept: Vec<usize> = (0..ROWS).filter(|row| row * 7919 % 1_000 < 700).collect();
    let last = kept.last().expect("some").to_string();
    let output = summary["output"].as_array().expect("a list");
    assert!(output.len() == 2 && output.iter().any(|row| row["id"] == *last), "{output:#?}");
    assert!(pages::written() > 3, "its lists lie in files again");
}

/// One step, or two, and the error that the run ends with.
async fn refused(files: &[(&str, &str)], nodes: Value, mode: &str) -> (String, String, Arc<MemoryFiles>) {
    let folder = tempfile::tempdir().expect("a folder");
    let memory = Arc::new(MemoryFiles::default());
    for (path, text) in files {
        memory.put(path, *text);
    }
    let mut flow = json!({ "nodes": { "a": nodes[0] }, "edges": [] });
    if let Some(second) = nodes.get(1) {
        flow["nodes"]["b"] = second.clone();
        flow["nodes"]["b"]["mode"] = mode.into();
        flow["edges"] = json!([{ "from": "a.success", "to": "b" }]);
    }
    let runtime = runtime_with_lists(folder.path(), Arc::clone(&memory), Die::Never, 0);
    let (_, _, summary) = ran(&runtime, flow).await;
    assert_eq!(summary["status"], "failed", "{summary:#}");
    let error = &summary["error"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&error["details"]["code"]), text(&error["message"]), memory)
}

#[tokio::test]
async fn rows_that_cannot_be_read_or_written_are_told_with_their_place() {
    let read = |path: &str, format: &str| node("file.read", json!({ "path": path, "as": format, "rows": true }));
    let rows = |format: &str| node("file.write", json!({ "path": "out", "as": format, "rows": true }));
    let lines = ("t.jsonl", "\u{feff}{\"a\": 1}\r\n\n[2]\n{\"a\": }\n");
    let (code, message, _) = refused(&[lines], json!([read("t.jsonl", "jsonLines")]), "all").await;
    assert!(code == "NON_JSON" && message.contains("Line 4 of the file 't.jsonl'"), "{code} {message}");
    let (code, message, _) = refused(&[lines], json!([read("t.jsonl", "text")]), "all").await;
    assert!(code == "INPUT_INVALID" && message.contains("CSV or as JSON lines"), "{code} {message}");
    let table = ("t.csv", "a,b\n1,2\n3\n");
    let (code, message, _) = refused(&[table], json!([read("t.csv", "csv")]), "all").await;
    assert!(code == "BAD_CSV" && message.contains("line 3 has 1 value"), "{code} {message}");
    let good = ("t.jsonl", "{\"a\": 1}\n7\n");
    let (code, message, files) = refused(&[good], json!([read("t.jsonl", "jsonLines"), rows("csv")]), "all").await;
    assert!(code == "SCHEMA_MISMATCH" && message.contains("item 2 is a number"), "{code} {message}");
    assert_eq!(files.get("out"), None, "nothing was written");
    let (code, message, _) = refused(&[good], json!([read("t.jsonl", "jsonLines"), rows("csv")]), "each").await;
    assert!(code == "INPUT_INVALID" && message.contains("once for all items"), "{code} {message}");
    let (code, message, _) = refused(&[good], json!([read("t.jsonl", "jsonLines"), rows("asIs")]), "all").await;
    assert!(code == "INPUT_INVALID" && message.contains("JSON lines"), "{code} {message}");
}
