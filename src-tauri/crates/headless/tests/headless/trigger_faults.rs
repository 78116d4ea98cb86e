//! Triggers whose process dies, or whose disk is full: no delivery, answer, file or item is lost, and none has two runs.

use crate::full_disk::small_disk::SmallDisk;
use crate::support;

use serde_json::{Value, json};
use signalbox_store::failpoint::Point;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{Serving, TestHome, eventually};

fn flow(id: &str, kind: &str, config: Value, expression: &str) -> Value {
    json!({
        "signalbox": 1, "id": id, "name": id, "settings": { "errorPolicy": "fail" },
        "nodes": {
            "t": { "type": kind, "typeVersion": 1, "config": config },
            "a": { "type": "data.transform", "typeVersion": 1, "config": { "expression": expression } },
        },
        "edges": [{ "from": "t.success", "to": "a" }],
    })
}

fn hook() -> Value {
    flow("hook", "trigger.webhook", json!({ "path": "orders" }), "{'id': item.body.id}")
}

fn form() -> Value {
    let schema = json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "integer" } } });
    let config = json!({ "path": "orders", "title": "Orders", "schema": schema });
    flow("form", "trigger.form", config, "{'id': item.answers.id}")
}

fn inbox(folder: &std::path::Path) -> Value {
    let config = json!({ "path": folder, "settleMs": 100, "existing": "process" });
    flow("inbox", "trigger.file_watch", config, "{'id': int(item.name)}")
}

fn items(url: &str) -> Value {
    let config = json!({ "every": 10_000, "url": url, "key": "item.id", "existing": "process" });
    flow("items", "trigger.poll", config, "{'id': item.id}")
}

/// A workflow that puts out what the address lists, and one that has it as its source.
fn shop(url: &str) -> Value {
    json!({
        "signalbox": 1, "id": "shop", "name": "shop", "settings": { "errorPolicy": "fail" },
        "nodes": {
            "ask": { "type": "http.request", "typeVersion": 1, "config": { "url": url } },
            "split": { "type": "data.split", "typeVersion": 1, "config": { "field": "response" } },
        },
        "edges": [{ "from": "ask.success", "to": "split" }],
    })
}

fn looks() -> Value {
    let source = json!({ "kind": "workflow", "workflow": "shop" });
    let config = json!({ "every": 10_000, "source": source, "key": "item.id", "existing": "process" });
    flow("looks", "trigger.poll", config, "{'id': item.id}")
}

fn activate(place: &TestHome, document: &Value, more: &[&str]) {
    let name = format!("{}.json", document["id"].as_str().expect("an id"));
    let file = place.file(&name, document.to_string()).display().to_string();
    let done = place.run(&[&["activate", &file], more].concat());
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
}

/// One request of a stranger; none when nobody answered to its end.
fn send(host: &str, path: &str, headers: &[(&str, &str)], body: &Value) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(host).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    let body = body.to_string();
    let mut request = format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{request}\r\n{body}").as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split_whitespace().nth(1)?.parse().ok()?;
    Some((status, serde_json::from_str(body).unwrap_or_default()))
}

fn deliver(host: &str, id: i64) -> Option<(u16, Value)> {
    let key = format!("order-{id}");
    send(host, "/hooks/orders", &[("idempotency-key", &key)], &json!({ "id": id }))
}

fn submit(host: &str, id: i64) -> Option<(u16, Value)> {
    let key = format!("0198c0de-0000-7000-8000-{id:012}");
    send(host, "/forms/orders", &[], &json!({ "key": key, "answers": { "id": id } }))
}

/// The ids that the runs of a workflow put out, each with its runs.
fn put_out(serving: &Serving, workflow: &str) -> BTreeMap<i64, usize> {
    let listed = serving.ask("POST", "/rpc/run_list", &json!({ "workflow": workflow, "limit": 200 })).json();
    let mut all = BTreeMap::new();
    for run in listed["runs"].as_array().into_iter().flatten() {
        let path = format!("/workflow/{}/status", run["runId"].as_str().expect("an id"));
        let mut summary = Value::Null;
        eventually("the run ends", || {
            summary = serving.ask("GET", &path, &Value::Null).json();
            summary["status"] == "completed"
        });
        for item in summary["output"].as_array().into_iter().flatten() {
            *all.entry(item["id"].as_i64().expect("a number")).or_default() += 1;
        }
    }
    all
}

fn each_once(serving: &Serving, workflow: &str, ids: &BTreeSet<i64>) {
    let expected: BTreeMap<i64, usize> = ids.iter().map(|id| (*id, 1)).collect();
    eventually(&format!("each of {workflow}"), || put_out(serving, workflow).len() >= expected.len());
    assert_eq!(put_out(serving, workflow), expected, "{workflow}");
}

/// A server that dies at a point.
fn dying(place: &TestHome, point: Point, nth: usize, more: &[&str]) -> std::process::Child {
    let mut command = place.command(&[&["serve", "--addr", "127.0.0.1:0"], more].concat());
    command.env("SIGNALBOX_FAILPOINT", format!("{}:{nth}", point.name()));
    command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    command.spawn().expect("it starts")
}

