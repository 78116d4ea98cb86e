//! P1, P3, P4: chains of steps through the real runtime and the real store.

use crate::Row;
use crate::process::cpu_seconds;
use rusqlite::Connection;
use serde_json::{Value, json};
use signalbox_adapters::{FolderFiles, RealClock, RealIds, WebHttp};
use signalbox_engine::{Catalog, effect::CallOutput};
use signalbox_model::{Map, NodeDescriptor, NodeFailure, RunOrigin, RunStatus, Workflow};
use signalbox_nodes::{EffectFuture, Kind};
use signalbox_ports::World;
use signalbox_runtime::{NewRun, Options, Pinned, Registry, Runtime};
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
        _: &'a dyn signalbox_ports::CallLog,
    ) -> EffectFuture<'a> {
        // A small item: what is carried along stands in the variables, not in the items.
        Box::pin(async { Ok(CallOutput::success(json!({ "ok": true }))) })
    }
    // Fails twice, retryably, then works.
    fn flaky<'a>(
        call: &'a signalbox_engine::effect::Call,
        _: &'a signalbox_engine::effect::CallSlot,
        _: &'a World,
        _: &'a dyn signalbox_ports::CallLog,
    ) -> EffectFuture<'a> {
        let fails = call.key.attempt < 2;
        Box::pin(async move {
            if fails {
                return Err(NodeFailure::tool("DOWN", "it does not answer").retryable());
            }
            Ok(CallOutput::success(json!({ "ok": true })))
        })
    }
    match kind {
        "bench.write" | "bench.read" => Some(Kind::Effect(nothing)),
        "bench.flaky" => Some(Kind::Effect(flaky)),
        other => signalbox_nodes::kind(other),
    }
}

fn catalog() -> Catalog {
    let mut kinds = signalbox_nodes::catalog();
    for (name, effects) in [("bench.write", "write"), ("bench.read", "read"), ("bench.flaky", "read")] {
        let descriptor = json!({
            "type": name, "version": 1, "title": name, "description": name, "category": "data", "icon": "box",
            "modes": ["each"], "effects": effects, "ports": [{ "id": "success" }, { "id": "error" }],
            "config": { "type": "object", "properties": {} }
        });
        kinds.extend(serde_json::from_value::<NodeDescriptor>(descriptor));
    }
    Catalog::new(kinds)
}

