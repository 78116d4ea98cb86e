//! How close the store comes to SQLite's own limit: `cargo run --release --example bench_store -p signalbox-store [FOLDER]`.
//!
//! Turn about in one process: slices of raw commits (one row each into a WAL database) and slices of store commits (a
//! `step_done` and the next `step_start`, as a driver writes them), then many runs that share their syncs, then reading.

// Without these nothing can be measured.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use rusqlite::Connection;
use serde_json::json;
use signalbox_model::event::{EventBody, StepPrint, Telemetry, VarChanged, WorkflowStart};
use signalbox_model::{RunEvent, RunOrigin, RunStatus, time};
use signalbox_store::{NewRun, Owner, RunCommit, RunQuery, Snapshot, Store, StoreOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

const SLICES: usize = 10;
const PER_SLICE: u64 = 500;

fn noise(state: &mut u64, length: usize) -> String {
    (0..length)
        .map(|_| {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            char::from(b'a' + (*state % 26) as u8)
        })
        .collect()
}

fn event(run: &str, seq: u64, body: EventBody) -> RunEvent {
    RunEvent {
        run_id: run.into(),
        seq: Some(seq),
        ts: time::format(1_795_300_686_123 + seq as i64),
        step_id: Some("step".into()),
        path: None,
        item: None,
        visit: Some(1),
        attempt: Some(0),
        body,
        client_run_token: None,
    }
}

fn print(run: &str, seq: u64, text: &str) -> RunEvent {
    event(run, seq, Telemetry::StepPrint(StepPrint { value: Arc::new(json!({ "n": seq, "text": text })) }).into())
}

fn create(store: &Store, run: &str, started_ms: i64) -> Owner {
    let body = WorkflowStart {
        name: "Bench".into(),
        version: "v".into(),
        params: Arc::new(json!({})),
        seed: "0".repeat(16),
        context: None,
        started_by: None,
        resumed_from: None,
        until: None,
        parent_run_id: None,
        base_seq: None,
        base: None,
    };
    let new = NewRun {
        run_id: run.into(),
        workflow_id: "bench".into(),
        workflow_name: "Bench".into(),
        definition_hash: "h".into(),
        definition: None,
        parent_run_id: None,
        started_ms,
        origin: RunOrigin::default(),
        status: RunStatus::Running,
        events: vec![event(run, 1, EventBody::WorkflowStart(body))],
        snapshot: None,
        end: None,
        tasks: Vec::new(),
        audit: Vec::new(),
        durable: false,
        firing: None,
        limited: None,
        replayed: None,
        handed: None,
        rests: false,
        key: None,
    };
    store.create_run(new).expect("is created")
}

struct Raw {
    connection: Connection,
    next: u64,
}

impl Raw {
    fn open(folder: &Path, synchronous: &str) -> Self {
        let connection = Connection::open(folder.join(format!("raw-{synchronous}.db"))).expect("opens");
        connection
            .execute_batch(&format!(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous}; CREATE TABLE t (id INTEGER PRIMARY KEY, x)"
            ))
            .expect("sets up");
        Self { connection, next: 1 }
    }

    fn slice(&mut self, random: &mut u64) -> Duration {
        let text = noise(random, 600);
        let start = Instant::now();
        for _ in 0..PER_SLICE {
            self.connection
                .prepare_cached("INSERT INTO t VALUES (?, ?)")
                .and_then(|mut insert| insert.execute((self.next, &text)))
                .expect("inserts");
            self.next += 1;
        }
        start.elapsed()
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn chain(folder: &Path, store: &Store, durable: bool, random: &mut u64) {
    let name = if durable { "FULL" } else { "NORMAL" };
    let mut raw = Raw::open(folder, name);
    let run = format!("chain-{name}");
    let owner = create(store, &run, 1);
    let mut seq = 2;
    let (mut ratios, mut raws, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..SLICES {
        let raw_time = raw.slice(random).as_secs_f64();
        let text = noise(random, 200);
        let start = Instant::now();
        for _ in 0..PER_SLICE {
            let events = vec![print(&run, seq, &text), print(&run, seq + 1, &text)];
            seq += 2;
            let mut commit = RunCommit::new(&run, owner.clone(), events);
            commit.durable = durable;
            if seq % 200 < 2 {
                commit.snapshot =
                    Some(Snapshot { seq: seq - 1, version: 1, body: json!({"context": text}).to_string() });
            }
            store.commit(commit).expect("commits");
        }
        let our_time = start.elapsed().as_secs_f64();
        ratios.push(raw_time / our_time);
        raws.push(PER_SLICE as f64 / raw_time);
        ours.push(PER_SLICE as f64 / our_time);
    }
    let (low, high) = (ratios.iter().copied().fold(f64::MAX, f64::min), ratios.iter().copied().fold(0.0, f64::max));
    println!(
        "{name:6} one run: raw {:.0}/s, store {:.0}/s (2 events a commit), ratio {:.2} ({low:.2} to {high:.2})",
        median(&mut raws),
        median(&mut ours),
        median(&mut ratios)
    );
}

fn many(store: &Store, durable: bool) {
    const RUNS: usize = 64;
    const STEPS: u64 = 100;
    let name = if durable { "FULL" } else { "NORMAL" };
    let runs: Vec<(String, Owner)> = (0..RUNS)
        .map(|index| {
            let run = format!("many-{name}-{index}");
            let owner = create(store, &run, 2);
            (run, owner)
        })
        .collect();
    let (sender, receiver) = mpsc::channel();
    let submit = |index: usize, step: u64| {
        let (run, owner) = &runs[index];
        let events = vec![print(run, step * 2 + 2, "some text"), print(run, step * 2 + 3, "some text")];
        let mut commit = RunCommit::new(run, owner.clone(), events);
        commit.durable = durable;
        let sender = sender.clone();
        store.submit(
            commit,
            Box::new(move |outcome| {
                outcome.expect("commits");
                sender.send((index, step)).expect("is heard");
            }),
        );
    };
    let start = Instant::now();
    for index in 0..RUNS {
        submit(index, 0);
    }
    for _ in 0..RUNS as u64 * STEPS {
        let (index, step) = receiver.recv().expect("answers");
        if step + 1 < STEPS {
            submit(index, step + 1);
        }
    }
    let rate = RUNS as f64 * STEPS as f64 / start.elapsed().as_secs_f64();
    println!("{name:6} {RUNS} runs at once: {rate:.0} steps/s");
}

fn growth(store: &Store) {
    let owner = create(store, "growth", 3);
    let mut seq = 2;
    let mut per_commit = |target: u64| {
        while seq < target {
            let events = (seq..seq + 200).map(|seq| print("growth", seq, "filling")).collect();
            store.commit(RunCommit::new("growth", owner.clone(), events)).expect("commits");
            seq += 200;
        }
        let mut times = Vec::new();
        for _ in 0..400 {
            let start = Instant::now();
            let event = event(
                "growth",
                seq,
                EventBody::VarChanged(VarChanged {
                    name: "$v".into(),
                    old_value: None,
                    new_value: Arc::new(json!(seq)),
                }),
            );
            store.commit(RunCommit::new("growth", owner.clone(), vec![event])).expect("commits");
            times.push(start.elapsed().as_secs_f64() * 1e6);
            seq += 1;
        }
        median(&mut times)
    };
    let (at_100, at_10_000, at_1_000_000) = (per_commit(100), per_commit(10_000), per_commit(1_000_000));
    println!("growth: a commit at event 100 {at_100:.0} us, 10,000 {at_10_000:.0} us, 1,000,000 {at_1_000_000:.0} us");
    let last = store.run("growth").expect("reads").last_seq;
    for _ in 0..2 {
        let start = Instant::now();
        let tail = store.events("growth", last - 200, 200).expect("reads");
        println!("tail of 1,000,000 events: {} rows in {:.2} ms", tail.len(), start.elapsed().as_secs_f64() * 1e3);
    }
    let start = Instant::now();
    let all = store.events("growth", 0, 10_000).expect("reads");
    println!("10,000 events: {} rows in {:.1} ms", all.len(), start.elapsed().as_secs_f64() * 1e3);
}

fn history(store: &Store) {
    let (sender, receiver) = mpsc::channel();
    const RUNS: i64 = 100_000;
    for index in 0..RUNS {
        let run = format!("history-{index:06}");
        let sender = sender.clone();
        let new = NewRun {
            run_id: run,
            workflow_id: format!("workflow-{}", index % 20),
            workflow_name: "History".into(),
            definition_hash: "h".into(),
            definition: None,
            parent_run_id: None,
            started_ms: 1_000 + index,
            origin: RunOrigin::default(),
            status: RunStatus::Paused,
            events: Vec::new(),
            snapshot: None,
            end: None,
            tasks: Vec::new(),
            audit: Vec::new(),
            durable: false,
            firing: None,
            limited: None,
            replayed: None,
            handed: None,
            rests: false,
            key: None,
        };
        store.submit_run(new, Box::new(move |outcome| sender.send(outcome.is_ok()).expect("is heard")));
    }
    for _ in 0..RUNS {
        assert!(receiver.recv().expect("answers"));
    }
    for query in [
        RunQuery::default(),
        RunQuery { workflow: Some("workflow-7".into()), ..RunQuery::default() },
        RunQuery { status: Some(RunStatus::Failed), ..RunQuery::default() },
        RunQuery { text: Some("history-000001".into()), ..RunQuery::default() },
    ] {
        let start = Instant::now();
        let rows = store.runs(&query).expect("lists").runs.len();
        println!("100,000 runs: {rows} rows in {:.2} ms for {query:?}", start.elapsed().as_secs_f64() * 1e3);
    }
}

fn main() {
    let folder = std::env::args().nth(1).map_or_else(|| std::env::temp_dir().join("signalbox-bench"), PathBuf::from);
    let folder = folder.join(std::process::id().to_string());
    std::fs::create_dir_all(&folder).expect("folder");
    let start = Instant::now();
    let store = Store::open(&folder, &StoreOptions::default()).expect("opens");
    println!("a new store: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let mut random = 0x2545_f491_4f6c_dd1d;
    chain(&folder, &store, true, &mut random);
    chain(&folder, &store, false, &mut random);
    many(&store, true);
    many(&store, false);
    growth(&store);
    history(&store);
    drop(store);
    let start = Instant::now();
    drop(Store::open(&folder, &StoreOptions::default()).expect("opens"));
    println!("open and close: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    std::fs::remove_dir_all(&folder).expect("cleans up");
}
