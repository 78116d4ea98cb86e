//! Several hosts on one history in PostgreSQL: what one begins the others see, answer and go on with.

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Loopback, Serving, TestHome, eventually, workflow};

/// A server of PostgreSQL for one test.
struct Server {
    folder: tempfile::TempDir,
    port: u16,
}

fn as_postgres(program: &Path) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program);
    command
}

fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is missing: apt-get install postgresql");
    versions.flatten().map(|version| version.path().join("bin")).max().expect("a version")
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("hosts").tempdir_in("/tmp").expect("a folder");
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(folder.path(), open).expect("is its place");
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|one| one.local_addr()).expect("a port").port();
        let server = Self { folder, port };
        let data = server.data();
        let mut make = server.command("initdb");
        make.arg("-D").arg(&data).args(["-U", "peer", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"]);
        server.done(make);
        server.up();
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = as_postgres(&programs().join(program));
        command.current_dir(self.folder.path());
        command
    }

    fn done(&self, mut command: Command) {
        let output = command.output().expect("starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn up(&self) {
        let settings = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories={} -c fsync=off",
            self.port,
            self.folder.path().display()
        );
        let mut start = self.command("pg_ctl");
        start.args(["start", "-w", "-s", "-D"]).arg(self.data()).arg("-l").arg(self.folder.path().join("log.txt"));
        start.args(["-o", &settings]).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        assert!(start.status().expect("starts").success());
    }

    fn down(&self) {
        let mut stop = self.command("pg_ctl");
        stop.args(["stop", "-w", "-s", "-m", "immediate", "-D"]).arg(self.data());
        self.done(stop);
    }

    /// Its history; nothing asks for the password.
    fn history(&self) -> String {
        format!("postgres://peer:s3cret@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.command("pg_ctl").args(["stop", "-s", "-m", "immediate", "-D"]).arg(self.data()).output();
    }
}

/// A second host with the key of the first one.
fn host_like(first: &TestHome) -> TestHome {
    let second = TestHome::new();
    std::fs::create_dir_all(second.data()).expect("a folder");
    for entry in std::fs::read_dir(first.data()).expect("a folder").flatten() {
        if entry.path().is_file() && entry.file_name().to_string_lossy().contains("key") {
            std::fs::copy(entry.path(), second.data().join(entry.file_name())).expect("copied");
        }
    }
    second
}

#[test]
fn a_task_of_one_host_is_answered_on_another() {
    let server = Server::start();
    let history = server.history();
    let first = TestHome::new();
    let nodes = json!({ "ok": { "type": "builtin.human_approval", "config": { "ttlMs": 3_600_000 } } });
    let document = workflow(nodes, json!([]));
    let one = Serving::start(&first, &["--history", &history]);
    let second = host_like(&first);
    let other = Serving::start(&second, &["--history", &history]);
    let started = one.ask("POST", "/rpc/run_start", &json!({ "document": document, "params": {} })).json();
    let run = started["runId"].as_str().expect("an id").to_owned();
    let status =
        |host: &Serving| host.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json()["status"].clone();
    eventually("the task on the other host", || status(&other) == "paused");
    let tasks = other.ask("GET", "/human-tasks?state=open", &Value::Null).json();
    let task = tasks["tasks"][0]["id"].as_str().or(tasks[0]["id"].as_str()).expect("a task").to_owned();
    let answered = other.ask("POST", &format!("/human-tasks/{task}/complete"), &json!({ "action": "approve" }));
    assert_eq!(answered.status, 200, "{}", answered.body);
    eventually("the end, as the first host sees it", || status(&one) == "completed");
    let on = |place: &TestHome, args: &[&str]| place.run(&[args, &["--history", &history][..]].concat());
    for place in [&first, &second] {
        let verified = on(place, &["audit", "verify"]);
        assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    }
    assert_eq!(on(&second, &["audit", "export", "--run", &run, "--out", "run.zip"]).code, 0);
    assert_eq!(second.run(&["audit", "verify", "run.zip"]).code, 0, "a pack needs no database");
    let refused = on(&first, &["backup", "b.tar", "--json"]);
    assert_eq!(refused.json()["error"]["code"], "HISTORY_AT_SERVER", "{}", refused.out);
}

/// `a` (a call that is finished) → `w` (a wait) → `b` (a call).
#[test]
fn another_host_goes_on_with_the_runs_of_one_that_was_killed() {
    let server = Server::start();
    let history = server.history();
    let first = TestHome::new();
    let calls = Loopback::start();
    let flow = workflow(
        json!({
            "a": { "type": "http.request", "config": { "url": format!("{}/a", calls.base) } },
            "w": { "type": "flow.wait", "config": { "ms": 1_500 } },
            "b": { "type": "http.request", "config": { "url": format!("{}/b", calls.base) } },
        }),
        json!([{ "from": "a.success", "to": "w" }, { "from": "w.success", "to": "b" }]),
    );
    let file = first.file("crash.signalbox.json", flow.to_string()).display().to_string();
    let mut child = first.spawn(&["run", &file, "--events", "--json", "--history", &history]);
    let mut run = String::new();
    for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
        let event: Value = serde_json::from_str(&line.expect("text")).expect("json");
        run = event["runId"].as_str().expect("an id").to_owned();
        if event["type"] == "step_start" && event["stepId"] == "w" {
            break;
        }
    }
    let second = host_like(&first);
    let other = Serving::start(&second, &["--history", &history]);
    let status = || other.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json()["status"].clone();
    assert_eq!(status(), "running", "it is driven by the first host");
    child.kill().expect("kill -9");
    child.wait().expect("gone");
    eventually("the end on the other host", || status() == "completed");
    assert_eq!((calls.hits("/a"), calls.hits("/b")), (1, 1), "no finished step runs again");
    let verified = second.run(&["audit", "verify", "--history", &history]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
}

#[test]
fn a_server_that_is_away_is_told_and_runs_go_on_when_it_is_back() {
    let server = Server::start();
    let history = server.history();
    let place = TestHome::new();
    let calls = Loopback::start();
    let flow = workflow(
        json!({
            "w": { "type": "flow.wait", "config": { "ms": 300 } },
            "b": { "type": "http.request", "config": { "url": format!("{}/b", calls.base) } },
        }),
        json!([{ "from": "w.success", "to": "b" }]),
    );
    let serving = Serving::start(&place, &["--history", &history]);
    let started = serving.ask("POST", "/rpc/run_start", &json!({ "document": flow, "params": {} })).json();
    let run = started["runId"].as_str().expect("an id").to_owned();
    server.down();
    let late = TestHome::new().run(&["runs", "list", "--json", "--history", &history]);
    assert_eq!(late.json()["error"]["code"], "HISTORY_UNREACHABLE", "{}", late.out);
    assert!(!late.out.contains("s3cret") && !late.err.contains("s3cret"), "{}{}", late.out, late.err);
    server.up();
    let status = || serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json()["status"].clone();
    eventually("the end", || status() == "completed");
    assert_eq!(calls.hits("/b"), 1);
}
