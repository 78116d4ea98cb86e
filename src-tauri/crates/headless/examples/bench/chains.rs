//! P1, P3, P4: chains of steps through the real runtime and the real store.

use crate::Row;
use crate::process::cpu_seconds;
use rusqlite::Connection;
use serde_json::{Value, json};
use signalbox_adapters::{FolderFiles, RealClock, RealIds, WebHttp};
use signalbox_engine::{Catalog, effect::CallOutput};
use signalbox_model::{Map, NodeDescriptor, RunStatus, Workflow};
use signalbox_nodes::{EffectFuture, Kind};
use signalbox_ports::World;
use signalbox_runtime::{NewRun, Options, Registry, Runtime};
use signalbox_store::{Store, StoreOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// A `write` that costs nothing outside: what remains is the price of durability.
fn code(kind: &str) -> Option<Kind> {
    fn nothing<'a>(
        _: &'a signalbox_engine::effect::Call,
        _: &'a signalbox_engine::effect::CallSlot,
        _: &'a World,
    ) -> EffectFuture<'a> {
        // A small item: what is carried along stands in the variables, not in the items.
        Box::pin(async { Ok(CallOutput::success(json!({ "ok": true }))) })
    }
    match kind {
        "bench.write" | "bench.read" => Some(Kind::Effect(nothing)),
        other => signalbox_nodes::kind(other),
    }
}

fn catalog() -> Catalog {
    let mut kinds = signalbox_nodes::catalog();
    for (name, effects) in [("bench.write", "write"), ("bench.read", "read")] {
        let descriptor = json!({
            "type": name, "version": 1, "title": name, "description": name, "category": "data", "icon": "box",
            "modes": ["each"], "effects": effects, "ports": [{ "id": "success" }, { "id": "error" }],
            "config": { "type": "object", "properties": {} }
        });
        kinds.extend(serde_json::from_value::<NodeDescriptor>(descriptor));
    }
    Catalog::new(kinds)
}

struct Bench {
    runtime: Runtime,
    threads: tokio::runtime::Runtime,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(folder.path(), &StoreOptions::default()).expect("a store");
        let world = World {
            http: Arc::new(WebHttp::new(&[]).expect("a client")),
            files: Arc::new(FolderFiles::default()),
            clock: Arc::new(RealClock),
        };
        let registry = Registry { catalog: catalog(), code };
        let options = Options::new(folder.path().join("artifacts"));
        let runtime = Runtime::new(store, registry, Arc::new(world), Arc::new(RealIds), options).expect("a runtime");
        let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("an executor");
        Self { runtime, threads, folder }
    }

    /// Runs a file to its end; seconds of wall and CPU time.
    fn run(&self, file: Value, params: Value) -> (f64, f64) {
        let workflow: Workflow = serde_json::from_value(file).expect("a workflow");
        self.threads.block_on(async {
            let (compiled, definition) = self.runtime.pin(workflow).await.expect("valid");
            let (began, cpu) = (Instant::now(), cpu_seconds());
            let new =
                NewRun { compiled, definition, params, context: Map::new(), started_by: None, client_run_token: None };
            let run = self.runtime.start(new).await.expect("starts");
            let status = self.runtime.wait(&run).await.expect("ends");
            assert_eq!(status, RunStatus::Completed);
            (began.elapsed().as_secs_f64(), cpu_seconds() - cpu)
        })
    }
}

fn chain(kind: &str, steps: usize, extra: usize) -> Value {
    let mut nodes = Map::new();
    let mut edges = Vec::new();
    for i in 0..steps {
        nodes.insert(format!("n{i}"), json!({ "type": kind }));
        if i > 0 {
            edges.push(json!({ "from": format!("n{}.success", i - 1), "to": format!("n{i}") }));
        }
    }
    // Nodes beside the chain that never run: behind a red port that nothing takes.
    for i in 0..extra {
        nodes.insert(format!("x{i}"), json!({ "type": "flow.noop" }));
        edges.push(json!({ "from": "n0.error", "to": format!("x{i}") }));
    }
    json!({ "signalbox": 1, "id": "bench", "name": "Bench", "nodes": nodes, "edges": edges })
}

/// Commits of one small row at FULL, as fast as the disk takes them: commits a second, CPU seconds a commit.
fn raw_rate(folder: &Path, commits: usize) -> (f64, f64) {
    let raw = Connection::open(folder.join("raw.db")).expect("opens");
    raw.execute_batch(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b BLOB)",
    )
    .expect("a table");
    let row = vec![7_u8; 600];
    let (began, cpu) = (Instant::now(), cpu_seconds());
    for _ in 0..commits {
        raw.execute("INSERT INTO t(b) VALUES (?1)", [&row]).expect("a row");
    }
    (commits as f64 / began.elapsed().as_secs_f64(), (cpu_seconds() - cpu) / commits as f64)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// P1: every step synced (`write` steps) against the raw commit rate turn about; pure steps at the default.
