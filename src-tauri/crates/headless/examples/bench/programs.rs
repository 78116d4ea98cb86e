//! Exported programs beside the program that exports them: size, time of an export, start to the first step, memory when idle.

use crate::Row;
use crate::process::server;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Starts of each side.
const STARTS: usize = 15;
/// Programs give code of their start back after 15 and 75 s; what waits has mapped its own again by then.
const IDLE: Duration = Duration::from_secs(90);

/// What each runner has in it, by a workflow that needs it.
fn workflows() -> [(&'static str, &'static str, Value); 5] {
    let step = json!({ "type": "data.set", "config": { "assign": { "n": 1 } } });
    let tick = json!({ "type": "trigger.schedule", "config": { "cron": "0 7 * * 1" } });
    let page = json!({ "type": "html.select", "config": { "from": "'<p>a</p>'", "fields": [{ "name": "a", "selector": "p" }] } });
    let form = json!({ "type": "builtin.human_form", "config": { "title": "T", "schema": { "type": "object" } } });
    let table = json!({ "type": "db.tables", "config": { "system": "sqlite", "file": "/srv/a.db" } });
    let flow = |id: &str, nodes: Value, edges: Value| json!({ "signalbox": 1, "id": id, "name": id, "nodes": nodes, "edges": edges });
    [
        ("run", "core, files, HTTP, connectors", flow("run", json!({ "a": step }), json!([]))),
        ("pages", "the same, documents and scripts", flow("pages", json!({ "a": page }), json!([]))),
        (
            "serve",
            "the same and triggers",
            flow("serve", json!({ "t": tick, "a": step }), json!([{ "from": "t.success", "to": "a" }])),
        ),
        ("ask", "the same and the page for tasks", flow("ask", json!({ "a": form }), json!([]))),
        ("all", "everything", flow("all", json!({ "a": table }), json!([]))),
    ]
}

/// Where the programs are: those of a release build, or of the folder in `SIGNALBOX_PROGRAMS`.
fn folder(root: &Path) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("SIGNALBOX_PROGRAMS") {
        return Some(folder.into());
    }
    let built = Command::new("cargo")
        .args(["build", "--release", "--quiet", "-p", "signalbox-standalone", "--bins"])
        .current_dir(root)
        .status();
    let binary = server(root).filter(|_| built.is_ok_and(|status| status.success()))?;
    binary.parent().map(Path::to_path_buf)
}

pub(crate) fn programs(root: &Path) -> Vec<Row> {
    let row =
        |what: &str, found: String, reach: &'static str| Row { id: "programs", what: what.to_owned(), found, reach };
    let (Some(folder), Ok(place)) = (folder(root), tempfile::tempdir()) else {
        return vec![row("exported programs", "the release build failed".into(), "")];
    };
    let (place, app) = (place.path(), folder.join("signalbox"));
    let mut rows = Vec::new();
    for (id, has, flow) in workflows() {
        let (file, out) = (place.join(format!("{id}.signalbox.json")), place.join("out").join(id));
        let began = Instant::now();
        let done = fs::write(&file, flow.to_string()).is_ok()
            && Command::new(&app)
                .arg("export")
                .arg(&file)
                .arg("--out")
                .arg(&out)
                .args(["--human", "ui", "--data"])
                .arg(place.join("app"))
                .stdout(Stdio::null())
                .status()
                .is_ok_and(|status| status.success());
        let size = fs::metadata(out.join(id)).map_or(0.0, |meta| meta.len() as f64 / 1e6);
        let found =
            if done { format!("{size:.1} MB, {:.2} s", began.elapsed().as_secs_f64()) } else { "failed".into() };
        let reach = if id == "all" { "<= 22 MB, <= 3 s" } else { "<= 9 MB, <= 3 s" };
        rows.push(row(&format!("size and time of an export: {has}"), found, reach));
    }
    let run = place.join("out/run/run");
    let file = place.join("run.signalbox.json");
    let (mut own, mut whole) = (Vec::new(), Vec::new());
    for turn in 0..STARTS {
        let data = |side: &str| place.join(format!("{side}-{turn}"));
        own.extend(first_step(Command::new(&run).arg("--data").arg(data("own")).arg("run")));
        whole.extend(first_step(Command::new(&app).arg("--data").arg(data("app")).arg("run").arg(&file)));
    }
    rows.push(row(
        "cold start to the first step with a new data folder (median), beside `signalbox run`",
        format!("{:.0} ms, {:.0} ms", median(own), median(whole)),
        "<= 15 ms",
    ));
    let serve = place.join("out/serve/serve");
    let idle = |command: &mut Command| command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_or(0.0, memory);
    let both = |turn: usize| {
        let data = |side: &str| place.join(format!("idle-{side}-{turn}"));
        let program = idle(Command::new(&serve).args(["--json", "serve", "--data"]).arg(data("own")));
        let server =
            idle(Command::new(&app).args(["--json", "serve", "--addr", "127.0.0.1:0", "--data"]).arg(data("app")));
        format!("{program:.1} MB, {server:.1} MB")
    };
    let what = "resident memory of `serve` when idle, beside `signalbox serve`";
    rows.push(row(&format!("{what}, files just written"), both(0), "<= 12 MB"));
    let as_later = leave_cache(&serve) && leave_cache(&app);
    let found = if as_later { both(1) } else { "`dd` of coreutils is missing".into() };
    rows.push(row(&format!("{what}, files read from the disk, as after a restart of the machine"), found, "<= 12 MB"));
    rows
}

/// Milliseconds from the start of a program to the time of its first step, as its event says.
fn first_step(command: &mut Command) -> Option<f64> {
    let began = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs_f64() * 1_000.0;
    let out = command.args(["--json", "--events"]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    let mut events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let first = events.find(|event| event["type"] == "step_start")?;
    Some(signalbox_model::time::parse(first["ts"].as_str()?)? as f64 - began)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Takes a file out of the cache of the system, which keeps what was just written in pieces of up to 2 MB. Since Linux 6.18 a process that needs
/// one page of such a piece has all of it mapped.
fn leave_cache(file: &Path) -> bool {
    let written = fs::File::open(file).is_ok_and(|file| file.sync_all().is_ok());
    let mut from = OsString::from("if=");
    from.push(file);
    let dd = || Command::new("dd").arg(from).args(["iflag=nocache", "count=0", "status=none"]).status();
    written && dd().is_ok_and(|status| status.success())
}

/// Megabytes of a program that has said where it serves, some time later.
fn memory(mut child: Child) -> f64 {
    if let Some(out) = child.stdout.take() {
        // What it says is not needed, only that it is ready.
        let _ = BufReader::new(out).read_line(&mut String::new());
    }
    std::thread::sleep(IDLE);
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let rss =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")).and_then(|line| line.split_whitespace().next());
    let _ = child.kill();
    let _ = child.wait();
    rss.and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}
