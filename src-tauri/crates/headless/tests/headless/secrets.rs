//! Secrets from outside: the terminal, REST, and the canary of TRUST. A service sends back in every form what it was
//! sent; afterwards no byte of the data folder, no export and no answer may hold it.

use crate::support;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use support::{Serving, TestHome};

/// With characters that every encoding writes differently.
const CANARY: &str = "cAnArY-7f3a\"9c/51+e2&x%zZ é0123456789";
/// For headers, which are Latin-1.
const PLAIN: &str = "cAnArY-b64d\"8e/17+a0&y%qQ 9876543210";

fn chosen() -> TestHome {
    let place = TestHome::new();
    let done = place.run(&["secret", "choose", "file", "--json"]);
    assert_eq!((done.code, done.json()["state"].as_str()), (0, Some("ready")), "{}", done.err);
    place
}

fn set(place: &TestHome, name: &str, more: &[&str], value: &str) {
    let args = [&["secret", "set", name, "--json"], more].concat();
    let done = place.run_with(&args, &format!("{value}\n"));
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn percent(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Every spelling that must not be found.
fn spellings(value: &str) -> Vec<Vec<u8>> {
    let mut all = vec![value.to_owned(), hex(value), hex(value).to_uppercase(), percent(value)];
    all.push(percent(value).replace('+', "%20"));
    all.push(json!(value).to_string().trim_matches('"').to_owned());
    for before in ["", "a", "ab"] {
        for engine in [&STANDARD, &URL_SAFE_NO_PAD] {
            let text = engine.encode(format!("{before}{value}"));
            // Without the characters that hold bits of what stands around the value.
            all.push(text.trim_end_matches('=')[4..].chars().take(24).collect());
        }
    }
    all.into_iter().map(String::into_bytes).collect()
}

fn assert_clean(what: &str, bytes: &[u8]) {
    for value in [CANARY, PLAIN] {
        for form in spellings(value) {
            let found = bytes.windows(form.len()).position(|window| window == form);
            assert!(found.is_none(), "{what} holds the secret as {} at {found:?}", String::from_utf8_lossy(&form));
        }
    }
}

fn assert_folder_clean(folder: &Path) -> usize {
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("lists") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files += assert_folder_clean(&path);
        } else {
            assert_clean(&path.display().to_string(), &std::fs::read(&path).expect("reads"));
            files += 1;
        }
    }
    files
}

/// A service that says back what it was sent, in the form that the path asks for.
struct Echo {
    base: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Echo {
    fn start(elsewhere: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let (kept, elsewhere) = (Arc::clone(&seen), elsewhere.to_owned());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                echo(stream, &kept, &elsewhere);
            }
        });
        Self { base, seen }
    }

    fn heads(&self) -> Vec<String> {
        self.seen.lock().expect("no panic").clone()
    }
}

fn echo(mut stream: TcpStream, seen: &Mutex<Vec<String>>, elsewhere: &str) {
    let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    seen.lock().expect("no panic").push(head.clone());
    let target = head.split_whitespace().nth(1).unwrap_or("/").to_owned();
    let path = target.split('?').next().unwrap_or("/").to_owned();
    // What an attentive service has taken out of the request.
    let secret = head
        .lines()
        .find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            match name.to_ascii_lowercase().as_str() {
                "x-api-key" => Some(value.to_owned()),
                "authorization" if value.starts_with("Bearer ") => Some(value[7..].to_owned()),
                "authorization" => {
                    let pair = STANDARD.decode(value.trim_start_matches("Basic ")).ok()?;
                    Some(String::from_utf8(pair).ok()?.split_once(':')?.1.to_owned())
                }
                _ => None,
            }
        })
        .or_else(|| {
            let query = target.split_once('?')?.1;
            url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "key").map(|(_, v)| v.into_owned())
        })
        .unwrap_or_default();
    let forms = json!({
        "plain": secret, "inside": format!("<{secret}>"), "hex": hex(&secret), "HEX": hex(&secret).to_uppercase(),
        "url": percent(&secret), "base64": STANDARD.encode(&secret), "jwt": URL_SAFE_NO_PAD.encode(format!("{{\"k\":\"{secret}\"}}")),
        "head": head, secret.clone(): "as a name",
    });
    let (status, kind, body, more) = match path.as_str() {
        "/json" => ("200 OK", "application/json", forms.to_string().into_bytes(), String::new()),
        "/header" => ("200 OK", "text/plain", b"ok".to_vec(), format!("x-echo: {secret}\r\n")),
        "/binary" => ("200 OK", "application/octet-stream", format!("\u{1}{secret}\u{2}").into_bytes(), String::new()),
        "/fail" => ("404 Not Found", "application/json", forms.to_string().into_bytes(), String::new()),
        // The secret stands across the length to which the excerpt of an error is cut.
        "/cut" => ("404 Not Found", "text/plain", format!("{}{secret}", "x".repeat(1_990)).into_bytes(), String::new()),
        "/notjson" => ("200 OK", "application/json", format!("{{ {secret}").into_bytes(), String::new()),
        "/away" => ("302 Found", "text/plain", Vec::new(), format!("location: {elsewhere}/json\r\n")),
        "/leak" => {
            ("302 Found", "text/plain", Vec::new(), format!("location: {elsewhere}/json?key={}\r\n", percent(&secret)))
        }
        _ => ("200 OK", "text/plain", secret.into_bytes(), String::new()),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n{more}\r\n",
        body.len()
    );
    drop(stream.write_all(&[answer.as_bytes(), &body].concat()));
    drop(stream.read(&mut [0; 1]));
}

