//! Messages about tasks to addresses outside (UX D2.10; TRUST, SSRF), with the real program and a real peer.

use crate::support;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use signalbox_model::hash::hmac_sha256;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use support::{BUILDER, OPERATOR, Serving, TestHome, VIEWER, eventually, with_roles, workflow};

const KEY: &str = "correct horse battery staple";

/// One request, as it came.
#[derive(Clone)]
struct Seen {
    path: String,
    head: String,
    body: String,
}

impl Seen {
    fn header(&self, name: &str) -> &str {
        let found = self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(": ")?;
            known.eq_ignore_ascii_case(name).then_some(value)
        });
        found.unwrap_or_else(|| panic!("no {name} in {}", self.head))
    }

    /// Checks it as docs/formats.md tells a receiver to.
    fn told(&self) -> Value {
        let signed = format!("{}.{}.{}", self.header("webhook-id"), self.header("webhook-timestamp"), self.body);
        let signature = format!("v1,{}", STANDARD.encode(hmac_sha256(KEY.as_bytes(), signed.as_bytes())));
        assert_eq!(self.header("webhook-signature"), signature);
        serde_json::from_str(&self.body).expect("JSON")
    }
}

/// `/flaky` fails once, `/hang` does not answer the first time, `/away` leads to `/canary`; all else is taken.
struct Peer {
    base: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Peer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (kept, own) = (Arc::clone(&seen), base.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, own) = (Arc::clone(&kept), own.clone());
                std::thread::spawn(move || serve(stream, &kept, &own));
            }
        });
        Self { base, seen }
    }

    fn to(&self, path: &str) -> Vec<Seen> {
        let seen = self.seen.lock().expect("no panic");
        seen.iter().filter(|seen| seen.path == path).cloned().collect()
    }

    fn kinds(&self, path: &str) -> Vec<String> {
        self.to(path).iter().map(|seen| seen.told()["type"].as_str().expect("a type").to_owned()).collect()
    }
}

fn serve(mut stream: TcpStream, kept: &Mutex<Vec<Seen>>, own: &str) {
    let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let length =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let path = head.split_whitespace().nth(1).unwrap_or("/").to_owned();
        let hit = {
            let mut kept = kept.lock().expect("no panic");
            let body = String::from_utf8(body).expect("text");
            kept.push(Seen { path: path.clone(), head: head.replace('\r', ""), body });
            kept.iter().filter(|seen| seen.path == path).count()
        };
        let answer = match (path.as_str(), hit) {
            ("/flaky", 1) => "HTTP/1.1 500 Internal Server Error\r\n".to_owned(),
            ("/away", _) => format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: {own}/canary\r\n"),
            ("/hang", 1) => {
                // Until the other side is gone.
                drop(reader.read_line(&mut String::new()));
                return;
            }
            _ => "HTTP/1.1 204 No Content\r\n".to_owned(),
        };
        if stream.write_all(format!("{answer}content-length: 0\r\n\r\n").as_bytes()).is_err() {
            return;
        }
    }
}

fn asking() -> Value {
    let config = json!({ "title": "Pay ada@example.org?", "instructions": "The password is hunter22" });
    let mut file = workflow(json!({ "ask": { "type": "builtin.human_approval", "config": config } }), json!([]));
    file["id"] = "pay".into();
    file
}

/// A folder with a secret that may sign for these hosts.
fn with_secret(hosts: &[&str]) -> TestHome {
    let place = TestHome::new();
    assert_eq!(place.run(&["secret", "choose", "file", "--json"]).code, 0);
    let mut args = vec!["secret", "set", "desk", "--kind", "bearer", "--json"];
    for host in hosts {
        args.extend(["--host", host]);
    }
    let set = place.run_with(&args, &format!("{KEY}\n"));
    assert_eq!(set.code, 0, "{}{}", set.out, set.err);
    place
}

fn add(place: &TestHome, url: &str, more: &[&str]) -> Value {
    let args = [&["webhook", "add", url, "--secret", "secret://desk", "--allow-local", "--json"], more].concat();
    let done = place.run(&args);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    done.json()
}

