//! Webhooks: requests of other programs that start runs of a server, and what these are told.

use crate::support;

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use support::{Serving, TestHome, VIEWER, eventually, with_roles};

fn flow(id: &str, config: &Value) -> Value {
    json!({
        "signalbox": 1, "id": id, "name": id, "settings": { "errorPolicy": "fail" },
        "nodes": {
            "t": { "type": "trigger.webhook", "title": "Order", "config": config },
            "a": { "type": "data.set", "config": { "assign": { "seen": "=item.body" } } },
        },
        "edges": [{ "from": "t.success", "to": "a" }],
    })
}

/// Stores a workflow, also in the place of an older one.
fn store(serving: &Serving, document: &Value) {
    let path = format!("/workflows/{}", document["id"].as_str().expect("an id"));
    let mut stored = serving.ask("PUT", &path, document);
    if stored.status == 409 {
        stored = serving.ask_as(&serving.token, "PUT", &path, document, &[("if-match", "*")]);
    }
    assert_eq!(stored.status, 200, "{}", stored.json());
}

fn activated(serving: &Serving, document: &Value) -> Value {
    let id = document["id"].as_str().expect("an id");
    store(serving, document);
    let done = serving.ask("POST", &format!("/workflows/{id}/activation"), &Value::Null);
    assert_eq!(done.status, 200, "{}", done.json());
    done.json()
}

struct Sent {
    status: u16,
    head: String,
    body: String,
}

impl Sent {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{}\n{}", self.head, self.body))
    }
    fn run(&self) -> String {
        self.json()["runId"].as_str().unwrap_or_else(|| panic!("{}", self.body)).to_owned()
    }
}

/// Sends as a stranger does: no token.
fn send(serving: &Serving, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Sent {
    let mut stream = TcpStream::connect(serving.host()).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", serving.host());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("content-length: {}\r\n\r\n", body.len());
    stream.write_all(&[head.as_bytes(), body].concat()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8(answer).expect("a text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Sent { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

const JSON: (&str, &str) = ("content-type", "application/json");

fn summary(serving: &Serving, run: &str) -> Value {
    let mut summary = Value::Null;
    eventually("the run ends", || {
        summary = serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json();
        ["completed", "failed"].contains(&summary["status"].as_str().unwrap_or_default())
    });
    summary
}

fn hex_hmac(key: &[u8], body: &[u8]) -> String {
    signalbox_model::hash::hex(&signalbox_model::hash::hmac_sha256(key, body))
}

fn set_secret(place: &TestHome, name: &str, value: &str) {
    let set = place.run_with(&["secret", "set", name, "--host", "example.org", "--json"], &format!("{value}\n"));
    assert_eq!(set.code, 0, "{}{}", set.out, set.err);
}

#[test]
fn a_request_starts_a_run_and_is_answered_when_the_start_is_durable() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    assert_eq!(send(&serving, "POST", "/hooks/orders/new", &[JSON], b"{}").status, 404);
    activated(&serving, &flow("shop", &json!({ "path": "orders/new" })));
    let sent = send(
        &serving,
        "POST",
        "/hooks/orders/new?source=web",
        &[JSON, ("x-kind", "b2b"), ("cookie", "a=b")],
        b"{\"id\":7}",
    );
    assert_eq!(sent.status, 202, "{}", sent.body);
    let done = summary(&serving, &sent.run());
    assert_eq!(done["output"][0]["seen"], json!({ "id": 7 }), "{done}");
    let checkpoint =
        serving.ask("GET", &format!("/workflow/{}/checkpoint", sent.run()), &Value::Null).json().to_string();
    assert!(
        checkpoint.contains("b2b") && checkpoint.contains("\"source\":\"web\"") && !checkpoint.contains("a=b"),
        "{checkpoint}"
    );
    // Who shows it to people knows the address.
    let shown = place.run(&["triggers", "show", "shop.t", "--json"]).json();
    assert_eq!(shown["address"], format!("{}/hooks/orders/new", serving.url));
    assert!(place.run(&["triggers", "show", "shop.t"]).out.contains("/hooks/orders/new"));
    assert_eq!(shown["firings"][0]["runId"], json!(sent.run()));
    // Wrong ways to ask.
    let wrong = send(&serving, "GET", "/hooks/orders/new", &[], b"");
    assert!(wrong.status == 405 && wrong.head.contains("allow: post"), "{}", wrong.head);
    for path in ["/hooks/orders", "/hooks/orders/new/", "/hooks/orders/../orders/new", "/hooks/orders%2fnew", "/hooks/"]
    {
        assert_eq!(send(&serving, "POST", path, &[JSON], b"{}").status, 404, "{path}");
    }
    assert_eq!(send(&serving, "POST", "/hooks/orders/new", &[JSON], b"{").status, 400);
    assert_eq!(send(&serving, "POST", "/hooks/orders/new", &[JSON, ("content-encoding", "gzip")], b"{}").status, 415);
    assert_eq!(send(&serving, "POST", "/hooks/orders/new", &[JSON], &vec![b' '; 1_048_577]).status, 413);
    let page = send(&serving, "POST", "/hooks/orders/new", &[JSON, ("origin", "http://evil.example")], b"{}");
    assert_eq!((page.status, page.json()["error"]["code"].as_str()), (403, Some("BAD_ORIGIN")));
    // Deactivated is the same as unknown, at once.
    assert_eq!(serving.ask("DELETE", "/workflows/shop/activation", &Value::Null).status, 200);
    assert_eq!(send(&serving, "POST", "/hooks/orders/new", &[JSON], b"{}").status, 404);
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

#[test]
fn the_same_delivery_starts_one_run_and_gets_the_first_answer() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    activated(&serving, &flow("shop", &json!({ "path": "a", "respond": "ended", "dedupe": "X-Delivery" })));
    let deliver = |headers: &[(&str, &str)], body: &[u8]| {
        let sent = send(&serving, "POST", "/hooks/a", &[&[JSON][..], headers].concat(), body);
        assert_eq!(sent.status, 200, "{}", sent.body);
        sent.json()
    };
    let first = deliver(&[("idempotency-key", "k1")], b"1");
    assert_eq!(first["output"][0]["seen"], 1);
    assert_eq!(deliver(&[("idempotency-key", "k1")], b"2"), first, "the first answer");
    assert_ne!(deliver(&[("idempotency-key", "k2")], b"1")["runId"], first["runId"]);
    let by_header = deliver(&[("x-delivery", "d1"), ("idempotency-key", "k3")], b"1");
    assert_eq!(deliver(&[("x-delivery", "d1"), ("idempotency-key", "k4")], b"1"), by_header);
    assert_ne!(deliver(&[], b"1")["runId"], deliver(&[], b"1")["runId"], "without an id each is its own");
    // Many at once.
    let runs: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| deliver(&[("idempotency-key", "crowd")], b"1")["runId"].to_string()))
            .collect();
        all.into_iter().map(|one| one.join().expect("sent")).collect()
    });
    assert!(runs.iter().all(|run| *run == runs[0]), "{runs:?}");
}

