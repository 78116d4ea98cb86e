//! P9: what was recorded, found again as the window asks for it: the list of runs, a run that is opened, the end of a long log.

use crate::Row;
use crate::chains::{Bench, chain};
use serde_json::{Value, json};
use signalbox_app::dto::Host;
use signalbox_app::{App, Caller, Options};
use signalbox_model::{Map, RunOrigin, Workflow};
use signalbox_runtime::NewRun;
use std::sync::Arc;
use std::time::Instant;

const RUNS: usize = 100_000;
/// Runs that are under way at a time while the list is made.
const AT_ONCE: usize = 64;
const STEPS: usize = 10_000;
/// A loop writes two events a turn.
const TURNS: usize = 1_000;
const ROUNDS: usize = 500;
const TIMES: u32 = 50;
/// As many events as an answer has at most.
const PAGE: u64 = 1_000;

/// CPU time of this process, those threads too that have ended, seconds; ticks of 10 ms.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}

fn many_runs(bench: &Bench) {
    let workflow: Workflow = serde_json::from_value(chain("flow.noop", 1, 0)).expect("a workflow");
    bench.threads.block_on(async {
        let pinned = bench.runtime.pin(workflow).await.expect("valid");
        let mut under_way = tokio::task::JoinSet::new();
        for _ in 0..RUNS {
            if under_way.len() >= AT_ONCE {
                under_way.join_next().await;
            }
            let (runtime, pinned) = (bench.runtime.clone(), pinned.clone());
            under_way.spawn(async move {
                let new = NewRun {
                    pinned,
                    params: json!({}),
                    context: Map::new(),
                    origin: RunOrigin::default(),
                    debug: None,
                    until: None,
                    kept: None,
                };
                let run = runtime.start(new).await.expect("starts");
                runtime.wait(&run).await.expect("ends");
            });
        }
        while under_way.join_next().await.is_some() {}
    });
}

/// Rounds of turns, so that no single event is as large as the run is long.
fn counting() -> Value {
    json!({ "signalbox": 1, "id": "count", "name": "Count", "nodes": {
        "o": { "type": "flow.loop", "config": { "while": "_index < params.count" } },
        "l": { "type": "flow.loop", "parent": "o", "config": { "while": format!("_index < {TURNS}") } },
        "b": { "type": "data.set", "parent": "l", "config": { "assign": { "n": "=_index" }, "keep": false } },
        "d": { "type": "data.aggregate", "parent": "o" },
        "c": { "type": "data.set", "parent": "o", "config": { "assign": { "n": "=size(item.items)" }, "keep": false } } },
        "edges": [{ "from": "l.success", "to": "d" }, { "from": "d.success", "to": "c" }] })
}

/// One request after the other; milliseconds of wall and CPU time each, and the length of the last answer.
struct Asked<'a> {
    app: &'a Arc<App>,
    threads: &'a tokio::runtime::Runtime,
}

impl Asked<'_> {
    fn once(&self, command: &str, request: &Value) -> usize {
        let caller = Caller::here();
        self.threads.block_on(self.app.dispatch_text(&caller, command, request.clone())).expect("answers").len()
    }

    fn each(&self, requests: &[(&str, Value)]) -> (f64, f64, usize) {
        let mut bytes = 0;
        let mut walls = Vec::new();
        let used = cpu();
        for _ in 0..TIMES {
            let began = Instant::now();
            bytes = requests.iter().map(|(command, request)| self.once(command, request)).sum();
            walls.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        let used = (cpu() - used) * 1000.0 / f64::from(TIMES);
        walls.sort_by(f64::total_cmp);
        (walls[walls.len() / 2], used, bytes)
    }
}

/// P9.
pub(crate) fn history() -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = Bench::at(folder.path());
    many_runs(&bench);
    bench.run(chain("flow.noop", STEPS, 0), json!({}));
    let steps = bench.last_run();
    bench.run(counting(), json!({ "count": ROUNDS }));
    let long = bench.last_run();
    let last = bench.runtime.store().run(&long).expect("its row").last_seq;

    let options = Options { host: Host::Desktop, allow: Vec::new(), stays: false, reads: false };
    let app = App::open(folder.path(), options).expect("opens");
    let asked = Asked { app: &app, threads: &bench.threads };
    let (page, page_cpu, _) = asked.each(&[("run_list", json!({ "limit": 50 }))]);
    let first = json!({ "runId": steps, "after": 0, "limit": PAGE });
    let (open, open_cpu, _) = asked.each(&[("run_get", json!({ "runId": steps })), ("run_events", first)]);
    let (tail, tail_cpu, _) =
        asked.each(&[("run_events", json!({ "runId": long, "after": last - 100, "limit": 100 }))]);
    let (began, used) = (Instant::now(), cpu());
    let bytes: usize = (0..last)
        .step_by(1_000)
        .map(|after| asked.once("run_events", &json!({ "runId": long, "after": after, "limit": PAGE })))
        .sum();
    let (whole, whole_cpu) = (began.elapsed().as_secs_f64(), cpu() - used);
    vec![
        Row {
            id: "P9",
            what: format!("first page of {RUNS} runs, as the window asks for it, median of {TIMES}"),
            found: format!("{page:.1} ms, {page_cpu:.1} ms CPU"),
            reach: "<= 10 ms",
        },
        Row {
            id: "P9",
            what: format!(
                "a run of {STEPS} steps is opened: what it is and its first {PAGE} events, median of {TIMES}"
            ),
            found: format!("{open:.1} ms, {open_cpu:.1} ms CPU"),
            reach: "<= 50 ms, CPU <= 20 ms",
        },
        Row {
            id: "P9",
            what: format!("the last 100 of {last} events, median of {TIMES}"),
            found: format!("{tail:.1} ms, {tail_cpu:.1} ms CPU"),
            reach: "<= 10 ms",
        },
        Row {
            id: "P9",
            what: format!("all {last} events, page after page"),
            found: format!(
                "{whole:.1} s, {:.1} us CPU an event ({} MB)",
                whole_cpu * 1e6 / last as f64,
                bytes / 1_000_000
            ),
            reach: "",
        },
    ]
}
