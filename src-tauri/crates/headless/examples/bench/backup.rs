//! What a backup costs the steps that run meanwhile: `signalbox backup` in a process of its own, of the store of a server under load.
//!
//! `SIGNALBOX_BENCH_BINARY` is the server when it is given, `SIGNALBOX_BENCH_BACKUP` are the programs that make the backups (divided by
//! `:`; the server's otherwise), `SIGNALBOX_BENCH_MB` is the size of the store.

use crate::Row;
use crate::process::server;
use crate::served::Served;
use serde_json::json;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Runs under way at a time, and synced steps of each.
const AT_ONCE: usize = 4;
const STEPS: usize = 5;
/// Pairs of measurements.
const PAIRS: usize = 3;
/// How long the load is measured without a backup, before and after each.
const ALONE: Duration = Duration::from_secs(10);
/// The value that a run of the filling holds.
const VALUE: usize = 500_000;
const MEGABYTES: usize = 2_000;

/// A service that steps call: counts requests, and says when the last step of a run calls.
struct Service {
    base: String,
    steps: Arc<AtomicU64>,
}

impl Service {
    fn start(ended: Vec<mpsc::Sender<()>>) -> Option<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").ok()?;
        let base = format!("http://{}", listener.local_addr().ok()?);
        let steps = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&steps);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (counted, ended) = (Arc::clone(&counted), ended.clone());
                std::thread::spawn(move || answer(stream, &counted, &ended));
            }
        });
        Some(Self { base, steps })
    }

    fn count(&self) -> u64 {
        self.steps.load(Ordering::Acquire)
    }

    /// Steps a second while `work` is done.
    fn rate<T>(&self, work: impl FnOnce() -> T) -> (f64, f64, T) {
        let (began, before) = (Instant::now(), self.count());
        let done = work();
        let seconds = began.elapsed().as_secs_f64();
        ((self.count() - before) as f64 / seconds, seconds, done)
    }
}

/// Requests of one connection. The path is `/LOAD/STEP`.
fn answer(stream: TcpStream, counted: &AtomicU64, ended: &[mpsc::Sender<()>]) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let (mut path, mut length, mut line) = (String::new(), 0_u64, String::new());
        loop {
            line.clear();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if path.is_empty() {
                path = line.split(' ').nth(1)?.to_owned();
            }
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok()?;
            }
            if line.trim_end().is_empty() {
                break;
            }
        }
        std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink()).ok()?;
        let answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        reader.get_mut().write_all(answer).ok()?;
        counted.fetch_add(1, Ordering::AcqRel);
        let mut parts = path.split('/').skip(1).map(str::parse::<usize>);
        if let (Some(Ok(load)), Some(Ok(step))) = (parts.next(), parts.next())
            && step + 1 == STEPS
        {
            ended.get(load)?.send(()).ok()?;
        }
    }
}

/// Steps that write: what they are about to do is synced before they do it, and what came of it.
fn flow(base: &str, load: usize) -> String {
    let nodes: serde_json::Map<_, _> = (0..STEPS)
        .map(|step| {
            let config = json!({ "method": "POST", "url": format!("{base}/{load}/{step}"), "body": "{}" });
            (format!("s{step}"), json!({ "type": "http.request", "config": config }))
        })
        .collect();
    let edges: Vec<_> =
        (1..STEPS).map(|step| json!({ "from": format!("s{}.success", step - 1), "to": format!("s{step}") })).collect();
    json!({ "signalbox": 1, "id": format!("load{load}"), "name": "Load", "settings": { "errorPolicy": "fail" }, "nodes": nodes,
        "edges": edges })
    .to_string()
}

/// Text that compresses as records do, different for each number.
fn value(number: usize) -> String {
    let mut state = number as u64 + 1;
    let mut text = String::with_capacity(VALUE + 100);
    while text.len() < VALUE {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let _ = write!(
            text,
            "customer {:06}, amount {:05}.{:02}; ",
            state >> 44,
            (state >> 30) & 0x3fff,
            (state >> 20) % 100
        );
    }
    text
}