/// Asks with a credential; what comes goes on as data, an error goes to a person.
fn workflow(path: &str, secret: &str) -> Value {
    json!({
        "signalbox": 1, "id": "canary", "name": "Canary",
        "params": { "type": "object", "properties": { "base": { "type": "string" } } },
        "nodes": {
            "ask": {
                "type": "http.request", "title": "Ask",
                "config": { "url": format!("{{{{params.base}}}}{path}"), "credential": format!("secret://{secret}") },
                "out": { "$answer": "=_result", "/answer.txt": "{{_result.response}}" }, "print": "=_result",
            },
            "note": { "type": "builtin.audit", "config": { "event": "ASKED", "metadata": { "answer": "=item" } } },
            "person": { "type": "builtin.human_decision", "config": { "title": "It failed: {{error.message}}" } },
            "end": { "type": "flow.stop", "config": { "stopId": "done" } },
        },
        "edges": [
            { "from": "ask.success", "to": "note" }, { "from": "note.success", "to": "end" },
            { "from": "ask.error", "to": "person" }, { "from": "person.skip", "to": "end" },
        ],
    })
}

/// TS-166, TRUST "Secrets in logs / exports".
#[test]
fn ts_166_the_canary_is_sent_and_found_nowhere() {
    let place = chosen();
    let other = Echo::start("http://127.0.0.1:1");
    let echo = Echo::start(&other.base);
    let host = ["--host", "127.0.0.1"];
    set(&place, "token", &[&host[..], &["--kind", "bearer"]].concat(), PLAIN);
    set(&place, "login", &[&host[..], &["--kind", "basic", "--field", "ada"]].concat(), CANARY);
    set(&place, "key", &[&host[..], &["--kind", "header", "--field", "X-Api-Key"]].concat(), PLAIN);
    set(&place, "param", &[&host[..], &["--kind", "query", "--field", "key"]].concat(), CANARY);

    let mut printed = String::new();
    let (mut runs, mut tasks) = (Vec::new(), Vec::new());
    let params = json!({ "base": echo.base }).to_string();
    for secret in ["token", "login", "key", "param"] {
        for path in ["/json", "/text", "/header", "/binary", "/fail", "/cut", "/notjson", "/away", "/leak"] {
            let file = place.file("canary.signalbox.json", workflow(path, secret).to_string());
            let before = (echo.heads().len(), other.heads().len());
            let args =
                ["--log", "debug", "run", &file.display().to_string(), "--params", &params, "--events", "--json"];
            let done = place.run(&args);
            let summary = done.last();
            assert!(matches!(done.code, 0 | 3), "{secret} {path}: {}", done.out);
            assert!(echo.heads().len() > before.0, "{secret} {path} was sent");
            if path == "/json" {
                assert!(done.out.contains("[secret:"), "{}", done.out);
            }
            if path == "/leak" {
                assert_eq!(other.heads().len(), before.1, "nobody followed with the secret in the address");
                assert!(done.out.contains("CREDENTIAL_REFUSED"), "{}", done.out);
            }
            if path == "/binary" {
                let events = done.lines();
                let made = events.iter().find(|event| event["type"] == "step_done").expect("it answered");
                let kept = &made["payload"]["items"]["success"][0]["binary"]["response"]["sha256"];
                let (run, kept) = (summary["runId"].as_str().expect("an id"), kept.as_str().expect("a hash"));
                let saved = place.run(&["runs", "binary", run, kept, "--out", "bytes", "--force", "--json"]);
                assert_eq!(saved.code, 0, "{}", saved.out);
                let bytes = std::fs::read(place.dir.path().join("bytes")).expect("saved");
                assert!(bytes.starts_with(b"\x01[secret:") && bytes.ends_with(b"]\x02"), "{bytes:?}");
            }
            runs.push(summary["runId"].as_str().expect("an id").to_owned());
            tasks.extend(
                summary["openTasks"].as_array().into_iter().flatten().map(|id| id.as_str().expect("an id").to_owned()),
            );
            printed += &(done.out + &done.err);
        }
    }
    assert!(!tasks.is_empty());
    let heads = echo.heads().join("");
    for sent in
        [format!("Bearer {PLAIN}"), STANDARD.encode(format!("ada:{CANARY}")), format!("key={}", percent(CANARY))]
    {
        assert!(heads.contains(&sent), "{sent} was sent");
    }
    assert!(heads.to_lowercase().contains(&format!("x-api-key: {}", PLAIN.to_lowercase())));
    let away = other.heads().join("");
    assert!(!away.is_empty(), "a redirect without the secret is followed");
    assert_clean("another host", away.as_bytes());
    assert!(!away.to_lowercase().contains("authorization") && !away.to_lowercase().contains("x-api-key"), "{away}");

    for name in ["pack.zip", "all.csv", "all.jsonl"] {
        assert_eq!(place.run(&["audit", "export", "--out", name, "--json"]).code, 0, "{name}");
    }
    for run in runs.iter().step_by(5) {
        for args in [["runs", "events", run], ["runs", "show", run]] {
            printed += &place.run(&args).out;
        }
    }
    for task in tasks.iter().step_by(3) {
        printed += &place.run(&["tasks", "show", task, "--json"]).out;
    }
    printed += &place.run(&["tasks", "complete", &tasks[0], "--action", "skip", "--json"]).out;
    printed += &place.run(&["secret", "list", "--json"]).out;
    printed += &place.run(&["audit", "list", "--json"]).out;
    assert_clean("what was printed", printed.as_bytes());

    let served = Serving::start(&place, &[]);
    let mut answers = String::new();
    let mut ask = |command: &str, request: Value| {
        let answer = served.ask("POST", &format!("/rpc/{command}"), &request);
        assert_eq!(answer.status, 200, "{command}: {}", answer.body);
        answers.push_str(&answer.body);
    };
    for command in ["secret_list", "secret_status", "audit_status", "app_info", "settings_get"] {
        ask(command, json!({}));
    }
    ask("run_list", json!({}));
    ask("task_list", json!({}));
    ask("audit_list", json!({ "limit": 500 }));
    ask("past_errors", json!({ "workflowId": "canary" }));
    ask("run_step_data", json!({ "workflowId": "canary", "nodeId": "ask" }));
    for run in &runs {
        ask("run_get", json!({ "runId": run }));
        ask("run_events", json!({ "runId": run, "after": 0 }));
    }
    for task in &tasks[1..] {
        ask("task_get", json!({ "taskId": task }));
        ask("task_reveal", json!({ "taskId": task, "reason": "Looking for the canary" }));
    }
    for run in &runs {
        for route in ["status", "variables", "checkpoint", "artifacts"] {
            answers.push_str(&served.ask("GET", &format!("/workflow/{run}/{route}"), &Value::Null).body);
        }
    }
    assert!(answers.contains("[secret:"), "the answers show that something was hidden");
    assert_clean("what was served", answers.as_bytes());
    drop(served);

    let zip = std::fs::File::open(place.dir.path().join("pack.zip")).expect("there");
    let mut zip = zip::ZipArchive::new(zip).expect("a pack");
    for index in 0..zip.len() {
        let mut bytes = Vec::new();
        zip.by_index(index).expect("a file").read_to_end(&mut bytes).expect("reads");
        assert_clean("the evidence pack", &bytes);
    }
    assert!(assert_folder_clean(place.dir.path()) > 6, "store, log, vault, artifacts and exports were read");
}

