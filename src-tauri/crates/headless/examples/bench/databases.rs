//! Databases compared with the client of PostgreSQL, in turn on one server: a million rows to CSV, a hundred thousand upserts.

use crate::Row;
use crate::process::server;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const BATCH: usize = 500;
/// Of each side; the best counts, because other work of the machine slows both.
const TURNS: usize = 5;

/// Rows of the table; `SIGNALBOX_ROWS` takes fewer.
fn count() -> usize {
    std::env::var("SIGNALBOX_ROWS").ok().and_then(|count| count.parse().ok()).unwrap_or(1_000_000)
}

const PASSWORD: &str = "bench-secret-0123456789";
const SELECT: &str = "SELECT id, name, price, changed, paid, note FROM orders";

/// What a process took: seconds, seconds of processor time, bytes of memory at most.
#[derive(Clone, Copy)]
struct Took {
    seconds: f64,
    processor: f64,
    memory: u64,
}

/// A server of PostgreSQL in a temporary folder; it ends with this.
struct Postgres {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _stopped = self.command("pg_ctl").args(["stop", "-w", "-s", "-m", "immediate", "-D", "data"]).status();
    }
}

impl Postgres {
    fn start() -> Option<Self> {
        let folder = tempfile::tempdir().ok()?;
        // The server is another user when this runs as root.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).ok()?;
        let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
        let programs = versions.flatten().map(|version| version.path().join("bin")).max()?;
        let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let server = Self { folder, programs, port };
        fs::write(server.path("password"), PASSWORD).ok()?;
        let made = server
            .command("initdb")
            .args(["-D", "data", "-U", "bench", "--auth=scram-sha-256", "-E", "UTF8", "--pwfile=password"])
            .stdout(Stdio::null())
            .status();
        let settings = format!("-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''");
        let started = server
            .command("pg_ctl")
            .args(["start", "-w", "-s", "-D", "data", "-l", "log.txt", "-o", &settings])
            .stdout(Stdio::null())
            .status();
        (made.ok()?.success() && started.ok()?.success()).then_some(server)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: &str) -> Command {
        let path = self.programs.join(program);
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.starts_with(b"0\n"));
        let mut command = Command::new(if is_root { Path::new("runuser") } else { &path });
        if is_root {
            command.args(["-u", "postgres", "--"]).arg(&path);
        }
        command.current_dir(self.folder.path());
        command
    }

    fn psql(&self) -> Command {
        let mut command = Command::new("psql");
        let port = self.port.to_string();
        command.args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", &port, "-U", "bench", "postgres"]);
        command.env("PGPASSWORD", PASSWORD).current_dir(self.folder.path()).stdout(Stdio::null());
        command
    }

    fn run(&self, sql: &str) -> bool {
        self.psql().args(["-c", sql]).status().is_ok_and(|status| status.success())
    }

    /// The table that is saved, with so many rows.
    fn orders(&self, count: usize) -> bool {
        let made = self.run(&format!(
            "CREATE TABLE orders AS SELECT n::bigint AS id, 'Customer ' || n AS name, (n * 0.25)::numeric(12, 2) AS price, \
             '2026-01-01'::timestamptz + n * interval '1 second' AS changed, n % 3 = 0 AS paid, \
             CASE n % 5 WHEN 0 THEN NULL WHEN 1 THEN 'a \"quote\", a comma' ELSE 'some words' END AS note \
             FROM generate_series(1, {count}) AS n"
        ));
        made && self.run("VACUUM ANALYZE orders")
    }

    /// What psql does with the same rows.
    fn copy(&self) -> Command {
        let mut command = self.psql();
        command.args(["-c", &format!("\\copy ({SELECT}) TO 'copied.csv' WITH (FORMAT csv, HEADER)")]);
        command
    }
}

/// Runs a program to its end; `/usr/bin/time` tells what it took.
fn took(program: &Command, folder: &Path) -> Option<Took> {
    let told = folder.join("took.txt");
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "%U %S %M", "-o"]).arg(&told).arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        timed.env(name, value.unwrap_or_default());
    }
    let began = Instant::now();
    let done = timed.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    let seconds = began.elapsed().as_secs_f64();
    let text = fs::read_to_string(told).ok().filter(|_| done.success())?;
    let mut parts = text.split_whitespace().filter_map(|part| part.parse::<f64>().ok());
    Some(Took { seconds, processor: parts.next()? + parts.next()?, memory: parts.next()? as u64 * 1024 })
}

fn best(all: &[Took]) -> Option<Took> {
    all.iter().copied().min_by(|one, other| one.seconds.total_cmp(&other.seconds))
}

