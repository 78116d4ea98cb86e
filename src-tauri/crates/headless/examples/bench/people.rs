//! P5 and P6: errors that are retried, runs that wait for a person and survive `kill -9`; the audit chain.

use crate::Row;
use crate::chains::Bench;
use crate::process::cpu_seconds;
use serde_json::{Value, json};
use signalbox_model::task::Answer;
use signalbox_model::{EventBody, Map, RunOrigin, TaskAction, Workflow, time};
use signalbox_runtime::NewRun;
use signalbox_store::audit::{Actor, Level, Record};
use signalbox_store::{AnswerTask, Store};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

const RUNS: usize = 1_000;
/// First argument of the process that is killed.
pub(crate) const CHILD: &str = "paused-runs";

fn flaky(steps: usize, kind: &str) -> Value {
    let mut nodes = Map::new();
    let mut edges = Vec::new();
    for i in 0..steps {
        let policy = json!({ "maxAttempts": 3, "backoff": "fixed", "initialDelayMs": 0, "jitter": false });
        nodes.insert(format!("n{i}"), json!({ "type": kind, "errorHandling": { "retryPolicy": policy } }));
        if i > 0 {
            edges.push(json!({ "from": format!("n{}.success", i - 1), "to": format!("n{i}") }));
        }
    }
    json!({ "signalbox": 1, "id": "bench", "name": "Bench", "nodes": nodes, "edges": edges })
}

/// P5: each of 200 steps fails twice, retryably; what one such error costs beside the same chain without errors.
pub(crate) fn errors() -> Vec<Row> {
    let bench = Bench::new();
    let steps = 200;
    let mut costs = Vec::new();
    for _ in 0..10 {
        let (_, plain) = bench.run(flaky(steps, "bench.read"), json!({}));
        let (_, failing) = bench.run(flaky(steps, "bench.flaky"), json!({}));
        costs.push((failing - plain) * 1000.0 / (2 * steps) as f64);
    }
    let run = bench.last_run();
    let recorded = bench
        .runtime
        .store()
        .events(&run, 0, 100_000)
        .map(|events| events.iter().filter(|event| matches!(event.body, EventBody::StepError(_))).count())
        .unwrap_or_default();
    costs.sort_by(f64::total_cmp);
    vec![Row {
        id: "P5",
        what: format!(
            "{steps} steps that each fail twice and are retried, against the same steps without errors, 10 pairs"
        ),
        found: format!(
            "{recorded} of {} errors recorded, {:.3} ms CPU an error (from {:.3} to {:.3}), its audit entries included",
            2 * steps,
            costs[costs.len() / 2],
            costs[0],
            costs[costs.len() - 1]
        ),
        reach: "every attempt recorded; <= 0.1 ms CPU",
    }]
}

/// The process that is killed: starts the runs, says when all wait, and waits itself.
pub(crate) fn child(folder: &Path) {
    let bench = Bench::at(folder);
    let file = json!({
        "signalbox": 1, "id": "bench", "name": "Bench", "settings": { "errorPolicy": "safe" },
        "nodes": { "c": { "type": "flow.fail", "config": { "error": { "message": "refused" } } } }, "edges": []
    });
    let workflow: Workflow = serde_json::from_value(file).expect("a workflow");
    let seconds = bench.threads.block_on(async {
        let pinned = bench.runtime.pin(workflow).await.expect("valid");
        let began = Instant::now();
        let mut starting = tokio::task::JoinSet::new();
        for _ in 0..RUNS {
            let (runtime, pinned) = (bench.runtime.clone(), pinned.clone());
            starting.spawn(async move {
                let (params, context) = (json!({}), Map::new());
                let new = NewRun {
                    pinned,
                    params,
                    context,
                    origin: RunOrigin::default(),
                    debug: None,
                    until: None,
                    kept: None,
                };
                runtime.start(new).await.expect("starts")
            });
        }
        while let Some(started) = starting.join_next().await {
            let run = started.expect("a run");
            bench.runtime.wait(&run).await.expect("waits for a person");
        }
        began.elapsed().as_secs_f64()
    });
    println!("{seconds}");
    loop {
        std::thread::park();
    }
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or_default()
}