/// TRUST, missing authorisation: a credential goes to its hosts only, and who may not know it cannot move it.
#[test]
fn a_credential_with_another_host_is_refused_before_anything_is_sent() {
    let place = chosen();
    let echo = Echo::start("http://127.0.0.1:1");
    set(&place, "erp", &["--host", "api.example.com"], PLAIN);
    let file = place.file("f.signalbox.json", workflow("/json", "erp").to_string());
    let params = json!({ "base": echo.base }).to_string();
    let run = |args: &[&str]| place.run(&[&["run"], args, &["--params", &params, "--events", "--json"]].concat());
    let done = run(&[&file.display().to_string()]);
    assert!(done.out.contains("CREDENTIAL_REFUSED") && done.out.contains("api.example.com only"), "{}", done.out);
    assert_eq!(echo.heads().len(), 0, "nothing was sent");

    let missing = place.file("m.signalbox.json", workflow("/json", "nope").to_string());
    let done = run(&[&missing.display().to_string()]);
    assert!(done.out.contains("SECRET_MISSING"), "{}", done.out);
    assert!(done.err.contains("There is no secret 'nope' on this machine"), "told before: {}", done.err);
    assert_eq!(echo.heads().len(), 0);

    // Text that looks like a reference is refused where it would be sent as text.
    let mut spoilt = workflow("/json", "erp");
    spoilt["nodes"]["ask"]["config"] =
        json!({ "url": "https://api.example.com", "headers": { "X": "Bearer secret://erp" } });
    let spoilt = place.file("s.signalbox.json", spoilt.to_string());
    let checked = place.run(&["validate", &spoilt.display().to_string(), "--json"]);
    assert_eq!(checked.code, 2);
    let found = &checked.json()[0]["diagnostics"][0];
    assert_eq!(
        (found["code"].as_str(), found["path"].as_str()),
        (Some("SECRET_PLACE"), Some("/nodes/ask/config/headers/X"))
    );
    // Nor does an expression choose a credential.
    let mut computed = workflow("/json", "erp");
    computed["nodes"]["ask"]["config"]["credential"] = json!("=item.which");
    let computed = place.file("c.signalbox.json", computed.to_string());
    assert_eq!(
        place.run(&["validate", &computed.display().to_string(), "--json"]).json()[0]["diagnostics"][0]["code"],
        "BAD_CONFIG"
    );
}