#[test]
fn a_respond_step_answers_and_the_run_goes_on() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let mut document = flow("echo", &json!({ "path": "echo", "methods": ["POST", "GET"], "respond": "step" }));
    // A step without a wire would run beside it.
    document["nodes"].as_object_mut().expect("steps").remove("a");
    document["nodes"]["r"] = json!({
        "type": "flow.respond",
        "config": { "status": 201, "headers": { "X-Seen": "{{item.method}}", "Content-Type": "text/html" }, "body": "<b>{{item.body.name}}</b>" },
    });
    document["nodes"]["later"] = json!({ "type": "flow.wait", "config": { "ms": 60_000 } });
    document["edges"] = json!([{ "from": "t.success", "to": "r" }, { "from": "r.success", "to": "later" }]);
    activated(&serving, &document);
    let sent = send(&serving, "POST", "/hooks/echo", &[JSON], b"{\"name\":\"Ada\"}");
    assert_eq!((sent.status, sent.body.as_str()), (201, "<b>Ada</b>"), "{}", sent.head);
    assert!(sent.head.contains("x-seen: post") && sent.head.contains("content-type: text/html"), "{}", sent.head);
    assert!(sent.head.contains("content-security-policy: sandbox"), "no page of this server: {}", sent.head);
    // A run that fails before it answers: nothing is told but that.
    let failed = send(&serving, "GET", "/hooks/echo", &[], b"");
    assert_eq!((failed.status, failed.json()["status"].as_str()), (500, Some("failed")), "{}", failed.body);
    // One that takes too long.
    let mut slow = flow("slow", &json!({ "path": "slow", "respond": "ended", "timeoutMs": 100 }));
    slow["nodes"]["a"] = json!({ "type": "flow.wait", "config": { "ms": 60_000 } });
    activated(&serving, &slow);
    let sent = send(&serving, "POST", "/hooks/slow", &[JSON], b"{}");
    assert_eq!(sent.status, 202, "{}", sent.body);
    assert_eq!(
        serving.ask("GET", &format!("/workflow/{}/status", sent.run()), &Value::Null).json()["endedAt"],
        Value::Null
    );
}

