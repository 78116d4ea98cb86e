//! P8 and P10: whole programs.

use crate::Row;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// CPU time of the threads of this process, seconds.
pub(crate) fn cpu_seconds() -> f64 {
    // Nanoseconds for each living thread, where the kernel counts them: the clock below has ticks of 10 ms, which is all
    // that a short chain takes. Threads that have ended are not in it; those of the runtime and the store live on.
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanos: Vec<f64> = threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok())
        .filter_map(|text| text.split_whitespace().next()?.parse().ok())
        .collect();
    if nanos.iter().any(|n| *n > 0.0) {
        return nanos.iter().sum::<f64>() / 1e9;
    }
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or_default();
    // utime and stime are fields 14 and 15; after the name they are 11 and 12. Linux counts 100 ticks a second.
    (ticks(11) + ticks(12)) / 100.0
}

/// Machine, date and load, one line.
pub(crate) fn machine() -> String {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let model =
        read("/proc/cpuinfo").lines().find_map(|l| l.strip_prefix("model name")?.split(": ").nth(1).map(str::to_owned));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis());
    let date = signalbox_model::time::format(i64::try_from(seconds).unwrap_or_default());
    let load = read("/proc/loadavg").split(' ').next().unwrap_or_default().to_owned();
    format!(
        "Machine: {}, {cores} processors; {}; load at the end {load}.",
        model.unwrap_or_else(|| "unknown".into()),
        &date[..10]
    )
}

/// The program as it is released, built when it is not there.
pub(crate) fn server(root: &Path) -> Option<PathBuf> {
    let built = Command::new("cargo")
        .args(["build", "--release", "--quiet", "-p", "signalbox-headless", "--bin", "signalbox"])
        .current_dir(root)
        .status();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    built.is_ok_and(|status| status.success()).then(|| target.join("release/signalbox"))
}

/// P8: cold start of the server to its ready line, idle memory, size of the binary.
pub(crate) fn start(root: &Path) -> Vec<Row> {
    let Some(binary) = server(root) else {
        return vec![row("P8", "headless start", "the release build failed".into())];
    };
    let mut starts = Vec::new();
    let mut memory = 0.0;
    for _ in 0..10 {
        let Ok(folder) = tempfile::tempdir() else { continue };
        let began = Instant::now();
        let child = Command::new(&binary)
            .args(["serve", "--addr", "127.0.0.1:0", "--data"])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else { continue };
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            let _ = BufReader::new(out).read_line(&mut line);
        }
        starts.push(began.elapsed().as_secs_f64() * 1000.0);
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let rss = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).and_then(|l| l.split_whitespace().next());
        memory = rss.and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default() / 1024.0;
        let _ = child.kill();
        let _ = child.wait();
    }
    starts.sort_by(f64::total_cmp);
    let median = starts.get(starts.len() / 2).copied().unwrap_or_default();
    let size = std::fs::metadata(&binary).map_or(0.0, |m| m.len() as f64 / 1e6);
    vec![row(
        "P8",
        "headless: cold start to ready (median of 10), resident memory when idle, size of the binary with the UI",
        format!("{median:.0} ms, {memory:.0} MB, {size:.1} MB"),
    )]
}

fn row(id: &'static str, what: &str, found: String) -> Row {
    let reach = match id {
        "P8" => "<= 50 ms, <= 25 MB, <= 30 MB",
        "inbox" => "no dropped frame",
        "log" => "10,000 events a second, none dropped, no frame above 50 ms",
        _ => "1,000 nodes <= 16.7 ms p95; 5,000 <= 33 ms",
    };
    Row { id, what: what.to_owned(), found, reach }
}

/// P10: the canvas in a real browser.
pub(crate) fn canvas(root: &Path) -> Vec<Row> {
    let found = browser(root, "bench");
    vec![row("P10", "canvas in headless Chromium without a GPU: frame time while panning, p95", found)]
}

/// P10: the log in a real browser, while a run goes on and of a long one.
pub(crate) fn log(root: &Path) -> Vec<Row> {
    let found = browser(root, "bench:log");
    vec![row(
        "log",
        "the log in headless Chromium without a GPU: a run that is followed, and a long one that is opened",
        found,
    )]
}

/// The inbox in a real browser.
pub(crate) fn inbox(root: &Path) -> Vec<Row> {
    let found = browser(root, "bench:inbox");
    vec![row("inbox", "inbox in headless Chromium without a GPU: frame time while scrolling through it, p95", found)]
}

/// A script of the UI that prints one JSON object.
fn browser(root: &Path, script: &str) -> String {
    let output = Command::new("npm").args(["run", "--silent", script]).current_dir(root.join("ui")).output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let figures = text.lines().rev().find_map(|l| serde_json::from_str::<serde_json::Value>(l).ok());
    match figures {
        Some(figures) => figures["text"].as_str().unwrap_or_default().to_owned(),
        None => "the browser script gave no figures".into(),
    }
}