fn ask_once(place: &TestHome) -> String {
    let file = place.file("pay.signalbox.json", asking().to_string()).display().to_string();
    let done = place.run(&["run", &file, "--json"]);
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    done.last()["openTasks"][0].as_str().expect("a task").to_owned()
}

/// The time of the next attempt has come.
fn later(place: &TestHome) {
    write(place, "UPDATE webhook_delivery SET due_ms = 0 WHERE due_ms IS NOT NULL; UPDATE webhook SET next_ms = NULL;");
}

fn write(place: &TestHome, sql: &str) {
    let store = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
    store.busy_timeout(std::time::Duration::from_secs(10)).expect("set");
    store.execute_batch(sql).expect("writes");
}

fn events(place: &TestHome, event: &str) -> Vec<Value> {
    let done = place.run(&["audit", "list", "--query", &format!("event:{event}"), "--json"]);
    assert!(!done.out.contains(KEY), "{}", done.out);
    done.json().as_array().cloned().expect("a list")
}

#[test]
fn an_address_is_told_at_the_terminal_and_what_failed_is_sent_again() {
    let peer = Peer::start();
    let place = with_secret(&[&peer.base]);
    let ok = format!("{}/ok", peer.base);
    for (args, code) in [
        (vec!["add", "ftp://desk.example", "--secret", "secret://desk"], "BAD_REQUEST"),
        (vec!["add", &ok, "--secret", KEY, "--allow-local"], "BAD_REQUEST"),
        (vec!["add", &ok, "--secret", "secret://other", "--allow-local"], "NOT_FOUND"),
        (vec!["add", "https://elsewhere.example/", "--secret", "secret://desk"], "BAD_REQUEST"),
        (vec!["add", "https://anna:pw@desk.example/", "--secret", "secret://desk"], "PLAIN_CREDENTIAL"),
        (vec!["remove", "nope"], "NOT_FOUND"),
        (vec!["again", "nope"], "NOT_FOUND"),
    ] {
        let done = place.run(&[&["webhook"], args.as_slice(), &["--json"]].concat());
        assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some(code)), "{args:?}: {}", done.out);
        assert!(!done.out.contains(KEY) && !done.out.contains("pw@"), "{}", done.out);
    }
    add(&place, &format!("{}/ok?team=5", peer.base), &[]);
    let flaky = add(&place, &format!("{}/flaky", peer.base), &["--event", "created"])[1]["id"].clone();
    let task = ask_once(&place);
    assert_eq!(place.run(&["tasks", "complete", &task, "--action", "approve", "--as", "user:anna"]).code, 0);
    assert!(peer.seen.lock().expect("no panic").is_empty(), "a program that does not stay sends nothing by itself");

    assert_eq!(place.run(&["webhook", "send", "--json"]).json()["tried"], 3);
    let path = "/ok?team=5";
    assert_eq!(peer.kinds(path), ["task.created", "task.answered"]);
    let last = peer.to(path).remove(1).told();
    assert_eq!((&last["data"]["taskId"], &last["data"]["action"]), (&json!(task), &json!("approve")));
    assert_eq!((&last["data"]["decidedBy"], &last["data"]["state"]), (&json!("user:anna"), &json!("done")));
    let bodies: String = peer.to(path).into_iter().map(|seen| seen.body).collect();
    for secret in ["ada@example.org", "hunter22", KEY] {
        assert!(!bodies.contains(secret), "{secret}: {bodies}");
    }

    let log = place.run(&["webhook", "log", flaky.as_str().expect("an id"), "--json"]).json();
    let failed = log[0].clone();
    assert_eq!((&failed["state"], &failed["status"], &failed["attempts"]), (&json!("waiting"), &json!(500), &json!(1)));
    assert!(failed["error"] == "it answered 500" && failed["againAt"].is_string(), "{failed}");
    assert_eq!(place.run(&["webhook", "send", "--json"]).json()["tried"], 0, "it is not due yet");
    let told = place.run(&["webhook", "log"]);
    assert!(told.out.contains("it answered 500") && told.out.contains(&task), "{}", told.out);
    let again = place.run(&["webhook", "again", failed["id"].as_str().expect("an id"), "--json"]);
    assert_eq!((again.code, again.json()["state"].as_str()), (0, Some("taken")), "{}", again.out);
    let (first, second) = (peer.to("/flaky").remove(0), peer.to("/flaky").remove(1));
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"), "who receives it knows it again");
    assert_eq!(first.body, second.body);

    let listed = place.run(&["webhook", "list"]);
    assert!(listed.out.contains("secret://desk") && !listed.out.contains("team=5"), "{}", listed.out);
    let removed = place.run(&["webhook", "remove", flaky.as_str().expect("an id"), "--json"]).json();
    assert_eq!(removed.as_array().map(Vec::len), Some(1));
    assert_eq!((events(&place, "WEBHOOK_CHANGED").len(), events(&place, "WEBHOOK_AGAIN").len()), (3, 1));
    // A masked export names no address.
    let out = place.dir.path().join("masked.jsonl").display().to_string();
    let masked =
        ["audit", "export", "--query", "event:WEBHOOK_CHANGED", "--profile", "masked", "--out", &out, "--json"];
    assert_eq!(place.run(&masked).code, 0);
    let masked = std::fs::read_to_string(&out).expect("entries");
    assert!(masked.contains("removed") && !masked.contains(&peer.base) && !masked.contains("\"desk\""), "{masked}");
    assert_eq!(events(&place, "WEBHOOK_FAILED").len(), 0);
}