#[test]
fn files_of_a_form_are_binary_values_of_the_run() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    activated(&serving, &flow("upload", &json!({ "path": "upload", "respond": "ended" })));
    let body = "--b\r\nContent-Disposition: form-data; name=\"who\"\r\n\r\nAda\r\n--b\r\n\
                Content-Disposition: form-data; name=\"doc\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b--\r\n";
    let sent = send(
        &serving,
        "POST",
        "/hooks/upload",
        &[("content-type", "multipart/form-data; boundary=b")],
        body.as_bytes(),
    );
    assert_eq!(sent.json()["output"][0]["seen"], json!({ "who": "Ada" }), "{}", sent.body);
    let sha = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    let kept = serving.ask("GET", &format!("/workflow/{}/binary/{sha}", sent.run()), &Value::Null);
    assert_eq!((kept.status, kept.body.as_str()), (200, "hello"));
}

#[test]
fn only_who_knows_the_secret_starts_runs() {
    let place = TestHome::new();
    assert_eq!(place.run(&["secret", "choose", "file", "--json"]).code, 0);
    set_secret(&place, "hook", "hunter2hunter2");
    let serving = with_roles(&place);
    let auth = |auth: Value| json!({ "path": "a", "auth": auth });
    // Nothing that lacks its secret is activated.
    let stored = flow("shop", &auth(json!({ "type": "hmac", "preset": "github", "secret": "secret://other" })));
    store(&serving, &stored);
    let refused = serving.ask("POST", "/workflows/shop/activation", &Value::Null);
    let found = refused.json()["error"]["details"]["diagnostics"][0].clone();
    assert_eq!(
        (refused.status, &found["code"], &found["path"]),
        (422, &json!("SECRET_MISSING"), &json!("/nodes/t/config/auth/secret"))
    );
    activated(&serving, &flow("shop", &auth(json!({ "type": "secret", "secret": "secret://hook" }))));
    let bearer = |value: &str| send(&serving, "POST", "/hooks/a", &[JSON, ("authorization", value)], b"{}");
    let wrong = bearer("Bearer hunter3");
    assert_eq!(wrong.status, 401);
    let missing = send(&serving, "POST", "/hooks/a", &[JSON], b"{}");
    assert_eq!((missing.status, missing.body), (401, wrong.body.clone()), "nothing says what was wrong");
    let taken = bearer("Bearer hunter2hunter2");
    assert_eq!(taken.status, 202, "{}", taken.body);
    // A signature, and the settings of a workflow that is activated anew hold at once.
    activated(
        &serving,
        &flow(
            "shop",
            &auth(json!({ "type": "hmac", "preset": "generic", "header": "X-Sig", "secret": "secret://hook" })),
        ),
    );
    assert_eq!(bearer("Bearer hunter2hunter2").status, 401);
    let sum = hex_hmac(b"hunter2hunter2", b"{\"n\":1}");
    let signed = |body: &[u8]| send(&serving, "POST", "/hooks/a", &[JSON, ("x-sig", &sum)], body);
    let first = signed(b"{\"n\":1}");
    assert_eq!((first.status, signed(b"{\"n\":2}").status), (202, 401), "{}", first.body);
    assert_eq!(signed(b"{\"n\":1}").run(), first.run(), "a replay starts nothing");
    summary(&serving, &first.run());
    let events = serving.ask("GET", &format!("/workflow/{}/checkpoint", first.run()), &Value::Null).json().to_string();
    assert!(!events.contains(&sum), "the signature is in no event");
    // A secret that is gone: the sender may try again.
    assert_eq!(place.run(&["secret", "delete", "hook", "--json"]).code, 0);
    let gone = signed(b"{\"n\":3}");
    assert!(gone.status == 503 && gone.head.contains("retry-after"), "{} {}", gone.status, gone.body);
}