/// Without models, tools and scripts.
pub(crate) fn world() -> World {
    World {
        http: Arc::new(WebHttp::new(&[]).expect("a client")),
        files: Arc::new(FolderFiles::default()),
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

pub(crate) struct Bench {
    pub(crate) runtime: Runtime,
    pub(crate) threads: tokio::runtime::Runtime,
    /// Removed with the bench, unless it was there before.
    _folder: Option<tempfile::TempDir>,
    place: std::path::PathBuf,
    last: std::sync::Mutex<String>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(world())
    }

    /// With other peers.
    pub(crate) fn with(world: World) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let bench = Self::of(folder.path(), world);
        Self { _folder: Some(folder), ..bench }
    }

    /// In a folder that is there.
    pub(crate) fn at(folder: &Path) -> Self {
        Self::of(folder, world())
    }

    /// Both.
    pub(crate) fn of(folder: &Path, world: World) -> Self {
        let store = Store::open(folder, &StoreOptions::default()).expect("a store");
        let registry = Registry { catalog: catalog(), code };
        let options = Options::new(folder.join("artifacts"));
        let runtime = Runtime::new(store, registry, Arc::new(world), Arc::new(RealIds), options).expect("a runtime");
        let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("an executor");
        Self { runtime, threads, _folder: None, place: folder.to_owned(), last: std::sync::Mutex::default() }
    }

    /// The run that was started last.
    pub(crate) fn last_run(&self) -> String {
        self.last.lock().expect("not poisoned").clone()
    }

    /// Runs a file to its end; seconds of wall and CPU time.
    pub(crate) fn run(&self, file: Value, params: Value) -> (f64, f64) {
        let (status, wall, used) = self.ran(file, params);
        assert_eq!(status, RunStatus::Completed);
        (wall, used)
    }

    /// Runs a file that may be refused what it wants: how it ended, and why.
    pub(crate) fn run_to_any_end(&self, file: Value, params: Value) -> (String, Option<String>) {
        let (status, ..) = self.ran(file, params);
        let row = self.runtime.store().run(&self.last_run()).expect("its row");
        (status.as_str().to_owned(), row.error_message)
    }

    /// Runs a file `count` times, `at_once` of them side by side; seconds of wall and CPU time.
    fn run_many(&self, file: Value, count: usize, at_once: usize) -> (f64, f64) {
        let workflow: Workflow = serde_json::from_value(file).expect("a workflow");
        self.threads.block_on(async {
            let pinned = self.runtime.pin(workflow).await.expect("valid");
            let (began, cpu) = (Instant::now(), cpu_seconds());
            let tasks: Vec<_> = (0..at_once)
                .map(|task| {
                    let (runtime, pinned) = (self.runtime.clone(), pinned.clone());
                    tokio::spawn(async move {
                        for _ in (task..count).step_by(at_once) {
                            let run = runtime.start(new_run(pinned.clone(), json!({}))).await.expect("starts");
                            assert_eq!(runtime.wait(&run).await.expect("ends"), RunStatus::Completed);
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.expect("all end");
            }
            (began.elapsed().as_secs_f64(), cpu_seconds() - cpu)
        })
    }

    fn ran(&self, file: Value, params: Value) -> (RunStatus, f64, f64) {
        let workflow: Workflow = serde_json::from_value(file).expect("a workflow");
        self.threads.block_on(async {
            let pinned = self.runtime.pin(workflow).await.expect("valid");
            let (began, cpu) = (Instant::now(), cpu_seconds());
            let run = self.runtime.start(new_run(pinned, params)).await.expect("starts");
            self.last.lock().expect("not poisoned").clone_from(&run);
            let status = self.runtime.wait(&run).await.expect("ends");
            (status, began.elapsed().as_secs_f64(), cpu_seconds() - cpu)
        })
    }
}

pub(crate) fn new_run(pinned: Pinned, params: Value) -> NewRun {
    NewRun { pinned, params, context: Map::new(), origin: RunOrigin::default(), debug: None, until: None, kept: None }
}

pub(crate) fn chain(kind: &str, steps: usize, extra: usize) -> Value {
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

/// What is written at times for all that went before, like the copying of the WAL, counts in it.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
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
            let (raw, raw_used) = raw_rate(&bench.place, steps);
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

/// P2: many short runs side by side, every step synced, against the raw commit rate turn about.
pub(crate) fn side_by_side() -> Vec<Row> {
    const RUNS: usize = 2_000;
    let bench = Bench::new();
    let (mut rates, mut cpu, mut ratios, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..10 {
        let (raw, _) = raw_rate(&bench.place, RUNS);
        let before = written();
        let (wall, used) = bench.run_many(chain("bench.write", 5, 0), RUNS, 64);
        bytes.push((written() - before) as f64 / 1e3 / RUNS as f64);
        rates.push(RUNS as f64 / wall);
        ratios.push(RUNS as f64 * 5.0 / wall / raw);
        cpu.push(used * 1e3 / RUNS as f64);
    }
    vec![Row {
        id: "P2",
        what: format!("{RUNS} runs of 5 synced `write` steps, 64 at once, against raw WAL commits at FULL, 10 pairs"),
        found: format!(
            "{:.0} runs/s, {:.3} ms CPU and {:.1} KB written a run; {:.2} x as many steps as raw commits (from {:.2} to {:.2})",
            median(rates),
            median(cpu),
            mean(&bytes),
            median(ratios.clone()),
            ratios.iter().copied().fold(f64::MAX, f64::min),
            ratios.iter().copied().fold(0.0, f64::max)
        ),
        reach: ">= 10 x Restate (460 runs/s, 3.6 ms CPU a run); <= 0.3 ms CPU",
    }]
}

/// P3: 100 steps with 1 MB of variables beside them, and what each further step costs.
pub(crate) fn carried() -> Vec<Row> {
    let bench = Bench::new();
    let file = |steps: usize| {
        let mut file = chain("bench.read", steps, 0);
        file["nodes"]["n0"]["out"] = json!({ "$big": "=params.big" });
        file
    };
    let (short, long) = (file(100), file(1_100));
    let mut found = [(); 2].map(|()| (Vec::new(), Vec::new(), Vec::new(), Vec::new()));
    // Another text in every run: a value that the store has already would not be written again.
    for round in 0..10_usize {
        for (size, found) in [1_000, 1_000_000].into_iter().zip(&mut found) {
            let noise: String = (round..round + size)
                .map(|i: usize| char::from(b'a' + (i.wrapping_mul(2_654_435_761) >> 7) as u8 % 26))
                .collect();
            let before = written();
            let (wall, _) = bench.run(short.clone(), json!({ "big": noise }));
            found.0.push(wall * 1e3);
            found.1.push((written() - before) as f64 / 1e6);
            let (longer, used) = bench.run(long.clone(), json!({ "big": noise.clone() + "." }));
            let (again, less) = bench.run(short.clone(), json!({ "big": noise + ".." }));
            found.2.push((longer - again) * 1e3);
            found.3.push((used - less) * 1e3);
        }
    }
    let [small, large] = found.map(|(a, b, c, d)| [median(a), mean(&b), median(c), median(d)]);
    vec![
        Row {
            id: "P3",
            what: "100 steps that carry 1 MB of variables; the same with 1 KB; 10 pairs".into(),
            found: format!(
                "{:.1} MB written a run (1 KB: {:.1} MB); the whole run {:.1} ms (1 KB: {:.1} ms)",
                large[1], small[1], large[0], small[0]
            ),
            reach: "<= 3 MB",
        },
        Row {
            id: "P3",
            what: "each further step (1,100 steps less 100) with 1 MB of variables over the same with 1 KB; 10 pairs"
                .into(),
            found: format!(
                "time {:.2} x ({:.0} us), CPU {:.2} x ({:.0} us)",
                large[2] / small[2],
                large[2],
                large[3] / small[3],
                large[3]
            ),
            reach: "independent of the state",
        },
    ]
}

/// Bytes this process handed to the kernel for writing.
pub(crate) fn written() -> u64 {
    let text = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("wchar: "));
    line.and_then(|n| n.trim().parse().ok()).unwrap_or_default()
}

/// P4: time a step at the end of long histories and in large graphs.
pub(crate) fn growth() -> Vec<Row> {
    let bench = Bench::new();
    let against = |what: &str, small: (usize, usize), large: (usize, usize)| {
        let mut found = [(); 2].map(|()| (Vec::new(), Vec::new()));
        for _ in 0..10 {
            for ((steps, extra), found) in [small, large].into_iter().zip(&mut found) {
                // As many steps on either side, so that both see the same minute of the machine.
                let rounds = large.0 / steps / if steps == large.0 { 1 } else { 10 };
                for _ in 0..rounds {
                    let (wall, used) = bench.run(chain("bench.read", steps, extra), json!({}));
                    found.0.push(wall * 1e6 / steps as f64);
                    found.1.push(used * 1e6 / steps as f64);
                }
            }
        }
        let [small, large] = found.map(|(wall, cpu)| (median(wall), median(cpu)));
        Row {
            id: "P4",
            what: format!("{what}; 10 pairs"),
            found: format!(
                "time {:.2} x ({:.0} us), CPU {:.2} x ({:.0} us)",
                large.0 / small.0,
                large.0,
                large.1 / small.1,
                large.1
            ),
            reach: "<= 1.2",
        }
    };
    vec![
        against("a step in a chain of 10,000 over one in a chain of 100", (100, 0), (10_000, 0)),
        against("a step of 1,000 with 1,000 idle nodes beside them over one with 10", (1_000, 10), (1_000, 1_000)),
    ]
}