/// The host sends by itself; what was under way when it was killed is sent when it is there again.
#[test]
fn a_killed_host_sends_after_its_restart_with_the_same_id() {
    let peer = Peer::start();
    let place = with_secret(&[&peer.base]);
    for path in ["/hang", "/flaky"] {
        add(&place, &format!("{}{path}", peer.base), &["--event", "created"]);
    }
    ask_once(&place);
    let mut serving = with_roles(&place);
    eventually("one hangs, the other is told", || peer.to("/hang").len() == 1 && peer.to("/flaky").len() == 1);
    let told = |serving: &Serving, state: &str| {
        let log = serving.ask_as(OPERATOR, "POST", "/rpc/webhook_log", &json!({}), &[]).json();
        log.as_array().into_iter().flatten().filter(|one| one["state"] == state).cloned().collect::<Vec<_>>()
    };
    // What the address answered is in the store, and its next attempt is far away.
    eventually("the failure is kept", || told(&serving, "waiting").iter().any(|one| one["status"] == 500));
    write(&place, "UPDATE webhook_delivery SET due_ms = due_ms + 3600000 WHERE attempts = 1");
    serving.child.kill().expect("kill -9");
    serving.child.wait().expect("is gone");
    let serving = with_roles(&place);
    eventually("what hung is sent again at once", || peer.to("/hang").len() == 2);
    let ids: Vec<String> = peer.to("/hang").iter().map(|seen| seen.header("webhook-id").to_owned()).collect();
    assert_eq!(ids[0], ids[1]);
    // The attempt that failed before the kill has kept its time.
    let standing = |state: &str| told(&serving, state);
    eventually("the first is taken", || standing("taken").len() == 1);
    let waiting = standing("waiting");
    assert_eq!((waiting.len(), &waiting[0]["status"], &waiting[0]["attempts"]), (1, &json!(500), &json!(1)));
    assert_eq!(peer.to("/flaky").len(), 1);
    later(&place);
    eventually("500, then taken", || standing("taken").len() == 2);
    assert_eq!(peer.kinds("/flaky"), ["task.created", "task.created"]);
}

