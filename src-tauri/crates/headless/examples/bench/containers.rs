//! P7 and `items`: many items through plain steps, and loops. Each measurement is a process of its own, because the most
//! memory that a process ever had is known for its whole life only.

use crate::Row;
use crate::chains::{Bench, chain, world, written};
use crate::process::cpu_seconds;
use serde_json::{Value, json};
use signalbox_adapters::{FolderFiles, files::Grant};
use signalbox_ports::World;
use std::fmt::Write as _;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

/// First argument of the process that measures: `containers-child WHAT COUNT`.
pub(crate) const CHILD: &str = "containers-child";

/// Most memory of this process so far, MB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).and_then(|l| l.split_whitespace().next());
    line.and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}

fn file(nodes: Value, edges: &[(&str, &str)]) -> Value {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    json!({ "signalbox": 1, "id": "bench", "name": "Bench", "settings": { "errorPolicy": "fail" }, "nodes": nodes, "edges": edges })
}

/// A file of small records, as it is read.
fn records(count: usize) -> String {
    let mut text = String::from("[");
    for n in 0..count {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(text, r#"{comma}{{"n":{n},"who":"person {n}"}}"#);
    }
    text.push(']');
    text
}

/// Read, one item each, set a field, two ways, together again as one list.
fn items() -> Value {
    file(
        json!({
            "read": { "type": "file.read", "config": { "path": "records.json", "as": "json" } },
            "split": { "type": "data.transform", "config": { "expression": "item.content", "split": true } },
            "set": { "type": "data.set", "config": { "assign": { "twice": "=item.n * 2" } } },
            "keep": { "type": "data.filter", "config": { "when": "item.n % 10 != 0" } },
            "way": { "type": "flow.if", "config": { "condition": "item.n % 2 == 0" } },
            "even": { "type": "data.set", "config": { "assign": { "even": true } } },
            "all": { "type": "data.aggregate", "out": { "$count": "=size(_result.items)" } },
            "end": { "type": "flow.stop" }
        }),
        &[
            ("read.success", "split"),
            ("split.success", "set"),
            ("set.success", "keep"),
            ("keep.success", "way"),
            ("way.true", "even"),
            ("way.false", "all"),
            ("even.success", "all"),
            ("all.success", "end"),
        ],
    )
}

/// Without the one list at the end: only what travels item by item.
fn each() -> Value {
    file(
        json!({
            "split": { "type": "data.transform", "config": { "expression": "params.numbers", "split": true } },
            "set": { "type": "data.set", "config": { "assign": { "n": "=item * 2", "text": "number {{item}}" }, "keep": false } },
            "keep": { "type": "data.filter", "config": { "when": "item.n < 10" } },
            "end": { "type": "flow.stop" }
        }),
        &[("split.success", "set"), ("set.success", "keep"), ("keep.success", "end")],
    )
}

/// A loop over a list. Its body sets a field; in `parallel` it calls something first.
fn looped(parallel: bool, collect: bool) -> Value {
    let mut config = json!({ "source": "=params.numbers" });
    if parallel {
        config["mode"] = "parallel".into();
    }
    if !collect {
        config["collect"] = "null".into();
    }
    let set =
        json!({ "type": "data.set", "parent": "l", "config": { "assign": { "n": "=_item * 2" }, "keep": false } });
    let (mut nodes, mut edges) =
        (json!({ "l": { "type": "flow.loop", "config": config }, "b": set }), vec![("l.success", "join")]);
    if parallel {
        nodes["call"] = json!({ "type": "bench.read", "parent": "l" });
        edges.push(("call.success", "b"));
    }
    nodes["join"] = json!({ "type": "data.aggregate", "out": { "$count": "=size(_result.items)" } });
    nodes["end"] = json!({ "type": "flow.stop" });
    edges.push(("join.success", "end"));
    file(nodes, &edges)
}

/// A loop whose results are not joined: what it takes itself. `while` counts, the other goes through a list.
fn alone(counting: bool) -> Value {
    let config = if counting {
        json!({ "while": "_index < params.count", "maxIterations": 1_000_000 })
    } else {
        json!({ "source": "=params.numbers" })
    };
    let n = if counting { "=_index" } else { "=_item * 2" };
    file(
        json!({
            "l": { "type": "flow.loop", "config": config },
            "b": { "type": "data.set", "parent": "l", "config": { "assign": { "n": n }, "keep": false } },
            "keep": { "type": "data.filter", "config": { "when": "item.n < 10" } },
            "end": { "type": "flow.stop" }
        }),
        &[("l.success", "keep"), ("keep.success", "end")],
    )
}

/// Measures one thing and prints it as one JSON line.
pub(crate) fn child(what: &str, count: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = FolderFiles::new(vec![Grant { folder: folder.path().to_owned(), workflow: None, write: false }]);
    let bench = Bench::with(World { files: Arc::new(files), ..world() });
    let numbers = |count: usize| json!({ "numbers": (0..count).collect::<Vec<_>>() });
    // What the first run of a process costs once.
    bench.run(chain("flow.noop", 10, 0), json!({}));
    let (file, params) = match what {
        "items" => {
            std::fs::write(folder.path().join("records.json"), records(count)).expect("a file");
            (items(), json!({}))
        }
        "each" => (each(), numbers(count)),
        "loop" => (looped(false, true), numbers(count)),
        "list" => (alone(false), numbers(count)),
        "while" => (alone(true), json!({ "count": count })),
        "loop-null" => (looped(false, false), numbers(count)),
        _ => (looped(true, true), numbers(count)),
    };
    let (before, bytes, cpu, began) = (peak(), written(), cpu_seconds(), Instant::now());
    let (status, told) = bench.run_to_any_end(file, params);
    let seconds = began.elapsed().as_secs_f64();
    let told = json!({
        "status": status, "told": told, "before": before, "peak": peak(), "seconds": seconds, "cpu": cpu_seconds() - cpu,
        "written": (written() - bytes) as f64 / 1e6
    });
    println!("{told}");
}

fn measured(what: &str, count: usize) -> Option<Value> {
    let out = Command::new(std::env::current_exe().ok()?).args([CHILD, what, &count.to_string()]).output().ok()?;
    String::from_utf8_lossy(&out.stdout).lines().rev().find_map(|line| serde_json::from_str(line).ok())
}

fn words(what: &str, count: usize) -> String {
    let Some(found) = measured(what, count) else {
        return "the process ended without an answer (out of memory?)".into();
    };
    let number = |name: &str| found[name].as_f64().unwrap_or_default();
    if found["status"] != "completed" {
        return format!("{}: {}; {:.0} MB at most", found["status"], found["told"], number("peak"));
    }
    format!(
        "{:.0} MB at most ({:.2} KB an item above the {:.0} of the start), {:.4} ms CPU and {:.4} ms an item, {:.1} MB written",
        number("peak"),
        (number("peak") - number("before")) * 1024.0 / count as f64,
        number("before"),
        number("cpu") * 1000.0 / count as f64,
        number("seconds") * 1000.0 / count as f64,
        number("written")
    )
}

/// 10,000, 100,000 and 1,000,000 small items through a chain of plain steps.
pub(crate) fn many_items() -> Vec<Row> {
    let rows = |what: &'static str, text: &'static str| {
        [10_000, 100_000, 1_000_000].map(move |count| Row {
            id: "items",
            what: format!("{count} {text}"),
            found: words(what, count),
            reach: "memory bounded, or refused in words",
        })
    };
    rows("items", "records of a file: one item each, set, filter, if, one list again")
        .into_iter()
        .chain(rows("each", "numbers: one item each, set, filter"))
        .collect()
}

/// P7: loops.
pub(crate) fn loops() -> Vec<Row> {
    let row = |what: &str, count: usize, text: &str, reach: &'static str| Row {
        id: "P7",
        what: format!("{text} over {count} items, results joined"),
        found: words(what, count),
        reach,
    };
    vec![
        row("loop", 1_000, "serial loop", "memory flat in the item count"),
        row("loop", 10_000, "serial loop", "<= 0.08 ms an item"),
        row("loop", 100_000, "serial loop", "memory flat in the item count"),
        row("list", 1_000_000, "serial loop over a list, results not joined,", "memory bounded"),
        row("while", 1_000_000, "`while` loop, results not joined,", "memory bounded"),
        row("map", 1_000, "parallel map (8 at once)", "<= 0.1 s in all"),
        row("map", 10_000, "parallel map (8 at once)", "memory flat in the item count"),
        row("map", 100_000, "parallel map (8 at once)", "memory flat in the item count"),
    ]
}
