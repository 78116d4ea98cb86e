//! Failures that are alike: how fast a replay begins their runs, how soon it stops, and what looking at them costs.

use crate::Row;
use crate::chains::{Bench, new_run};
use crate::process::cpu_seconds;
use serde_json::{Value, json};
use signalbox_app::dto::Host;
use signalbox_app::{App, Caller, Options};
use signalbox_model::Workflow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Failures that are replayed.
const FAILURES: usize = 10_000;
/// Failures that are looked at.
const MANY: usize = 100_000;
/// Runs that are under way at a time.
const AT_ONCE: usize = 64;
/// Runs that have begun when the replay is stopped.
const BEFORE_STOP: u64 = 2_000;
/// Requests for each median.
const TIMES: usize = 20;

/// a → book (needs a number) → end. `amount` comes as text, so booking fails.
fn flow(id: &str) -> Workflow {
    let file = json!({
        "signalbox": 1, "id": id, "name": "Orders", "settings": { "errorPolicy": "fail" },
        "nodes": {
            "a": { "type": "data.set", "config": { "assign": { "amount": "=params.amount", "id": "=params.id" }, "keep": false } },
            "book": { "type": "data.set", "config": { "assign": { "total": "=item.amount * 2.0" } } },
            "end": { "type": "data.set", "config": { "assign": { "done": true } } },
        },
        "edges": [{ "from": "a.success", "to": "book" }, { "from": "book.success", "to": "end" }]
    });
    serde_json::from_value(file).expect("a workflow")
}

/// Starts runs of a workflow, some side by side, until each has ended: seconds of wall and CPU time.
fn start_runs(folder: &Path, id: &str, count: usize, amount: &Value) -> (f64, f64) {
    let bench = Bench::at(folder);
    bench.threads.block_on(async {
        let pinned = bench.runtime.pin(flow(id)).await.expect("valid");
        let (began, used) = (Instant::now(), cpu_seconds());
        let mut under_way = tokio::task::JoinSet::new();
        for at in 0..count {
            if under_way.len() >= AT_ONCE {
                under_way.join_next().await;
            }
            let (runtime, new) =
                (bench.runtime.clone(), new_run(pinned.clone(), json!({ "id": at, "amount": amount })));
            under_way.spawn(async move {
                let run = runtime.start(new).await.expect("starts");
                runtime.wait(&run).await.expect("ends");
            });
        }
        while under_way.join_next().await.is_some() {}
        (began.elapsed().as_secs_f64(), cpu_seconds() - used)
    })
}

struct Window {
    app: Arc<App>,
    threads: tokio::runtime::Runtime,
}

impl Window {
    fn ask(&self, command: &str, request: Value) -> Value {
        let answer = self.threads.block_on(self.app.dispatch_text(&Caller::here(), command, request)).expect("answers");
        serde_json::from_str(&answer).expect("JSON")
    }

    /// Median milliseconds of a request.
    fn median(&self, command: &str, request: &Value) -> f64 {
        let mut took: Vec<f64> = (0..TIMES)
            .map(|_| {
                let began = Instant::now();
                self.ask(command, request.clone());
                began.elapsed().as_secs_f64() * 1000.0
            })
            .collect();
        took.sort_by(f64::total_cmp);
        took[took.len() / 2]
    }

    fn group_of(&self, workflow: &str) -> String {
        let groups = self.ask("failure_groups", json!({ "workflow": workflow }));
        groups["groups"][0]["group"].as_str().expect("a group").to_owned()
    }

    fn start(&self, group: &str) -> String {
        let request = json!({ "group": group, "correction": rule(), "reason": "amounts came as text", "rate": 10_000,
            "concurrency": AT_ONCE });
        self.ask("replay_start", request)["replay"].as_str().expect("a replay").to_owned()
    }