pub(crate) fn durable() -> Vec<Row> {
    let bench = Bench::new();
    let mut rows = Vec::new();
    for steps in [100, 1_000] {
        let mut ratios = Vec::new();
        let (mut cpu, mut raw_cpu) = (Vec::new(), Vec::new());
        let mut rates = Vec::new();
        for _ in 0..10 {
            let (raw, raw_used) = raw_rate(bench.folder.path(), steps);
            raw_cpu.push(raw_used * 1000.0);
            let (wall, used) = bench.run(chain("bench.write", steps, 0), json!({}));
            rates.push(steps as f64 / wall);
            ratios.push(steps as f64 / wall / raw);
            cpu.push(used * 1000.0 / steps as f64);
        }
        rows.push(Row {
            id: "P1",
            what: format!(
                "chain of {steps} synced `write` steps, each one commit, against raw WAL commits at FULL, 10 pairs"
            ),
            found: format!(
                "{:.2} x the raw rate (from {:.2} to {:.2}), {:.0} steps/s, {:.3} ms CPU a step (a raw commit: {:.3})",
                median(ratios.clone()),
                ratios.iter().copied().fold(f64::MAX, f64::min),
                ratios.iter().copied().fold(0.0, f64::max),
                median(rates),
                median(cpu),
                median(raw_cpu)
            ),
            reach: ">= 0.8 x; <= 0.05 ms CPU",
        });
    }
    for steps in [100, 1_000] {
        let (mut rates, mut cpu) = (Vec::new(), Vec::new());
        for _ in 0..10 {
            let (wall, used) = bench.run(chain("flow.noop", steps, 0), json!({}));
            rates.push(steps as f64 / wall);
            cpu.push(used * 1000.0 / steps as f64);
        }
        rows.push(Row {
            id: "P1",
            what: format!("chain of {steps} pure steps at the default (bursts, no sync)"),
            found: format!("{:.0} steps/s, {:.3} ms CPU a step", median(rates), median(cpu)),
            reach: "no sync; <= 0.05 ms CPU",
        });
    }
    rows
}

/// P3: 100 steps with 1 MB of variables beside them, and what each further step costs.
pub(crate) fn carried() -> Vec<Row> {
    let measure = |size: usize, steps: usize| {
        let bench = Bench::new();
        let noise: String =
            (0..size).map(|i: usize| char::from(b'a' + (i.wrapping_mul(2_654_435_761) >> 7) as u8 % 26)).collect();
        let mut file = chain("bench.read", steps, 0);
        file["nodes"]["n0"]["out"] = json!({ "$big": "=params.big" });
        let before = written();
        let wall = median((0..5).map(|_| bench.run(file.clone(), json!({ "big": noise })).0).collect());
        (wall, (written() - before) as f64 / 5.0)
    };
    let (small, large) = (measure(1_000, 100), measure(1_000_000, 100));
    let further = |size: usize, short: f64| (measure(size, 600).0 - short) / 500.0;
    let (small_step, large_step) = (further(1_000, small.0), further(1_000_000, large.0));
    vec![
        Row {
            id: "P3",
            what: "100 steps that carry 1 MB of variables; the same with 1 KB".into(),
            found: format!(
                "{:.1} MB written a run (1 KB: {:.1} MB); time a run {:.1} and {:.1} ms, {:.2} x",
                large.1 / 1e6,
                small.1 / 1e6,
                large.0 * 1e3,
                small.0 * 1e3,
                large.0 / small.0
            ),
            reach: "<= 3 MB",
        },
        Row {
            id: "P3",
            what: "each further step (600 steps less 100) with 1 MB of variables; the same with 1 KB".into(),
            found: format!("{:.0} and {:.0} us, {:.2} x", large_step * 1e6, small_step * 1e6, large_step / small_step),
            reach: "independent of the state",
        },
    ]
}

/// Bytes this process handed to the kernel for writing.
fn written() -> u64 {
    let text = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("wchar: "));
    line.and_then(|n| n.trim().parse().ok()).unwrap_or_default()
}

/// P4: time a step at the end of long histories and in large graphs.
pub(crate) fn growth() -> Vec<Row> {
    let bench = Bench::new();
    let per_step = |steps: usize, extra: usize| {
        let times = (0..5).map(|_| bench.run(chain("bench.read", steps, extra), json!({})).0 / steps as f64);
        median(times.collect())
    };
    let (short, long) = (per_step(100, 0), per_step(10_000, 0));
    let (small, large) = (per_step(1_000, 10), per_step(1_000, 1_000));
    vec![
        Row {
            id: "P4",
            what: "time a step in a chain of 10,000 over that in a chain of 100".into(),
            found: format!("{:.2} x", long / short),
            reach: "<= 1.2",
        },
        Row {
            id: "P4",
            what: "time a step of 1,000 with 1,000 idle nodes beside them over that with 10".into(),
            found: format!("{:.2} x", large / small),
            reach: "<= 1.2",
        },
    ]
}