/// The terminal: nothing before a choice, locked without the passphrase, every act recorded.
#[test]
fn the_terminal_keeps_lists_and_deletes_and_records_it() {
    let place = TestHome::new();
    let none = place.run_with(&["secret", "set", "erp", "--host", "api.example.com", "--json"], PLAIN);
    assert_eq!((none.code, none.json()["error"]["code"].as_str()), (2, Some("SECRETS_NOT_CHOSEN")));
    let status = place.run(&["secret", "status", "--json"]);
    assert_eq!((status.code, status.json()["state"].as_str()), (2, Some("notChosen")));

    let done = place.run_with(&["secret", "choose", "passphrase", "--json"], "three words here\n");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert_eq!(place.run(&["secret", "list", "--json"]).json()["error"]["code"], "SECRETS_LOCKED");
    let file = place.file("pass.txt", "three words here\n");
    let with = |args: &[&str], input: &str| {
        let mut command = place.command(args);
        command.env("SIGNALBOX_SECRETS_PASSPHRASE_FILE", &file).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("sent");
        let output = child.wait_with_output().expect("it ends");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let (code, out) =
        with(&["secret", "set", "erp", "--host", "api.example.com", "--host", "*.example.com", "--json"], PLAIN);
    assert_eq!(code, Some(0), "{out}");
    let (_, list) = with(&["secret", "list", "--json"], "");
    let list: Value = serde_json::from_str(&list).expect("JSON");
    assert_eq!(list[0]["hosts"], json!(["api.example.com", "*.example.com"]));
    assert_eq!((list[0]["kind"].as_str(), list[0].get("lastUsedAt")), (Some("bearer"), None));
    assert_eq!(with(&["secret", "delete", "erp", "--json"], "").0, Some(0));
    assert_eq!(with(&["secret", "delete", "erp", "--json"], "").0, Some(2));

    let entries = place.run(&["audit", "list", "--json"]).json();
    let events: Vec<&str> = entries.as_array().expect("a list").iter().filter_map(|e| e["event"].as_str()).collect();
    assert_eq!(events, ["SECRETS_KEY_CHOSEN", "SECRET_SET", "SECRET_DELETED"]);
    assert_eq!(entries[1]["metadata"]["hosts"], json!(["api.example.com", "*.example.com"]));
    assert!(entries[1]["actor"]["id"].as_str().is_some_and(|id| id.starts_with("user:")));
    assert_folder_clean(&place.data());
}

/// REST: roles, and errors that do not quote what was sent.
#[test]
fn a_viewer_sees_no_secret_and_errors_quote_none() {
    let place = chosen();
    let tokens = place.file(
        "tokens",
        "builder builder-token-0123456789\noperator operator-token-012345678\nviewer viewer-token-0123456789\n",
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&tokens, std::fs::Permissions::from_mode(0o600)).expect("chmod");
    }
    let served = Serving::start(&place, &["--token-file", &tokens.display().to_string()]);
    let ask =
        |token: &str, command: &str, body: Value| served.ask_as(token, "POST", &format!("/rpc/{command}"), &body, &[]);
    let (builder, operator, viewer) =
        ("builder-token-0123456789", "operator-token-012345678", "viewer-token-0123456789");
    let whole = json!({ "name": "erp", "kind": "bearer", "hosts": ["api.example.com"], "value": PLAIN });
    for command in ["secret_list", "secret_status"] {
        assert_eq!(ask(viewer, command, json!({})).status, 403, "{command}");
        assert_eq!(ask(operator, command, json!({})).status, 200, "{command}");
    }
    for token in [viewer, operator] {
        assert_eq!(ask(token, "secret_set", whole.clone()).status, 403);
        assert_eq!(ask(token, "secret_delete", json!({ "name": "erp" })).status, 403);
        assert_eq!(ask(token, "secret_choose", json!({ "key": "file" })).status, 403);
    }
    let kept = ask(builder, "secret_set", whole.clone());
    assert_eq!((kept.status, kept.json().get("value")), (200, None));
    // A file of the machine is named by a person at the machine.
    assert_eq!(ask(builder, "secret_choose", json!({ "key": "file", "identityFile": "/etc/passwd" })).status, 403);
    for (change, value) in [
        ("value", json!([PLAIN])),
        ("value", json!({ PLAIN: 1 })),
        ("value", json!(PLAIN.repeat(1_000))),
        ("value", json!(format!("{PLAIN}\n{PLAIN}"))),
        ("hosts", json!([])),
        ("name", json!("a b")),
        ("kind", json!("cookie")),
    ] {
        let mut wrong = whole.clone();
        wrong[change] = value;
        let answer = ask(builder, "secret_set", wrong);
        assert_eq!(answer.status, 400, "{}", answer.body);
        assert_clean(change, answer.body.as_bytes());
    }
}

