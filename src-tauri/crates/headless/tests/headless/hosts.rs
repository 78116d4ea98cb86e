//! Several hosts on one history in PostgreSQL: what one begins the others see, answer and go on with.

use crate::support;

use serde_json::{Value, json};
use signalbox_testkit::Postgres;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::sync::{Arc, Mutex};
use support::{Loopback, Serving, TestHome, eventually, workflow};

/// A history in a new database; nothing asks for the password.
fn history(server: &Postgres, name: &str) -> String {
    server.database(name).replace("peer@", "peer:s3cret@")
}

/// A second host with the key and the secrets of the first one.
fn host_like(first: &TestHome) -> TestHome {
    let second = TestHome::new();
    let secrets = second.data().join("secrets");
    let mut private = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(private.recursive(true), 0o700);
    private.create(&secrets).expect("a folder");
    std::fs::copy(first.data().join("audit.key"), second.data().join("audit.key")).expect("copied");
    for entry in std::fs::read_dir(first.data().join("secrets")).into_iter().flatten().flatten() {
        std::fs::copy(entry.path(), secrets.join(entry.file_name())).expect("copied");
    }
    second
}

/// `place`, on a history.
fn on(place: &TestHome, history: &str, args: &[&str]) -> support::Done {
    place.run(&[args, &["--history", history][..]].concat())
}

/// One server for all stories, which go on side by side; in the last one it is away.
#[test]
fn several_hosts_share_one_history() {
    let server = Postgres::start("");
    let server = &server;
    std::thread::scope(|threads| {
        threads.spawn(|| a_task_of_one_host_is_answered_on_another(server));
        threads.spawn(|| another_host_goes_on_with_the_runs_of_one_that_was_killed(server));
        threads.spawn(|| what_happens_once_is_done_by_one_host(server));
        threads.spawn(|| a_host_with_another_key_does_not_start(server));
    });
    a_server_that_is_away_is_told_and_runs_go_on_when_it_is_back(server);
}

fn a_task_of_one_host_is_answered_on_another(server: &Postgres) {
    let history = history(server, "task");
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
    for place in [&first, &second] {
        let verified = on(place, &history, &["audit", "verify"]);
        assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    }
    assert_eq!(on(&second, &history, &["audit", "export", "--run", &run, "--out", "run.zip"]).code, 0);
    assert_eq!(second.run(&["audit", "verify", "run.zip"]).code, 0, "a pack needs no database");
    let folder = first.dir.path().display().to_string();
    for args in [
        &["backup", "b.tar", "--json"][..],
        &["backup", &folder, "--every", "24", "--json"],
        &["check-data", "--compact", "--json"],
    ] {
        let refused = on(&first, &history, args);
        assert_eq!(refused.json()["error"]["code"], "HISTORY_AT_SERVER", "{args:?}: {}", refused.out);
    }
    let told = on(&first, &history, &["doctor", "--offline"]);
    assert!(told.out.contains("The history in postgres://peer@127.0.0.1:"), "{}", told.out);
    let checked = on(&second, &history, &["check-data", "--json"]);
    assert_eq!((checked.code, &checked.json()["runs"]), (0, &json!(1)), "{}", checked.out);
    assert!(!first.data().join("signalbox.db").exists(), "no file is made that nobody uses");
}

/// `a` (a call that is finished) → `w` (a wait) → `b` (a call).
fn another_host_goes_on_with_the_runs_of_one_that_was_killed(server: &Postgres) {
    let history = history(server, "killed");
    let first = TestHome::new();
    let calls = Loopback::start();
    let flow = workflow(
        json!({
            "a": { "type": "http.request", "config": { "url": format!("{}/a", calls.base) } },
            "w": { "type": "flow.wait", "config": { "ms": 3_000 } },
            "b": { "type": "http.request", "config": { "url": format!("{}/b", calls.base) } },
        }),
        json!([{ "from": "a.success", "to": "w" }, { "from": "w.success", "to": "b" }]),
    );
    let file = first.file("crash.signalbox.json", flow.to_string()).display().to_string();
    assert_eq!(on(&first, &history, &["audit", "status"]).code, 0, "makes the key");
    let second = host_like(&first);
    let other = Serving::start(&second, &["--history", &history]);
    let mut child = first.spawn(&["run", &file, "--events", "--json", "--history", &history]);
    let mut run = String::new();
    for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
        let event: Value = serde_json::from_str(&line.expect("text")).expect("json");
        run = event["runId"].as_str().expect("an id").to_owned();
        if event["type"] == "step_start" && event["stepId"] == "w" {
            break;
        }
    }
    assert!(child.try_wait().expect("asks").is_none(), "it is driven by the first host");
    let status = || other.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json()["status"].clone();
    child.kill().expect("kill -9");
    child.wait().expect("gone");
    eventually("the end on the other host", || status() == "completed");
    assert_eq!((calls.hits("/a"), calls.hits("/b")), (1, 1), "no finished step runs again");
    let verified = second.run(&["audit", "verify", "--history", &history]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
}

/// What a host writes to its standard output: the numbers of audit entries.
fn entries(serving: &mut Serving) -> Arc<Mutex<Vec<u64>>> {
    let output = serving.child.stdout.take().expect("piped");
    let seen: Arc<Mutex<Vec<u64>>> = Arc::default();
    let kept = Arc::clone(&seen);
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            // The first line may have begun before somebody listened.
            let seq = serde_json::from_str::<Value>(&line).ok().and_then(|line| line["entry"]["seq"].as_u64());
            kept.lock().expect("no panic").extend(seq);
        }
    });
    seen
}

