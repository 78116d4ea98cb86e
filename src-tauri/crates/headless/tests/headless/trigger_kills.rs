//! A server that is killed again and again while deliveries, files, messages, mails and ticks come in: whatever was accepted has one run, and nothing
//! is lost or doubled. `SIGNALBOX_KILLS` says how often it is killed; a few times when it says nothing.

use crate::support;

use serde_json::{Value, json};
use signalbox_store::{Store, StoreOptions};
use signalbox_testkit::mail_host::{self, MailHost};
use signalbox_testkit::message_host::{self, MessageHost};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use support::{Serving, TestHome, eventually};

/// When `SIGNALBOX_KILLS` says nothing.
const KILLS: usize = 4;
/// Programs that deliver at the same time.
const SENDERS: usize = 3;

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

/// Delivers one order; gives its run, or nothing when no whole answer came.
fn deliver(host: &str, id: u64) -> Option<String> {
    let mut stream = TcpStream::connect(host).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    let body = json!({ "id": id }).to_string();
    let request = format!(
        "POST /hooks/orders HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         idempotency-key: order-{id}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let answer: Value = serde_json::from_str(body).ok()?;
    (head.split_whitespace().nth(1) == Some("202")).then(|| answer["runId"].as_str().map(str::to_owned))?
}

/// Numbers that look random, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

#[derive(Default)]
struct Sent {
    next: u64,
    /// Orders that got no answer.
    open: BTreeSet<u64>,
    /// Orders that were accepted, and their runs.
    accepted: BTreeMap<u64, String>,
}

impl Sent {
    /// What to deliver next: what got no answer comes again, sooner or later.
    fn take(sent: &Mutex<Self>) -> u64 {
        let mut sent = sent.lock().expect("no panic");
        sent.next += 1;
        let next = sent.next;
        let id = if next.is_multiple_of(3) { sent.open.pop_first() } else { None }.unwrap_or(next);
        sent.open.insert(id);
        id
    }

    fn told(sent: &Mutex<Self>, id: u64, run: String) {
        let mut sent = sent.lock().expect("no panic");
        sent.open.remove(&id);
        let before = sent.accepted.insert(id, run.clone());
        assert!(before.is_none_or(|before| before == run), "order {id} has two runs");
    }
}

/// The runs of a workflow, once all of them have ended.
fn runs(serving: &Serving, workflow: &str) -> Vec<Value> {
    let mut all = Vec::new();
    eventually(&format!("the runs of {workflow} end"), || {
        all.clear();
        let mut before = Value::Null;
        loop {
            let asked = json!({ "workflow": workflow, "limit": 500, "before": before });
            let page = serving.ask("POST", "/rpc/run_list", &asked).json();
            all.extend(page["runs"].as_array().cloned().unwrap_or_default());
            before = page["next"].clone();
            if before.is_null() {
                break;
            }
        }
        all.iter().all(|run| run["status"] == "completed")
    });
    all
}

fn output(serving: &Serving, run: &Value) -> Value {
    let path = format!("/workflow/{}/status", run["runId"].as_str().expect("an id"));
    serving.ask("GET", &path, &Value::Null).json()["output"][0]["id"].clone()
}

/// Every tick between the first and the last has fired once, or was left out once. Says how many fired, and how many were left out.
fn each_tick_once(place: &TestHome, seed: u64) -> (usize, usize) {
    let store = Store::open(&place.data(), &StoreOptions::default()).expect("opens");
    let rows = store.trigger_firings("ticks.t", 1_000_000).expect("reads");
    let (mut fired, mut left_out) = (Vec::new(), Vec::new());
    for row in rows {
        let last = row.scheduled_ms / 1_000;
        match row.run {
            Some(_) => fired.push(last),
            None => left_out.extend(last - row.count as i64 + 1..=last),
        }
    }
    let mut all: Vec<i64> = fired.iter().chain(&left_out).copied().collect();
    all.sort_unstable();
    let (first, last) = (all.first().copied().expect("fired"), all.last().copied().expect("fired"));
    assert_eq!(all, (first..=last).collect::<Vec<_>>(), "a tick is lost or doubled, seed {seed}");
    (fired.len(), left_out.len())
}

fn activate(place: &TestHome, document: &Value, folder: &Path) {
    let name = format!("{}.json", document["id"].as_str().expect("an id"));
    let file = place.file(&name, document.to_string()).display().to_string();
    let done = place.run(&["activate", &file, "--allow-dir", &folder.display().to_string()]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
}

#[test]
fn kills_at_random_under_load_lose_and_double_nothing() {
    let kills = std::env::var("SIGNALBOX_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64);
    let mut random = Random(seed);
    let place = TestHome::new();
    let folder = place.dir.path().join("inbox");
    std::fs::create_dir(&folder).expect("is made");
    let allow = folder.display().to_string();
    let inbox = json!({ "path": folder, "settleMs": 100, "existing": "process" });
    activate(&place, &flow("hook", "trigger.webhook", json!({ "path": "orders" }), "{'id': item.body.id}"), &folder);
    activate(&place, &flow("inbox", "trigger.file_watch", inbox, "{'id': int(item.name)}"), &folder);
    let every = json!({ "every": 1_000, "onMissed": "one" });
    activate(&place, &flow("ticks", "trigger.schedule", every, "{'id': item.scheduledAt}"), &folder);

    let (queue, mails) = (MessageHost::redis(), MailHost::start());
    assert_eq!(place.run(&["secret", "choose", "file", "--json"]).code, 0);
    let secret = |name: &str, field: &str, host: &str, value: &str| {
        let args = ["secret", "set", name, "--kind", "basic", "--field", field, "--host", host, "--json"];
        assert_eq!(place.run_with(&args, value).code, 0);
    };
    secret("broker", "default", "127.0.0.1", message_host::PASSWORD);
    secret("mailbox", mail_host::USER, "localhost", mail_host::PASSWORD);
    let broker = json!({
        "system": "redis", "host": "127.0.0.1", "port": queue.port, "tls": false, "credential": "secret://broker",
        "topic": "orders", "existing": "process",
    });
    activate(&place, &flow("queue", "trigger.message", broker, "{'id': item.body.id}"), &folder);
    let mailbox = mails.imap(json!({ "existing": "process", "after": "seen_move", "moveTo": "Done/Größe" }));
    activate(&place, &flow("mails", "trigger.mail", mailbox, "{'id': int(item.subject)}"), &folder);

    let (sent, mut files, mut messages) = (Arc::new(Mutex::new(Sent::default())), 0, 0);
    for _ in 0..kills {
        let mut serving = Serving::start(&place, &["--allow-dir", &allow]);
        let is_over = Arc::new(AtomicBool::new(false));
        let senders: Vec<_> = (0..SENDERS)
            .map(|_| {
                let (sent, is_over, host) = (Arc::clone(&sent), Arc::clone(&is_over), serving.host().to_owned());
                std::thread::spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        let id = Sent::take(&sent);
                        match deliver(&host, id) {
                            Some(run) => Sent::told(&sent, id, run),
                            // The server has died.
                            None => break,
                        }
                    }
                })
            })
            .collect();
        for _ in 0..random.below(3) {
            files += 1;
            std::fs::write(folder.join(files.to_string()), format!("file {files}")).expect("is written");
        }
        for _ in 0..=random.below(3) {
            messages += 1;
            queue.redis_cli(&format!("XADD orders * body {{\"id\":{messages}}}"));
            let raw = format!(
                "From: ada@example.com\r\nTo: shop@example.com\r\nSubject: {messages}\r\nMessage-ID: <{messages}@example.com>\r\n\r\nHi\r\n"
            );
            mails.deliver(&messages.to_string(), raw.as_bytes());
        }
        std::thread::sleep(Duration::from_millis(random.below(700)));
        serving.child.kill().expect("is killed");
        serving.child.wait().expect("has ended");
        is_over.store(true, Ordering::Relaxed);
        for sender in senders {
            sender.join().unwrap_or_else(|_| panic!("seed {seed}"));
        }
    }

    let serving = Serving::start(&place, &["--allow-dir", &allow]);
    let open: Vec<u64> = sent.lock().expect("no panic").open.iter().copied().collect();
    for id in open {
        let run = deliver(serving.host(), id).expect("is accepted");
        Sent::told(&sent, id, run);
    }
    let accepted = sent.lock().expect("no panic").accepted.clone();
    let delivered: BTreeSet<String> = accepted.values().cloned().collect();
    assert_eq!(delivered.len(), accepted.len(), "two orders share a run, seed {seed}");
    let started = runs(&serving, "hook");
    let ids: BTreeSet<String> = started.iter().filter_map(|run| run["runId"].as_str().map(str::to_owned)).collect();
    assert_eq!((started.len(), &ids), (delivered.len(), &delivered), "seed {seed}");

    eventually("every file is taken", || runs(&serving, "inbox").len() >= files);
    let mut taken: Vec<i64> = runs(&serving, "inbox").iter().filter_map(|run| output(&serving, run).as_i64()).collect();
    taken.sort_unstable();
    assert_eq!(taken, (1..=files as i64).collect::<Vec<_>>(), "seed {seed}");

    // A run for each message, and each is acknowledged, or moved, in the end.
    for workflow in ["queue", "mails"] {
        eventually("every message is taken", || runs(&serving, workflow).len() >= messages);
        let mut taken: Vec<i64> =
            runs(&serving, workflow).iter().filter_map(|run| output(&serving, run).as_i64()).collect();
        taken.sort_unstable();
        assert_eq!(taken, (1..=messages as i64).collect::<Vec<_>>(), "{workflow}, seed {seed}");
    }
    eventually("every message is acknowledged", || queue.redis_cli("XPENDING orders signalbox").starts_with('0'));
    eventually("every mail is moved", || mails.kept(".Done.Gr&APYA3w-e").len() == messages);

    eventually("a tick fires", || !runs(&serving, "ticks").is_empty());
    // No tick comes any more.
    assert_eq!(place.run(&["deactivate", "ticks"]).code, 0);
    let ticks = runs(&serving, "ticks").len();
    drop(serving);
    let (fired, left_out) = each_tick_once(&place, seed);
    assert_eq!(ticks, fired, "seed {seed}");
    println!("{kills} kills: {} deliveries, {files} files, {fired} ticks and {left_out} left out", accepted.len());
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}