    /// Looks at a replay as the window does, until it is as far as wanted.
    fn until(&self, replay: &str, is_far: impl Fn(&Value) -> bool) -> Value {
        loop {
            let now = self.ask("replay_get", json!({ "replay": replay }));
            if is_far(&now) {
                return now;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Stops a replay with its runs: seconds until nothing begins any more, and until no run of it is under way.
    fn stop(&self, replay: &str) -> (f64, f64, u64) {
        let began = Instant::now();
        let stopped = self.ask("replay_stop", json!({ "replay": replay, "cancelRuns": true }));
        let answered = began.elapsed().as_secs_f64();
        let ended = self.until(replay, |now| now["running"] == 0);
        let all_ended = began.elapsed().as_secs_f64();
        let later = ended["started"].as_u64().unwrap_or_default() - stopped["started"].as_u64().unwrap_or_default();
        (answered, all_ended, later)
    }
}

fn rule() -> Value {
    json!({ "patch": [{ "op": "replace", "path": "/amount", "value": "=double(item.amount)" }] })
}

fn open(folder: &Path) -> Window {
    let options = Options { host: Host::Desktop, allow: Vec::new(), stays: false, reads: false };
    let app = App::open(folder, options).expect("opens");
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("an executor");
    Window { app, threads }
}

/// Most memory of this process until now, MB.
fn most_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}

/// Memory is counted from here on.
fn reset_memory() {
    drop(std::fs::write("/proc/self/clear_refs", "5"));
}

/// Failures and replays.
pub(crate) fn failures() -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (_, plain) = start_runs(folder.path(), "plain", FAILURES, &json!(12.5));
    start_runs(folder.path(), "orders", FAILURES, &json!("12.5"));
    reset_memory();
    let window = open(folder.path());
    let group = window.group_of("orders");
    let stopped = window.start(&group);
    window.until(&stopped, |now| now["started"].as_u64() >= Some(BEFORE_STOP));
    let (answered, ended, later) = window.stop(&stopped);
    let (began, used) = (Instant::now(), cpu_seconds());
    let again = window.start(&group);
    let done = window.until(&again, |now| now["waiting"] == 0);
    let (took, cpu) = (began.elapsed().as_secs_f64(), cpu_seconds() - used);
    let runs = done["started"].as_f64().unwrap_or_default();
    let refused = done["refused"].as_u64().unwrap_or_default() + done["skipped"].as_u64().unwrap_or_default();
    let most = most_memory();
    let found = format!(
        "{:.0} runs/s started of {runs:.0} ({refused} not), {:.2} ms CPU a run ({:.2} x a plain run of the workflow); \
         {most:.0} MB at most",
        runs / took,
        cpu * 1000.0 / runs,
        (cpu / runs) / (plain / FAILURES as f64),
    );
    let stop = format!(
        "answered after {:.0} ms, {later} begin later, the runs that were under way ended after {:.0} ms",
        answered * 1000.0,
        ended * 1000.0
    );
    drop(window);
    let mut rows = vec![
        Row {
            id: "failures",
            what: format!("a patch replays what is left of {FAILURES} failures, {AT_ONCE} at once"),
            found,
            reach: ">= 500 runs/s",
        },
        Row {
            id: "failures",
            what: format!("the replay is stopped with its runs after {BEFORE_STOP} have begun"),
            found: stop,
            reach: "<= 1 s",
        },
    ];
    rows.push(many(folder.path()));
    rows
}

/// A hundred thousand failures of one kind.
fn many(folder: &Path) -> Row {
    start_runs(folder, "many", MANY, &json!("12.5"));
    reset_memory();
    let window = open(folder);
    let before = most_memory();
    let group = window.group_of("many");
    let listed = window.median("failure_groups", &json!({}));
    let details = window.median("failure_group", &json!({ "group": group }));
    let page = window.median("failure_members", &json!({ "group": group, "limit": 200 }));
    let preview = window.median("failure_preview", &json!({ "group": group, "correction": rule(), "limit": 100 }));
    let began = Instant::now();
    let replay = window.start(&group);
    let started = began.elapsed().as_secs_f64() * 1000.0;
    window.until(&replay, |now| now["started"].as_u64() >= Some(BEFORE_STOP));
    let looked = window.median("replay_get", &json!({ "replay": replay }));
    let (answered, ended, later) = window.stop(&replay);
    Row {
        id: "failures",
        what: format!(
            "{MANY} failures of one kind: groups, one group, 200 of its failures, a preview of 100, start of the replay, a look at it, stop"
        ),
        found: format!(
            "{listed:.1}, {details:.1}, {page:.1}, {preview:.0}, {started:.0}, {looked:.0}, {:.0} ms ({:.0} until the last run ended, {later} begin \
             later); {:.0} MB at most, of which the program takes {before:.0}",
            answered * 1000.0,
            ended * 1000.0,
            most_memory(),
        ),
        reach: "stop <= 1 s; memory bounded",
    }
}