/// A schedule, messages to a service and the copy of the audit chain, with two hosts that could all do them.
fn what_happens_once_is_done_by_one_host(server: &Postgres) {
    let history = history(server, "once");
    let service = Loopback::start();
    let first = TestHome::new();
    assert_eq!(on(&first, &history, &["secret", "choose", "file", "--json"]).code, 0);
    let args = ["secret", "set", "desk", "--kind", "bearer", "--host", &service.base, "--json", "--history", &history];
    let set = first.run_with(&args, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
    assert_eq!(set.code, 0, "{}{}", set.out, set.err);
    let hook = format!("{}/hook", service.base);
    let added =
        on(&first, &history, &["webhook", "add", &hook, "--secret", "secret://desk", "--allow-local", "--json"]);
    assert_eq!(added.code, 0, "{}{}", added.out, added.err);
    let second = host_like(&first);
    let mut hosts = [&first, &second].map(|place| Serving::start(place, &["--history", &history, "--audit-stdout"]));
    let told = [entries(&mut hosts[0]), entries(&mut hosts[1])];
    let [one, other] = &hosts;

    let often = json!({
        "signalbox": 1, "id": "often", "name": "Often",
        "nodes": {
            "t": { "type": "trigger.schedule", "config": { "every": 1_000 } },
            "a": { "type": "data.set", "config": { "assign": { "seen": "=item.scheduledAt" } } },
        },
        "edges": [{ "from": "t.success", "to": "a" }],
    });
    assert_eq!(one.ask("PUT", "/workflows/often", &often).status, 200);
    let active = one.ask("POST", "/workflows/often/activation", &Value::Null);
    assert_eq!(active.status, 200, "{}", active.body);
    let question = workflow(json!({ "ok": { "type": "builtin.human_approval", "config": {} } }), json!([]));
    for host in [one, other] {
        let started = host.ask("POST", "/rpc/run_start", &json!({ "document": question, "params": {} }));
        assert_eq!(started.status, 200, "{}", started.body);
    }
    let fired = || {
        let found = on(&second, &history, &["audit", "list", "--query", "event:TRIGGER_FIRED", "--json"]);
        found.json().as_array().cloned().expect("a list")
    };
    eventually("two firings", || fired().len() >= 2);
    eventually("both messages", || service.hits("/hook") >= 2);
    // A host that dies between sending and recording has its message sent again.
    eventually("both are recorded as sent", || {
        let hooks = on(&second, &history, &["webhook", "list", "--json"]).json();
        let waiting: Vec<&Value> = hooks.as_array().into_iter().flatten().map(|one| &one["waiting"]).collect();
        waiting == [&json!(0)]
    });
    let written = || told.iter().map(|one| one.lock().expect("no panic").clone()).collect::<Vec<_>>();
    eventually("entries", || written().iter().any(|one| one.len() >= 4));
    let by = written();
    assert!(by.iter().any(Vec::is_empty), "one host writes them all: {by:?}");

    // The one that does all this is gone: the other one goes on.
    let gone = usize::from(by[0].is_empty());
    let stays = 1 - gone;
    hosts[gone].child.kill().expect("kill -9");
    hosts[gone].child.wait().expect("gone");
    let before = fired().len();
    eventually("the schedule goes on", || fired().len() >= before + 2);
    eventually("entries of the other host", || !written()[stays].is_empty());
    let off = hosts[stays].ask("DELETE", "/workflows/often/activation", &Value::Null);
    assert_eq!(off.status, 200, "{}", off.body);
    let all = fired();
    let ticks: BTreeSet<String> = all.iter().map(|one| one["metadata"]["key"].to_string()).collect();
    assert!(ticks.len() == all.len(), "a tick fires once: {all:?}");
    assert_eq!(service.hits("/hook"), 2, "a message is sent once");
    let verified = on(&second, &history, &["audit", "verify"]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
}

fn a_host_with_another_key_does_not_start(server: &Postgres) {
    let history = history(server, "key");
    let first = TestHome::new();
    assert_eq!(on(&first, &history, &["audit", "status"]).code, 0);
    let other = TestHome::new();
    let refused = on(&other, &history, &["serve", "--addr", "127.0.0.1:0", "--json"]);
    let error = refused.json()["error"].clone();
    assert_eq!(error["code"], "AUDIT_KEY_DIFFERS", "{}", refused.out);
    assert!(error["message"].as_str().is_some_and(|text| text.ends_with("audit.key holds no key.")), "{error}");
    assert!(!other.data().join("audit.key").exists(), "none is made");
    // One that signs its own history.
    assert_eq!(other.run(&["audit", "status"]).code, 0);
    let refused = on(&other, &history, &["audit", "status", "--json"]);
    let error = refused.json()["error"].clone();
    assert!(error["message"].as_str().is_some_and(|text| text.ends_with("audit.key holds another key.")), "{error}");
    std::fs::copy(first.data().join("audit.key"), other.data().join("audit.key")).expect("copied");
    assert_eq!(on(&other, &history, &["audit", "verify"]).code, 0);
}

fn a_server_that_is_away_is_told_and_runs_go_on_when_it_is_back(server: &Postgres) {
    let history = history(server, "away");
    let place = TestHome::new();
    let calls = Loopback::start();
    let flow = workflow(
        json!({
            "w": { "type": "flow.wait", "config": { "ms": 1_000 } },
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
