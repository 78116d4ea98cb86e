//! Bytes travel by reference, with the real program, a real peer and the real store (K-37, D-10, TS-163).

use crate::support;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use support::{BUILDER, OPERATOR, TestHome, VIEWER, eventually, with_roles, workflow};

/// The smallest picture that there is, and bytes that no text has.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', 13, 10, 26, 10, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0,
    0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 10, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63, 0, 1, 0, 0, 5, 0, 1, 13, 10, 0x2d,
    0xb4, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];
const BIG: usize = 5 * 1024 * 1024;

/// Five megabytes in which nothing repeats for long.
fn big() -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    (0..BIG).map(|_| next()).collect()
}

/// (request line, head in small letters, body)
type Taken = (String, String, Vec<u8>);

/// Gives out bytes, and remembers what it was sent.
struct Peer {
    base: String,
    taken: Arc<Mutex<Vec<Taken>>>,
}

impl Peer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let taken: Arc<Mutex<Vec<Taken>>> = Arc::default();
        let got = Arc::clone(&taken);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let got = Arc::clone(&got);
                std::thread::spawn(move || serve(stream, &got));
            }
        });
        Self { base, taken }
    }

    fn taken(&self, path: &str) -> Vec<Taken> {
        let all = self.taken.lock().expect("no panic");
        all.iter().filter(|(line, ..)| line.split(' ').nth(1) == Some(path)).cloned().collect()
    }
}

