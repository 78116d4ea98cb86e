//! The programs of `cargo xtask peers restate --bench`: a worker whose steps cost nothing, a bare Restate service with as many
//! `ctx.run`, and who starts runs of either and waits for their ends. `tests/peers/restate-bench.mjs` puts them together.

// Without these nothing can be measured.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bare;
mod host;

use restate_sdk::prelude::{Endpoint, HttpServer};
use serde_json::{Value, json};
use signalbox_model::Workflow;
use signalbox_restate::{Admin, Ingress, Listen, Log, Registering, RestateServer};
use signalbox_runtime::Runtime;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use url::Url;

fn argument(name: &str) -> Option<String> {
    let mut args = std::env::args().skip_while(|arg| arg != name);
    args.nth(1)
}

fn required(name: &str) -> String {
    argument(name).unwrap_or_else(|| panic!("{name} is missing"))
}

fn number(name: &str) -> usize {
    required(name).parse().expect("a number")
}

fn url(name: &str) -> Url {
    required(name).parse().expect("an address")
}

fn server() -> RestateServer {
    RestateServer { ingress: url("--restate"), admin: url("--restate-admin"), token: None }
}

fn quiet() -> Log {
    Arc::new(|line| eprintln!("{line}"))
}

#[tokio::main]
async fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("worker") => worker().await,
        Some("bare") => serve_bare().await,
        Some("drive") => drive().await,
        _ => panic!("worker, bare or drive"),
    }
}

async fn worker() {
    let runtime = host::runtime(Some(&required("--history")));
    let ingress = Ingress::new(server(), Handle::current(), quiet()).expect("a client");
    runtime.hand_runs_to(Arc::new(ingress));
    let listen = Listen { addr: required("--listen").parse().expect("an address"), identity_key: None };
    let bound = signalbox_restate::bind(&listen).await.expect("a free address");
    let admin = Admin::new(server()).expect("a client");
    let registering = Registering { admin, url: url("--url"), release: "bench".into(), log: quiet() };
    tokio::spawn(registering.register());
    bound.serve(runtime, quiet(), std::future::pending()).await.expect("serves");
}

async fn serve_bare() {
    let listener = tokio::net::TcpListener::bind(required("--listen")).await.expect("a free address");
    let endpoint = Endpoint::builder().bind(bare::Bare).build();
    HttpServer::new(endpoint).serve_with_cancel(listener, std::future::pending::<()>()).await;
}

/// Runs of `--steps` steps, `--count` of them, `--at-once` side by side: seconds from the first start to the last end.
async fn drive() {
    let (steps, count, at_once) = (number("--steps"), number("--count"), number("--at-once"));
    let seconds = match required("--of").as_str() {
        "bare" => drive_bare(steps, count, at_once).await,
        "restate" => {
            let runtime = host::runtime(Some(&required("--history")));
            let ingress = Ingress::new(server(), Handle::current(), quiet()).expect("a client");
            runtime.hand_runs_to(Arc::new(ingress));
            drive_runs(&runtime, steps, count, at_once).await
        }
        // Without Restate, in this process.
        "history" => drive_runs(&host::runtime(Some(&required("--history"))), steps, count, at_once).await,
        "file" => drive_runs(&host::runtime(None), steps, count, at_once).await,
        other => panic!("--of {other}"),
    };
    println!("{}", json!({ "seconds": seconds, "cpu": host::cpu_seconds() }));
}

async fn drive_bare(steps: usize, count: usize, at_once: usize) -> f64 {
    // The client asks for one, also where nothing is encrypted.
    let _already = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).build().expect("a client");
    let (base, run) = (required("--restate"), std::process::id());
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for task in 0..at_once {
        let (client, base) = (client.clone(), base.clone());
        tasks.spawn(async move {
            for n in (task..count).step_by(at_once) {
                let url = format!("{}/Bare/{run}-{n}/steps", base.trim_end_matches('/'));
                let request = client.post(url).header("content-type", "application/json").body(steps.to_string());
                let answer = request.send().await.expect("an answer");
                assert!(answer.status().is_success(), "{}", answer.text().await.unwrap_or_default());
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.expect("no panic");
    }
    began.elapsed().as_secs_f64()
}

async fn drive_runs(runtime: &Runtime, steps: usize, count: usize, at_once: usize) -> f64 {
    let workflow: Workflow = serde_json::from_value(chain(steps)).expect("a workflow");
    let pinned = runtime.pin(workflow).await.expect("valid");
    let before = ended(runtime);
    let (mut started, began) = (0, Instant::now());
    loop {
        let over = ended(runtime) - before;
        if over == count {
            return began.elapsed().as_secs_f64();
        }
        let mut starts = JoinSet::new();
        while started < count && started - over < at_once {
            let (runtime, new) = (runtime.clone(), host::new_run(pinned.clone()));
            starts.spawn(async move { runtime.start(new).await.expect("starts") });
            started += 1;
        }
        if starts.is_empty() {
            // Looks are work of the database, too: as few as the figures can bear.
            tokio::time::sleep(Duration::from_millis(if at_once == 1 { 5 } else { 25 })).await;
        }
        starts.join_all().await;
    }
}

/// Runs that have ended well.
fn ended(runtime: &Runtime) -> usize {
    let counts = runtime.store().run_counts().expect("reads");
    let of = |status: &str| counts.iter().find(|(name, _)| name == status).map_or(0, |(_, count)| *count);
    assert_eq!(of("failed"), 0, "a run failed");
    usize::try_from(of("completed")).expect("few")
}

fn chain(steps: usize) -> Value {
    let nodes: serde_json::Map<String, Value> =
        (0..steps).map(|n| (format!("n{n}"), json!({ "type": "bench.write" }))).collect();
    let edges: Vec<Value> =
        (1..steps).map(|n| json!({ "from": format!("n{}.success", n - 1), "to": format!("n{n}") })).collect();
    json!({ "signalbox": 1, "id": "bench", "name": "Bench", "nodes": nodes, "edges": edges })
}