/// Both sides in turn: the best of each, and the largest memory of ours.
fn beside(
    folder: &Path,
    turns: usize,
    mut peer: impl FnMut() -> Command,
    mut ours: impl FnMut(usize) -> Command,
) -> Option<(Took, Took, u64)> {
    let (mut peers, mut own) = (Vec::new(), Vec::new());
    for turn in 0..turns {
        peers.push(took(&peer(), folder)?);
        own.push(took(&ours(turn), folder)?);
    }
    let memory = own.iter().map(|took| took.memory).max()?;
    Some((best(&own)?, best(&peers)?, memory))
}

fn told((own, peer, memory): (Took, Took, u64)) -> String {
    format!(
        "{:.2} s beside {:.2} s: {:.2} times; processor {:.2} s beside {:.2} s; {:.0} MB at most",
        own.seconds,
        peer.seconds,
        own.seconds / peer.seconds,
        own.processor,
        peer.processor,
        memory as f64 / 1e6
    )
}

fn connection(port: u16, more: Value) -> Value {
    let mut config = json!({
        "system": "postgres", "host": "127.0.0.1", "port": port, "database": "postgres", "user": "bench",
        "credential": "secret://bench", "tls": "off", "timeoutMs": 600_000,
    });
    if let (Some(config), Value::Object(more)) = (config.as_object_mut(), more) {
        config.extend(more);
    }
    config
}

/// *Save rows to a file* alone, compared with psql: a small program that is optimised as the whole one is, except across crates.
pub(crate) fn rows(root: &Path) -> Vec<Row> {
    let built = Command::new("cargo")
        .args(["build", "--release", "--quiet", "-p", "signalbox-adapters", "--no-default-features"])
        .args(["--features", "databases", "--example", "rows"])
        .envs([("CARGO_PROFILE_RELEASE_LTO", "off"), ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")])
        .current_dir(root)
        .status();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let program: PathBuf = target.join("release/examples/rows");
    let measured = || {
        let (postgres, place) = (Postgres::start()?, tempfile::tempdir().ok()?);
        postgres.orders(count()).then_some(())?;
        let ours = |_| {
            let mut command = Command::new(&program);
            command.arg(postgres.port.to_string()).arg(place.path().join("saved.csv")).arg(SELECT);
            command.env("PGPASSWORD", PASSWORD);
            command
        };
        beside(place.path(), TURNS, || postgres.copy(), ours).map(told)
    };
    let found = if built.is_ok_and(|status| status.success()) { measured() } else { None };
    vec![Row {
        id: "rows",
        what: format!(
            "{} rows of 6 columns to CSV by the step alone, without a run, compared with \\copy of psql",
            count()
        ),
        found: found.unwrap_or_else(|| "failed".into()),
        reach: "<= 1.5 times, <= 100 MB",
    }]
}

pub(crate) fn databases(root: &Path) -> Vec<Row> {
    let row = |what: &str, found: Option<String>, reach: &'static str| Row {
        id: "databases",
        what: what.to_owned(),
        found: found.unwrap_or_else(|| "failed".into()),
        reach,
    };
    let binary = std::env::var_os("SIGNALBOX_BINARY").map(PathBuf::from).or_else(|| server(root));
    let (Some(binary), Some(postgres), Ok(place)) = (binary, Postgres::start(), tempfile::tempdir()) else {
        return vec![row("a server of PostgreSQL", None, "")];
    };
    let (place, rows_of) = (place.path(), count());
    let stock = "CREATE TABLE stock (id bigint PRIMARY KEY, name text, price numeric(12, 2), changed timestamptz)";
    if !postgres.orders(rows_of) || !postgres.run(stock) || !secret(&binary, place, postgres.port) {
        return vec![row("the tables", None, "")];
    }
    let saved = flow(
        json!({ "q": { "type": "db.query", "config": connection(postgres.port, json!({ "sql": SELECT, "saveTo": place.join("saved.csv") })) } }),
        json!([]),
    );
    let piped = flow(
        json!({
            "q": { "type": "db.query", "config": connection(postgres.port, json!({ "sql": SELECT, "maxRows": rows_of })) },
            "w": { "type": "file.write", "mode": "all", "config": { "path": place.join("written.csv"), "rows": true, "as": "csv" } },
        }),
        json!([{ "from": "q.success", "to": "w" }]),
    );
    let copy = || postgres.copy();
    let run = |name: &str, flow: &Value| {
        let file = place.join(format!("{name}.signalbox.json"));
        let _written = fs::write(&file, flow.to_string());
        let mut command = Command::new(&binary);
        command.env("SIGNALBOX_KEY_STORE", "off").arg("run").arg(&file);
        command.args(["--allow-dir", &format!("{}:rw", place.display()), "--data"]).arg(place.join("data"));
        command
    };
    let start = took(&run("none", &flow(json!({ "a": { "type": "flow.noop" } }), json!([]))), place);
    let start = start.map_or(0.0, |took| took.seconds);
    let mut rows = vec![
        row(
            &format!(
                "{rows_of} rows of 6 columns to CSV: Save rows to a file, with the start of the program ({start:.2} s), beside \\copy of psql"
            ),
            beside(place, TURNS, copy, |_| run("saved", &saved)).map(told),
            "<= 1.5 times, <= 100 MB",
        ),
        row(
            "the same rows by Query a database and Write file",
            beside(place, 2, copy, |_| run("piped", &piped)).map(told),
            "",
        ),
    ];
    rows.push(row(
        &format!("{} upserts of 4 columns in batches of {BATCH}, one transaction, all rows there", rows_of / 10),
        upserts(&postgres, place, &run),
        "<= 2 times",
    ));
    rows
}

/// Rows of a CSV file as items, which are written by their keys; psql gets the same rows as statements of the same batches.
fn upserts(postgres: &Postgres, place: &Path, run: &dyn Fn(&str, &Value) -> Command) -> Option<String> {
    let value =
        |n: usize| (n, format!("Product {n}"), n as f64 * 0.25, format!("2026-01-{:02}T08:00:00.000Z", n % 28 + 1));
    let mut csv = String::from("id,name,price,changed\n");
    let mut sql = String::from("BEGIN;\n");
    for first in (1..=count() / 10).step_by(BATCH) {
        let mut rows = Vec::new();
        for (id, name, price, changed) in (first..first + BATCH).map(value) {
            let _written = writeln!(csv, "{id},{name},{price},{changed}");
            rows.push(format!("({id}, '{name}', {price}, '{changed}')"));
        }
        let _written = writeln!(
            sql,
            "INSERT INTO stock (id, name, price, changed) VALUES {} ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, \
             price = EXCLUDED.price, changed = EXCLUDED.changed;",
            rows.join(", ")
        );
    }
    sql.push_str("COMMIT;\n");
    let file = place.join("stock.sql");
    fs::write(place.join("stock.csv"), csv).ok()?;
    fs::write(&file, sql).ok()?;
    let read = json!({ "type": "file.read", "config": { "path": place.join("stock.csv"), "as": "csv", "rows": true } });
    let write =
        connection(postgres.port, json!({ "table": "stock", "action": "upsert", "key": ["id"], "batchSize": BATCH }));
    let written = flow(
        json!({ "r": read, "w": { "type": "db.write", "mode": "all", "config": write } }),
        json!([{ "from": "r.success", "to": "w" }]),
    );
    let psql = || {
        let mut command = postgres.psql();
        command.arg("-f").arg(&file);
        command
    };
    // All rows are there from now on.
    let _first = took(&psql(), place)?;
    let (mut peers, mut steps) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        peers.push(took(&psql(), place)?);
        steps.push(step(run("written", &written))?);
    }
    let (own, peer) = (steps.into_iter().min_by(f64::total_cmp)?, best(&peers)?);
    Some(format!("the step {own:.2} s beside psql -f {:.2} s: {:.2} times", peer.seconds, own / peer.seconds))
}