/// Whoever got no answer sends again; the same delivery, and the same answers of a form, start one run.
#[test]
fn a_crash_at_any_point_neither_loses_nor_doubles_a_delivery_or_an_answer() {
    let place = TestHome::new();
    activate(&place, &hook(), &[]);
    activate(&place, &form(), &[]);
    let mut open: BTreeSet<i64> = BTreeSet::new();
    let points = [
        (Point::Begun, 4),
        (Point::Written, 5),
        (Point::Committed, 6),
        (Point::Marked, 7),
        (Point::Told, 8),
        (Point::Born, 1),
        (Point::Born, 2),
        (Point::Decided, 2),
    ];
    let mut next = 0;
    for (point, nth) in points {
        let mut child = dying(&place, point, nth, &[]);
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("reads");
        // It may die before it listens.
        let ready: Value = serde_json::from_str(&line).unwrap_or_default();
        let host = ready["url"].as_str().unwrap_or_default().trim_start_matches("http://").to_owned();
        for _ in 0..20 {
            if host.is_empty() || child.try_wait().expect("asks").is_some() {
                break;
            }
            next += 1;
            open.insert(next);
            let told = (deliver(&host, next), submit(&host, next));
            let taken = |answer: &Option<(u16, Value)>| matches!(answer, Some((200 | 202, _)));
            if !taken(&told.0) || !taken(&told.1) {
                break;
            }
        }
        eventually(&format!("the end at {point:?}"), || child.try_wait().expect("asks").is_some());
    }
    let serving = Serving::start(&place, &[]);
    for id in &open {
        let (status, told) = deliver(serving.host(), *id).expect("an answer");
        assert_eq!(status, 202, "{told}");
        let (status, told) = submit(serving.host(), *id).expect("an answer");
        assert!(matches!(status, 200 | 202), "{status} {told}");
    }
    each_once(&serving, "hook", &open);
    each_once(&serving, "form", &open);
    drop(serving);
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

/// Lists the ids that the test gives it.
fn source() -> (String, Arc<Mutex<BTreeSet<i64>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listens");
    let url = format!("http://{}/items", listener.local_addr().expect("has one"));
    let ids = Arc::new(Mutex::new(BTreeSet::new()));
    let told = Arc::clone(&ids);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let lines = BufReader::new(stream.try_clone().expect("clones")).lines();
            lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
            let items: Vec<Value> = told.lock().expect("no panic").iter().map(|id| json!({ "id": id })).collect();
            let body = json!(items).to_string();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length:";
            write!(stream, "{head} {}\r\n\r\n{body}", body.len()).ok();
        }
    });
    (url, ids)
}

#[test]
fn a_crash_at_any_point_neither_loses_nor_doubles_a_file_or_an_item() {
    let place = TestHome::new();
    let folder: PathBuf = place.dir.path().join("inbox");
    std::fs::create_dir(&folder).expect("is made");
    let allow = folder.display().to_string();
    let (url, listed) = source();
    activate(&place, &inbox(&folder), &["--allow-dir", &allow]);
    activate(&place, &items(&url), &[]);
    place.file("shop.signalbox.json", shop(&url).to_string());
    activate(&place, &looks(), &[]);
    let mut all = BTreeSet::new();
    let points = [(Point::Written, 5), (Point::Committed, 6), (Point::Told, 7), (Point::Born, 1), (Point::Decided, 2)];
    for (id, (point, nth)) in (1_i64..).zip(points) {
        std::fs::write(folder.join(id.to_string()), format!("file {id}")).expect("is written");
        listed.lock().expect("no panic").insert(id);
        all.insert(id);
        let mut child = dying(&place, point, nth, &["--allow-dir", &allow]);
        eventually(&format!("the end at {point:?}"), || child.try_wait().expect("asks").is_some());
    }
    let serving = Serving::start(&place, &["--allow-dir", &allow]);
    each_once(&serving, "inbox", &all);
    each_once(&serving, "items", &all);
    each_once(&serving, "looks", &all);
    drop(serving);
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

/// What could not be stored gets 503, or waits; with room it is taken, once.
#[test]
fn a_full_disk_takes_nothing_and_loses_nothing() {
    let place = TestHome::new();
    let Some(disk) = SmallDisk::new("6m") else { return };
    let folder = place.dir.path().join("inbox");
    std::fs::create_dir(&folder).expect("is made");
    let (allow, data) = (folder.display().to_string(), disk.path().display().to_string());
    activate(&place, &hook(), &["--data", &data]);
    activate(&place, &form(), &["--data", &data]);
    activate(&place, &inbox(&folder), &["--data", &data, "--allow-dir", &allow]);
    let serving = Serving::start(&place, &["--data", &data, "--allow-dir", &allow]);
    disk.fill();
    // What fits into pages that the log has already may still be written; until one does not.
    let refused = (1..200).find(|id| match deliver(serving.host(), *id) {
        Some((503, told)) => {
            assert!(told["error"]["message"].is_string(), "{told}");
            true
        }
        told => {
            assert_eq!(told.map(|(status, _)| status), Some(202));
            false
        }
    });
    let refused = refused.expect("the disk has an end");
    let (status, told) = submit(serving.host(), 1).expect("an answer");
    assert_eq!((status, told["error"]["message"].is_string()), (503, true), "{told}");
    std::fs::write(folder.join("1"), "file").expect("is written");
    disk.free();
    assert_eq!(deliver(serving.host(), refused).map(|(status, _)| status), Some(202));
    assert_eq!(submit(serving.host(), 1).map(|(status, _)| status), Some(200));
    each_once(&serving, "hook", &(1..=refused).collect());
    each_once(&serving, "form", &BTreeSet::from([1]));
    each_once(&serving, "inbox", &BTreeSet::from([1]));
}