/// Whatever route is asked for with a secret in its path or its body, the answer does not quote it: a start, a resume and
/// the routes of one workflow no more than a command.
#[test]
fn no_route_answers_an_error_that_quotes_a_secret() {
    const VALUE: &str = "sk-cAnArY-55e1c0ffee-9f31";
    let place = chosen();
    let served = Serving::start(&place, &[]);
    let kept = served.ask(
        "POST",
        "/rpc/secret_set",
        &json!({ "name": "erp", "kind": "bearer", "hosts": ["api.example.com"], "value": VALUE }),
    );
    assert_eq!(kept.status, 200, "{}", kept.body);
    let document = served.ask("GET", "/openapi.json", &Value::Null).json();
    let bodies = [
        json!({}),
        json!({ VALUE: VALUE }),
        json!({ "workflow": VALUE, "taskId": "t", "runId": VALUE, "action": VALUE, "params": { "a": VALUE } }),
        json!({ "signalbox": 1, "id": format!("x{VALUE}"), "name": VALUE, "nodes": {}, "edges": [] }),
        json!(VALUE),
    ];
    let nothing = [Value::Null];
    let mut asked = 0;
    // The commands stand in the document one by one; they all go the same way.
    let routes = document["paths"].as_object().expect("paths");
    for (path, methods) in routes.iter().filter(|(path, _)| !path.starts_with("/rpc/")) {
        let told: String =
            path.split('/').map(|part| if part.starts_with('{') { VALUE } else { part }).collect::<Vec<_>>().join("/");
        for method in methods.as_object().expect("methods").keys().map(|method| method.to_uppercase()) {
            // A stream that nothing in the path can end.
            if method == "GET" && !path.contains('{') {
                continue;
            }
            let sent: &[Value] = if method == "GET" { &nothing } else { &bodies };
            for body in sent {
                let answer = served.ask(&method, &told, body);
                assert!(!answer.body.contains(VALUE), "{method} {path} quotes the secret: {}", answer.body);
                asked += 1;
            }
        }
    }
    let unknown = served.ask("POST", &format!("/rpc/{VALUE}"), &json!({}));
    assert!(!unknown.body.contains(VALUE), "{}", unknown.body);
    assert!(asked > 60, "only {asked} requests were made");
}