/// Runs whose parameters are kept in the store, until it is as large as wanted.
fn fill(served: &Served, megabytes: usize) -> bool {
    let document = r#"{"signalbox":1,"id":"fill","name":"Fill","nodes":{"a":{"type":"data.set","config":{"assign":{"n":1},"keep":false}}},"edges":[]}"#;
    let (next, count) = (AtomicUsize::new(0), megabytes * 1_000_000 / VALUE);
    std::thread::scope(|scope| {
        let fills = || {
            let mut connection = served.connect()?;
            loop {
                let number = next.fetch_add(1, Ordering::AcqRel);
                if number >= count {
                    return Some(());
                }
                let asked = format!("{{\"document\":{document},\"params\":{{\"text\":\"{}\"}}}}", value(number));
                let (status, told) = served.ask(&mut connection, "/rpc/run_start", &asked)?;
                assert_eq!(status, 200, "{told}");
            }
        };
        let all: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(fills)).collect();
        all.into_iter().all(|one| one.join().is_ok_and(|done| done.is_some()))
    })
}

/// Starts one run after the other until it is over.
fn load(served: &Served, base: &str, number: usize, ended: &mpsc::Receiver<()>, is_over: &AtomicBool) -> Option<()> {
    let mut connection = served.connect()?;
    let asked = format!("{{\"document\":{},\"params\":{{}}}}", flow(base, number));
    while !is_over.load(Ordering::Acquire) {
        let (status, told) = served.ask(&mut connection, "/rpc/run_start", &asked)?;
        assert_eq!(status, 200, "{told}");
        ended.recv_timeout(Duration::from_secs(60)).ok()?;
    }
    Some(())
}

fn back_up(program: &Path, data: &Path, out: &Path) -> u64 {
    let done = Command::new(program)
        .args(["backup", "--json", "--data"])
        .arg(data)
        .arg(out)
        .stdin(Stdio::null())
        .output()
        .expect("the program of the backup starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let size = std::fs::metadata(out).map_or(0, |file| file.len());
    std::fs::remove_file(out).expect("the backup goes");
    size
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or_default()
}

fn system_load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next().unwrap_or_default().to_owned()
}

/// Without and with a backup, turn about.
pub(crate) fn backup(root: &Path) -> Vec<Row> {
    let given = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
    let Some(binary) = given("SIGNALBOX_BENCH_BINARY").map(PathBuf::from).or_else(|| server(root)) else {
        return Vec::new();
    };
    let programs: Vec<PathBuf> = given("SIGNALBOX_BENCH_BACKUP")
        .map_or_else(|| vec![binary.clone()], |text| text.split(':').map(PathBuf::from).collect());
    let megabytes = given("SIGNALBOX_BENCH_MB").and_then(|text| text.parse().ok()).unwrap_or(MEGABYTES);
    let served = Served::start(&binary).expect("a server");
    assert!(fill(&served, megabytes), "the store is filled");
    let data = served.data();
    let size = std::fs::metadata(data.join("signalbox.db")).map_or(0, |file| file.len());
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..AT_ONCE).map(|_| mpsc::channel()).unzip();
    let service = Service::start(senders).expect("a service");
    let is_over = AtomicBool::new(false);
    let out = data.with_file_name("backup.tar.gz");
    let mut found = vec![Vec::new(); programs.len()];
    std::thread::scope(|scope| {
        for (number, ended) in receivers.into_iter().enumerate() {
            let (served, base, is_over) = (&served, &service.base, &is_over);
            scope.spawn(move || load(served, base, number, &ended, is_over).expect("the load goes on"));
        }
        std::thread::sleep(ALONE / 2);
        let mut alone = service.rate(|| std::thread::sleep(ALONE)).0;
        for _ in 0..PAIRS {
            for (program, all) in programs.iter().zip(&mut found) {
                let (beside, seconds, packed) = service.rate(|| back_up(program, &data, &out));
                let after = service.rate(|| std::thread::sleep(ALONE)).0;
                let ratio = (alone + after) / 2.0 / beside;
                eprintln!(
                    "{}: {alone:.0} and {after:.0} steps/s alone, {beside:.0} beside a backup of {seconds:.1} s, {packed} bytes: {ratio:.2} x; load {}",
                    program.display(),
                    system_load()
                );
                all.push((ratio, seconds, beside));
                alone = after;
            }
        }
        is_over.store(true, Ordering::Release);
    });
    let rows = programs.iter().zip(found).map(|(program, all)| Row {
        id: "backup",
        what: format!(
            "steps of {AT_ONCE} runs at a time beside a backup of {:.2} GB by {}",
            size as f64 / 1e9,
            program.display()
        ),
        found: format!(
            "{:.2} x slower, {:.0} steps/s, the backup took {:.0} s (medians of {PAIRS}); load {}",
            median(all.iter().map(|one| one.0).collect()),
            median(all.iter().map(|one| one.2).collect()),
            median(all.iter().map(|one| one.1).collect()),
            system_load()
        ),
        reach: "<= 1.2 x",
    });
    rows.collect()
}