fn serve(mut stream: TcpStream, got: &Mutex<Vec<Taken>>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
    let (mut first, mut head, mut length) = (String::new(), String::new(), 0);
    if reader.read_line(&mut first).unwrap_or(0) == 0 {
        return;
    }
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        let line = line.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    got.lock().expect("no panic").push((first.trim().to_owned(), head, body));
    let (status, media, body) = match path.as_str() {
        "/png" => ("200 OK", "image/png", PNG.to_vec()),
        "/big" => ("200 OK", "application/octet-stream", big()),
        "/no" => ("404 Not Found", "text/plain", b"no".to_vec()),
        _ => ("200 OK", "application/json", b"{}".to_vec()),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    drop(stream.write_all(answer.as_bytes()).and_then(|()| stream.write_all(&body)));
}

fn count(place: &TestHome, sql: &str) -> i64 {
    let store = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
    store.query_row(sql, [], |row| row.get(0)).expect(sql)
}

fn get(peer: &Peer, path: &str) -> Value {
    json!({ "type": "http.request", "config": { "url": format!("{}{path}", peer.base), "responseType": "binary" } })
}

fn out(place: &TestHome) -> std::path::PathBuf {
    let folder = place.dir.path().join("out");
    std::fs::create_dir_all(&folder).expect("made");
    folder
}

fn write(folder: &Path, name: &str, binary: &str) -> Value {
    json!({ "type": "file.write", "config": { "path": folder.join(name).display().to_string(), "binary": binary } })
}

fn file(place: &TestHome, nodes: Value, edges: Value) -> String {
    place.file("bytes.signalbox.json", workflow(nodes, edges).to_string()).display().to_string()
}

/// Runs a file that may write below `folder`.
fn run(place: &TestHome, folder: &Path, file: &str) -> Value {
    let grant = format!("{}:rw", folder.display());
    let done = place.run(&["run", file, "--allow-dir", &grant, "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    done.json()
}

fn sha256(bytes: &[u8]) -> String {
    signalbox_model::hash::sha256_hex(bytes)
}

#[test]
#[cfg(unix)]
fn ts_163_five_megabytes_are_a_reference_and_survive_kill_9() {
    let (place, peer) = (TestHome::new(), Peer::start());
    let folder = out(&place);
    let file = file(
        &place,
        json!({
            "fetch": get(&peer, "/big"), "w": { "type": "flow.wait", "config": { "ms": 1_500 } },
            "keep": write(&folder, "big.bin", "response"),
        }),
        json!([{ "from": "fetch.success", "to": "w" }, { "from": "w.success", "to": "keep" }]),
    );
    let grant = format!("{}:rw", folder.display());
    let mut child = place.spawn(&["run", &file, "--allow-dir", &grant, "--events", "--json"]);
    let mut id = String::new();
    for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
        let event: Value = serde_json::from_str(&line.expect("text")).expect("json");
        id = event["runId"].as_str().expect("an id").to_owned();
        if event["type"] == "step_start" && event["stepId"] == "w" {
            break;
        }
    }
    child.kill().expect("kill -9");
    child.wait().expect("gone");

    let hash = sha256(&big());
    let stored = count(&place, "SELECT sum(length(payload)) FROM run_event")
        + count(&place, "SELECT coalesce(sum(length(body)), 0) FROM run_snapshot");
    assert!(stored < 10_000, "events and snapshots hold {stored} bytes");
    assert_eq!(
        count(&place, "SELECT sum(size) FROM blob"),
        i64::try_from(BIG).expect("small"),
        "stored once, as it is"
    );
    let events = place.run(&["runs", "events", &id]);
    assert!(events.out.len() < 20_000, "{}", events.out.len());
    let done = events.lines().into_iter().find(|event| event["type"] == "step_done").expect("fetched");
    let item = &done["payload"]["items"]["success"][0];
    let reference = json!({ "ref": hash, "mime": "application/octet-stream", "size": BIG, "sha256": hash });
    assert_eq!((&item["data"]["response"], &item["binary"]), (&reference, &json!({ "response": reference })));
    let checkpoint = place.run(&["runs", "snapshot", &id, "--json"]);
    assert!(checkpoint.code == 0 && checkpoint.out.len() < 10_000, "{}", checkpoint.out.len());

    let done = place.run(&["resume", &id, "--allow-dir", &grant, "--json"]);
    assert_eq!((done.code, done.json()["status"].as_str()), (0, Some("completed")), "{}", done.err);
    assert!(std::fs::read(folder.join("big.bin")).expect("written") == big(), "byte for byte");
    assert_eq!(peer.taken("/big").len(), 1, "what was kept is not fetched again");
}

#[test]
fn d_10_a_picture_comes_through_unchanged_and_goes_out_again() {
    let (place, peer) = (TestHome::new(), Peer::start());
    let folder = out(&place);
    let file = file(
        &place,
        json!({
            "fetch": get(&peer, "/png"),
            "each": { "type": "flow.loop" },
            "inside": { "type": "data.set", "parent": "each", "config": { "assign": { "n": "=_index" } } },
            "other": get(&peer, "/big"),
            "both": { "type": "data.aggregate" },
            "keep": write(&folder, "logo.png", "response"),
            "second": write(&folder, "big.bin", "response_2"),
            "send": { "type": "http.request", "config": {
                "method": "PUT", "url": format!("{}/store", peer.base), "bodyBinary": "response" } },
        }),
        json!([
            { "from": "fetch.success", "to": "each" }, { "from": "each.success", "to": "both" },
            { "from": "other.success", "to": "both" }, { "from": "both.success", "to": "keep" },
            { "from": "both.success", "to": "second" }, { "from": "both.success", "to": "send" },
        ]),
    );
    run(&place, &folder, &file);
    assert_eq!(std::fs::read(folder.join("logo.png")).expect("written"), PNG);
    assert!(std::fs::read(folder.join("big.bin")).expect("written") == big());
    let sent = peer.taken("/store");
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].2, PNG);
    assert!(sent[0].1.contains("content-type: image/png"), "{}", sent[0].1);
}