/// TRUST, SSRF and roles: nobody elsewhere names an address of this machine, nobody a private one, and no redirect leads there.
#[test]
fn only_builders_change_addresses_and_none_leads_inside() {
    let peer = Peer::start();
    let place = with_secret(&[&peer.base, "http://10.0.0.1"]);
    for path in ["/mine", "/away"] {
        add(&place, &format!("{}{path}", peer.base), &["--event", "created"]);
    }
    add(&place, "http://10.0.0.1/hook", &["--event", "created"]);
    let serving = with_roles(&place);
    let rpc = |token: &str, name: &str, body: Value| serving.ask_as(token, "POST", &format!("/rpc/{name}"), &body, &[]);
    let theirs =
        json!({ "url": format!("{}/canary", peer.base), "events": ["task.created"], "secret": "secret://desk" });
    for (name, body) in [("webhook_list", json!({})), ("webhook_log", json!({}))] {
        assert_eq!(rpc(VIEWER, name, body.clone()).status, 403, "{name}");
        assert_eq!(rpc(OPERATOR, name, body).status, 200, "{name}");
    }
    for (name, body) in [
        ("webhook_add", theirs.clone()),
        ("webhook_remove", json!({ "id": "x" })),
        ("webhook_again", json!({ "id": "x" })),
        ("webhook_send", json!({})),
    ] {
        assert_eq!(rpc(OPERATOR, name, body).status, 403, "{name}");
    }
    // An address of this machine needs a word that it is allowed.
    let anchor = json!({ "url": format!("{}/canary", peer.base) });
    for (name, body) in [("webhook_add", theirs), ("audit_anchor_add", anchor)] {
        let refused = rpc(BUILDER, name, body);
        assert_eq!(refused.status, 403, "{name}: {}", refused.body);
    }
    for spelled in [
        "http://localhost:9/",
        "http://a.localhost:9/",
        "http://127.1:9/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
    ] {
        let refused = rpc(BUILDER, "audit_anchor_add", json!({ "url": spelled }));
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (403, &json!("ADDRESS_REFUSED")), "{spelled}");
    }
    // As it may stand in a store: an address of this machine without anybody's consent.
    add(&place, &format!("{}/canary", peer.base), &["--event", "created"]);
    write(&place, "UPDATE webhook SET here = 0 WHERE url LIKE '%/canary'");
    assert_eq!(serving.ask("PUT", "/workflows/pay", &asking()).status, 200);
    assert_eq!(serving.ask("POST", "/workflow/run", &json!({ "workflow": "pay" })).status, 200);
    let of = |url: &str| {
        let list = rpc(OPERATOR, "webhook_list", json!({})).json();
        let id = list.as_array().into_iter().flatten().find(|one| one["url"] == url).expect("an address")["id"].clone();
        rpc(OPERATOR, "webhook_log", json!({ "id": id })).json()[0].clone()
    };
    let at = |path: &str| of(&format!("{}{path}", peer.base));
    eventually("all were tried", || {
        let tried = [at("/mine"), at("/away"), at("/canary"), of("http://10.0.0.1/hook")];
        tried.iter().all(|one| one["triedAt"].is_string())
    });
    assert_eq!(at("/mine")["state"], "taken");
    for refused in [at("/canary"), of("http://10.0.0.1/hook")] {
        assert_eq!((&refused["state"], &refused["attempts"]), (&json!("failed"), &json!(1)), "{refused}");
        assert!(refused["status"].is_null() && refused["error"].is_string(), "{refused}");
    }
    let away = at("/away");
    assert_eq!((&away["state"], &away["status"]), (&json!("waiting"), &json!(307)), "{away}");
    assert_eq!(peer.to("/canary").len(), 0, "nothing came inside");
    let failed = events(&place, "WEBHOOK_FAILED");
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert!(failed.iter().all(|one| one["metadata"]["reason"].is_string() && one["metadata"]["taskId"].is_string()));
}

/// Without its key nothing goes out, and the log says what is missing.
#[test]
fn what_cannot_be_signed_is_not_sent() {
    let peer = Peer::start();
    let place = with_secret(&[&peer.base]);
    add(&place, &format!("{}/ok", peer.base), &[]);
    ask_once(&place);
    assert_eq!(place.run(&["secret", "delete", "desk"]).code, 0);
    assert_eq!(place.run(&["webhook", "send", "--json"]).json()["tried"], 1);
    let log = place.run(&["webhook", "log", "--json"]).json();
    assert_eq!((&log[0]["state"], log[0]["status"].is_null()), (&json!("waiting"), true), "{log}");
    assert!(log[0]["error"].as_str().is_some_and(|why| why.contains("desk")), "{log}");
    assert!(peer.seen.lock().expect("no panic").is_empty());
}