#[test]
fn two_workflows_on_one_path_and_other_mistakes_are_told_before_activation() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    activated(&serving, &flow("one", &json!({ "path": "same" })));
    activated(&serving, &flow("one", &json!({ "path": "same", "maxBytes": 10 })));
    let refused = |document: &Value| {
        let id = document["id"].as_str().expect("an id");
        store(&serving, document);
        let answer = serving.ask("POST", &format!("/workflows/{id}/activation"), &Value::Null);
        let found = answer.json()["error"]["details"]["diagnostics"][0].clone();
        assert!(
            answer.status == 422 && found["hint"].as_str().is_some_and(|hint| !hint.is_empty()),
            "{}",
            answer.json()
        );
        (found["code"].as_str().expect("a code").to_owned(), found["path"].as_str().expect("a path").to_owned())
    };
    let config = |what: &str| format!("/nodes/t/config{what}");
    assert_eq!(refused(&flow("two", &json!({ "path": "same" }))), ("HOOK_PATH_TAKEN".into(), config("/path")));
    assert_eq!(refused(&flow("three", &json!({ "path": "a/../b" }))), ("BAD_HOOK_PATH".into(), config("/path")));
    assert_eq!(refused(&flow("four", &json!({ "path": "" }))), ("BAD_HOOK_PATH".into(), config("/path")));
    let preset = json!({ "path": "p", "auth": { "type": "hmac", "preset": "gitlab", "secret": "secret://a" } });
    assert_eq!(refused(&flow("five", &preset)).1, config("/auth/preset"));
    let none = json!({ "path": "p", "auth": { "type": "hmac", "preset": "github" } });
    assert_eq!(refused(&flow("six", &none)), ("MISSING_CONFIG".into(), config("/auth/secret")));
    let mut twice = flow("seven", &json!({ "path": "t" }));
    twice["nodes"]["u"] = twice["nodes"]["t"].clone();
    assert_eq!(refused(&twice), ("HOOK_PATH_TAKEN".into(), "/nodes/u/config/path".into()));
    // The path is free again when the other one is no longer active.
    assert_eq!(serving.ask("DELETE", "/workflows/one/activation", &Value::Null).status, 200);
    activated(&serving, &flow("two", &json!({ "path": "same" })));
}

#[test]
fn the_editor_listens_for_one_request() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let rpc = |command: &str, request: &Value| serving.ask("POST", &format!("/rpc/{command}"), request);
    let config = json!({ "path": "try/it" });
    let preview = rpc("hook_preview", &json!({ "config": config })).json();
    assert_eq!(preview["testAddress"], format!("{}/hooks-test/try/it", serving.url));
    assert_eq!(preview["answers"], true);
    assert_eq!(send(&serving, "POST", "/hooks-test/try/it", &[JSON], b"1").status, 404, "nobody listens");
    let listening = rpc("hook_listen", &json!({ "workflowId": "w", "nodeId": "t", "config": config })).json();
    let listener = json!({ "listenId": listening["listenId"] });
    assert_eq!(rpc("hook_heard", &listener).json()["state"], "listening");
    assert_eq!(serving.ask_as(VIEWER, "POST", "/rpc/hook_heard", &listener, &[]).status, 403);
    assert_eq!(send(&serving, "POST", "/hooks-test/try/it?q=1", &[JSON], b"{\"a\":1}").status, 200);
    let heard = rpc("hook_heard", &listener).json();
    assert_eq!(
        (&heard["state"], &heard["event"]["body"], &heard["event"]["query"]),
        (&json!("received"), &json!({ "a": 1 }), &json!({ "q": "1" }))
    );
    assert_eq!((&heard["event"]["triggerId"], &heard["event"]["manual"]), (&json!("w.t"), &json!(true)));
    assert_eq!(send(&serving, "POST", "/hooks-test/try/it", &[JSON], b"2").status, 404, "one request");
    assert_eq!(serving.ask("GET", "/rpc/run_list", &Value::Null).status, 405);
    assert_eq!(rpc("run_list", &json!({})).json()["rows"].as_array().map_or(0, Vec::len), 0, "it starts nothing");
    rpc("hook_stop", &listener);
    assert_eq!(rpc("hook_heard", &listener).json()["state"], "ended");
}

#[test]
fn a_flood_of_slow_senders_leaves_others_their_answers() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    activated(&serving, &flow("shop", &json!({ "path": "a" })));
    let slow: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = TcpStream::connect(serving.host()).expect("connected");
            let head = format!("POST /hooks/a HTTP/1.1\r\nhost: {}\r\ncontent-length: 1000\r\n\r\n", serving.host());
            stream.write_all(head.as_bytes()).expect("sent");
            stream
        })
        .collect();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    (0..25).map(|_| send(&serving, "POST", "/hooks/a", &[JSON], b"{}").status).collect::<Vec<_>>()
                })
            })
            .collect();
        for _ in 0..20 {
            assert_eq!(send(&serving, "GET", "/healthz", &[], b"").status, 200);
        }
        senders.into_iter().flat_map(|one| one.join().expect("sent")).collect()
    });
    assert!(statuses.iter().all(|status| [202, 429].contains(status)), "{statuses:?}");
    let taken = statuses.iter().filter(|status| **status == 202).count();
    drop(slow);
    let connection = rusqlite::Connection::open(place.data().join("signalbox.db")).expect("opens");
    let stored: usize =
        connection.query_row("SELECT count(*) FROM trigger_firing", [], |row| row.get(0)).expect("a count");
    assert_eq!(stored, taken, "each that was accepted is stored");
}