fn answer(store: &Store, task: &str) {
    let row = store.task(task).expect("readable").expect("there");
    let answer = Answer {
        action: TaskAction::Abort,
        corrected_input: None,
        target_node_id: None,
        budget_micros: None,
        tool_grant: None,
        notes: None,
        operator_id: Some("user:bench".into()),
    };
    let (ts, actor) = (time::format(now_ms()), Actor::operator("user:bench"));
    let record = Record::new(ts, row.run_id, row.step, "HITL_COMPLETED", Level::Info, actor);
    let mut facts = Map::new();
    facts.insert("taskId".into(), task.into());
    store
        .answer_task(AnswerTask {
            task_id: task.into(),
            expected_revision: None,
            answer,
            via: "cli".into(),
            request_id: None,
            secret: None,
            patch: None,
            at_ms: now_ms(),
            record: record.with_metadata(facts),
        })
        .expect("answered");
}

/// P6: 1,000 runs wait for a person, the process is killed, another one answers and goes on.
pub(crate) fn paused() -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args([CHILD.as_ref(), folder.path().as_os_str()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    let pausing: f64 = line.trim().parse().expect("seconds");
    // SIGKILL: nothing is closed.
    child.kill().expect("killed");
    child.wait().expect("gone");

    let began = Instant::now();
    let bench = Bench::at(folder.path());
    let store = bench.runtime.store().clone();
    let runs = store.unowned_unfinished_runs().expect("readable");
    let ready = began.elapsed().as_secs_f64();
    let tasks: Vec<String> = runs.iter().flat_map(|run| store.open_tasks_of(run).expect("readable")).collect();

    let (began, cpu) = (Instant::now(), cpu_seconds());
    std::thread::scope(|scope| {
        for part in tasks.chunks(tasks.len().div_ceil(16).max(1)) {
            let store = &store;
            scope.spawn(move || part.iter().for_each(|task| answer(store, task)));
        }
    });
    let answering = began.elapsed().as_secs_f64();
    let began = Instant::now();
    let ended = bench.threads.block_on(async {
        bench.runtime.resume_all().await.expect("readable");
        let mut ended = 0;
        for run in &runs {
            ended += usize::from(bench.runtime.wait(run).await.is_ok_and(|status| status.is_terminal()));
        }
        ended
    });
    let resuming = began.elapsed().as_secs_f64();
    let cpu = (cpu_seconds() - cpu) * 1000.0 / RUNS as f64;
    vec![Row {
        id: "P6",
        what: format!("{RUNS} runs paused for a person, kill -9, all answered (16 at once) and resumed"),
        found: format!(
            "{:.0} pauses/s, {ended} of {RUNS} survive and end; {:.0} answers/s, {:.0} resumes/s, restart to ready {:.0} ms, \
             {cpu:.2} ms CPU an answer and its run",
            RUNS as f64 / pausing,
            RUNS as f64 / answering,
            RUNS as f64 / resuming,
            ready * 1000.0
        ),
        reach: ">= 5,000 pauses/s, >= 3,500 resumes/s, all survive, <= 1 s",
    }]
}

/// The audit chain: a million entries verified, by the audit crate's own example.
pub(crate) fn audit(root: &Path) -> Vec<Row> {
    let told = Command::new("cargo")
        .args(["run", "-q", "--release", "-p", "signalbox-audit", "--example", "verify_million"])
        .current_dir(root)
        .output();
    let found = match told {
        Ok(told) if told.status.success() => {
            String::from_utf8_lossy(&told.stdout).lines().collect::<Vec<_>>().join("; ")
        }
        Ok(told) => format!("failed: {}", String::from_utf8_lossy(&told.stderr)),
        Err(error) => format!("cannot run: {error}"),
    };
    vec![Row { id: "audit", what: "1,000,000 entries sealed and verified".into(), found, reach: "verified in <= 10 s" }]
}