/// The answer of a person goes by; what they are asked about names the file, and hands it out.
#[test]
fn d_10_a_person_skips_and_the_bytes_go_on() {
    let (place, peer) = (TestHome::new(), Peer::start());
    let folder = out(&place);
    let file = file(
        &place,
        json!({
            "fetch": get(&peer, "/png"),
            "send": { "type": "http.request", "config": { "method": "POST", "url": format!("{}/no", peer.base), "bodyBinary": "response" } },
            "ask": { "type": "builtin.human_decision" },
            "keep": write(&folder, "logo.png", "response"),
        }),
        json!([
            { "from": "fetch.success", "to": "send" }, { "from": "send.error", "to": "ask" },
            { "from": "ask.skip", "to": "keep" },
        ]),
    );
    let grant = format!("{}:rw", folder.display());
    let paused = place.run(&["run", &file, "--allow-dir", &grant, "--json"]);
    assert_eq!(paused.code, 3, "{}{}", paused.out, paused.err);
    let summary = paused.json();
    let (id, task) = (summary["runId"].as_str().expect("an id"), summary["openTasks"][0].as_str().expect("a task"));
    let shown = place.run(&["tasks", "show", task, "--json"]).json();
    assert_eq!(
        shown["attachments"],
        json!([{ "id": "/binary/response", "name": "response.png", "mime": "image/png", "size": PNG.len() }]),
        "{shown}"
    );
    let serving = with_roles(&place);
    let open =
        |id: &str| serving.ask_as(OPERATOR, "POST", "/rpc/task_attachment", &json!({ "taskId": task, "id": id }), &[]);
    let opened = open("/binary/response").json();
    assert_eq!(opened["bytesBase64"], STANDARD.encode(PNG));
    assert_eq!(open("/binary/other").status, 404);
    drop(serving);
    let done = place.run(&["tasks", "complete", task, "--action", "skip", "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let done = place.run(&["resume", id, "--allow-dir", &grant, "--json"]);
    assert_eq!((done.code, done.json()["status"].as_str()), (0, Some("completed")), "{}{}", done.out, done.err);
    assert_eq!(std::fs::read(folder.join("logo.png")).expect("written"), PNG);
}

/// A new run needs what its base names: the original may go.
#[test]
fn k_34_a_rerun_keeps_the_bytes_when_the_original_goes() {
    let (place, peer) = (TestHome::new(), Peer::start());
    let folder = out(&place);
    let file = file(
        &place,
        json!({ "fetch": get(&peer, "/png"), "keep": write(&folder, "logo.png", "response") }),
        json!([{ "from": "fetch.success", "to": "keep" }]),
    );
    let first = run(&place, &folder, &file)["runId"].as_str().expect("an id").to_owned();
    std::fs::remove_file(folder.join("logo.png")).expect("gone");
    let grant = format!("{}:rw", folder.display());
    let done = place.run(&["rerun", &first, "--from", "keep", "--allow-dir", &grant, "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let second = done.json()["runId"].as_str().expect("an id").to_owned();
    assert_eq!(std::fs::read(folder.join("logo.png")).expect("written"), PNG);
    assert_eq!(peer.taken("/png").len(), 1);
    assert_eq!(place.run(&["runs", "delete", &first, "--json"]).code, 0);

    let hash = sha256(PNG);
    let save = |run: &str, more: &[&str]| {
        place.run(&[&["runs", "binary", run, &hash, "--out", "saved.png", "--json"], more].concat())
    };
    assert_eq!(save(&first, &[]).json()["error"]["code"], "NOT_FOUND");
    let saved = save(&second, &[]);
    assert_eq!((saved.code, &saved.json()["size"]), (0, &json!(PNG.len())), "{}", saved.err);
    let there = place.dir.path().join("saved.png");
    assert_eq!(std::fs::read(&there).expect("written"), PNG);
    let again = save(&second, &[]);
    assert_eq!((again.code, again.json()["error"]["code"].as_str()), (2, Some("FILE_EXISTS")), "{}", again.out);
    std::fs::write(&there, "mine").expect("written");
    assert_eq!(save(&second, &["--force"]).code, 0);
    assert_eq!(std::fs::read(&there).expect("written"), PNG);
    // From the re-run once more, with the first gone.
    std::fs::remove_file(folder.join("logo.png")).expect("gone");
    let third = place.run(&["rerun", &second, "--from", "keep", "--allow-dir", &grant, "--json"]);
    assert_eq!(third.code, 0, "{}{}", third.out, third.err);
    assert_eq!(std::fs::read(folder.join("logo.png")).expect("written"), PNG);
    let third = third.json()["runId"].as_str().expect("an id").to_owned();
    for run in [second, third] {
        assert_eq!(place.run(&["runs", "delete", &run, "--json"]).code, 0);
    }
    assert_eq!(count(&place, "SELECT (SELECT count(*) FROM blob) + (SELECT count(*) FROM blob_use)"), 0);
}

fn bytes_of(serving: &support::Serving, token: &str, path: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(serving.host()).expect("connected");
    let host = serving.host();
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("answered");
    let at = all.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
    (String::from_utf8_lossy(&all[..at]).to_ascii_lowercase(), all.split_off(at + 4))
}

#[test]
fn ts_052_bytes_cannot_be_masked() {
    let (place, peer) = (TestHome::new(), Peer::start());
    let serving = with_roles(&place);
    let mut document = workflow(json!({ "fetch": get(&peer, "/png") }), json!([]));
    document["id"] = json!("bytes");
    let start = |path: &str| {
        let mut document = document.clone();
        document["nodes"]["fetch"]["config"]["url"] = json!(format!("{}{path}", peer.base));
        let answer =
            serving.ask_as(BUILDER, "POST", "/rpc/run_start", &json!({ "document": document, "params": {} }), &[]);
        let run = answer.json()["runId"].as_str().unwrap_or_else(|| panic!("{}", answer.body)).to_owned();
        eventually("the run ends", || {
            let status = serving.ask_as(BUILDER, "GET", &format!("/workflow/{run}/status"), &Value::Null, &[]).json();
            status["status"] == "completed"
        });
        run
    };
    let (run, other) = (start("/png"), start("/big"));
    let path = |run: &str, hash: &str| format!("/workflow/{run}/binary/{hash}");
    let (hash, elsewhere) = (sha256(PNG), sha256(&big()));
    let (head, body) = bytes_of(&serving, BUILDER, &path(&run, &hash));
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert_eq!(body, PNG);
    for line in [
        "content-type: application/octet-stream",
        "content-disposition: attachment",
        "x-content-type-options: nosniff",
        "cache-control: no-store",
    ] {
        assert!(head.contains(line), "{line}\n{head}");
    }
    // Only what the run itself needs, by its own name and no other spelling.
    for (run, hash) in [
        (run.as_str(), elsewhere.as_str()),
        (other.as_str(), hash.as_str()),
        ("nobody", hash.as_str()),
        (run.as_str(), &hash[..63]),
        (run.as_str(), "..%2f..%2fsignalbox.db"),
        (run.as_str(), &hash.to_ascii_uppercase()),
    ] {
        assert_eq!(serving.ask_as(BUILDER, "GET", &path(run, hash), &Value::Null, &[]).status, 404, "{run} {hash}");
    }
    let rpc =
        |token: &str| serving.ask_as(token, "POST", "/rpc/run_binary", &json!({ "runId": run, "sha256": hash }), &[]);
    for token in [VIEWER, OPERATOR] {
        let refused = serving.ask_as(token, "GET", &path(&run, &hash), &Value::Null, &[]);
        assert_eq!((refused.status, rpc(token).status), (403, 403), "{}", refused.body);
    }
    let refused = serving.ask_as(OPERATOR, "GET", &path(&run, &hash), &Value::Null, &[]);
    assert!(refused.body.contains("nothing can be masked in bytes"), "{}", refused.body);
    let why = json!({ "runId": run, "reason": "the customer sent the wrong picture" });
    assert_eq!(serving.ask_as(OPERATOR, "POST", "/rpc/run_reveal", &why, &[]).status, 200);
    assert_eq!(bytes_of(&serving, OPERATOR, &path(&run, &hash)).1, PNG);
    assert_eq!(rpc(OPERATOR).status, 200);
    assert_eq!(rpc(VIEWER).status, 403);
}

/// What a workflow may do wrong is told before it runs, or by the step.
#[test]
fn d_10_a_step_says_which_bytes_there_are() {
    let (place, peer) = (TestHome::new(), Peer::start());
    let folder = out(&place);
    let nodes = json!({ "fetch": get(&peer, "/png"), "keep": write(&folder, "logo.png", "photo") });
    let edges = json!([{ "from": "fetch.success", "to": "keep" }]);
    let grant = format!("{}:rw", folder.display());
    let failed = place.run(&["run", &file(&place, nodes.clone(), edges.clone()), "--allow-dir", &grant, "--json"]);
    let error = failed.json()["error"].clone();
    assert_eq!(
        (failed.code, error["type"].as_str(), error["details"]["code"].as_str(), &error["details"]["available"]),
        (1, Some("ValidationError"), Some("BINARY_MISSING"), &json!(["response"])),
        "{error}"
    );
    assert_eq!(error["message"], "There are no bytes named 'photo'; the item has: response");

    let validate = |config: Value| {
        let mut nodes = nodes.clone();
        nodes["keep"]["config"] = config;
        let found = place.run(&["validate", &file(&place, nodes, edges.clone()), "--json"]).json();
        let found = found[0]["diagnostics"].as_array().expect("a list");
        let found: Vec<&Value> = found.iter().filter(|one| one["code"] != "MISSING_GRANT").collect();
        let first = found.first().copied().unwrap_or(&Value::Null);
        (first["code"].as_str().unwrap_or_default().to_owned(), first["path"].clone(), found.len())
    };
    let at = |field: &str| json!(format!("/nodes/keep/config/{field}"));
    assert_eq!(validate(json!({ "path": "a" })), ("MISSING_CONFIG".into(), at("content"), 1));
    assert_eq!(validate(json!({ "path": "a", "content": "x", "binary": "y" })), ("BAD_CONFIG".into(), at("binary"), 1));
    assert_eq!(validate(json!({ "path": "a", "binary": "y" })).2, 0);
}

/// The body of a sub-workflow begins with the bytes of what entered it, and gives out what it ends with.
#[test]
fn d_10_a_sub_workflow_takes_and_gives_bytes() {
    let (place, peer) = (TestHome::new(), Peer::start());
    let folder = out(&place);
    let mut inner = workflow(
        json!({
            "send": { "type": "http.request", "config": {
                "method": "PUT", "url": format!("{}/store", peer.base), "bodyBinary": "response" } },
            "give": { "type": "flow.noop" },
        }),
        json!([]),
    );
    inner["id"] = json!("inner");
    place.file("inner.signalbox.json", inner.to_string());
    let file = file(
        &place,
        json!({
            "fetch": get(&peer, "/png"),
            "sub": { "type": "flow.subworkflow", "config": { "workflow": "inner" } },
            "good": { "type": "data.filter", "config": { "when": "!has(item.status)" } },
            "keep": write(&folder, "logo.png", "response"),
        }),
        json!([
            { "from": "fetch.success", "to": "sub" }, { "from": "sub.success", "to": "good" },
            { "from": "good.success", "to": "keep" },
        ]),
    );
    run(&place, &folder, &file);
    assert_eq!(peer.taken("/store")[0].2, PNG);
    assert_eq!(std::fs::read(folder.join("logo.png")).expect("written"), PNG);
}

#[test]
fn a_part_of_the_bytes_can_be_asked_for() {
    let (place, peer) = (TestHome::new(), Peer::start());
    let file = file(&place, json!({ "fetch": get(&peer, "/text") }), json!([]));
    let run = run(&place, &out(&place), &file);
    let serving = with_roles(&place);
    let path = format!("/workflow/{}/binary/{}", run["runId"].as_str().expect("an id"), sha256(b"{}"));
    let ask = |range: &str| serving.ask_as(BUILDER, "GET", &path, &Value::Null, &[("range", range)]);
    let has = |head: &str, line: &str| head.to_ascii_lowercase().contains(line);
    let len = 2;
    let name = ask("bytes=1-1");
    assert_eq!((name.status, name.body.as_str()), (206, "}"), "{}", name.head);
    assert!(
        has(&name.head, &format!("content-range: bytes 1-1/{len}")) && has(&name.head, "attachment"),
        "{}",
        name.head
    );
    let end = ask("bytes=-2");
    assert!(end.status == 206 && has(&end.head, &format!("content-range: bytes 0-1/{len}")));
    for bad in [format!("bytes={len}-"), "bytes=3-2".to_owned(), "bytes=x".to_owned()] {
        let answer = ask(&bad);
        assert_eq!((answer.status, answer.code().as_str()), (416, "BAD_RANGE"), "{bad}");
        assert!(has(&answer.head, &format!("content-range: bytes */{len}")), "{}", answer.head);
    }
    for whole in ["bytes=0-1,4-5", "lines=1-2"] {
        let answer = ask(whole);
        assert!(answer.status == 200 && has(&answer.head, &format!("content-length: {len}")), "{}", answer.head);
        assert!(has(&answer.head, "accept-ranges: bytes"), "{}", answer.head);
    }
}
