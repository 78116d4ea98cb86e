//! `followers`: a run of about 3,000 events alone and with 200 followers over SSE, turn about, each in a new server (ADR 87). The run
//! waits for a request that is answered when all follow.
//!
//! `SIGNALBOX_BENCH_BINARY` is a program instead of a release build.

use crate::Row;
use crate::process::server;
use crate::served::{Served, text_at};
use serde_json::json;
use signalbox_model::time;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Who follows.
pub(crate) const FOLLOWERS: usize = 200;
/// Iterations of three steps, each of which has two events.
const ITERATIONS: usize = 500;
/// So many that what followers cost shows beside the start and the end of a run.
pub(crate) const MANY_ITERATIONS: usize = 3_000;
/// Pairs of runs.
const PAIRS: usize = 5;
const SOON: Duration = Duration::from_millis(20);

/// What a run took from where it went on.
pub(crate) struct Taken {
    pub(crate) seconds: f64,
    /// Until the last follower had all of it, where there were any.
    pub(crate) told: f64,
    pub(crate) cpu: f64,
    /// Most memory of the server, MB.
    pub(crate) peak: f64,
}

/// A server that answers a request once `open` is set.
fn gate(open: Arc<AtomicBool>) -> Option<String> {
    let listener = TcpListener::bind("127.0.0.1:0").ok()?;
    let url = format!("http://{}/", listener.local_addr().ok()?);
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().ok()?;
        drop(stream.read(&mut [0; 4096]));
        while !open.load(Ordering::Acquire) {
            std::thread::sleep(SOON);
        }
        let answer =
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
        stream.write_all(answer.as_bytes()).ok()
    });
    Some(url)
}

fn document(url: &str, iterations: usize) -> String {
    let step = |field: &str| {
        let config = json!({ "assign": { field: "=_item" }, "keep": false });
        json!({ "type": "data.set", "parent": "loop", "config": config })
    };
    let all: Vec<usize> = (0..iterations).collect();
    json!({
        "signalbox": 1, "id": "followed", "name": "Followed", "settings": { "errorPolicy": "fail" },
        "nodes": {
            "gate": { "type": "http.request", "config": { "method": "GET", "url": url } },
            "list": { "type": "data.set", "config": { "assign": { "all": all }, "keep": false } },
            "loop": { "type": "flow.loop", "config": { "source": "=item.all" } },
            "a": step("a"), "b": step("b"), "c": step("c")
        },
        "edges": [
            { "from": "gate.success", "to": "list" }, { "from": "list.success", "to": "loop" },
            { "from": "a.success", "to": "b" }, { "from": "b.success", "to": "c" }
        ]
    })
    .to_string()
}

/// The events of a run.
pub(crate) fn events(iterations: usize) -> usize {
    iterations * 6 + 8
}

/// A run, followed by so many.
pub(crate) fn run(binary: &Path, followers: usize, iterations: usize) -> Option<Taken> {
    let served = Arc::new(Served::start(binary)?);
    let mut connection = served.connect()?;
    let open = Arc::new(AtomicBool::new(false));
    let asked = format!("{{\"document\":{},\"params\":{{}}}}", document(&gate(Arc::clone(&open))?, iterations));
    let (_, told) = served.ask(&mut connection, "/rpc/run_start", &asked)?;
    let run = text_at(&told, "runId")?.to_owned();
    let begun = Arc::new(AtomicUsize::new(0));
    let following: Vec<_> = (0..followers)
        .map(|_| {
            let (served, begun, path) = (Arc::clone(&served), Arc::clone(&begun), format!("/workflow/{run}/events"));
            std::thread::spawn(move || {
                served.drain_after("GET", &path, "", &mut || {
                    begun.fetch_add(1, Ordering::AcqRel);
                })
            })
        })
        .collect();
    while begun.load(Ordering::Acquire) < followers {
        std::thread::sleep(SOON);
    }
    std::thread::sleep(SOON * 10);
    served.reset_peak();
    let cpu = served.cpu();
    let went_on = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs_f64();
    open.store(true, Ordering::Release);
    let ended = loop {
        std::thread::sleep(SOON * 5);
        let (_, page) = served.ask(&mut connection, "/rpc/run_list", "{\"limit\":1}")?;
        if let Some(ended) = text_at(&page, "endedAt").and_then(time::parse) {
            break ended;
        }
    };
    let lengths: Vec<u64> =
        following.into_iter().filter_map(|one| one.join().ok()?.map(|(_, bytes, _)| bytes)).collect();
    let told = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs_f64() - went_on;
    let all = iterations as u64 * 1_000;
    assert!(lengths.len() == followers && lengths.iter().all(|bytes| *bytes > all), "each got all: {lengths:?}");
    Some(Taken {
        seconds: ended as f64 / 1e3 - went_on,
        told,
        cpu: served.cpu() - cpu,
        peak: served.peak() as f64 / 1e6,
    })
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or_default()
}

/// Alone and followed, turn about.
pub(crate) fn followers(root: &Path) -> Vec<Row> {
    let given = std::env::var("SIGNALBOX_BENCH_BINARY").ok().filter(|path| !path.is_empty());
    let Some(binary) = given.map(PathBuf::from).or_else(|| server(root)) else { return Vec::new() };
    let pairs: Vec<(Taken, Taken)> =
        (0..PAIRS).filter_map(|_| Some((run(&binary, 0, ITERATIONS)?, run(&binary, FOLLOWERS, ITERATIONS)?))).collect();
    let of = |ratio: &dyn Fn(&(Taken, Taken)) -> f64| median(pairs.iter().map(ratio).collect());
    let found = format!(
        "{:.2} x as long, {:.2} x the processor time; {:.0} MB more, {:.0} MB at most (medians of {} pairs)",
        of(&|(alone, followed)| followed.seconds / alone.seconds),
        of(&|(alone, followed)| followed.cpu / alone.cpu),
        of(&|(alone, followed)| followed.peak - alone.peak),
        of(&|(_, followed)| followed.peak),
        pairs.len()
    );
    let what = format!("{FOLLOWERS} SSE followers of a run of {} events", events(ITERATIONS));
    vec![Row { id: "followers", what, found, reach: "<= 1.5 x as long; <= 100 MB more" }]
}