/// Seconds between the first and the last event of the step `w`.
fn step(mut command: Command) -> Option<f64> {
    let out = command.args(["--json", "--events"]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let times: Vec<i64> = events
        .filter(|event| event["stepId"] == "w" && ["step_start", "step_done"].iter().any(|name| event["type"] == *name))
        .filter_map(|event| signalbox_model::time::parse(event["ts"].as_str()?))
        .collect();
    (times.len() == 2).then(|| (times[1] - times[0]) as f64 / 1_000.0)
}

/// The password, for this server only.
fn secret(binary: &Path, place: &Path, port: u16) -> bool {
    let data = place.join("data");
    let chosen = Command::new(binary)
        .args(["secret", "choose", "file", "--data"])
        .arg(&data)
        .env("SIGNALBOX_KEY_STORE", "off")
        .stdout(Stdio::null())
        .status();
    if !chosen.is_ok_and(|status| status.success()) {
        return false;
    }
    let kept = Command::new(binary)
        .args(["secret", "set", "bench", "--kind", "basic", "--field", "bench"])
        .args(["--host", &format!("http://127.0.0.1:{port}"), "--data"])
        .arg(&data)
        .env("SIGNALBOX_KEY_STORE", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let Ok(mut kept) = kept else { return false };
    if let Some(mut input) = kept.stdin.take() {
        let _told = input.write_all(PASSWORD.as_bytes());
    }
    kept.wait().is_ok_and(|status| status.success())
}

fn flow(nodes: Value, edges: Value) -> Value {
    json!({ "signalbox": 1, "id": "bench", "name": "bench", "nodes": nodes, "edges": edges })
}
